"""Times bilanx compare against jansson alone and against torch.utils.benchmark.Compare.

    compare.py BILANX HELPER [--quick]

Each line of the first table is one file. Both read it in turns, five times (twice for a million), and
the minimum counts. For torch, the measurements are already objects in memory, and only making and
printing the tables is timed. bilanx reads them from a file.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Returns seconds and peak bytes of a command; its output is discarded."""
    start = time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)}: failed")
    return seconds, usage.ru_maxrss * 1024


def generate(helper, count, tables, path):
    with open(path, "w") as file:
        subprocess.run([helper, "generate", str(count), str(tables)], stdout=file, check=True)


def growth(bilanx, helper, counts, path):
    print("measurements    jansson     bilanx   ratio  us each  peak MB")
    for count in counts:
        generate(helper, count, 10, path)
        theirs, ours = [], []
        for _ in range(2 if count >= 1000000 else 5):
            theirs.append(run([helper, "parse", path]))
            ours.append(run([bilanx, "compare", path]))
        least_theirs, least_ours = min(theirs)[0], min(ours)[0]
        print(f"{count:12}  {least_theirs:7.3f} s  {least_ours:7.3f} s  {least_ours / least_theirs:6.2f}"
              f"  {least_ours / count * 1e6:7.2f}  {max(peak for _, peak in ours) / 1e6:7.0f}", flush=True)


def torch_table(path):
    """Returns the seconds that torch's Compare takes from objects in memory to text."""
    from torch.utils.benchmark import Compare, Measurement
    from torch.utils.benchmark.utils.common import TaskSpec
    measurements = []
    with open(path) as file:
        for line in file:
            record = json.loads(line)
            measurements.append(Measurement(record["number_per_run"], record["raw_times"],
                                            TaskSpec(setup="pass", **record["task"])))
    start = time.perf_counter()
    str(Compare(measurements))
    return time.perf_counter() - start


def main():
    bilanx, helper = sys.argv[1:3]
    quick = "--quick" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records.jsonl")
        growth(bilanx, helper, [10000, 100000] if quick else [10000, 100000, 1000000], path)
        generate(helper, 20000, 10, path)
        ours = statistics.median(run([bilanx, "compare", path, "--style", "torch"])[0]
                                 for _ in range(5))
        theirs = torch_table(path)
        print(f"\n20000 measurements in 10 tables: torch {theirs:.2f} s, bilanx {ours:.3f} s: "
              f"{theirs / ours:.0f} x")


if __name__ == "__main__":
    main()
