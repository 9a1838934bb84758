# kg_add_comparison(NAME [LIBRARIES LIBRARY ...]): the programs of a comparison and their tests.
#
# Builds NAME.model (g++, the CPU model), NAME.instrumented (with a hook at every access, run by NAME.model)
# and, where there is a CUDA compiler, NAME.gpu (nvcc, cudart) from suites/NAME.c and every kernels/NAME/*.cu of the project.
# CTest finds the programs' Criterion tests when it runs, as <target>.NAME.<part>, labelled by target and comparison.
# The suite and the kernels of every program are compiled for each LIBRARY, and the programs link it: an interface
# library with the folders of headers that the kernels include. A library with code of its own is linked to programs
# of both targets, so that it may hold no kernels.

include(${CMAKE_CURRENT_LIST_DIR}/KgCode.cmake)

# CTest's limit for one test, above the limit of a Criterion test (1500 s), which can name the case that was running.
set(KG_TEST_TIMEOUT 1600 CACHE INTERNAL "CTest's limit for a comparison's test, in seconds")
# The slots of a board in CTest's resource spec. A test that checks takes one, so that many check side by side, their
# work being the host's for the most part; a test that times takes all of them.
set(KG_BOARD_SLOTS 8 CACHE INTERNAL "The slots of a board in CTest's resource spec")

# kg__discover_tests(PROGRAM PREFIX LABELS TIMEOUT FIXTURE [PROPERTY VALUE ...]): has CTest ask a Criterion program for its
# tests whenever it runs. FIXTURE is the fixture that they need, or "".
function(kg__discover_tests program prefix labels timeout fixture)
  set(properties TIMEOUT ${timeout} WORKING_DIRECTORY \"${PROJECT_SOURCE_DIR}\" ${ARGN})
  if(fixture)
    list(APPEND properties FIXTURES_REQUIRED ${fixture} SKIP_RETURN_CODE 77)
  endif()
  list(JOIN properties " " properties)
  set(board_slots 0)
  if(prefix STREQUAL "gpu.")
    set(board_slots ${KG_BOARD_SLOTS})
  endif()
  set(whole)
  if(prefix STREQUAL "harness.")
    string(REGEX REPLACE "^test_(.*)" "${prefix}\\1" whole ${program})
  endif()
  set(discovery ${CMAKE_CURRENT_BINARY_DIR}/${program}.tests.cmake)
  file(GENERATE OUTPUT ${discovery} CONTENT
"set(program \"$<TARGET_FILE:${program}>\")
set(prefix \"${prefix}\")
set(properties ${properties})
set(labels \"${labels}\")
set(board_slots ${board_slots})
set(whole \"${whole}\")
set(whole_timeout 600)
include(\"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KgDiscoverTests.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${discovery})
endfunction()

# kg__add_suite(NAME PROGRAM TARGET LIBRARY ...): what all programs of a comparison have in common.
function(kg__add_suite comparison program target)
  target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/suites/${comparison}.c)
  target_compile_definitions(${program} PRIVATE KG__HOME="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE ${ARGN} kernelgate::${target} ${KG__FLAGS})
  # Where the scripts look for it.
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} COMPILE_WARNING_AS_ERROR "${KG_WERROR}")
  # Its tests are judged by the command.
  add_dependencies(${program} kernelgate::command)
endfunction()

# Builds for coverage and sanitizers are slow and about lines, not sizes: cases whose first extent is below 100 reach
# every line, and so do those below 60 where there are several extents, whose product is the size.
set(KG_SMALL_CASES "" CACHE INTERNAL "The setting that leaves the tests of such a build small cases alone")
if(KG_COVERAGE OR KG_SANITIZE)
  set_property(CACHE KG_SMALL_CASES PROPERTY VALUE "KG_FILTER=*/[0-9]/*,*/[0-9][0-9]/*,*/[0-9]x*/*,*/[1-5][0-9]x*/*")
endif()

# kg__add_tests(NAME TARGET): has CTest run the tests of NAME.TARGET.
function(kg__add_tests comparison target)
  set(program ${comparison}.${target})
  set(environment)
  if(KG_SMALL_CASES)
    set(environment ENVIRONMENT \"${KG_SMALL_CASES}\")
  endif()
  kg__discover_tests(${program} ${target}. "${target};${comparison}" ${KG_TEST_TIMEOUT} gate ${environment})
endfunction()

# kg__define_flags(PROGRAM): tells a program for the CPU model the project's C++ flags, which its results name.
function(kg__define_flags program)
  string(STRIP "${CMAKE_CXX_FLAGS}" flags)
  # As a string of C has it.
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" flags "${flags}")
  target_compile_definitions(${program} PRIVATE "KG__MODEL_FLAGS=\"${flags}\"")
endfunction()

# What __CUDA_ARCH__ is in kernels for the CPU model: 900 is compute capability 9.0.
set(KG_MODEL_ARCH 900 CACHE STRING "__CUDA_ARCH__ on the CPU model")
if(NOT KG_MODEL_ARCH MATCHES "^[1-9][0-9]*0$")
  message(FATAL_ERROR " KG_MODEL_ARCH is '${KG_MODEL_ARCH}': say a value of __CUDA_ARCH__ such as 900, for compute capability 9.0")
endif()

# kg__compile_kernels(LIBRARY): has a library's sources compiled as nvcc's are, as far as g++ needs help.
function(kg__compile_kernels library)
  target_compile_definitions(${library} PRIVATE __CUDACC__ __CUDA_ARCH__=${KG_MODEL_ARCH})
  set(launcher python3 -B ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_kernel.py ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${library} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
endfunction()

# kg__add_model_programs(NAME SOURCE ...): NAME.model and NAME.instrumented with the kernels in the .cpp files SOURCE.
# Each flavour's kernels are an object library, NAME_plain_kernels and NAME_instrumented_kernels: the hooks' flags do not
# go together with those of coverage and of the sanitizers.
function(kg__add_model_programs name)
  # The model's headers come before any other, so that a CUDA Toolkit's are not used.
  get_target_property(stand_in kernelgate::cpu_model INTERFACE_INCLUDE_DIRECTORIES)
  add_library(${name}_plain_kernels OBJECT ${ARGN})
  # A kernel's large local arrays must touch every page on their way down, so that none steps over a stack's guard.
  target_compile_options(${name}_plain_kernels PRIVATE -fstack-clash-protection -fdata-sections)
  target_link_libraries(${name}_plain_kernels PRIVATE kernelgate::cpu_model ${KG__FLAGS})
  add_library(${name}_instrumented_kernels OBJECT ${ARGN})
  target_link_libraries(${name}_instrumented_kernels PRIVATE kernelgate::instrumented)
  foreach(flavour plain instrumented)
    target_include_directories(${name}_${flavour}_kernels BEFORE PRIVATE ${stand_in})
    target_link_libraries(${name}_${flavour}_kernels PRIVATE kernelgate::headers)
    set_target_properties(${name}_${flavour}_kernels PROPERTIES COMPILE_WARNING_AS_ERROR "${KG_WERROR}")
    kg__compile_kernels(${name}_${flavour}_kernels)
    # Such as #pragma unroll, which is for nvcc.
    target_compile_options(${name}_${flavour}_kernels PRIVATE -Wno-unknown-pragmas)
  endforeach()
  add_executable(${name}.model $<TARGET_OBJECTS:${name}_plain_kernels>)
  # So an overrun of a shared array hits the gap after it, and not a counter of coverage.
  target_link_options(${name}.model PRIVATE -Wl,--sort-section=alignment)
  add_executable(${name}.instrumented $<TARGET_OBJECTS:${name}_instrumented_kernels>)
  target_link_libraries(${name}.instrumented PRIVATE kernelgate::instrumented)
  kg__define_flags(${name}.model)
  kg__define_flags(${name}.instrumented)
  # The tests of the one run the other.
  add_dependencies(${name}.model ${name}.instrumented)
endfunction()

function(kg__add_comparison comparison)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): unknown or empty argument ${arg_UNPARSED_ARGUMENTS}"
                        "${arg_KEYWORDS_MISSING_VALUES}: say kg_add_comparison(NAME [LIBRARIES LIBRARY ...])")
  endif()
  if(NOT CMAKE_TESTING_ENABLED)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): CTest runs the gate: call enable_testing() before, in the "
                        "project's first CMakeLists.txt")
  endif()
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/${comparison}/*.cu)
  if(NOT kernels)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): kernels/${comparison}/ holds no .cu file: add "
                        "one for each variant")
  endif()
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/suites/${comparison}.c)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): suites/${comparison}.c is missing: it holds "
                        "the comparison's table")
  endif()
  set_property(GLOBAL APPEND PROPERTY KG_COMPARISONS ${comparison})

  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/suites/${comparison}.c)

  file(READ ${PROJECT_SOURCE_DIR}/suites/${comparison}.c suite)
  # The text is split into a list below, so it must not contain semicolons.
  string(REPLACE ";" "," suite "${suite}")

  # A .cu file's language holds for its whole folder, so g++ gets each through a .cpp file that includes it.
  set(model_sources)
  foreach(kernel IN LISTS kernels)
    get_filename_component(variant ${kernel} NAME_WE)
    # A kernel without its row would be built and never run: its launcher must be in the suite twice, declared and used.
    set(launcher ${comparison}_${variant})
    string(REGEX MATCHALL "[^A-Za-z0-9_]${launcher}[^A-Za-z0-9_]" places " ${suite}")
    list(LENGTH places count)
    if(count LESS 2)
      message(FATAL_ERROR " kernels/${comparison}/${variant}.cu: suites/${comparison}.c has no row for it: declare its "
                          "launcher, kg_launcher ${launcher};, and add a row KG_VARIANT(\"${variant}\", ${launcher}, ...)")
    endif()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/model/${comparison}/${variant}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@kernel@\"\n" @ONLY)
    list(APPEND model_sources ${source})
  endforeach()
  kg__add_model_programs(${comparison} ${model_sources})
  foreach(flavour plain instrumented)
    target_link_libraries(${comparison}_${flavour}_kernels PRIVATE ${arg_LIBRARIES})
  endforeach()
  kg__add_suite(${comparison} ${comparison}.model model ${arg_LIBRARIES})
  kg__add_suite(${comparison} ${comparison}.instrumented model ${arg_LIBRARIES})
  kg__add_tests(${comparison} model)

  kg__add_code(${comparison} "${kernels}" "${arg_LIBRARIES}")

  if(TARGET kernelgate::gpu)
    add_executable(${comparison}.gpu ${kernels})
    # The lines of source for compute-sanitizer and Nsight Compute; the code is the same with them and without.
    target_compile_options(${comparison}.gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    if(KG_NVCC_ENVIRONMENT)
      target_compile_definitions(${comparison}.gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:KG__NVCC_ENVIRONMENT=${KG_NVCC_ENVIRONMENT}>)
    endif()
    kg__add_suite(${comparison} ${comparison}.gpu gpu ${arg_LIBRARIES})
    kg__add_tests(${comparison} gpu)
  endif()
endfunction()

# A macro, since a language is enabled in the folder that uses it, and a function has variables of its own: a project that
# builds kernelgate along has enabled CUDA in kernelgate's folder alone.
macro(kg_add_comparison)
  if(TARGET kernelgate::gpu AND NOT CMAKE_CUDA_COMPILER_LOADED)
    enable_language(CUDA)
  endif()
  kg__add_comparison(${ARGV})
endmacro()

# kg_finish_gate(): the tests around all comparisons, which begin a run and sum it up. Call it once, last.
function(kg_finish_gate)
  get_property(comparisons GLOBAL PROPERTY KG_COMPARISONS)
  # A comparison without its line would silently not be gated.
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/suites/*.c
       ${PROJECT_SOURCE_DIR}/kernels/*/*.cu)
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "^(suites|kernels)/([^/.]*).*$" "\\2" comparison ${source})
    if(NOT comparison IN_LIST comparisons)
      message(FATAL_ERROR " ${source}: no comparison ${comparison} is built: add the line kg_add_comparison(${comparison}) "
                          "to CMakeLists.txt, above kg_finish_gate(), or remove the file")
    endif()
  endforeach()
  if(NOT comparisons)
    message(FATAL_ERROR "kg_finish_gate(): there is no comparison to gate: call kg_add_comparison() before")
  endif()
  file(RELATIVE_PATH build ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  # The scripts look here for the command.
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernelgate.path CONTENT "$<TARGET_FILE:kernelgate::command>\n")
  # The programs whose tests have to report: a file left by another commit is not in the list.
  set(programs)
  foreach(comparison IN LISTS comparisons)
    foreach(target gpu model)
      if(TARGET ${comparison}.${target})
        string(APPEND programs "$<TARGET_FILE:${comparison}.${target}>\n")
      endif()
    endforeach()
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernelgate.programs CONTENT "${programs}")
  kg__finish_code()
  # All three write to KG_OUT where it is set, else to out/ in their working directory; the baselines that the last one reads
  # are those that the run is judged by, of KG_BASELINES where it is set, else of baselines/ there.
  add_test(NAME gate.begin COMMAND kernelgate::command begin)
  add_test(NAME gate.results COMMAND kernelgate::command results --build ${build}
           --programs ${PROJECT_BINARY_DIR}/kernelgate.programs)
  set_tests_properties(gate.begin PROPERTIES FIXTURES_SETUP gate)
  set_tests_properties(gate.results PROPERTIES FIXTURES_CLEANUP gate SKIP_RETURN_CODE 77)
  set_tests_properties(gate.begin gate.results PROPERTIES
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TIMEOUT 60 LABELS gate)
  if(KG_SMALL_CASES)
    set_tests_properties(gate.results PROPERTIES ENVIRONMENT "${KG_SMALL_CASES}")
  endif()
endfunction()
