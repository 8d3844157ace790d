#!/usr/bin/env python3
"""Times Python statements with bilanx and with its peers, in turns in one run.

    python.py WORKER [--rounds N] [--python EXE]

Each round starts one process per side on the same CPU: bilanx's worker, which gets the same requests
as from `bilanx time --method timeit`, and a process with torch.utils.benchmark.Timer. They take short
turns in random order, each with BLOCKS blocks of the same number of calls, so other work on the
machine affects both. The result is the ratio of two neighbouring medians: the midmean of the
logarithms of all such ratios, with an interval from resampling rounds. Exits with 1 if a goal is missed.

The addresses of objects matter a lot: an empty loop takes 5.9 to 9.3 ns (CPython 3.11, AMD EPYC) on
both sides, and a process that makes no random allocations keeps one of these times forever. So both
sides make random allocations, once per turn, and many placements are compared instead of one each.
Timer repeats the setup for every block. The setup is therefore no larger than the statement needs;
otherwise Timer would measure with cold caches.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
from urllib.parse import quote, unquote

SHUFFLE = '''import random
ballast = [bytes(random.randrange(480)) for _ in range(random.randrange(3000))]
'''
CASES = {  # statements, and their setups
    'pass': '',
    'x + y': 'x, y = torch.ones(1), torch.ones(1)',
    'torch.mm(a, a)': 'a = torch.ones(4, 4)',
    'torch.mm(b, b)': 'b = torch.ones(64, 64)',
    'torch.mm(c, c)': 'c = torch.ones(512, 512)',
    '[i * i for i in range(100)]': '',
}
BLOCK_NS = 10000000  # the first calls of a block are slower in Timer, after its setup
BLOCKS = 7
TURNS = 12
AGREE = .03

# The peers: a request is one line that describes a turn, the answer is a median.
TIMER = '''
import json, sys
from torch.utils.benchmark import Measurement, Timer
for line in sys.stdin:
    shuffle, setup, stmt, number, blocks = json.loads(line)
    exec(shuffle)
    timer = Timer(stmt, setup)
    timer.timeit(number)
    taken = [timer.timeit(number) for _ in range(blocks)]
    print(Measurement.merge(taken)[0].median, flush=True)
'''
TIMEIT = '''
import json, statistics, sys, timeit
for line in sys.stdin:
    shuffle, setup, stmt, number, blocks = json.loads(line)
    exec(shuffle)
    timer = timeit.Timer(stmt, setup)
    timer.timeit(number)
    print(statistics.median(timer.repeat(blocks, number)) / number, flush=True)
'''


def pin():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')


class Peer:
    def __init__(self, options, program):
        self.process = subprocess.Popen([options.python, '-c', program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        universal_newlines=True, preexec_fn=pin, env=ENVIRONMENT)

    def median(self, setup, stmt, number, blocks):
        self.process.stdin.write(json.dumps([SHUFFLE, setup, stmt, number, blocks]) + '\n')
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Bilanx:
    def __init__(self, options, preload):
        theirs, self.requests = os.pipe()
        answers, ours = os.pipe()
        self.process = subprocess.Popen([options.python, options.worker], stdin=subprocess.DEVNULL,
                                        stdout=sys.stderr, pass_fds=(theirs, ours), preexec_fn=pin,
                                        env=dict(ENVIRONMENT, BILANX_WORKER='%d,%d' % (theirs, ours)))
        os.close(theirs)
        os.close(ours)
        self.answers = os.fdopen(answers)
        self.ask('prepare language=python preload=' + preload, 'prepared')

    def ask(self, request, verb):
        os.write(self.requests, (request + '\n').encode())
        answer = self.answers.readline().split()
        if not answer or answer[0] != verb:
            raise SystemExit('%s: %s' % (request, unquote(' '.join(answer))))
        return dict(word.split('=', 1) for word in answer[1:])

    def open(self, setup, stmt):
        self.ask('open stmt=%s setup=%s global_setup=%s threads=1 fork=1 seed=%d'
                 % (quote(stmt), quote(setup), quote(SHUFFLE), random.getrandbits(32)), 'opened')

    def number(self, setup, stmt):
        self.open(setup, stmt)
        found = self.ask('calibrate target_ns=%d' % BLOCK_NS, 'calibrated')
        self.ask('close', 'closed')
        return int(found['number'])

    def median(self, setup, stmt, number, blocks):
        self.open(setup, stmt)
        self.ask('measure method=timeit number=%d repeats=1' % number, 'measured')
        found = self.ask('measure method=timeit number=%d repeats=%d' % (number, blocks), 'measured')
        self.ask('close', 'closed')
        return statistics.median(map(float, found['times'].split(','))) / number

    def end(self):
        os.close(self.requests)
        self.answers.close()
        self.process.wait()


def midmean(values):
    values = sorted(values)
    cut = len(values) // 4
    return statistics.mean(values[cut:len(values) - cut])


def take_round(options, program, preload, cases):
    """Returns pairs of medians by statement."""
    ours, theirs = Bilanx(options, preload), Peer(options, program)
    setups = {stmt: 'import torch\n' + setup if preload else setup for stmt, setup in cases.items()}
    numbers = {stmt: ours.number(setups[stmt], stmt) for stmt in cases}
    pairs = {stmt: [] for stmt in cases}
    for stmt in list(cases) * TURNS:
        blocks = BLOCKS if numbers[stmt] > 1 else 5
        found = {side: side.median(setups[stmt], stmt, numbers[stmt], blocks)
                 for side in random.sample([ours, theirs], 2)}
        pairs[stmt].append((found[ours], found[theirs]))
    ours.end()
    theirs.end()
    return pairs


def compare(options, program, preload, cases):
    """Returns both medians for each statement, and the ratio with its interval."""
    rounds = [take_round(options, program, preload, cases) for _ in range(options.rounds)]
    for stmt in cases:
        pairs = [pair for one in rounds for pair in one[stmt]]
        logs = [[math.log(a / b) for a, b in one[stmt]] for one in rounds]
        resampled = sorted(midmean([value for one in random.choices(logs, k=len(logs)) for value in one])
                           for _ in range(2000))
        ratio = math.exp(midmean([value for one in logs for value in one]))
        yield (stmt, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
               ratio, math.exp(resampled[50]), math.exp(resampled[-51]))


def show(stmt, ours, theirs, ratio, low, high):
    print('%-30s %10.2f us %10.2f us   %.4f (%.4f to %.4f)' % (stmt, ours * 1e6, theirs * 1e6, ratio, low, high)
          if ours > 1e-6 else
          '%-30s %10.3f ns %10.3f ns   %.4f (%.4f to %.4f)' % (stmt, ours * 1e9, theirs * 1e9, ratio, low, high))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('worker')
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    print('%-30s %13s %13s   bilanx over the other (95 %%)' % ('median', 'bilanx', 'Timer'))
    agreed = []
    for line in compare(options, TIMER, 'torch', CASES):
        show(*line)
        agreed.append(abs(line[3] - 1) <= AGREE)
    print('goal, within %.0f %% of each other: %s, %d of %d\n'
          % (AGREE * 100, 'met' if all(agreed) else 'missed', sum(agreed), len(agreed)))
    print('%-30s %13s %13s' % ('', 'bilanx', 'timeit'))
    (loop,) = compare(options, TIMEIT, '', {'pass': ''})
    show(*loop)
    above = loop[4] > 1  # the whole interval is
    print('goal, an iteration of the loop not above that of timeit: %s'
          % ('missed' if above else 'met'))
    return 0 if all(agreed) and not above else 1


sys.exit(main())
