# Results recorded on a GPU and on a CPU, for the figures of `blockgen study` where nothing is measured, and what other
# programs take, as parts of the program. The rule: of the folders in bench/results that hold both bench-KIND.json and
# study-KIND.json, KIND being cuda or cpu, the one whose name comes last. Names begin with the date, so that is the newest; a
# new folder needs no editing here.
set(recorded_sources "")

foreach(kind cuda cpu)
  file(GLOB recorded_folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/results/*/study-${kind}.json)
  list(TRANSFORM recorded_folders REPLACE "/study-${kind}[.]json$" "")
  list(SORT recorded_folders)
  list(REVERSE recorded_folders)
  set(recorded "")
  foreach(folder IN LISTS recorded_folders)
    if(NOT recorded AND EXISTS ${folder}/bench-${kind}.json)
      set(recorded ${folder})
    endif()
  endforeach()
  if(NOT recorded)
    message(FATAL_ERROR "No folder of bench/results holds both bench-${kind}.json and study-${kind}.json")
  endif()
  foreach(name bench study)
    blockgen_embed(recorded_sources ${recorded}/${name}-${kind}.json bg_recorded_${name}_${kind})
  endforeach()
endforeach()
blockgen_embed(recorded_sources ${PROJECT_SOURCE_DIR}/bench/peers/peers.json bg_recorded_peers)
