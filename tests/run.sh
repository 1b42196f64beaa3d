#!/bin/sh
# Runs the tests of one or more build folders and counts their cases:
#   run.sh [-L LABELS] [-LE LABELS] BUILD...     labels as ctest takes them (tests/CMakeLists.txt lists them)
#
# Test programs speak TAP ("ok 1 - name", "not ok 2 - name"); a test that prints none of that counts as one case, and so
# does one that dies without saying what failed. The entries that took longest come before the last line, which is
# "N passed, M failed".
set -u
select=""
while [ $# -gt 1 ]; do
  case $1 in
  -L | -LE) select="$select $1 $2" && shift 2 ;;
  *) break ;;
  esac
done
export CMOCKA_MESSAGE_OUTPUT=TAP
# A test for each core at a time, but for those that measure times. Their threads must not spin while they wait.
export OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS # nproc would take it for the number of cores
jobs=$(($(nproc 2>/dev/null || echo 2) + 1)) # some wait for the network
log=$(mktemp)
trap 'rm -f "$log" "$log.one"' EXIT
: >"$log"
for build in "$@"; do
  echo "Tests in $build"
  # shellcheck disable=SC2086
  (cd "$build" && ctest -V -j "$jobs" $select 2>&1) >"$log.one" &
  pid=$!
  trap 'kill $pid 2>/dev/null; rm -f "$log" "$log.one"; exit 130' INT TERM
  wait $pid
  grep -E '^ *[0-9]+/[0-9]+ +Test +#' "$log.one" || { echo "no tests ran in $build"; cat "$log.one"; }
  # everything that a failed test said
  awk '/^ *[0-9]+\/[0-9]+ +Test +#/ && !/ Passed / && !/Skipped/ { id = $0; sub(/.*#/, "", id); sub(/:.*/, "", id); bad[id] = 1 }
       { line[NR] = $0 }
       END { for (k = 1; k <= NR; k++) { id = line[k]; sub(/:.*/, "", id); if (id in bad && line[k] ~ /^[0-9]+: /) print line[k] } }' \
    "$log.one"
  echo "BUILD $build" >>"$log"
  cat "$log.one" >>"$log"
done
echo "The slowest entries:"
awk '/^BUILD / { build = $2 }
  /^ *[0-9]+\/[0-9]+ +Test +#/ { name = $0; sub(/.*Test +#[0-9]+: */, "", name); sub(/ .*/, "", name)
    seconds = $(NF - 1); printf "%10.1f s  %s in %s\n", seconds, name, build }' "$log" | sort -rn | head -10
awk -v builds=$# '
  /^BUILD / { build++ }
  /^[0-9]+: ok [0-9]+/ { split($0, a, ":"); if (/# *SKIP/) skipped++; else ok[build, a[1]]++ }
  # cmocka reports a skipped case as "not ok 1 # SKIP name"
  /^[0-9]+: not ok [0-9]+/ { split($0, a, ":"); if (/# *SKIP/) skipped++; else bad[build, a[1]]++ }
  /^ *[0-9]+\/[0-9]+ +Test +#/ {
    id = $0; sub(/.*Test +#/, "", id); sub(/:.*/, "", id)
    seen[build]++
    if (/Skipped/) { skipped++; next }
    good = ok[build, id] + 0; wrong = bad[build, id] + 0
    if (/ Passed /) { passed += good ? good : 1; failed += wrong }
    else { passed += good; failed += wrong ? wrong : 1 }
  }
  END {
    for (k = 1; k <= builds; k++) if (!seen[k]) failed++
    if (skipped) printf "%d skipped\n", skipped
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0 || !passed
  }' "$log"
