# What files of events need: zlib for .lhe.gz, HDF5 for .h5. BG_ZLIB and BG_HDF5 are AUTO (where it is found), ON or OFF.
# This file makes blockgen_events, which what writes events links: the program, that is, and tests. The library does not.
set(BG_ZLIB AUTO CACHE STRING "Compressed files of events with zlib: AUTO, ON or OFF")
set(BG_HDF5 AUTO CACHE STRING "Files of events with HDF5: AUTO, ON or OFF")
set_property(CACHE BG_ZLIB BG_HDF5 PROPERTY STRINGS AUTO ON OFF)
add_library(blockgen_events INTERFACE)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(blockgen_events INTERFACE Threads::Threads)

# blockgen_events_missing(OPTION WHAT PACKAGE): stops where the option is ON, otherwise says so.
function(blockgen_events_missing option what package)
  if("${${option}}" STREQUAL "ON")
    message(FATAL_ERROR "${option} is ON, but ${what} was not found (Debian: ${package})")
  endif()
  message(STATUS "${what} not found (Debian: ${package})")
endfunction()

if(BG_ZLIB)
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    target_link_libraries(blockgen_events INTERFACE ZLIB::ZLIB)
    target_compile_definitions(blockgen_events INTERFACE BG_HAVE_ZLIB)
  else()
    blockgen_events_missing(BG_ZLIB "zlib" zlib1g-dev)
  endif()
endif()

# HDF5 of the C interface, without MPI: one process writes a file. Headers are those of somebody else: no warnings.
if(BG_HDF5)
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 QUIET COMPONENTS C)
  if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL)
    target_include_directories(blockgen_events SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(blockgen_events INTERFACE ${HDF5_C_LIBRARIES})
    if(NOT APPLE)
      target_link_options(blockgen_events INTERFACE LINKER:--as-needed) # what HDF5 needs, HDF5 links
    endif()
    target_compile_definitions(blockgen_events INTERFACE BG_HAVE_HDF5)
  else()
    blockgen_events_missing(BG_HDF5 "HDF5 without MPI" libhdf5-dev)
  endif()
endif()
