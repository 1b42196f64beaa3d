#!/bin/sh
# On a machine with a GPU: what goes into bench/results. gpu_record.sh FOLDER [BUILD]
#   selftest.txt, sanitizer.txt    every algorithm against reference values and the CPU; compute-sanitizer
#   bench-cuda.json                times and memory of every algorithm
#   study-cuda.json                the same for the figures of blockgen study, time to 1 % by strategy, the hybrid arrangement
#   one-percent.txt                time to 1 % on the cross section at the paper's set-up
#   threads.txt                    one thread against all cores of the CPU
set -u
out=$1
build=${2:-build-gpu}
cd "$(dirname "$0")/.."
mkdir -p "$out"
label=${LABEL:-$(git describe --always --dirty 2>/dev/null || echo unknown)}
one() { # one percent: N_OUT and options
  start=$(date +%s.%N)
  "$build/blockgen" integrate --backend cuda --quiet --json -n "$@" >"$out/one.json" || echo "failed: $*"
  end=$(date +%s.%N)
  awk -v name="$*" -v a="$start" -v b="$end" 'BEGIN { printf "%s: %.2f s with start-up; ", name, b - a }'
  grep -E '"(sigma_pb|error_pb|points|accepted|seconds|chi2_per_dof)"' "$out/one.json" | tr -d '\n '
  echo
}
{ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; date -u; echo "$label"; "$build/blockgen" selftest; } >"$out/selftest.txt" 2>&1
tail -1 "$out/selftest.txt"
{
  for n in 2 3 4 5 6 7 8 9 10; do one $n; done
  for n in 2 3 4 5; do one $n --color summed --recursion ordered --helicity summed; done
  for n in 5 6 7 8; do one $n --color summed --recursion ordered --helicity sampled --helicity-sampling invariants; done
} 2>&1 | tee "$out/one-percent.txt"
rm -f "$out/one.json"
timeout 240 "$build/blockgen" bench --backend cuda -n 2:8 --seconds 0.1 --json --quiet --label "$label" >"$out/bench-cuda.json"
timeout 400 "$build/blockgen" study all --backend cuda --seconds 0.1 --limit 270 --quiet --label "$label" -o "$out/figures" &&
  mv "$out/figures/study-cuda.json" "$out" && rm -r "$out/figures" # drawn where there is gnuplot, from this file
for threads in 1 16; do
  "$build/blockgen" bench --backend cpu --algorithm co-sum --kernel fast -n 4:5 --stage me --seconds 0.5 --threads $threads --quiet
done >"$out/threads.txt" 2>&1
if [ "${SANITIZE:-0}" = 1 ]; then
  for tool in memcheck racecheck; do
    for what in "check 3" "integrate 3"; do
      echo "== $tool, gpu_check $what"
      timeout 100 compute-sanitizer --tool $tool --error-exitcode 9 "$build/gpu_check" $what >"$out/log" 2>&1 || echo "FAILED: $?"
      tail -2 "$out/log"
    done
  done | tee "$out/sanitizer.txt"
  rm -f "$out/log"
fi
