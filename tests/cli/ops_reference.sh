#!/usr/bin/env bash
# bilanx ops as PyTorch's operatorbench.py is called: its options, names and files.
. "$(dirname "$0")/cli.bash"
: "${OPS_BACKEND:?a backend}"
cd "$work" || exit 1
cp "$OPS_BACKEND" toy.so
python=/usr/bin/python3
if ! $python -c 'import torch, numpy' 2>/dev/null; then
    echo "1..0 # SKIP $python has no torch"
    exit 0
fi
cat >small.txt <<'LOG'
Operator: aten.relu.default
cnt: 5, ((T([8, 16], f16),), {})
cnt: 2, ((T([13, 16], f16),), {})
Operator: aten.mul.Tensor
cnt: 1, ((T([4, 4], f16), T([4, 4], f16)), {})
Operator: aten.view.default
cnt: 7, ((T([64, 128], f16), [128, 64]), {})
Operator: aten.convolution.default
cnt: 1, ((T([2, 3, 8, 8], f16), T([4, 3, 3, 3], f16), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1), {})
LOG
cat >mine.py <<'PYTHON'
import numpy

def relu(x):
    return numpy.maximum(x, 0)
PYTHON
patience=500  # the first use compiles the backend

check "torch is the baseline" exits 0 "$BILANX" ops small.txt --backend ./toy.so --no-roof --repeats 1 --csv t.csv -o t.jsonl
check "... called eager, as the reference does" grep -q ',elapsed,eager abs,toy abs$' t.csv
check "... whose version is shown" exits 0 "$BILANX" ops small.txt --baseline ./toy.so --backend torch --no-roof --repeats 1
check "... in the table" out 'PyTorch [0-9]'
check "eager is torch" exits 0 "$BILANX" ops small.txt --baseline eager --backend ./toy.so --no-roof --repeats 1 -o - --op relu
check "... in records, too" records out "assert {one['task']['description'] for one in r} == {'torch', 'toy'}"
check "views run, outside the means" exits 0 "$BILANX" ops small.txt --baseline torch --backend torchscript --views --no-roof --repeats 1
check "... and are marked" out '^aten.view.default .* view$'
check "--measure-nvfuser is torchscript" exits 0 "$BILANX" ops small.txt --measure-nvfuser --no-roof --repeats 1 --op relu
check "... under that name" out '^aten.relu.default: nvfuser=[0-9.]*x '
check "--channels-last agrees" exits 0 "$BILANX" ops small.txt --baseline torch --backend torchscript --channels-last --op conv --no-roof --repeats 1
for type in float16 bfloat16 float64; do
    check "--dtype $type" exits 0 "$BILANX" ops small.txt --baseline torch --backend torchscript --dtype $type --op mul --no-roof --repeats 1
done
check "a Python file is a backend, in one process with the others" exits 0 "$BILANX" ops small.txt \
    --python $python --baseline torch --backend python:mine.py --backend ./toy.so --no-roof --repeats 1 --op relu -o p.jsonl
check "... that computes the same" records p.jsonl "
assert len(r) == 6 and all(one['kind'] == 'measurement' for one in r)
assert {one['task']['description'] for one in r} == {'torch', 'toy', 'python:mine.py'}"
# A library that needs another libtorch than the interpreter has.
mkdir other && echo 'int torch;' | cc -shared -fPIC -Wl,-soname,libtorch_cpu.so.99 -o other/libtorch_cpu.so.99 -x c -
cp toy.so other.so && patchelf --add-needed libtorch_cpu.so.99 other.so && patchelf --set-rpath "$work/other" other.so
check "a backend with another libtorch runs in a second process" exits 0 "$BILANX" ops small.txt \
    --python $python --baseline torch --backend python:mine.py --backend ./other.so:x --no-roof --repeats 1 --op relu
check "... and the table says so" out '^toy:x .*in a process of its own'
check "... where its results are compared as well" exits 1 "$BILANX" ops small.txt \
    --python $python --baseline torch --backend python:mine.py --backend ./other.so:wrong --no-roof --repeats 1 --op relu -o w.jsonl
check "... and only the wrong ones fail" records w.jsonl "
assert [one['error']['text'] for one in r if one['kind'] == 'failure'] == ['wrong: 1 of 208 elements differ, by up to 1'] and len(r) == 6"
check "... and it may crash" exits 1 "$BILANX" ops small.txt \
    --python $python --baseline torch --backend python:mine.py --backend ./other.so:crash --no-roof --repeats 1 --op relu -o c.jsonl
check "... alone" records c.jsonl "assert len([one for one in r if one['kind'] == 'failure']) == 1 and len(r) == 6"
if $python -c 'import torch, sys; sys.exit(int(torch.__version__.split(".")[0]) >= 2)'; then
    check "--inductor-config needs PyTorch 2" exits 1 "$BILANX" ops small.txt --python $python --inductor-config autotune
    check "... and says so" err 'inductor needs PyTorch 2'
else
    check "--inductor-config" exits 0 "$BILANX" ops small.txt --python $python --inductor-config autotune --op relu --no-roof --repeats 1
    check "... has two columns and their ratio" out 'inductor=.*autotune=.*inductor/autotune='
fi
check "--no-measure-nvfuser is the default" exits 0 "$BILANX" ops small.txt --backend ./toy.so --no-measure-nvfuser --op relu --no-roof --repeats 1
check "--backends with a log shows what each supports" exits 0 "$BILANX" ops small.txt --python $python --backends
check "... by operator" out '^aten.convolution.default  *1 .*yes'
check "... in 60 columns" exits 0 env COLUMNS=60 "$BILANX" ops small.txt --python $python --backends
check "... without exception" bash -c '! LC_ALL=C grep -E ".{61}" out'
check "... with short names of operators, which are whole" bash -c 'grep -q "^convolution  *1 " out && ! grep -q "…" out'
plan
