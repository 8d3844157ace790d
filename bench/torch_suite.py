#!/usr/bin/env python3
"""Counts the instructions of cases of a suite with bilanx and with Timer.collect_callgrind.

    torch_suite.py BILANX SUITE [--seed N] [--cases N] [--python EXE]

Prints both counts per iteration and their difference. Exits with 1 if a goal is missed.
"""
import argparse
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import collect_callgrind

AGREE = .02


def draw(options):
    done = subprocess.run([options.bilanx, 'run', options.suite, '--expand'], stdout=subprocess.PIPE,
                          universal_newlines=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    return random.Random(options.seed).sample(cases, options.cases)


def identity(task):
    return tuple(task.get(key) for key in ('stmt', 'setup', 'global_setup', 'language', 'num_threads'))


def by_bilanx(options, cases, cache):
    names = '|'.join(re.sub(r'([][(){}.*+?^$|\\])', r'\\\1', one['name']) for one in cases)
    done = subprocess.run([options.bilanx, 'run', options.suite, '--count', '--no-time', '--hwcaps', 'native', '--quiet', '--filter',
                           '^(%s)$' % names, '-o', '-'], stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(os.environ, BILANX_PYTHON=options.python, XDG_CACHE_HOME=cache))
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {identity(one['task']): one['counts']['per_iteration'] for one in records if 'counts' in one}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bilanx')
    parser.add_argument('suite')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--cases', type=int, default=10)
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    cases = draw(options)
    apart = []
    with tempfile.TemporaryDirectory() as cache:
        ours = by_bilanx(options, cases, cache)
        models = glob.glob(cache + '/bilanx/**/models-*', recursive=True)
        theirs = collect_callgrind.ask(options.python, [one['task'] for one in cases],
                                       BILANX_MODELS=models[0] if models else '')
        print('%-60s %12s %12s' % ('instructions per iteration', 'bilanx', 'torch'))
        for case, (said, _) in zip(cases, theirs):
            count = ours.get(identity(case['task']))
            there = None if isinstance(said, str) else collect_callgrind.median(said)
            apart.append(count / there - 1 if count and there else 1)
            print('%-60s %12s %12s  %s' % (case['name'], '%.1f' % count if count else 'failed',
                                          '%.1f' % there if there else 'failed',
                                          '%+.2f %%' % (100 * apart[-1]) if count and there else said), flush=True)
    met = len(apart) == len(cases) and max(map(abs, apart)) <= AGREE
    print('goal, all within %.0f %%: %s' % (100 * AGREE, 'met' if met else 'missed'))
    return 0 if met else 1


sys.exit(main())
