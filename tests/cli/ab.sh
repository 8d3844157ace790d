#!/usr/bin/env bash
# Two sides and a verdict: twice the work is slower, whatever else the machine does.
. "$(dirname "$0")/time.bash"
patience=300
work_code='static unsigned long work(unsigned long x, unsigned n) { for (unsigned i = 0; i < n; i++) x = x * 6364136223846793005ul + 1; return x; }'
stmt=(-g "$work_code" --stmt 'x = work(x, N)' -s 'unsigned long x = 1')
generous=(--core any --budget 30 --quiet)

# verdicts CODE STATUS ARGUMENT...: `bilanx ab` exits with STATUS; r are its records, v the only
# verdict.
verdicts() {
    local code=$1 wanted=$2
    shift 2
    rm -f "$work/v.jsonl"
    exits "$wanted" "$BILANX" ab "$@" -o "$work/v.jsonl" && records "$work/v.jsonl" "
v = next((one for one in r if one['kind'] == 'verdict'), None)
$code"
}

check "twice the work is slower" verdicts "
assert v['verdict'] == 'slower' and .5 < v['change'] < 2, v
assert v['interval'][0] <= v['change'] <= v['interval'][1], v
assert len(v['epochs']) == len(v['changes']) >= 7 and v['reason'] and v['baseline'] == 'gcc -DN=500', v
assert v['side'] == 'B' and v['task']['stmt'] == 'x = work(x, N)' and v['times'][1] > v['times'][0] and v['elapsed'] > 0, v" \
    0 --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... the table says so" out 'x = work(x, N).*%.*slower'
check "... and so does the summary" out '^1 case: 1 slower$'
check "... the times agree with the change" records "$work/v.jsonl" "assert abs(r[0]['times'][1] / r[0]['times'][0] - 1 - r[0]['change']) < 1e-9, r"
check "... controls too few to matter are not mentioned" bash -c "! grep -q 'too few' '$work/out'"
check "half the work is faster" verdicts "assert v['verdict'] == 'faster' and -.7 < v['change'] < -.3, v" \
    0 --A 'cc:gcc -DN=1000' --B 'cc:gcc -DN=500' "${stmt[@]}" "${generous[@]}"
check "... with --isolate, too" verdicts "assert v['verdict'] == 'faster', v" \
    0 --isolate --A 'cc:gcc -DN=1000' --B 'cc:gcc -DN=500' "${stmt[@]}" "${generous[@]}"
check "the same code is neither slower nor faster" verdicts "assert v['verdict'] in ('same', 'undecided'), v
assert v['verdict'] == 'same' or v['detectable'] > 0" \
    0 --A 'cc:gcc -DN=1000' --B 'cc:gcc -DN=1000' "${stmt[@]}" --core any --budget 5 --quiet
check "gcc against clang" verdicts "assert 'lang' in v['task']['compile']['cc'], v" \
    0 --A 'cc:gcc -DN=100' --B 'cc:clang -DN=100' "${stmt[@]}" --max-run-time 1 --quiet
check "more sides are each compared with the first" verdicts "
assert [(one['side'], one['verdict']) for one in r] == [('B', 'slower'), ('C', 'faster')], r" \
    0 --A 'cc:gcc -DN=1000' --B 'cc:gcc -DN=2000' --side 'C=cc:gcc -DN=500' "${stmt[@]}" "${generous[@]}"
check "commands whose times vary a lot" exits 0 "$BILANX" ab --A "cmd:sh -c 'test \$((\$\$ % 2)) = 0 || exec sleep 0.01'" --B cmd:true --equal 1e-9 --margin 9 --core any --budget 5 --quiet
check "... do not take less than no time" bash -c "grep -q ' %' '$work/out' && ! grep -qE ' -[0-9]{3,}\.[0-9]* \.\.' '$work/out'"
check "a slow statement is compared turn by turn" verdicts "assert v['verdict'] in ('same', 'undecided'), v" \
    0 --A 'cc:gcc -DN=1' --B 'cc:gcc -DN=2' -g '#include <unistd.h>' --stmt 'usleep(60000)' --core any --budget 2 --quiet

check "--fail-on slower fails on a slower side" exits 3 "$BILANX" ab --fail-on slower --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... and names the case" err '^bilanx: --fail-on slower: failed by '
check "... but not on a change below its threshold" exits 0 "$BILANX" ab --fail-on slower:400 --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... an unknown word is a usage error" exits 2 "$BILANX" ab --fail-on faster --A cc:gcc --B cc:gcc --stmt 'x'
check "... that lists the valid words" err "'slower:PCT'"
check "records go to stdout on request" bash -c "'$BILANX' ab --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' -g '$work_code' --stmt 'x = work(x, N)' -s 'unsigned long x = 1' --core any --budget 30 --json - -q |
    python3 -c 'import json, sys; assert json.loads(sys.stdin.read())[\"kind\"] == \"verdict\"'"

# Libraries of the same name in two places: in one process both sides would get the first.
for one in a:100 b:1000; do
    mkdir -p "$work/lib${one%:*}"
    printf 'unsigned long f(unsigned long x) { for (int i = 0; i < %s; i++) x = x * 6364136223846793005ul + 1; return x; }\n' "${one#*:}" >"$work/lib.c"
    cc -O1 -shared -fPIC -o "$work/lib${one%:*}/libside.so" "$work/lib.c"
done
library() { printf "cc:gcc -L%s -Wl,-rpath,%s" "$work/lib$1" "$work/lib$1"; }
check "two libraries of the same name stay apart" verdicts "assert v['verdict'] == 'slower' and v['change'] > 2, v" \
    0 --A "$(library a)" --B "$(library b)" --ldflags -lside -g 'unsigned long f(unsigned long);' --stmt 'x = f(x)' -s 'unsigned long x = 1' "${generous[@]}"
check "each side has its own static variables" verdicts "assert 'error' not in v, v" 0 --A 'cc:gcc -DS=1' --B 'cc:gcc -DS=2' \
    -g 'static int mine; static void f(void) { if (mine != S) abort(); }' -s 'mine = S' --stmt 'f()' --core any --budget 1 --quiet

cat >"$work/suite.yaml" <<'YAML'
suite: sides
global_setup: {c: "#include <signal.h>\n#include <unistd.h>\nstatic void fault(void) { static int calls; if (SIDE == 2 && calls++ > 2000) kill(getpid(), SIGKILL); }"}
benchmarks:
  good: {stmt: "for (int i = 0; i < 100 * SIDE; i++) x += 1", setup: "volatile long x = 0"}
  dies: {stmt: "fault()"}
  crashes: {stmt: "*(volatile int *)(SIDE == 2 ? 0 : &x) = 1", setup: "static volatile int x"}
  bad: {stmt: "nothing("}
  also good: {stmt: "for (int i = 0; i < 200 / SIDE; i++) x += 1", setup: "volatile long x = 0"}
YAML
check "a suite with every kind of failure" verdicts "
found = {one['task']['label']: one.get('verdict') or one['error']['code'] for one in r}
assert found == {'good': 'slower', 'also good': 'faster', 'dies': 'crashed', 'crashes': 'crashed', 'bad': 'compile-failed'}, found
told = {one['task']['label']: one['error']['text'] for one in r if 'error' in one}
assert told['dies'].startswith('side B: ') and told['crashes'].startswith('side B: ') and told['bad'].startswith('side A: '), told" \
    1 --A 'cc:gcc -DSIDE=1' --B 'cc:gcc -DSIDE=2' "$work/suite.yaml" "${generous[@]}"
check "... claims are confirmed by a second run" verdicts "
assert all('second run' in one['reason'] for one in r if one['kind'] == 'verdict'), r" \
    0 --A 'cc:gcc -DSIDE=1' --B 'cc:gcc -DSIDE=2' "$work/suite.yaml" --filter good "${generous[@]}"
check "a filter that matches no case fails" exits 1 "$BILANX" ab --A cc:gcc --B cc:gcc "$work/suite.yaml" --filter nothing

cat >"$work/own.yaml" <<'YAML'
suite: own
benchmarks:
  theirs: {stmt: "for (int i = 0; i < 100 * SIDE; i++) x += 1", setup: "volatile long x = 0"}
  own: {compile: {cc: gcc, flags: -O1}, stmt: "x += 1", setup: "volatile long x = 0"}
  python: {stmt: {python: "x + 1"}, setup: {python: "x = 1"}}
YAML
own=(--A 'cc:gcc -DSIDE=1' --B 'cc:gcc -DSIDE=2' "$work/own.yaml")
check "cases that name their own compiler, or need none, are the same under cc: sides" verdicts "
found = {one['task']['label']: (one['verdict'], 'times' in one, 'change' in one) for one in r}
assert found == {'theirs': ('slower', True, True), 'own': ('same', False, False), 'python': ('same', False, False)}, found" \
    0 "${own[@]}" --core any --budget 30
check "... a note says why they have no times" out '^same (own/gcc -O1 and 1 more): not timed: both sides run the same code$'
check "... they are counted, but have no part in the mean" out '^3 cases: 1 slower, 2 same$'
check "... a gate that timed nothing says so" exits 0 "$BILANX" ab "${own[@]}" --filter own --fail-on slower --quiet
check "... in words" err 'the sides make no difference to any case'
check "... the same SPEC twice is measured" verdicts "assert 'times' in v and 'change' in v, v" \
    0 --A cc:gcc --B cc:gcc "$work/own.yaml" --filter own --core any --budget .2 --quiet

check "two benchmark programs" verdicts "
assert len(r) > 1 and all(one['kind'] == 'verdict' and one['verdict'] in ('same', 'undecided') for one in r), r" \
    0 --A "bin:$GOOD" --B "bin:$GOOD" --filter '^copy' --core any --budget .5 --quiet
for name in near far more; do cp "$PLACES" "$work/$name"; done
check "a program that is slower with the same number of instructions" verdicts "
assert v['verdict'] == 'slower' and any(one['code'] == 'layout-suspected' for one in v['warnings']), v" \
    0 --A "bin:$work/near" --B "bin:$work/far" --core any --budget 30
check "... gets a note with advice" out 'layout-suspected: .*the same number of instructions'
check "... but not if it executes more instructions" verdicts "
assert v['verdict'] == 'slower' and not any(one['code'] == 'layout-suspected' for one in v['warnings']), v" \
    0 --A "bin:$work/near" --B "bin:$work/more" "${generous[@]}"
mkdir "$work/bare"
check "... without valgrind it is compared as well" exits 0 env "PATH=$work/bare" "$BILANX" ab --A "bin:$work/near" --B "bin:$work/far" "${generous[@]}"
check "... but nothing is suspected" bash -c "grep -q slower '$work/out' && ! grep -q layout-suspected '$work/out'"
check "a program that is not a benchmark fails" exits 1 "$BILANX" ab --A "bin:$GOOD" --B bin:/bin/true --quiet
check "... and is named with its side" err 'side B'

check "whole commands" verdicts "assert v['verdict'] == 'slower' and v['change'] > 2, v" \
    0 --A 'cmd:sleep .01' --B "cmd:sh -c 'sleep .1'" --core any --budget 60 --quiet
check "... are called by their programs" out '^sleep, sh '
check "a command that fails is a failure of its side" verdicts "
assert r[0]['kind'] == 'failure' and 'side B' in r[0]['error']['text'] and 'gone' in r[0]['error']['output'], r" \
    1 --A 'cmd:true' --B "cmd:sh -c 'echo gone >&2; exit 3'" --quiet
check "a command cannot be compared with a compiler" exits 2 "$BILANX" ab --A cmd:true --B cc:gcc --stmt 'x'

for side in a b; do
    "$BILANX" time 'x += 1' --sub-label "of $side" -s 'volatile long x = 0' --max-run-time .05 -q --overwrite -o "$work/other.jsonl" >/dev/null
    "$BILANX" time 'x += 1' -s 'volatile long x = 0' --max-run-time .05 -q --count -o "$work/$side.jsonl" >/dev/null
    cat "$work/other.jsonl" >>"$work/$side.jsonl"
done
check "stored sides are compared" verdicts "assert v['verdict'] and v['warnings'][0]['code'] == 'not-interleaved', v" \
    0 --A "file:$work/a.jsonl" --B "file:$work/b.jsonl"
check "... with a plain warning" out 'measured at different times'
check "... a case on only one side is noted" err "'of b' is not on side A"
check "... a filter selects by title" verdicts "assert len(r) == 1, r" 0 --filter '^x . ?= 1$' --A "file:$work/a.jsonl" --B "file:$work/b.jsonl"
printf '{"schema":"bilanx/1","kind":"measurement","task":{"label":"copy"},"number_per_run":1,"raw_times":[1e-7,1.01e-7,1.02e-7]}\n' >"$work/hour1.jsonl"
sed 's/\[.*\]/[1.53e-7,1.55e-7,1.57e-7]/' "$work/hour1.jsonl" >"$work/hour2.jsonl"
sed 's/\[.*\]/[5e-7,5.05e-7,5.1e-7]/' "$work/hour1.jsonl" >"$work/hour3.jsonl"
hours() { exits "$1" "$BILANX" ab --A "file:$work/hour1.jsonl" --B "file:$work/$2.jsonl" --fail-on "$3"; }
check "stored times of two hours that differ by half are undecided" hours 0 hour2 slower:2
check "... and the reason gives the variation between times" out '^undecided: .*, measured at different times, which may account for 90 %'
check "... so the gate says that it had no effect" err '^bilanx: --fail-on had no effect: stored results were measured at different times'
check "five times as long only seems slower" hours 0 hour3 slower:2
check "... in the table" out '^copy .* seems-slower$'
check "... and fails a gate on request" hours 3 hour3 seems-slower:2
check "... which the message names" err '^bilanx: --fail-on seems-slower:2: failed by copy'
check "a gate of another name is refused" hours 2 hour3 seems-slowish
check "... -q shows no notes" bash -c "'$BILANX' ab -q --A 'file:$work/a.jsonl' --B 'file:$work/b.jsonl' 2>&1 | (! grep -q 'measured at different times')"
check "... a filter that matches nothing says so" exits 1 "$BILANX" ab --filter nothing --A "file:$work/a.jsonl" --B "file:$work/b.jsonl"
check "... by its name" err "no case of both sides matches the filter 'nothing'"
check "... their counts are compared" verdicts "
assert [one['kind'] for one in r] == ['measurement', 'measurement', 'verdict'] and v['verdict'] == 'same', r
assert [one['side'] for one in r] == ['A', 'B', 'B'] and 'instructions' in v['reason'], r" \
    0 --count --no-time --A "file:$work/a.jsonl" --B "file:$work/b.jsonl"
check "... stored counts are compared with new ones" verdicts "assert v['verdict'] == 'same', r" \
    0 --count --no-time --A "file:$work/a.jsonl" --B cc:gcc --stmt 'x += 1' -s 'volatile long x = 0' --quiet
printf '{"schema": "bilanx/1",\n' >"$work/cut.jsonl"
check "a truncated file fails" exits 1 "$BILANX" ab --A cc:gcc --B "file:$work/cut.jsonl" --stmt 'x += 1' -s 'volatile long x = 0' --core any --budget 60
check "... before anything is measured" bash -c "[ ! -s '$work/out' ] && grep -q 'cut.jsonl:1' '$work/err'"
check "a stored side is compared with a measured one" verdicts "assert v['warnings'][0]['code'] == 'not-interleaved', v" \
    0 --A "file:$work/a.jsonl" --B cc:gcc --stmt 'x += 1' -s 'volatile long x = 0' --core any --budget .2 --quiet

check "instructions are compared" verdicts "
assert v['verdict'] == 'slower' and v['change'] > .5 and 'instructions' in v['reason'], v
assert [one['side'] for one in r if one['kind'] == 'counts'] == ['A', 'B', 'A', 'B'], r" \
    0 --count --no-time --explain --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" --stmt 'x += 3' --quiet
check "... function by function" out '+2000  work (inlined, global setup)'
check "... equal ones are shown as such" out '^x += 3 .*none'
check "... the sentries agree" bash -c "! grep -q 'not comparable' '$work/err'"
long='x = work(x, N) + work(x, 1) + work(x, 2) + work(x, 3)'
narrow() { fits 60 ab --count --no-time --explain --A 'cc:gcc -O2 -DN=500' --B 'cc:gcc -O2 -DN=1000 -fno-tree-vectorize -fno-unroll-loops -fno-inline' -g "$work_code" --stmt "$long" -s 'unsigned long x = 1' --quiet; }
check "... the legend and the functions fit 60 columns" narrow
check "... together with times" verdicts "
assert [one['kind'] for one in r] == ['verdict', 'counts', 'counts'], r" \
    0 --count --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... with one legend for both" bash -c "grep -cx 'B  gcc -DN=1000' '$work/out' | grep -qx 1"
check "a statement of two compilers is one row" exits 0 "$BILANX" ab --count --no-time --explain --A 'cc:gcc -O2' --B 'cc:clang -O2' \
    --stmt 'x += x * 7 % 1000' -s 'unsigned long x = 1' --quiet
check "... of a name that says so" out '^ *[-+][0-9.]*  the statement itself$'
check "... and no name is there twice" bash -c "sed '1,/by function/d' '$work/out' | sed 's/^ *[^ ]*  //' | sort | uniq -d | wc -l | grep -qx 0"
several=()
for n in 1 2 3 4 5; do several+=(--stmt "x = work(x, FEWER + $n)"); done
explain() { exits 0 "$BILANX" ab --count --no-time --explain --A 'cc:gcc -DFEWER=900 -DMORE=500' --B 'cc:gcc -DFEWER=500 -DMORE=520' -g "$work_code" -s 'unsigned long x = 1' "${several[@]}" "$@" --quiet; }
check "the functions of a few cases are shown" explain --stmt 'x = work(x, MORE)'
check "... beginning with the slower one, though it changed least" bash -c "grep 'by function:$' '$work/out' | head -n 1 | grep -qx 'x = work(x, MORE), by function:'"
check "... and the others are named" out '^3 more cases differ: x = work(x, FEWER + [0-9]), x = work(x, FEWER + [0-9]), x = work(x, FEWER + [0-9])$'
check "... changes have no digits that come from rounding" bash -c "! grep -E '[-+][0-9]+[.][0-9]{6}' '$work/out'"
for steps in 100 300; do
    printf '#include <bilanx/bench.h>\n__attribute__((noinline)) unsigned long crc32_bytes(unsigned long x) { for (int i = 0; i < %s; i++) __asm__ volatile("imul $3, %%0, %%0" : "+r"(x)); return x; }\nBILANX_BENCH(crc) { unsigned long x = 1; BILANX_LOOP(b) { x = crc32_bytes(x)%s; BILANX_KEEP(x); } }\nBILANX_MAIN()\n' "$steps" "$([ $steps = 100 ] || echo ' / 3 ^ 5')" >"$work/crc.c"
    cc -O2 -I"$(dirname "$0")/../../include" "$work/crc.c" "$(dirname "$BILANX")/src/core/libbilanx-bench.a" -o "$work/crc$steps"
done
check "functions of programs are compared" exits 0 "$BILANX" ab --count --no-time --explain --A "bin:$work/crc100" --B "bin:$work/crc300" --quiet
check "... a function without a known file is named by its program" out '^ *+600  crc32_bytes (crc300)$'
check "... the body of a benchmark by the benchmark" out '^ *+[0-9.]*  benchmark crc$'
check "... and nothing is unknown" bash -c "! grep '???\|bilanx_' '$work/out'"
check "--fail-on works for counts" exits 3 "$BILANX" ab --count --no-time --fail-on slower --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=501' "${stmt[@]}" --quiet --margin .0001
check "... and names the case" err '^bilanx: --fail-on slower: failed by '
check "--no-time alone is a usage error" exits 2 "$BILANX" ab --no-time --A cc:gcc --B cc:gcc --stmt x

for side in left right; do
    for distinct in 10 1000000; do
        printf '{"schema":"bilanx/1","kind":"measurement","task":{"stmt":"f","label":"sort/n=100/distinct=%s"},"method":"rigorous","raw_times":[1e-5,1e-5,1e-5,1e-5,1e-5,1e-5,1e-5],"number_per_run":1000}\n' $distinct
    done >"$work/$side.jsonl"
done
check "a narrow terminal" exits 0 env COLUMNS=80 "$BILANX" ab --A "file:$work/left.jsonl" --B "file:$work/right.jsonl" --quiet
check "... drops a time rather than a part of names" out '^sort/n=100/distinct=1000000 .* \.\. .*undecided$'
check "... which the change gives" bash -c "grep '^case ' '$work/out' | grep -q ' A .*change' && ! grep '^case ' '$work/out' | grep -q ' B '"

check "every epoch has its own layout" verdicts "assert len(v['layouts']) == len(v['changes']) >= 9 and v['pages'] == len(v['changes']), v" \
    0 --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... and the verdict covers them all" out 'slower .*over [0-9]* layouts'
check "--layouts 2 uses two layouts" verdicts "assert v['verdict'] == 'slower' and len(v['layouts']) == 2 < len(v['changes']), v" \
    0 --layouts 2 --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... and the verdict covers only these" out 'slower .*these 2 layouts only'
check "--layouts 0 uses one binary per side" verdicts "assert v['verdict'] == 'slower' and 'layouts' not in v, v" \
    0 --layouts 0 --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "... and the verdict covers only these binaries" out 'slower .*these binaries only'
check "--pages keep leaves pages alone" verdicts "assert 'pages' not in v, v" 0 --pages keep --A 'cc:gcc -DN=500' --B 'cc:gcc -DN=1000' "${stmt[@]}" "${generous[@]}"
check "a change that depends on the layout is undecided" verdicts "
assert v['verdict'] == 'undecided' and max(v['layouts']) > .1 and min(v['layouts']) < -.1, v" 0 --A 'cc:gcc -DM=0' --B 'cc:gcc -DM=1' \
    --seed 3 -g 'static void f(void) {} static unsigned long spin(unsigned long x, int n) { while (n--) x = x * 6364136223846793005ul + 1; return x; }
static int odd(void) { return ((unsigned long)(void *)&f / 16) & 1; }' \
    --stmt 'x = spin(x, n)' -s 'unsigned long x = 1; int n = 100 + (M ? (odd() ? 20 : -20) : 0)' --core any --budget 4 --quiet

mkdir "$work/repo"
cd "$work/repo" || exit 1
git init -q . && git config user.name tester && git config user.email tester@example.org
for n in 500 500 500 1000 1000; do
    printf '#define N %s\n%s\n// %s\n' "$n" "$work_code" "$((++revision))" >work.c
    git add work.c && git commit -qm "revision $revision"
done
check "two revisions are compared" verdicts "assert v['verdict'] == 'slower', v" \
    0 --A git:HEAD~4 --B git:HEAD --source work.c --stmt 'x = work(x, N)' -s 'unsigned long x = 1' "${generous[@]}"
cd "$work" || exit 1

export BILANX_PYTHON=/usr/bin/python3
check "two environments of Python are compared" verdicts "assert v['verdict'] == 'slower', v" \
    0 --A 'export SIDE=1' --B 'export SIDE=3' -l python --stmt 'sum(x)' -s 'import os; x = list(range(100 * int(os.environ["SIDE"])))' "${generous[@]}"
check "... and named by their commands" out 'export SIDE=3'

check "^C keeps finished verdicts" bash -c "
'$BILANX' ab --A 'cc:gcc -DSIDE=1' --B 'cc:gcc -DSIDE=1' '$work/suite.yaml' --filter good --equal .9 --core any --budget 60 --quiet -o '$work/c.jsonl' --no-lang python & pid=\$!
for i in \$(seq 600); do [ -s '$work/c.jsonl' ] && break; sleep .1; done
kill -INT \$pid; wait \$pid; code=\$?; [ -s '$work/c.jsonl' ] && { [ \$code = 130 ] || [ \$code = 0 ]; }"
check "^C before anything is decided shows no table" bash -c "
'$BILANX' ab --A 'cc:gcc -DSIDE=1' --B 'cc:gcc -DSIDE=1' '$work/suite.yaml' --filter good --equal 1e-9 --core any --budget 60 >'$work/out' 2>'$work/err' & pid=\$!
for i in \$(seq 600); do pgrep -P \$pid >/dev/null && break; sleep .1; done
sleep 1; kill -INT \$pid; wait \$pid; [ \$? = 130 ] && [ ! -s '$work/out' ] && grep -q interrupted '$work/err'"
check "options of the old tool are accepted" exits 0 "$BILANX" ab --patch_a --patch_b --backtesting --no_cpp --A cc:gcc --B cc:gcc "$work/suite.yaml" --filter '^good' --cflags -DSIDE=1 --core any --budget 1
check "... with a note if they are no longer needed" err 'patching is not needed'
check "one side is not enough" exits 2 "$BILANX" ab --A cc:gcc --stmt x
check "nothing to compare is a usage error" exits 2 "$BILANX" ab --A cc:gcc --B cc:clang
plan
