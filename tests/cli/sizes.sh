#!/usr/bin/env bash
# Sizes are rows, and what is compared is columns: in suites, and for statements with -L.
. "$(dirname "$0")/cli.bash"
cd "$work" || exit 1
fields() { tr -s ' ' <out | sed 's/^ //; s/ $//'; }

cat >two.yaml <<'SUITE'
benchmarks:
  plain: &sum
    each: {n: [64, 512, 4096]}
    setup: {c: "static long a[4096];"}
    stmt: {c: "long s = 0; for (int i = 0; i < $n; i++) s += a[i]; BILANX_KEEP(s);"}
    compile: [{env: fast, flags: -O2}, {env: slow, flags: -O1}]
  unrolled:
    inherit: plain
  alone:
    each: {n: [3, 4]}
    stmt: {c: "BILANX_KEEP((int){$n});"}
  names:
    each: {word: [one, two]}
    stmt: {c: "BILANX_KEEP((int){1}); /* $word */"}
SUITE
sed -i 's/ &sum//' two.yaml
check "a suite of sizes works" exits 0 "$BILANX" run two.yaml "${quick[@]}" -o two.jsonl
check "... functions of equal sizes share a table, with what is compared as columns" grep -qE '^ +plain, fast +plain, slow +unrolled, fast +unrolled, slow$' out
check "... which names them" out '^plain, unrolled$'
check "... sizes are rows" bash -c "grep -oE '^n=(64|512|4096) ' '$work/out' | tr -d '\n' | grep -qx 'n=64 n=512 n=4096 '"
check "... each with every column" bash -c "[ \$(grep -E '^n=64 ' '$work/out' | grep -o ' ns' | wc -l) = 4 ]"
check "... which columns compete for the star" out '^\* best of its row for each name (plain, unrolled), or too close to call$'
check "... and what 1.23(4) means, once" bash -c "[ \$(grep -cF '1.23(4): the last digits are uncertain by 4, at 95 %' '$work/out') = 1 ]"
check "other sizes have their own table" bash -c "grep -A3 '^alone$' '$work/out' | grep -E '^n=[34] ' | wc -l | grep -qx 2"
check "words are no sizes" out 'word=one  *word=two'
check "records stay as they are" records two.jsonl "
assert {one['task']['label'] for one in r} == {'plain', 'unrolled', 'alone', 'names'}
assert 'n=64' in {one['task']['description'] for one in r}"
check "programs get the same as ever" exits 0 "$BILANX" run two.yaml "${quick[@]}" --filter 'plain' --format csv
check "... with sizes as columns" out '^plain,1,,plain,"n=64, fast",time,'
check "counts are shown, too" exits 0 "$BILANX" run two.yaml "${quick[@]}" --count --filter 'plain|alone'
check "... below the times" bash -c "grep -qE '^n=64 .* ns' out && grep -q '^plain: instructions$' out && grep -q '^alone: instructions$' out"
check "... with sizes as rows, and what is compared as columns" bash -c "grep -A4 '^plain: instructions$' out | grep -cE '^n=(64|512|4096)( +[0-9.]+[*! ]*){2}$' | grep -qx 3"
check "... but programs get the same as ever" exits 0 "$BILANX" run two.yaml "${quick[@]}" --count --filter 'alone' --format csv
check "... which is one table" bash -c "grep -q ',time,' out && ! grep -q ',instructions,' out"

time=("$BILANX" time "${quick[@]}")
check "time -L works" exits 0 "${time[@]}" 'memset(p, 0, n)' 'memcpy(p, p + n, n)' -L n 64,4096 -s 'char *p = calloc(2, n)' -o l.jsonl
check "... with a column per statement" bash -c "head -n 1 '$work/out' | grep -qE '^ +memset\(p, 0, n\) +memcpy\(p, p \+ n, n\)$'"
check "... and what 1.23(4) means" out '^1.23(4): '
check "... and a row per value" bash -c "grep -oE '^n=(64|4096) ' '$work/out' | tr -d '\n' | grep -qx 'n=64 n=4096 '"
check "... which records have" records l.jsonl "
assert {one['task']['parameters']['n'] for one in r} == {64, 4096} and len(r) == 4, r
assert {one['task']['stmt'] for one in r} == {'memset(p, 0, n)', 'memcpy(p, p + n, n)'}
assert r[0]['task']['setup'].startswith('long n = '), r[0]['task']"
check "... with counts in a table of their own" exits 0 "${time[@]}" 'memset(p, 0, n)' 'memcpy(p, p + n, n)' -L n 64,4096 -s 'char *p = calloc(2, n)' --count
check "... sizes are rows there, too" bash -c "grep -A9 'instructions' out | grep -cE '^n=(64|4096) ( +[0-9.]+[*! ]*){2}$' | grep -qx 2"
check "{NAME} is replaced instead" exits 0 "${time[@]}" 'memset(p, 0, {n})' -L n 64,128 -s 'static char p[{n}]' -o b.jsonl
check "... everywhere" records b.jsonl "
assert {(one['task']['stmt'], one['task']['setup']) for one in r} == {
    ('memset(p, 0, 64)', 'static char p[64]'), ('memset(p, 0, 128)', 'static char p[128]')}, r"
check "several give every combination" exits 0 "${time[@]}" 'x += {a} * {b}' -L a 1,2 -L b 3,4 -s 'volatile long x = 0'
check "... as rows" bash -c "[ \$(grep -cE '^a=[12], b=[34] ' '$work/out') = 4 ]"
check "Python has variables, too" exits 0 "${time[@]}" 'f(n)' -L n 1,2.5,word -l python -s 'def f(x): return x'
check "... of any type" out '^n=word '
check "C has texts and fractions" exits 0 "${time[@]}" 'strlen(s) + (int)(2 * x)' -L s one,two -L x 0.5,1.5
check "a name must be one" exits 2 "${time[@]}" 'f(n)' -L n-1 1,2
check "... as is said" err "is not a name that a statement can use"
check "the rows are the values" exits 2 "${time[@]}" 'f(n)' -L n 1,2 --sub-label rows
check "... as is said" err '--parameter-list cannot be combined with --sub-label: its values are the rows'
cat >bytes.yaml <<'SUITE'
benchmarks:
  fill: {each: {n: [64, 512]}, setup: {c: "static char a[512];"}, stmt: {c: "memset(a, 1, $n);"}, bytes: $n}
SUITE
check "a suite has several tables" exits 0 "$BILANX" run bytes.yaml "${quick[@]}"
check "... times and rates" out 'B/s'
check "... but one explanation of 1.23(4)" bash -c "[ \$(grep -cF '1.23(4): ' '$work/out') = 1 ]"

cat >bad.yaml <<'SUITE'
benchmarks:
  good: {stmt: {c: "BILANX_KEEP((int){1});"}}
  bad: {stmt: {c: "no such thing;"}}
SUITE
check "a suite with a case that fails" exits 1 bash -c '"$@" 2>&1' - "$BILANX" run bad.yaml "${quick[@]}"
check "... has its note last, after an empty line" bash -c "tail -n 2 '$work/out' | tr '\n' '|' | grep -q '^|bad: does not compile: '"

# Stored results of several commits.
record() { printf '{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"f","label":"%s","sub_label":"%s","description":"n=%s","parameters":{"n":%s}},"raw_times":[1e-5,1e-5],"number_per_run":1000,"git":{"commit":"%s","depth":%s}}\n' "$1" "$1" "$2" "$2" "$3" "$4"; }
history() { for commit in 1 2 3 4; do for n in 100 1000; do record "$1" $n ${commit}febb1010aa4 $commit; done; done; }
history sum >h.jsonl
check "compare --envs works" exits 0 "$BILANX" compare h.jsonl --envs --width 80
check "... with commits as columns" bash -c "sed -n 2p '$work/out' | grep -qE '^ +1febb1010a +2febb1010a +3febb1010a +4febb1010a$'"
check "... and sizes as rows" bash -c "grep -oE '^n=[0-9]+ ' '$work/out' | tr -d '\n' | grep -qx 'n=100 n=1000 '"
check "programs get sizes as columns" exits 0 "$BILANX" compare h.jsonl --envs --format csv
check "... as ever" out '^sum,1,,sum,"n=100, 1febb1010a",time,'
{ history sum && history product; } >two.jsonl
check "two functions in four commits" exits 0 "$BILANX" compare two.jsonl --envs --width 80
check "... would be too wide for one table" bash -c "[ \$(grep -cE '^(sum|product)$' '$work/out') = 2 ] && [ \$(grep -c '^n=' '$work/out') = 4 ]"
check "statements with -L keep their columns" exits 0 "$BILANX" compare l.jsonl --envs
check "... one each" bash -c "head -n 1 '$work/out' | grep -qE '^ +memset\(p, 0, n\) +memcpy\(p, p \+ n, n\)$'"
plan
