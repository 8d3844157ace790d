"""Compiles C++ statements with PyTorch from an empty cache, with bilanx and with torch's Timer.

    torch_cpp.py BILANX [--theirs N]

bilanx compiles 20 statements in one command, which then times each of them once; that time is
subtracted. `Timer(language="cpp")` compiles N (default 2) of them, one after the other, as it always
does. Each side begins with nothing compiled.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

STATEMENTS = [
    "x + y", "x * y", "x - 1", "x / y", "x.sum()", "x.mean(0)", "torch::mm(x, y)", "torch::relu(x)",
    "torch::empty({1})", "torch::zeros({4, 4})", "x.t()", "x.view({16})", "x.index({0})",
    "x.clone()", "x.max()", "torch::cat({x, y})", "x.contiguous()", "x.unsqueeze(0)",
    "torch::sigmoid(x)", "x.add_(1)",
]
SETUP = "auto x = torch::ones({4, 4}); auto y = torch::ones({4, 4});"
PEER = """
import sys, time
from torch.utils.benchmark import Timer
for stmt in sys.argv[2:]:
    start = time.perf_counter()
    Timer(stmt + ';', sys.argv[1], language='cpp').timeit(1)
    print(time.perf_counter() - start, flush=True)
"""


def ours(bilanx, folder):
    """Returns the seconds for compiling, and for a second call with everything in the cache."""
    command = [bilanx, "time", *STATEMENTS, "-l", "c++", "--with", "torch", "-s", SETUP, "-q",
               "--method", "timeit", "--number", "1", "--overwrite", "-o", os.path.join(folder, "records.jsonl")]
    environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    with open(os.path.join(folder, "records.jsonl")) as file:
        kinds = [json.loads(line)["kind"] for line in file]
    if kinds != ["measurement"] * len(STATEMENTS):
        raise SystemExit(f"not all were measured: {kinds}")
    return seconds[0] - seconds[1], seconds[1]


def theirs(count, folder):
    environment = dict(os.environ, TORCH_EXTENSIONS_DIR=os.path.join(folder, "extensions"),
                       TMPDIR=folder)
    done = subprocess.run(["/usr/bin/python3", "-c", PEER, SETUP, *STATEMENTS[:count]],
                          env=environment, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return [float(line) for line in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bilanx")
    parser.add_argument("--theirs", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiled, cached = ours(arguments.bilanx, folder)
        each = compiled / len(STATEMENTS)
        print(f"bilanx: {len(STATEMENTS)} statements compiled in {compiled:.1f} s, {each:.2f} s each; "
              f"with everything in the cache the command takes {cached:.1f} s")
        peer = theirs(arguments.theirs, folder)
        print("torch:  " + ", ".join(f"{seconds:.1f} s" for seconds in peer)
              + f": {sum(peer) / len(peer) / each:.0f} x as long a statement")
    sys.exit(each > 2)


if __name__ == "__main__":
    main()
