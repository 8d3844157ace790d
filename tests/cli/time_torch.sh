#!/usr/bin/env bash
# bilanx time -l python with PyTorch: forks after its import, threads, devices.
. "$(dirname "$0")/time.bash"
system=/usr/bin/python3
cd "$work" || exit 1
unset PYTHONPATH PYTHONSAFEPATH VIRTUAL_ENV
python=(-l python --python $system)
says='def say(*words):
    with open("said", "a") as file: print(*words, file=file)'

check "torch is imported once by default" measures "
assert len(r) == 3 and all(one['forks'] == 1 and one['zygotes'] == 1 for one in r), r
assert 'started-threads' not in {w['code'] for one in r for w in one['warnings']}" \
    "${python[@]}" 'x + x' 'torch.mm(x, x)' 'torch.ones(3)' -s $'import torch\nx = torch.ones(2, 2)' "${once[@]}"
check "a few processes are started besides the forks" measures "
epochs = len(r[0]['epochs']) + r[0].get('redrawn', 0)
assert r[0]['forks'] == epochs and r[0]['zygotes'] == 1 + sum(epochs > n for n in (4, 8, 16, 32, 64, 128)), r" \
    "${python[@]}" 'x + x' -s 'import torch; x = torch.ones(1)' --min-run-time 100ms --max-run-time 200ms --quiet
check "the source of a function in the setup is available" measures "" "${python[@]}" 'f(x)' "${once[@]}" \
    -s $'import torch\n@torch.jit.script\ndef f(x: torch.Tensor):\n    return x + 1\nx = torch.ones(1)'
check "numpy works, too" measures "" "${python[@]}" 'x.dot(x)' -s 'import numpy as np; x = np.ones((100, 100))' "${once[@]}"

# Threads of torch, OpenMP and BLAS, only in the child.
look='import os, torch, ctypes
x = torch.ones(2000, 1000)
omp = ctypes.CDLL("libgomp.so.1")
def look():
    x + x
    say(torch.get_num_threads(), omp.omp_get_max_threads(), len(os.listdir("/proc/self/task")) > 1)'
for threads in 1 2 3; do
    rm -f said
    check "-t $threads works" measures "assert all(one['task']['num_threads'] == $threads for one in r)" "${python[@]}" 'look()' 'look() ' -t $threads -g "$says" -s "$look" "${once[@]}"
    check "... and torch and OpenMP use it in every case" diff said <(for _ in 1 2; do echo $threads $threads $([ $threads = 1 ] && echo False || echo True); done)
done
echo "import time; time.sleep(.1)" >slow.py
blas='import os, numpy, time
x = numpy.ones((500, 500)); x.dot(x)
say(len(os.listdir("/proc/self/task")))'
for threads in 1 2; do
    rm -f said
    check "-t $threads works with OpenBLAS" measures "assert 'started-threads' not in {w['code'] for w in r[0]['warnings']} and r[0].get('forks')" \
        "${python[@]}" pass -t $threads -g "$says" -s "$blas" --preload numpy,slow "${once[@]}"
    check "... and BLAS uses it" diff said <(echo $threads)
done

# A device that works on another thread, as torch.cuda and torch.xpu do.
device='import queue, sys, threading, time, types
work = queue.Queue()
def serve():
    while True:
        time.sleep(work.get())
        work.task_done()
threading.Thread(target=serve, daemon=True).start()
used = False
def use():
    global used
    used = True
    work.put(.003)
def make(name):
    torch = types.ModuleType("torch")
    setattr(torch, name, types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: used, synchronize=work.join))
    sys.modules["torch"] = torch'
for name in cuda xpu; do
    check "$name: the time includes the work" measures "assert r[0]['stats']['min'] >= .003, r" "${python[@]}" 'use()' -g "$device" -s "make('$name')" \
        --method timeit --number 3 --repeats 3 --warmup 1ms --quiet
done
check "another kind of device is not waited for" measures "assert r[0]['stats']['min'] < .003, r" "${python[@]}" 'use()' -g "$device" -s "make('other')" \
    --method timeit --number 3 --repeats 3 --quiet
check "... unless --sync says how" measures "assert r[0]['stats']['min'] >= .003, r" "${python[@]}" 'use()' -g "$device" -s "make('other')" --sync 'work.join()' \
    --method timeit --number 3 --repeats 3 --quiet
plan
