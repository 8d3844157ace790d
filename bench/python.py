#!/usr/bin/env python3
"""Python statements under bilanx and under their peers, by turns in one run.

    python.py WORKER [--rounds N] [--python EXE]

In a round a process of each side is started, on the same CPU: bilanx's worker, told by the protocol
what `bilanx time --method timeit` would tell it, and two with torch.utils.benchmark.Timer. They
take short turns in random order, each BLOCKS blocks of the same number of calls, so that work beside
them hits all alike. What is compared is the ratio of two neighbouring medians: of those the midmean
of the logarithms, and its interval by resampling rounds. Exits with 1 when a goal is missed.

What a process executed and loaded before a block decides how fast the block is, of an empty loop a
third (`bench/jumps`). So the first Timer is like bilanx in that: its tensors are made once a turn, and
before a block it runs the Python that bilanx runs before a batch. The second is Timer as it comes: it
sets up before every block. All have imported the same, and allocate at random once a turn, as a process that does
not shows one draw of addresses for ever.
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
CASES = {  # statements, and what each needs
    'pass': '',
    'x + y': 'x, y = torch.ones(1), torch.ones(1)',
    'torch.mm(a, a)': 'a = torch.ones(4, 4)',
    'torch.mm(b, b)': 'b = torch.ones(64, 64)',
    'torch.mm(c, c)': 'c = torch.ones(512, 512)',
    '[i * i for i in range(100)]': '',
}
BLOCK_NS = 300000  # short: what interrupts one leaves the others alone
BLOCKS = 20  # and as many before them, for a fork meets cold caches and pages to copy
TURNS = 12
AGREE = .03

# The other sides: a line of all that a turn is, answered by a median.
ALIKE = '''
import json, sys
from bilanx_statement import Stir
from torch.utils.benchmark import Measurement, Timer
for line in sys.stdin:
    shuffle, setup, stmt, number, blocks = json.loads(line)
    exec(shuffle)
    made = {'stir': Stir()}
    exec(setup, made)
    local = ['%s = made[%r]' % (name, name) for name in made if name != '__builtins__']
    timer = Timer(stmt, '\\n'.join(local + ['stir()']), globals={'made': made})
    for _ in range(blocks):
        timer.timeit(number)
    taken = [timer.timeit(number) for _ in range(blocks)]
    print(Measurement.merge(taken)[0].median, flush=True)
'''
TIMER = '''
import json, sys
from torch.utils.benchmark import Measurement, Timer
for line in sys.stdin:
    shuffle, setup, stmt, number, blocks = json.loads(line)
    exec(shuffle)
    timer = Timer(stmt, setup)
    for _ in range(blocks):
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
    timer.repeat(blocks, number)
    print(statistics.median(timer.repeat(blocks, number)) / number, flush=True)
'''


def pin():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')


class Peer:
    def __init__(self, options, program):
        self.process = subprocess.Popen([options.python, '-c', program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        universal_newlines=True, preexec_fn=pin,
                                        env=dict(ENVIRONMENT, PYTHONDONTWRITEBYTECODE='1',
                                                 PYTHONPATH=os.path.dirname(options.worker)))

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
        found = self.ask('measure method=timeit number=%d repeats=%d' % (number, 2 * blocks), 'measured')
        self.ask('close', 'closed')
        return statistics.median(map(float, found['times'].split(',')[blocks:])) / number

    def end(self):
        os.close(self.requests)
        self.answers.close()
        self.process.wait()


def midmean(values):
    values = sorted(values)
    cut = len(values) // 4
    return statistics.mean(values[cut:len(values) - cut])


def take_round(options, programs, preload, cases):
    """By statement, medians of a turn: bilanx's first."""
    sides = [Bilanx(options, preload)] + [Peer(options, program) for program in programs]
    setups = {stmt: 'import torch\n' + setup if preload else setup for stmt, setup in cases.items()}
    numbers = {stmt: sides[0].number(setups[stmt], stmt) for stmt in cases}
    turns = {stmt: [] for stmt in cases}
    for stmt in list(cases) * TURNS:
        blocks = BLOCKS if numbers[stmt] > 1 else 4
        found = {side: side.median(setups[stmt], stmt, numbers[stmt], blocks)
                 for side in random.sample(sides, len(sides))}
        turns[stmt].append([found[side] for side in sides])
    for side in sides:
        side.end()
    return turns


def ratio(rounds, side):
    """bilanx over another side, with its interval; `rounds` are turns of a statement."""
    logs = [[math.log(turn[0] / turn[side]) for turn in turns] for turns in rounds]
    resampled = sorted(midmean([value for one in random.choices(logs, k=len(logs)) for value in one])
                       for _ in range(2000))
    return [math.exp(value) for value in
            (midmean([value for one in logs for value in one]), resampled[50], resampled[-51])]


def compare(options, programs, preload, cases):
    """For each statement the median of every side, and the ratio to each other one."""
    rounds = [take_round(options, programs, preload, cases) for _ in range(options.rounds)]
    for stmt in cases:
        of_stmt = [one[stmt] for one in rounds]
        sides = range(1 + len(programs))
        medians = [statistics.median(turn[side] for turns in of_stmt for turn in turns) for side in sides]
        yield stmt, medians, [ratio(of_stmt, side) for side in sides[1:]]


def show(stmt, medians, ratios):
    scale, unit = (1e6, 'us') if medians[0] > 1e-6 else (1e9, 'ns')
    print('%-28s' % stmt, ' '.join('%9.2f %s' % (median * scale, unit) for median in medians),
          '  '.join('  %.3f (%.3f to %.3f)' % tuple(one) for one in ratios), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('worker')
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--python', default='/usr/bin/python3')
    options = parser.parse_args()
    print('%-28s %12s %12s %12s   %-24s %s' % ('median', 'bilanx', 'Timer alike', 'Timer',
                                              'bilanx over the first', 'over the second'))
    within = [0, 0]
    for stmt, medians, ratios in compare(options, [ALIKE, TIMER], 'torch,torch.utils.benchmark', CASES):
        show(stmt, medians, ratios)
        within = [count + (abs(one[0] - 1) <= AGREE) for count, one in zip(within, ratios)]
    agreed = within[0] == len(CASES)
    print('goal, within %.0f %% of each other: %s, %d of %d; of Timer as it comes: %d\n'
          % (AGREE * 100, 'met' if agreed else 'missed', within[0], len(CASES), within[1]))
    print('%-28s %12s %12s' % ('', 'bilanx', 'timeit'))
    (loop,) = compare(options, [TIMEIT], '', {'pass': ''})
    show(*loop)
    above = loop[2][0][1] > 1  # the whole interval is
    print('goal, an iteration of the loop not above that of timeit: %s'
          % ('missed' if above else 'met'))
    return 0 if agreed and not above else 1


sys.exit(main())
