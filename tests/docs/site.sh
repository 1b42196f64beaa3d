#!/bin/sh
# The site of the documentation builds without a warning, so that no link in it is broken: site.sh SOURCE FOLDER [PYTHON]
# MkDocs comes from PyPI into a virtual environment in FOLDER, where it stays; 77, a skipped test, where it cannot be had. The C interface is
# left out without doxygen. `make docs` does the same.
set -u
source=$1 folder=$2 python=${3:-python3}
tools=$folder/tools
. "$source/tests/venv.sh"
mkdir -p "$folder"
if [ ! -f "$tools/ready" ]; then
  rm -rf "$tools"
  if venv_create "$python" "$tools" && venv_install "$python" "$tools" 'mkdocs<2' mkdocs-material; then
    touch "$tools/ready"
  else
    echo "1..0 # SKIP MkDocs cannot be installed here"
    exit 77
  fi
fi
doxygen=""
if command -v doxygen >/dev/null; then doxygen=--doxygen; else echo "# there is no doxygen: without the C interface"; fi
# shellcheck disable=SC2086
if ! "$tools/bin/python" -B "$source/docs/site/build.py" "$folder" $doxygen >"$folder/log" 2>&1; then
  sed 's/^/# /' "$folder/log"
  echo "not ok 1 - the site builds without a warning"
  exit 1
fi
echo "ok 1 - the site builds without a warning"
failed=0
expect() { # NUMBER NAME FILE TEXT
  if grep -q "$4" "$folder/site/$3"; then echo "ok $1 - $2"; else echo "not ok $1 - $2" && failed=1; fi
}
expect 2 "there is a search" search/search_index.json '"location":"guide.html'
expect 3 "there is a page of every kind" index.html 'tutorials/samples.html'
[ -z "$doxygen" ] || expect 4 "the C interface explains its calls" c/blockgen_8h.html 'where colors or helicities are sampled, the mean over'
exit $failed
