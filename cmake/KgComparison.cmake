# SPDX-License-Identifier: MIT
# kg_add_comparison(NAME [TARGETS gpu|model ...] [GPU_ONLY FILE ...] [SOURCES FILE ...] [LIBRARIES LIBRARY ...]): the programs of
# a comparison and their tests.
#
# Builds NAME.model (g++, the CPU model), NAME.instrumented (with a hook at every access, run by NAME.model) and, with a
# CUDA compiler, NAME.gpu (nvcc, cudart) from suites/NAME.c, every kernels/NAME/*.cu of the project, and SOURCES: .cu,
# C++ and C files anywhere. CTest finds the programs' Criterion tests when it runs, as <target>.NAME.<part>, labelled by
# target and comparison.
#
# The suite and the kernels of every program are compiled for each LIBRARY, and the programs link it. A library with .cu
# files of its own is linked only by the GPU's program; its sources are also compiled for the CPU model, so define it
# before this call. For a library of the CUDA Toolkit (CUDA::cublas) only the GPU's program is compiled.
#
# The CPU model does not compile a FILE of GPU_ONLY, from any of these: it reports the cases that need it as GPU-only.
# With TARGETS gpu all cases are; with TARGETS model there is no program for the GPU.

include(${CMAKE_CURRENT_LIST_DIR}/KgCode.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/KgFlags.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/KgModel.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/KgProgram.cmake)

# The compiler scripts for kernels; next to this file in an installed kernelgate.
set(KG_REWRITE ${CMAKE_CURRENT_LIST_DIR}/rewrite CACHE INTERNAL "The scripts that compile kernels for the CPU model")
if(NOT EXISTS ${KG_REWRITE})
  cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR NORMALIZE OUTPUT_VARIABLE kg_here)
  cmake_path(GET kg_here PARENT_PATH kg_here)
  set_property(CACHE KG_REWRITE PROPERTY VALUE ${kg_here}/harness/model/rewrite)
endif()

# Their interpreter. Each kernel starts it twice: what a version manager calls python3 is a script that takes longer than Python itself.
execute_process(COMMAND python3 -c "import sys; print(sys.executable)"
                OUTPUT_VARIABLE kg_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT kg_python)
  message(FATAL_ERROR " python3: cannot be run: install Python 3.10 or newer")
endif()
set(KG_PYTHON ${kg_python} CACHE INTERNAL "The Python of the scripts that compile kernels")
# Bytecode saves a third of their start-up, and -S, which skips site-packages, up to two thirds of the rest. Python ignores bytecode whose
# source has changed.
execute_process(COMMAND ${KG_PYTHON} -m compileall -qq --invalidation-mode checked-hash ${KG_REWRITE} OUTPUT_QUIET ERROR_QUIET)

# CTest's limit for one test, above the limit of a Criterion test (1500 s), which can name the running case.
set(KG_TEST_TIMEOUT 1600 CACHE INTERNAL "CTest's limit for a comparison's test, in seconds")
# Slots per board in CTest's resource spec. A test that checks takes one, so that many check side by side: their work is
# mostly the host's. A test that times takes all of them.
set(KG_BOARD_SLOTS 8 CACHE INTERNAL "The slots of a board in CTest's resource spec")

# kg__discover_tests(PROGRAM PREFIX LABELS TIMEOUT FIXTURE [PROPERTY VALUE ...]): makes CTest list a Criterion program's
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

# Link-time optimization would generate the code of kernels at the link, without their hooks.
set(KG_WITHOUT_LTO $<$<COMPILE_LANGUAGE:C,CXX>:-fno-lto> CACHE INTERNAL "Keeps link-time optimization out of the programs")

# kg__add_suite(NAME PROGRAM TARGET LIBRARY ...): the common part of all programs of a comparison.
function(kg__add_suite comparison program target)
  target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/suites/${comparison}.c ${LAUNCHER_FILES})
  target_compile_definitions(${program} PRIVATE KG__HOME="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE ${ARGN} kernelgate::${target} ${KG__FLAGS})
  # Criterion finds tests by the bounds of a section that nothing refers to.
  target_link_options(${program} PRIVATE LINKER:--no-gc-sections)
  target_compile_options(${program} PRIVATE ${KG_WITHOUT_LTO})
  # The scripts look for it there.
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} COMPILE_WARNING_AS_ERROR "${KG_WERROR}")
  # The command judges its tests.
  add_dependencies(${program} kernelgate::command)
endfunction()

# Builds for coverage and sanitizers are slow and about lines, not sizes. Cases whose first extent is below 100 reach
# every line; with several extents, whose product is the size, cases below 60 do.
set(KG_SMALL_CASES "" CACHE INTERNAL "The setting that leaves the tests of such a build small cases alone")
if(KG_COVERAGE OR KG_SANITIZE)
  set_property(CACHE KG_SMALL_CASES PROPERTY VALUE "KG_FILTER=*/[0-9]/*,*/[0-9][0-9]/*,*/[0-9]x*/*,*/[1-5][0-9]x*/*")
endif()

# kg__add_tests(NAME TARGET): makes CTest run the tests of NAME.TARGET.
function(kg__add_tests comparison target)
  set(program ${comparison}.${target})
  set(environment)
  if(KG_SMALL_CASES)
    set(environment ENVIRONMENT \"${KG_SMALL_CASES}\")
  endif()
  kg__discover_tests(${program} ${target}. "${target};${comparison}" ${KG_TEST_TIMEOUT} gate ${environment})
endfunction()

# kg__find_sources(VARIABLE NAME FILE ...): the paths of sources, given relative to the caller's folder or to
# kernels/NAME/.
function(kg__find_sources variable comparison)
  set(found)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file NORMALIZE OUTPUT_VARIABLE path)
    if(NOT EXISTS ${path})
      set(path ${PROJECT_SOURCE_DIR}/kernels/${comparison}/${file})
    endif()
    if(NOT EXISTS ${path})
      message(FATAL_ERROR " kg_add_comparison(${comparison}): ${file} is neither in ${CMAKE_CURRENT_SOURCE_DIR} nor in "
                          "kernels/${comparison}/: correct the name")
    endif()
    list(APPEND found ${path})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# kg__require_library(COMPARISON LIBRARY): checks that a plain name is a target or a system library. A linker would
# complain only after the build, and CMake itself only about NAME::NAME.
function(kg__require_library comparison library)
  get_property(folders DIRECTORY PROPERTY LINK_DIRECTORIES)
  find_library(found ${library} PATHS ${folders} NO_CACHE)
  if(NOT TARGET ${library} AND NOT found AND library MATCHES "^[A-Za-z0-9_][A-Za-z0-9_.+-]*$")
    message(FATAL_ERROR " kg_add_comparison(${comparison}): LIBRARIES ${library}: there is no such target, and no such library "
                        "on this system: correct the name")
  endif()
endfunction()

# kg__read_libraries(COMPARISON LIBRARY ...): sorts libraries into LIBRARY_SOURCES, the sources of those with .cu files,
# LIBRARY_OWNERS, the library of each, KERNEL_LIBRARIES, these libraries, and BOTH_LINK, which the programs of both
# targets link.
function(kg__read_libraries comparison)
  set(LIBRARY_SOURCES)
  set(LIBRARY_OWNERS)
  set(KERNEL_LIBRARIES)
  set(BOTH_LINK)
  foreach(library IN LISTS ARGN)
    if(library MATCHES "^CUDA::")
      continue()
    endif()
    set(sources)
    if(TARGET ${library})
      get_target_property(aliased ${library} ALIASED_TARGET)
      if(aliased)
        set(library ${aliased})
      endif()
      kg__kernel_sources(sources ${library} "\\.cu$")
    endif()
    if(sources)
      list(APPEND LIBRARY_SOURCES ${sources})
      list(TRANSFORM sources REPLACE ".+" ${library})
      list(APPEND LIBRARY_OWNERS ${sources})
      list(APPEND KERNEL_LIBRARIES ${library})
    else()
      # Deferred to the end of the folder, where the library may be defined.
      cmake_language(EVAL CODE "cmake_language(DEFER CALL kg__require_library [[${comparison}]] [[${library}]])")
      list(APPEND BOTH_LINK ${library})
    endif()
  endforeach()
  foreach(variable LIBRARY_SOURCES LIBRARY_OWNERS KERNEL_LIBRARIES BOTH_LINK)
    set(${variable} ${${variable}} PARENT_SCOPE)
  endforeach()
endfunction()

# kg__require_rows(NAME FILE ...): checks that each launcher that a .cu file defines is in the suite twice, declared and
# used: a kernel without a row would be built and never run. A file in kernels/NAME/ without a recognizable launcher
# must have the one of its name. Sets LAUNCHER_FILES to the file of each launcher, for messages.
function(kg__require_rows comparison)
  file(READ ${PROJECT_SOURCE_DIR}/suites/${comparison}.c suite)
  # A row in a comment runs nothing. In a string there may be the beginning of one.
  string(REGEX REPLACE "\"([^\"\\\n]|\\\\.)*\"|//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/" " " suite "${suite}")
  # The text is split into a list below, so it must not contain semicolons.
  string(REPLACE ";" "," suite "${suite}")
  set(rows)
  foreach(kernel IN LISTS ARGN)
    cmake_path(GET kernel STEM variant)
    cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel})
    # On its line other code may come first, but no comment and no directive.
    file(STRINGS ${kernel} launchers REGEX "^([^/*#]*[^A-Za-z0-9_/*#])?KG_LAUNCHER\\([ \t]*[A-Za-z0-9_]+[ \t]*\\)")
    list(TRANSFORM launchers REPLACE "^.*KG_LAUNCHER\\([ \t]*([A-Za-z0-9_]+).*" "\\1")
    if(NOT launchers AND name MATCHES "^kernels/${comparison}/")
      set(launchers ${comparison}_${variant})
    endif()
    foreach(launcher IN LISTS launchers)
      string(APPEND rows "    \"${launcher}\", \"${name}\",\n")
      string(REGEX MATCHALL "[^A-Za-z0-9_]${launcher}[^A-Za-z0-9_]" places " ${suite}")
      list(LENGTH places count)
      if(count LESS 2)
        string(REGEX REPLACE "^${comparison}_" "" row ${launcher})
        message(FATAL_ERROR " ${name}: suites/${comparison}.c has no row for it: declare its launcher, kg_launcher ${launcher};, "
                            "and add a row KG_VARIANT(\"${row}\", ${launcher}, ...)")
      endif()
    endforeach()
  endforeach()
  set(LAUNCHER_FILES ${CMAKE_CURRENT_BINARY_DIR}/model/${comparison}/launchers.c)
  file(CONFIGURE OUTPUT ${LAUNCHER_FILES} CONTENT "const char *const kg__launcher_files[] = {\n@rows@    0,\n};\n" @ONLY)
  set(LAUNCHER_FILES ${LAUNCHER_FILES} PARENT_SCOPE)
endfunction()

# kg__wrap_sources(VARIABLE NAME FILE ...): the files that g++ compiles for the CPU model. The language of .cu files
# applies to a whole folder, so g++ gets each through a .cpp file that includes it. C++ files, which nvcc compiles like
# any other compiler, and C files, through a .c file, are wrapped too: each has its own flags.
function(kg__wrap_sources variable comparison)
  set(wrapped)
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/${comparison} OUTPUT_VARIABLE name)
    string(REGEX REPLACE "\\.cu$" "" name ${name})
    string(REPLACE "../" "up/" name ${name})
    set(extension .cpp)
    if(source MATCHES "\\.c$")
      set(extension .c)
    endif()
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/model/${comparison}/${name}${extension})
    set(first)
    if(source MATCHES "\\.cu$")
      set(first "#include <cuda_runtime.h> // as nvcc does\n")
    else()
      set_source_files_properties(${wrapper} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      if(extension STREQUAL ".cpp")
        set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "-U__CUDACC__;-U__CUDACC_VER_MAJOR__;-U__CUDACC_VER_MINOR__;-U__CUDA_ARCH__")
      endif()
    endif()
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "@first@#include \"@source@\"\n" @ONLY)
    kg__library_of(library ${source})
    kg__tell_flags(${comparison} ${source} ${wrapper} "${library}")
    list(APPEND wrapped ${wrapper})
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/${comparison}.untaken CONTENT "${UNTAKEN}" TARGET ${comparison}.model)
  set(${variable} ${wrapped} PARENT_SCOPE)
endfunction()

# kg__check_comparison(NAME): checks that a comparison can be added.
function(kg__check_comparison comparison)
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): unknown or empty argument ${arg_UNPARSED_ARGUMENTS}"
                        "${arg_KEYWORDS_MISSING_VALUES}: say kg_add_comparison(NAME [TARGETS gpu|model ...] [GPU_ONLY FILE ...] "
                        "[SOURCES FILE ...] [LIBRARIES LIBRARY ...])")
  endif()
  foreach(target IN LISTS arg_TARGETS)
    if(NOT target MATCHES "^(gpu|model)$")
      message(FATAL_ERROR "kg_add_comparison(${comparison}): TARGETS ${target}: expected gpu or model")
    endif()
  endforeach()
  if(NOT CMAKE_TESTING_ENABLED)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): CTest runs the gate: call enable_testing() before, in the "
                        "project's first CMakeLists.txt")
  endif()
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/suites/${comparison}.c)
    set(advice "it holds the comparison's table")
    file(GLOB found RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/suites/*/${comparison}.c
         ${CMAKE_CURRENT_SOURCE_DIR}/suites/${comparison}.c)
    if(found)
      set(advice "move ${found} there, and its kernels to kernels/${comparison}/")
    endif()
    message(FATAL_ERROR " kg_add_comparison(${comparison}): ${PROJECT_SOURCE_DIR}/suites/${comparison}.c is missing: ${advice}")
  endif()
endfunction()

# kg__add_gpu_program(NAME SOURCES LIBRARIES): NAME.gpu.
function(kg__add_gpu_program comparison sources libraries)
  add_executable(${comparison}.gpu ${sources})
  # Source lines for compute-sanitizer and Nsight Compute; they do not change the code.
  target_compile_options(${comparison}.gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
  if(KG_NVCC_ENVIRONMENT)
    target_compile_definitions(${comparison}.gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:KG__NVCC_ENVIRONMENT=${KG_NVCC_ENVIRONMENT}>)
  endif()
  kg__add_suite(${comparison} ${comparison}.gpu gpu ${libraries})
  kg__add_tests(${comparison} gpu)
endfunction()

# Editors create files whose names begin with a dot.
function(kg__add_comparison comparison)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS;GPU_ONLY;SOURCES;LIBRARIES")
  kg__check_comparison(${comparison})
  if(KG__LEAVE_OUT)
    set_property(GLOBAL APPEND PROPERTY KG_LEFT_OUT ${comparison})
    return()
  endif()
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/${comparison}/[!.]*.cu)
  kg__find_sources(more ${comparison} ${arg_SOURCES})
  kg__find_sources(gpu_only ${comparison} ${arg_GPU_ONLY})
  kg__read_libraries(${comparison} ${arg_LIBRARIES})
  set(sources ${kernels} ${more} ${gpu_only})
  list(REMOVE_ITEM sources ${LIBRARY_SOURCES})
  list(REMOVE_DUPLICATES sources)
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(NOT kernels AND NOT LIBRARY_SOURCES)
    message(FATAL_ERROR "kg_add_comparison(${comparison}): kernels/${comparison}/ holds no .cu file: add "
                        "one for each variant, or name SOURCES")
  endif()
  kg__require_rows(${comparison} ${kernels})
  # An earlier build's tests would make a project without kg_finish_gate() pass.
  file(REMOVE ${PROJECT_BINARY_DIR}/kernelgate.path ${PROJECT_BINARY_DIR}/kernelgate.programs)
  set_property(GLOBAL APPEND PROPERTY KG_COMPARISONS ${comparison})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/suites/${comparison}.c)

  set(compiled ${sources} ${LIBRARY_SOURCES})
  set(why "for GPUs alone: {} is in GPU_ONLY")
  if("${arg_TARGETS}" STREQUAL "gpu")
    set(gpu_only ${compiled})
    set(why "for GPUs alone: TARGETS gpu")
  endif()
  list(REMOVE_ITEM compiled ${gpu_only})
  kg__wrap_sources(compiled ${comparison} ${compiled})
  if(NOT compiled)
    # An object library needs at least one source.
    set(compiled ${CMAKE_CURRENT_BINARY_DIR}/model/${comparison}/none.cpp)
    file(CONFIGURE OUTPUT ${compiled} CONTENT "")
  endif()
  kg__add_model_programs(${comparison} ${compiled})
  kg__read_flags_last(${comparison} "${sources}" "${arg_LIBRARIES}")
  kg__stub_kernels(${comparison} "${why}" ${gpu_only})
  foreach(flavor plain instrumented)
    target_link_libraries(${comparison}_${flavor}_kernels PRIVATE ${BOTH_LINK})
    foreach(library IN LISTS KERNEL_LIBRARIES)
      target_compile_definitions(${comparison}_${flavor}_kernels PRIVATE
        $<$<BOOL:$<TARGET_PROPERTY:${library},CUDA_SEPARABLE_COMPILATION>>:__CUDACC_RDC__>)
    endforeach()
  endforeach()
  foreach(program ${comparison}.model ${comparison}.instrumented)
    kg__add_suite(${comparison} ${program} model ${BOTH_LINK})
    foreach(library IN LISTS KERNEL_LIBRARIES)
      target_include_directories(${program} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
      target_compile_definitions(${program} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
      target_compile_options(${program} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_OPTIONS>)
    endforeach()
  endforeach()
  kg__add_tests(${comparison} model)

  if("${arg_TARGETS}" STREQUAL "model")
    return()
  endif()
  set(code ${kernels} ${LIBRARY_SOURCES})
  list(FILTER code INCLUDE REGEX "\\.cu$")
  kg__add_code(${comparison} "${code}" GPU_ONLY ${gpu_only})
  if(TARGET kernelgate::gpu)
    kg__add_gpu_program(${comparison} "${sources}" "${arg_LIBRARIES}")
  endif()
endfunction()

# A macro, because languages and variables belong to a folder or function: a project that builds kernelgate as a part of
# itself may have enabled C, C++ and CUDA only in kernelgate's folder.
macro(kg_add_comparison)
  enable_language(C)
  enable_language(CXX)
  if(TARGET kernelgate::gpu AND NOT CMAKE_CUDA_COMPILER_LOADED)
    enable_language(CUDA)
  endif()
  kg__add_comparison(${ARGV})
endmacro()

# kg_finish_gate(): the tests around all comparisons, which begin a run and sum it up. Call it once, last.
function(kg_finish_gate)
  get_property(added GLOBAL PROPERTY KG_ADDED)
  # A project with programs is finished when their targets are complete.
  if(NOT added)
    kg__finish_gate()
  endif()
endfunction()

function(kg__finish_gate)
  get_property(comparisons GLOBAL PROPERTY KG_COMPARISONS)
  get_property(left_out GLOBAL PROPERTY KG_LEFT_OUT)
  get_property(added GLOBAL PROPERTY KG_ADDED)
  # Without its line a comparison would silently not be gated.
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/suites/[!.]*.c
       ${PROJECT_SOURCE_DIR}/suites/*/[!.]*.c ${PROJECT_SOURCE_DIR}/kernels/*/[!.]*.cu)
  foreach(source IN LISTS sources)
    if(source MATCHES "^suites/.*/([^/]*)$")
      file(STRINGS ${PROJECT_SOURCE_DIR}/${source} table REGEX "^KG_COMPARISON\\(" LIMIT_COUNT 1)
      if(table)
        message(FATAL_ERROR " ${source}: suites in subdirectories are not built: move it to suites/${CMAKE_MATCH_1}")
      endif()
      continue()
    endif()
    string(REGEX REPLACE "^(suites|kernels)/([^/.]*).*$" "\\2" comparison ${source})
    if(comparisons AND NOT comparison IN_LIST comparisons AND NOT comparison IN_LIST left_out)
      message(FATAL_ERROR " ${source}: no comparison ${comparison} is built: add the line kg_add_comparison(${comparison}) "
                          "to CMakeLists.txt, above kg_finish_gate(), or remove the file")
    endif()
  endforeach()
  if(NOT comparisons AND NOT added)
    message(FATAL_ERROR "kg_finish_gate(): there is nothing to gate: call kg_add_comparison() or kg_add_program() before")
  endif()
  file(RELATIVE_PATH build ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  # The scripts look for the command here, and build only this target if they need nothing else.
  add_custom_target(kg_command)
  add_dependencies(kg_command kernelgate::command)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernelgate.path CONTENT "$<TARGET_FILE:kernelgate::command>\n")
  # The programs whose tests must report; files left by another commit are not in the list.
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
  kg__list_programs()
  set(must_report --programs ${PROJECT_BINARY_DIR}/kernelgate.programs)
  if(left_out)
    # Their cases in the baselines have not vanished.
    set(must_report)
  endif()
  # All three write to KG_OUT, or to out/ in their working directory. The last one reads the run's baselines, from
  # KG_BASELINES or from baselines/ there.
  add_test(NAME gate.begin COMMAND kernelgate::command begin --build ${build})
  add_test(NAME gate.results COMMAND kernelgate::command results --build ${build} ${must_report})
  set_tests_properties(gate.begin PROPERTIES FIXTURES_SETUP gate)
  set_tests_properties(gate.results PROPERTIES FIXTURES_CLEANUP gate SKIP_RETURN_CODE 77)
  set_tests_properties(gate.begin gate.results PROPERTIES
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TIMEOUT 60 LABELS gate)
  if(KG_SMALL_CASES)
    set_tests_properties(gate.results PROPERTIES ENVIRONMENT "${KG_SMALL_CASES}")
  endif()
endfunction()
