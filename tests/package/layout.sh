#!/bin/sh
# Whether the structs that blockgen.f90 declares are as large as those of the header: layout.sh INCLUDE LIBDIR CC
# A difference says that a struct has grown, and that the module has to follow.
set -eu
include=$1 libdir=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

structs="bg_error=bg_error bg_result=blockgen_result bg_class_result=blockgen_class_result bg_integration=blockgen_integration \
  bg_event=blockgen_event bg_generation=bg_generation bg_generation_result=blockgen_generated"
{
  printf '#define BLOCKGEN_EXPERIMENTAL\n#include <blockgen/blockgen.h>\n#include <stdio.h>\nint main(void)\n{\n'
  for pair in $structs; do echo "    printf(\"%s %zu%c\", \"${pair%=*}\", sizeof(${pair%=*}), 10);"; done
  printf '    return 0;\n}\n'
} >"$work/sizes.c"
{
  printf 'program sizes\n  use blockgen\n  use, intrinsic :: iso_c_binding\n  implicit none\n'
  k=0
  for pair in $structs; do k=$((k + 1)); echo "  type(${pair#*=}) :: s$k"; done
  k=0
  for pair in $structs; do k=$((k + 1)); echo "  print '(a,1x,i0)', '${pair%=*}', c_sizeof(s$k)"; done
  echo 'end program sizes'
} >"$work/sizes.f90"
sed '/^  private$/d' "$include/blockgen/blockgen.f90" >"$work/blockgen.f90"
"$cc" -I"$include" -o "$work/in_c" "$work/sizes.c"
(cd "$work" && gfortran -o in_fortran blockgen.f90 sizes.f90 -L"$libdir" -lblockgen -Wl,-rpath,"$libdir")
"$work/in_c" >"$work/c.txt"
"$work/in_fortran" >"$work/fortran.txt"
diff "$work/c.txt" "$work/fortran.txt"
