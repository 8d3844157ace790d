#!/usr/bin/env bash
# bilanx run --count --no-time: several cases are counted in parallel, each job with its own worker.
. "$(dirname "$0")/time.bash"
count=(--count --no-time --quiet)

cat >"$work/suite.yaml" <<'YAML'
suite: test
global_setup: {c: "#include <stdlib.h>\n#include <unistd.h>\n#include <sys/stat.h>"}
defaults: {compile: [{env: one, cc: cc, flags: -O1}, {env: two, cc: cc, flags: -O2}]}
setups:
  meeting: {c: "FILE *f = fopen(getenv(\"MARKS\"), \"a\"); fputs(\"x\\n\", f); fclose(f); struct stat s = {0};
    for (int i = 0; i < 6000 && (stat(getenv(\"MARKS\"), &s) != 0 || s.st_size < 4); i++) usleep(10000);
    if (s.st_size < 4) abort(); volatile long x = 0"}
benchmarks:
  meets: {setup: meeting, stmt: {c: "x += 1"}}
  adds: {setup: {c: "volatile long x = 0"}, stmt: {c: "x += 1"}}
  adds twice: {setup: {c: "volatile long x = 0"}, stmt: {c: "x += 1; x += 2"}}
  crashes: {stmt: {c: "*(volatile int *)0 = 1"}}
  is refused: {stmt: {c: "nosuch()"}}
YAML

check "two jobs run at once, and a failing case is one failed case" exits 1 \
    "$BILANX" run "$work/suite.yaml" "${count[@]}" --jobs 2 --order defined -o "$work/two.jsonl"
check "... with its reason, and the others counted" records "$work/two.jsonl" "
found = {}
for one in r:
    found.setdefault(one['task']['label'], []).append(one.get('error', {}).get('code', one['kind']))
assert found == {'meets': ['counts'] * 2, 'adds': ['counts'] * 2, 'adds twice': ['counts'] * 2,
                 'crashes': ['crashed'] * 2, 'is refused': ['compile-failed'] * 2}, found"
check "one job counts the same" exits 1 "$BILANX" run "$work/suite.yaml" "${count[@]}" --jobs 1 -o "$work/one.jsonl" --filter '^[^m]'
check "... down to the instruction" python3 -c "
import json
def counts(path):
    r = [json.loads(line) for line in open(path)]
    return {(one['task']['label'], one['task']['env']): one['counts']['instructions'] for one in r if 'counts' in one}
one, two = counts('$work/one.jsonl'), counts('$work/two.jsonl')
print(one, two)
assert len(one) == 4 and all(two[key] == value for key, value in one.items())"

# Interrupted while the second half waits for a mark that never comes.
rm -f "$MARKS"
interrupted() {
    "$BILANX" run "$work/suite.yaml" --count --no-time --jobs 2 --order defined --filter 'adds|meets.*one' \
        -o "$work/cut.jsonl" 2>"$work/err" >/dev/null &
    local pid=$!
    soon bash -c "[ \$(grep -c adds '$work/cut.jsonl' 2>/dev/null || echo 0) -ge 2 ]" && kill -INT $pid
    wait $pid
    [ $? = 130 ]
}
check "^C ends all jobs" interrupted
check "... and finished counts are kept" records "$work/cut.jsonl" "assert len(r) >= 2 and all(one['kind'] == 'counts' for one in r)"
rm -f "$work/whole.jsonl"
check "the summary includes times for compiling and counting" exits 0 "$BILANX" run "$work/suite.yaml" --count --no-time --filter 'adds twice'
check "... separately" err '2 cases: 2 measured, in [0-9]* s ([0-9]* s compiling, [0-9]* s counting'
check "--jobs is only for suites" exits 2 "$BILANX" run "$GOOD" --jobs 2
plan
