# How everything here is compiled, and whether there is a CUDA compiler.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "The CPU model's kernels are compiled by g++ 11 or newer, whose hooks it counts by; this is "
                      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: set CXX=g++ and configure a new folder")
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion>=2.4)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
pkg_check_modules(LIBXML REQUIRED IMPORTED_TARGET libxml-2.0)
# The lines and variables of instrumented kernels.
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw>=0.180 libelf>=0.180)

# Boost.Context has a C interface of two functions; its library is all that is needed of Boost.
find_library(KG_BOOST_CONTEXT boost_context REQUIRED
             DOC "Boost.Context, which switches the CPU model's fibers")

if(KG_GPU STREQUAL "OFF")
  set(KG_HAS_GPU_TARGET FALSE)
else()
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    find_program(KG_NVCC nvcc HINTS /usr/local/cuda/bin)
    set(CMAKE_CUDA_COMPILER ${KG_NVCC} CACHE FILEPATH "The CUDA compiler")
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # "native" needs a GPU to ask; a machine without one builds for all that the toolkit knows.
      if(EXISTS /dev/nvidiactl)
        set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "GPU architectures to build for")
      else()
        set(CMAKE_CUDA_ARCHITECTURES all-major CACHE STRING "GPU architectures to build for")
      endif()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4 REQUIRED)
    set(CMAKE_CUDA_STANDARD 17)
    set(KG_HAS_GPU_TARGET TRUE)
  elseif(KG_GPU STREQUAL "ON")
    message(FATAL_ERROR "KG_GPU=ON, and there is no CUDA compiler: install the CUDA Toolkit 12.4 or "
                        "newer and put nvcc on the PATH (or set CUDACXX), or configure the preset cpu")
  else()
    set(KG_HAS_GPU_TARGET FALSE)
  endif()
endif()

# Flags of the project's own code. Its headers' users get none of them.
add_library(kg_flags INTERFACE)
target_compile_definitions(kg_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE>)
target_compile_options(kg_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic>
  $<$<AND:$<BOOL:${KG_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
  $<$<AND:$<BOOL:${KG_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
  # The lines of source for compute-sanitizer and Nsight Compute; the code is the same with them and without.
  $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
if(KG_COVERAGE)
  target_compile_options(kg_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:--coverage;-O1>)
  target_link_options(kg_flags INTERFACE --coverage)
endif()
if(KG_SANITIZE)
  target_compile_options(kg_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined;-fno-omit-frame-pointer;-O1>)
  target_link_options(kg_flags INTERFACE -fsanitize=address,undefined)
endif()
if(KG_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "KG_FUZZ=ON needs clang, which has libFuzzer, as the C compiler; this is ${CMAKE_C_COMPILER_ID}: set "
                        "CC=clang and configure a new folder, or run ci/fuzz, which does")
  endif()
  # A finding of the sanitizers must end the process, or the fuzzer does not see it.
  target_compile_options(kg_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link,address,undefined;-fno-sanitize-recover=undefined;-fno-omit-frame-pointer;-O1>)
  target_link_options(kg_flags INTERFACE -fsanitize=address,undefined)
endif()
