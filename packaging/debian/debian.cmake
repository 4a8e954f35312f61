# `cpack` in the build directory makes three packages for Debian and what descends from it: adoc,
# libadoc0 and libadoc-dev. What they are built from should be configured with
# -DCMAKE_INSTALL_PREFIX=/usr, so
# that the library goes where Debian has them.
set(ADOC_MAINTAINER "AdOC maintainers <maintainers@adoc.example>"
    CACHE STRING "Who makes the packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME adoc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# cpack's own default, in the place of which each package has the first line of its description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
# Installed as by DESTDIR, so that nothing but /usr is written into files.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL programs service shared library)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAMS_GROUP adoc)
set(CPACK_COMPONENT_SERVICE_GROUP adoc)
set(CPACK_COMPONENT_SHARED_GROUP shared)
set(CPACK_COMPONENT_LIBRARY_GROUP dev)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${ADOC_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_ADOC_PACKAGE_NAME adoc)
set(CPACK_DEBIAN_ADOC_PACKAGE_SECTION net)
set(CPACK_DEBIAN_ADOC_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ADOC_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_ADOC_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_ADOC_DESCRIPTION
"file transfer that compresses as hard as the link allows
AdOC moves files, trees and streams between two machines. While one block is
on the wire the next is being compressed; how hard follows from how fast the
link takes them, so a slow link gets the densest compression that the
processors can make and a fast one is not held up.
.
adoc-cp is used like scp, adoc-send and adoc-recv without ssh. A service that
receives is included, and off until it is enabled.")
set(CPACK_DEBIAN_ADOC_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm
    ${CMAKE_CURRENT_LIST_DIR}/postrm)

set(CPACK_DEBIAN_SHARED_PACKAGE_NAME libadoc0)
set(CPACK_DEBIAN_SHARED_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SHARED_PACKAGE_SHLIBDEPS ON)
# What cpack makes of the kind has no trigger.
file(WRITE ${CMAKE_BINARY_DIR}/libadoc0/shlibs "libadoc 0 libadoc0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_SHARED_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_LIST_DIR}/libadoc0/triggers ${CMAKE_BINARY_DIR}/libadoc0/shlibs)
set(CPACK_DEBIAN_SHARED_DESCRIPTION
"writes and reads compressed as hard as the link allows, C library
For programs that talk over sockets or pipes: the library's functions stand
where write() and read() do, and compress at a level that follows from how
fast the link takes the bytes.
.
This package has the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libadoc-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
string(JOIN ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
       "libadoc0 (= ${PROJECT_VERSION}-1)" liblz4-dev libre2-dev libseccomp-dev
       "libssl-dev (>= 3.0)" libxxhash-dev libzstd-dev
       "pkg-config | pkgconf" zlib1g-dev)
if(bzip3_FOUND)
  string(PREPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libbzip3-dev, ")
endif()
set(CPACK_DEBIAN_DEV_DESCRIPTION
"adaptive file transfer, libraries for C++ and C
AdOC moves files between two machines and compresses them as hard as the link
between them allows.
.
This package has what other programs that send or receive are compiled with:
the static library for C++, the manual of the one for C, the headers of both,
and what CMake and pkg-config find them by.")

# What Debian wants of files beside their being there.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish.cmake)
set(CPACK_ADOC_DEBIAN_DIR ${CMAKE_CURRENT_LIST_DIR})
set(CPACK_ADOC_STRIP ${CMAKE_STRIP})
include(CPack)
