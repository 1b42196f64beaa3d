#!/bin/sh
# cppcheck over src/ and programs/: cppcheck.sh BUILD. Exit status 77 where it is missing.
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 1
command -v cppcheck >/dev/null || { echo "# needs cppcheck"; exit 77; }
# The definitions are those of a typical kernel; without a list cppcheck would try every combination of all macros.
if found=$(cppcheck -j "$(nproc 2>/dev/null || echo 2)" --enable=warning,performance,portability --std=c11 --quiet --error-exitcode=1 \
  --suppressions-list=tests/habits/cppcheck.txt --template='{file}:{line}: {severity}: {message} [{id}]' \
  -Iinclude -Isrc -Iprograms/blockgen -I"$build/generated" -D_POSIX_C_SOURCE=200809L \
  -DBG_STRAIGHT_CODE='"parts_2_1e_2.h"' -DBG_STRAIGHT_NAME=code -DBG_ISA=baseline -DBG_LANES=2 -DBG_LETTERS=4 -DBG_N_OUT=4 -DBG_HAVE_OPENMP -U__CUDACC__ src programs 2>&1); then
  echo "ok 1 - cppcheck"
else
  echo "$found" | sed 's/^/# /'
  echo "not ok 1 - cppcheck"
  exit 1
fi
