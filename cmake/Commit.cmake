# cmake -DSOURCE=FOLDER -DTO=FILE.h -DVERSION=1.2.3 -P Commit.cmake: blockgen_version.h from version.h.in.
# The commit comes from git where SOURCE is a clone of its own, from cmake/commit.txt in an archive that git made
# (export-subst fills that file), and is empty otherwise.
set(BG_VERSION_STRING "${VERSION}")
set(BG_VERSION_COMMIT "")
if(EXISTS ${SOURCE}/.git)
  find_program(GIT git)
  if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --exclude=* --abbrev=10
                    OUTPUT_VARIABLE BG_VERSION_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
else()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit LIMIT_COUNT 1)
  if(commit MATCHES "^[0-9a-f]+$")
    set(BG_VERSION_COMMIT "${commit}")
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${TO} @ONLY)
