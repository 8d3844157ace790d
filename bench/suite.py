"""How long does the harness take for each case of a suite, not counting the measuring?

    suite.py BILANX [CASES]

The cost of a case is the wall time of the whole command, minus the time in measured batches, divided
by the number of cases. The time in batches comes from the records: for each epoch, batches times calls
per batch times the time of a call. Everything else counts as the harness's time: reading the suite,
compiling, starting processes, calibration, warm-up, repeated epochs, the check with copies of the
statement, the tables. The CPU time of all processes is shown as well; other work on the machine
affects it less.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

# Limits in milliseconds per case.
WARM_LIMIT, COLD_LIMIT = 25, 60
BRIEF = ["--max-run-time", "1ms", "--warmup", "100us", "--quiet"]


def trivial(i):
    return f"{{setup: long x = {i}, stmt: x += {i + 1}}}"


def own_globals(i):
    """Cases that cannot share a translation unit, because each has its own function."""
    return (f"{{global_setup: 'static long f(long x) {{ return x * {i} + 1; }}', "
            f"setup: long x = {i}, stmt: x = f(x)}}")


def write_suite(path, count, case):
    with open(path, "w", encoding="utf-8") as file:
        file.write("suite: trivial\nlanguage: c\nbenchmarks:\n  trivial:\n")
        for i in range(count):
            file.write(f"    case {i}: {case(i)}\n")


def peak_of(pid):
    """Returns the peak memory of a process so far, in MB, from the kernel, without children."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0


def run(bilanx, suite, cache, count):
    """Returns seconds (wall, in batches, CPU) and the controller's peak memory."""
    records = suite + ".jsonl"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    child = subprocess.Popen([bilanx, "run", suite, *BRIEF, "--overwrite", "-o", records],
                             stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": cache})
    peak = 0
    while child.poll() is None:
        peak = max(peak, peak_of(child.pid))
        time.sleep(0.02)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    batches = found = 0
    with open(records, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            found += record["kind"] == "measurement"
            batches += sum(epoch["time"] * epoch["batches"] for epoch in
                           record.get("epochs", [])) * record.get("number_per_run", 0)
    if found != count or child.returncode != 0:
        sys.exit(f"{suite}: {found} of {count} cases were measured, status {child.returncode}")
    return wall, batches, cpu, peak


def main():
    bilanx = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    few = cases // 10
    held = True
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} CPUs at the start")
    print(f"{'':42} {'wall':>8} {'in batches':>11} {'harness, a case':>16} {'limit':>7} {'CPU, a case':>12} {'peak':>9}")
    with tempfile.TemporaryDirectory() as folder:
        rows = [("trivial", few, trivial, "empty", None), ("trivial", cases, trivial, "empty", COLD_LIMIT),
                ("trivial", cases, trivial, "warm", WARM_LIMIT),
                ("with functions of their own", cases, own_globals, "empty", None),
                ("with functions of their own", cases, own_globals, "warm", WARM_LIMIT)]
        peaks = {}
        for name, count, case, cache, limit in rows:
            suite = os.path.join(folder, f"{count}-{case.__name__}.yaml")
            write_suite(suite, count, case)
            store = os.path.join(folder, f"cache-{count}-{case.__name__}")
            wall, batches, cpu, peak = run(bilanx, suite, store, count)
            cost = (wall - batches) / count * 1e3
            held = held and (limit is None or cost <= limit)
            peaks[count, case, cache] = peak
            print(f"{count:5} {name}, {cache:5}".ljust(42),
                  f"{wall:6.2f} s {batches:9.2f} s {cost:13.1f} ms "
                  f"{f'{limit} ms' if limit else '':>7} {cpu / count * 1e3:9.1f} ms {peak:6.2f} MB", flush=True)
    growth = peaks[cases, trivial, "empty"] - peaks[few, trivial, "empty"]
    print(f"memory: {growth * 1e3 / (cases - few):.1f} kB more for each case")
    print("held" if held else "NOT held", f"; load {os.getloadavg()[0]:.2f} at the end", sep="")
    return 0 if held else 1


sys.exit(main())
