# Programs of processes with few gluons, written out as code (src/amplitude/straight.h): blockgen_write_straight(NAME FOLDER) makes
# FOLDER/straight_NAME.h of what BG_STRAIGHT_NAME asks for (Instances.cmake) with a program that runs while this project is built, for one
# configuration of helicities; with a third argument it makes FOLDER/parts_NAME.h, which has all chiralities. Configurations of lines of
# different flavors, whose names end in ones, are by parts in both.
set(straight_sources cmake/straight/write.c)
foreach(source amplitude/program amplitude/levels amplitude/tape process/subprocess process/partons helicity/chirality color/strings
        color/permutation color/factor color/tags color/open_strings backend/operations base/status base/interrupt)
  list(APPEND straight_sources src/${source}.c)
endforeach()
add_executable(blockgen_straight EXCLUDE_FROM_ALL ${straight_sources})
target_include_directories(blockgen_straight PRIVATE src ${public_headers} ${generated})
target_link_libraries(blockgen_straight PRIVATE blockgen_flags m)

function(blockgen_write_straight name folder)
  set(header ${folder}/straight_${name}.h)
  set(states given)
  if(name MATCHES "_11+(_[a-z])?$")
    set(states part)
  endif()
  if(ARGC GREATER 2)
    set(header ${folder}/parts_${name}.h)
    set(states 0) # of all gluons are given
  endif()
  add_custom_command(OUTPUT ${header} COMMAND blockgen_straight ${states} ${BG_STRAIGHT_${name}} > ${header}
                     DEPENDS blockgen_straight VERBATIM)
endfunction()

# Those of the library, once for all instruction sets: what includes one depends on blockgen_written. On a CPU a function has all
# chiralities; on a GPU it has one configuration, whose currents stay in registers.
set(headers "")
set(names ${BG_CPU_STRAIGHT_INSTANCES})
if(BG_INSTRUCTION_SETS MATCHES "avx")
  list(APPEND names ${BG_CPU_STRAIGHT_WIDE_INSTANCES}) # the baseline has none of these, and they take longest to write
endif()
foreach(name IN LISTS names)
  blockgen_write_straight(${name} ${generated} parts)
  list(APPEND headers ${generated}/parts_${name}.h)
endforeach()
if(BG_HAVE_CUDA)
  foreach(name IN LISTS BG_CUDA_STRAIGHT_INSTANCES)
    blockgen_write_straight(${name} ${generated})
    list(APPEND headers ${generated}/straight_${name}.h)
  endforeach()
endif()
add_custom_target(blockgen_written DEPENDS ${headers})
