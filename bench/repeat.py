"""Repeats measurements beside a neighbour on the core, and shows how far apart their results are.

    repeat.py PROGRAMS BILANX [--quick] [--runs 20] [--busy 10,50,90] [--only NAME,...]

Goals, for bilanx: every result is within .5 % of the median of its cell (1.5 % for Python), and the interval
covers that median in 17 of 20 runs of each cell and in 11 of 12 of all. Exits with 1 if a goal is missed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

STATEMENTS = {
    'strlen': ['strlen(s)', '-s', 'char s[100]; memset(s, 97, 99); s[99] = 0'],
    'cbrt': ['cbrt(x)', '-s', 'double x = 3.7'],
    'hypot': ['hypot(x, y)', '-s', 'double x = 3.7, y = 2.1'],
    'python': ['sorted(a)', '--language', 'python', '-s', 'a = list(range(200))'],
}
LIMITS = {'python': .015}
USUAL_LIMIT = .005
CALLS = '''
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstring>
static char text[100];
static volatile double number = 3.7, other = 2.1;
static void strlen_(benchmark::State &state) {
    memset(text, 97, 99);
    for (auto _ : state) { benchmark::ClobberMemory(); benchmark::DoNotOptimize(strlen(text)); }
}
static void cbrt_(benchmark::State &state) { for (auto _ : state) benchmark::DoNotOptimize(cbrt(number)); }
static void hypot_(benchmark::State &state) { for (auto _ : state) benchmark::DoNotOptimize(hypot(number, other)); }
BENCHMARK(strlen_); BENCHMARK(cbrt_); BENCHMARK(hypot_);
BENCHMARK_MAIN();
'''
LOOP = '''
#include <math.h>
int main(void) { volatile double x = 3.7, sum = 0; for (int i = 0; i < 2000000; i++) sum += cbrt(x); return sum < 0; }
'''


class Neighbour:
    def __init__(self, programs, percent):
        self.percent, self.path, self.process = percent, f'{programs}/verdicts/verdict_neighbour', None

    def __enter__(self):
        if self.percent:
            self.process = subprocess.Popen([self.path, f'shared{self.percent}', '0', str(time.time_ns() % 9999)])

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def by_bilanx(bilanx, name):
    """Returns the estimate, its interval and the state of the core."""
    record = json.loads(run([bilanx, 'time', *STATEMENTS[name], '-q', '-o', '-']).splitlines()[0])
    return record['stats']['estimate'], record['stats']['ci95'], record.get('core')


def by_google(program, name):
    text = run([program, f'--benchmark_filter={name}_', '--benchmark_format=json'])
    return json.loads(text)['benchmarks'][0]['cpu_time'] * 1e-9


def by_hyperfine(program, folder):
    run(['hyperfine', '-N', '--export-json', f'{folder}/h.json', program])
    with open(f'{folder}/h.json', encoding='utf-8') as file:
        return json.load(file)['results'][0]['median']


def build(folder):
    for name, text, compiler, flags in (('google.cpp', CALLS, 'g++', ['-lbenchmark', '-lpthread']),
                                        ('loop.c', LOOP, 'cc', ['-lm'])):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            file.write(text)
        done = subprocess.run([compiler, '-O2', '-fno-builtin', f'{folder}/{name}', '-o',
                               f'{folder}/{name.split(".")[0]}', *flags], check=False)
        if done.returncode:
            print(f'repeat: without {name}: it does not compile here', file=sys.stderr)


def spread(values):
    middle = statistics.median(values)
    return middle, max(abs(value / middle - 1) for value in values)


def show(percent, name, tool, values, more=''):
    middle, worst = spread(values)
    print(f'{percent:4d} %  {name:8s} {tool:10s} {middle * 1e9:12.4g} ns  {min(values) * 1e9:10.4g} .. '
          f'{max(values) * 1e9:10.4g}  {100 * worst:7.2f} %  {more}', flush=True)
    return worst


def measure_cell(options, folder, percent, name):
    """Returns whether the goals are met, and how many intervals cover the median."""
    results = [by_bilanx(options.bilanx, name) for _ in range(options.runs)]
    values = [result[0] for result in results]
    middle = statistics.median(values)
    covered = sum(low <= middle <= high for _, (low, high), _ in results)
    free = sum(state == 'free' for _, _, state in results)
    worst = show(percent, name, 'bilanx', values, f'{covered} of {options.runs} cover, {free} free')
    if name != 'python' and os.path.exists(f'{folder}/google'):
        show(percent, name, 'google', [by_google(f'{folder}/google', name) for _ in range(options.runs)])
    if name == 'cbrt' and os.path.exists(f'{folder}/loop'):
        show(percent, name, 'hyperfine', [by_hyperfine(f'{folder}/loop', folder) for _ in range(options.runs)])
    return worst <= LIMITS.get(name, USUAL_LIMIT) and covered >= options.runs * .85, covered


def main():
    parser = argparse.ArgumentParser(prog='bench/repeat', description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('programs', help=argparse.SUPPRESS)
    parser.add_argument('bilanx', help=argparse.SUPPRESS)
    parser.add_argument('--quick', action='store_true', help='4 runs')
    parser.add_argument('--runs', type=int, default=20)
    parser.add_argument('--busy', type=lambda text: [int(word) for word in text.split(',')], default=[10, 50, 90])
    parser.add_argument('--only', type=lambda text: text.split(','), default=list(STATEMENTS))
    options = parser.parse_args()
    options.runs = 4 if options.quick else options.runs
    met, covered = True, 0
    print('busy    code     tool          median           range               furthest')
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        for percent in options.busy:
            with Neighbour(options.programs, percent):
                for name in options.only:
                    good, count = measure_cell(options, folder, percent, name)
                    met, covered = met and good, covered + count
    runs = options.runs * len(options.busy) * len(options.only)
    met = met and covered >= runs * 11 / 12
    print(f'{covered} of {runs} intervals cover the median of their cell\nall met: {"yes" if met else "no"}')
    return 0 if met else 1


sys.exit(main())
