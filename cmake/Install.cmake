# make install: program, headers, libraries, man page, documents, examples, and what find_package and pkg-config read.
include(CMakePackageConfigHelpers)

if(TARGET blockgen_program)
  install(TARGETS blockgen_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${generated}/blockgen.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(NOT CMAKE_CROSSCOMPILING) # the program itself writes what shells need to complete its options
    include(Completion)
  endif()
endif()
install(TARGETS blockgen EXPORT BlockGenTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET blockgen_shared)
  install(TARGETS blockgen_shared EXPORT BlockGenTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET blockgen_umami) # beside the shared library, which it looks for there
  install(TARGETS blockgen_umami LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# The headers of C and C++, and the source of the Fortran module, which users compile with their own compiler.
file(GLOB headers CONFIGURE_DEPENDS include/blockgen/*.h include/blockgen/*.hpp include/blockgen/*.f90)
install(FILES ${headers} ${PROJECT_BINARY_DIR}/include/blockgen/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/blockgen)

# Documents and examples, with points to try `blockgen me` on.
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.in" EXCLUDE PATTERN "numbers.py" EXCLUDE
        PATTERN ".gitignore" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES tests/data/gg_2g.points tests/data/gg_4g.points tests/data/gg_5g.points
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

# The built-in parton densities as a set that LHAPDF reads, too.
install(DIRECTORY data/pdf/BlockGen-toy-lo DESTINATION ${CMAKE_INSTALL_DATADIR}/blockgen/pdf)

# What users of the static library must find and link besides it: BlockGenConfig.cmake.in, blockgen.pc.in.
set(package_dependencies "")
set(package_libraries -lm)
if(OpenMP_C_FOUND)
  list(APPEND package_dependencies OpenMP)
  list(APPEND package_libraries ${OpenMP_C_FLAGS})
endif()
if(BG_HAVE_CUDA)
  list(APPEND package_dependencies CUDAToolkit)
  list(APPEND package_libraries -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lpthread -lrt)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/BlockGen)
install(EXPORT BlockGenTargets NAMESPACE BlockGen:: DESTINATION ${package_folder})
configure_package_config_file(cmake/BlockGenConfig.cmake.in ${PROJECT_BINARY_DIR}/BlockGenConfig.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BlockGenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BlockGenConfig.cmake ${PROJECT_BINARY_DIR}/BlockGenConfigVersion.cmake
        DESTINATION ${package_folder})

# The prefix of blockgen.pc follows the file, so that DESTDIR and moved trees work.
file(RELATIVE_PATH package_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(package_prefix ${CMAKE_INSTALL_PREFIX})
  set(package_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(package_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  string(REGEX REPLACE "/$" "" package_prefix "\${pcfiledir}/${package_prefix}")
  set(package_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(package_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
list(JOIN package_libraries " " package_private)
set(package_public "")
if(NOT TARGET blockgen_shared)
  set(package_public " ${package_private}")
endif()
configure_file(cmake/blockgen.pc.in ${PROJECT_BINARY_DIR}/blockgen.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/blockgen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
