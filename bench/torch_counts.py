#!/usr/bin/env python3
"""Counts the instructions of PyTorch statements with bilanx and with Timer.collect_callgrind.

    torch_counts.py BILANX [--python EXE]

collect_callgrind starts valgrind and imports torch for every case, so it counts only two cases and is
compared per case. Exits with 1 if a goal is missed.
"""
import argparse
import json
import subprocess
import sys
import time

import collect_callgrind

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
COMPARED = ['x + y', 'torch.mm(a, a)']
NUMBER = 100
FURTHER, WHOLE, AGREE = 50, 20, .02


def by_bilanx(options):
    started = time.time()
    done = subprocess.run([options.bilanx, 'count', '--hwcaps', 'native', '-l', 'python', '--python', options.python,
                           *STATEMENTS, '-s', SETUP, '--number', str(NUMBER), '--quiet', '-o', '-'],
                          stdout=subprocess.PIPE, universal_newlines=True, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    counts = {one['task']['stmt']: one['counts']['per_iteration'] for one in records}
    assert len(counts) == len(STATEMENTS), done.stdout
    further = [one['elapsed'] for one in records[1:]]
    return counts, sum(further) / len(further), (time.time() - started) / len(records)


def goal(text, met):
    print('goal, %s: %s' % (text, 'met' if met else 'missed'))
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bilanx')
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    counts, further, whole = by_bilanx(options)
    print('bilanx: %d statements, %.2f s for each further one, %.2f s each with everything included'
          % (len(counts), further, whole))
    tasks = [{'stmt': stmt, 'setup': SETUP, 'number': NUMBER} for stmt in COMPARED]
    theirs = list(collect_callgrind.ask(options.python, tasks))
    each = sum(seconds for _, seconds in theirs) / len(theirs)
    print('collect_callgrind: %.1f s each' % each)
    apart = []
    for stmt, (said, _) in zip(COMPARED, theirs):
        there = collect_callgrind.median(said)
        apart.append(abs(counts[stmt] / there - 1))
        print('%-20s %10.1f instructions, collect_callgrind %10.1f: %+.2f %%'
              % (stmt, counts[stmt], there, 100 * (counts[stmt] / there - 1)))
    met = [goal('a further case at least %d times as fast: %.0f times' % (FURTHER, each / further),
                each >= FURTHER * further),
           goal('with the import counted in at least %d times: %.0f times' % (WHOLE, each / whole),
                each >= WHOLE * whole),
           goal('counts within %.0f %%' % (100 * AGREE), max(apart) <= AGREE)]
    return 0 if all(met) else 1


sys.exit(main())
