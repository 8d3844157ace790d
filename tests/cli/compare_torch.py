#!/usr/bin/python3
"""bilanx compare --style torch against torch.utils.benchmark.Compare, on random measurements: TAP.

    compare_torch.py BILANX

The random data avoids intentional differences, which docs/formats/compare.md lists. torch uses
single precision by default, which affects the last digits; here both use double precision.
"""
import io
import json
import random
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout

import torch
from torch.utils.benchmark import Compare, Measurement
from torch.utils.benchmark.utils.common import TaskSpec

SETS = 400
WORDS = ["add", "matmul 64", "x", "sum over all", "a|b", "f(x, y)", "größer", "", "  padded ", "n=1"]


def draw_measurements(rng):
    """A list of (task, number_per_run, raw_times): the product of some labels, rows and columns."""
    smallest = rng.uniform(-9, 1)
    labels = rng.sample([None, "first", "second: a longer label than the rest of its table", "3"],
                        rng.randint(1, 3))
    rows = rng.sample(WORDS, rng.randint(1, 6))
    columns = rng.sample(["", "one", "two words", "3", "eine lange Überschrift", "v1.2"],
                         rng.randint(1, 5))
    envs = rng.choice([[None], ["only"], ["b", "a", "longer env"]])
    threads = rng.choice([[1], [1, 2], [16, 4, 1]])
    spread = rng.choice([0, 1e-4, 0.01, 0.3])
    drawn = []
    for label in labels:
        for thread in threads:
            for env in envs:
                for row in rows:
                    for column in columns:
                        first = thread == threads[0] and env == envs[0] and row == rows[0]
                        if not first and rng.random() < 0.1:
                            continue  # a hole; only the first row must be complete, to fix the order
                        task = {"stmt": row or "y = f(x)", "label": label, "description": column,
                                "sub_label": row if rng.random() < 0.9 else row or None,
                                "env": env, "num_threads": thread}
                        for _ in range(rng.choice([1, 1, 1, 3])):  # replicates
                            drawn.append((task, *draw_times(rng, smallest, spread)))
    return drawn


def draw_times(rng, smallest, spread):
    number = rng.choice([1, 10, 12345])
    center = 10 ** (smallest + rng.choice([0, rng.uniform(0, 1), rng.uniform(0, 3)]))
    return number, [number * center * (1 + spread * rng.random()) for _ in range(rng.randint(1, 30))]


def their_table(drawn, options):
    compare = Compare([Measurement(number, times, TaskSpec(setup="pass", **task))
                       for task, number, times in drawn])
    if "--trim" in options:
        compare.trim_significant_figures()
    if "--highlight-warnings" in options:
        compare.highlight_warnings()
    for option in options:
        if option.startswith("--colorize"):
            compare.colorize(rowwise=option.endswith("rows"))
    out = io.StringIO()
    with redirect_stdout(out):
        compare.print()
    return out.getvalue()


def our_table(bilanx, drawn, options):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for task, number, times in drawn:
            known = {key: value for key, value in task.items() if value is not None}
            print(json.dumps({"schema": "bilanx/1", "kind": "measurement", "task": known,
                              "number_per_run": number, "raw_times": times}), file=file)
        file.flush()
        return subprocess.run([bilanx, "compare", file.name, "--style", "torch", *options],
                              check=True, capture_output=True, text=True).stdout


def draw_options(rng):
    options = [option for option in ("--trim", "--highlight-warnings") if rng.random() < 0.5]
    color = rng.choice([None, "--colorize", "--colorize=rows", "--colorize=columns"])
    return options + ([color] if color else [])


def main():
    torch.set_default_dtype(torch.float64)
    print(f"1..{SETS}")
    failed = 0
    for seed in range(SETS):
        rng = random.Random(seed)
        drawn, options = draw_measurements(rng), draw_options(rng)
        theirs, ours = their_table(drawn, options), our_table(sys.argv[1], drawn, options)
        same = theirs == ours
        failed += not same
        print(f"{'ok' if same else 'not ok'} {seed + 1} - the tables of set {seed}, {options}")
        if not same and failed <= 3:
            for line in [*("theirs: " + line for line in theirs.splitlines()),
                         *("ours:   " + line for line in ours.splitlines())]:
                print("#", line)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
