#!/usr/bin/env bash
# bilanx flame: collects the stacks of statements, programs, suites and commands.
. "$(dirname "$0")/flame.bash"

near='assert abs(total("half") - 50) < 3 and abs(total("third") - 30) < 3 and abs(total("fifth") - 20) < 3, [total(n) for n in ("half", "third", "fifth")]'
check "three functions, sampled" folded "$near" 'three()' --source three.c --rate 3989 --duration 1
check "... with how they were sampled" err '^bilanx: [0-9]* samples, 3989 per second of CPU time ([a-z-]*), overhead '
check "... and where the graph is" bash -c "'$BILANX' flame 'three()' --source three.c --duration 200ms -o said.svg 2>&1 | grep -q '^bilanx: wrote said.svg: open it in a browser'"
check "... without the harness" stacks 'assert {bare(f)[0] for f, w in stacks} == {"three()"}'
check "three functions, sampled by signals" folded "$near" 'three()' --source three.c --rate 3989 --duration 1 --signals
# Shares against the program's own clock. How long the volatile sums take depends on where the stack is.
cat >clocked.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static volatile long *spent;
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}
static void open_spent(void)
{
    int fd = open("spent", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(fd, 4096) == 0)
        spent = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}
static inline long sum(long n) { volatile long s = 0; for (long i = 0; i < n; i++) s += i; return s; }
static inline long until(long end) { while (now() < end); return end; }
#define NAMED(name, body) __attribute__((noinline)) long name(long x) { return body; }
NAMED(half, sum(x * 5) + 1) NAMED(third, sum(x * 3) + 2) NAMED(fifth, sum(x * 2) + 3)
NAMED(first, until(x + 1002004)) NAMED(second, until(x + 601202)) NAMED(last, until(x + 400802))
__attribute__((noinline)) long clocked(void)
{
    if (!spent)
        open_spent();
    long a = now(), sum = half(50000), b = now();
    sum += third(50000);
    long c = now();
    sum += fifth(50000);
    spent[0] += b - a, spent[1] += c - b, spent[2] += now() - c;
    return sum;
}
__attribute__((noinline)) long in_step(void) { return last(second(first(now()))); }
C
agrees='
import struct
clock = struct.unpack("3q", open("spent", "rb").read(24))
shares = [100 * one / sum(clock) for one in clock]
assert all(abs(total(name) - share) < 3 for name, share in zip(("half", "third", "fifth"), shares)), shares'
check "shares are those of the program's own clock" folded "$agrees" 'clocked()' --source clocked.c --rate 3989 --duration 1
check "... sampled by signals" folded "$agrees" 'clocked()' --source clocked.c --rate 3989 --duration 1 --signals
# In step, one of them would have all samples.
even='assert abs(total("first") - 50) < 9 and abs(total("second") - 30) < 9 and abs(total("last") - 20) < 9, [total(n) for n in ("first", "second", "last")]'
check "a loop in step with the samples is not sampled in the same places" folded "$even" 'in_step()' --source clocked.c --rate 499 --duration 1.5
printf '#include "clocked.c"\nint main(void) { for (int i = 0; i < 1000; i++) in_step(); }\n' >in_step.c
cc -O2 in_step.c -o in_step
check "... nor in a command" folded "$even" --rate 499 -- ./in_step
check "... nor by signals" folded "$even" 'in_step()' --source clocked.c --rate 499 --duration 1.5 --signals
exact='assert abs(total("half") - 50) < .1 and abs(total("third") - 30) < .1 and abs(total("fifth") - 20) < .1'
check "three functions, counted" folded "$exact" 'three()' --source three.c --counted
cp s.folded first.folded
check "... without the harness" stacks 'assert {len(f) for f, w in stacks} == {1, 2, 3} and not any("bilanx" in n or "loop_" in n for f, w in stacks for n in f), stacks'
check "... as many as bilanx count says" bash -c "
    '$BILANX' count 'three()' --source three.c -q --overwrite -o r.jsonl && python3 -c '
import json
counts = json.loads(open(\"r.jsonl\").readline())[\"counts\"]
assert counts[\"instructions\"] == sum(float(line.split()[-1]) for line in open(\"s.folded\"))'"
check "... in the same picture each time" bash -c "
    '$BILANX' flame 'three()' --source three.c --counted -q -o a.svg --folded b.folded &&
    '$BILANX' flame 'three()' --source three.c --counted -q -o b.svg && cmp a.svg b.svg && cmp first.folded b.folded"
cat >setup.c <<'C'
#include "three.c"
__attribute__((noinline)) void prepare(void) { for (int i = 0; i < 10000; i++) half(); }
C
check "a setup is not part of it" folded 'assert total("third") == 100 and total("prepare") == 0 and total("half") == 0' \
    'third()' -s 'prepare()' --source setup.c --duration .3

# Recursion.
cat >recursive.c <<'C'
#include "work.h"
__attribute__((noinline)) long down(long n)
{
    return n ? down(n - 1) + (long)chain(200) : 1;
}
__attribute__((noinline)) long odd(long n);
__attribute__((noinline)) long even(long n) { return n ? odd(n - 1) + (long)chain(200) : 1; }
__attribute__((noinline)) long odd(long n) { return n ? even(n - 1) + (long)chain(200) : 2; }
C
check "a recursive function" folded '
depths = {bare(f).count("down"): sum(w for g, w in stacks if bare(g) == bare(f)) for f, w in stacks if "down" in bare(f)}
assert set(range(1, 7)) <= set(depths) <= set(range(1, 8)), depths' 'down(6)' --source recursive.c --duration 1
check "... counted, with all its levels" folded '
levels = {bare(f).count("down") for f, w in stacks}
assert set(range(1, 8)) <= levels, levels' 'down(6)' --source recursive.c --counted
check "... of two functions" folded '
assert max(bare(f).count("odd") for f, w in stacks) == 3 and max(bare(f).count("even") for f, w in stacks) == 4
assert all(a != b for f, w in stacks for a, b in zip(bare(f), bare(f)[1:]))' 'even(6)' --source recursive.c --counted
check "... deeper than can be kept apart is cut" folded '
assert any("[callers unknown]" in f[0] for f, w in stacks), stacks[0]' 'even(400)' --source recursive.c --counted --number 3

# Programs, with and without what debuggers need.
cat >threads.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include "work.h"
__attribute__((noinline)) unsigned long left(void) { return chain(40000000) + 1; }
__attribute__((noinline)) unsigned long right(void) { return chain(40000000) + 2; }
static void *start(void *result)
{
    pthread_setname_np(pthread_self(), "righty");
    *(unsigned long *)result = right();
    return 0;
}
int main(void)
{
    pthread_t thread;
    unsigned long result;
    pthread_create(&thread, 0, start, &result);
    return left() + result == 0 || pthread_join(thread, 0) != 0;
}
C
cc -O2 -g -fomit-frame-pointer threads.c -o threads -pthread
check "a command with two threads, without frame pointers" folded '
assert abs(total("left") - 50) < 5 and abs(total("right") - 50) < 5
assert total("main", "left") > 45 and total("start_thread", "start", "right") > 45 and total("main", "right") == 0' -- ./threads
check "... with inlined functions" stacks 'assert total("left", "chain") > 45'
check "... by the names of the threads" folded 'assert total("righty", "right") > 45 and total("threads", "left") > 45 and total("righty", "left") == 0' \
    --threads-apart -- ./threads
strip threads -o stripped
check "a stripped program has addresses" folded '
import re
tops = {bare(f)[-1] for f, w in stacks if w > .2 * whole}
assert len(tops) == 2 and all(re.fullmatch("0x[0-9a-f]+", t) for t in tops), tops' -- ./stripped
check "... and it is said" err 'shown as addresses, for lack of symbols: functions of stripped'
cat >bench.c <<'C'
#include <bilanx/bench.h>
#include "three.c"
__attribute__((noinline)) static unsigned long untimed(void) { return chain(4000) + 9; }
BILANX_BENCH(paused) { BILANX_LOOP(b) { bilanx_pause(b); BILANX_KEEP(untimed()); bilanx_resume(b); BILANX_KEEP(fifth()); } }
BILANX_BENCH(crew) { BILANX_LOOP(b) { BILANX_KEEP(third()); } }
BILANX_CASES(crew) { bilanx_threads(d, 2); }
BILANX_MAIN()
C
root=$(cd "$(dirname "$BILANX")" && pwd)
cc -O2 bench.c -I"${SOURCE:-$root/..}/include" -o bench "$root/src/core/libbilanx-bench.a" -pthread
check "the cases of a program" folded 'assert {bare(f)[0] for f, w in stacks} == {"paused", "crew/threads=2"}' ./bench --duration .5
check "... without what they do not time" stacks 'assert total("fifth") > 30 and total("third") > 30 and total("untimed") == 0'
check "... some of them, counted" folded 'assert {bare(f)[0] for f, w in stacks} == {"paused"} and total("fifth") > 90' ./bench --filter paused --counted
printf 'global_setup: |\n  #include "three.c"\nbenchmarks:\n  a: {stmt: three()}\n  b: {stmt: half()}\n' >suite.yaml
check "the cases of a suite" folded 'assert {bare(f)[0] for f, w in stacks} == {"b"} and total("half") > 95' suite.yaml --filter '^b' --duration .3
check "C++ names are readable" folded 'assert total("std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >, int&&)") > 5 or any("_M_realloc_" in n and "(" in n for f, w in stacks for n in f), stacks[:3]' \
    'std::vector<int> v; for (int i = 0; i < 100; i++) v.push_back(i); keep(v.data())' -g 'void keep(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }' -l c++ --duration .3
check "the kernel's part, where it is allowed" folded '
assert total("read") > 10 and (any("syscall" in n for f, w in stacks for n in f) or "kernel" in note), note' \
    'read(fd, buffer, 4096)' -g '#include <fcntl.h>
#include <unistd.h>' -s 'int fd = open("/dev/zero", O_RDONLY); static char buffer[4096]' --duration .5

# Code that a program compiles itself.
if [ "$(uname -m)" = x86_64 ]; then
    cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    /* mov $2000000000, %ecx; dec %ecx; jnz; ret */
    static const unsigned char code[] = {0xb9, 0, 0x94, 0x35, 0x77, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
    char *memory = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char path[64];
    memcpy(memory, code, sizeof code);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    if (argc > 1 && symlink(argv[1], path) == 0)
        ((void (*)(void))memory)();
    FILE *map = argc > 1 ? 0 : fopen(path, "w");
    if (map) {
        fprintf(map, "%lx 1000 before\nnot a line\n%lx 20 compiled<&>\n%lx 20 after\n", (long)memory - 4096, (long)memory, (long)memory + 4096);
        fclose(map);
        ((void (*)(void))memory)();
    }
}
C
    cc -O2 jit.c -o jit
    check "functions that a program compiles have the names that it gives them" folded 'assert total("compiled<&>") > 90 and total("[jit]") == 0' -- ./jit
    printf '0 ffffffffffff elsewhere\n' >elsewhere.map
    check "... but not by following a link" folded 'assert total("[jit]") > 90 and total("elsewhere") == 0' -- ./jit "$work/elsewhere.map"
    # The file is also read when its program has ended, so it is removed here.
    find /tmp -maxdepth 1 -name 'perf-*.map' -user "$(id -u)" -mmin -5 -exec grep -qs 'compiled<&>' {} \; -delete
    find /tmp -maxdepth 1 -name 'perf-*.map' -lname "$work/elsewhere.map" -delete
fi

# Refusals.
cat >refuse.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open) {
        errno = EACCES;
        return -1;
    }
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
C
cc -shared -fPIC refuse.c -o refuse.so
refused() { LD_PRELOAD=$work/refuse.so "$@"; }
export -f refused
export work
check "without the privilege, a command is refused" exits 1 bash -c "refused '$BILANX' flame -- ./threads"
check "... with what to allow" err 'kernel.perf_event_paranoid is .*sysctl kernel.perf_event_paranoid=1.*CAP_PERFMON'
without() {
    run bash -c "refused '$BILANX' flame 'three()' --source three.c --duration 1 --folded s.folded"
    stacks 'assert total("half") > 35 and total("fifth") < 35 and "perf_event_paranoid" in note and "timer" in note'
}
check "... but a statement samples itself" without
check "a crash" exits 1 "$BILANX" flame 'if (++n > 100) abort()' -s 'int n = 0' --folded crash.folded
check "... is reported, and there is no graph" bash -c "grep -q 'killed by signal 6' err && [ ! -e crash.folded ]"
check "a statement that does not compile" exits 1 "$BILANX" flame 'nothing here' --folded none.folded
check "a command that is over too soon" exits 1 "$BILANX" flame -- true
check "... is reported" err 'not a single sample in .* repeat the command with --duration'
check "... unless it is repeated" folded 'assert whole > 3' --duration 1 --rate 2000 -- sh -c 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done'
check "a statement that does not use the processor" exits 1 "$BILANX" flame 'usleep(100000)' -g '#include <unistd.h>' --rate 5 --duration .3
check "a command that fails is drawn" exits 1 "$BILANX" flame --folded fails.folded -- sh -c './threads; exit 7'
check "... and reported" bash -c "grep -q 'the command failed: exited with status 7' err && grep -q right fails.folded"
check "a command that does not exist" exits 1 "$BILANX" flame -- ./nothing-here
check "a file that does not exist" exits 1 "$BILANX" flame missing.folded
check "... is not taken for a statement" err 'missing.folded'
check "both ways at once" exits 2 "$BILANX" flame 'x' --sampled --counted
interrupted() {
    "$BILANX" flame 'three()' --source three.c --duration 60 --folded kept.folded -q &
    local pid=$! status
    sleep 3
    kill -INT $pid
    wait $pid
    status=$?
    [ $status = 130 ] && grep -q half kept.folded
}
check "^C keeps what was collected" interrupted

# Beside other commands.
check "beside time" exits 0 "$BILANX" time 'three()' 'half()' --source three.c --max-run-time 20ms --flame time.folded
check "... all cases in one graph" bash -c "grep -q '^three();.*fifth' time.folded && grep -q '^half()' time.folded"
check "... in samples" python3 -c '
rows = [line.rsplit(" ", 1) for line in open("time.folded")]
three, half = (sum(float(weight) for stack, weight in rows if stack.startswith(name)) for name in ("three()", "half()"))
assert all(weight.strip().isdigit() for _, weight in rows) and .5 < three / half < 2, (three, half)'
check "beside time, one case" exits 0 "$BILANX" time 'three()' --source three.c --max-run-time 20ms --flame one.svg -o one.jsonl -q
shows() {
    python3 - <<'PYTHON'
import json, re
svg, measured = open('one.svg').read(), json.loads(open('one.jsonl').readline())
stacks = json.loads(re.search('<metadata id="bilanx-stacks">(.*?)</metadata>', svg)[1])['stacks']
assert stacks['unit'] == 'samples' and abs(stacks['time'] / measured['stats']['estimate'] - 1) < 1e-9, stacks
assert len(stacks['epoch_calls']) == len(stacks['epoch_seconds']) > 1 and sum(stacks['node_weights']) > 100, stacks
assert re.search(r'all: [0-9.]+ us per call', svg) and re.search(r'[0-9,]+ samples in [0-9,]+ calls', svg)
assert re.search('scaled to .* per call by the measurement; the samples say|the samples disagree with the measurement: they say', stacks['note']), stacks['note']
PYTHON
}
check "... is scaled to the measured time, and says what the samples say" shows
check "... and read again" bash -c "'$BILANX' flame one.svg | head -1 | grep -q 'three(): .* us per call'"
check "... by samples" bash -c "'$BILANX' flame one.svg --folded - | awk '{ s += \$NF } END { exit !(s > 100) }'"
check "beside run" exits 0 "$BILANX" run ./bench --filter paused --max-run-time 20ms -q --flame run.svg
check "... as a graph" grep -q fifth run.svg
check "beside ab, the difference" exits 0 "$BILANX" ab --A 'cc:cc -O2 -DN=2000' --B 'cc:cc -O2 -DN=6000' --stmt 'work()' \
    -g '#include "work.h"
__attribute__((noinline)) unsigned long part(void) { return chain(N); }
__attribute__((noinline)) unsigned long work(void) { return part() + chain(2000); }' -I "$work" --core any --budget .3 --flame ab.folded
check "... with both numbers" err 'samples in turns, \(scaled to the verdict, [+].* %; the samples say\|the samples disagree with the verdict: they say\)'
check "... per call" python3 -c '
rows = [line.rsplit(" ", 2) for line in open("ab.folded")]
part = [sum(float(row[i]) for row in rows if "part" in row[0]) for i in (1, 2)]
print(rows)
assert 2 < part[1] / part[0] < 4.5 and part[0] > 500'
check "beside time of commands" exits 0 "$BILANX" time --runs 2 --flame commands.folded -q -- ./threads
check "... by command" grep -q '^./threads;.*left' commands.folded
# Who ran when: the turns of two commands, and of two sides.
cat >turn.c <<'C'
#include <stdio.h>
#include "three.c"
int main(int argc, char **argv)
{
    FILE *log = fopen("turns", "a");
    fprintf(log, "%s\n", argv[1]);
    fclose(log);
    for (int i = 0; i < 3000; i++) three();
    return argc != 2;
}
C
cc -O2 turn.c -o turn
alternate() {
    rm -f turns
    "$BILANX" time --runs 1 --warmup 0 --flame turns.folded -q -- ./turn a --and ./turn b >/dev/null 2>&1
    python3 -c '
import itertools
runs = [(name, len(list(all))) for name, all in itertools.groupby(open("turns").read().split())]
print(runs)
assert len(runs) >= 6'
}
check "commands are sampled in turns" alternate
sides() {
    rm -f turns
    BILANX_BROWSER='' "$BILANX" ab --A 'cc:cc -DSIDE=97' --B 'cc:cc -DSIDE=98' --stmt 'three()' --source three.c -g '#include <stdio.h>' -s '
FILE *log = fopen("'"$work"'/turns", "a"); fprintf(log, "%c\n", SIDE); fclose(log)' -I "$work" --budget .2 --isolate -q --bundle-all --bundle sides.zip
    python3 -c '
import json, zipfile
records = map(json.loads, zipfile.ZipFile("sides.zip").read("records.jsonl").splitlines())
a, b = [len(one["stacks"]["epoch_calls"]) for one in records if one["kind"] == "stacks"]
runs = "".join(open("turns").read().split())[-2 * a:]  # the last are those of the samples
pairs = [runs[i:i + 2] for i in range(0, len(runs), 2)]
print(a, b, pairs)
assert a == b >= 2 and set(pairs) <= {"ab", "ba"} and abs(pairs.count("ab") - pairs.count("ba")) <= 1'
}
check "so are the sides of a comparison, in balanced order" sides
# Two processes that wake each other in turns spend most of their time in the scheduler.
cat >"$work/handover.c" <<'C'
#include <unistd.h>
int main(void)
{
    int there[2], back[2];
    char byte = 0;
    if (pipe(there) || pipe(back))
        return 1;
    if (fork() == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
            ;
        return 0;
    }
    for (int i = 0; i < 40000; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            return 1;
    return 0;
}
C
check "a program that waits often builds" cc -O2 "$work/handover.c" -o "$work/handover"
check "... and is sampled" exits 0 "$BILANX" flame --rate 4000 --folded "$work/handover.folded" -- taskset -c 0 "$work/handover"
check "... on a CPU that bilanx itself may not use" exits 0 taskset -c "$(nproc --all --ignore=1)" "$BILANX" flame --rate 4000 --folded "$work/other.folded" -- taskset -c 0 "$work/handover"
check "... as often" python3 -c "
def samples(path): return sum(float(line.split()[-1]) for line in open(path))
there, here = samples('$work/other.folded'), samples('$work/handover.folded')
assert there > here / 3, (there, here)"
if grep -q 'do_syscall_64' "$work/handover.folded"; then
    check "... the scheduler is one frame" grep -q '\[scheduler\]' "$work/handover.folded"
    check "... without its own functions" bash -c "! grep -E 'finish_task_switch|__schedule' '$work/handover.folded'"
fi

plan
