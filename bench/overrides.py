#!/usr/bin/env python3
"""Makes one case of the override suite slower on side B, and has bilanx find it.

    overrides.py BILANX SUITE [--runs N] [--others N] [--way WAY...] [--python EXE] [--ns 100]

The time is spent in WithTorchFunction.__torch_function__. Sides differ in one of three ways, in turn: a variable of
the environment, a module on PYTHONPATH, or the revision of a module (a suite is the same on all sides). In every run that case is compared alone; in
the last few, the other cases of torch.add are compared too. The goal: it is `slower` in every run, within ten
seconds, and no other case is ever called slower or faster. Exits with 1 if the goal is missed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SLOWED = 'WithTorchFunction'
WITHIN = 10

# How many steps of a loop take that long where it will stand.
CALIBRATE = '''
import timeit, torch
class Held:
    def __init__(self, held):
        self.held = held
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        for _ in spin: pass
        return cls(func(*[x.held for x in args]))
x = Held(torch.ones(1))
def cost(steps):
    global spin
    spin = range(steps)
    return min(timeit.repeat("torch.add(x, x)", globals=globals(), number=1000, repeat=300)) / 1000
print(max(1, round(20 * %g / (cost(30) - cost(10)))))
'''


def with_spin(text, definition):
    """The suite with a loop over `spin` in one function."""
    text = text.replace('  import torch\n', '  import os, torch\n  %s\n' % definition, 1)
    head = re.search(r'class %s:.*?kwargs=None\):\n' % SLOWED, text, re.S)
    assert head, 'the suite has no class ' + SLOWED
    return text[:head.end()] + '          for _ in spin: pass\n' + text[head.end():]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def by_environment(text, folder, steps):
    write(folder + '/suite.yaml', with_spin(text, 'spin = range(int(os.environ["BILANX_SPIN"]))'))
    return 'export BILANX_SPIN=0', 'export BILANX_SPIN=%d' % steps


def by_module(text, folder, steps):
    write(folder + '/suite.yaml', with_spin(text, 'from spinning import spin'))
    write(folder + '/old/spinning.py', 'spin = range(0)\n')
    write(folder + '/new/spinning.py', 'spin = range(%d)\n' % steps)
    return 'export PYTHONPATH=%s/old' % folder, 'export PYTHONPATH=%s/new' % folder


def by_revision(text, folder, steps):
    git = ['git', '-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
    write(folder + '/suite.yaml', with_spin(text, 'from spinning import spin'))
    write(folder + '/spinning.py', 'spin = range(0)\n')
    for command in ['init', '-q'], ['add', '.'], ['commit', '-qm', 'Before']:
        subprocess.run(git + command, check=True)
    write(folder + '/spinning.py', 'spin = range(%d)\n' % steps)
    subprocess.run(git + ['commit', '-qam', 'After'], check=True)
    return 'git:HEAD~1', 'git:.'


WAYS = {'environment': by_environment, 'module': by_module, 'revision': by_revision}


def compare(options, sides, folder, cases):
    """The verdicts on some cases, and how long they took."""
    began = time.monotonic()
    done = subprocess.run([os.path.abspath(options.bilanx), 'ab', '--A', sides[0], '--B', sides[1], 'suite.yaml', '--filter', cases,
                           '--quiet', '-o', '-', '--format', 'json'],
                          stdout=subprocess.PIPE, cwd=folder, env=dict(os.environ, BILANX_PYTHON=options.python))
    wall = time.monotonic() - began
    records = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith('{')]
    return {one['task']['sub_label']: one for one in records if one['kind'] == 'verdict'}, wall


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('bilanx')
    parser.add_argument('suite')
    parser.add_argument('--runs', type=int, default=20)
    parser.add_argument('--others', type=int, default=3, help='runs in which the other cases are compared, too')
    parser.add_argument('--way', choices=WAYS, action='append')
    parser.add_argument('--ns', type=float, default=100)
    parser.add_argument('--python', default='/usr/bin/python3')
    return parser.parse_args()


def main():
    options = arguments()
    steps = int(subprocess.run([options.python, '-c', CALIBRATE % (options.ns * 1e-9)], stdout=subprocess.PIPE,
                               check=True).stdout)
    print('%g ns are %d steps of a loop' % (options.ns, steps))
    with open(options.suite, encoding='utf-8') as file:
        text = file.read()
    ways = options.way or list(WAYS)
    found = wrong = late = compared = 0
    with tempfile.TemporaryDirectory() as place:
        made = {way: WAYS[way](text, os.path.join(place, way), steps) for way in ways}
        for run in range(1, options.runs + 1):
            way = ways[run % len(ways)]
            folder = os.path.join(place, way)
            verdicts, wall = compare(options, made[way], folder, '^torch.add/%s$' % SLOWED)
            slowed = verdicts[SLOWED]
            found += slowed['verdict'] == 'slower'
            late += wall > WITHIN
            print('%2d  by %-12s %-9s %+6.1f ns, %5.1f s' % (
                run, way, slowed['verdict'], 1e9 * (slowed['times'][1] - slowed['times'][0]), wall), flush=True)
            if run <= options.runs - options.others:
                continue
            others, wall = compare(options, made[way], folder, '^torch.add/(Tensor|Sub)')
            claims = [name for name, one in others.items() if one['verdict'] in ('slower', 'faster')]
            compared += len(others)
            wrong += len(claims)
            print('    the others: %s, %5.1f s' % (', '.join('WRONG: ' + name for name in claims) or 'no change', wall), flush=True)
    print('%d of %d found; %d took more than %d s; %d wrong verdicts on %d other cases' % (
        found, options.runs, late, WITHIN, wrong, compared))
    return found < options.runs or late > 0 or wrong > 0


if __name__ == '__main__':
    sys.exit(main())
