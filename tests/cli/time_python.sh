#!/usr/bin/env bash
# bilanx time -l python: statements in the interpreter of an environment. Does not assert figures.
. "$(dirname "$0")/time.bash"
system=/usr/bin/python3
cd "$work" || exit 1
unset PYTHONPATH PYTHONSAFEPATH PYTHONDONTWRITEBYTECODE VIRTUAL_ENV
python=(-l python --python $system)
says='def say(*words):
    with open("said", "a") as file: print(*words, file=file)'
said() { diff - said; }
quietly() { rm -f said; exits 0 "$BILANX" time "${python[@]}" "${once[@]}" "$@"; }

# A statement.
check "a statement is measured" measures "
t = r[0]['task']; assert t['language'] == 'python' and t['stmt'] == 'x + y' and 'compile' not in t, t
assert r[0]['stats']['estimate'] > 0 and len(r[0]['epochs']) >= 2 and r[0]['machine']['clock'] != 'perf-counter'
assert not {w['code'] for w in r[0]['warnings']} & {'optimised-away', 'not-laundered'}
assert 'marginal' not in r[0]['stats'] and 'forks' not in r[0] and r[0]['max_rss'] > 1e6" \
    "${python[@]}" 'x + y' -s 'x = 1; y = 2' "${quick[@]}" --fresh
for method in timeit blocked adaptive latency; do
    check "$method works" measures "assert r[0]['method'] == '$method' and r[0]['raw_times']" "${python[@]}" 'sum(x)' -s 'x = [1, 2]' \
        --method $method --min-run-time 5ms --max-run-time 20ms --quiet
done
check "names from the setup are fast locals" quietly 'say(sorted(locals())[-2:], f.__code__.co_freevars)' -g "$says" \
    -s $'x = 1\ny = 2\ndef f(): return x'
check "... as with timeit" said <<<"['x', 'y'] ('x',)"
check "... or global if it says so" quietly 'c += 1; say(c, "c" in globals(), "c" in locals())' -g "$says" -s 'global c; c = 0' --number 2
check "... for all calls" said <<<$'1 True False\n2 True False'
check "the setup runs once per measurement" quietly 'pass' -g "$says" -s 'say("setup")' --number 10 --repeats 5
check "... and not per block" said <<<setup
check "several lines, decorators, comments and no code at all work" measures "assert len(r) == 6, r" "${python[@]}" "${once[@]}" \
    $'x = 1\nif x:\n    y = 2\n# end' $'@staticmethod\ndef f(): pass' $'\n    x = 1\n    y = 2\n  ' '# nothing' '' $'for i in range(3):\n\tcontinue'
check "continue skips to the next call" quietly $'say("once")\ncontinue\nsay("never")' -g "$says" --number 2
check "... as often as requested" said <<<$'once\nonce'
check "strings of several lines are unchanged" quietly $'  say(repr("""a\n  b\n c"""))\n  x = 1' -g "$says"
check "... except for common indentation" said <<<"'a\\n b\\nc'"
check "... even if they extend further left" quietly $'  say(repr("""a\nb"""))\n  x = 1' -g "$says"
check "... than the code" said <<<"'a\\nb'"
check "the garbage collector is off" quietly 'say(gc.isenabled())' -g "$says" -s 'import gc'
check "... while the loop runs" said <<<False
check "... unless the setup turns it on" quietly 'say(gc.isenabled())' -g "$says" -s 'import gc; gc.enable()'
check "... as with timeit, too" said <<<True
check "a statement can come from stdin" bash -c "echo '1 + 1' | '$BILANX' time -l python --python $system - --method timeit --number 1 --quiet | grep -q '^1 + 1'"
check "--sync runs after each batch" quietly 'x.append(1)' --sync 'say(len(x)); x.clear()' -s 'x = []' -g "$says" --number 3 --repeats 2
check "... in the scope of the setup" said <<<$'3\n3'
check "--asm has nothing to show" exits 0 "$BILANX" time "${python[@]}" pass --asm "${once[@]}"
check "... and says so" out 'not compiled to machine code'

# The environment is that of the user.
mkdir -p path here/sub
echo 'name = "mine"' >path/onpath.py
echo 'name = "here"' >here/local.py
echo 'raise Exception("taken for the standard one")' >here/gc.py
check "PYTHONPATH is respected" env PYTHONPATH="$work/path" "$BILANX" time "${python[@]}" 'onpath.name' -s 'import onpath' "${once[@]}"
check "the current folder comes first" bash -c "cd here && '$BILANX' time -l python --python $system local.name -s 'import local' --method timeit --number 1 --quiet"
check "... unless PYTHONSAFEPATH is set" bash -c "cd here && ! PYTHONSAFEPATH=1 '$BILANX' time -l python --python $system local.name -s 'import local' --method timeit --number 1 --quiet"
check "nothing of ours is visible" quietly 'say(sys.path[0] == "", [p for p in sys.path if "bilanx" in p], sys.argv, __name__, sorted(vars(sys.modules["__main__"]))[-1], os.environ.get("BILANX_WORKER"))' \
    -g "$says" -s 'import os, sys'
check "... to the statement" said <<<"True [] [''] __main__ say None"
# The package, which is imported as any other, may have some.
check "no compiled file is left behind" bash -c "! find '$(dirname "$BILANX")/python' -path '*/python/bilanx' -prune -o -name __pycache__ -print | grep ."
printf '#!/bin/sh\nexec %s "$@"\n' $system >shim
chmod +x shim
check "a shim is resolved" measures "" -l python --python ./shim 'say(sys.executable)' -g "$says" -s 'import sys' "${once[@]}"
check "... to the interpreter it runs" bash -c "tail -n 1 said | grep -qx $system"
check "BILANX_PYTHON names another interpreter" env BILANX_PYTHON=./shim "$BILANX" time -l python 'say("by variable")' -g "$says" "${once[@]}"
mkdir bin
ln -s $system bin/python3
check "otherwise python3 is found on the PATH" env PATH="$work/bin:$PATH" "$BILANX" time -l python 'say(sys.executable)' -g "$says" -s 'import sys' "${once[@]}"
check "... and used" bash -c "tail -n 1 said | grep -qx '$work/bin/python3'"
check "a virtual environment is created" $system -m venv --without-pip venv
check "... and stays active" measures "" -l python --python venv/bin/python 'say(sys.prefix != sys.base_prefix, sys.executable)' -g "$says" -s 'import sys' "${once[@]}"
check "... with nothing installed into it" bash -c "tail -n 1 said | grep -qx 'True $work/venv/bin/python' && [ -z \"\$(ls venv/lib/python*/site-packages)\" ]"

# Processes.
rm -f said
check "every epoch is a process" measures "
n = len(r[0]['epochs']) + r[0].get('redrawn', 0); pids = open('said').read().split()
assert len(set(pids)) == len(pids) == n, (n, pids)" "${python[@]}" pass -g "$says" -s 'import os; say(os.getpid())' "${quick[@]}"
echo 'import os, time; time.sleep(.2); open("slow", "a").write("%d\n" % os.getpid()); value = os.getpid()' >path/slow.py
export PYTHONPATH=$work/path
rm -f said slow
check "a costly import runs once, and epochs are forks" measures "
pids = open('said').read().split(); slow = open('slow').read().split()
assert r[0]['forks'] == len(pids) == len(set(pids)) and r[0]['zygotes'] == len(slow) < len(pids), (r[0], pids, slow)" \
    "${python[@]}" pass -g "$says" -s 'import os, slow; say(os.getpid())' --preload slow --max-run-time 50ms --quiet
rm -f slow
check "... for all cases" measures "assert len(r) == 3 and len(open('slow').read().split()) == 1, open('slow').read()" \
    "${python[@]}" 1 2 3 -s 'import slow' --preload slow "${once[@]}"
rm -f slow
check "... unless --fresh is given" measures "assert 'forks' not in r[0] and len(set(open('slow').read().split())) > len(r[0]['epochs'])" \
    "${python[@]}" pass -s 'import slow' --preload slow --fresh "${quick[@]}"
check "a fork that fails does not affect the others" exits 1 "$BILANX" time "${python[@]}" --overwrite -o "$work/r.jsonl" --preload slow \
    'import os; os._exit(3)' 'import ctypes; ctypes.string_at(0)' 'while True: pass' 'raise ValueError("no")' 'pass' --timeout 4 "${once[@]}"
check "... and has its reason" records "$work/r.jsonl" "
assert [one.get('error', {}).get('code') for one in r] == ['exited', 'crashed', 'timed-out', 'failed', None], r"
echo 'import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); time.sleep(.2)' >path/threads.py
check "a module that starts threads is not forked" measures "
assert 'forks' not in r[0] and 'started-threads' in {w['code'] for w in r[0]['warnings']}, r" "${python[@]}" pass --preload threads "${quick[@]}"
unset PYTHONPATH
plan
