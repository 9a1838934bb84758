# SPDX-License-Identifier: MIT
# Compiler options of all code here.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_STANDARD 17)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Installation folders below the prefix.
include(GNUInstallDirs)
set(KG_MODEL_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/kernelgate/model)
set(KG_SHARED ${CMAKE_INSTALL_DATADIR}/kernelgate)
set(KG_MODULES ${CMAKE_INSTALL_LIBDIR}/cmake/kernelgate)

# Flags of the project's own code. Its headers' users get none of them.
add_library(kg_flags INTERFACE)
target_compile_definitions(kg_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE>)
target_compile_options(kg_flags INTERFACE
  # Link-time optimization drops Criterion's hooks. Where optimized code keeps its variables only a debugger asks, and to find it out
  # takes a seventh of the time to compile.
  $<$<COMPILE_LANGUAGE:C,CXX>:-fno-lto;-fno-var-tracking;-Wall;-Wextra;-Wpedantic>
  $<$<AND:$<BOOL:${KG_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
  $<$<AND:$<BOOL:${KG_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  # Source lines for compute-sanitizer and Nsight Compute; they do not change the code.
  $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
if(KG_COVERAGE)
  # Not --coverage, which gcc reads last, so that no file could be without.
  target_compile_options(kg_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fprofile-arcs;-ftest-coverage;-O1>)
  target_link_options(kg_flags INTERFACE --coverage)
endif()
if(KG_SANITIZE)
  target_compile_options(kg_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined;-fno-omit-frame-pointer;-O1>
    # A finding in the harness fails its test. Kernels, which are C++, may be wrong on purpose: the model must find
    # that.
    $<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=undefined>)
  # Each check of UBSan has a record with pointers: 90,000 of them in a test's program, to relocate at each of its many starts.
  target_link_options(kg_flags INTERFACE -fsanitize=address,undefined -no-pie)
endif()
if(KG_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "KG_FUZZ=ON needs clang, which has libFuzzer, as the C compiler; this is ${CMAKE_C_COMPILER_ID}: set "
                        "CC=clang and configure a new folder, or run tools/dev/fuzz, which does")
  endif()
  # A sanitizer's finding must end the process, or the fuzzer does not see it.
  target_compile_options(kg_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link,address,undefined;-fno-sanitize-recover=undefined;-fno-omit-frame-pointer;-O1>)
  target_link_options(kg_flags INTERFACE -fsanitize=address,undefined)
endif()
