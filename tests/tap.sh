# For tests that are shell scripts, which source this file and have a folder $work:
#   check NAME COMMAND...    a TAP case; what the command says is shown where it fails
# $number counts the cases, $failed is 1 as soon as one has failed, and $passed tells about the last one.
number=0 failed=0 passed=yes

check() {
  name=$1
  shift
  number=$((number + 1))
  if "$@" >"$work/log" 2>&1; then
    passed=yes
    echo "ok $number - $name"
  else
    echo "not ok $number - $name (exit status $?)"
    passed=no
    if [ "$(wc -l <"$work/log")" -le 120 ]; then
      sed 's/^/# /' "$work/log"
    else
      sed -n '1,60s/^/# /p' "$work/log"
      echo "# [...]"
      tail -60 "$work/log" | sed 's/^/# /'
    fi
    failed=1
  fi
}
