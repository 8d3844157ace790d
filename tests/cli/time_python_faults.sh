#!/usr/bin/env bash
# Faulty Python statements, and unusual or missing interpreters.
. "$(dirname "$0")/time.bash"
system=/usr/bin/python3
cd "$work" || exit 1
unset PYTHONPATH PYTHONSAFEPATH PYTHONDONTWRITEBYTECODE VIRTUAL_ENV
python=(-l python --python $system)

# Errors and where they occur.
fault_of() { fault "$@" "${python[@]}" "${once[@]}"; }
check "an exception in the statement" fault_of failed stmt 'ZeroDivisionError: division by zero' $'x = 1\n1 / 0' -s $'y = 1\nz = 2'
check "... points to its line" records "$work/r.jsonl" "
assert 'File \"<stmt>\", line 2, in <module>\n    1 / 0' in r[0]['error']['output'], r
assert 'bilanx' not in r[0]['error']['output']"
check "... also without a setup" fault_of failed stmt $'line 2, in <module>\n    1 / 0' $'x = 1\n1 / 0'
check "... through functions of the setup" fault_of failed stmt $'File "<stmt>", line 1, in <module>\n    f()\n' 'f()' -s $'def f():\n  raise KeyError(1)'
check "... to their line" records "$work/r.jsonl" "assert 'File \"<setup>\", line 2, in f' in r[0]['error']['output'], r"
check "... and their causes" fault_of failed stmt 'direct cause' 'f()' -s $'def f():\n  try: 1 / 0\n  except Exception as e: raise KeyError(1) from e'
check "an exception in the setup" fault_of failed setup $'File "<setup>", line 2' pass -s $'x = 1\nraise OSError("no")'
check "... in the global code" fault_of failed setup $'File "<global>", line 1' pass -g 'raise OSError("no")'
check "a syntax error" fault_of compile-failed compile 'SyntaxError: invalid syntax (<stmt>, line 2)' $'x = 1\nx ='
check "... shows its line" fault_of compile-failed compile $'line 1\n    x =\n' 'x ='
check "... in the setup" fault_of compile-failed compile '(<setup>, line 1)' pass -s 'x ='
check "... in --sync" fault_of compile-failed compile '(<sync>, line 1)' pass --sync 'x ='
check "return is not allowed" fault_of compile-failed compile "'return'" $'if x:\n  return' -s 'x = 1'
check "... nor break" fault_of compile-failed compile "'break'" $'for x in []: pass\nelse: break'
check "... nor yield" fault_of compile-failed compile "'yield'" 'x = yield 1'
check "... nor await" fault_of compile-failed compile "'await'" 'await x'
check "... nor nonlocal" fault_of compile-failed compile "nonlocal" 'nonlocal x; x = 1'
check "sys.exit" fault_of exited stmt 'sys.exit(3)' 'import sys; sys.exit(3)'
check "os._exit" fault_of exited stmt 'status 3' 'import os; os._exit(3)'
check "a crash reports its line" fault_of crashed stmt 'File "<stmt>", line 1 in inner' 'import ctypes; ctypes.string_at(0)'
check "an endless loop" fault_of timed-out stmt 'no answer in 1 s' 'while True: pass' --timeout 1
check "a keyboard interrupt" fault_of failed stmt 'KeyboardInterrupt' 'raise KeyboardInterrupt'
check "an impossible allocation" fault_of out-of-memory stmt 'MemoryError' 'bytearray(1 << 60)'
check "too much memory" fault_of out-of-memory stmt 'more than 200 MB' 'x = bytearray(1 << 29); time.sleep(5)' -s 'import time' --max-memory 200000000
check "an exception that cannot be shown" fault_of failed stmt 'no message' 'raise E' -s $'class E(Exception):\n  def __str__(self): raise self'
check "the output is reported" fault_of failed stmt 'last words' 'print("last words"); 1 / 0'
check "a missing module" fault_of failed setup "cannot import nosuch: No module named 'nosuch' ($system; --python chooses another)" pass -s 'import nosuch'
check "... to be preloaded" fault_of failed setup "cannot import nosuch: No module named 'nosuch' ($system; --python chooses another)" pass --preload nosuch
$system -m venv --without-pip venv
check "without torch, a torch case fails and the others run" exits 1 "$BILANX" time -l python --python venv/bin/python --overwrite -o "$work/r.jsonl" \
    'import torch' 'pass' "${once[@]}"
check "... and the message names module and interpreter" records "$work/r.jsonl" "
assert [one['kind'] for one in r] == ['failure', 'measurement'] and \"cannot import torch: No module named 'torch' ($work/venv/bin/python; --python chooses another)\" == r[0]['error']['text'], r"
check "... also in the setup" fault failed setup "cannot import torch: No module named 'torch' ($work/venv/bin/python; --python chooses another)" -l python --python venv/bin/python pass -s 'import torch' "${once[@]}"
check "a missing interpreter fails" exits 1 "$BILANX" time -l python --python ./nosuch pass
check "... and is named" err "cannot execute the Python './nosuch'"
check "no interpreter at all fails" exits 1 env PATH="$work/empty" "$BILANX" time -l python pass
check "... with advice" err "cannot find 'python3' on the PATH: install python3"
check "a program that is not Python fails" exits 1 "$BILANX" time -l python --python /bin/true pass
check "... and is named" err "'/bin/true' is not a working Python"
printf '#!/bin/sh\nprintf "\\nbilanx-python\\n/usr/bin/python2\\n2 7 1\\n"\n' >old
chmod +x old
check "an interpreter that is too old fails" exits 1 "$BILANX" time -l python --python ./old pass
check "... and the message says what it needs" err "is Python 2.7, which is too old: use 3.5 or later"
check "compiler options are rejected" exits 2 "$BILANX" time "${python[@]}" pass --cflags -O3
check "... by name" err '^bilanx: --cflags only applies to C and C++'
mkdir -p alone/python
cp "$BILANX" alone/
cp "$(dirname "$BILANX")"/python/*.py alone/python/
check "a missing extension fails" exits 1 alone/bilanx time "${python[@]}" pass
check "... and the message says what to install" err 'install python3-dev'

# PyPy uses the worker in plain Python.
pypy=(-l python --python pypy3)
check "PyPy is measured" measures "assert r[0]['machine']['clock'] == 'perf-counter' and len(r[0]['epochs']) >= 2" "${pypy[@]}" 'sum(x)' -s 'x = [1, 2, 3]' "${quick[@]}"
for method in timeit blocked adaptive latency; do
    check "... by $method" measures "assert r[0]['method'] == '$method' and r[0]['raw_times']" "${pypy[@]}" 'sum(x)' -s 'x = [1, 2]' \
        --method $method --min-run-time 5ms --max-run-time 20ms --quiet
done
check "... with its exceptions" fault failed stmt 'File "<stmt>", line 1' "${pypy[@]}" '1 / 0' "${once[@]}"
check "... its exits" fault exited stmt 'status 3' "${pypy[@]}" 'import os; os._exit(3)' "${once[@]}"
check "... its syntax errors" fault compile-failed compile '<stmt>, line 1' "${pypy[@]}" 'x =' "${once[@]}"
check "... and --sync" measures "" "${pypy[@]}" 'x.append(1)' --sync 'x.clear()' -s 'x = []' "${once[@]}"
plan
