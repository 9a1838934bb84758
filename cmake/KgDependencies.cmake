# SPDX-License-Identifier: MIT
# The requirements of a build of kernelgate, or of a project that uses it: the kernels' compiler, and libraries.

# Suites are C, and the CPU model's kernels C++, whatever the project's language.
enable_language(C)
enable_language(CXX)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "The CPU model's kernels are compiled by g++ 11 or newer, whose hooks the model needs; this is "
                      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: set CXX=g++ and configure a new folder")
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET GLOBAL criterion>=2.4)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET GLOBAL jansson>=2.13)
# For the lines and variables of instrumented kernels.
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET GLOBAL libdw>=0.180 libelf>=0.180)

# Only Boost.Context's library is needed: its C interface is two functions.
find_library(KG_BOOST_CONTEXT boost_context REQUIRED
             DOC "Boost.Context, which switches the CPU model's fibers")
if(NOT TARGET kernelgate::boost_context)
  add_library(kernelgate::boost_context UNKNOWN IMPORTED GLOBAL)
  set_target_properties(kernelgate::boost_context PROPERTIES IMPORTED_LOCATION ${KG_BOOST_CONTEXT})
endif()
