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
jobs=$(($(nproc 2>/dev/null || echo 2) + 2)) # some wait: for the network, for a signal, for other ranks
# All folders are one for ctest, so that no core waits for the last tests of one of them. Its tests have the numbers after those of the
# folders before: in $log/ends is the last number of each.
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
last=0
for build in "$@"; do
  folder=$(cd "$build" && pwd) || exit 1
  echo "subdirs(\"$folder\")" >>"$log/CTestTestfile.cmake"
  last=$((last + $(cd "$build" && ctest -N | sed -n 's/^Total Tests: //p')))
  echo "$last $build" >>"$log/ends"
done
echo "Tests in $*"
# shellcheck disable=SC2086
(cd "$log" && ctest -V -j "$jobs" $select 2>&1) >"$log/all" &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$log"; exit 130' INT TERM
wait $pid
# The line of a test that has ended, with the folder that it is of.
awk 'NR == FNR { end[NR] = $1; name[NR] = $2; builds = NR; next }
  /^ *[0-9]+\/[0-9]+ +Test +#/ { id = $0; sub(/.*#/, "", id); sub(/:.*/, "", id)
    for (k = 1; k < builds && end[k] < id + 0; k++) continue
    print $0 "  " name[k] }' "$log/ends" "$log/all" >"$log/entries"
if [ -s "$log/entries" ]; then cat "$log/entries"; else echo "no tests ran" && cat "$log/all"; fi
# everything that a failed test said
awk '/^ *[0-9]+\/[0-9]+ +Test +#/ && !/ Passed / && !/Skipped/ { id = $0; sub(/.*#/, "", id); sub(/:.*/, "", id); bad[id] = 1 }
     { line[NR] = $0 }
     END { for (k = 1; k <= NR; k++) { id = line[k]; sub(/:.*/, "", id); if (id in bad && line[k] ~ /^[0-9]+: /) print line[k] } }' \
  "$log/all"
echo "The slowest entries:"
awk '{ name = $0; sub(/.*Test +#[0-9]+: */, "", name); sub(/ .*/, "", name)
  printf "%10.1f s  %s in %s\n", $(NF - 2), name, $NF }' "$log/entries" | sort -rn | head -10
awk -v builds=$# '
  FILENAME ~ /ends$/ { end[FNR] = $1; next }
  /^[0-9]+: ok [0-9]+/ { split($0, a, ":"); if (/# *SKIP/) skipped++; else ok[a[1]]++ }
  # cmocka reports a skipped case as "not ok 1 # SKIP name"
  /^[0-9]+: not ok [0-9]+/ { split($0, a, ":"); if (/# *SKIP/) skipped++; else bad[a[1]]++ }
  /^ *[0-9]+\/[0-9]+ +Test +#/ {
    id = $0; sub(/.*Test +#/, "", id); sub(/:.*/, "", id)
    for (k = 1; k < builds && end[k] < id + 0; k++) continue
    seen[k]++
    if (/Skipped/) { skipped++; next }
    good = ok[id] + 0; wrong = bad[id] + 0
    if (/ Passed /) { passed += good ? good : 1; failed += wrong }
    else { passed += good; failed += wrong ? wrong : 1 }
  }
  END {
    for (k = 1; k <= builds; k++) if (!seen[k]) failed++
    if (skipped) printf "%d skipped\n", skipped
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0 || !passed
  }' "$log/ends" "$log/all"
