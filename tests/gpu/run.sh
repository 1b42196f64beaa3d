#!/bin/sh
# On a machine with a GPU: configure, build, check every algorithm against the CPU and time it. The tables come last.
#     tests/gpu/run.sh [MOST [FOLDER]]      largest n_out (12), build folder (build-gpu)
# It needs CMake, a compiler and nvcc, but neither cmocka nor Python: the tests of CTest with the label gpu are the same
# program, gpu_check, with fewer points.
# AGREE=1 also compares the fast kernels with the paper's in every mode that they share (two minutes).
# SANITIZE=1 also runs compute-sanitizer (memcheck, racecheck, initcheck on few gluons).
set -eu
most=${1:-12}
build=${2:-build-gpu}
cd "$(dirname "$0")/../.."
generator="Unix Makefiles"
command -v ninja >/dev/null 2>&1 && generator=Ninja
jobs=$(nproc)
log=$build/gpu_check.log
mkdir -p "$build"
start=$(date +%s)
{
  cmake -S . -B "$build" -G "$generator" -DBG_CUDA=ON -DBG_SHARED=OFF -DCMAKE_CUDA_ARCHITECTURES="${ARCH:-90-real}" &&
    cmake --build "$build" --parallel "$jobs" --target gpu_check blockgen_program
} >"$log" 2>&1 || { tail -40 "$log"; exit 1; }
echo "built in $(($(date +%s) - start)) s"
"$build/blockgen" info | sed -n '/backends/,/^$/p'
status=0
"$build/blockgen" selftest >"$build/selftest.log" 2>&1 || { status=1; grep -v ' ok$' "$build/selftest.log" || true; }
tail -1 "$build/selftest.log"
if [ "${SANITIZE:-0}" = 1 ]; then
  sanitize() { # TOOL, then what gpu_check is to do
    tool=$1
    shift
    echo "== compute-sanitizer $tool: gpu_check $*"
    timeout "${SANITIZE_SECONDS:-150}" compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/gpu_check" "$@" \
      >"$build/$tool.log" 2>&1 || status=1
    tail -2 "$build/$tool.log"
  }
  for tool in memcheck racecheck; do
    sanitize $tool check 4
    sanitize $tool check 7 "fast angle"
    sanitize $tool check 7 "fast summed"
    sanitize $tool integrate 3
  done
  sanitize initcheck check 4
fi
"$build/gpu_check" check "$most" >"$build/check.log" 2>&1 || { status=1; grep -v ' ok$' "$build/check.log" || true; }
tail -1 "$build/check.log"
grep 'co-sum angle  *[2-8]' "$build/check.log" || true
if [ "${AGREE:-0}" = 1 ]; then
  "$build/gpu_check" agree "$most" >"$build/agree.log" 2>&1 || status=1
  cat "$build/agree.log"
fi
"$build/gpu_check" integrate "$most" >"$build/integrate.log" 2>&1 || status=1
cat "$build/integrate.log"
"$build/gpu_check" use >"$build/use.log" 2>&1 || { status=1; grep -v ' ok$' "$build/use.log" || true; }
tail -1 "$build/use.log"
[ "${TIME:-1}" = 0 ] || "$build/gpu_check" time "$most"
echo "$(($(date +%s) - start)) s in all"
if [ -n "${OUT:-}" ]; then cp "$build"/*.log "$OUT"/ 2>/dev/null || true; fi
exit $status
