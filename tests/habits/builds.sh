#!/bin/sh
# Builds that nobody uses every day, with warnings as errors: builds.sh CMAKE SOURCE. Each is the library and the program for the baseline
# instruction set, without OpenMP, MPI, CUDA, zlib and HDF5, and then evaluates a few points and a small cross section.
#   minimal   the default compiler
#   clang     clang, where it is there
set -u
cmake=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)

. "$source/tests/tap.sh"

# The optimizer is not what is tried here: -O1 takes half the time.
configure() { # NAME CC FLAGS
  "$cmake" -S "$source" -B "$work/$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -Werror $3" \
    -DBG_INSTRUCTION_SETS=none -DBG_OPENMP=OFF -DBG_MPI=OFF -DBG_CUDA=OFF -DBG_ZLIB=OFF -DBG_HDF5=OFF -DBG_TESTS=OFF
}

# |M|^2 of the points in tests/data against the values there
right_values() { # PROGRAM N_OUT
  "$1" me "$source/tests/data/gg_$2g.points" >"$work/values" &&
    grep -v '^#' "$source/tests/data/gg_$2g.values" | paste - "$work/values" |
    awk '{ d = $NF / $(NF - 1) - 1; if (d < 0) d = -d; if (!(d < 1e-10)) bad = 1 } END { exit bad || !NR }'
}

# The cross section of g g -> 3 g is about 308 pb.
right_sigma() { # PROGRAM
  "$1" integrate -n 3 --points 20000 --json --quiet >"$work/sigma" &&
    sed -n 's/.*"sigma_pb": *\([0-9.e+-]*\).*/\1/p' "$work/sigma" | awk '{ good = $1 > 277 && $1 < 339 } END { exit !good }'
}

try() { # NAME CC FLAGS
  program=$work/$1/blockgen
  check "$1: configure" configure "$1" "$2" "$3"
  [ $passed = yes ] || return
  check "$1: build" "$cmake" --build "$work/$1" -j "$jobs"
  [ $passed = yes ] || return
  for n_out in 2 3 4; do
    check "$1: |M|^2 at n_out = $n_out" right_values "$program" $n_out
  done
  check "$1: cross section" right_sigma "$program"
  check "$1: no library beyond C's" sh -c "! ldd '$program' | grep -E 'gomp|libomp|mpi|cuda|stdc'"
}

quiet=""
if cc --version | grep -qi 'free software'; then quiet=-Wno-maybe-uninitialized; fi # gcc at -O1 does not see that a loop fills all lanes
try minimal cc "$quiet"
if command -v clang >/dev/null; then try clang clang ""; fi
exit $failed
