#!/usr/bin/env bash
# bilanx ops record: what a PyTorch program calls, how the program ends, and mistakes.
. "$(dirname "$0")/cli.bash"
system=/usr/bin/python3
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV BILANX_PYTHON
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
recorded() { exits 0 "$BILANX" ops record --overwrite "$@"; }
log() { cat "${file:-operators.txt}"; grep -qxFe "$1" "${file:-operators.txt}"; }

if ! $system -c 'import torch' 2>/dev/null; then
    check "without PyTorch it says so" exits 1 "$BILANX" ops record -- $system -S -c pass
    check "... and who has none" err "has no PyTorch"
    plan
    exit
fi

cat >step.py <<'PYTHON'
import os, sys
import torch
x = torch.ones(4, 3, requires_grad=True)
for _ in range(2):
    y = torch.mm(x, torch.ones(5, 3).t())
y.relu().sum().backward()
print(sys.argv, __name__, os.path.basename(__file__), sys.path[0] == os.path.dirname(os.path.abspath(__file__)))
if 'fail' in sys.argv:
    raise ValueError('on purpose')
if 'exit' in sys.argv:
    sys.exit(7)
if 'die' in sys.argv:
    os._exit(9)
if 'wait' in sys.argv:
    open('waiting', 'w').close()
    import time
    time.sleep(60)
PYTHON

check "a program is recorded" recorded -- $system step.py -o --x
check "... which runs as always" out "^\['step.py', '-o', '--x'\] __main__ step.py True$"
check "... and reports the recorded calls" err "^bilanx: '.*/operators.txt': [0-9]* operators, [0-9]* samples, [0-9]* calls$"
check "... its operators forward" log 'cnt: 2, ((T([4, 3], f32), T([3, 5], f32, stride=(1, 3))), {})'
check "... and backward" log 'Operator: aten.threshold_backward.default'
check "... an expanded gradient with its strides" bash -c 'grep -q "T(\[4, 5\], f32, stride=(0, 0))" operators.txt'
check "... but no views" bash -c '! grep -qe "aten.t.default" -e "ones_like" operators.txt'
check "... it can be listed" exits 0 "$BILANX" ops operators.txt --list
check "... with operators" out '^aten.mm.default .* 2 '
check "... no other file is left" bash -c 'ls | diff - <(printf "err\noperators.txt\nout\nstep.py\n")'
check "--all has views" recorded --all -o all.txt -- $system step.py
check "... and constructors" bash -c 'grep -q "Operator: aten.t.default" all.txt && grep -q "Operator: aten.ones_like.default" all.txt'

check "a failing program keeps its record" exits 1 "$BILANX" ops record -o fail.txt -- $system step.py fail
check "... with its own traceback" err 'ValueError: on purpose'
check "... in which we are not" bash -c '! grep -qe bilanx_record -e runpy err'
check "... the record is whole" exits 0 "$BILANX" ops fail.txt --list
check "an exit status is passed through" exits 7 "$BILANX" ops record -o exit.txt -- $system step.py exit
check "... with a record" test -s exit.txt
check "a program that ends at once has its status, too" exits 9 "$BILANX" ops record -o die.txt -- $system step.py die

for signal in INT TERM; do
    rm -f waiting
    # A background job ignores SIGINT by default.
    $system -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' "$BILANX" ops record --overwrite -o $signal.txt -- $system step.py wait >/dev/null 2>&1 &
    for _ in $(seq 300); do [ -e waiting ] || sleep .1; done
    kill -$signal $!
    wait $!
    status=$?
    check "a program that gets SIG$signal ends by it" test $status = $((128 + $(kill -l $signal)))
    check "... and keeps its record" grep -q aten.mm.default $signal.txt
done

mkdir package && echo 'import sys, torch; torch.ones(2).neg(); print(sys.argv[1:], __name__)' >package/__main__.py
check "a module is recorded" recorded -o m.txt -- $system -u -W ignore -m package a b
check "... as __main__" out "^\['a', 'b'\] __main__$"
check "... its operators" grep -qx 'cnt: 1, ((T(\[2\], f32),), {})' m.txt
check "code is recorded" recorded -o c.txt -- $system -c 'import sys, torch; torch.ones(3).neg(); print(sys.argv)' x
check "... with its arguments" out "^\['-c', 'x'\]$"
check "... its operators" grep -qx 'cnt: 1, ((T(\[3\], f32),), {})' c.txt
check "a script finds its Python" recorded --output s.txt --python $system -- step.py
export BILANX_PYTHON=$system
check "... in the environment, too" recorded -o s.txt -- step.py
unset BILANX_PYTHON

cat >odd.py <<'PYTHON'
import torch
x = torch.arange(6).reshape(2, 3)
torch.div(x, 2, rounding_mode='floor')
x.to(torch.float16).sum(dtype=torch.float64)
torch.eye(3).to_sparse() + torch.eye(3).to_sparse()
torch.ones(1, 2, 3, 3).contiguous(memory_format=torch.channels_last)
torch.ones(2, 2)[:, torch.tensor([True, False])]
torch.full((3,), float('inf')).clamp(-1e-05, float('inf'))
torch.ones(2, dtype=torch.complex64) * (1 + 2j)
torch.ones(3).bernoulli_(0.5, generator=torch.Generator())
torch.ones(3, device='meta').neg()
# An operator of one's own takes any string.
lib = torch.library.Library('odd', 'DEF')
lib.define('say(Tensor x, str s) -> Tensor')
lib.impl('say', lambda x, s: x.clone(), 'CPU')
torch.ops.odd.say(x, "it's \\ \n \x1b[31m gr\xf6\xdfe")
PYTHON
check "every kind of value is recorded" recorded -o odd.txt -- $system odd.py
check "... except calls that a log cannot hold" err '^bilanx: left out 1 call with a value of type complex, which a log cannot hold$'
check "... and tensors without data" err '^bilanx: left out 1 call with a tensor without data'
check "... and can be read" exits 0 "$BILANX" ops odd.txt --list
file=odd.txt
check "... strings" log "cnt: 1, ((T([2, 3], i64), 2), {'rounding_mode': 'floor'})"
check "... types" log "cnt: 1, ((T([2, 3], f16),), {'dtype': f64})"
check "... sparse tensors" log 'cnt: 1, ((ST([3, 3], f32, torch.sparse_coo, True, 3), ST([3, 3], f32, torch.sparse_coo, True, 3)), {})'
check "... layouts" log "cnt: 1, ((T([1, 2, 3, 3], f32),), {'memory_format': torch.channels_last})"
check "... infinity" log 'cnt: 1, ((T([3], f32), -1e-05, inf), {})'
check "... masks" bash -c "grep -q 'T(\[2\], b8)\|T(\[1\], i64)' odd.txt"
check "... hostile strings, on one line" log "cnt: 1, ((T([2, 3], i64), 'it\\x27s \\x5c \\x0a \\x1b[31m gr\\xc3\\xb6\\xc3\\x9fe'), {})"
unset file

check "the shipped logs match the calls of their models" bash -c "
for model in transformer resnet recommender; do
    '$BILANX' ops record --overwrite -o \$model.txt -- $system '$root/suites/ops/models.py' \$model || exit 1
    case \$($system -c 'import torch; print(torch.__version__)') in
        1.13*) diff '$root'/suites/ops/\$model.txt \$model.txt || exit 1 ;;
    esac
done"

# Mistakes.
check "a log is not overwritten by accident" exits 2 "$BILANX" ops record -- $system step.py
check "... it says how" err "'operators.txt'.*--overwrite"
check "another file is never replaced" exits 2 "$BILANX" ops record --overwrite -o step.py -- $system step.py
check "... but kept" grep -q 'import torch' step.py
check "no command is a usage error" exits 2 "$BILANX" ops record
check "... that is explained" err 'missing command'
check "a command that is no Python is a usage error" exits 2 "$BILANX" ops record -o n.txt -- ls
check "... with a suggestion" err "'ls' is neither a Python nor a script"
check "a Python without a program is a usage error" exits 2 "$BILANX" ops record -o n.txt -- $system -u
check "... that is explained" err 'no script, no -m and no -c'
check "... and so is -m without a module" exits 2 "$BILANX" ops record -o n.txt -- $system -m
check "a missing Python is an error" exits 1 "$BILANX" ops record -o n.txt -- ./python-none step.py
check "a Python without PyTorch is one" exits 1 "$BILANX" ops record -o n.txt -- $system -S -c pass
check "... that is explained" err 'has no PyTorch'
check "an unknown option is a usage error" exits 2 "$BILANX" ops record --al -- $system step.py
check "... with a suggestion" err "did you mean '--all'"

cat >chain.py <<'PYTHON'
import torch
x, w = torch.ones(4, 3), torch.ones(3)
for _ in range(2):
    y = torch.add(x * 2, w, alpha=3).relu()
    z = y.tanh() * y  # y is used twice: a chain ends there
PYTHON
check "chains are recorded if asked for" recorded --chains -o chains.txt -- $system chain.py
file=chains.txt
check "... up to where a result is used twice" log "cnt: 2, ((('aten.mul.Tensor', T([4, 3], f32), 2), ('aten.add.Tensor', '<0>', T([3], f32), ('=alpha', 3)), ('aten.relu.default', '<1>')), {})"
check "... and from there on" log "cnt: 2, ((('aten.tanh.default', T([4, 3], f32)), ('aten.mul.Tensor', '<0>', T([4, 3], f32))), {})"
check "... with all operators as well" log 'Operator: aten.relu.default'
check "they can be fused" exits 0 "$BILANX" ops --fuse chains.txt --repeats 1
check "not asked for, there are none" bash -c "! grep -q chain operators.txt"

plan
