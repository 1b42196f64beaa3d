#!/bin/sh
# The threaded parts under the thread sanitizer, built with clang, warnings as errors, in a folder of its own:
#   run.sh CMAKE SOURCE BUILD [TIMES]      TIMES (1) as many points and events, for `make tsan`
# Threads are those of OpenMP (points, matrix elements, tables), those that encode and write event files, and those of a host
# program that has several evaluators, integrations and runs of events at the same time.
#
# OpenMP's run time is not compiled for the sanitizer, which therefore does not see its barriers. clang's tells about them through its
# interface for tools, to a library called archer, and what it does with memory of its own is left out (ignore_noninstrumented_modules):
# races in code of this project are in modules that are instrumented. Two small programs show first that a race is found here and that
# a barrier is understood; otherwise the test is skipped (77).
set -u
cmake=$1 source=$2 build=$3 times=${4:-1}
clang=${BLOCKGEN_CLANG:-clang}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS

. "$source/tests/tap.sh"
. "$source/tests/values.sh"
. "$source/tests/ninja.sh"

# A loop whose threads all add to one number, and one that is what OpenMP wants it to be.
cat >"$work/race.c" <<END
int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 100000; k++) sum += k;
  return sum == 1;
}
END
cat >"$work/fine.c" <<END
int main(void) {
  static int x[1000];
  int sum = 0;
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 1000; k++) x[k] = k;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int k = 0; k < 1000; k++) sum += x[999 - k];
  return sum != 499500;
}
END
for name in race fine; do
  "$clang" -O1 -g -fopenmp -fsanitize=thread -o "$work/$name" "$work/$name.c" >"$work/log" 2>&1 ||
    { echo "there is no clang with OpenMP and the thread sanitizer ($clang; Debian: clang libomp-dev)" && exit 77; }
done
"$work/fine" >"$work/log" 2>&1 || { echo "the thread sanitizer does not understand OpenMP here: no archer, or not enough memory" && exit 77; }
check "a race is found" sh -c "! '$work/race'"

# Kernels of five letters and more are the same source again.
configure() {
  # shellcheck disable=SC2046
  "$cmake" $(ninja_for "$build") -S "$source" -B "$build" \
    -DCMAKE_C_COMPILER="$clang" -DCMAKE_C_FLAGS=-Werror -DBG_SANITIZE=thread -DBG_CUDA=OFF -DBG_MPI=OFF -DBG_INSTRUCTION_SETS=none \
    -DBG_CPU_LETTERS=4 -DBG_TESTS=OFF
}
check "configure" configure
check "build" "$cmake" --build "$build" -j "$(nproc 2>/dev/null || echo 2)" --target blockgen_program tsan_hosts
[ $failed = 0 ] || exit 1

program=$build/blockgen
cd "$work" || exit 1
points() { echo $(($1 * times)); }
check "integrate: gluons, histograms, checkpoints" "$program" integrate -n 3 --points "$(points 10000)" --threads 4 --histograms out \
  --checkpoint run.ckpt --checkpoint-interval 0.2 --quiet
check "integrate: the same goes on" "$program" integrate -n 3 --points "$(points 12000)" --threads 3 --histograms out \
  --resume run.ckpt --quiet
check "integrate: coherent colors" "$program" integrate -n 5 --points "$(points 4000)" --threads 4 --color sampled --quiet
check "integrate: the paper's kernels" "$program" integrate -n 3 --points "$(points 2000)" --threads 4 --algorithm cd-mc --kernel paper --quiet
check "integrate: quarks" "$program" integrate --process "u g > u g g" --points "$(points 5000)" --threads 4 --quiet
check "integrate: protons" "$program" integrate --process "p p > 2j" --points "$(points 10000)" --threads 4 --quiet
check "me: points of a file" "$program" me "$source/tests/data/gg_4g.points" --threads 4
for n_out in 2 3 4; do
  check "|M|^2 at n_out = $n_out" right_values "$program" $n_out
done
for file in events.lhe events.lhe.gz events.h5; do
  if [ $file != events.h5 ] || ldd "$program" | grep -q hdf5; then
    check "generate: $file" "$program" generate --process "p p > 2j" --events "$(points 1500)" --precision 0.05 --threads 4 -o $file --quiet
  fi
done
check "evaluators, integrations and events in host threads" "$build/tests/tsan/tsan_hosts"
exit $failed
