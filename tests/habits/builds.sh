#!/bin/sh
# A build that nobody uses every day, with warnings as errors: builds.sh CMAKE SOURCE. It is the library and the program for the baseline
# instruction set, without OpenMP, MPI, CUDA, zlib and HDF5, and then evaluates a few points and a small cross section. With clang the
# sources are compiled, with warnings as errors as well, for the fuzz targets and for the thread sanitizer (tests/fuzz, tests/tsan).
set -u
cmake=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
jobs=$(nproc 2>/dev/null || echo 2)

. "$source/tests/tap.sh"
. "$source/tests/values.sh"
. "$source/tests/ninja.sh"

# The optimizer is not what is tried here: -O0 takes half the time of -O1. Neither are kernels of many letters, which are the same source
# again. What the optimizer knows when it warns is known at -O1 with the sanitizers, where warnings are errors as well (Makefile).
configure() { # CC FLAGS
  # shellcheck disable=SC2046
  "$cmake" $(ninja_for "$work/build") -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$1" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O0 -Werror $2" \
    -DBG_INSTRUCTION_SETS=none -DBG_CPU_LETTERS=4 -DBG_OPENMP=OFF -DBG_MPI=OFF -DBG_CUDA=OFF -DBG_ZLIB=OFF -DBG_HDF5=OFF -DBG_TESTS=OFF
}

quiet=""
if cc --version | grep -qi 'free software'; then quiet="-Wno-maybe-uninitialized -Wno-format-truncation"; fi # gcc at -O0 does not see what values there can be
program=$work/build/blockgen
check "configure" configure cc "$quiet"
check "build" "$cmake" --build "$work/build" -j "$jobs"
[ $failed = 0 ] || exit 1
for n_out in 2 3 4; do
  check "|M|^2 at n_out = $n_out" right_values "$program" $n_out
done
check "cross section" right_sigma "$program"
refused() {
  ! "$program" integrate -n 5 --color summed --points 1000 --quiet 2>"$work/said" &&
    grep -q "no kernel for n_out = 5: rebuild with BG_CPU_LETTERS" "$work/said"
}
check "a kernel that was left out" refused
check "no library beyond C's" sh -c "! ldd '$program' | grep -E 'gomp|libomp|mpi|cuda|stdc'"
exit $failed
