"""How the wall time falls with simulated machines, and how fast records merge: cluster.py BILANX CLUSTER."""
import os
import subprocess
import sys
import tempfile
import time

bilanx, cluster = sys.argv[1:3]
SHARDS, GOAL_MB_S, GOAL_GROWTH = 100000, 50, 1.2


def merge(folder, out):
    """MB per second, and the peak memory in MB, of merging the files in a folder."""
    size = sum(entry.stat().st_size for entry in os.scandir(folder)) / 1e6
    start = time.monotonic()
    process = subprocess.Popen([bilanx, 'merge', folder, '-o', out, '--overwrite', '--quiet'])
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - start
    if status:
        sys.exit(f'merge failed: {status}')
    return size, size / elapsed, usage.ru_maxrss / 1024


def check(out, shards):
    """Every case once, in order."""
    places = [int(line.split('"place":', 1)[1].split(',', 1)[0]) for line in open(out, encoding='utf-8')]
    if places != list(range(1, 2 * shards + 1)):
        sys.exit(f'{out}: {len(places)} records are not the cases 1 to {2 * shards}, in order')


def measure(shards, folder):
    """Merges the records of this many shards, read twice: the first time fills the page cache."""
    place, out = os.path.join(folder, str(shards)), os.path.join(folder, 'out.jsonl')
    subprocess.run([cluster, 'shards', str(shards), place], check=True)
    results = [merge(place, out) for _ in range(2)]
    check(out, shards)
    size, _, memory = results[-1]
    speed = max(result[1] for result in results)
    print(f'| {shards:7,} | {size:6.0f} MB | {speed:5.0f} MB/s | {memory:5.1f} MB |', flush=True)
    return speed, memory


failed = subprocess.run([cluster, 'simulate'], check=False).returncode
print('\n|  shards |   records |      merge |   memory |\n|--------:|----------:|-----------:|---------:|', flush=True)
with tempfile.TemporaryDirectory() as folder:
    _, before = measure(SHARDS // 4, folder)
    speed, memory = measure(SHARDS, folder)
    met = speed >= GOAL_MB_S and memory <= GOAL_GROWTH * before
    print(f'verdict: {SHARDS:,} shards merged at {speed:.0f} MB/s (goal {GOAL_MB_S}), with {memory / before:.2f} times the '
          f'memory of a quarter of them (goal {GOAL_GROWTH}): {"met" if met else "MISSED"}', flush=True)
sys.exit(1 if failed or not met else 0)
