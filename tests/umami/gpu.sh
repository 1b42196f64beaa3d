#!/bin/sh
# On a machine with a GPU: builds the library that MadSpace loads and compares arrays on the device with `blockgen me` on the CPU.
#     tests/umami/gpu.sh [FOLDER]      build folder (build-umami); where the programs are there, nothing is built
# It needs CMake, a compiler and nvcc, and no Python; the test umami.cuda of CTest is the same with more cases.
set -eu
build=${1:-build-umami}
cd "$(dirname "$0")/../.."
mkdir -p "$build"
if [ ! -x "$build/umami_load" ]; then
  cmake -S . -B "$build" -DBG_CUDA=ON -DBG_SHARED=ON -DCMAKE_CUDA_ARCHITECTURES="${ARCH:-90-real}" >"$build/umami.log" 2>&1 &&
    cmake --build "$build" --parallel "$(nproc)" --target blockgen_umami umami_load blockgen_program >>"$build/umami.log" 2>&1 ||
    { tail -40 "$build/umami.log"; exit 1; }
fi
failed=0

me() { "$build/blockgen" me --quiet --backend cpu --process "$1" "$2"; }
# near NAME FACTOR: the numbers of the device, in $build/device.txt, are those of the CPU times FACTOR
near() {
  if paste "$build/device.txt" "$build/cpu.txt" |
    awk -v f="$2" '{ d = $1 / ($2 * f) - 1; if (d < 0) d = -d; if (!(d < 1e-9)) bad = 1; if (d > most) most = d }
      END { printf "# %d values, largest deviation %.1e\n", NR, most; exit bad || NR < 2 }'; then
    echo "ok - $1"
  else
    echo "not ok - $1"
    failed=1
  fi
}
load() { "$build/umami_load" "$build/libblockgen_umami.so" "$build/umami.txt" "$@" stream >"$build/device.txt" || echo "# umami_load: $?"; }

for n in 2 4 5; do
  points=tests/data/gg_${n}g.points
  printf 'process = g g > %sg\nbackend = cuda\n' "$n" >"$build/umami.txt"
  me "g g > ${n}g" "$points" >"$build/cpu.txt"
  load "$points"
  near "g g > ${n}g" 1
done
points=tests/data/gg_4g.points
printf 'process = g g > 4g\nbackend = cuda\n' >"$build/umami.txt"
me "g g > 4g" "$points" >"$build/cpu.txt"
load "$points" alpha_s=0.236
near "the coupling of events" 16
load "$points" parameter=0.236
near "the coupling as a parameter" 16
printf 'process = u g > u 3g\nprocess = d u > d u 2g\nbackend = cuda\n' >"$build/umami.txt"
me "u g > u 3g" "$points" >"$build/first.txt"
me "d u > d u 2g" "$points" >"$build/second.txt"
paste "$build/first.txt" "$build/second.txt" | awk '{ print NR % 2 ? $1 : $2 }' >"$build/cpu.txt"
load "$points" flavors
near "two processes by their flavor index" 1
exit $failed
