# What others install: `make package` leaves both in BUILD/packages.
#   a binary package, .deb where there is dpkg, .tar.gz elsewhere: all that `make install` installs, below /usr
#   the source as .tar.gz: the files of the commit, which it remembers (cmake/commit.txt)
set(CPACK_PACKAGE_NAME blockgen)
set(CPACK_PACKAGE_VENDOR "The BlockGen developers")
set(CPACK_PACKAGE_CONTACT "The BlockGen developers <blockgen@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON) # programs, libraries and headers in one package
set(CPACK_VERBATIM_VARIABLES ON)

find_program(BG_DPKG dpkg)
find_program(BG_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(BG_GIT git)
mark_as_advanced(BG_DPKG BG_DPKG_SHLIBDEPS BG_GIT)
set(CPACK_GENERATOR TGZ)
if(BG_DPKG)
  set(CPACK_GENERATOR DEB)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, pkg-config")
# The packages that the program and the libraries need are found in them, but for the one that they bring along.
if(BG_DPKG_SHLIBDEPS AND NOT CMAKE_VERSION VERSION_LESS 3.20)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

# CPack would take everything that lies in the folder; git knows what belongs to the source.
set(source_name blockgen-${PROJECT_VERSION})
if(BG_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  add_custom_target(source_package
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/packages
    COMMAND ${BG_GIT} archive --format=tar.gz --prefix=${source_name}/
            --output=${PROJECT_BINARY_DIR}/packages/${source_name}.tar.gz HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()
