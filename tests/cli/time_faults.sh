#!/usr/bin/env bash
# A faulty statement is one failed case with its reason; how `bilanx time` may end early.
. "$(dirname "$0")/time.bash"

# Compiler messages point into the user's own text.
check "an error in the statement" fault compile-failed compile 'statement:1:' 'x +' -s 'int x'
check "... on its second line" fault compile-failed compile 'statement:2:' $'x++;\ny++' -s 'int x'
check "... at its end" fault compile-failed compile 'statement:1:' 'f(x' -s 'int x'
check "... in an expression" fault compile-failed compile 'statement:1:' 'nosuchname + 1'
check "... is reported once" bash -c "[ \$(grep -c . <(python3 -c \"import json; print(json.load(open('$work/r.jsonl'))['error']['output'])\" | grep 'error:')) = 1 ]"
check "an error in the setup" fault compile-failed compile 'setup:1:' 'x++' -s 'int x = ;'
check "an error in the global code" fault compile-failed compile 'global setup:1:' 'f()' -g 'int f( {'
check "an error in the sync" fault compile-failed compile 'sync:1:' ';' --sync 'x ='
check "an unknown function" fault compile-failed compile 'nosuchfunction' 'nosuchfunction(1)'
check "a function without a definition" fault compile-failed compile 'nosuchfunction' 'nosuchfunction()' -g 'int nosuchfunction(void);'
check "an error in C++" fault compile-failed compile 'statement:1:' 'v.nosuch()' -l c++ -g '#include <vector>' -s 'std::vector<int> v'
check "... without lines about our own code" bash -c "! grep -q 'At global scope' '$work/r.jsonl'"
check "a flag that the compiler rejects" fault compile-failed compile '-fnosuchflag' 'x' -s 'int x' --cflags -fnosuchflag
check "a missing compiler" fault compile-failed compile "cannot find the compiler '/no/cc'" 'x' -s 'int x' --cc /no/cc
check "a program that is not a compiler" fault compile-failed compile '' 'x' -s 'int x' --cc false
check "a compiler that writes nothing" fails "assert e['phase'] == 'compile'" 'x' -s 'int x' --cc true --quiet
check "an unclosed quote in flags" fails "assert 'unclosed' in e['text']" 'x' -s 'int x' --cflags "-D'" --quiet
check "the table names it" exits 1 "$BILANX" time 'x +' -s 'int x' --color never
check "... with one word" out '^x + *compile-failed$'
check "... and the note shows the compiler's message" err '^ *statement:1:[0-9]*: error: '

# Run-time faults.
faults=(--timeout 2 --max-run-time 20ms)
check "a crash" fault crashed stmt 'signal 6' 'abort()' "${faults[@]}"
check "another crash" fault crashed stmt 'signal 11' '*p = 1' -s 'int *p = 0' "${faults[@]}"
check "a crash in the setup" fault crashed setup 'signal 11' 'x' -s 'int x = *(volatile int *)0' "${faults[@]}"
check "a timeout" fault timed-out stmt 'no answer in 1 s' 'pause()' -g "$marking" --timeout 1
check "a timeout in the setup" fault timed-out setup 'no answer in 1 s' ';' -s 'for (;;) pause();' -g "$marking" --timeout 1
check "an exit" fault exited stmt 'status 3' 'exit(3)' "${faults[@]}"
check "an exit with 0" fault exited setup 'status 0' ';' -s 'exit(0)' "${faults[@]}"
check "too much memory" fault out-of-memory stmt 'more than 100 MB of memory' \
    'p = malloc(1 << 20), memset(p, 1, 1 << 20), usleep(1000)' -s 'char *volatile p' -g "$marking" --max-memory 100000000 --timeout 20 --method timeit --number 100000
check "... in the setup" fault out-of-memory setup 'more than 100 MB' 'p' \
    -s 'char *volatile p = malloc(1 << 28); memset(p, 1, 1 << 28); sleep(5)' -g "$marking" --max-memory 100000000 --timeout 20
check "endless output" fault output-flood stmt 'printed more than' 'puts("the same line again and again")' --timeout 20 --method timeit --number 100000000
check "... only the end of which is kept" records "$work/r.jsonl" "assert 'again and again' in r[0]['error']['output'] and len(r[0]['error']['output']) < 10000"
check "the output is reported" fault crashed setup 'about to die' ';' -s 'fprintf(stderr, "about to die\n"); abort();' "${faults[@]}"
check "leaving the loop" fault failed stmt 'left its loop' 'return' "${faults[@]}"
check "... by break" fault failed stmt 'left its loop' 'break;' "${faults[@]}"
check "... after many calls" fault failed stmt 'left its loop' 'if (x++ > 1000) break;' -s 'volatile long x = 0' "${faults[@]}"
check "... by return, after many calls" fault failed stmt 'left its loop' 'if (x++ > 1000) return;' -s 'volatile long x = 0' "${faults[@]}"
check "... by goto, to the setup" fault failed stmt 'left its loop' 'if (x++ > 1000) goto again;' -s 'volatile long x = 0; again:' "${faults[@]}"
check "... to the code after it" fault failed stmt 'left its loop' 'if (x++ > 1000) goto over;' -s 'volatile long x = 0' --sync 'over:' "${faults[@]}"
check "... in C++" fault failed stmt 'left its loop' 'if (x++ > 1000) break;' -s 'static long x = 0' -l c++ "${faults[@]}"
check "... with every method" fault failed stmt 'left its loop' 'if (x++ > 1000) break;' -s 'volatile long x = 0' --method blocked "${faults[@]}"
check "... when counting" exits 1 "$BILANX" count 'break;' --quiet
check "continue does not leave it" exits 0 "$BILANX" time 'if (x++ > 1000) continue; x++;' -s 'volatile long x = 0' "${quick[@]}"
check "... and neither does a break in an inner loop" exits 0 "$BILANX" time 'for (;;) { if (x++ % 7 == 0) break; }' 'switch (x++ & 1) { case 0: x++; break; }' -s 'volatile long x = 0' "${quick[@]}"
check "two sides that leave their loops fail" exits 1 "$BILANX" ab --A cc:gcc --B 'cc:gcc -O3' --stmt 'break;' --budget 1 --quiet --overwrite -o "$work/r.jsonl"
check "... without a verdict" records "$work/r.jsonl" "assert r[0]['kind'] == 'failure' and 'left its loop' in r[0]['error']['text'], r"
check "one side that leaves its loop late fails" bash -c "rm '$work/r.jsonl'; '$BILANX' ab --A 'cc:gcc -DLATE=0' --B 'cc:gcc -DLATE=1' --stmt 'if (x++ > 1000000 && LATE) break;' -s 'volatile long x = 0' --budget 2 --quiet -o '$work/r.jsonl'; [ \$? = 1 ]"
check "... and is named" records "$work/r.jsonl" "assert r[0]['side'] == 'B' and 'side B: the benchmark left its loop' in r[0]['error']['text'], r"
check "a thread that crashes" fault crashed stmt 'signal 6' 'pthread_create(&t, 0, f, 0), pthread_join(t, 0)' \
    -g $'#include <pthread.h>\nstatic void *f(void *x) { abort(); return x; }' -s 'pthread_t t' "${faults[@]}"
mkdir "$work/lib"
echo 'int there(void) { return 1; }' | gcc -shared -fPIC -xc - -o "$work/lib/libthere.so"
check "a library that cannot be loaded" fault bad-input setup 'libthere.so: cannot open' 'there()' -g 'int there(void);' \
    --ldflags "-L$work/lib -lthere" "${faults[@]}"
check "... works with -rpath" exits 0 "$BILANX" time 'there()' -g 'int there(void);' --ldflags "-L$work/lib -lthere -Wl,-rpath,$work/lib" "${quick[@]}"

check "one of several fails" fails "
assert len(r) == 4 and [k for k in by if 'error' in by[k]] and {k: by[k]['error']['code'] for k in by if 'error' in by[k]} == {'abort()': 'crashed', 'x +': 'compile-failed'}
assert by['x += 1']['stats']['estimate'] > 0 and by['x += 2']['stats']['estimate'] > 0" \
    'x += 1' 'abort()' 'x +' 'x += 2' -s 'volatile int x = 0' "${faults[@]}"
check "... and the table shows all of them" bash -c "[ \$(sed '/^$/,\$d' '$work/out' | wc -l) = 5 ]"

# start ARGUMENT...: runs bilanx time in the background.
start() {
    rm -f "$MARKS" "$work/r.jsonl"
    "$BILANX" time "$@" --overwrite -o "$work/r.jsonl" >"$work/out" 2>"$work/err" </dev/null &
    controller=$!
}
finish() {
    wait $controller 2>/dev/null
    status=$?
}
ended() { echo "status $status"; cat "$work/err"; [ $status = "$1" ]; }

start 'pause()' 'x += 1' -g "$marking" -s 'volatile int x = 0; mark("setup")' --max-run-time 5ms --quiet
check "a case hangs" soon marked 1
killed=false
for _ in $(seq 100); do  # the one that stays is the one that hangs
    child=$(last_child)
    sleep 0.2
    if [ "$child" = "$(last_child)" ]; then kill -9 "$child" && killed=true && break; fi
done
finish
check "killing a measuring process" $killed
check "... fails its case" ended 1
check "... and no other" records "$work/r.jsonl" "
assert by['pause()']['error']['code'] == 'crashed' and 'signal 9' in by['pause()']['error']['text'], by['pause()']
assert by['x += 1']['kind'] == 'measurement'"

start 'x += 1' -g "$marking" -s 'volatile int x = 0; mark("setup")' --precision 1e-9 --max-run-time 100
check "a case is running" soon marked 14
kill -INT $controller
finish
check "^C exits with 130" ended 130
check "... and prints what was measured" out '^x += 1 *[0-9.]* \(ns\|or\)'
check "... and records it" records "$work/r.jsonl" "assert len(r) == 1 and 'interrupted' in [w['code'] for w in r[0]['warnings']]"
check "... and leaves no process" soon gone "$(last_child)"

start 'pause()' -g "$marking" -s 'mark("setup")'
check "a case hangs again" soon marked 1
kill -9 $controller
finish
check "killing the controller kills its processes" soon gone "$(last_child)"

printf '#!/bin/sh\necho "compiler $$" >>"%s"\nsleep 60\n' "$MARKS" >"$work/slow-cc"
chmod +x "$work/slow-cc"
start 'x' -s 'int x' --cc "$work/slow-cc"
check "a compiler is running" soon marked 1
kill -INT $controller
finish
check "^C ends that, too" ended 130
check "... and the compiler" soon gone "$(last_child)"
check "... and leaves no folder" soon bash -c "! ls '$XDG_CACHE_HOME/bilanx/objects' | grep -q building"

start 'x' -s 'int x' --cc "$work/slow-cc"
check "a compiler is running again" soon marked 1
kill -9 $controller
finish
check "killing the controller kills the compiler" soon gone "$(last_child)"

plan
