#!/bin/sh
# The packages, tried in empty places: packages.sh CMAKE BUILD SOURCE CC
# The .deb of CPack is unpacked into a folder, from which the program runs and an example is built. The archive of the source
# has the files of the commit and no others, is configured, and knows its commit.
set -eu
cmake=$1 build=$2 source=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 # a test is one thread

. "$source/tests/tap.sh"
version=$(sed -n 's/^project(BlockGen VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

# ---- the binary package
if command -v dpkg-deb >/dev/null; then
  check "cpack" "$(dirname "$(command -v "$cmake")")/cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages" \
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip # xz takes most of a minute
  package=$(find "$work/packages" -maxdepth 1 -name '*.deb')
  check "one package" test -f "$package"
  check "its version" test "$(dpkg-deb -f "$package" Version)" = "$version"
  check "it needs the C library" sh -c "dpkg-deb -f '$package' Depends | grep -q libc6 || ! command -v dpkg-shlibdeps"
  mkdir "$work/root"
  check "unpack" dpkg-deb -x "$package" "$work/root"
  prefix=$work/root/usr
  doc=$(dirname "$(find "$prefix/share/doc" -name README.md)")
  check "nothing is outside of /usr" test "$(ls "$work/root")" = usr
  check "the program runs" "$prefix/bin/blockgen" info
  check "points" "$prefix/bin/blockgen" me --quiet "$doc/examples/gg_4g.points"
  check "built-in parton densities" "$prefix/bin/blockgen" integrate --quiet --process "p p > 2j" --precision 0.1
  check "completion for bash" bash -n "$prefix/share/bash-completion/completions/blockgen"
  for file in share/zsh/site-functions/_blockgen share/fish/vendor_completions.d/blockgen.fish share/man/man1/blockgen.1; do
    check "$file" test -s "$prefix/$file"
  done
  if command -v pkg-config >/dev/null; then
    libdir=$(dirname "$(find "$prefix" -name libblockgen.a)")
    export PKG_CONFIG_PATH="$libdir/pkgconfig"
    for static in "" 1; do
      check "an example${static:+, static}" make -C "$doc/examples" CC="$cc" OUT="$work/example$static" ${static:+STATIC=1}
      check "its values${static:+, static}" sh -c "test \$('$work/example$static' | grep -c '^0[.]0001887433739424') = 2"
    done
  fi
else
  echo "# dpkg-deb is not here: no package of Debian"
fi

# ---- the source
if [ -e "$source/.git" ] && command -v git >/dev/null; then
  check "archive of the source" "$cmake" --build "$build" --target source_package
  mkdir "$work/source"
  check "it unpacks" tar -C "$work/source" -xzf "$build/packages/blockgen-$version.tar.gz"
  tree=$work/source/blockgen-$version
  git -C "$source" ls-tree -r --name-only HEAD | LC_ALL=C sort >"$work/committed"
  (cd "$tree" && find . -type f -o -type l | sed 's,^[.]/,,' | LC_ALL=C sort) >"$work/archived"
  check "the files of the commit, and no others" diff "$work/committed" "$work/archived"
  check "configure" "$cmake" -S "$tree" -B "$work/from-source" -DBG_CUDA=OFF -DBG_INSTRUCTION_SETS=none -DCMAKE_C_COMPILER="$cc"
  check "its commit" grep -q "$(git -C "$source" rev-parse --short=7 HEAD)" "$work/from-source/generated/commit.h"
else
  echo "# not a repository of git: no archive of the source"
fi
echo "1..$number"
exit $failed
