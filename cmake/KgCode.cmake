# SPDX-License-Identifier: MIT
# The machine code that nvcc generates for every kernel, as cubins, to be judged without a GPU: the target kernel_code,
# which is not part of the default build, and the tests sm_XX.NAME.code. Requires nvcc; the programs need not be built
# for a GPU.

set(KG_CODE_ARCHITECTURES "" CACHE STRING
    "The architectures whose code is judged, 80;90 (empty: those of the GPUs in baselines/, and of baselines/sm_*.json)")
find_program(KG_CODE_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin DOC "The nvcc that compiles kernel_code")
if(DEFINED ENV{CUDACXX} AND EXISTS "$ENV{CUDACXX}")
  set(KG_CODE_NVCC $ENV{CUDACXX} CACHE FILEPATH "The nvcc that compiles kernel_code" FORCE)
endif()

# kg__find_code_architectures(VARIABLE): the architectures as numbers, without those that this nvcc does not know.
function(kg__find_code_architectures variable)
  set(found ${KG_CODE_ARCHITECTURES})
  file(GLOB baselines CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/baselines/*.json)
  foreach(baseline IN LISTS baselines)
    if(KG_CODE_ARCHITECTURES)
      break()
    endif()
    if(baseline MATCHES "/sm_([0-9]+)\\.json$")
      list(APPEND found ${CMAKE_MATCH_1})
      continue()
    endif()
    file(STRINGS ${baseline} line REGEX "\"compute_capability\": *\"[0-9]+\\.[0-9]+\"" LIMIT_COUNT 1)
    if(line MATCHES "\"compute_capability\": *\"([0-9]+)\\.([0-9]+)\"")
      list(APPEND found ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    endif()
  endforeach()
  execute_process(COMMAND ${KG_CODE_NVCC} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  set(compiled)
  foreach(architecture IN LISTS found)
    if(known MATCHES "sm_${architecture}\n")
      list(APPEND compiled ${architecture})
    else()
      message(WARNING "${KG_CODE_NVCC} does not compile for sm_${architecture}: its code is not judged")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES compiled)
  list(SORT compiled COMPARE NATURAL)
  set(${variable} ${compiled} PARENT_SCOPE)
endfunction()

# kg__choose_code(): chooses, once per project, the architectures to compile, KG_CODE_FOUND, and those that tests judge,
# KG_CODE_JUDGED: only architectures with a baseline. These are properties, because the functions of kernelgate are
# called from another project's folder.
function(kg__choose_code)
  get_property(chosen GLOBAL PROPERTY KG_CODE_FOUND SET)
  if(chosen)
    return()
  endif()
  set(found)
  set(judged)
  if(KG_CODE_NVCC AND NOT KG_COVERAGE AND NOT KG_SANITIZE AND NOT KG_FUZZ)
    kg__find_code_architectures(found)
  endif()
  foreach(architecture IN LISTS found)
    if(EXISTS ${PROJECT_SOURCE_DIR}/baselines/sm_${architecture}.json)
      list(APPEND judged ${architecture})
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY KG_CODE_FOUND "${found}")
  set_property(GLOBAL PROPERTY KG_CODE_JUDGED "${judged}")
endfunction()

# kg__add_code(NAME KERNELS): compiles each kernel's file for each architecture, with ptxas's report next to the cubin,
# and adds the tests that judge them.
function(kg__add_code comparison kernels)
  kg__choose_code()
  get_property(found GLOBAL PROPERTY KG_CODE_FOUND)
  get_property(judged GLOBAL PROPERTY KG_CODE_JUDGED)
  if(NOT found)
    return()
  endif()
  # Each cubin has its source's name; if two files share a name, the second one also has its folder's.
  set(names)
  foreach(kernel IN LISTS kernels)
    cmake_path(GET kernel STEM name)
    cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE source)
    if(name IN_LIST names)
      string(MAKE_C_IDENTIFIER ${source} name)
    endif()
    list(APPEND names ${name})
    set_property(GLOBAL APPEND PROPERTY KG_CODE_SOURCES "\"${comparison}/${name}\": \"${source}\"")
  endforeach()
  set(cubins)
  foreach(architecture IN LISTS found)
    set(folder ${PROJECT_BINARY_DIR}/code/sm_${architecture}/${comparison})
    file(MAKE_DIRECTORY ${folder})
    foreach(kernel variant IN ZIP_LISTS kernels names)
      set(cubin ${folder}/${variant}.cubin)
      kg__library_of(library ${kernel})
      foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
        kg__flags_of(${property} ${comparison} ${kernel} ${property} "${library}")
        set(${property} "$<FILTER:${${property}},EXCLUDE,${KG_OF_TARGET}|^SHELL:|^$>")
      endforeach()
      # Only ptxas reports spills.
      add_custom_command(OUTPUT ${cubin} BYPRODUCTS ${folder}/${variant}.ptxas
        COMMAND sh -c "LC_ALL=C \"$@\" 2>\"$0\" || ! cat \"$0\" >&2" ${folder}/${variant}.ptxas
                ${KG_CODE_NVCC} -std=c++17 -O2 -DNDEBUG -cubin -arch=sm_${architecture} -Xptxas -v ${COMPILE_OPTIONS}
                "$<$<BOOL:${COMPILE_DEFINITIONS}>:-D$<JOIN:${COMPILE_DEFINITIONS},$<SEMICOLON>-D>>"
                "$<$<BOOL:${INCLUDE_DIRECTORIES}>:-I$<JOIN:${INCLUDE_DIRECTORIES},$<SEMICOLON>-I>>" -MD -MF ${cubin}.d -o ${cubin} ${kernel}
        DEPENDS ${kernel} ${KG_CODE_NVCC} DEPFILE ${cubin}.d
        COMMENT "Compiling ${comparison}/${variant}.cu for sm_${architecture}" COMMAND_EXPAND_LISTS VERBATIM)
      list(APPEND cubins ${cubin})
    endforeach()
    if(NOT architecture IN_LIST judged)
      continue()
    endif()
    set(test sm_${architecture}.${comparison}.code)
    add_test(NAME ${test} COMMAND kernelgate::command code --build ${PROJECT_BINARY_DIR} --test ${test})
    set_tests_properties(${test} PROPERTIES LABELS "sm;sm_${architecture};${comparison}" FIXTURES_REQUIRED "gate;kernel_code"
      SKIP_RETURN_CODE 77 TIMEOUT 120 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
  add_custom_target(${comparison}.code DEPENDS ${cubins})
  # This program lists the launches.
  add_dependencies(${comparison}.code ${comparison}.model)
  set_property(GLOBAL APPEND PROPERTY KG_CODE_COMPARISONS ${comparison})
endfunction()

# kg__finish_code(): all cubins as one target, which the tests need, and the facts about the build that the command
# reads.
function(kg__finish_code)
  get_property(comparisons GLOBAL PROPERTY KG_CODE_COMPARISONS)
  if(NOT comparisons)
    file(REMOVE ${PROJECT_BINARY_DIR}/kernelgate.code)
    return()
  endif()
  add_custom_target(kernel_code)
  foreach(comparison IN LISTS comparisons)
    add_dependencies(kernel_code ${comparison}.code)
  endforeach()
  get_property(architectures GLOBAL PROPERTY KG_CODE_FOUND)
  list(JOIN architectures ", " architectures)
  get_property(judged GLOBAL PROPERTY KG_CODE_JUDGED)
  list(JOIN judged ", " judged)
  kg__json_list(names ${comparisons})
  get_property(programs GLOBAL PROPERTY KG_ADDED)
  kg__json_list(programs ${programs})
  get_property(sources GLOBAL PROPERTY KG_CODE_SOURCES)
  list(JOIN sources ", " sources)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernelgate.code CONTENT
       "{\"nvcc\": \"${KG_CODE_NVCC}\", \"architectures\": [${architectures}], \"judged\": [${judged}],
 \"comparisons\": [${names}], \"programs\": [${programs}],
 \"sources\": {${sources}}}\n")
  add_test(NAME kernel_code.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target kernel_code)
  set_tests_properties(kernel_code.build PROPERTIES FIXTURES_SETUP kernel_code LABELS sm TIMEOUT 600)
endfunction()
