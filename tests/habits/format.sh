#!/bin/sh
# The layout of the sources: format.sh looks whether clang-format 14 would change anything, format.sh --apply lets it.
# Version 14 only, since every version breaks lines in another way; exit status 77 without it.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=""
for name in clang-format-14 clang-format; do
  if [ -z "$tool" ] && "$name" --version 2>/dev/null | grep -q 'version 14[.]'; then tool=$name; fi
done
[ -n "$tool" ] || { echo "# needs clang-format 14 (Debian: apt-get install clang-format-14)" >&2; exit 77; }
sources() {
  find include src programs python tests examples bench -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' \) -print0
}
if [ "${1:-}" = --apply ]; then
  sources | xargs -0 "$tool" -i
elif found=$(sources | xargs -0 -n 20 -P "$(nproc 2>/dev/null || echo 2)" "$tool" --dry-run -Werror 2>&1); then
  echo "ok 1 - clang-format"
else
  echo "$found" | grep 'error:' | sed 's/:.*//' | sort | uniq -c | sed 's/^/# lines to change: /'
  echo "not ok 1 - clang-format (make format)"
  exit 1
fi
