#!/usr/bin/env bash
# bilanx doctor: checks its output, not its findings. TAP; BILANX names the command.
set -u
BILANX=${BILANX:?the bilanx to test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# check NAME COMMAND...: passes if the command succeeds.
check() {
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/log" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$work/log"
    fi
}

json() { python3 -c "import json,sys; d=json.load(open('$work/$1')); $2"; }
no_escapes() { ! grep -q $'\033' "$1"; }
narrow() { ! grep -v '^ *-> ' "$1" | grep -E '^.{81}'; }  # commands are not wrapped, to be copied

"$BILANX" doctor --json >"$work/full.json" 2>"$work/full.err"
check "doctor --json exits with 0" test $? -eq 0
check "its output is JSON" python3 -m json.tool "$work/full.json"
check "... on one line" test "$(wc -l <"$work/full.json")" -eq 1
check "nothing goes to stderr if it is not a terminal" test ! -s "$work/full.err"
check "the output has its schema and kind" json full.json \
    "assert d['schema'] == 'bilanx/1' and d['kind'] == 'doctor' and isinstance(d['cpu'], int)"
check "each finding is complete" json full.json \
    "[f[k] for f in d['findings'] for k in ('group', 'name', 'text')]
for f in d['findings']: assert f['grade'] in ('good', 'know', 'fix'), f
for f in d['findings']: assert ('command' in f) == (f['grade'] == 'fix'), f"
check "names are unique" json full.json \
    "n = [f['name'] for f in d['findings']]; assert len(n) == len(set(n)), n"
check "every known disturbance is checked" json full.json \
    "n = {f['name'] for f in d['findings']}
assert n >= set('governor turbo smt isolation power clocksource aslr huge-pages perf load quota '
    'virtual container memory swap valgrind compilers clock interruptions waiting steal short-batches '
    'long-batches'.split()), n"
check "the measured figures are there" json full.json \
    "m = d['measured']; m['elapsed'], m['steal'], m['waited']
assert m['clocks'] and all(c['cost'] > 0 and c['resolution'] > 0 for c in m['clocks'])
i = m['interruptions']; assert 0 <= i['share'] <= 1 and i['watched'] > 0 and i['threshold'] > 0
i['count'], i['per_second'], i['median'], i['max']
assert [b['target'] for b in m['batches']] == [5e-05, 0.001]
for b in m['batches']: assert b['count'] > 0 and b['median'] > 0; b['iqr'], b['epoch'], b['estimate_sd']"

"$BILANX" doctor --quick --json >"$work/quick.json"
check "--quick exits with 0" test $? -eq 0
check "--quick measures nothing" json quick.json "assert 'measured' not in d"

"$BILANX" doctor --quick >"$work/plain"
check "a file gets no colours" no_escapes "$work/plain"
check "each group has a heading" grep -qx processor "$work/plain"
check "80 columns are wide enough" narrow "$work/plain"
check "the last line says what to fix" \
    bash -c "tail -n 1 '$work/plain' | grep -Eq '^(Nothing to fix\.|To fix:) '"
NO_COLOR=1 "$BILANX" doctor --quick --color always >"$work/colored"
check "--color always colours" grep -q $'\033' "$work/colored"

# wrong WANTED ARGUMENT...: exits with 2, with an empty stdout and WANTED in the message.
wrong() {
    local wanted=$1
    shift
    "$BILANX" "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] && [ ! -s "$work/out" ] && grep -q "$wanted" "$work/err"
}
check "a misspelt option gets a suggestion" wrong "did you mean '--json'" doctor --jsn
check "an argument is rejected" wrong "takes no arguments: 'x'" doctor x
check "--help shows the options" bash -c "'$BILANX' doctor --help | grep -q -e --quick"

echo "1..$count"
