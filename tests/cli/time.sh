#!/usr/bin/env bash
# bilanx time STMT: statements, what is reported about them, every option. Does not assert figures.
. "$(dirname "$0")/time.bash"

warned="codes = lambda one: {w['code'] for w in one['warnings']} & {'optimised-away', 'partly-optimised'}"

# One statement.
check "a statement is measured" exits 0 "$BILANX" time 'x += 1' -s 'volatile long x = 0' --layouts 0 --max-run-time 50ms
check "... with estimate, unit and interval" out '^x += 1  *[0-9.]* [nµm]s  *[0-9.]*%'
check "-o - prints the record" exits 0 "$BILANX" time 'x += 1' -s 'volatile long x = 0' -o - "${quick[@]}" \
    --label sum --sub-label one --description volatile --env here
check "... and nothing else, with its task" records "$work/out" "
assert len(r) == 1 and r[0]['kind'] == 'measurement'
t = r[0]['task']; c = t.pop('compile')
assert t == {'stmt': 'x += 1', 'setup': 'volatile long x = 0', 'language': 'c', 'num_threads': 1,
             'label': 'sum', 'sub_label': 'one', 'description': 'volatile', 'env': 'here'}, t
assert c['cc'].split()[0] == 'gcc' and c['flags'].startswith('-O2'), c
assert r[0]['stats']['estimate'] > 0 and r[0]['stats']['marginal'] > 0 and len(r[0]['epochs']) >= 2"
check "a label replaces the name" exits 0 "$BILANX" time 'x' -s 'volatile int x = 1' --label 'my label' "${once[@]}"
check "... in the table" out '^my label '
check "several statements share one table" exits 0 "$BILANX" time 'x += 1' 'x += 2' 'x += 3' -s 'volatile long x = 0' "${quick[@]}"
check "... in order" bash -c "sed -n 2,4p '$work/out' | cut -c1-6 | diff - <(printf 'x += 1\nx += 2\nx += 3\n')"
check "setup in parts and global code work" measures "assert r[0]['task']['setup'] == 'struct p p = {1};\nvolatile int y = 2;'" \
    'y += p.x' --global 'struct p { int x; };' --setup 'struct p p = {1};' -s 'volatile int y = 2;' "${once[@]}"
check "a statement may have several lines" measures "assert 'x++;\ny++;' in by" $'x++;\ny++;' -s 'volatile int x = 0, y = 0' "${once[@]}"
check "... and its first line is shown in the table" out '^x++;… '
check "control statements work" measures "" 'for (int i = 0; i < 10; i++) x += i;' 'if (x) x = 0; else x = 1' '{ int y = x; x = y; }' \
    -s 'volatile int x = 0' "${once[@]}"
check "a statement may end in a comment" measures "" 'x++ // once more' -s 'volatile int x = 0 // starts here' "${once[@]}"
check "a statement may have no value" measures "" 'free(p)' 'f()' -s 'void *p = 0' -g 'static void f(void) { __asm__ volatile(""); }' "${once[@]}"
check "an empty statement measures the loop and gets no advice" measures "assert all(any('the statement is empty' in w['text'] for w in m['warnings']) and not any('KEEP' in w['text'] for w in m['warnings']) for m in r), r" '' ';' "${once[@]}"
check "values of every kind work" measures "assert not [m for m in r if 'not-laundered' in {w['code'] for w in m['warnings']}], r" \
    'i' 'd' 'f' 'l' 'c' 'p' 's' 'a' 'b' 'w' 'u' -g 'struct s { int x[10]; };' \
    -s 'int i = 1; double d = 1; float f = 1; long double l = 1; char c = 1; char *p = 0; struct s s = {{0}}; int a[3] = {0};
        _Bool b = 1; __int128 w = 1; _Complex double u = 1;' "${once[@]}"
check "types of libc are known without a call" measures "assert not [m for m in r if 'not-laundered' in {w['code'] for w in m['warnings']}], r" \
    'n += 1' -s 'ssize_t n = 0' "${once[@]}"

# Values unknown to the compiler must not be lost.
for cc in gcc clang; do
    for level in -O1 -O2 -O3; do
        check "$cc $level: a laundered variable keeps its value" measures "assert not [m for m in r if 'error' in m], r" --cc $cc --cflags $level "${once[@]}" \
            'if (f != labs || f(x) != 5) abort();' 'if (d != 1.5 || sqrt(d) < 1) abort();' 'if (h != 2.5f) abort();' 'if (x != -5 || c != 3) abort();' \
            'if (strcmp(s, "text")) abort();' 'if (a[2] != 7 || t.y != 9) abort();' 'if (e != two) abort();' 'if (l != 1.25L) abort();' \
            -g 'enum e { one, two }; struct t { long x, y; };' \
            -s 'long (*f)(long) = labs; double d = 1.5; float h = 2.5f; long x = -5; char c = 3; const char *s = "text"; int a[3] = {5, 6, 7}; struct t t = {8, 9}; enum e e = two; long double l = 1.25L;'
    done
done

# Does the number describe the statement?
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    check "$cc: a statement that is optimised away is reported" measures "$warned
bad = [m['task']['stmt'] for m in r if codes(m) != {'optimised-away'}]; assert not bad, bad" --cc $cc "${quick[@]}" \
        ';' '' 'int y = x * 3;' 'x * 0' 'strlen("literal")' '(void)x' 'free(malloc(8));' -s 'int x = 2'
    check "$cc: a cheap but real statement is not" measures "$warned
bad = [(m['task']['stmt'], codes(m)) for m in r if codes(m)]; assert not bad, bad" --cc $cc "${quick[@]}" \
        'x * 2' 'x % 7' 'sqrt(d)' 'hypot(d, d)' 'x += 3' 'x++' 'x ^= 1' 'v' 'v = 1' '__asm__ volatile("nop")' 'f(x)' 'd *= 1.0000001' 'p = *(void **)p' \
        -s 'long x = 0; volatile int v = 0; long (*f)(long) = labs; double d = 1; void *cell = &cell, *p = cell;'
    # A mistake of each kind, and the effect of following the advice.
    mistakes=('int r = x * 3;' 'pow(2.0, 10.0)' 'strlen("literal")' 'known * 3' 'free(malloc(64));' 'char copy[64]; memcpy(copy, text, 64);'
        'for (int i = 0; i < 1000; i++);' 'if (x == x + 1) abort();' 'x * 0' 'struct s { int a, b; } r = {1, 2}; r.a += r.b;')
    cures=('int r = x * 3; BILANX_KEEP(r);' 'pow(d, e)' 'strlen(text)' 'x * 3' 'void *r = malloc(64); BILANX_KEEP(r); free(r);'
        'char copy[64]; memcpy(copy, text, 64); BILANX_KEEP(copy);' 'for (int i = 0; i < 1000; i++) BILANX_KEEP(i);' 'if (x == y) abort();' 'x * y'
        'struct s { int a, b; } r = {x, y}; r.a += r.b; BILANX_KEEP(r);')
    inputs='int x = 7, y = 8; double d = 2, e = 10; const int known = 3; char text[64] = "literal";'
    check "$cc: each kind of mistake gets advice" measures "$warned
bad = [m['task']['stmt'] for m in r if not any('BILANX_KEEP its result' in w['text'] for w in m['warnings'])]; assert not bad, bad" \
        --cc $cc "${quick[@]}" "${mistakes[@]}" -s "$inputs"
    check "... that fixes it" measures "$warned
bad = [(m['task']['stmt'], codes(m)) for m in r if codes(m)]; assert not bad, bad" --cc $cc "${quick[@]}" "${cures[@]}" -s "$inputs"
done
check "the example in the help works" measures "$warned
assert len(r) == 2 and not [m for m in r if codes(m)], r
assert {m['task']['compile']['launder'] for m in r} == {'each'}, r" 'sqrt(x)' 'cbrt(x)' -s 'double x = 2' "${quick[@]}"
check "objects in C++ are hidden from the optimiser" measures "$warned
bad = [(m['task']['stmt'], codes(m)) for m in r if codes(m)]; assert not bad, bad" -l c++ "${quick[@]}" \
    'v.size()' 'v[3] * 2' 'text.size()' '*maybe * 3' 'two.first * two.second' 'alias * 3' 'captured()' 'std::max(x, alias)' \
    -s 'int x = 7, y = 3, &alias = y; std::vector<int> v(64); std::string text = "a"; std::optional<int> maybe = 3; std::pair<int, int> two(1, 2); auto captured = [x] { return 3 * x; };'
check "a statement that is optimised away gets a note" exits 0 "$BILANX" time 'int r = 3;' --max-run-time 10ms
check "... that says why" err '^optimised-away (int r = 3;): .*BILANX_KEEP'
check "--no-launder allows constant folding" measures "$warned
assert codes(r[0]) == {'optimised-away'} and r[0]['task']['compile']['launder'] == 'none', r
assert any('without it' in w['text'] for w in r[0]['warnings']), r" 'x += 3' -s 'long x = 0' --no-launder "${quick[@]}"
check "--asm shows the loop" exits 0 "$BILANX" time '__asm__ volatile("nop")' 'int y;' --asm "${quick[@]}"
check "... of each statement" bash -c "grep -q 'nop' '$work/out' && grep -q '^int y;:$' '$work/out' && grep -q 'no loop left' '$work/out'"
in_terminal() {
    TERM=xterm script -qec "'$BILANX' time 'n % 7' -s 'long n = 9' --asm --max-run-time 100ms --core any | cat" /dev/null </dev/null >"$work/terminal"
    cat -v "$work/terminal"
    grep -qE $'(^|\033\\[K)n % 7:' "$work/terminal"
}
check "... on a line of its own, even if another program prints it" in_terminal
check "... and not that of a destructor" exits 0 "$BILANX" time '__asm__ volatile("nop")' -l c++ -s 'std::map<int, int> m = {{1, 2}};' --asm "${once[@]}"
check "... that follows it" out ' nop'
check "a short statement has a marginal cost" measures "assert r[0]['stats']['marginal'] > 0" 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
spin='for (volatile int i = 0; i < 100; i++);'
check "... a long one does not" measures "assert 'marginal' not in r[0]['stats']" "$spin" "${quick[@]}"
check "... unless --marginal is given" measures "assert r[0]['stats']['marginal'] > 1e-9" "$spin" --marginal "${quick[@]}"

# Languages, compilers, flags.
check "--language c works" measures "" 'class++' -s 'volatile int class = 0' --language c "${once[@]}"
check "-l c++ works" measures "assert r[0]['task']['language'] == 'c++', r" 'v.push_back(1); v.pop_back();' -l c++ \
    -g '#include <vector>' -s 'std::vector<int> v; v.reserve(10)' "${once[@]}"
check "... and keeps values of any type" measures "assert not [m for m in r if 'not-laundered' in {w['code'] for w in m['warnings']}], r" \
    's + "x"' 's.size()' 's.clear()' 'v' 'x' '[&] { return x; }()' -l c++ -g $'#include <string>\n#include <vector>' \
    -s 'std::string s = "a"; std::vector<int> v(3); double x = 1' "${once[@]}"
if command -v clang >/dev/null; then
    check "--cc clang works" measures "assert 'lang' in r[0]['task']['compile']['cc'], r[0]['task']" 'x += 1' -s 'volatile int x = 0' --cc clang "${once[@]}"
    check "--cc clang++ works" measures "" 's += "x"' -l c++ -g '#include <string>' -s 'std::string s' --cc clang++ "${once[@]}"
fi
check "--cc may include flags" measures "assert '-DX=5' in r[0]['task']['compile']['flags']" 'x += X' -s 'volatile int x = 0' --cc 'gcc -DX=5' "${once[@]}"
check "--cflags works" measures "assert '-DT=\"a b\" -O1' in r[0]['task']['compile']['flags']" 'x += sizeof T' -s 'volatile int x = 0' \
    --cflags "'-DT=\"a b\"' -O1" "${once[@]}"
check "--ldflags works" measures "" 'crc32(0, (const unsigned char *)"a", 1)' -g '#include <zlib.h>' --ldflags -lz "${once[@]}"
check "... and without them the library is missing" fails "assert 'crc32' in e['text'] + e.get('output', ''), e" 'crc32(0, (const unsigned char *)"b", 1)' -g '#include <zlib.h>' "${once[@]}"
check "--pkg works" measures "" 'json_decref(json_integer(1))' -g '#include <jansson.h>' --pkg jansson "${once[@]}"
check "... and a missing package fails" fails "assert e['code'] == 'compile-failed' and 'nosuchpackage' in e['text']" 'x' -s 'int x' --pkg nosuchpackage "${once[@]}"
mkdir "$work/inc"
echo '#define INCLUDED 7' >"$work/inc/included.h"
check "--include works" measures "" 'x += INCLUDED' -g '#include "included.h"' -s 'volatile int x = 0' --include "$work/inc" "${once[@]}"
check "-I works" measures "" 'x += INCLUDED' -g '#include <included.h>' -s 'volatile int x = 0' -I "$work/inc" "${once[@]}"

check "bool, true and false are predefined" measures "" 'b ^= true' -s 'bool b = false' "${once[@]}"
check "... unless the user defines them" measures "" 'b ^= yes' -g 'typedef int bool; enum { false, yes };' -s 'bool b = false' "${once[@]}"
check "in C++, headers for names in std:: are included" measures "" 'm[s] += v.size()' 'std::accumulate(v.begin(), v.end(), 0)' -l c++ \
    -s 'std::vector<int> v(3); std::map<std::string, int> m; std::string s' "${once[@]}"
check "... also after 'using namespace std'" measures "" 'sort(v.begin(), v.end())' -l c++ -g 'using namespace std;' -s 'vector<int> v(3)' "${once[@]}"
check "... but the user's names win" measures "" 'count += v.size()' -l c++ -g $'using namespace std;\nint count;' -s 'vector<int> v(3)' -g '#include <vector>' "${once[@]}"

# The user's own code.
mkdir "$work/here" "$work/beside"
echo '#define HERE 7' >"$work/here/here.h"
echo '#define BESIDE 9' >"$work/beside/beside.h"
echo '#define HERE 8' >"$work/inc/here.h"
echo 'int nine(void) { return 9; }' >"$work/beside/nine.c"
echo 'int ten(void) { return 10; }' >"$work/beside/ten.c"
check "#include \"...\" searches the current folder" bash -c "cd '$work/here' && '$BILANX' time 'x += HERE' -g '#include \"here.h\"' -g '_Static_assert(HERE == 7, \"\");' -s 'volatile int x = 0' ${once[*]}"
check "... after --include" bash -c "cd '$work/here' && '$BILANX' time 'x += HERE' -g '#include \"here.h\"' -g '_Static_assert(HERE == 8, \"\");' -s 'volatile int x = 0' -I '$work/inc' ${once[*]}"
check "... but #include <...> does not" bash -c "cd '$work/here' && ! '$BILANX' time 'x += HERE' -g '#include <here.h>' -s 'volatile int x = 0' ${once[*]}"
check "... and the folder of a --source" measures "" 'x += BESIDE + nine()' -g '#include "beside.h"' -s 'volatile int x = 0' --source "$work/beside/nine.c" "${once[@]}"
check "... or of several" measures "" 'x += BESIDE + nine()' -g '#include "beside.h"' -g 'int nine(void);' -s 'volatile int x = 0' \
    --source "$work/beside/nine.c" --source "$work/beside/ten.c" "${once[@]}"
cat >"$work/sort.c" <<'CODE'
#include <stdlib.h>
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int sum(const int *a, int n);
int sum(const int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }
CODE
echo 'int twice(int x); int twice(int x) { return 2 * x; }' >"$work/twice.c"
check "--source gives access to static functions" measures "assert r[0]['stats']['estimate'] > 1e-7" \
    'qsort(a, 1000, 4, cmp)' --source "$work/sort.c" -s 'static int a[1000]; for (int i = 0; i < 1000; i++) a[i] = i * 7919 % 1000;' "${quick[@]}"
check "... several files can be linked" measures "assert 'twice.c' in r[0]['task']['compile']['flags']" 'twice(sum(a, 10))' -g 'int twice(int); int sum(const int *, int);' \
    --source "$work/sort.c" --source "$work/twice.c" -s 'int a[10] = {1}' "${once[@]}"
check "... by relative paths" bash -c "cd '$work/inc' && '$BILANX' time 'sum(a, 3)' --source ../sort.c -s 'int a[3] = {1}' ${once[*]}"
check "a missing source fails" exits 1 "$BILANX" time 'f()' --source "$work/nothing.c"
check "... and is named" err "cannot read '$work/nothing.c'"
echo 'int f( {' >"$work/broken.c"
check "a source that does not compile fails" fails "assert e['code'] == 'compile-failed' and 'broken.c:1:' in e['output'], e" \
    'f()' --source "$work/broken.c" "${once[@]}"
check "... among several" fails "assert e['code'] == 'compile-failed' and 'broken.c:1:' in e['output'], e" \
    'f()' --source "$work/twice.c" --source "$work/broken.c" "${once[@]}"
mkdir -p "$work/project/include" "$work/project/build"
echo '#define FACTOR 3' >"$work/project/include/factor.h"
printf '#include "factor.h"\nstatic int scale(int x) { return FACTOR * x + LEVEL; }\n' >"$work/project/scale.c"
cat >"$work/project/build/compile_commands.json" <<JSON
[{"directory": "$work/project/build", "file": "../scale.c",
  "command": "cc -I../include -DLEVEL=4 -Wall -Wextra -Wpedantic -Wshadow -Werror -std=c11 -MD -MF x.d -o scale.o -c ../scale.c"}]
JSON
database=(--source "$work/project/scale.c" --compile-commands "$work/project/build/compile_commands.json")
check "--compile-commands uses the project's flags" measures "
f = r[0]['task']['compile']['flags']; assert '-DLEVEL=4' in f and '-I../include' in f and '-std=c11' in f and 'scale.o' not in f, f
assert 'not-laundered' not in {w['code'] for w in r[0]['warnings']}" 'x = scale(x)' -s 'int x = 1' "${database[@]}" "${once[@]}"
check "... and leaves nothing in its folder" bash -c "[ \"\$(ls '$work/project/build')\" = compile_commands.json ]"
check "... and needs a source" exits 2 "$BILANX" time 'f()' --compile-commands x.json
printf '#!/bin/sh\ntouch %s/wrapped\nexec "$@"\n' "$work" >"$work/wrapper"
chmod +x "$work/wrapper"
sed "s|cc -I|cc -wrapper $work/wrapper -I|" "$work/project/build/compile_commands.json" >"$work/project/build/wrapped.json"
wrapped=(--source "$work/project/scale.c" --compile-commands "$work/project/build/wrapped.json")
check "flags that run programs are left out, with a note" measures "
w = {w['code']: w['text'] for w in r[0]['warnings']}; assert 'wrapper' in w['flags-left-out'] and '--trust-flags' in w['flags-left-out'], w" \
    'x = scale(x)' -s 'int x = 1' "${wrapped[@]}" "${once[@]}"
check "... so none is run" test ! -e "$work/wrapped"
check "... unless --trust-flags allows them" measures "assert 'flags-left-out' not in {w['code'] for w in r[0]['warnings']}" \
    'x = scale(x)' -s 'int x = 1' "${wrapped[@]}" --trust-flags "${once[@]}"
check "... which runs them" test -e "$work/wrapped"
check "--trust-flags needs a compilation database" exits 2 "$BILANX" time 'x' --trust-flags
check "--fact is kept with the record" measures "assert r[0]['facts'] == {'ticket': '12', 'empty': ''}, r[0]['facts']" \
    'x = 1' -s 'volatile int x' --fact ticket=12 --fact empty= "${once[@]}"
check "... once" exits 2 "$BILANX" time 'x = 1' -s 'volatile int x' --fact a=1 --fact a=2 -o "$work/never.jsonl"
check "... and needs a file" exits 2 "$BILANX" time 'x = 1' -s 'volatile int x' --fact a=1
check "... that has an entry" exits 1 "$BILANX" time 'f()' --source "$work/twice.c" "${database[@]:2}"
check "... which the message names" err "no entry for '$work/twice.c'"

# How statements are run.
check "--sync runs after each batch" measures "" 'mark("stmt")' -g "$marking" --sync 'mark("sync")' --method timeit --number 10 --repeats 3 --quiet
check "... and only there" bash -c "tail -n 33 '$MARKS' | cut -d' ' -f1 | uniq -c | tail -n 6 | tr -s ' \n' ' ' | grep -qx ' 10 stmt 1 sync 10 stmt 1 sync 10 stmt 1 sync '"
rm -f "$MARKS"
nap='usleep(3000)'
check "the setup runs once in every process" measures "open('$work/epochs', 'w').write(str(len(r[0]['epochs']) + r[0].get('redrawn', 0)))" \
    "$nap" -g "$marking" -s 'mark("setup")' --max-run-time 200ms --quiet
check "... and every epoch is a process" bash -c "[ \$(cut -d' ' -f2 '$MARKS' | sort -u | wc -l) = \$(cat '$work/epochs') ]"
rm -f "$MARKS"
check "--setup-once runs the setup once" measures "assert len(r[0]['epochs']) >= 2 and 'one-process' in {w['code'] for w in r[0]['warnings']}" \
    "$nap" -g "$marking" -s 'mark("setup")' --max-run-time 200ms --setup-once --quiet
check "... in total" [ "$(marks)" = 1 ]
rm -f "$MARKS"
check "... for a short statement, too" measures "" 'x += 3' -g "$marking" -s 'mark("setup"); long x = 0' --setup-once "${quick[@]}"
check "... in total" [ "$(marks)" = 1 ]
threads='if (strcmp(getenv("OMP_NUM_THREADS"), THREADS) || strcmp(getenv("OPENBLAS_NUM_THREADS"), THREADS)) exit(9);'
check "there is one thread by default" measures "assert r[0]['task']['num_threads'] == 1" ';' -s "$threads" --cflags '-DTHREADS=\"1\"' "${once[@]}"
check "--threads sets the number of threads" measures "assert r[0]['task']['num_threads'] == 3" ';' -s "$threads" --cflags '-DTHREADS=\"3\"' --threads 3 "${once[@]}"
check "-t is short for it" measures "assert r[0]['task']['num_threads'] == 2" ';' -s "$threads" --cflags '-DTHREADS=\"2\"' -t 2 "${once[@]}"
for method in rigorous blocked adaptive timeit latency; do
    check "--method $method works" measures "assert r[0]['method'] == '$method'" 'x += 1' -s 'volatile int x = 0' --method $method \
        --min-run-time 2ms --max-run-time 20ms --warmup 1ms --threshold 9 --precision 1 --seed 7 --timeout 30 --number 100
done
check "--repeats works" measures "assert len(r) == 2" 'x += 1' -s 'volatile int x = 0' --repeats 2 "${quick[@]}"
check "--format markdown works" exits 0 "$BILANX" time 'x | 1' -s 'volatile int x = 0' --format markdown "${once[@]}"
check "... and prints Markdown" out '^|---|'
check "--format csv works" exits 0 "$BILANX" time 'f(1, "a")' -g 'static int f(int x, const char *s) { return x + *s; }' --format csv "${once[@]}"
check "... and prints CSV" python3 -c "
import csv; assert [row['benchmark'] for row in csv.DictReader(open('$work/out', newline=''))] == ['f(1, \"a\")']"
check "--json means -o" exits 0 "$BILANX" time 'x' -s 'volatile int x = 0' --overwrite --json "$work/r.jsonl" "${once[@]}"
check "--format json works" exits 0 "$BILANX" time 'x' -s 'volatile int x = 0' --format json "${once[@]}"
check "... and prints records" records "$work/out" "assert len(r) == 1"
check "--color always works" exits 0 "$BILANX" time 'x' -s 'volatile int x = 0' --color always "${once[@]}"
check "... and colours the output" out $'\033\[1m'
check "--quiet is quiet" empty err
check "every epoch has a layout, some of which are repeated, and its own pages" measures "
layouts = [one['layout'] for one in r[0]['epochs']]
assert len(layouts) / 2 <= len(set(layouts)) and max(layouts) <= 32, r[0]
assert len(layouts) == r[0]['pages'] - r[0].get('redrawn', 0), r[0]" 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
check "... chosen from the requested number" measures "assert {one['layout'] for one in r[0]['epochs']} == {1, 2, 3}, r[0]" --layouts 3 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
check "--layouts 0 keeps the linker's layout" measures "assert all('layout' not in one for one in r[0]['epochs']), r[0]" --layouts 0 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
check "--pages keep leaves pages alone" measures "assert 'pages' not in r[0], r[0]" --pages keep 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
export BILANX_PAGES=keep
check "... and so does the environment variable" measures "assert 'pages' not in r[0], r[0]" 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
unset BILANX_PAGES
check "a time that depends on the layout" measures "
assert [one['code'] for one in r[0]['warnings'] if 'iqr' in one['code'] or 'layout' in one['code']] == ['layout-groups'], r[0]
assert r[0]['stats']['layout'] > .1, r[0]" 'spin()' --layouts 12 --max-run-time 1 --precision 1e-9 \
    -g 'static int f(void) { return 1; } static int (*volatile g)(void) = f;
static void spin(void) { unsigned x = 3; for (int n = (unsigned long)g & 16 ? 500 : 1000; n; n--) { x *= x; __asm__ volatile("" : "+r"(x)); } }'
check "... is shown as two times" out 'spin() .* or .* by layout ([0-9]* and [0-9]* of [0-9]*)'
check "code that cannot be rearranged says why" measures "
assert ['layout-fixed'] == [one['code'] for one in r[0]['warnings'] if one['code'].startswith('layout')], r[0]" 'x += 1' -s 'volatile long x = 0' --cflags -flto "${quick[@]}"
for compiler in gcc clang; do
    check "... and is not reported as removed, with $compiler" measures "
assert not [one for one in r[0]['warnings'] if 'optimised' in one['code']], r[0]" 'x += 1' -s 'volatile long x = 0' --cc $compiler --cflags -flto "${quick[@]}"
    check "... unless it is, with $compiler" measures "
assert 'optimised-away' in [one['code'] for one in r[0]['warnings']], r[0]" '1 + 1' --cc $compiler --cflags -flto "${quick[@]}"
done
check "--core any keeps all batches" measures "assert all(not one.get('off_pace') for one in r[0]['epochs']), r[0]" --core any 'x += 1' -s 'volatile long x = 0' "${quick[@]}"
check "--core-wait needs something to wait for" exits 2 "$BILANX" time 'x += 1' -s 'volatile long x = 0' --core any --core-wait 1s
check "--hwcaps needs --count" exits 2 "$BILANX" time 'x += 1' -s 'volatile long x = 0' --hwcaps native
check "help shows examples" exits 0 "$BILANX" help time
# The omitted ones are tested by their letters.
check "... and every option is tested" bash -c "grep -oe '--[a-z-]*' '$work/out' | sort -u | grep -vxe '--name' -e '--parameter-.*' | while read -r option; do
    grep -qe \"\$option\" '$(dirname "$0")'/{time,count,outputs,inputs,flame}*.sh '$(dirname "$0")/time.bash' '$(dirname "$0")/cli.bash' || echo \"\$option\"; done | { ! grep .; }"
check "--help is the same" exits 0 "$BILANX" time --help
check "no statement is a usage error" exits 2 "$BILANX" time
check "... that is explained" err 'time needs a statement'
check "an unknown option is a usage error" exits 2 "$BILANX" time 'x' --stup 'int x'
check "... with a suggestion" err "did you mean '--setup'"
check "an unknown language is a usage error" exits 2 "$BILANX" time 'x' -l cobol

# Text is data.
export NASTY=$'x += 1; /* größe 大小 😀 $HOME `id` $(id) "q" \'s\' \\ | & ; < > ( ) { } [ ] * ? ~ ! # % %s%n ^ = \t \e[31m */'
check "every character works in statements and labels" measures "
import os; nasty = os.environ['NASTY']
t = r[0]['task']
assert t['stmt'] == t['label'] == t['sub_label'] == t['description'] == t['env'] == nasty, t
assert t['setup'] == nasty.replace('x += 1', 'volatile int x = 0'), t" \
    "$NASTY" -s "${NASTY/x += 1/volatile int x = 0}" --label "$NASTY" --sub-label "$NASTY" --description "$NASTY" --env "$NASTY" "${once[@]}"
check "a statement may end in a wide character" exits 0 "$BILANX" time 'x += 1 // größe 大' -s 'volatile int x = 0' "${once[@]}"
check "... which the table shows" out '^x += 1 // größe 大 '
check "a long statement is cut between characters" exits 0 "$BILANX" time "x += 1 // $(printf '大%.0s' $(seq 50))" -s 'volatile int x = 0' "${once[@]}"
check "... in the table" out '^x += 1 // 大*…大* '
check "... and no escape sequence is printed" bash -c "! grep -q \$'\033' '$work/out' '$work/err'"
name="$work/ö 大 😀 \$HOME \`id\` \$(id) 'q' | & ; < > ( ) { } [ ] * ? ~ ! # % ^ = : \\ ,.c"
echo 'static int f(int x) { return x + 1; }' >"$name"
echo 'static int f(int x) { return x + 1; }' >"$work/a \"quote\".c"
check "every character works in a file name" measures "" 'f(x)' -s 'int x = 1' --source "$name" "${once[@]}"
check "... even a quote" measures "" 'f(x)' -s 'int x = 1' --source "$work/a \"quote\".c" "${once[@]}"
check "... also for the records" exits 0 "$BILANX" time 'x' -s 'volatile int x = 0' "${once[@]}" -o "$name.jsonl"
check "... which are there" records "$name.jsonl" "assert len(r) == 1"
python3 -c "print('x += 1; /* ' + 'long ' * 210000 + '*/')" >"$work/long.c"
python3 -c "print('static const int t[] = {' + '1,' * 520000 + '}; x += t[x & 1023];')" >"$work/table.c"
for text in long table; do
    check "a statement may have a megabyte: $text" bash -c "'$BILANX' time - -s 'volatile int x = 0' --max-run-time 10ms --overwrite -o '$work/r.jsonl' <'$work/$text.c'"
    check "... and is complete in the record" records "$work/r.jsonl" "assert r[0]['task']['stmt'] == open('$work/$text.c').read() and len(r[0]['task']['stmt']) > 1000000"
done
check "a statement can come from stdin" bash -c "echo 'x += 5' | '$BILANX' time 'x += 1' - -s 'volatile int x = 0' ${once[*]}"

# Without privileges.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_CACHE_HOME="$work/theirs" HOME=/nonexistent)
    mkdir -m 777 "$work/theirs"
    cp "$BILANX" "$BILANX-worker" "$work"
    chmod 755 "$work" "$work/bilanx" "$work/bilanx-worker"
    check "any user can measure" exits 0 "${nobody[@]}" "$work/bilanx" time 'x += 1' -s 'volatile int x = 0' "${quick[@]}"
    check "... from stdin" bash -c "echo 'x += 2' | ${nobody[*]@Q} '$work/bilanx' time - -s 'volatile int x = 0' ${once[*]}"
    check "... and without a cache" exits 0 "${nobody[@]}" XDG_CACHE_HOME=/root/x "$work/bilanx" time 'x += 1' -s 'volatile int x = 0' "${once[@]}"
fi

plan
