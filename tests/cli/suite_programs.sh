#!/usr/bin/env bash
# A suite may name benchmark programs, whose cases become its own.
. "$(dirname "$0")/cli.bash"
export XDG_CACHE_HOME=$work/cache
mkdir "$work/below"
ln -s "$GOOD" "$work/below/good"
cat >"$work/mixed.yaml" <<YAML
benchmarks:
  here: {stmt: x += 1, setup: volatile long x = 0}
  outside:
    good: {program: below/good, tags: ext, timeout: 30}
    faults: {program: $FAULTS, timeout: 1}
    missing: {program: ./missing}
    left out: {program: ./missing, skip: not today}
    lacking: {program: ./missing, requires: "program:no-such-program"}
    another: {program: /bin/true}
YAML
suite() { exits "$1" "$BILANX" run "$work/mixed.yaml" "${@:2}"; }
lists() { local wanted=$1; shift; suite 0 --list "$@" && diff "$work/out" <(printf "$wanted"); }

check "the cases of a program are listed below its labels" lists 'outside/good/copy/64\noutside/good/copy/4096\n' --filter 'good/copy'
check "tags are those of the entry" lists 'outside/good/calls\n' --tag ext --filter 'calls$'
check "an entry that is skipped or cannot be listed is one case" lists 'outside/missing\noutside/left out\noutside/lacking\noutside/another\n' --filter '^outside/[^/]*$'
check "--no-lang drops the cases of a program, too" exits 0 bash -c "'$BILANX' run '$work/mixed.yaml' --no-lang c --list | grep -c good/ | grep -x 0"
check "each case is expanded" suite 0 --expand --filter 'good/copy/64'
check "... with the keys of entry and program" python3 -c "
import json
one, = (json.loads(line) for line in open('$work/out'))
assert one['name'] == 'outside/good/copy/64' and one['timeout'] == 30 and one['tags'] == ['ext'], one
assert one['task']['label'] == 'outside/good/copy' and one['task']['sub_label'] == '64', one"
check "they are measured with the others" suite 1 --filter 'here|good/(copy|sum)|^outside/[^/]*$' --max-run-time 5ms --overwrite -o "$work/r.jsonl"
check "... as the program itself would" records "$work/r.jsonl" "
found = {one['task']['label'] + '/' + one['task'].get('sub_label', ''): one for one in r}
codes = {name: one['error']['code'] for name, one in found.items() if 'error' in one}
assert codes == {'outside/missing': 'failed', 'outside/left out': 'skipped', 'outside/lacking': 'skipped', 'outside/another': 'failed'}, codes
assert found['outside/good/copy/64']['rates']['bytes'] == 64 and found['here/here']['raw_times'], found.keys()
assert './missing' in found['outside/missing']['error']['text'], found
assert 'BILANX_MAIN' in found['outside/another']['error']['text'], found"
check "... including how time grows" err 'outside/good/sum by k=1: time grows as'
check "the timeout of the entry applies" suite 1 --filter 'faults/hang' --method timeit --number 1 --overwrite -o "$work/r.jsonl"
check "... and is recorded" records "$work/r.jsonl" "assert all(one['error']['code'] == 'timed-out' for one in r) and r, r"
check "cases of a program are measured" suite 0 --filter 'good/copy' --max-run-time 5ms --resume "$work/again.jsonl"
check "... and not repeated by --resume" suite 0 --filter 'good/copy' --max-run-time 5ms --resume "$work/again.jsonl"
check "... which says so" err '2 cases: 0 measured, 2 before'
plan
