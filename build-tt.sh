# usage: build-tt.sh BACKEND N LIMIT OPTS...   prints one line
b=$1; n=$2; l=$3; shift 3
timeout $l build-gpu/blockgen integrate -n $n --backend $b --threads 1 --precision ${P:-0.01} ${X:-} --quiet --json "$@" > /tmp/tt.$$ 2>/dev/null
python3 - "$b" $n "$*" $? /tmp/tt.$$ <<'P'
import json,sys
try:
    d=json.load(open(sys.argv[5])); print('%s n %s  %.3f s  sigma %.5g +- %.2g  points %.3g acc %.2f chi2 %.2f  %s'%(sys.argv[1],sys.argv[2],d['seconds'],d['sigma_pb'],d['error_pb'],d['points'],d['accepted']/d['points'],d['chi2_per_dof'] or 0,sys.argv[3]))
except Exception as e: print(sys.argv[1],'n',sys.argv[2],'none',sys.argv[3])
P
