#!/bin/sh
# What has to be there before CMake can start: require.sh program | run | tests | docs | deps.
#
# `program` names the Debian packages that are missing, with the command that installs them, and fails. The others
# install them as root where there is apt-get: that is what `make run`, `make test` and `make deps` are for. What is only
# wished for (pictures, MPI, tools that read the sources) does not stop anything.
set -eu
what=${1:-program}

missing=""
wished=""
need() { missing="$missing $1"; }
wish() { wished="$wished $1"; }
have() { command -v "$1" >/dev/null 2>&1; }
includes() { # HEADERS: the compiler finds them
  for header in "$@"; do echo "#include <$header>"; done | "${CC:-cc}" -E - >/dev/null 2>&1
}

have cmake || need cmake
have ninja || wish ninja-build # make takes longer
have "${CC:-cc}" || have gcc || have clang || need gcc
includes stdio.h || need libc6-dev # a compiler without the headers of the C library is not enough
case $what in
tests | deps)
  have python3 || need python3
  includes stdarg.h stddef.h stdint.h setjmp.h cmocka.h || need libcmocka-dev
  have pkg-config || need pkg-config
  have c++ || have g++ || have clang++ || need g++
  have gfortran || wish gfortran # the Fortran module
  have zsh || wish zsh           # they read the scripts for their completion
  have fish || wish fish
  have dpkg-deb || wish dpkg # the package of Debian
  includes zlib.h || wish zlib1g-dev
  have h5cc || includes hdf5.h || wish libhdf5-dev
  python3 -c 'import ensurepip' 2>/dev/null || wish python3-venv # readers of event files for the tests
  python3 -c 'import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
    2>/dev/null || wish python3-dev # the Python package
  python3 -c 'import torch' 2>/dev/null || [ -d /usr/lib/python3/dist-packages/torch ] || wish python3-torch
  have mpicc || wish libopenmpi-dev
  have mpirun || wish openmpi-bin
  have h5pcc || wish libhdf5-openmpi-dev # ranks write a file together
  have clang || wish clang
  if ! echo 'int main(void) { return 0; }' | clang -fopenmp -x c -o /dev/null - >/dev/null 2>&1; then wish libomp-dev; fi
  have valgrind || wish valgrind
  have clang-format-14 || wish clang-format-14 # the version that the sources are formatted with
  have clang-tidy-14 || have clang-tidy || wish clang-tidy
  have cppcheck || wish cppcheck
  have ccache || wish ccache
  ;;
esac
case $what in
docs | tests | deps)
  have python3 || need python3
  python3 -c 'import ensurepip' 2>/dev/null || wish python3-venv
  have doxygen || wish doxygen
  ;;
esac
case $what in
run | tests | deps) have gnuplot || wish gnuplot-nox ;;
esac

may_install() { [ "$what" != program ] && [ "$(id -u)" = 0 ] && have apt-get; }
updated=""
install() { # PACKAGE...
  echo "Installing: $*" >&2
  [ -n "$updated" ] || apt-get update -q >&2 || true # the lists may be there already
  updated=yes
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2
}

# shellcheck disable=SC2086
if [ -n "$wished" ] && may_install; then
  install $wished || for package in $wished; do install "$package" || true; done # one unknown name stops them all
elif [ -n "$wished" ]; then
  echo "Not found, the rest works without:$wished" >&2
fi

[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086
if may_install && install $missing; then exit 0; fi
echo "Something is missing. On Debian this installs it:" >&2
echo "    apt-get install$missing" >&2
exit 1
