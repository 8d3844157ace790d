#!/usr/bin/env bash
# Suites with overhead_of, expect, columns and preload: what is measured, recorded, shown and refused.
. "$(dirname "$0")/time.bash"
quick=(--max-run-time 300ms --quiet --overwrite -o "$work/r.jsonl")

# suite TEXT: a suite with these benchmarks.
suite() { printf 'suite: test\nbenchmarks:\n%s\n' "$1" >"$work/s.yaml"; }
# measures CODE ARGUMENT...: runs the suite, then Python with its records by their last label.
measures() {
    local code=$1
    shift
    exits 0 "$BILANX" run "$work/s.yaml" "${quick[@]}" "$@" &&
        records "$work/r.jsonl" "by = {one['task']['sub_label']: one for one in r}"$'\n'"$code"
}
# refused MESSAGE TEXT: the suite is not run, and the message says why.
refused() {
    suite "$2"
    exits 1 "$BILANX" run "$work/s.yaml" --list && err "$1"
}

loop='long y = 1; for (int i = 0; i < n; i++) { y = y * 3 + x; BILANX_KEEP(y); }'
suite "  loops:
    ten: {setup: long x = 1; int n = 10;, stmt: '$loop', expect: {says: below a second, time: ..1s}}
    thirty: {inherit: ten, setup: long x = 1; int n = 30;, overhead_of: ten, expect: {overhead: 1s..}}
    forty: {inherit: ten, setup: long x = 1; int n = 40;, overhead_of: loops/thirty, expect: {says: positive, overhead: 0..}}
    same: {inherit: ten, overhead_of: ten, columns: [min, stddev]}
  other: {stmt: x + 1, setup: volatile long x = 1}"
check "an overhead is a part of the record" measures "
over = by['thirty']['overhead_of']
assert over['to'] == 'loops/ten' and over['epochs'] > 1 and over['ci95'][0] <= over['estimate'] <= over['ci95'][1], over
assert over['estimate'] > 0 and 'overhead_of' not in by['ten'] and 'overhead_of' not in by['other'], r
assert by['forty']['overhead_of']['to'] == 'loops/thirty'
assert abs(by['same']['overhead_of']['estimate']) < over['estimate'], r"
check "... and a column of the table" out '^ *time *min *stddev *overhead *expected$'
check "... with a sign and a unit" out '^ten .*[0-9)] ns *below a second: yes$'
check "... and the expected range" out '^thirty .*+[0-9].*[0-9)] ns *1s\.\.: no$'
check "... in words, if there are any" out '^forty .*+[0-9].*[0-9)] ns *positive: yes$'
check "a table without overheads has no such column" bash -c "sed -n '/^other/,/^\$/p' '$work/out' | grep -c -e overhead -e expected | grep -qx 0"
check "the record says what was expected, and whether it is met" records "$work/r.jsonl" "
by = {one['task']['sub_label']: one for one in r}
assert by['ten']['expected'] == {'says': 'below a second', 'of': 'time', 'high': 1, 'met': 'yes'}, by['ten']
assert by['thirty']['expected'] == {'says': '1s..', 'of': 'overhead', 'low': 1, 'met': 'no'}, by['thirty']"

check "compare shows overheads" exits 0 "$BILANX" compare "$work/r.jsonl"
check "... as a column" out '^thirty .*+[0-9].*[0-9)] ns'
check "... or as the values" exits 0 "$BILANX" compare "$work/r.jsonl" --metric overhead
check "... with a sign" out '^thirty *+[0-9]'
check "... and as data" exits 0 "$BILANX" compare "$work/r.jsonl" --metric overhead --format csv
check "... in seconds" out '^loops,1,,thirty,,overhead,[0-9.]*e-.*,s,'
check "compare --column shows more metrics" exits 0 "$BILANX" compare "$work/r.jsonl" --column median --column cpu
check "... in the order given" out '^ *time *median *cpu *overhead *expected$'
check "... in Markdown, too" exits 0 "$BILANX" compare "$work/r.jsonl" --column median --format markdown
check "... as columns" out '| *median *| *overhead *|'
check "... in a narrow terminal" exits 0 "$BILANX" compare "$work/r.jsonl" --column median --width 50
check "an unknown column is a mistake" exits 1 "$BILANX" compare "$work/r.jsonl" --column medain
check "... with a suggestion" err "did you mean 'median'"
check "columns are for tables of values" exits 2 "$BILANX" compare "$work/r.jsonl" --column median --ratio ten

check "a filter for one case selects the other, too" measures "
assert set(by) == {'ten', 'thirty', 'forty'}, set(by)
assert by['forty']['overhead_of']['to'] == 'loops/thirty'" --filter forty
check "... unless nothing is timed" exits 0 "$BILANX" run "$work/s.yaml" --filter forty --count --no-time --list
check "... as instructions are exact" bash -c "diff '$work/out' <(echo loops/forty)"
check "--expand names the other case" exits 0 "$BILANX" run "$work/s.yaml" --expand --filter thirty
check "... in full" out '"overhead_of":"loops/ten"'
check "methods in one process measure no overhead" measures "
assert all('overhead_of' not in one for one in r), r" --method timeit --number 10

suite "  a:
    other: {each: {n: [10, 20]}, threads: [1, 2], setup: {c: long x = \$n;, python: x = \$n}, stmt: {c: BILANX_KEEP(x);, python: x + \$n}}
    one: {inherit: other, overhead_of: other}"
expand() {
    exits 0 "$BILANX" run "$work/s.yaml" --expand && python3 -c "
import json
cases = [json.loads(line) for line in open('$work/out')]
others = {case['name']: case.get('overhead_of') for case in cases if '/one' in case['name']}
assert len(others) == 8 and all(other == name.replace('/one', '/other') for name, other in others.items()), others"
}
check "if there are several cases, the one with the same values, threads and language is used" expand

suite "  broken: {stmt: abort()}
  on it: {stmt: x + 1, setup: volatile long x = 1, overhead_of: broken}"
check "a case stands if the other one fails" exits 1 "$BILANX" run "$work/s.yaml" "${quick[@]}"
check "... with a note" records "$work/r.jsonl" "
by = {one['task']['sub_label']: one for one in r}
assert by['on it']['kind'] == 'measurement' and 'overhead_of' not in by['on it']
assert 'no-overhead' in [w['code'] for w in by['on it']['warnings']], by['on it']['warnings']"

check "Python cases take turns, too" suite "  p:
    one: {setup: {python: x = 1}, stmt: {python: x + x}}
    ten: {setup: {python: x = 1}, stmt: {python: x + x + x + x + x + x + x + x + x + x + x}, overhead_of: one}"
check "... from two interpreters" measures "
over = by['ten']['overhead_of']
assert over['to'] == 'p/one/Python' and over['estimate'] > 0, over"

a='{stmt: x + 1, setup: volatile long x = 1'
check "a case that does not exist is refused" refused "s.yaml:4:3: 'overhead_of' of 'b' names 'frist', but there is no such case (did you mean 'first'?)" "  first: $a}
  b: $a, overhead_of: frist}"
check "a case that refers to itself is refused" refused "s.yaml:3:3: 'overhead_of' of 'a' refers to the case itself" "  a: $a, overhead_of: a}"
check "a circle is refused" refused "s.yaml:3:3: 'overhead_of' of 'a' refers to 'b', which refers back to it" "  a: $a, overhead_of: b}
  b: $a, overhead_of: c}
  c: $a, overhead_of: a}"
check "another language is refused" refused "s.yaml:4:3: 'overhead_of' of 'b' refers to 'a/Python', which is in Python, not in C" "  a: {stmt: {python: pass}}
  b: $a, overhead_of: a}"
check "a program is refused" refused "s.yaml:3:3: 'overhead_of' of 'b' refers to a program, 'a'" "  b: $a, overhead_of: a}
  a: {program: ./a}"
check "... on either side" refused "s.yaml:4:3: 'overhead_of' is for statements" "  b: $a}
  a: {program: ./a, overhead_of: b}"
check "two possible cases are refused" refused "could mean 'a/n=1' or 'a/n=2': name one of them" "  a: {each: {n: [1, 2]}, setup: volatile long x = \$n, stmt: x + 1}
  b: $a, overhead_of: a}"
check "a range must be one" refused "s.yaml:3:[0-9]*: 'fast' is not a range of times" "  a: $a, expect: {time: fast}}"
check "... of something" refused "s.yaml:3:[0-9]*: 'expect' needs either 'time' or 'overhead'" "  a: $a, expect: {says: fast}}"
check "... in its order" refused "'2us..1us' is not a range" "  a: $a, expect: {time: 2us..1us}}"
check "an unknown column of a suite is refused" refused "s.yaml:3:[0-9]*: no column is called 'medain' (did you mean 'median'?)" "  a: $a, columns: medain}"

# LD_PRELOAD: the first library that defines a function gets the calls.
printf 'long answer(void) { return 1; }\n' >"$work/one.c"
printf '#define _GNU_SOURCE\n#include <dlfcn.h>\nlong answer(void) { return 10 + ((long (*)(void))dlsym(RTLD_NEXT, "answer"))(); }\n' >"$work/ten.c"
suite "  alone:
    preload: one.c
    global_setup: __attribute__((weak)) long answer(void);
    stmt: if (answer() != 1) abort();
  interposed: {inherit: alone, preload: [ten.c, one.c], stmt: if (answer() != 11) abort();, overhead_of: alone}
  wrong: {inherit: alone, preload: missing.c}"
mkdir "$work/temporary"
check "preloaded libraries are found in their order" exits 1 env TMPDIR="$work/temporary" "$BILANX" run "$work/s.yaml" "${quick[@]}"
check "... and only where they are asked for" records "$work/r.jsonl" "
by = {one['task']['sub_label']: one for one in r}
assert by['alone']['kind'] == by['interposed']['kind'] == 'measurement', r
assert by['interposed']['overhead_of']['estimate'] > 0
assert 'cannot compile' in by['wrong']['error']['text'] and 'missing.c' in by['wrong']['error']['text'], by['wrong']"
check "they leave nothing behind" bash -c "[ -z \"\$(ls -A '$work/temporary')\" ]"

suite "  a: {stmt: x + 1, setup: volatile long x = 1}
  b: {stmt: x + 2, setup: volatile long x = 1}"
check "count counts the cases of a suite" exits 0 "$BILANX" count "$work/s.yaml" --filter b --overwrite -o "$work/r.jsonl"
check "... that were selected" records "$work/r.jsonl" "
assert [one['task']['sub_label'] for one in r] == ['b'] and r[0]['counts']['per_iteration'] > 0, r"
check "count --list lists them" exits 0 "$BILANX" count "$work/s.yaml" --list
check "... all" bash -c "diff '$work/out' <(printf 'a\nb\n')"
plan
