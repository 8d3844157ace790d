#!/usr/bin/env python3
"""Injects 100 ns into WithTorchFunction.__torch_function__ on side B, and compares the sides.

    overrides.py BILANX SUITE [--runs N] [--python EXE] [--ns 100]

The cases of torch.add are compared in one run. The goal: that case is `slower` in every run, which takes
at most ten seconds per case, and no other case is ever called slower or faster. Exits with 1 if it is missed.
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

CALIBRATE = '''
import timeit
def cost(n):
    return min(timeit.repeat("for _ in spin: pass", globals={"spin": range(n)}, number=20000, repeat=50)) / 20000
print(min(range(1, 60), key=lambda n: abs(cost(n) - cost(0) - %g)))
'''


def with_spin(text):
    """The suite with a loop of $BILANX_SPIN steps in one function."""
    text = text.replace('  import torch\n', '  import os, torch\n  spin = range(int(os.environ["BILANX_SPIN"]))\n', 1)
    head = re.search(r'class %s:.*?kwargs=None\):\n' % SLOWED, text, re.S)
    assert head, 'the suite has no class ' + SLOWED
    return text[:head.end()] + '          for _ in spin: pass\n' + text[head.end():]


def compare(options, suite, steps, folder):
    path = os.path.join(folder, 'verdicts.jsonl')
    began = time.monotonic()
    subprocess.run([options.bilanx, 'ab', '--A', 'export BILANX_SPIN=0', '--B', 'export BILANX_SPIN=%d' % steps,
                    suite, '--filter', '^torch.add/', '--quiet', '-o', path, '--overwrite'],
                   stdout=subprocess.DEVNULL, env=dict(os.environ, BILANX_PYTHON=options.python))
    verdicts = {}
    for line in open(path, encoding='utf-8'):
        record = json.loads(line)
        if record['kind'] == 'verdict':
            verdicts[record['task']['sub_label']] = record
    return verdicts, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bilanx')
    parser.add_argument('suite')
    parser.add_argument('--runs', type=int, default=20)
    parser.add_argument('--ns', type=float, default=100)
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    steps = int(subprocess.run([options.python, '-c', CALIBRATE % (options.ns * 1e-9)], stdout=subprocess.PIPE,
                               check=True).stdout)
    print('%g ns are %d steps of a loop' % (options.ns, steps))
    found = wrong = late = 0
    with tempfile.TemporaryDirectory() as folder:
        suite = os.path.join(folder, 'overrides.yaml')
        with open(options.suite, encoding='utf-8') as file:
            text = with_spin(file.read())
        with open(suite, 'w', encoding='utf-8') as file:
            file.write(text)
        for run in range(1, options.runs + 1):
            verdicts, wall = compare(options, suite, steps, folder)
            slowed = verdicts.pop(SLOWED)
            each = wall / (len(verdicts) + 1)
            others = [one['task']['sub_label'] for one in verdicts.values() if one['verdict'] in ('slower', 'faster')]
            times = slowed['times']
            print('%2d  %-9s %+6.1f ns, %5.1f s per case%s' % (
                run, slowed['verdict'], 1e9 * (times[1] - times[0]), each,
                '  WRONG: ' + ', '.join(others) if others else ''), flush=True)
            found += slowed['verdict'] == 'slower'
            late += each > WITHIN
            wrong += len(others)
    print('%d of %d found; %d runs took more than %d s per case; %d wrong verdicts in other cases' % (
        found, options.runs, late, WITHIN, wrong))
    return found < options.runs or late > 0 or wrong > 0


if __name__ == '__main__':
    sys.exit(main())
