# For tests that are shell scripts, which source this file and have folders $source and $work: whether a program computes what it should.

# |M|^2 of the points in tests/data against the values there
right_values() { # PROGRAM N_OUT
  "$1" me "$source/tests/data/gg_$2g.points" >"$work/values" &&
    grep -v '^#' "$source/tests/data/gg_$2g.values" | paste - "$work/values" |
    awk '{ d = $NF / $(NF - 1) - 1; if (d < 0) d = -d; if (!(d < 1e-10)) bad = 1 } END { exit bad || !NR }'
}

# The cross section of g g -> 3 g is about 308 pb.
right_sigma() { # PROGRAM
  "$1" integrate -n 3 --points 20000 --json --quiet >"$work/sigma" &&
    sed -n 's/.*"sigma_pb": *\([0-9.e+-]*\).*/\1/p' "$work/sigma" | awk '{ good = $1 > 277 && $1 < 339 } END { exit !good }'
}
