# Results recorded on a GPU, for the figures of `blockgen study` where there is none, as part of the program. The rule:
# of the folders in bench/results that hold both bench-cuda.json and study-cuda.json, the one whose name comes last.
# Names begin with the date, so that is the newest; a new folder needs no editing here.
file(GLOB recorded_folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/results/*/study-cuda.json)
list(TRANSFORM recorded_folders REPLACE "/study-cuda[.]json$" "")
list(SORT recorded_folders)
list(REVERSE recorded_folders)
set(recorded "")
foreach(folder IN LISTS recorded_folders)
  if(NOT recorded AND EXISTS ${folder}/bench-cuda.json)
    set(recorded ${folder})
  endif()
endforeach()
if(NOT recorded)
  message(FATAL_ERROR "No folder of bench/results holds both bench-cuda.json and study-cuda.json")
endif()

set(recorded_sources "")
foreach(name bench study)
  set(embedded ${generated}/recorded_${name}.c)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DFROM=${recorded}/${name}-cuda.json -DTO=${embedded} -DNAME=bg_recorded_${name}
            -P ${CMAKE_CURRENT_LIST_DIR}/Embed.cmake
    DEPENDS ${recorded}/${name}-cuda.json ${CMAKE_CURRENT_LIST_DIR}/Embed.cmake VERBATIM)
  list(APPEND recorded_sources ${embedded})
endforeach()
