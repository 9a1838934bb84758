# SPDX-License-Identifier: MIT
# The libraries of the harness's directories. The global properties KG_LIBRARIES and KG_GPU_LIBRARIES list those that
# every installation needs.

# kg__add_floor(DIRECTORY BELOW SOURCE...): the library kernelgate_DIRECTORY, which may call the library BELOW.
function(kg__add_floor directory below)
  set(library kernelgate_${directory})
  add_library(${library} STATIC ${ARGN})
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/harness>)
  target_link_libraries(${library} PUBLIC ${below} PRIVATE $<BUILD_INTERFACE:kg_flags>)
  set_property(GLOBAL APPEND PROPERTY KG_LIBRARIES ${library})
endfunction()

# kg__add_target_floor(DIRECTORY BELOW [SOURCES ...] [MODEL ...] [GPU ...]): the part of a directory that is compiled
# once per target, as kernelgate_DIRECTORY_model against the model's stand-in for cudart and as kernelgate_DIRECTORY_gpu
# against cudart. BELOW is a directory of the same kind, or NONE. The global property KG_TARGET_SOURCES lists the files of SOURCES.
function(kg__add_target_floor directory below)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;MODEL;GPU")
  set(model_below kernelgate_${below}_model)
  set(gpu_below kernelgate_${below}_gpu)
  if(below STREQUAL "NONE")
    set(model_below kernelgate_headers cpu_model)
    set(gpu_below kernelgate_headers CUDA::cudart_static)
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY KG_TARGET_SOURCES ${arg_SOURCES})
  set(kinds model)
  if(KG_HAS_GPU_TARGET)
    list(APPEND kinds gpu)
  endif()
  foreach(kind IN LISTS kinds)
    string(TOUPPER ${kind} upper)
    set(library kernelgate_${directory}_${kind})
    add_library(${library} STATIC ${arg_SOURCES} ${arg_${upper}})
    target_link_libraries(${library}
      PUBLIC ${${kind}_below} kernelgate_${directory} PkgConfig::CRITERION
      PRIVATE $<BUILD_INTERFACE:kg_flags>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY KG_LIBRARIES kernelgate_${directory}_model)
  if(KG_HAS_GPU_TARGET)
    target_compile_definitions(kernelgate_${directory}_gpu PUBLIC KG__TARGET_GPU)
    target_compile_features(kernelgate_${directory}_gpu PUBLIC cuda_std_17)
    set_property(GLOBAL APPEND PROPERTY KG_GPU_LIBRARIES kernelgate_${directory}_gpu)
  endif()
endfunction()
