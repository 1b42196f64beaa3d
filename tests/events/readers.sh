#!/bin/sh
# Readers of event files that are not ours (pylhe, Pythia 8, h5py, numpy, pyhepmc, fastjet), from PyPI into a virtual environment:
#   readers.sh FOLDER [PYTHON]
# Nothing is done where they are there already. Exit status 77, a skipped test, where they cannot be had; tests of pyhepmc and fastjet are
# skipped by themselves where only these cannot. Pythia comes as a wheel or not at all: its newest source would compile for ten minutes.
set -u
folder=$1
python=${2:-python3}
if [ -f "$folder/ready" ]; then
  echo "Readers are in $folder"
  exit 0
fi
. "$(dirname "$0")/../venv.sh"
install() { venv_install "$python" "$folder" "$@"; }
rm -rf "$folder"
if venv_create "$python" "$folder" && { # all at once where that is possible: every call takes seconds
  install numpy h5py "pylhe>=2.1" pythia8mc pyhepmc fastjet 2>/dev/null || install numpy h5py "pylhe>=2.1" pythia8mc
}; then
  for more in pyhepmc fastjet; do
    "$folder/bin/python" -c "import $more" 2>/dev/null || install "$more" || echo "# $more cannot be installed here"
  done
  venv_warm "$folder" numpy h5py pylhe pythia8mc
  touch "$folder/ready"
  exit 0
fi
echo "1..0 # SKIP the readers cannot be installed here"
exit 77
