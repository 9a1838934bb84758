# SPDX-License-Identifier: MIT
# The command kernelgate: a script that starts the package in tools/kernelgate, for the build and for the installation.
set(KG_PACKAGE ${PROJECT_SOURCE_DIR}/tools/kernelgate)
set(permissions FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/kernelgate-command.in ${PROJECT_BINARY_DIR}/kernelgate @ONLY ${permissions})
# What CMake takes for a CUDA compiler: `kernelgate nvcc` as one word.
set(KG_CALL "kernelgate\" nvcc")
configure_file(${CMAKE_CURRENT_LIST_DIR}/kernelgate-script.in ${PROJECT_BINARY_DIR}/kernelgate-nvcc @ONLY ${permissions})
file(RELATIVE_PATH KG_PACKAGE /${CMAKE_INSTALL_BINDIR} /${KG_SHARED}/tools/kernelgate)
string(PREPEND KG_PACKAGE "\${KG__COMMAND%/*}/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/kernelgate-command.in ${PROJECT_BINARY_DIR}/installed/kernelgate @ONLY ${permissions})

# Precompiled bytecode saves each start the time to compile the modules (0.05 to 0.2 s). Python uses it only if it has
# the hash of the source, so it cannot be stale; Jinja does the same with the page's. A folder of sources that is not writable has none.
file(GLOB_RECURSE modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/kernelgate/*.py ${PROJECT_SOURCE_DIR}/tools/kernelgate/report/page.html)
set(compiled ${PROJECT_BINARY_DIR}/kernelgate.compiled)
add_custom_command(OUTPUT ${compiled}
  COMMAND python3 -m compileall -qq --invalidation-mode checked-hash ${PROJECT_SOURCE_DIR}/tools/kernelgate || ${CMAKE_COMMAND} -E true
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/tools python3 -m kernelgate.report.page || ${CMAKE_COMMAND} -E true
  COMMAND ${CMAKE_COMMAND} -E touch ${compiled}
  DEPENDS ${modules} ${PROJECT_BINARY_DIR}/kernelgate)
# Its name differs from the script's, because Ninja would confuse target and file.
add_custom_target(kg_kernelgate ALL DEPENDS ${compiled})
add_dependencies(kg_kernelgate kernelgate-judge)
add_executable(kernelgate::command IMPORTED GLOBAL)
set_target_properties(kernelgate::command PROPERTIES IMPORTED_LOCATION ${PROJECT_BINARY_DIR}/kernelgate)
add_dependencies(kernelgate::command kg_kernelgate)
