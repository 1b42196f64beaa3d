#!/bin/sh
# The tests that draw their points, again and again with fresh seeds, the whole list of recorded results, and an hour of runs that are
# killed, run out of disk and go on (soak.py):
#   soak.sh BUILD [TIMES [SECONDS [SEED]]]    5 times, 3600 s; the first seed, from the system's random numbers if none is given
# The seeds are printed: BLOCKGEN_TEST_SEED=SEED ctest -R NAME repeats what failed. The last line is "N passed, M failed".
set -u
build=$1 times=${2:-5} seconds=${3:-3600} seed=${4:-}
[ -n "$seed" ] || seed=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
tests=$(dirname "$0")
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
count() { # adds what the last line of a run says
  tail -1 "$log" | grep -q '^[0-9]* passed, [0-9]* failed$' || { failed=$((failed + 1)); return; }
  passed=$((passed + $(tail -1 "$log" | cut -d' ' -f1)))
  failed=$((failed + $(tail -1 "$log" | cut -d' ' -f3)))
}
k=0
while [ $k -lt "$times" ]; do
  echo "BLOCKGEN_TEST_SEED=$((seed + k))"
  BLOCKGEN_TEST_SEED=$((seed + k)) "$tests/run.sh" -L random "$build" >"$log" 2>&1
  grep -vE ' Passed |^The slowest|^ *[0-9.]* s  ' "$log"
  count
  k=$((k + 1))
done
echo "All recorded results"
if BLOCKGEN="$build/blockgen" python3 -B "$tests/results/results.py" compare "$tests/results/cpu.json"; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
fi
echo "Runs that are killed and go on, $seconds s"
python=python3
if "$tests/events/readers.sh" "$build/readers" >/dev/null 2>&1; then python=$build/readers/bin/python; fi # h5py is there
"$python" -B "$tests/soak.py" "$build/blockgen" --seconds "$seconds" --seed "$((seed % 1000000007))" --record "$build/soak.json" >"$log" 2>&1
cat "$log"
count
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
