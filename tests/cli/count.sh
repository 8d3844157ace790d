#!/usr/bin/env bash
# bilanx count: its output and files; a faulty statement is one failed case.
. "$(dirname "$0")/cli.bash"
export XDG_CACHE_HOME=$work/cache TMPDIR=$work

# counts CODE ARGUMENT...: counts and checks the records; c are the counts of the first.
counts() {
    local code=$1
    shift
    exits 0 "$BILANX" count "$@" --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
c = r[0].get('counts')
$code"
}

check "a statement is counted" counts "
assert r[0]['kind'] == 'counts' and 'raw_times' not in r[0] and 'stats' not in r[0]
assert c['counter'] == 'callgrind' and c['number'] == 100 and len(c['repeats']) == 5
assert sum(f.get('self', 0) for f in c['functions']) == c['instructions'] == c['repeats'][0]
assert 300 <= c['baseline'] < c['instructions']
assert '-gdwarf-4' in r[0]['task']['compile']['flags']
assert any(f['file'].endswith('/statement') for f in c['functions'])" 'x += 1' -s 'volatile long x = 0'
check "... is called deterministic" out '^x += 1 .* deterministic$'
check "... and shown by function" out '%  the statement itself$'
check "... progress goes to stderr" err '^1/1  x += 1  .* instructions$'
# What the compiler inlines is ours by its symbol, but not by its debug information.
cat >"$work/strlib.c" <<'C'
static inline unsigned rotate(unsigned x)
{
    for (int i = 0; i < 3; i++) {
        x *= 9;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}
static inline unsigned fnv1a(const char *text, long size)
{
    unsigned hash = 2166136261u;
    for (long i = 0; i < size; i++)
        hash = rotate(hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}
static inline unsigned sum(const char *text, long size)
{
    unsigned sum = 0;
    for (long i = 0; i < size; i++)
        sum = rotate(sum + (unsigned char)text[i]);
    return sum;
}
C
check "an inlined function has its own name" counts "
f = {f['function']: f for f in c['functions']}
assert f['fnv1a (inlined, strlib.c)']['self'] > .9 * c['instructions'] and 'rotate (inlined, strlib.c)' not in f, f
assert f['fnv1a (inlined, strlib.c)']['file'].endswith('/strlib.c')
assert sum(f.get('self', 0) for f in c['functions']) == c['instructions']
assert r[1]['counts']['functions'][0]['function'] == 'sum (inlined, strlib.c)', r[1]['counts']['functions']" \
    'fnv1a(text, 100)' 'sum(text, 50)' --source "$work/strlib.c" -s 'static char text[100]' --retain "$work/inlined.out" --overwrite -q
check "... in the table" out '%  fnv1a (inlined, strlib.c)$'
check "... in a file that is retained" bash -c 'grep -qx "fn=fnv1a (inlined, strlib.c)" "$0".1' "$work/inlined.out"
check "... and what two of them share has its own" counts "
f = {f['function']: f for f in c['functions']}
assert {'fnv1a (inlined, strlib.c)', 'sum (inlined, strlib.c)', 'rotate (inlined, strlib.c)'} <= set(f), f" \
    'fnv1a(text, 100) + sum(text, 50)' --source "$work/strlib.c" -s 'static char text[100]' -q
check "--number and --repeats are respected" counts "assert c['number'] == 7 and len(c['repeats']) == 2" 'x++' -s 'volatile int x = 0' --number 7 --repeats 2 -q
check "C++ is counted" counts "assert any('push_back' in f['function'] or '_M_realloc_' in f['function'] for f in c['functions'])" \
    'v.push_back(1)' -l c++ -g '#include <vector>' -s 'std::vector<int> v' -q
check "called functions are counted" counts "
f = {f['function']: f for f in c['functions']}
assert f['twice']['self'] < f['twice']['inclusive'] and f['once']['self'] > 0" 'twice(x)' -s 'volatile int x = 1' --inclusive \
    -g '__attribute__((noinline)) int once(int x) { return x * 3 + 1; } __attribute__((noinline)) int twice(int x) { return once(x) ^ once(x + 1); }'
check "... --inclusive adds what they call" out '^ *[0-9.]* *[0-9.]*%  twice$'
check "--baseline shows the empty loop as a case" counts "assert r[1]['counts']['instructions'] == c['baseline']" 'x++' -s 'volatile int x = 0' --baseline -q
check "repeats that differ are reported" counts "
w = r[0]['warnings'][0]
assert w['code'] == 'counts-vary' and 'vary' in w['text'] or 'random_r' in w['text'], w
assert len(set(c['repeats'])) > 1" 'rand()'
check "... in the table" out '^rand() .* vary *counts-vary$'
check "a statement that was optimised away is reported" counts "assert r[0]['warnings'][0]['code'] == 'optimised-away'" '(void)0' -q
check "allocations are counted" counts "
a = [one['counts']['allocations'] for one in r]
assert (a[0]['count'], a[0]['bytes']) == (1, 100) and 100 <= a[0]['peak'] <= 120, a
assert (a[1]['count'], a[1]['bytes']) == (0, 0), a
assert (a[2]['count'], a[2]['bytes']) == (2, 1010) and 1000 <= a[2]['peak'] <= 1100, a
assert (a[3]['count'], a[3]['bytes']) == (1, 50) and 50 <= a[3]['peak'] <= 80, a" \
    'free(keep = malloc(100))' 'x++' 'free(keep = realloc(malloc(10), 1000))' 'keep = strdup(text)' \
    -s 'void *volatile keep; volatile int x = 0; char text[50]; memset(text, 65, 49); text[49] = 0' --allocations -q
check "perf events are counted if there are any" counts "
assert c['counter'] == 'perf' and c['events']['task-clock-ns'] > 0
assert 'instructions' in c or r[0]['warnings'][0]['code'] == 'no-hardware-counters'" 'x++' -s 'volatile int x = 0' --counter perf
check "... and shown" out 'task-clock-ns'

# Files for other tools.
annotated() {
    local total
    total=$(callgrind_annotate "$1" | sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS.*/\1/p' | tr -d ,)
    records "$work/r.jsonl" "assert r[$2]['counts']['instructions'] == $total"
}
check "--retain keeps a callgrind file" counts "" 'strlen(s)' -s 'char *s = "abc"' --retain "$work/kept" -q
check "... that callgrind_annotate can read" annotated "$work/kept" 0
check "... without the calls that led to the loop" bash -c "! grep 'calls=0' '$work/kept'"
check "several statements keep a file each" counts "" 'strlen(s)' 'strdup(s)' -s 'char *s = "abc"' --retain "$work/each" -q
check "... with a number" annotated "$work/each.2" 1
check "nothing else is left" bash -c "! ls -d '$work'/bilanx-*"

# A case that cannot be counted fails, and the others are counted.
threads='#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
static void *f(void *a) { return a; }
static void thread(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }
__attribute__((target("avx512f"))) static void wide(void) { __asm__ volatile("vpxord %zmm0, %zmm0, %zmm0"); }'
faults() {
    exits 1 "$BILANX" count 'x++' 'fork()' 'system("true")' 'thread()' '*(volatile int *)0 = 1' 'exit(3)' \
        'for (;;) x++' 'wide()' 'nosuch()' 'x--' -g "$threads" -s 'volatile int x = 0' --timeout 2 --overwrite -o "$work/r.jsonl" &&
        records "$work/r.jsonl" "
assert r[0]['counts']['instructions'] == r[-1]['counts']['instructions'] > 0
wanted = [('failed', 'starts processes'), ('failed', 'starts processes'), ('failed', 'starts threads'), ('crashed', 'signal 11'),
          ('exited', 'status 3'), ('timed-out', 'no answer in 2 s'), ('crashed', 'AVX-512'), ('compile-failed', 'nosuch')]
assert len(r) == 10
for one, (code, text) in zip(r[1:], wanted):
    assert one['kind'] == 'failure' and one['error']['code'] == code and text in one['error']['text'], one
    assert 'counts' not in one"
}
check "a case that cannot be counted fails with its reason" faults
check "... and the table says so" out '^fork() *failed$'
busy='#include <pthread.h>
static void *f(void *a) { for (volatile int i = 0; i < 1000; i++) ; return a; }
static void thread(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }'
check "threads on request are counted" counts "
assert len(r) == 2 and all(3000 < one['counts']['per_iteration'] for one in r), r
print([one['counts']['per_iteration'] for one in r])
assert r[0]['counts']['per_iteration'] > r[1]['counts']['per_iteration'] + 100" 'thread()' 'f(0)' -g "$busy" -t 2 -q
no_valgrind() {
    mkdir "$work/bin" && ln -s /usr/bin/* "$work/bin" && rm "$work/bin/valgrind" &&
        PATH=$work/bin exits 1 "$BILANX" count 'x++' -s 'volatile int x = 0' && err 'apt-get install valgrind'
}
check "a missing valgrind is reported" no_valgrind
broken_valgrind() { VALGRIND_LIB=/nonexistent exits 1 "$BILANX" count 'x++' -s 'volatile int x = 0' && err "cannot start '.*valgrind'"; }
check "a valgrind that does not start is reported" broken_valgrind
full() { exits 1 "$BILANX" count 'x++' -s 'volatile int x = 0' --retain /dev/full && err 'No space left'; }
check "a full disk is reported" full
hangs() { patience=20 exits 1 "$BILANX" count 'pause()' -g '#include <unistd.h>' --timeout 2s && err 'no answer in 2 s'; }
check "--timeout is respected" hangs
check "AVX-512 is rejected" bash -c "'$BILANX' count 'x++' -s 'int x = 0' --cflags -mavx512f 2>&1 | grep 'does not support AVX-512'"
check "-march=native is replaced with a note" counts "
assert 'other-march' in [w['code'] for w in r[0]['warnings']]
assert '-march=x86-64' in r[0]['task']['compile']['flags'] and 'native' not in r[0]['task']['compile']['flags']" \
    'x++' -s 'volatile int x = 0' --cflags -march=native -q
check "nothing to count is a usage error" exits 2 "$BILANX" count
check "statements and a program together are a usage error" exits 2 "$BILANX" count 'x' --program "$GOOD"

# Programs, and times together with counts.
check "a benchmark program is counted" counts "
by['paused']['counts']['instructions'], by['calls']['counts']
assert by['calls']['counts']['instructions'] > by['calls']['counts']['baseline'] > 0
assert by['calls']['task']['language'] == 'c'" --program "$GOOD" --filter '^(calls|paused|copy/64)$' -q
threaded() { exits 1 "$BILANX" count --program "$GOOD" --filter 'threads=2' && err 'only one can be counted'; }
check "... but not with two threads" threaded
beside() {
    exits 0 "$BILANX" "$@" --count "${quick[@]}" --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
for one in r:
    assert one['kind'] == 'measurement' and one['raw_times'] and one['counts']['instructions'] > 0, one"
}
check "statements are timed and counted together" beside time 'x++' 'x--' -s 'volatile int x = 0'
check "a program is timed and counted together" beside run "$GOOD" --filter '^(calls|copy/64)$'
uncounted() {
    exits 0 "$BILANX" time 'thread()' -g "$threads" --count "${quick[@]}" --overwrite -o "$work/r.jsonl" && records "$work/r.jsonl" "
assert r[0]['kind'] == 'measurement' and 'counts' not in r[0]
assert 'not-counted' in [w['code'] for w in r[0]['warnings']]"
}
check "a case that cannot be counted is still timed" uncounted

plan
