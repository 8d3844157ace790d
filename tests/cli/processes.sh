#!/usr/bin/env bash
# Processes that a statement starts must end with it: leaving some running is a failure, and none
# survives. The timeouts only limit failing tests; nothing here waits for as long as the children
# would sleep.
. "$(dirname "$0")/time.bash"
patience=40
export BILANX_PYTHON=/usr/bin/python3
header='#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int n;
static inline void nap(void) { alarm(200); for (;;) pause(); }
static inline void burn(void) { alarm(200); for (;;) { __asm__ volatile(""); } }
static inline void away(void) { if (fork() == 0) { setsid(); nap(); } }'
short=(-g "$header" --max-run-time 5ms --quiet)
left='left processes running'

# nobody: no process started from here is left. Forks have the environment of their program.
nobody() {
    local left
    left=$(env -u XDG_CACHE_HOME grep -lsz "^XDG_CACHE_HOME=$work/cache" /proc/[0-9]*/environ)
    echo "$left"
    [ -z "$left" ]
}
# leaves NAME ARGUMENT...: fails because it leaves processes running, and they are gone.
leaves() {
    local name=$1
    shift
    check "$name" fault failed stmt "$left" "$@" "${short[@]}"
    check "... and no process is left" soon nobody
}

leaves "forks that continue the loop" '{static int n; if (n++ < 8) fork();}'
leaves "... in one large batch" '{static int n; if (n++ < 8) fork();}' --method timeit --number 1000
leaves "a child that sleeps" 'if (!n++ && fork() == 0) nap();'
leaves "twenty children that sleep" 'if (n++ < 20 && fork() == 0) nap();' --method timeit --number 100
leaves "children in new sessions that burn CPU time" 'if (n++ < 3 && fork() == 0) { setsid(); burn(); }' --method timeit --number 10
leaves "a daemon" 'if (fork() == 0) { away(); _exit(0); } else wait(NULL);'
leaves "a program in the background, without an environment" 'system("env -i setsid sleep 200 &")'
leaves "a child that nobody waits for" 'if (fork() == 0) _exit(0);'
leaves "... in C++" 'if (fork() == 0) nap();' -l c++
leaves "a child besides those of the setup" 'if (!n++) away();' -s 'away(); away()'

check "a statement that forks without limit fails" fault too-many-processes stmt 'more than 400' 'for (;;) away();' "${short[@]}" --timeout 20
check "... and no process is left" soon nobody
for end in 'abort()' 'exit(0)' '_exit(3)' 'kill(getpid(), SIGKILL)' 'pause()'; do
    check "a statement that starts a session fails, then: $end" fails "assert e['code'] in ('crashed', 'exited', 'timed-out'), e" \
        "{ away(); $end; }" "${short[@]}" --timeout 1
    check "... and no process is left" soon nobody
done

check "processes started by the setup may stay" measures "assert r[0]['kind'] == 'measurement'" 'x++' -s 'volatile long x = 0; away(); if (fork() == 0) nap()' "${short[@]}"
check "... and end with the case" soon nobody
check "a statement may start processes that it waits for" measures "assert len(r) == 2" 'system("true")' 'if (fork() == 0) _exit(0); else wait(NULL);' "${short[@]}" --method timeit --number 20
check "... next to those of the setup" measures "" 'system("true")' -s 'away()' "${short[@]}" --method timeit --number 20

# Python: a process per epoch, forks of a standby worker, and without the extension.
mkdir "$work/path"
echo 'import time; time.sleep(.2)' >"$work/path/slow.py"
export PYTHONPATH=$work/path
short=(-l python --max-run-time 5ms --quiet)
setup=$'import os, signal, subprocess, time\nn = [0]\ndef away():\n  if os.fork() == 0:\n    os.setsid(); time.sleep(200); os._exit(0)'
for way in fresh forked plain; do
    case $way in
        forked) short+=(--preload slow) ;;
        plain) short=(-l python --python pypy3 --max-run-time 5ms --quiet) ;;
    esac
    leaves "$way Python: forks that continue" $'if n[0] < 6:\n  n[0] += 1\n  os.fork()' -s "$setup"
    leaves "$way Python: children in new sessions" 'away()' -s "$setup"
    leaves "$way Python: a child besides those of the setup" 'away()' -s "$setup"$'\naway()'
    check "$way Python: processes started by the setup may stay" measures "assert r[0]['kind'] == 'measurement'" 'n[0] += 1' -s "$setup"$'\naway()' "${short[@]}"
    check "... and end with the case" soon nobody
    check "$way Python: a statement may start processes that it waits for" measures "" 'subprocess.call(["true"])' -s "$setup" "${short[@]}" --method timeit --number 3
done
short=(-l python --max-run-time 5ms --quiet --preload slow)
check "one of several statements fails" fails "assert [one['kind'] for one in r] == ['failure', 'measurement'], r" 'away()' '1 + 1' -s "$setup" "${short[@]}"
unset PYTHONPATH

# Benchmark programs, run directly and by the command, also with several threads.
for way in alone command; do
    if [ $way = alone ]; then program=("$FAULTS"); else program=("$BILANX" run "$FAULTS"); fi
    rm -f "$work/r.jsonl"
    check "$way: benchmarks that leave processes behind" exits 1 "${program[@]}" --filter '^(strays|thread_strays|fine)' "${quick[@]}" --timeout 10 -o "$work/r.jsonl"
    check "... fail" records "$work/r.jsonl" "
assert by['fine']['kind'] == 'measurement'
for label in ('strays', 'thread_strays'):
    e = by[label]['error']
    assert (e['code'], e['phase']) == ('failed', 'stmt') and '$left' in e['text'], e"
    check "... and no process is left" soon nobody
done

# Two sides. The one that leaves processes is named, whether both share a process or not.
for isolate in '' --isolate; do
    rm -f "$work/v.jsonl"
    check "ab $isolate: one side leaves processes behind" exits 1 "$BILANX" ab $isolate --A 'cc:gcc -DLEAVES=0' --B 'cc:gcc -DLEAVES=1' -g "$header" \
        --stmt 'if (LEAVES && n++ == 200000) away();' --budget 2 --quiet -o "$work/v.jsonl"
    check "... and is named" records "$work/v.jsonl" "assert r[0]['side'] == 'B' and 'side B: it $left' in r[0]['error']['text'], r"
    check "... and no process is left" soon nobody
done

# If the controller is killed, what it measured ends too.
for statement in '{ away(); pause(); }' '{ if (fork() == 0) nap(); pause(); }' 'system("setsid sleep 200")'; do
    rm -f "$MARKS"
    "$BILANX" time "$statement" -g "$marking
$header" -s 'mark("setup")' --max-run-time 5ms --quiet >/dev/null 2>&1 </dev/null &
    controller=$!
    check "a case hangs: $statement" soon marked 1
    sleep 0.1  # lets it start something; if too short, it has not
    kill -9 $controller
    wait $controller 2>/dev/null
    check "killing the controller kills what its workers started" soon nobody
done
plan
