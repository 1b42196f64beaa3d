#!/bin/sh
# The tests of the Python package in a virtual environment of their own:
#   run.sh BUILD SOURCE CMAKE PYTHON [ARGUMENT OF PYTEST...]
# The wheel is built from the sources against the library and the program of the build folder BUILD, so that nothing is compiled
# but the extension. What the tests use is installed once for a build folder, from PyPI, and torch from Debian or from PyTorch's
# own index; a test whose package cannot be had is skipped by name. Exit status 77, a skipped test: no package can be built here.
set -u
build=$1 source=$2 cmake=$3 python=$4
shift 4
folder=$build/python
venv=$folder/venv

skip() {
  echo "1..0 # SKIP $1"
  exit 77
}
. "$source/tests/venv.sh"
get() { venv_install "$python" "$venv" "$@"; }

# torch: what Debian has, where it is made for this Python (the rest of Debian's packages comes last and hides nothing), or a
# wheel without CUDA. The one of PyPI would take gigabytes.
get_torch() {
  debian=/usr/lib/python3/dist-packages
  printf '%s\n' "$debian" >"$folder/debian.pth"
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp "$folder/debian.pth" "$site/zz_debian.pth"
  "$venv/bin/python" -W ignore -c 'import torch' 2>/dev/null && return
  rm -f "$site/zz_debian.pth"
  get --retries 0 --timeout 15 torch --index-url https://download.pytorch.org/whl/cpu ||
    echo "torch is not there (Debian: python3-torch): its tests are skipped"
}

if [ ! -f "$folder/ready" ]; then
  "$python" -c 'import os, sysconfig; raise SystemExit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    skip "there is no Python.h (Debian: python3-dev)"
  rm -rf "$folder"
  mkdir -p "$folder"
  tools="scikit-build-core>=0.10 nanobind>=2.5 ninja numpy pytest"
  wished="matplotlib tqdm nbclient nbformat ipykernel fastjet mpi4py mypy typing_extensions"
  venv_create "$python" "$venv" || skip "there is no virtual environment here (Debian: python3-venv)"
  # All at once where that is possible: every call takes seconds.
  # shellcheck disable=SC2086
  get $tools $wished 2>/dev/null || {
    get $tools || skip "the tools that build the package cannot be installed here"
    for package in $wished; do get "$package" || true; done
  }
  get_torch
  venv_warm "$venv" numpy pytest matplotlib.pyplot tqdm nbclient nbformat ipykernel.kernelapp fastjet
  touch "$folder/ready"
fi

set -e
DESTDIR='' "$cmake" --install "$build" --prefix "$folder/prefix" >/dev/null
launcher=$(command -v ccache || true)
( # the compiler's optimizer is not what is tried here, and the extension computes nothing
  PATH=$(dirname "$cmake"):$venv/bin:$PATH
  venv_pip "$python" "$venv" install -q --no-build-isolation --no-deps --force-reinstall "$source" -C build-dir="$folder/build" \
    -C cmake.source-dir=python -C cmake.build-type=Debug -C cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0 -C install.strip=false \
    -C cmake.define.BlockGen_ROOT="$folder/prefix" ${launcher:+-C cmake.define.CMAKE_CXX_COMPILER_LAUNCHER="$launcher"}
)
cd "$folder" # away from the sources: what is tested is what was installed
exec "$venv/bin/python" -B -m pytest -q -rs -p no:cacheprovider "$source/python/tests" "$@"
