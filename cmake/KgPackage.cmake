# SPDX-License-Identifier: MIT
# The package of what cmake --install installs, and the archive of the sources: the targets `package` (which needs file and
# dpkg-dev) and `package_source`.
set(CPACK_PACKAGE_VENDOR "The kernelgate authors")
set(CPACK_PACKAGE_CONTACT "The kernelgate authors <authors@kernelgate.invalid>") # nobody's address, by RFC 2606
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "gate of the results and the cost of CUDA kernels")
set(CPACK_PACKAGE_DESCRIPTION "Fails a change that makes a CUDA kernel wrong or slower. Suites in C,
which CTest runs, check kernels and compare what they cost with a
stored baseline: times on a GPU, exact counts of accesses on a CPU.")
set(CPACK_STRIP_FILES ON)
# Whatever the umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_GENERATOR DEB)
# It needs the libraries of the distribution that it was built on.
cmake_host_system_information(RESULT distribution QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_FILE_NAME kernelgate_${PROJECT_VERSION}_${distribution_ID}${distribution_VERSION_ID}_${CMAKE_SYSTEM_PROCESSOR}.deb)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

# kg__read_packages(RESULT ROWS): sets RESULT to the rows of ci/packages, since a user of the package builds with it.
function(kg__read_packages result rows)
  file(STRINGS ${PROJECT_SOURCE_DIR}/ci/packages packages REGEX "^[a-z][^ =]+ +(${rows}) ")
  list(TRANSFORM packages REPLACE " .*" "")
  list(JOIN packages ", " packages)
  set(${result} ${packages} PARENT_SCOPE)
endfunction()
kg__read_packages(CPACK_DEBIAN_PACKAGE_DEPENDS all)
kg__read_packages(CPACK_DEBIAN_PACKAGE_RECOMMENDS "programs|page")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/KgPackageFiles.cmake)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME kernelgate-${PROJECT_VERSION})
# Patterns are of whole paths, and the tree may be in a directory called build.
string(REGEX REPLACE "([^A-Za-z0-9_/-])" "\\\\\\1" tree "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${tree}/(.*/)?(\\.git$|(\\.git|build|out|__pycache__|\\.kernelgate)/|\\.[^/]*\\.new-)")
include(CPack)
