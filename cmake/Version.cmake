# blockgen_version.h: the version of project() and the commit of the sources. The commit is asked for in every build
# (target blockgen_version), and the header is written only where it has changed.
set(version_arguments -DSOURCE=${PROJECT_SOURCE_DIR} -DTO=${generated}/blockgen_version.h -DVERSION=${PROJECT_VERSION}
    -P ${CMAKE_CURRENT_LIST_DIR}/Commit.cmake)
execute_process(COMMAND ${CMAKE_COMMAND} ${version_arguments})
add_custom_target(blockgen_version COMMAND ${CMAKE_COMMAND} ${version_arguments}
                  BYPRODUCTS ${generated}/blockgen_version.h COMMENT "" VERBATIM)
