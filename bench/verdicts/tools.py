"""The tools. Each gets two sides and a budget, and returns the times of both."""
import json
import os
import resource
import subprocess
import tempfile
import time
from collections import namedtuple

import rules

Side = namedtuple('Side', 'object function work')
CALL_SECONDS = .020  # work of one process under hyperfine


class Failure(Exception):
    pass


def find_verdict(text):
    """Returns the verdict among the records written by bilanx ab."""
    for line in text.splitlines():
        record = json.loads(line)
        if record.get('kind') == 'verdict':
            return record
    raise Failure(f'bilanx ab: no verdict in {text[:300]!r}')


class Tools:
    """Where the programs are, which CPUs the tools may use, and how long a call of each function takes."""

    def __init__(self, folder, bilanx, isolate=False):
        self.folder, self.bilanx = os.path.abspath(folder), os.path.abspath(bilanx)
        self.further = ['--isolate'] if isolate else []
        self.cpus, self.torch, self.call_seconds = sorted(os.sched_getaffinity(0)), None, {}
        self.spent, self.processor, self.pace = 0., 0., {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, seconds, **surroundings):
        """Returns the output of a command, which may take ten times its budget. Sets self.spent to its
        wall time and self.processor to its CPU time. surroundings: cwd, env."""
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=10 * seconds + 30,
                                  check=False, preexec_fn=lambda: os.sched_setaffinity(0, self.cpus),
                                  **surroundings)
        except subprocess.TimeoutExpired as cause:
            raise Failure(f'{command[0]}: still running after {cause.timeout:.0f} s') from cause
        if done.returncode:
            raise Failure(f'{command[0]}: exit {done.returncode}: {done.stderr.strip()[-500:]}')
        self.spent, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout

    def run_to_budget(self, key, seconds, command):
        """For tools that take an amount of work, not a time: adjusts the amount from trial to trial
        until it takes the budget. command(seconds) returns the command line."""
        pace = self.pace.get(key, 1.)
        output = self.run(command(seconds * pace), seconds)
        self.pace[key] = min(2., max(.1, pace * (seconds / self.spent) ** .5))
        return output

    def pair_times(self, a, b, seconds, seed):
        text = self.run([self.path('verdict_pairs'), *a, *b, seconds, seed], seconds)
        pairs = [tuple(map(int, line.split())) for line in text.splitlines()]
        return [x for x, _ in pairs], [y for _, y in pairs]

    def google(self, a, b, seconds, _):
        def command(asked):  # a run takes about 1.4 times its minimum time; 20 runs per side
            return [self.path('verdict_google'), *a, *b, '--benchmark_format=json',
                    '--benchmark_repetitions=20', '--benchmark_enable_random_interleaving=true',
                    f'--benchmark_min_time={asked / 40 / 1.4:.6f}']
        text = self.run_to_budget(('google', a.function, seconds), seconds, command)
        runs = [entry for entry in json.loads(text)['benchmarks'] if entry['run_type'] == 'iteration']
        return tuple([entry['real_time'] for entry in runs if entry['run_name'] == name]
                     for name in 'AB')

    def hyperfine(self, a, b, seconds, _):
        times = max(1, round(CALL_SECONDS / self.call_time(a)))
        sides = [' '.join(map(str, [self.path('verdict_call'), *side, times])) for side in (a, b)]
        with tempfile.NamedTemporaryFile() as file:
            def command(asked):
                runs = max(3, round(asked / 2 / CALL_SECONDS) - 1)
                return ['hyperfine', '-N', '--style', 'none', '--warmup', 1, '--runs', runs,
                        '--export-json', file.name, *sides]
            self.run_to_budget(('hyperfine', a.function, seconds), seconds, command)
            results = json.load(open(file.name))['results']
        return tuple(result['times'] for result in results)

    def torch_times(self, a, b, seconds, _):
        if not self.torch:
            self.torch = subprocess.Popen(['/usr/bin/python3', os.path.join(os.path.dirname(__file__),
                                           'torch_side.py')], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
        start = time.monotonic()
        self.torch.stdin.write(json.dumps({'a': a, 'b': b, 'seconds': seconds, 'cpus': self.cpus}) + '\n')
        self.torch.stdin.flush()
        times = json.loads(self.torch.stdout.readline() or 'null')
        if not times:
            raise Failure('torch: no times')
        self.spent, self.processor = time.monotonic() - start, None
        return times

    def call_time(self, side):
        """Returns the seconds of one call, measured as a pair of the same side."""
        key = side.function, side.work
        if key not in self.call_seconds:
            self.call_seconds[key] = rules.median(self.pair_times(side, side, .2, 1)[0]) / 1e9
        return self.call_seconds[key]

    def verdict(self, a, b, seconds):
        """Runs bilanx ab and returns its verdict."""
        sides = []
        for name, side in (('--A', a), ('--B', b)):
            sides += [name, f'cc:gcc -O2 -DWORKLOAD={side.function} -DWORK={side.work} {side.object}']
        text = self.run([self.bilanx, 'ab', *sides, '-g', 'void WORKLOAD(unsigned long);',
                         '-s', 'WORKLOAD(1);', '--stmt', 'WORKLOAD(WORK);', '--budget', seconds,
                         '--json', '-', '-q', *self.further], seconds)
        return find_verdict(text)

    def prepare(self, names, pairs):
        """Does what no budget includes: compiling, importing torch, finding how long a call takes."""
        nothing = Side(self.path('workloads.so'), 'alu', 10)
        if 'torch' in names:
            self.torch_times(nothing, nothing, .001, None)
        for a, b in pairs:
            if 'hyperfine' in names:
                self.call_time(a)
            if 'bilanx' in names:
                self.verdict(a, b, .05)

    def close(self):
        if self.torch:
            self.torch.stdin.close()
            self.torch.wait()


def judge(names, times, spent):
    """Yields one record per rule that applies to a peer's times."""
    for name in names:
        claims = {form: list(rule(*times)) for form, rule in rules.RULES[name].items()}
        record = {'tool': name, **spent, 'samples': len(times[0]), 'claims': claims}
        if len(times[0]) <= 100:
            record['times'] = times
        yield record


def time_of(tools):
    return {'seconds': tools.spent, 'processor': tools.processor}


def run_bilanx(tools, a, b, seconds, _):
    record = tools.verdict(a, b, seconds)
    sign = {'slower': 1, 'faster': -1}.get(record['verdict'], 0)
    return [{'tool': 'bilanx', **time_of(tools), 'claims': {'own': [sign, record.get('change'), None]},
             **{key: record.get(key) for key in ('verdict', 'interval', 'redrawn', 'elapsed', 'reason',
                                             'changes', 'control')}}]


def peer(measure, *names):
    def run(tools, a, b, seconds, seed):
        times = measure(tools, a, b, seconds, seed)
        if min(map(len, times)) < 2:
            raise Failure(f'{names[0]}: too few times to judge')
        return list(judge(names, times, time_of(tools)))
    run.names = names
    return run


run_bilanx.names = ('bilanx',)
RUNNERS = {
    'bilanx': run_bilanx,
    'google': peer(Tools.google, 'google'),
    'hyperfine': peer(Tools.hyperfine, 'hyperfine'),
    'torch': peer(Tools.torch_times, 'torch'),
    'pairs': peer(Tools.pair_times, 'tango', 'wilcoxon'),  # the same pairs, judged by two rules
}
