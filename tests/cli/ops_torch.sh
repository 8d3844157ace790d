#!/usr/bin/env bash
# bilanx ops with PyTorch and with Python files as backends. No figures.
. "$(dirname "$0")/cli.bash"
python=/usr/bin/python3
if ! $python -c 'import torch, numpy' 2>/dev/null; then
    echo "1..0 # SKIP $python has no PyTorch"
    exit 0
fi
cd "$work" || exit 1
unset BILANX_DATA BILANX_PYTHON TORCH_ROOT
cat >small.txt <<'LOG'
Operator: aten.relu.default
cnt: 5, ((T([8, 16], f16),), {})
cnt: 2, ((T([13, 16], f16),), {})
Operator: aten.add.Tensor
cnt: 73, ((T([64, 128], f16), T([64, 128], f16)), {'alpha': 2})
Operator: aten.relu_.default
cnt: 7, ((T([13, 16], f16),), {})
Operator: aten._cudnn_rnn.default
cnt: 7, ((T([13, 16], f16),), {})
LOG
cat >mine.py <<'PYTHON'
import numpy as np

def relu(x):
    if x.shape[0] == 13:
        raise ValueError('thirteen')
    return np.maximum(x, 0)

def relu_(x):
    x[x < 0] = 0
    return x

def add_Tensor(x, y, *, alpha=1):
    return x + y
PYTHON
measures() { exits "$1" "$BILANX" ops small.txt --no-roof --python $python "${@:2}" --overwrite -o r.jsonl; }

check "torch and torchscript take turns" measures 0 --baseline torch --backend torchscript
check "... and agree" out '^torchscript  *3  *4 '
check "... in the version at hand" out 'PyTorch [12]\.'
check "the cost of a call itself is measured" out '^empty call: torch [0-9.]* [nu]s, torchscript [0-9.]* [nu]s$'
check "an operator that PyTorch does not have on the CPU is named" \
    err 'not supported by the baseline, torch: .*(1): aten._cudnn_rnn.default'

check "a log is a source of cases" exits 0 "$BILANX" run small.txt --max-run-time 0.2s -q --overwrite -o s.jsonl
check "... measured as all others are" records s.jsonl "
kinds = sorted((one['kind'], one['task']['label']) for one in r)
assert kinds == [('failure', 'aten._cudnn_rnn.default'), ('measurement', 'aten.add.Tensor')] + \\
    [('measurement', 'aten.relu.default')] * 2 + [('measurement', 'aten.relu_.default')], kinds
assert {one['task']['description'] for one in r} == {'torch'}
assert all(one['method'] == 'rigorous' for one in r if one['kind'] == 'measurement')"

check "a Python file is a backend" measures 1 --baseline eager --backend python:mine.py
check "... that shares a process with torch" out '^python:mine.py .* numpy [0-9.]*$'
check "... an exception is one failed sample" err 'ValueError: thirteen (mine.py:5, in relu: raise'
check "... a wrong result is not counted" records r.jsonl "
mine = [(one['task']['label'], one['kind']) for one in r if one['task'].get('description') == 'python:mine.py']
assert sorted(mine) == [('aten.add.Tensor', 'failure'), ('aten.relu.default', 'failure'),
                        ('aten.relu.default', 'measurement'), ('aten.relu_.default', 'measurement')], mine"
check "a file that is missing is an error" exits 1 "$BILANX" ops small.txt --python $python --backend python:none.py
check "... that names it" err "cannot find the file 'none.py'"

# A copy of PyTorch with its own names and paths, as pip installs it, without headers.
copy_torch() {
    $python - "$1" <<'PYTHON'
import glob, importlib.util, os, shutil, subprocess, sys
source = os.path.dirname(importlib.util.find_spec('torch').origin)
copy = os.path.join(sys.argv[1], 'torch')
shutil.copytree(source, copy, ignore=shutil.ignore_patterns('lib', 'include', 'test', '__pycache__'))
os.mkdir(os.path.join(copy, 'lib'))
names = {}  # those of the system, and ours
for path in glob.glob(os.path.join(source, 'lib', '*.so')) + glob.glob('/usr/lib/*/libtorch*.so') + glob.glob('/usr/lib/*/libc10.so'):
    if 'caffe2' not in path and os.path.exists(path) and os.path.basename(path) not in names.values():
        soname = subprocess.run(['patchelf', '--print-soname', path], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        names[soname] = os.path.basename(path)
        shutil.copy(os.path.realpath(path), os.path.join(copy, 'lib', os.path.basename(path)))
for path in glob.glob(os.path.join(copy, 'lib', '*.so')) + glob.glob(os.path.join(copy, '_C*.so')):
    needed = subprocess.run(['patchelf', '--print-needed', path], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for name in set(needed) & set(names):
        subprocess.run(['patchelf', '--replace-needed', name, names[name], path], check=True)
    ours = os.path.basename(os.path.dirname(path)) == 'lib'
    if ours:
        subprocess.run(['patchelf', '--set-soname', os.path.basename(path), path], check=True)
    subprocess.run(['patchelf', '--set-rpath', '$ORIGIN' if ours else '$ORIGIN/lib', path], check=True)
PYTHON
}
copy_torch "$work/pip"
printf '#!/bin/sh\nPYTHONPATH=%s exec %s "$@"\n' "$work/pip" $python >pip/python && chmod +x pip/python
printf 'import torch\nARRAYS = "torch"\nrelu = torch.relu\n' >theirs.py
check "the copy is another libtorch" bash -c "pip/python -c 'import torch; print(open(\"/proc/self/maps\").read())' | grep -q $work/pip/torch/lib/libtorch_cpu.so"
check "two versions of PyTorch have two processes" exits 0 "$BILANX" ops small.txt --op relu.default --python "$work/pip/python" \
    --baseline torch --backend python:theirs.py -o two.jsonl
check "... which the table says" out '^python:theirs.py .* in a process of its own$'
check "... and the same data" records two.jsonl "
assert [one['kind'] for one in r] == ['measurement'] * 4, r
assert [one['counters']['error'] for one in r if one['task']['description'] == 'python:theirs.py'] == [0, 0]"
if $python -c 'import sys, torch; sys.exit(torch.__version__ >= "2")'; then
    check "inductor needs PyTorch 2" exits 1 "$BILANX" ops small.txt --python $python --backend inductor
    check "... and says so" err 'inductor needs PyTorch 2, and this is 1.13'
fi
mkdir failing && printf '#!/bin/sh\necho no luck >&2\nexit 1\n' | tee failing/c++ >failing/g++ && chmod +x failing/*
check "compiling the backend is announced, as it takes long" bash -c "! PATH='$work/failing:$PATH' XDG_CACHE_HOME='$work/empty' '$BILANX' ops small.txt --backend torch 2>err"
check "... in a sentence" grep -q '^bilanx: compiling the PyTorch backend, which takes about twenty seconds the first time$' err
plan
