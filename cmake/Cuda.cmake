# The CUDA backend: BG_CUDA is AUTO (where nvcc is found), ON or OFF. This file finds the compiler, sets BG_HAVE_CUDA,
# and defines blockgen_add_cuda(TARGET), which makes the backend a part of the library.
set(BG_CUDA AUTO CACHE STRING "CUDA backend: AUTO, ON or OFF")
set(BG_CUDA_STRAIGHT 7 CACHE STRING "Largest number of letters whose recursion is laid out without loops")
set(BG_CUDA_FAST "" CACHE STRING "Where the fast kernels keep currents, for experiments: FAST_FOURIER=8;FAST_TILE_7=512 ...")
option(BG_CUDA_QUICK "Compile kernels quickly rather than well: to see that they compile" OFF)
mark_as_advanced(BG_CUDA_STRAIGHT BG_CUDA_FAST BG_CUDA_QUICK)
set_property(CACHE BG_CUDA PROPERTY STRINGS AUTO ON OFF)
set(BG_HAVE_CUDA OFF)
if(BG_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # Machine code for Hopper, which the kernels are tuned for, and PTX that the driver compiles for the rest. PTX of Ampere differs from
    # that of Turing only where tensor cores have doubles: what does not use them goes without (plain_architectures).
    set(plain_architectures "")
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "75-virtual;80-virtual;90-real")
      set(plain_architectures "75-virtual;90-real")
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit)
    set(BG_HAVE_CUDA ${CUDAToolkit_FOUND})
    set(quick "")
    if(BG_CUDA_QUICK)
      include(CheckCompilerFlag OPTIONAL RESULT_VARIABLE can_check) # not in CMake 3.18
      if(can_check)
        check_compiler_flag(CUDA --Ofast-compile=max BG_CUDA_HAS_FAST_COMPILE)
      endif()
      if(BG_CUDA_HAS_FAST_COMPILE)
        set(quick $<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>)
      endif()
    endif()
  endif()
  if(BG_HAVE_CUDA)
    message(STATUS "CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(BG_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BG_CUDA is ON, but no CUDA compiler was found: put nvcc on the PATH or set CMAKE_CUDA_COMPILER")
  else()
    message(STATUS "CUDA not found: CPU only")
  endif()
endif()

# blockgen_add_cuda_object(TARGET NAME SOURCES DEFINITION...): sources of the backend compiled with these definitions, as
# part of TARGET. The kernels need neither exceptions nor type information.
function(blockgen_add_cuda_object target name sources)
  add_library(blockgen_${name} OBJECT ${sources})
  set_target_properties(blockgen_${name} PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
                        CUDA_VISIBILITY_PRESET hidden)
  target_include_directories(blockgen_${name} PRIVATE src ${public_headers} ${generated})
  target_compile_definitions(blockgen_${name} PRIVATE ${ARGN})
  target_compile_options(blockgen_${name} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fno-exceptions,-fno-rtti>" ${quick})
  target_link_libraries(blockgen_${name} PRIVATE blockgen_flags)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:blockgen_${name}>)
endfunction()

# The same for sources without tensor cores. One that asks for an architecture from 8.0 on (__CUDA_ARCH__) is none of them.
function(blockgen_add_plain_cuda_object target name sources)
  blockgen_add_cuda_object(${target} ${name} "${sources}" ${ARGN})
  if(plain_architectures)
    set_target_properties(blockgen_${name} PROPERTIES CUDA_ARCHITECTURES "${plain_architectures}")
  endif()
endfunction()

# The same where Hopper's machine code can come from the PTX of Turing, which is there anyway: the compiler runs once instead of twice.
# These are the sources for which that gives the same instructions, bit by bit (compare nvcc -cubin of both).
function(blockgen_add_once_cuda_object target name sources)
  blockgen_add_plain_cuda_object(${target} ${name} "${sources}" ${ARGN})
  if(plain_architectures)
    set_target_properties(blockgen_${name} PROPERTIES CUDA_ARCHITECTURES OFF)
    target_compile_options(blockgen_${name} PRIVATE
                           "$<$<COMPILE_LANGUAGE:CUDA>:--generate-code=arch=compute_75,code=[compute_75$<COMMA>sm_90]>")
  endif()
endfunction()

# The processes that were written out, some of them in one source. The compiler takes as long for the headers that they have in common as
# for a small one of them; with all of them in one source there would be nothing to do for other cores.
function(blockgen_add_cuda_straight target)
  set(together 3)
  if(BG_CUDA_QUICK) # the flag for all others doubles the time of these: the code that nobody has tidied up is long
    set(together 6)
    set(quick $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-O0>)
  endif()
  set(names ${BG_CUDA_STRAIGHT_INSTANCES})
  set(unit 0)
  while(names)
    set(text "/* Made by cmake/Cuda.cmake: some instances of straight.cu, each in a namespace of its own. */\n#define BG_STRAIGHT\n")
    foreach(header backend/cuda/events.cuh backend/cuda/straight.h amplitude/straight.h)
      string(APPEND text "#include \"${header}\"\n") # guarded: inside of a namespace they are empty
    endforeach()
    foreach(k RANGE 1 ${together})
      if(names)
        list(POP_FRONT names name)
        string(APPEND text "\nnamespace straight_${name} {\n#define BG_STRAIGHT_CODE \"straight_${name}.h\"\n"
               "#define BG_STRAIGHT_NAME bg_cuda_straight_${name}\n#include \"backend/cuda/straight.cu\"\n}\n")
        foreach(macro BG_STRAIGHT_CODE BG_STRAIGHT_NAME STRAIGHT_WHOLE STRAIGHT_BY_PARTS STRAIGHT_PATTERN_LIST STRAIGHT_PDG STRAIGHT_SET_LIST STRAIGHT_SPLIT_LIST
                STRAIGHT_POSITION_LIST STRAIGHT_EACH_PAIRING STRAIGHT_OPERATIONS STRAIGHT_COLOR_OPERATIONS)
          string(APPEND text "#undef ${macro}\n")
        endforeach()
      endif()
    endforeach()
    math(EXPR unit "${unit} + 1")
    set(source ${generated}/straight_unit_${unit}.cu)
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY) # written only where it changes
    blockgen_add_once_cuda_object(${target} cuda_straight_${unit} ${source})
    add_dependencies(blockgen_cuda_straight_${unit} blockgen_written)
  endwhile()
endfunction()

# One object for each number of letters and real (1) or complex (2) currents, so that they build in parallel.
function(blockgen_add_cuda target)
  file(GLOB kernels CONFIGURE_DEPENDS src/backend/cuda/*.cu)
  list(FILTER kernels EXCLUDE REGEX "/(instance|fast|recycled|line|straight)[.]cu$")
  set(tensors ${kernels}) # those that include tensor.cuh
  list(FILTER tensors INCLUDE REGEX "/(dense|fourier|roofline)[.]cu$")
  list(FILTER kernels EXCLUDE REGEX "/(dense|fourier|roofline)[.]cu$")
  blockgen_add_cuda_object(${target} cuda_tensors "${tensors}")
  blockgen_add_once_cuda_object(${target} cuda_common "${kernels}")
  foreach(letters IN LISTS BG_CUDA_PAPER_INSTANCES)
    foreach(parts 1 2)
      set(definitions BG_LETTERS=${letters} BG_PARTS=${parts})
      # Few gluons: the recursion laid out without loops, in registers. Complex currents have 4 to 8 times the vertices.
      math(EXPR size "${letters} + 3 * ${parts} - 3")
      if(NOT size GREATER BG_CUDA_STRAIGHT)
        list(APPEND definitions BG_STRAIGHT)
      endif()
      if(parts EQUAL 1)
        blockgen_add_once_cuda_object(${target} cuda_${letters}_${parts} src/backend/cuda/instance.cu ${definitions})
      else() # PTX of Turing gives other instructions
        blockgen_add_plain_cuda_object(${target} cuda_${letters}_${parts} src/backend/cuda/instance.cu ${definitions})
      endif()
    endforeach()
  endforeach()
  foreach(letters IN LISTS BG_CUDA_FAST_INSTANCES)
    foreach(parts 1 2)
      blockgen_add_once_cuda_object(${target} cuda_fast_${letters}_${parts} src/backend/cuda/fast.cu
                              BG_LETTERS=${letters} BG_PARTS=${parts} ${BG_CUDA_FAST})
    endforeach()
  endforeach()
  foreach(letters IN LISTS BG_CUDA_RECYCLED_INSTANCES)
    blockgen_add_once_cuda_object(${target} cuda_recycled_${letters} src/backend/cuda/recycled.cu
                            BG_LETTERS=${letters})
  endforeach()
  foreach(letters IN LISTS BG_CUDA_LINE_INSTANCES)
    blockgen_add_once_cuda_object(${target} cuda_line_${letters} src/backend/cuda/line.cu BG_LETTERS=${letters})
  endforeach()
  foreach(letters IN LISTS BG_CUDA_PAIR_INSTANCES)
    blockgen_add_once_cuda_object(${target} cuda_pair_${letters} src/backend/cuda/line.cu BG_LETTERS=${letters} BG_PAIR)
  endforeach()
  blockgen_add_cuda_straight(${target})
  file(GLOB sources CONFIGURE_DEPENDS src/backend/cuda/*.c)
  target_sources(${target} PRIVATE ${sources})
  target_compile_definitions(${target} PRIVATE BG_HAVE_CUDA ${BG_CUDA_FAST})
  # All is linked as C: what nvcc's glue needs of C++ is in src/backend/cuda/guard.c, so that nobody needs libstdc++.
  set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "" PARENT_SCOPE)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
