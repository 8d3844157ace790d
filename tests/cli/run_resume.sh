#!/usr/bin/env bash
# However a run of a suite ends, results are kept, and --resume measures the rest.
. "$(dirname "$0")/time.bash"
brief=(--max-run-time 60ms --warmup 1ms)
steady=(--max-run-time 200ms --warmup 1ms --precision 1e-9)  # long enough for a signal
{
    printf 'suite: test\nbenchmarks:\n'
    for i in $(seq 24); do
        printf '  case %d: {stmt: x += %d, setup: volatile long x = 0}\n' "$i" "$i"
    done
} >"$work/many.yaml"

# lines NUMBER FILE: it has at least that many.
lines() { [ "$(wc -l <"$2" 2>/dev/null || echo 0)" -ge "$1" ]; }
# is_complete FILE: has the same tasks as an undisturbed run, each once.
is_complete() {
    python3 - "$work/whole.jsonl" "$1" <<'PYTHON'
import collections, json, sys
def tasks(name):
    records = [json.loads(line) for line in open(name)]
    assert all(one['kind'] == 'measurement' for one in records), records
    return collections.Counter(json.dumps(one['task'], sort_keys=True) for one in records)
whole, resumed = map(tasks, sys.argv[1:])
assert whole == resumed and set(resumed.values()) == {1}, (whole - resumed, resumed - whole, resumed)
PYTHON
}

# broken_off SIGNAL STATUS: a run that gets a signal after a few records exits with STATUS.
broken_off() {
    local pid
    rm -f "$work/part.jsonl"
    # In a shell without job control, background programs ignore SIGINT, but not under setsid.
    setsid --wait "$BILANX" run "$work/many.yaml" "${steady[@]}" -o "$work/part.jsonl" >"$work/out" 2>"$work/err" &
    local shell=$!
    soon lines 3 "$work/part.jsonl" || return
    pid=$(pgrep -P "$shell" -x bilanx || echo "$shell")
    kill -"$1" "$pid"
    wait "$shell"
    status=$?
    [ $status = "$2" ] || { echo "status $status, not $2"; cat "$work/err"; false; }
}
resumes() { exits 0 "$BILANX" run "$work/many.yaml" "${brief[@]}" --resume "$work/part.jsonl" && is_complete "$work/part.jsonl"; }
unfinished() { [ "$(wc -l <"$work/part.jsonl")" -lt 24 ]; }

check "an undisturbed run works" exits 0 "$BILANX" run "$work/many.yaml" "${brief[@]}" -o "$work/whole.jsonl"
check "... has a record for each case" is_complete "$work/whole.jsonl"
check "^C interrupts a run" broken_off INT 130
check "... before all cases are done" unfinished
check "... and the message says how to continue" err "interrupted.*--resume '$work/part.jsonl'"
check "... and finished cases are shown" out 'case'
check "--resume completes the records" resumes
check "SIGTERM interrupts a run" broken_off TERM 130
check "--resume completes its records" resumes
check "SIGKILL interrupts a run" broken_off KILL 137
torn=$(head -c 100 "$work/part.jsonl")
printf %s "$torn" >>"$work/part.jsonl"
check "--resume completes its records despite a partial line" resumes
check "--resume after a complete run does nothing" resumes
check "... and says so" err '24 cases: 0 measured, 24 before'

# Killing a worker is a crash of its case only.
cat >"$work/victim.yaml" <<YAML
global_setup: {c: "#include <unistd.h>"}
benchmarks:
  before: {stmt: x += 1, setup: volatile long x = 0}
  victim: {stmt: usleep(10000000), setup: "FILE *f = fopen(\"$work/pid\", \"w\"); fprintf(f, \"%d\\\\n\", (int)getpid()); fclose(f)"}
  after: {stmt: x += 2, setup: volatile long x = 0}
YAML
kill_worker() {
    rm -f "$work/pid"
    exits 1 "$BILANX" run "$work/victim.yaml" "${brief[@]}" --overwrite -o "$work/r.jsonl" "$@" &
    local run=$!
    soon test -s "$work/pid" && kill -KILL "$(cat "$work/pid")"
    wait "$run"
}
check "killing a worker" kill_worker
check "... fails one case, and the others are measured" records "$work/r.jsonl" "
codes = {one['task']['label']: one.get('error', {}).get('code') for one in r}
assert codes == {'before': None, 'victim': 'crashed', 'after': None}, codes
assert 'signal 9' in by['victim']['error']['text'], by['victim']"
check "with --quiet a failure is one line" kill_worker --quiet
check "... on stderr" test "$(grep -c . "$work/err")" = 1
check "... with its cause" err '^victim: crashed in stmt: killed by signal 9'
plan
