# The kernels that are compiled for one number of letters (permuted gluons between the ends of the color line). These
# lists are the only place where the numbers stand: the objects are made from them, and so is the header instances.h,
# from which the backends build their tables.
set(BG_CPU_PAPER_INSTANCES 2 3 4 5 6 7 8)             # src/backend/cpu/instance.c; more letters: dressed.c
set(BG_CPU_FAST_INSTANCES 2 3 4 5 6 7 8 9)           # src/backend/cpu/fast.c
set(BG_CPU_FAST_LARGEST 10)                          # the same with few lanes, and not in 128-bit floats
set(BG_CPU_LINE_INSTANCES 4 5 6)                     # src/backend/cpu/line.c; fewer letters: straight.c
# A build that is to show something else, such as races of threads, need not compile all of them.
set(BG_CPU_LETTERS 10 CACHE STRING "Largest number of letters that the CPU has kernels of its own for: 10, or less to build faster")
mark_as_advanced(BG_CPU_LETTERS)
if(NOT BG_CPU_LETTERS MATCHES "^[0-9]+$" OR BG_CPU_LETTERS LESS 4 OR BG_CPU_LETTERS GREATER BG_CPU_FAST_LARGEST)
  message(FATAL_ERROR "BG_CPU_LETTERS is '${BG_CPU_LETTERS}'; it must be 4 to ${BG_CPU_FAST_LARGEST}")
endif()
if(BG_CPU_LETTERS LESS BG_CPU_FAST_LARGEST)
  set(BG_CPU_FAST_LARGEST ${BG_CPU_LETTERS})
  foreach(letters RANGE ${BG_CPU_LETTERS} 10)
    list(REMOVE_ITEM BG_CPU_FAST_INSTANCES ${letters})
    if(letters GREATER BG_CPU_LETTERS)
      list(REMOVE_ITEM BG_CPU_PAPER_INSTANCES ${letters})
      list(REMOVE_ITEM BG_CPU_LINE_INSTANCES ${letters})
    endif()
  endforeach()
endif()
set(BG_CUDA_PAPER_INSTANCES 2 3 4 5 6 7 8)           # src/backend/cuda/instance.cu
set(BG_CUDA_FAST_INSTANCES 2 3 4 5 6 7 8 9 10)       # src/backend/cuda/fast.cu
set(BG_CUDA_RECYCLED_INSTANCES 4 5 6 7)              # src/backend/cuda/recycled.cu
set(BG_CUDA_LINE_INSTANCES 4 5 6)                     # src/backend/cuda/line.cu
set(BG_CUDA_PAIR_INSTANCES 5)                         # the same with a second quark line as one of the letters

# src/backend/cpu/straight.c, src/backend/cuda/straight.cu: what cmake/straight/write.c is asked for. By k quark lines and n gluons: k_n, e where an end comes in
# and closes, the lines of each flavor, that which closes first, and the parts into which the amplitudes are divided.
set(BG_STRAIGHT_1_2e all 2 -2 21 21)
set(BG_STRAIGHT_1_2 all 21 21 2 -2)
set(BG_STRAIGHT_1_3e all 2 -2 21 21 21)
set(BG_STRAIGHT_1_3 all 21 21 2 -2 21)
set(BG_STRAIGHT_2_0e_11 all 2 -2 1 -1)
set(BG_STRAIGHT_2_0e_2 all 2 -2 2 -2)
set(BG_STRAIGHT_2_1e_11 all 2 -2 1 -1 21)
set(BG_STRAIGHT_2_1e_2 all 2 -2 2 -2 21)
set(BG_STRAIGHT_2_2e_11 all 2 -2 1 -1 21 21)
set(BG_STRAIGHT_2_2e_2 all 2 -2 2 -2 21 21)
set(BG_STRAIGHT_2_2_11 all 21 21 2 -2 1 -1)
set(BG_STRAIGHT_2_2_2 all 21 21 2 -2 2 -2)
set(BG_STRAIGHT_3_0e_111 all 2 -2 1 -1 3 -3)
set(BG_STRAIGHT_3_0e_21 all 2 -2 2 -2 1 -1)
set(BG_STRAIGHT_3_0e_12 all 1 -1 2 -2 2 -2)
set(BG_STRAIGHT_3_0e_3 all 2 -2 2 -2 2 -2)
set(BG_STRAIGHT_2_3e_11_a 0-4 2 -2 1 -1 21 21 21)
set(BG_STRAIGHT_2_3e_11_b 4-6 2 -2 1 -1 21 21 21)
set(BG_STRAIGHT_2_3e_11_c 6-8 2 -2 1 -1 21 21 21)
set(BG_STRAIGHT_2_3e_2_a 0-2 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3e_2_b 2-4 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3e_2_c 4-5 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3e_2_d 5-6 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3e_2_e 6-7 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3e_2_f 7-8 2 -2 2 -2 21 21 21)
set(BG_STRAIGHT_2_3_11_a 0-2 21 21 2 -2 1 -1 21)
set(BG_STRAIGHT_2_3_11_b 2-4 21 21 2 -2 1 -1 21)
set(BG_STRAIGHT_2_3_11_c 4-6 21 21 2 -2 1 -1 21)
set(BG_STRAIGHT_2_3_11_d 6-8 21 21 2 -2 1 -1 21)
set(BG_STRAIGHT_3_1e_111 all 2 -2 1 -1 3 -3 21)
set(BG_CUDA_STRAIGHT_INSTANCES
    1_2e 1_2 1_3e 1_3 2_0e_11 2_0e_2 2_1e_11 2_1e_2 2_2e_11 2_2e_2 2_2_11 2_2_2 2_3e_11_a 2_3e_11_b 2_3e_11_c
    2_3e_2_a 2_3e_2_b 2_3e_2_c 2_3e_2_d 2_3e_2_e 2_3e_2_f 2_3_11_a 2_3_11_b 2_3_11_c 2_3_11_d 3_0e_111 3_0e_21
    3_0e_12 3_0e_3 3_1e_111)

# On a CPU, of those that compute all amplitudes of a process the ones that are faster than its list of vertices and do not take
# long to compile. The larger ones need the registers of an instruction set besides the baseline.
set(BG_CPU_STRAIGHT_INSTANCES 1_2e 1_2 1_3e 1_3 2_0e_11 2_0e_2 2_1e_11 2_1e_2 3_0e_111)
set(BG_CPU_STRAIGHT_WIDE_INSTANCES 2_2e_11 2_2e_2 2_2_11 3_0e_21)

# A list as the body of an X-macro: 2;3 and "isa, " give "X(isa, 2) X(isa, 3)".
function(blockgen_x_macro variable before)
  list(TRANSFORM ARGN REPLACE "(.+)" "X(${before}\\1)")
  list(JOIN ARGN " " text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

blockgen_x_macro(cpu_paper "isa, " ${BG_CPU_PAPER_INSTANCES})
blockgen_x_macro(cpu_fast "isa, " ${BG_CPU_FAST_INSTANCES})
blockgen_x_macro(cpu_line "isa, " ${BG_CPU_LINE_INSTANCES})
blockgen_x_macro(cpu_straight "isa, " ${BG_CPU_STRAIGHT_INSTANCES})
blockgen_x_macro(cpu_straight_wide "isa, " ${BG_CPU_STRAIGHT_WIDE_INSTANCES})
blockgen_x_macro(cuda_paper "" ${BG_CUDA_PAPER_INSTANCES})
blockgen_x_macro(cuda_fast "" ${BG_CUDA_FAST_INSTANCES})
blockgen_x_macro(cuda_recycled "" ${BG_CUDA_RECYCLED_INSTANCES})
blockgen_x_macro(cuda_straight "" ${BG_CUDA_STRAIGHT_INSTANCES})
configure_file(${CMAKE_CURRENT_LIST_DIR}/instances.h.in ${generated}/instances.h @ONLY)

# Instruction sets besides the baseline: those that fit the processor and the compiler. The sanitizers see the same
# source in one of them as in all.
check_c_source_compiles("int main(void) { __float128 x = 2; return (int)(x / 3); }" BG_HAVE_FLOAT128)
set(sets "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  list(APPEND sets avx2)
  if(NOT BG_SANITIZE)
    list(APPEND sets avx512)
  endif()
endif()
if(BG_HAVE_FLOAT128 AND NOT BG_SANITIZE)
  list(APPEND sets quad)
endif()
set(BG_INSTRUCTION_SETS "${sets}" CACHE STRING
    "Instruction sets besides the baseline: any of avx2, avx512, quad (128-bit floats); none for the baseline alone")
foreach(set IN LISTS BG_INSTRUCTION_SETS)
  if(NOT set MATCHES "^(none|avx2|avx512|quad)$")
    message(FATAL_ERROR "BG_INSTRUCTION_SETS has '${set}'; it is a list of avx2, avx512 and quad, or none")
  endif()
endforeach()

add_library(blockgen_unoptimized INTERFACE) # after blockgen_flags
target_compile_options(blockgen_unoptimized INTERFACE -O0)

# Kernels have most checks of undefined behavior, and gcc takes a fifth of its time for the words that each of them would say. A finding in
# one of them is an illegal instruction instead, whose place the address sanitizer tells (ASAN_OPTIONS in tests/CMakeLists.txt).
add_library(blockgen_kernel INTERFACE)
if(BG_SANITIZE)
  target_compile_options(blockgen_kernel INTERFACE $<$<C_COMPILER_ID:GNU>:-fsanitize-undefined-trap-on-error>)
endif()

# blockgen_add_object(TARGET SOURCE ISA LANES FLAGS [LETTERS]): a source file of src/backend/cpu compiled for an
# instruction set (and a number of letters), as part of TARGET.
function(blockgen_add_object target source isa lanes flags)
  set(name blockgen_${source}_${isa})
  set(definitions BG_ISA=${isa} BG_LANES=${lanes})
  if(ARGC GREATER 5)
    set(letters ${ARGV5})
    string(APPEND name _${letters})
    list(APPEND definitions BG_LETTERS=${letters})
  endif()
  add_library(${name} OBJECT src/backend/cpu/${source}.c)
  target_include_directories(${name} PRIVATE src ${public_headers} ${generated})
  target_compile_definitions(${name} PRIVATE ${definitions})
  target_compile_options(${name} PRIVATE ${flags})
  target_link_libraries(${name} PRIVATE blockgen_flags blockgen_kernel)
  # Under the sanitizers few points have so many letters, and -O0 compiles these in less than half the time of -O1.
  if(BG_SANITIZE AND ARGC GREATER 5 AND "${source}_${letters}" MATCHES "^(fast_9|fast_10|line_6)$")
    target_link_libraries(${name} PRIVATE blockgen_unoptimized)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()

# blockgen_add_straight(TARGET NAME ISA LANES FLAGS): a program that was written out, likewise.
function(blockgen_add_straight target name isa lanes flags)
  set(object blockgen_straight_${isa}_${name})
  add_library(${object} OBJECT src/backend/cpu/straight.c)
  add_dependencies(${object} blockgen_written) # Straight.cmake
  target_include_directories(${object} PRIVATE src ${public_headers} ${generated})
  target_compile_definitions(${object} PRIVATE BG_LANES=${lanes} BG_STRAIGHT_CODE="parts_${name}.h"
                             BG_STRAIGHT_NAME=bg_straight_${isa}_${name})
  target_compile_options(${object} PRIVATE ${flags})
  target_link_libraries(${object} PRIVATE blockgen_flags blockgen_kernel)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()

# All kernels for one instruction set.
function(blockgen_add_instruction_set target isa lanes flags)
  foreach(letters IN LISTS BG_CPU_PAPER_INSTANCES)
    blockgen_add_object(${target} instance ${isa} ${lanes} "${flags}" ${letters})
  endforeach()
  foreach(letters IN LISTS BG_CPU_FAST_INSTANCES)
    blockgen_add_object(${target} fast ${isa} ${lanes} "${flags}" ${letters})
  endforeach()
  blockgen_add_object(${target} coherent ${isa} ${lanes} "${flags}")
  blockgen_add_object(${target} dressed ${isa} ${lanes} "${flags}")
  blockgen_add_object(${target} quarks ${isa} ${lanes} "${flags}")
  if(NOT isa STREQUAL quad) # there the list of vertices checks it
    foreach(letters IN LISTS BG_CPU_LINE_INSTANCES)
      blockgen_add_object(${target} line ${isa} ${lanes} "${flags}" ${letters})
    endforeach()
  endif()
  if(NOT isa STREQUAL quad) # likewise
    set(names ${BG_CPU_STRAIGHT_INSTANCES})
    if(NOT isa STREQUAL baseline)
      list(APPEND names ${BG_CPU_STRAIGHT_WIDE_INSTANCES})
    endif()
    foreach(name IN LISTS names)
      blockgen_add_straight(${target} ${name} ${isa} ${lanes} "${flags}")
    endforeach()
  endif()
  blockgen_add_object(${target} open ${isa} ${lanes} "${flags}")
  if(NOT isa STREQUAL quad) # where a point of 10 letters would take many minutes, and points are those of the baseline
    set(few ${lanes}) # the currents of an event take 0.4 GB at 10, and results do not depend on the lanes
    if(few GREATER 4)
      set(few 4)
    endif()
    blockgen_add_object(${target} fast ${isa} ${few} "${flags}" ${BG_CPU_FAST_LARGEST})
    blockgen_add_object(${target} generate ${isa} ${lanes} "${flags}")
    blockgen_add_object(${target} estimate ${isa} ${lanes} "${flags}")
    blockgen_add_object(${target} flow_gluons ${isa} ${lanes} "${flags}")
    blockgen_add_object(${target} flow_quarks ${isa} ${lanes} "${flags}")
  endif()
  if(NOT isa STREQUAL baseline)
    string(TOUPPER BG_HAVE_${isa} definition)
    target_compile_definitions(${target} PRIVATE ${definition})
  endif()
endfunction()

# The CPU backend: its kernels for every instruction set, and the rest of its folder once.
function(blockgen_add_instances target)
  file(GLOB sources CONFIGURE_DEPENDS src/backend/cpu/*.c)
  list(FILTER sources EXCLUDE
       REGEX "/(instance|fast|line|straight|coherent|dressed|quarks|open|generate|estimate|flow_gluons|flow_quarks)[.]c$")
  target_sources(${target} PRIVATE ${sources})
  blockgen_add_instruction_set(${target} baseline 2 "")
  if("avx2" IN_LIST BG_INSTRUCTION_SETS)
    blockgen_add_instruction_set(${target} avx2 4 "-mavx2;-mfma")
  endif()
  if("avx512" IN_LIST BG_INSTRUCTION_SETS)
    blockgen_add_instruction_set(${target} avx512 8
      "-mavx512f;-mavx512dq;-mavx512vl;-mavx2;-mfma;-mprefer-vector-width=512")
  endif()
  if("quad" IN_LIST BG_INSTRUCTION_SETS)
    # Their time goes into the compiler's library of 128-bit floats, and -O1 compiles in a third of the time; gcc does not see there that a
    # loop fills all lanes.
    blockgen_add_instruction_set(${target} quad 1
      "-DBG_QUAD;$<$<AND:$<CONFIG:Release>,$<C_COMPILER_ID:GNU>>:-O1;-Wno-maybe-uninitialized>")
  endif()
endfunction()
