#!/bin/sh
# Runs the tests of one or more build folders and counts their cases:
#   run.sh [-L LABELS] [-LE LABELS] [-b COMMAND] BUILD...
# LABELS are as ctest takes them (tests/CMakeLists.txt lists them); COMMAND builds the last folder while the others are tried.
#
# Test programs speak TAP ("ok 1 - name", "not ok 2 - name"); a test that prints none of that counts as one case, and so
# does one that dies without saying what failed. The entries that took longest come before the last line, which is
# "N passed, M failed".
set -u
only="" without="" command=""
while [ $# -gt 1 ]; do
  case $1 in
  -L) only=$2 && shift 2 ;;
  -LE) without="$2|" && shift 2 ;;
  -b) command=$2 && shift 2 ;;
  *) break ;;
  esac
done
export CMOCKA_MESSAGE_OUTPUT=TAP
# Several tests run at a time; their threads must not spin while they wait.
export OMP_WAIT_POLICY=passive
unset OMP_NUM_THREADS # nproc would take it for the number of cores
cores=$(nproc 2>/dev/null || echo 2)
log=$(mktemp -d)
pids=""
trap 'rm -rf "$log"' EXIT
# shellcheck disable=SC2086
trap 'kill $pids 2>/dev/null; rm -rf "$log"; exit 130' INT TERM

# Folders are tried at the same time, so that no core waits for a compiler, for the last tests of a folder, for the network, for a signal or
# for other ranks. One ctest for all of them would not do: it gives tests of the same name the same environment. Comparisons of times
# come last and alone.
try() { # FOLDER ARGUMENTS OF CTEST: in the place of this shell
  cd "$1" && shift && exec ctest -V ${only:+-L "$only"} "$@" 2>&1
}
number=0 jobs=$((cores + 1))
for build in "$@"; do
  number=$((number + 1))
  echo "Tests in $build"
  (
    if [ -n "$command" ] && [ $number = $# ]; then
      sh -c "exec $command" >"$log/made" 2>&1 &
      trap 'kill $! 2>/dev/null; exit 130' TERM
      wait $! || { touch "$log/unmade" && cat "$log/made" && exit 1; }
    fi
    try "$build" -j "$jobs" -LE "$without^time\$"
  ) >"$log/$number" &
  pids="$pids $!"
  jobs=$cores
done
# shellcheck disable=SC2086
wait $pids
number=0
for build in "$@"; do
  number=$((number + 1))
  case $only in "" | *time*) ;; *) continue ;; esac
  if [ $number = $# ] && [ -f "$log/unmade" ]; then continue; fi
  (try "$build" -L '^time$' ${without:+-LE "${without%|}"}) >>"$log/$number" &
  pids=$!
  wait $pids
done

number=0
for build in "$@"; do
  number=$((number + 1))
  [ $# = 1 ] || echo "Tests in $build"
  grep -E '^ *[0-9]+/[0-9]+ +Test +#' "$log/$number" || { echo "no tests ran in $build"; cat "$log/$number"; }
  # everything that a failed test said
  awk '/^ *[0-9]+\/[0-9]+ +Test +#/ && !/ Passed / && !/Skipped/ { id = $0; sub(/.*#/, "", id); sub(/:.*/, "", id); bad[id] = 1 }
       { line[NR] = $0 }
       END { for (k = 1; k <= NR; k++) { id = line[k]; sub(/:.*/, "", id); if (id in bad && line[k] ~ /^[0-9]+: /) print line[k] } }' \
    "$log/$number"
  echo "BUILD $build" >>"$log/all"
  cat "$log/$number" >>"$log/all"
done
echo "The slowest entries:"
awk '/^BUILD / { build = $2 }
  /^ *[0-9]+\/[0-9]+ +Test +#/ { name = $0; sub(/.*Test +#[0-9]+: */, "", name); sub(/ .*/, "", name)
    seconds = $(NF - 1); printf "%10.1f s  %s in %s\n", seconds, name, build }' "$log/all" | sort -rn | head -10
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
  }' "$log/all"
