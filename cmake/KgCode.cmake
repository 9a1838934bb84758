# The code that nvcc generates for every kernel, as cubins, to be judged without a GPU: the target kernel_code, which is never
# part of the default build, and the tests sm_XX.NAME.code. Only where there is nvcc; the programs need not be built for a GPU.

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

set(KG_CODE_FOUND "")
if(KG_CODE_NVCC AND NOT KG_COVERAGE AND NOT KG_SANITIZE AND NOT KG_FUZZ)
  kg__find_code_architectures(KG_CODE_FOUND)
endif()

# kg__add_code(NAME KERNELS LIBRARIES): compiles each kernel's file for each architecture, with what ptxas says of it next to the
# cubin, and adds the tests that judge them.
function(kg__add_code comparison kernels libraries)
  if(NOT KG_CODE_FOUND)
    return()
  endif()
  separate_arguments(flags UNIX_COMMAND "$ENV{CUDAFLAGS}")
  if(DEFINED CMAKE_CUDA_FLAGS)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
  endif()
  foreach(library IN LISTS libraries ITEMS kernelgate::headers)
    set(folders "$<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>")
    list(APPEND flags "$<$<BOOL:${folders}>:-I$<JOIN:${folders},$<SEMICOLON>-I>>")
    set(definitions "$<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>")
    list(APPEND flags "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
  endforeach()
  set(cubins)
  foreach(architecture IN LISTS KG_CODE_FOUND)
    set(folder ${PROJECT_BINARY_DIR}/code/sm_${architecture}/${comparison})
    file(MAKE_DIRECTORY ${folder})
    foreach(kernel IN LISTS kernels)
      get_filename_component(variant ${kernel} NAME_WE)
      set(cubin ${folder}/${variant}.cubin)
      # ptxas tells what it spilled, and nothing else does.
      add_custom_command(OUTPUT ${cubin} BYPRODUCTS ${folder}/${variant}.ptxas
        COMMAND sh -c "LC_ALL=C \"$@\" 2>\"$0\" || ! cat \"$0\" >&2" ${folder}/${variant}.ptxas
                ${KG_CODE_NVCC} -std=c++17 -O2 -DNDEBUG -cubin -arch=sm_${architecture} -Xptxas -v ${flags}
                -MD -MF ${cubin}.d -o ${cubin} ${kernel}
        DEPENDS ${kernel} ${KG_CODE_NVCC} DEPFILE ${cubin}.d
        COMMENT "Compiling ${comparison}/${variant}.cu for sm_${architecture}" COMMAND_EXPAND_LISTS VERBATIM)
      list(APPEND cubins ${cubin})
    endforeach()
    set(test sm_${architecture}.${comparison}.code)
    add_test(NAME ${test} COMMAND kernelgate::command code --build ${PROJECT_BINARY_DIR} --test ${test})
    set_tests_properties(${test} PROPERTIES LABELS "sm;sm_${architecture};${comparison}" FIXTURES_REQUIRED "gate;kernel_code"
      SKIP_RETURN_CODE 77 TIMEOUT 120 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
  add_custom_target(${comparison}.code DEPENDS ${cubins})
  # The launches are asked of it.
  add_dependencies(${comparison}.code ${comparison}.model)
  set_property(GLOBAL APPEND PROPERTY KG_CODE_COMPARISONS ${comparison})
endfunction()

# kg__finish_code(): all cubins as one target, which the tests need, and what the command reads of the build.
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
  list(JOIN KG_CODE_FOUND ", " architectures)
  list(JOIN comparisons "\", \"" names)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernelgate.code CONTENT
       "{\"nvcc\": \"${KG_CODE_NVCC}\", \"architectures\": [${architectures}], \"comparisons\": [\"${names}\"]}\n")
  add_test(NAME kernel_code.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target kernel_code)
  set_tests_properties(kernel_code.build PROPERTIES FIXTURES_SETUP kernel_code LABELS sm TIMEOUT 600)
endfunction()
