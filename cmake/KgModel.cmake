# SPDX-License-Identifier: MIT
# Programs for the CPU model: how kernels are compiled and linked, and left out where they do not compile.

# kg__define_flags(PROGRAM): tells a program for the CPU model the project's C++ flags, which its results contain.
function(kg__define_flags program)
  string(STRIP "${CMAKE_CXX_FLAGS}" flags)
  # Escaped as a C string.
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" flags "${flags}")
  target_compile_definitions(${program} PRIVATE "KG__MODEL_FLAGS=\"${flags}\"")
endfunction()

# __CUDA_ARCH__ in kernels for the CPU model: 900 is compute capability 9.0.
set(KG_MODEL_ARCH 900 CACHE STRING "__CUDA_ARCH__ on the CPU model")
if(NOT KG_MODEL_ARCH MATCHES "^[1-9][0-9]*0$")
  message(FATAL_ERROR " KG_MODEL_ARCH is '${KG_MODEL_ARCH}': say a value of __CUDA_ARCH__ such as 900, for compute capability 9.0")
endif()

# kg__compile_kernels(LIBRARY): compiles a library's sources with the definitions and flags that g++ needs in place of
# nvcc.
function(kg__compile_kernels library)
  target_compile_definitions(${library} PRIVATE __CUDACC__ __CUDACC_VER_MAJOR__=13 __CUDACC_VER_MINOR__=0
                             __CUDA_ARCH__=${KG_MODEL_ARCH})
  if(KG_MODEL_ARCH EQUAL 900)
    # The model has the instructions of sm_90a, such as wgmma.
    target_compile_definitions(${library} PRIVATE __CUDA_ARCH_FEAT_SM90_ALL)
  endif()
  if(CMAKE_CUDA_SEPARABLE_COMPILATION)
    # nvcc -rdc defines this: device code of the files is linked.
    target_compile_definitions(${library} PRIVATE __CUDACC_RDC__)
  endif()
  set(launcher ${KG_PYTHON} -S -B ${KG_REWRITE}/compile_kernel.py ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${library} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  get_target_property(sources ${library} SOURCES)
  file(GLOB scripts ${KG_REWRITE}/*.py)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${scripts})
endfunction()

# kg__add_kernels(LIBRARY FLAVOR SOURCE ...): an object library of kernels for the CPU model, or of nothing.
function(kg__add_kernels library flavor)
  # The model's headers come before all others, so that a CUDA Toolkit's are not used.
  get_target_property(stand_in kernelgate::cpu_model INTERFACE_INCLUDE_DIRECTORIES)
  add_library(${library} OBJECT ${ARGN})
  if(flavor STREQUAL "plain")
    # A kernel's large local arrays must touch every page on their way down, so that none skips a stack's guard. Launches
    # by a void pointer read a kernel's parameters from its debug information. At -O1 with vectors checks take 2 % longer than at -O2
    # (without 27 %), and compiling a fifth less.
    target_compile_options(${library} PRIVATE
      -g -O1 -ftree-vectorize -fstack-clash-protection -fdata-sections)
    target_link_libraries(${library} PRIVATE kernelgate::cpu_model ${KG__FLAGS})
  else()
    target_link_libraries(${library} PRIVATE kernelgate::instrumented)
  endif()
  # Fills uninitialized locals with 0 in one flavor and with bytes of 0xfe in the other, so that a result that depends
  # on them is wrong in one of the two, reproducibly. g++ 11 cannot do this.
  set(fill_plain zero)
  set(fill_instrumented pattern)
  target_compile_options(${library} PRIVATE
    -Wuninitialized -Wmaybe-uninitialized $<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>:-ftrivial-auto-var-init=${fill_${flavor}}>)
  target_include_directories(${library} BEFORE PRIVATE ${stand_in})
  target_link_libraries(${library} PRIVATE kernelgate::headers)
  target_compile_definitions(${library} PRIVATE KG__MODEL_WITHOUT_SPECIAL_FUNCTIONS)
  set_target_properties(${library} PROPERTIES COMPILE_WARNING_AS_ERROR "${KG_WERROR}")
  kg__compile_kernels(${library})
  # For nvcc's pragmas, such as #pragma unroll, and for the model's attributes: g++ 12 forgets the pragma of a precompiled header. The
  # model asks for the types of variables and not for their places in optimized code, which take up to a third of the time to compile.
  target_compile_options(${library} PRIVATE -Wno-unknown-pragmas -Wno-attributes -fno-var-tracking ${KG_WITHOUT_LTO})
endfunction()

# kg__precompile_headers(LIBRARY FLAVOR): compiles the model's headers once for all kernels of a flavor, which saves a third of the
# time to compile most of them. ccache, which saves more, would not keep such objects. g++ reads the header itself where a
# library's flags differ.
function(kg__precompile_headers library flavor)
  if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(shared kg_${flavor}_headers)
  if(NOT TARGET ${shared})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/model/none.cpp CONTENT "")
    kg__add_kernels(${shared} ${flavor} ${CMAKE_CURRENT_BINARY_DIR}/model/none.cpp)
    target_precompile_headers(${shared} PRIVATE <cuda_runtime.h> <kg_model_ptx.h>)
    set_target_properties(${shared} PROPERTIES PCH_WARN_INVALID OFF)
  endif()
  target_precompile_headers(${library} REUSE_FROM ${shared})
  set_target_properties(${library} PROPERTIES PCH_WARN_INVALID OFF)
endfunction()

# kg__add_model_programs(NAME SOURCE ...): NAME.model and NAME.instrumented with the kernels in the .cpp files SOURCE.
# Each flavor's kernels are an object library, NAME_plain_kernels and NAME_instrumented_kernels, because the hooks'
# flags conflict with those of coverage and of the sanitizers.
function(kg__add_model_programs name)
  foreach(flavor plain instrumented)
    kg__add_kernels(${name}_${flavor}_kernels ${flavor} ${ARGN})
    kg__precompile_headers(${name}_${flavor}_kernels ${flavor})
  endforeach()
  add_executable(${name}.model $<TARGET_OBJECTS:${name}_plain_kernels>)
  # An overrun of a shared array then hits the gap after it, and not a counter of coverage.
  target_link_options(${name}.model PRIVATE -Wl,--sort-section=alignment)
  add_executable(${name}.instrumented $<TARGET_OBJECTS:${name}_instrumented_kernels>)
  target_link_libraries(${name}.instrumented PRIVATE kernelgate::instrumented)
  kg__define_flags(${name}.model)
  kg__define_flags(${name}.instrumented)
  # The model's tests run the instrumented program.
  add_dependencies(${name}.model ${name}.instrumented)
endfunction()

# kg__stub_kernels(NAME WHY FILE ...): limits the effect of sources that do not compile for the CPU model to their
# variants, and gives the programs stubs for the functions of the FILEs, which are GPU-only; WHY is the reason in their
# cases.
function(kg__stub_kernels name why)
  set(script ${KG_PYTHON} -S -B ${KG_REWRITE}/kernel_stub.py)
  set(compiler ${script} compile ${PROJECT_SOURCE_DIR} ${CMAKE_CXX_COMPILER_LAUNCHER})
  foreach(flavor plain instrumented)
    set_target_properties(${name}_${flavor}_kernels PROPERTIES CXX_COMPILER_LAUNCHER "${compiler}")
  endforeach()
  set(linker ${script} link ${PROJECT_SOURCE_DIR} ${name} "${why}" ${ARGN} --)
  foreach(program ${name}.model ${name}.instrumented)
    set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX CXX_LINKER_LAUNCHER "${linker}")
    set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${KG_REWRITE}/kernel_stub.py)
  endforeach()
endfunction()
