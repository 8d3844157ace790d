"""Runs bilanx ab on real code, identical or 1 % apart, with new files for every trial.

    real.py BILANX [--quick] [--trials N] [--modes identical,knob] [--workloads lz4,expat] ...

Appends trials to the file --raw; --from prints the tables of such files without running anything.
Exits with 1 if a goal is missed.
"""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import real_sides
import real_table
import real_test
import tools
import trials
from real_sides import MODES, WORKLOADS

LEFT_OUT = ('schema', 'kind', 'task', 'epochs', 'machine', 'side', 'baseline')  # keys of a verdict


class Folders:
    """One folder per trial. The last few are kept: a file written right after another was removed
    tends to get the same physical pages, so placement would not vary."""
    KEPT = 8

    def __init__(self, above):
        self.above, self.folders = tempfile.mkdtemp(prefix='real-', dir=above), collections.deque()

    def new(self):
        if len(self.folders) == self.KEPT:
            shutil.rmtree(self.folders.popleft())
        self.folders.append(tempfile.mkdtemp(dir=self.above))
        return self.folders[-1]

    def close(self):
        shutil.rmtree(self.above)


def run_trial(bench, folder, mode, workload, budget, compiler, source):
    """Returns one verdict, from sources to record, or what went wrong."""
    begin, sign, library = time.monotonic(), 0, bench.path('src/core/libbilanx-bench.a')
    try:
        command, sign = real_sides.make(mode, folder, workload, compiler, library, source)
        text = bench.run([bench.bilanx, 'ab', *command, '--budget', budget, '--json', '-', '-q'], budget,
                         cwd=folder, env={**os.environ, 'XDG_CACHE_HOME': os.path.join(folder, 'cache')})
        record = tools.find_verdict(text)
    except tools.Failure as failure:
        print(f'real: {mode} {workload}: {failure}', file=sys.stderr)
        return {'sign': sign, 'seconds': time.monotonic() - begin, 'error': str(failure)}
    return {'sign': sign, 'seconds': bench.spent, 'processor': bench.processor,
            **{key: value for key, value in record.items() if key not in LEFT_OUT}}


def plan(options, source):
    """Returns all trials in random order, so that an interrupted run has some of each."""
    cells = real_sides.cells(options.modes, options.workloads)
    planned = [(mode, name, number) for mode, name in cells
               for number in range(options.trials or MODES[mode].trials)]
    return source.sample(planned, len(planned))


def start_neighbour(bench, percent):
    """Another thread for the core, busy for a share of the time. The tools get the last CPU."""
    cpus = sorted(os.sched_getaffinity(0))
    bench.cpus = cpus[-1:]
    return subprocess.Popen([bench.path('bench/verdicts/verdict_neighbour'), f'shared{percent}', str(cpus[0]), '1'])


def run(options):
    source, done = random.Random(options.seed), trials.Collected(options.raw)
    bench, folders = tools.Tools(os.path.dirname(options.bilanx), options.bilanx), Folders(options.folder)
    end = time.monotonic() + options.limit if options.limit else float('inf')
    planned = plan(options, source)
    neighbour = start_neighbour(bench, options.neighbour) if options.neighbour else None
    try:
        for mode, name, number in planned:
            if time.monotonic() > end:
                break
            budget = options.budget or MODES[mode].budget
            done.add({'mode': mode, 'workload': name, 'trial': number, 'budget': budget,
                      'cc': options.cc, 'seed': options.seed, 'when': round(time.time(), 3),
                      **run_trial(bench, folders.new(), mode, name, budget, options.cc, source)})
            if len(done) % 50 == 0:
                print(f'real: {len(done)} of {len(planned)}', file=sys.stderr)
    except KeyboardInterrupt:
        print('real: interrupted; using the trials so far', file=sys.stderr)
    finally:
        if neighbour:
            neighbour.kill()
        folders.close()
        done.close()
    return done


def parse():
    parser = argparse.ArgumentParser(prog='bench/real', description=__doc__.split('\n', maxsplit=1)[0],
                                     epilog='lists are separated by commas')
    parser.add_argument('bilanx', help=argparse.SUPPRESS)
    add = parser.add_argument
    add('--quick', action='store_true', help='3 minutes: one trial of each, as far as time allows')
    add('--trials', type=int, default=0, help='number of trials per workload and mode (' + ', '.join(
        f'{name} {mode.trials}' for name, mode in MODES.items()) + ')')
    add('--modes', type=trials.words(MODES), default=list(MODES), help=', '.join(MODES))
    add('--workloads', type=trials.words(WORKLOADS), default=list(WORKLOADS), help=', '.join(WORKLOADS))
    add('--budget', type=float, default=0, help='seconds (2; knob: 5)')
    add('--cc', choices=real_sides.CXX, default='gcc', help='gcc or clang, with g++ or clang++')
    add('--seed', type=int, default=1, help='seed of all random choices (1)')
    add('--limit', type=float, default=0, help='seconds after which no trial is started')
    add('--neighbour', type=int, default=0, metavar='PERCENT',
        help='beside another thread for the core, busy for this share of the time')
    add('--folder', default='build-bench', help='where to put the folders of trials (build-bench)')
    add('--raw', default='build-bench/real.jsonl',
        help='the file to append trials to (build-bench/real.jsonl)')
    add('--from', dest='files', nargs='+', metavar='FILE', help='run no trials; print the tables of these files')
    add('--brief', action='store_true', help='one line for all workloads')
    add('--markdown', action='store_true', help='tables in Markdown')
    add('--self-test', action='store_true', help='run no trials; test the tables and the rearranged sources')
    options = parser.parse_args()
    if options.quick:
        options.trials, options.limit = options.trials or 1, options.limit or 150
    return options


def main():
    options = parse()
    if options.self_test:
        return real_test.run()
    done = trials.read(options.files) if options.files else run(options)
    real_table.show(done, options.brief, options.markdown)
    return 0 if real_table.show_goals(done) else 1


sys.exit(main())
