#!/bin/sh
# Installs into a folder of its own and uses the library from there as others would:
#   run.sh CMAKE BUILD SOURCE CC
# examples/ through find_package (shared and static) and through pkg-config (shared and static), in C, C++ and Fortran.
set -eu
cmake=$1 build=$2 source=$3 cc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 # a test is one thread

. "$source/tests/tap.sh"

prefix=$work/prefix
check "install" env DESTDIR= "$cmake" --install "$build" --prefix "$prefix"
check "DESTDIR" sh -c "DESTDIR='$work/stage' '$cmake' --install '$build' --prefix /opt/bg && test -x '$work/stage/opt/bg/bin/blockgen'"
libdir=$(dirname "$(find "$prefix" -name libblockgen.a)")
for file in bin/blockgen include/blockgen/blockgen.h include/blockgen/blockgen.hpp include/blockgen/blockgen.f90 \
  include/blockgen/mpi.h include/blockgen/version.h share/man/man1/blockgen.1 \
  share/doc/BlockGen/LICENSE share/doc/BlockGen/docs/tutorial.md share/doc/BlockGen/docs/figures/cpu-time.png \
  share/doc/BlockGen/examples/matrix_elements.f90 share/bash-completion/completions/blockgen \
  share/zsh/site-functions/_blockgen share/fish/vendor_completions.d/blockgen.fish; do
  check "installed: $file" test -s "$prefix/$file"
done
doc=$(dirname "$(find "$prefix/share/doc" -name README.md)")
for file in LICENSE CITATION.cff docs/guide.md docs/figures/cpu-time.png examples/matrix_elements.c examples/gg_4g.points; do
  check "installed: $file" test -s "$doc/$file"
done
check "points that are installed" "$prefix/bin/blockgen" me --quiet "$doc/examples/gg_4g.points"
check "headers, a module and nothing else" sh -c "test \$(find '$prefix/include' -type f | wc -l) = 5"
check "the installed program runs" "$prefix/bin/blockgen" info
# A moved tree must work as well: nothing may hold the old place.
mv "$prefix" "$work/moved"
libdir=$work/moved${libdir#"$prefix"}
prefix=$work/moved
check "the moved program" "$prefix/bin/blockgen" info
check "built-in parton densities of the moved program" "$prefix/bin/blockgen" integrate --quiet --process "p p > 2j" --precision 0.1
check "the same as a set of LHAPDF" "$prefix/bin/blockgen" integrate --quiet \
  --process "p p > 2j" --precision 0.1 --pdf "$prefix/share/blockgen/pdf/BlockGen-toy-lo"
if test -e "$libdir/libblockgen_umami.so"; then
  check "what MadSpace loads, from the moved tree" python3 -B "$source/tests/umami/compare.py" "$build/umami_load" \
    "$libdir/libblockgen_umami.so" "$prefix/bin/blockgen" cpu
fi

# The example prints |M|^2 of two points that are one turned: the reference value, twice.
right() {
  "$@" >"$work/out" && awk '{ d = $1 / 1.8874337394242578e-4 - 1; if (d < 0) d = -d; if (!(d < 1e-11)) bad = 1 }
    END { exit bad || NR != 2 }' "$work/out" || { cat "$work/out"; return 1; }
}
example() { # FOLDER, then flags of CMake
  folder=$1
  shift
  "$cmake" -S "$source/examples" -B "$work/$folder" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" "$@" &&
    "$cmake" --build "$work/$folder" && right "$work/$folder/matrix_elements"
}
check "find_package" example shared
for other in matrix_elements_cpp matrix_elements_fortran; do # where there were compilers for them
  test ! -x "$work/shared/$other" || check "$other: right values" right "$work/shared/$other"
done
# Jets of protons: sigma and its error, which the distribution (or the classes) add up to, and a hundred events.
jets() {
  "$@" >"$work/out" && awk 'NR == 1 { d = $1 / $3 - 1; if (d < 0) d = -d; good = $1 > 1e6 && $2 < 0.02 * $1 && d < 1e-9 }
    NR == 2 { good = good && $1 == 100 } END { exit !(good && NR == 2) }' "$work/out" || { cat "$work/out"; return 1; }
}
for other in cross_section_cpp cross_section_fortran; do
  test ! -x "$work/shared/$other" || check "$other: jets and events" jets "$work/shared/$other"
done
# The structs of the Fortran module are those of C.
if command -v gfortran >/dev/null && test -e "$libdir/libblockgen.so"; then
  check "objects of Fortran" sh -c "cd '$work' && gfortran -o objects_f '$prefix/include/blockgen/blockgen.f90' \
    '$source/tests/package/objects.f90' -L'$libdir' -lblockgen -Wl,-rpath,'$libdir' && ./objects_f"
  check "structs of the Fortran module" "$source/tests/package/layout.sh" "$prefix/include" "$libdir" "$cc"
fi
# 925 pb are the cross section, 2 % its precision.
near() {
  "$@" >"$work/out" && awk '{ d = $1 / 925 - 1; if (d < 0) d = -d; exit !(d < 0.1 && $2 < 20) }' "$work/out"
}
check "cross_section: right value" near "$work/shared/cross_section"
check "find_package, static" example static -DBlockGen_STATIC=ON
if test -n "$(find "$libdir" -name 'libblockgen.so*')"; then
  check "find_package links the shared library" sh -c "ldd '$work/shared/matrix_elements' | grep -q 'moved.*libblockgen'"
  check "what the shared library needs and shows" python3 "$source/tests/package/library.py" "$libdir/libblockgen.so" "$prefix/include"
fi
check "static links no shared blockgen" sh -c "! ldd '$work/static/matrix_elements' | grep libblockgen"

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH="$libdir/pkgconfig"
  version=$("$prefix/bin/blockgen" --version)
  check "pkg-config version" test "blockgen $(pkg-config --modversion blockgen)" = "${version%% (*}"
  check "pkg-config" make -C "$source/examples" CC="$cc" OUT="$work/with_pkg_config"
  check "pkg-config: right values" right "$work/with_pkg_config"
  for other in cpp fortran; do
    test ! -x "$work/shared/matrix_elements_$other" || { # make leaves its .mod file where it is called
      mkdir -p "$work/made" && cp "$source"/examples/Makefile "$source"/examples/matrix_elements.* "$work/made"
      check "pkg-config: $other" make -C "$work/made" matrix_elements_$other
      check "pkg-config: $other, right values" right "$work/made/matrix_elements_$other"
    }
  done
  check "pkg-config --static" make -C "$source/examples" CC="$cc" OUT="$work/with_static" STATIC=1
  check "pkg-config --static: right values" right "$work/with_static"
fi

# The tutorial, command by command.
if command -v pkg-config >/dev/null; then
  check "docs/tutorial.md" env CC="$cc" python3 -B "$source/tests/package/tutorial.py" "$source/docs/tutorial.md" "$prefix" "$libdir"
fi

# C++: the header alone with all warnings, and a program.
cxx=$(command -v c++ || command -v g++ || command -v clang++ || true)
if test -n "$cxx"; then
  cat >"$work/program.cpp" <<'END'
#include <blockgen/blockgen.h>
#if __cplusplus >= 201703L
#include <blockgen/blockgen.hpp>
#endif
#include <cstdio>
int main()
{
    bg_options options;
    bg_options_init(&options);
    bg_process *process = nullptr;
    bg_error error;
    const bool wrong = bg_process_create_gluons(&process, 99, &error) != BG_ERROR_ARGUMENT;
    std::puts(error.message);
    bg_process_destroy(process);
    return wrong;
}
END
  for standard in c++11 c++17 c++20; do
    check "header in $standard, experimental part" "$cxx" -std=$standard -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
      -Wold-style-cast -Werror -DBLOCKGEN_EXPERIMENTAL -I"$prefix/include" -fsyntax-only "$work/program.cpp"
    check "header in $standard" "$cxx" -std=$standard -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast \
      -Werror -I"$prefix/include" -fsyntax-only "$work/program.cpp"
  done
  if test -e "$libdir/libblockgen.so"; then
    check "objects of C++" sh -c "'$cxx' -std=c++17 -Wall -Wextra -Werror -I'$prefix/include' -o '$work/objects' \
      '$source/tests/package/objects.cpp' -L'$libdir' -lblockgen -Wl,-rpath,'$libdir' && '$work/objects'"
  fi
  mkdir "$work/cpp"
  cat >"$work/cpp/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(Program LANGUAGES CXX)
find_package(BlockGen REQUIRED)
add_executable(program ../program.cpp)
target_link_libraries(program PRIVATE BlockGen::blockgen)
END
  for static in OFF ON; do
    check "C++ project, BlockGen_STATIC=$static" sh -c "'$cmake' -S '$work/cpp' -B '$work/cpp/$static' \
      -DCMAKE_PREFIX_PATH='$prefix' -DBlockGen_STATIC=$static && '$cmake' --build '$work/cpp/$static' && '$work/cpp/$static/program'"
  done
fi
for standard in c11 c17; do
  echo '#include <blockgen/blockgen.h>' >"$work/header.c"
  check "header in $standard" "$cc" -std=$standard -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only \
    "$work/header.c"
done
exit $failed
