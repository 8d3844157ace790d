#!/usr/bin/env bash
# bilanx flame -l python: the frames of Python and of native code in one stack, in order.
. "$(dirname "$0")/flame.bash"
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV
system=/usr/bin/python3
python=(-l python --python $system)

# order NAMES...: whether a stack has frames that match these patterns, in this order.
order='
import re
def order(*patterns):
    weight = 0
    for frames, w in stacks:
        rest = iter(frames)
        weight += w * all(any(re.search(p, f) for f in rest) for p in patterns)
    return 100 * weight / whole
'
nested=$'def middle(x): return torch.add(x, x)\ndef outer(x): return middle(x)'
check "torch.add in a function called by another" folded "$order"'
assert total("outer", "middle") > 50, total("outer", "middle")
assert order("^outer\\(x\\)$", r"^outer \(", r"^middle \(", r"^at::_ops::add") > 40
assert order(r"^middle \(", r"^outer \(") == 0 and order(r"^at::", r"^middle \(") == 0' \
    'outer(x)' "${python[@]}" -s $'import torch\nx = torch.ones(4)\n'"$nested" --duration 1.5
check "... with the interpreter in between" stacks "$order"'
assert order(r"^middle \(", "Py|0x", r"^at::_ops::add") > 40'
check "... and nothing of the harness" stacks '
assert {f[0] for f, w in stacks} == {"outer(x)"}, {f[0] for f, w in stacks}
assert not any("bilanx" in n or "Glue" in n for f, w in stacks for n in f)'
check "frames called through native code" folded "$order"'
assert order("^work\\(x\\)$", r"^work \(", "^_PyEval_EvalFrameDefault", r"^key \(", r"^helper \(") > 5
assert order("^work\\(x\\)$", r"^work \(", "^_PyEval_EvalFrameDefault", r"^gen \(", r"^helper \(") > 5
assert order(r"^key \(", r"^work \(") == 0 and order(r"^helper \(", r"^(key|gen|work) \(") == 0
assert order("^work\\(x\\)$", r"^Class.__init__ \(", r"^helper \(") > .3' \
    'work(x)' "${python[@]}" --duration 1.5 -s $'x = list(range(300))
def key(v): return helper(v)
def helper(v): return -v * 3 % 7
def gen(x):
    for v in x: yield helper(v)
class Class:
    def __init__(self): self.v = helper(2)
def work(x):
    for i in range(30): Class()
    return sum(gen(sorted(x, key=key)))'
check "... all of them" stacks 'assert total("work") > 99, total("work")'
check "names that are not ASCII" folded 'assert total("größe") > 50 and total("Ж.метод") > 20, stacks[:4]' 'größe(100)' "${python[@]}" --duration .5 \
    -s $'class Ж:\n    def метод(self): return sum(range(100))\ndef größe(n): return [Ж().метод() for i in range(n)]'
check "threads of Python" folded 'assert total("spin") > 20 and total("fold") > 20, (total("spin"), total("fold"))' 'fold()' "${python[@]}" --duration 1 \
    -s $'import threading
def spin():
    while True: sum(range(100))
threading.Thread(target=spin, daemon=True).start()
def fold(): return sum(range(1000))'
check "a setup is not part of it" folded 'assert total("prepare") == 0 and total("f") > 50' 'f()' "${python[@]}" --duration .3 \
    -s $'def prepare(): return sum(range(3000000))\nprepare()\ndef f(): return sum(range(100))'
check "counted, without Python frames" folded 'assert any("EvalFrame" in n for f, w in stacks for n in f) and "without frames of Python" in note' \
    'sum(range(10))' "${python[@]}" --counted --number 20
mkdir strange
echo 'import sys; sys.hexversion = 0x03630000' >strange/sitecustomize.py
native() {
    PYTHONPATH=$work/strange run "$BILANX" flame 'f()' "${python[@]}" -s $'def f(): return sum(range(100))' --duration .5 --folded s.folded
    stacks 'assert total("f") == 0 and any("EvalFrame" in n for f, w in stacks for n in f)
assert {f[0] for f, w in stacks} == {"f()"} and "without frames of Python: the internals of this version are not known" in note'
}
check "an interpreter whose internals are not known" native
check "an exception" exits 1 "$BILANX" flame '1 / 0' "${python[@]}"
check "... is reported" err 'ZeroDivisionError'
check "beside time" exits 0 "$BILANX" time 'f()' "${python[@]}" -s $'def f(): return sum(range(100))' --max-run-time 50ms --flame beside.folded -q
check "... with its frames" grep -q '^f();f (<statement>);' beside.folded
plan
