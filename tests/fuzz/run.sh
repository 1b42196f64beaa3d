#!/bin/sh
# The fuzz targets, built with clang in a folder of their own:
#   run.sh CMAKE SOURCE BUILD              a fixed number of inputs that follow from a fixed seed, for `make test`
#   run.sh CMAKE SOURCE BUILD SECONDS      so many seconds for all targets together, with fresh seeds, for `make fuzz`
# Every input of corpus/NAME comes first. A long run keeps inputs that come to new places in BUILD/corpus/NAME and goes on from them the
# next time, and leaves a finding in BUILD/NAME-crash-...: fix it, then put it into the corpus with a name that says what it is.
# The cases are TAP, and 77 says that there is no clang with libFuzzer.
set -u
cmake=$1 source=$2 build=$3 seconds=${4:-}
clang=${BLOCKGEN_CLANG:-clang}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return 0 * (d && n); }' >"$work/try.c"
if ! "$clang" -fsanitize=fuzzer,address,undefined -o "$work/try" "$work/try.c" >"$work/log" 2>&1; then
  echo "there is no clang with libFuzzer ($clang)"
  exit 77
fi
jobs=$(nproc 2>/dev/null || echo 2)
. "$source/tests/ninja.sh"
# shellcheck disable=SC2046
"$cmake" $(ninja_for "$build") -S "$source" -B "$build" \
  -DCMAKE_C_COMPILER="$clang" -DBG_FUZZ=ON -DBG_CUDA=OFF -DBG_MPI=OFF -DBG_OPENMP=OFF -DBG_INSTRUCTION_SETS=none \
  -DBG_TESTS=OFF -DCMAKE_C_FLAGS=-Werror >"$work/log" 2>&1 &&
  "$cmake" --build "$build" -j "$jobs" --target fuzz_targets >>"$work/log" 2>&1 || {
  tail -40 "$work/log" | sed 's/^/# /'
  echo "not ok 1 - fuzz targets: build"
  exit 1
}
[ -d /dev/shm ] && [ -w /dev/shm ] && export TMPDIR="${TMPDIR:-/dev/shm}" # targets write files
targets=$(cd "$source/tests/fuzz/corpus" && ls)
number=0 failed=0
for name in $targets; do
  number=$((number + 1))
  found=$build/corpus/$name
  mkdir -p "$found"
  case $name in
  checkpoint | events) runs=600 ;; # they write a file, or start threads, each time
  *) runs=10000 ;;
  esac
  if [ -n "$seconds" ]; then
    set -- -max_total_time=$((seconds / $(echo "$targets" | wc -w) + 1)) "$found" "$source/tests/fuzz/corpus/$name"
  else
    set -- -runs=$runs -seed=1 "$source/tests/fuzz/corpus/$name"
  fi
  # libFuzzer would put what it finds into the first folder: in a test that is one which goes away
  if [ -z "$seconds" ]; then mkdir -p "$work/$name" && set -- "$1" "$2" "$work/$name" "$3"; fi
  "$build/tests/fuzz/fuzz_$name" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$build/$name-" "$@" >"$work/log" 2>&1
  status=$?
  counts=$(sed -n 's/^\([0-9]* taken, [0-9]* refused\)$/\1/p' "$work/log" | tail -1)
  # A target that takes nothing, or refuses nothing, tries nothing.
  if [ $status = 0 ] && echo "$counts" | grep -q '^[1-9][0-9]* taken, [1-9]'; then
    echo "ok $number - fuzz $name: $counts"
  else
    grep -v '^blockgen fuzz:' "$work/log" | tail -40 | sed 's/^/# /'
    echo "not ok $number - fuzz $name: exit status $status, ${counts:-nothing counted}"
    failed=1
  fi
done
exit $failed
