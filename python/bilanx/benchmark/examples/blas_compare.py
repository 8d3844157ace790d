"""Matrix products of PyTorch with each BLAS library of the system.

    python3 -m bilanx.benchmark.examples.blas_compare

A library is chosen when a process starts, so each is measured in processes of its own, which send
their measurements back as pickles.
"""
import os
import pickle
import subprocess
import sys

import bilanx.benchmark as benchmark
from bilanx.benchmark.examples import blas_compare_setup

SIZES = (4, 32, 128, 225)
THREADS = (1, 2)
REPLICATES = 2
MIN_RUN_TIME = 0.05


def measure(env):
    """In a process with one library."""
    import torch
    torch.manual_seed(0)
    results = []
    for threads in THREADS:
        for n in SIZES:
            for name, columns in (("matrix", n), ("vector", 1)):
                values = {"x": torch.rand((n, n)), "y": torch.rand((n, columns))}
                results.append(benchmark.Timer(
                    "torch.mm(x, y)", globals=values, label=f"torch.mm: matrix x {name}",
                    description=f"n = {n}", env=env, num_threads=threads,
                ).blocked_autorange(min_run_time=MIN_RUN_TIME))
    return results


def measure_elsewhere(env, folder):
    search = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-m", "bilanx.benchmark.examples.blas_compare", env], check=True,
        stdout=subprocess.PIPE, env=dict(os.environ, PYTHONPATH=search, LD_LIBRARY_PATH=folder))
    return pickle.loads(done.stdout)


def main():
    if len(sys.argv) > 1:
        sys.stdout.buffer.write(pickle.dumps(measure(sys.argv[1])))
        return
    results = []
    for _ in range(REPLICATES):
        for env, folder in blas_compare_setup.libraries().items():
            results += measure_elsewhere(env, folder)
    compare = benchmark.Compare(results)
    compare.trim_significant_figures()
    compare.colorize()
    compare.print()


if __name__ == "__main__":
    main()
