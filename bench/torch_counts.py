#!/usr/bin/env python3
"""Instruction counts of PyTorch statements under bilanx and under Timer.collect_callgrind.

    torch_counts.py BILANX [--python EXE]

The other side starts valgrind and imports torch for every case; so it counts two, and is compared
per case. Exits with 1 when a goal is missed.

It counts a loop at the level of a module, where CPython looks every name up in a dictionary; what it
times, and what bilanx times and counts, is a function with local names. So the counts differ by a
hundred instructions for each name. For the comparison a statement of the names alone is counted, too,
on both sides, and taken off.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

SETUP = '''import torch
x, y = torch.ones(1), torch.ones(1)
a, b = torch.ones(4, 4), torch.ones(64, 64)
v = torch.ones(100)
i = torch.tensor([0, 2])
r = torch.ones(4, 4, requires_grad=True)
linear = torch.nn.Linear(4, 4)
'''
STATEMENTS = '''x + y
torch.mm(a, a)
x * y
x - y
x / y
x.add_(y)
x.mul_(y)
torch.add(x, y)
torch.exp(x)
torch.sqrt(v)
torch.relu(v)
torch.sigmoid(v)
v.sum()
v.mean()
v.max()
v.argmax()
v.sort()
v.cumsum(0)
a.t()
a.view(16)
a.reshape(2, 8)
a.permute(1, 0)
a.unsqueeze(0)
a.expand(2, 4, 4)
a.contiguous()
a.clone()
a[0]
a[0, 0]
a[:, 1]
a[i]
a[None]
a.size()
torch.empty(1)
torch.zeros(4, 4)
torch.ones(100)
torch.cat([a, a])
torch.stack([a, a])
a @ a
linear(a)
(r * r).sum()'''.split('\n')
COMPARED = {'x + y': 'x; y', 'torch.mm(a, a)': 'torch; a; a'}  # with their names alone
NUMBER = 100
FURTHER, WHOLE, AGREE = 50, 20, .02

THEIRS = '''
import json, sys, time
from torch.utils.benchmark import Timer
setup, number, *stmts = json.loads(sys.argv[1])
for stmt in stmts:
    started = time.time()
    stats = Timer(stmt, setup).collect_callgrind(number=number, repeats=5, collect_baseline=False)
    counts = sorted(one.counts(denoise=False) / number for one in stats)
    print(json.dumps([stmt, counts[len(counts) // 2], time.time() - started]), flush=True)
'''


def by_bilanx(options):
    started = time.time()
    done = subprocess.run([options.bilanx, 'count', '-l', 'python', '--python', options.python,
                           *STATEMENTS, *COMPARED.values(), '-s', SETUP, '--number', str(NUMBER), '--quiet', '-o', '-'],
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    counts = {one['task']['stmt']: one['counts']['per_iteration'] for one in records}
    assert len(counts) == len(STATEMENTS) + len(COMPARED), done.stdout
    further = [one['elapsed'] for one in records[1:]]
    return counts, sum(further) / len(further), (time.time() - started) / len(records)


def by_timer(options, stmts):
    """Its `python` is the first of the PATH, and has to be the one with torch."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(options.python, os.path.join(folder, 'python'))
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ['PATH'])
        done = subprocess.run([options.python, '-c', THEIRS, json.dumps([SETUP, NUMBER, *stmts])],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True, check=True, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('[')]


def goal(text, met):
    print('goal, %s: %s' % (text, 'met' if met else 'missed'))
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bilanx')
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    counts, further, whole = by_bilanx(options)
    print('bilanx: %d statements, %.2f s for each further one, %.2f s each with all that it takes'
          % (len(counts), further, whole))
    theirs = by_timer(options, [*COMPARED, *COMPARED.values()])
    each = sum(seconds for _, _, seconds in theirs) / len(theirs)
    print('collect_callgrind: %.1f s each' % each)
    there = {stmt: count for stmt, count, _ in theirs}
    apart = []
    for stmt, names in COMPARED.items():
        for text, ours, other in ((stmt, counts[stmt], there[stmt]), (names, counts[names], there[names]),
                                  ('  the difference', counts[stmt] - counts[names],
                                   there[stmt] - there[names])):
            print('%-20s %10.1f instructions, %10.1f there: %+.2f %%'
                  % (text, ours, other, 100 * (ours / other - 1)))
        apart.append(abs((counts[stmt] - counts[names]) / (there[stmt] - there[names]) - 1))
    met = [goal('a further case at least %d times as fast: %.0f times' % (FURTHER, each / further),
                each >= FURTHER * further),
           goal('with the import counted in at least %d times: %.0f times' % (WHOLE, each / whole),
                each >= WHOLE * whole),
           goal('counts, names taken off, within %.0f %%' % (100 * AGREE), max(apart) <= AGREE)]
    return 0 if all(met) else 1


sys.exit(main())
