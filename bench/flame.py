"""Times bilanx flame on folded stacks, against flamegraph.pl on the same file in the same run.

    flame.py BILANX [--quick] [--flamegraph PATH]

The stacks look like those of a program: 5000 functions, most stacks share their outer frames with
others, about ten frames each, one in ten distinct. Each size is drawn three times by bilanx, in
turns with one run of flamegraph.pl; the minimum counts. Goals: a million stacks within 2 s and
500 MB, and a CPU time per stack that stays within a factor of 1.5 from the smallest file to the
largest (whose tree no longer fits into a cache).
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS, MEGABYTES, GROWTH = 2, 500, 1.5


def run(command, output):
    """Returns seconds, CPU seconds and peak megabytes of a command."""
    start = time.perf_counter()
    with open(output, "w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)}: failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def distinct_stacks(count):
    """Stacks that share prefixes, as those of one program do."""
    functions = [f"function_{i:04}" for i in range(5000)]
    stacks = []
    for _ in range(count):
        if stacks and random.random() < .9:
            parent = random.choice(stacks)
            stack = parent[:random.randint(2, len(parent))] + random.sample(functions, random.randint(1, 6))
        else:
            stack = ["main", "run_everything"] + random.sample(functions, random.randint(3, 12))
        stacks.append(stack[:40])
    return [";".join(stack) for stack in stacks]


def generate(path, count):
    random.seed(count)
    stacks = distinct_stacks(count // 10)
    with open(path, "w") as out:
        for i in range(count):
            stack = stacks[i] if i < len(stacks) else random.choice(stacks)
            out.write(f"{stack} {random.randint(1, 9)}\n")


def measure(bilanx, peer, count, folder):
    source, graph = os.path.join(folder, "stacks.folded"), os.path.join(folder, "out.svg")
    generate(source, count)
    theirs = run([peer, source], os.path.join(folder, "their.svg")) if peer else None
    ours = [run([bilanx, "flame", source, "-o", "-"], graph) for _ in range(3)]
    seconds, cpu, peak = (min(one[0] for one in ours), min(one[1] for one in ours),
                          max(one[2] for one in ours))
    line = (f"{count:9,} {os.path.getsize(source) / 1e6:8.0f} {seconds:8.2f} {cpu / count * 1e9:17.0f}"
            f" {peak:8.0f} {os.path.getsize(graph) / 1e6:8.1f}")
    if theirs:
        line += f" {theirs[0]:15.2f} {theirs[2]:8.0f} {theirs[1] / cpu:7.1f} x"
    print(line, flush=True)
    return seconds, cpu, peak


def main():
    bilanx = sys.argv[1]
    peer = shutil.which("flamegraph.pl") or shutil.which("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
    if "--flamegraph" in sys.argv:
        peer = sys.argv[sys.argv.index("--flamegraph") + 1]
    counts = [30000, 100000] if "--quick" in sys.argv else [100000, 300000, 1000000]
    print("   stacks  MB read  seconds  CPU ns per stack  MB peak MB drawn"
          + ("   flamegraph.pl  MB peak   faster" if peer else "   (no flamegraph.pl: see --flamegraph)"))
    with tempfile.TemporaryDirectory() as folder:
        results = [measure(bilanx, peer, count, folder) for count in counts]
    growth = results[-1][1] / counts[-1] / (results[0][1] / counts[0])
    good = growth < GROWTH and results[-1][0] < SECONDS and results[-1][2] < MEGABYTES
    print(f"\nCPU time per stack at {counts[-1]:,}: {growth:.2f} x that at {counts[0]:,} (goal: under {GROWTH});"
          f" goals of {SECONDS} s, {MEGABYTES} MB: {'met' if good else 'missed'}")
    sys.exit(not good)


if __name__ == "__main__":
    main()
