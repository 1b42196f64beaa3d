#!/bin/sh
# What has to be there before CMake can start: require.sh program | run | tests. Missing Debian packages are installed
# where that is possible (root, apt-get); otherwise they are named. What is only wished for (pictures, MPI) does not stop
# anything.
set -eu

missing=""
wished=""
need() { missing="$missing $1"; }
wish() { wished="$wished $1"; }
have() { command -v "$1" >/dev/null 2>&1; }

have cmake || need cmake
have "${CC:-cc}" || have gcc || have clang || need gcc
# a compiler without the headers of the C library is not enough
if have "${CC:-cc}"; then
  echo '#include <stdio.h>' | "${CC:-cc}" -E - >/dev/null 2>&1 || need libc6-dev
else
  need libc6-dev
fi
if [ "${1:-program}" = tests ]; then
  have python3 || need python3
  if have "${CC:-cc}"; then
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' |
      "${CC:-cc}" -E - >/dev/null 2>&1 || need libcmocka-dev
  else
    need libcmocka-dev
  fi
  have pkg-config || need pkg-config
  have c++ || have g++ || have clang++ || need g++
fi

case ${1:-program} in
run | tests) have gnuplot || wish gnuplot-nox ;;
esac
if [ "${1:-program}" = tests ]; then
  have mpicc || wish libopenmpi-dev
  have mpirun || wish openmpi-bin
fi

if [ -n "$wished" ] && [ "$(id -u)" = 0 ] && have apt-get; then
  echo "Installing:$wished" >&2
  apt-get update -q >&2 || true # the lists may be there already
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $wished >&2 || true
elif [ -n "$wished" ]; then
  echo "Not found, the rest works without:$wished" >&2
fi

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && have apt-get; then
  echo "Installing:$missing" >&2
  apt-get update -q >&2 || true # the lists may be there already
  # shellcheck disable=SC2086
  if DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2; then exit 0; fi
fi
echo "Please install what is missing (names of the Debian packages):$missing" >&2
exit 1
