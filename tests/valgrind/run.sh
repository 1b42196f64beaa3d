#!/bin/sh
# The program under valgrind: no memory is read that was never written, none is used that is gone, and none is lost.
#   run.sh BUILD [TIMES]      of the program in BUILD; TIMES (1) as many points and events, for `make valgrind`
# valgrind knows no AVX-512, so kernels are those of the baseline; the same source is compiled for all. The cases are TAP.
set -u
build=$(cd "$1" && pwd) times=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data
command -v valgrind >/dev/null || { echo "there is no valgrind (Debian: apt-get install valgrind)" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BLOCKGEN_SIMD=baseline OMP_WAIT_POLICY=passive
cd "$work" || exit 1
number=0 failed=0

# An exit status of 99 is valgrind's.
under() {
  valgrind -q --leak-check=full --show-leak-kinds=definite,indirect,possible --errors-for-leak-kinds=definite,indirect,possible \
    --error-exitcode=99 --suppressions="$here/openmp.supp" "$@"
}

check() { # WANTED NAME COMMAND...: a TAP case; WANTED is the exit status that is right
  wanted=$1 name=$2
  shift 2
  number=$((number + 1))
  under "$@" >log 2>&1
  status=$?
  if [ $status = "$wanted" ] && ! grep -q '^==[0-9]*==' log; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name (exit status $status)"
    head -60 log | sed 's/^/# /'
    failed=1
  fi
}

# It finds what is wrong.
echo '#include <stdlib.h>
int main(void) { volatile char *p = malloc(10); p[0] = 1; p = NULL; return p != NULL; }' >leak.c
if ${CC:-cc} -O0 -o leak leak.c 2>log; then
  number=$((number + 1))
  under ./leak >log 2>&1
  if [ $? = 99 ]; then echo "ok $number - a leak is found"; else echo "not ok $number - a leak is found" && failed=1; fi
fi

program=$build/blockgen
points() { echo $(($1 * times)); }
check 0 "me" "$program" me "$data/gg_3g.points" --threads 2
check 2 "me: lines that are no points" "$program" me "$data/gg_3g.values"
grep -v '^#' "$data/gg_2g.points" | head -3 >some.points
check 0 "me: quarks" "$program" me --process "u g > u g" some.points --threads 1
check 0 "processes" "$program" processes "p p > 3j"
check 2 "processes: what is none" "$program" processes "e+ e- > 3j"
check 0 "integrate: histograms, a checkpoint" "$program" integrate -n 3 --points "$(points 300)" --threads 2 --histograms out --checkpoint run.ckpt --quiet
check 0 "integrate: the same goes on" "$program" integrate -n 3 --points "$(points 400)" --threads 1 --histograms out --resume run.ckpt --quiet
head -c 5000 run.ckpt >cut.ckpt
check 2 "integrate: a checkpoint that is cut short" "$program" integrate -n 3 --points 400 --histograms out --resume cut.ckpt --quiet
check 0 "integrate: protons" "$program" integrate --process "p p > 2j" --points "$(points 300)" --threads 1 --quiet --json
check 0 "integrate: coherent colors" "$program" integrate -n 4 --points "$(points 300)" --color sampled --threads 1 --quiet
check 0 "integrate: the paper's kernels" "$program" integrate -n 3 --points "$(points 200)" --algorithm co-mc --kernel paper --phase-space rambo \
  --threads 1 --quiet
endings="lhe"
[ "$times" = 1 ] || endings="lhe npy csv"
ldd "$program" | grep -q libz && endings="$endings lhe.gz"
ldd "$program" | grep -q hdf5 && endings="$endings h5"
for ending in $endings; do
  check 0 "generate: .$ending" "$program" generate --process "g g > 2g" --points 300 --events "$(points 30)" --threads 2 -o events.$ending --quiet
done
check 2 "generate: a file that is there" "$program" generate -n 2 --points 300 --events 30 -o events.lhe --quiet
exit $failed
