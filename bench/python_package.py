"""bilanx.benchmark next to torch.utils.benchmark, on the same tasks.

    python_package.py [table] [block] [cpp] [count]      default: all of them

table   a table of 4 sizes, 3 implementations and 2 numbers of threads with Compare
block   the time of an empty block: what a measurement adds to each block
cpp     a C++ statement with PyTorch: from an empty cache, and a second time
count   a callgrind count of `x + y`: the first, and the second; torch's takes a minute or two

The last line is the verdict on the goals. torch and bilanx take turns, so that both meet the same
machine; on a busy one, only the ratios mean something.
"""
import os
import subprocess
import sys
import tempfile
import time
import timeit

import torch
import torch.utils.benchmark as theirs

import bilanx.benchmark as ours
from bilanx.benchmark.utils._statement import Statement


MISSED = []


def judge(goal, reached):
    """Notes whether a goal was reached."""
    print(f"    {'reached' if reached else 'MISSED'}: {goal}", flush=True)
    if not reached:
        MISSED.append(goal)


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def table_of(module, min_run_time=0.1):
    results = []
    for size in 1, 64, 1024, 16384:
        x = torch.ones((size, 4))
        for name, stmt in (("mul", "x * x"), ("pow", "x ** 2"), ("square", "torch.square(x)")):
            for threads in 1, 2:
                results.append(module.Timer(stmt, globals={"x": x}, label="square", sub_label=name,
                                            description=str(size), num_threads=threads)
                               .blocked_autorange(min_run_time=min_run_time))
    compare = module.Compare(results)
    compare.trim_significant_figures()
    return str(compare)


def table():
    times = {"bilanx": [], "torch": []}
    for _ in range(3):
        times["torch"].append(timed(lambda: table_of(theirs)))
        times["bilanx"].append(timed(lambda: table_of(ours)))
    best = {name: min(values) for name, values in times.items()}
    print(f"table of 24 cells, best of 3: bilanx {best['bilanx']:.2f} s, torch {best['torch']:.2f} s: "
          f"{best['bilanx'] / best['torch']:.2f} of torch's")
    judge("a table takes at most torch's time", best["bilanx"] <= best["torch"])


def block():
    mine, peer = Statement("pass", "pass", None, {}), timeit.Timer("pass")
    best = {"bilanx": 1.0, "timeit": 1.0}
    for _ in range(20000):
        best["bilanx"] = min(best["bilanx"], mine.timeit(0))
        best["timeit"] = min(best["timeit"], peer.timeit(0))
    print(f"empty block, best of 20,000: bilanx {best['bilanx'] * 1e9:.0f} ns, "
          f"timeit {best['timeit'] * 1e9:.0f} ns")
    judge("a block costs at most timeit's", best["bilanx"] <= best["timeit"])


CPP = """
import sys, time, timeit
import {module} as benchmark
start = time.perf_counter()
benchmark.Timer("torch::Tensor y = x + 1;", setup="torch::Tensor x = torch::empty({{1}});",
                timer=timeit.default_timer, language="c++").timeit(10)
print(time.perf_counter() - start)
"""


def cpp_seconds(module, cache):
    environment = dict(os.environ, XDG_CACHE_HOME=cache, TORCH_EXTENSIONS_DIR=cache)
    done = subprocess.run([sys.executable, "-c", CPP.format(module=module)], env=environment,
                          check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def cpp():
    with tempfile.TemporaryDirectory() as mine, tempfile.TemporaryDirectory() as other:
        names = "bilanx.benchmark", "torch.utils.benchmark"
        cold = [cpp_seconds(name, folder) for name, folder in zip(names, (mine, other))]
        warm = [cpp_seconds(name, folder) for name, folder in zip(names, (mine, other))]
    for what, (our, their), goal in ("an empty cache", cold, 3), ("a warm cache", warm, 50):
        print(f"C++ statement from {what}: bilanx {our:.2f} s, torch {their:.2f} s: "
              f"{their / our:.1f} times as fast")
        judge(f"a C++ statement from {what} is {goal} times as fast", their >= goal * our)


def count():
    def counted(module):
        return timed(lambda: module.Timer("x + y", setup="x = torch.ones(4); y = torch.ones(4)")
                     .collect_callgrind(number=100))
    first, second = counted(ours), min(counted(ours) for _ in range(3))
    print(f"callgrind count of x + y: bilanx {first:.1f} s first, then {second:.2f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:  # torch runs the `python` on the PATH
        os.symlink(sys.executable, os.path.join(folder, "python"))
        os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
        their = counted(theirs)
    print(f"torch: {their:.1f} s each time, {their / second:.0f} times as long")
    judge("a count is 50 times as fast from the second on", their >= 50 * second)


if __name__ == "__main__":
    for name in sys.argv[1:] or ["table", "block", "cpp", "count"]:
        {"table": table, "block": block, "cpp": cpp, "count": count}[name]()
    print("missed: " + "; ".join(MISSED) if MISSED else "all goals reached")
