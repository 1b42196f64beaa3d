# The version stands in project() and nowhere else: the public header, the manual and the package files take it from
# there. commit.h has the commit of the sources, looked up in every build; it changes only where the commit does.
configure_file(include/blockgen/version.h.in ${PROJECT_BINARY_DIR}/include/blockgen/version.h @ONLY)
configure_file(docs/blockgen.1.in ${generated}/blockgen.1 @ONLY)
set(commit_arguments -DSOURCE=${PROJECT_SOURCE_DIR} -DTO=${generated}/commit.h -P ${CMAKE_CURRENT_LIST_DIR}/Commit.cmake)
execute_process(COMMAND ${CMAKE_COMMAND} ${commit_arguments})
add_custom_target(blockgen_commit COMMAND ${CMAKE_COMMAND} ${commit_arguments} BYPRODUCTS ${generated}/commit.h VERBATIM)
