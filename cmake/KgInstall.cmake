# SPDX-License-Identifier: MIT
# The parts that other projects use: libraries, headers, the command, CMake functions, scripts and schemas. None of them
# contains the installation's path, so that it can be moved.
include(CMakePackageConfigHelpers)

if(KG_COVERAGE OR KG_SANITIZE OR KG_FUZZ)
  # Its libraries could not be linked without the flags that they were compiled with.
  return()
endif()

get_property(libraries GLOBAL PROPERTY KG_LIBRARIES)
get_property(gpu_libraries GLOBAL PROPERTY KG_GPU_LIBRARIES)
list(REMOVE_ITEM libraries kernelgate_judge_records)
list(APPEND libraries kernelgate_headers cpu_model kg_instrumented)
# The requirements of cmake --install; the comparisons here need not be built.
add_custom_target(kg_libraries DEPENDS kg_kernelgate ${libraries} ${gpu_libraries})
add_custom_target(kg_installable DEPENDS kg_libraries kernelgate_programs)

foreach(target IN LISTS libraries gpu_libraries)
  string(REGEX REPLACE "^(kernelgate|kg)_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  # A system folder would come after those of a project, which may have a CUDA Toolkit's headers.
  set_target_properties(${target} PROPERTIES EXPORT_NO_SYSTEM ON)
endforeach()

install(TARGETS ${libraries} EXPORT kernelgate-targets)
install(TARGETS kernelgate-judge)
install(PROGRAMS ${PROJECT_BINARY_DIR}/installed/kernelgate DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT kernelgate-targets NAMESPACE kernelgate:: DESTINATION ${KG_MODULES})
if(gpu_libraries)
  # Separate, since they need CUDA, which a project may omit.
  install(TARGETS ${gpu_libraries} EXPORT kernelgate-gpu-targets)
  install(EXPORT kernelgate-gpu-targets NAMESPACE kernelgate:: DESTINATION ${KG_MODULES})
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kernelgateConfig.cmake.in
  ${PROJECT_BINARY_DIR}/installed/kernelgateConfig.cmake INSTALL_DESTINATION ${KG_MODULES})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/installed/kernelgateConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
set(modules Code Comparison Cuda Dependencies DiscoverPrograms DiscoverTests Flags Model Paths Program)
list(TRANSFORM modules REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/Kg\\1.cmake")
install(FILES ${PROJECT_BINARY_DIR}/installed/kernelgateConfig.cmake ${PROJECT_BINARY_DIR}/installed/kernelgateConfigVersion.cmake ${modules}
  DESTINATION ${KG_MODULES})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/model/rewrite DESTINATION ${KG_MODULES} FILES_MATCHING PATTERN *.py)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/include/kernelgate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/model/include/ DESTINATION ${KG_MODEL_HEADERS})
install(FILES ${PROJECT_SOURCE_DIR}/harness/model/watch/program.c ${PROJECT_SOURCE_DIR}/harness/model/watch/program.h
  DESTINATION ${KG_SHARED})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/kernelgate/ DESTINATION ${KG_SHARED}/tools/kernelgate
  FILES_MATCHING PATTERN *.py PATTERN *.pyc PATTERN *.json PATTERN page.*)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/baselines/schemas/ DESTINATION ${KG_SHARED}/schemas)
# The commit of what is installed, as the checkout's command names it now: the build may be of an earlier one.
set(commit ${PROJECT_BINARY_DIR}/installed/kernelgate-commit)
install(CODE "execute_process(COMMAND \"${PROJECT_BINARY_DIR}/kernelgate\" --version OUTPUT_VARIABLE version)
string(REGEX MATCH \"[0-9a-f-]+(-dirty)?[)]\" commit \"\${version}\")
string(REPLACE \")\" \"\" commit \"\${commit}\")
file(WRITE \"${commit}\" \"\${commit}\")")
install(FILES ${commit} DESTINATION ${KG_SHARED})

# What programs are built with: the directory that stands in for a CUDA Toolkit (harness/programs/).
get_property(toolkit GLOBAL PROPERTY KG_TOOLKIT)
install(DIRECTORY ${toolkit}/lib64 ${toolkit}/nvvm DESTINATION ${KG_SHARED}/toolkit)
install(FILES ${PROJECT_BINARY_DIR}/installed/toolkit.json DESTINATION ${KG_SHARED}/toolkit)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed/toolkit/bin)
file(RELATIVE_PATH headers /${KG_SHARED}/toolkit /${KG_MODEL_HEADERS})
file(CREATE_LINK ${headers} ${PROJECT_BINARY_DIR}/installed/toolkit/include SYMBOLIC)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed/toolkit/packages)
file(CREATE_LINK /usr/include/thrust ${PROJECT_BINARY_DIR}/installed/toolkit/packages/thrust SYMBOLIC)
file(RELATIVE_PATH compiler /${KG_SHARED}/toolkit/bin /${CMAKE_INSTALL_BINDIR}/kernelgate-nvcc)
file(CREATE_LINK ${compiler} ${PROJECT_BINARY_DIR}/installed/toolkit/bin/nvcc SYMBOLIC)
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/toolkit DESTINATION ${KG_SHARED})

# Copies of the scripts with which a user begins, from the installation alone.
install(FILES ${PROJECT_SOURCE_DIR}/ci/common.sh ${PROJECT_SOURCE_DIR}/ci/packages ${PROJECT_SOURCE_DIR}/ci/run-files
              ${PROJECT_SOURCE_DIR}/ci/problem-matcher.json ${PROJECT_SOURCE_DIR}/ci/Dockerfile DESTINATION ${KG_SHARED}/ci)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/ci/setup ${PROJECT_SOURCE_DIR}/ci/action DESTINATION ${KG_SHARED}/ci)
# What workflows use, where a repository of kernelgate has it.
install(FILES ${PROJECT_SOURCE_DIR}/action.yml DESTINATION ${KG_SHARED})
install(FILES ${PROJECT_SOURCE_DIR}/ci/comment/action.yml DESTINATION ${KG_SHARED}/ci/comment)
install(FILES ${PROJECT_SOURCE_DIR}/.github/workflows/kernelgate.yml DESTINATION ${KG_SHARED}/.github/workflows)
file(RELATIVE_PATH KG_SETUP_FROM_COMMANDS /${CMAKE_INSTALL_BINDIR} /${KG_SHARED}/ci/setup)
foreach(KG_SCRIPT gate rebaseline nvcc setup)
  set(KG_CALL "kernelgate\" ${KG_SCRIPT}")
  if(KG_SCRIPT STREQUAL setup)
    set(KG_CALL "${KG_SETUP_FROM_COMMANDS}\"")
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/kernelgate-script.in ${PROJECT_BINARY_DIR}/installed/kernelgate-${KG_SCRIPT} @ONLY)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/installed/kernelgate-${KG_SCRIPT} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/LICENSE
              ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/tools/completions/kernelgate.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kernelgate)
install(FILES ${PROJECT_SOURCE_DIR}/tools/completions/_kernelgate DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_SOURCE_DIR}/tools/completions/kernelgate.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN build EXCLUDE PATTERN out EXCLUDE PATTERN "*.lock" EXCLUDE)
