"""Timer and Compare: two ways to add, on several sizes and numbers of threads.

    python3 -m bilanx.benchmark.examples.compare
"""
import pickle

import torch

import bilanx.benchmark as benchmark


def main():
    results = []
    for size in (1, 100, 10000):
        for threads in (1, 2):
            for name, stmt in (("add", "torch.add(x, y)"), ("add to 0", "torch.add(x, y + zero)")):
                timer = benchmark.Timer(
                    stmt, label="add", sub_label=name, description=f"size {size}",
                    num_threads=threads,
                    globals={"x": torch.ones((size, 4)), "y": torch.ones((1, 4)),
                             "zero": torch.zeros(())})
                # As if another process had measured it.
                measured = timer.blocked_autorange(min_run_time=0.05)
                results.append(pickle.loads(pickle.dumps(measured)))
    compare = benchmark.Compare(results)
    compare.trim_significant_figures()
    compare.colorize()
    compare.print()


if __name__ == "__main__":
    main()
