#!/usr/bin/env bash
# Suites run without loss: whatever a case does affects only its own record.
. "$(dirname "$0")/time.bash"
# all_gone: soon no worker with the environment of this test is left.
all_gone() {
    local comm left
    for _ in $(seq 100); do
        left=0
        for comm in $(grep -lsx bilanx-worker /proc/[0-9]*/comm); do
            ! grep -qsz "^XDG_CACHE_HOME=$work/cache" "${comm%comm}environ" || left=1
        done
        [ $left = 0 ] && return
        sleep .1
    done
    false
}
quick=(--method timeit --number 1 --repeats 2)

# suite FILE TEXT: a suite in C, with the headers that its cases need.
suite() {
    printf 'suite: test\nglobal_setup: {c: "#include <unistd.h>\\n#include <signal.h>\\n#include <sys/wait.h>"}\nbenchmarks:\n%s\n' "$2" >"$work/$1"
}

suite faults.yaml '  first: {stmt: "x += 1", setup: "volatile long x = 0"}
  does not compile: {stmt: "nothing("}
  crashes: {stmt: "*(volatile int *)0 = 1"}
  hangs: {stmt: "for (;;) { volatile int x = 1; (void)x; }", timeout: 1}
  exits: {stmt: "_exit(7)"}
  forks: {stmt: "fork()"}
  swarms: {stmt: "for (;;) fork()", timeout: 20}
  prints: {stmt: "for (int i = 0; i < 1000000; i++) puts(\"a line of a hundred characters or so, which is printed a million times and more than that\")"}
  leaves: {stmt: "x += 1", setup: "volatile long x = 0; char d[] = \"/tmp/bilanx-XXXXXX\"; if (mkdtemp(d) && chdir(d) == 0) rmdir(d)"}
  is killed: {stmt: "kill(getpid(), SIGKILL)"}
  wants threads: {stmt: "x += 1", setup: "volatile long x = 0", threads: [4096]}
  needs a program: {stmt: "x += 1", setup: "volatile long x = 0", requires: "program:no-such-program"}
  is left out: {stmt: "x += 1", setup: "volatile long x = 0", skip: it is too slow}
  last: {stmt: "x += 2", setup: "volatile long x = 0"}'
check "every kind of failure" exits 1 "$BILANX" run "$work/faults.yaml" "${quick[@]}" --overwrite -o "$work/r.jsonl"
check "... is a record" records "$work/r.jsonl" "
found = {one['task']['label']: one.get('error', {}).get('code', 'ok') for one in r}
wanted = {'first': 'ok', 'does not compile': 'compile-failed', 'crashes': 'crashed', 'hangs': 'timed-out', 'exits': 'exited',
          'forks': 'failed', 'swarms': 'too-many-processes', 'prints': 'output-flood', 'leaves': 'ok', 'is killed': 'crashed',
          'wants threads': 'skipped', 'needs a program': 'skipped', 'is left out': 'skipped', 'last': 'ok'}
assert found == wanted, found
reasons = {one['task']['label']: one['error']['text'] for one in r if 'error' in one}
assert 'no-such-program' in reasons['needs a program'] and '4096 threads' in reasons['wants threads'], reasons
assert reasons['is left out'] == 'it is too slow', reasons"
check "... and is shown in the tables" out 'timed out'
check "totals are printed at the end" err '14 cases: 3 measured, 8 failed, 3 skipped'
check "no process is left running" all_gone

suite two.yaml '  a: {each: {n: [1, 2, 3]}, stmt: "x += $n", setup: "volatile long x = 0"}
  b: {stmt: "x -= 1", setup: "volatile long x = 0"}'
check "a complete run" exits 0 "$BILANX" run "$work/two.yaml" "${quick[@]}" -o "$work/whole.jsonl"
head -n 2 "$work/whole.jsonl" >"$work/part.jsonl"
printf '{"schema":"bilanx/1","kind":"measur' >>"$work/part.jsonl"
check "--resume completes a partial file" exits 0 "$BILANX" run "$work/two.yaml" "${quick[@]}" --resume "$work/part.jsonl"
check "... by measuring only the missing cases" err '4 cases: 2 measured, 2 before'
check "... and gives the same set of records" python3 -c "
import json
tasks = lambda name: sorted(json.dumps(json.loads(line)['task'], sort_keys=True) for line in open(name))
assert tasks('$work/whole.jsonl') == tasks('$work/part.jsonl')"
check "--resume starts a missing file" exits 0 "$BILANX" run "$work/two.yaml" "${quick[@]}" --resume "$work/new.jsonl"
check "... with all cases" test "$(wc -l <"$work/new.jsonl")" = 4

suite ways.yaml '  copies:
    large: {each: {n: [4096, 64]}, description: $n bytes, stmt: "memcpy(a, b, $n); BILANX_CLOBBER();", setup: "static char a[$n], b[$n]", bytes: $n, compile: [{env: quick, flags: -O2}, {env: plain, flags: -O1}]}
    small: {inherit: large, each: {n: [16, 64]}}'
check "several compilers and flags" exits 0 "$BILANX" run "$work/ways.yaml" "${quick[@]}" --order random
check "... are columns in order of definition" out '^ *large, quick *large, plain *small, quick *small, plain *$'
check "... and sizes are rows" bash -c "grep -oE '^(4096|64|16) bytes ' '$work/out' | head -n 3 | xargs | grep -qx '4096 bytes 64 bytes 16 bytes'"
check "... and so are rates" out '^copies: bytes-per-second$'

suite once.yaml "  shy: {stmt: \"if (access(\\\"$work/seen\\\", F_OK) != 0) { fclose(fopen(\\\"$work/seen\\\", \\\"w\\\")); *(volatile int *)0 = 1; }\"}"
check "--retries repeats a case that failed" exits 0 "$BILANX" run "$work/once.yaml" "${quick[@]}" --retries 1 --overwrite -o "$work/r.jsonl"
check "... and the record says so" records "$work/r.jsonl" "
assert r[0]['attempts'] == 2 and any(w['code'] == 'retried' for w in r[0]['warnings']), r"

suite broken.yaml '  a: {stmt: "x += 1", setup: "volatile long x = 0"}
  b: {stmt: "x += 2", setup: "volatile long x = 0"}'
check "a compiler that does not work fails" exits 1 "$BILANX" run "$work/broken.yaml" "${quick[@]}" --cc false
check "... with one message" test "$(grep -c 'does not work here' "$work/err")" = 1
check "... and one line at the end" err '^a and 1 more: failed in start:'
printf 'benchmarks:\n  a: {stmt: {c: "x += 1", python: x + 1}, setup: {c: volatile long x = 0, python: x = 1}}\n' >"$work/both.yaml"
check "--cc does not affect Python" exits 0 "$BILANX" run "$work/both.yaml" "${quick[@]}" --cc gcc --cflags -O1
mkdir -p "$work/costly"
printf 'import time\nopen("%s/imported", "a").write("once\\n")\ntime.sleep(.2)\n' "$work" >"$work/costly/numpy.py"
printf 'language: python\nglobal_setup: import numpy\nbenchmarks:\n  a: {setup: import numpy, stmt: pass}\n' >"$work/costly.yaml"
check "a costly module" exits 0 env PYTHONPATH="$work/costly" "$BILANX" run "$work/costly.yaml" --method timeit --number 1 --overwrite -o "$work/r.jsonl"
check "... is imported once, to try the interpreter and to prepare" test "$(cat "$work/imported")" = once
printf 'not a record' >"$work/precious"
check "--resume rejects a file without records" exits 2 "$BILANX" run "$work/both.yaml" "${quick[@]}" --resume "$work/precious"
check "... and leaves it alone" grep -qx 'not a record' "$work/precious"
check "--order and --seed are accepted" exits 0 "$BILANX" run "$work/two.yaml" "${quick[@]}" --order defined --seed 7
check "--no-time alone is a usage error" exits 2 "$BILANX" run "$work/two.yaml" --no-time
check "--count --no-time only counts" exits 0 "$BILANX" run "$work/two.yaml" --count --no-time --overwrite -o "$work/r.jsonl"
check "... into records" records "$work/r.jsonl" "assert len(r) == 4 and all(one['kind'] == 'counts' for one in r), r"
check "--count also counts" exits 0 "$BILANX" run "$work/two.yaml" "${quick[@]}" --count --overwrite -o "$work/r.jsonl"
check "... into the same record" records "$work/r.jsonl" "assert all(one['counts']['per_iteration'] > 0 and one['raw_times'] for one in r), r"
check "options of suites are rejected for programs" exits 2 "$BILANX" run "$GOOD" --retries 1
# A standby worker serves cases with one thread and with several.
mkdir "$work/modules"
printf 'import time\ntime.sleep(.3)\n' >"$work/modules/slow_to_import.py"
cat >"$work/threads.yaml" <<YAML
language: python
global_setup: import slow_to_import, os
defaults: {setup: "open('$work/cpus', 'a').write('\$n %d\\\\n' % len(os.sched_getaffinity(0)))", stmt: x = \$n}
benchmarks:
  one: {each: {n: 1}, threads: 1}
  two: {each: {n: 2}, threads: 2}
YAML
cores=$(nproc)
if [ "$cores" -ge 2 ]; then
    check "threads of a preloaded worker" exits 0 env PYTHONPATH="$work/modules" "$BILANX" run "$work/threads.yaml" --preload slow_to_import --max-run-time 5ms --overwrite -o "$work/r.jsonl"
    check "... get as many CPUs as threads" test "$(sort -u "$work/cpus" | tr '\n' ' ')" = "1 1 2 2 "
    check "... in forks of the standby worker" records "$work/r.jsonl" "assert all(one['forks'] >= 5 for one in r), r"
fi
plan
