"""Compares the verdicts of bilanx and its peers on the same machine code.

    verdict.py PROGRAMS BILANX [--quick] [--trials 25] [--tools bilanx,pairs] [--noise bursty] ...

A trial has two sides, a kind of noise, and a time budget for each tool. The sides are equal (the same
function, or its copy in another object) or differ (in their amount of work, or in their code). The
tools run in random order. Appends trials to the file --raw; --from prints the tables of such files
without running anything. Exits with 1 if a goal is missed.
"""
import argparse
import itertools
import os
import random
import subprocess
import sys
import time

import self_test
import table
import tools
import trials
from tools import Side

# Function and work of each workload: a call takes 10 to 100 us, and .5 % of the work is a whole number.
FUNCTIONS = {'alu': ('alu', 600), 'branchy': ('branchy', 200), 'chase': ('chase', 400),
             'memcpy': ('copy', 400), 'malloc': ('allocate', 2000), 'syscall': ('call_kernel', 200)}
OTHER_CODE = {'alu': ('alu_longer', 1), 'branchy': ('branchy_guarded', -1)}  # and its sign
WORK = {'same': 0, 'copy': 0, 'code': 0, '+1 %': .01, '-1 %': -.01, '+.5 %': .005, '-.5 %': -.005}


def make_sides(programs, workload, truth, turned):
    """Returns A, B, and whether B is slower (+1), faster (-1) or equal (0). turned swaps the sides if they
    differ in their object or function."""
    function, work = FUNCTIONS[workload]
    a = b = Side(os.path.abspath(f'{programs}/workloads.so'), function, work)
    b, sign = b._replace(work=round(work * (1 + WORK[truth]))), (WORK[truth] > 0) - (WORK[truth] < 0)
    if truth == 'copy':
        b = b._replace(object=os.path.abspath(f'{programs}/copy.so'))
    if truth == 'code':
        b, sign = b._replace(function=OTHER_CODE[workload][0]), OTHER_CODE[workload][1]
    if truth in ('copy', 'code') and turned:
        return b, a, -sign
    return a, b, sign


class Neighbour:
    """The process that makes one kind of noise, and the CPUs that are left to the tools."""

    def __init__(self, programs, noise, seed):
        cpus = sorted(os.sched_getaffinity(0))
        self.process, self.cpus = None, cpus
        if noise == 'natural':
            return
        self.cpus = cpus[-1:]
        apart = noise != 'drifting'
        where = cpus[0] if apart else cpus[-1]
        if apart and len(cpus) < 2:
            raise SystemExit(f'verdict: {noise} noise needs two CPUs')
        self.process = subprocess.Popen([f'{programs}/verdict_neighbour', noise, str(where), str(seed)])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            if self.process.poll() is not None:
                raise SystemExit('verdict: the neighbour process exited early')
            self.process.kill()
            self.process.wait()


def run_trial(bench, chosen, sides, seconds, source):
    """Yields the records of all tools, which run in random order."""
    for name in source.sample(chosen, len(chosen)):
        start = time.monotonic()
        try:
            records = tools.RUNNERS[name](bench, *sides, seconds, source.randrange(1 << 30))
        except tools.Failure as failure:
            print(f'verdict: {failure}', file=sys.stderr)
            records = [{'tool': tool, 'seconds': time.monotonic() - start, 'error': str(failure)}
                       for tool in tools.RUNNERS[name].names]
        yield from records


def run_noise(options, bench, noise, cells, done):
    """Runs all trials with one kind of noise."""
    source = random.Random(f'{options.seed} {noise}')
    end = time.monotonic() + options.limit / len(options.noise) if options.limit else float('inf')
    with Neighbour(options.programs, noise, source.randrange(1 << 30)) as neighbour:
        bench.cpus = neighbour.cpus
        for number in range(options.trials):
            for workload, truth, budget in source.sample(cells, len(cells)):
                if time.monotonic() > end:
                    return
                a, b, sign = make_sides(options.programs, workload, truth, source.random() < .5)
                for record in run_trial(bench, options.tools, (a, b), budget, source):
                    record.update(noise=noise, budget=budget, workload=workload, truth=truth, sign=sign,
                                  seed=options.seed, trial=number, when=round(time.time(), 3))
                    done.add(record)
            print(f'verdict: {noise}: {number + 1} of {options.trials}', file=sys.stderr)


def run(options):
    """Runs the requested trials and returns them; they are also in the raw file."""
    done = trials.Collected(options.raw)
    cells = [cell for cell in itertools.product(options.workloads, options.truths, options.budget)
             if cell[1] != 'code' or cell[0] in OTHER_CODE]
    pairs = {make_sides(options.programs, workload, truth, turned)[:2]
             for workload, truth, _ in cells for turned in (False, True)}
    bench = tools.Tools(options.programs, options.bilanx, options.isolate)
    try:
        bench.prepare(options.tools, pairs)
        for noise in options.noise:
            run_noise(options, bench, noise, cells, done)
    except KeyboardInterrupt:
        print('verdict: interrupted; using the trials so far', file=sys.stderr)
    finally:
        bench.close()
        done.close()
    return done


def parse():
    parser = argparse.ArgumentParser(prog='bench/verdict', description=__doc__.split('\n', maxsplit=1)[0],
                                     epilog='lists are separated by commas')
    parser.add_argument('programs', help=argparse.SUPPRESS)
    parser.add_argument('bilanx', help=argparse.SUPPRESS)
    add = parser.add_argument
    add('--quick', action='store_true', help='3 minutes: one trial of each, as far as time allows')
    add('--trials', type=int, default=25, help='number of trials per workload, truth and budget (25)')
    add('--workloads', type=trials.words(FUNCTIONS), default=list(FUNCTIONS), help=', '.join(FUNCTIONS))
    add('--truths', type=trials.words(WORK), default=list(WORK), help=', '.join(WORK).replace('%', '%%'))
    add('--tools', type=trials.words(tools.RUNNERS), default=list(tools.RUNNERS), help=', '.join(tools.RUNNERS))
    add('--noise', type=trials.words(table.NOISES), default=list(table.NOISES), help=', '.join(table.NOISES))
    add('--budget', type=trials.numbers, default=[.5, 2.], help='seconds (.5,2)')
    add('--seed', type=int, default=1, help='seed of all random choices (1)')
    add('--limit', type=float, default=0, help='seconds after which no trial is started')
    add('--raw', default='build-bench/verdict.jsonl',
        help='the file to append trials to (build-bench/verdict.jsonl)')
    add('--from', dest='files', nargs='+', metavar='FILE', help='run no trials; print the tables of these files')
    add('--brief', action='store_true', help='one line for all workloads')
    add('--markdown', action='store_true', help='tables in Markdown')
    add('--isolate', action='store_true', help='bilanx with a process for each side')
    add('--self-test', action='store_true', help='run no trials; test the rules on known answers')
    options = parser.parse_args()
    if options.quick:
        options.trials, options.budget, options.limit = 1, [.5], options.limit or 150
        options.truths = ['copy', '+1 %', '-1 %']
    return options


def main():
    options = parse()
    if options.self_test:
        return self_test.run()
    done = trials.read(options.files) if options.files else run(options)
    table.show(done, options.brief, options.markdown)
    return 0 if table.show_goals(done) else 1


sys.exit(main())
