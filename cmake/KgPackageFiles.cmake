# SPDX-License-Identifier: MIT
# Run by CPack in the package's files before it is made: what Debian wants in addition to what cmake --install installs.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
if(CPACK_GENERATOR STREQUAL "DEB" AND EXISTS ${share})
  file(COPY_FILE ${share}/doc/kernelgate/LICENSE ${share}/doc/kernelgate/copyright)
  file(MAKE_DIRECTORY ${share}/lintian/overrides)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${share}/lintian/overrides/kernelgate)
  file(CHMOD ${share}/doc/kernelgate/copyright ${share}/lintian/overrides/kernelgate
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(CHMOD ${share}/lintian ${share}/lintian/overrides
    PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
