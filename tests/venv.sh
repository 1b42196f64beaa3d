# For scripts that need packages of PyPI, in a virtual environment of their own:
#   venv_create PYTHON FOLDER                makes it
#   venv_install PYTHON FOLDER PACKAGE...    installs wheels there, never sources
#   venv_warm FOLDER MODULE...               imports what of these is there, so that the next import finds it compiled
#   venv_pip PYTHON FOLDER ARGUMENT...       pip itself
# The pip of PYTHON installs into the environment where it can (from 22.3 on): unpacking another one there would take as long as many a
# package. For the same reason modules are compiled when they are first imported, and not all that a package brings along.
venv_create() {
  "$1" -m venv --without-pip "$2" && "$1" -m pip --python "$2/bin/python" --version >/dev/null 2>&1 && return
  rm -rf "$2"
  "$1" -m venv "$2"
}
venv_pip() {
  venv_python=$1 venv_folder=$2
  shift 2
  if [ -x "$venv_folder/bin/pip" ]; then
    timeout 600 "$venv_folder/bin/python" -m pip --disable-pip-version-check "$@"
  else
    timeout 600 "$venv_python" -m pip --python "$venv_folder/bin/python" --disable-pip-version-check "$@"
  fi
}
venv_install() {
  venv_python=$1 venv_folder=$2
  shift 2
  venv_pip "$venv_python" "$venv_folder" install -q --no-compile --only-binary :all: "$@"
}
venv_warm() {
  venv_folder=$1
  shift
  "$venv_folder/bin/python" -W ignore - "$@" >/dev/null 2>&1 <<END || true
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception:
        pass
END
}
