"""The worker in plain Python, for interpreters that cannot load the extension. It only times.

Speaks the protocol of docs/formats/protocol.md; uses the methods of src/core/timer/stepper.c.
"""
import math
import os
import sys
import time
from itertools import repeat

try:
    now = time.perf_counter_ns
except AttributeError:  # before 3.7
    def now():
        return int(time.perf_counter() * 1e9)

LEFT_RUNNING = 'it left processes running after a batch: wait for them in the statement, or start them in ' \
    'the setup'
LARGEST_NUMBER = 1 << 31
LATENCY_SAMPLES = 1 << 20
WARM_BATCHES = 1000


def encode(text):
    return ''.join('%%%02X' % ord(c) if c <= ' ' or c in '%\x7f' else c for c in str(text))


def decode(word):
    parts = word.split(b'%')
    return (parts[0] + b''.join(bytes([int(part[:2], 16)]) + part[2:] for part in parts[1:])) \
        .decode('utf-8', 'surrogateescape')


def parse(line):
    verb, *pairs = line.rstrip(b'\n').split(b' ')
    return decode(verb), dict((decode(key), decode(value)) for key, _, value in
                              (pair.partition(b'=') for pair in pairs))


def children():
    """The child processes that have not been reaped yet."""
    if hasattr(os, 'waitid'):
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return set()
    found = set()
    for task in os.listdir('/proc/self/task'):
        try:
            with open('/proc/self/task/%s/children' % task) as file:
                found.update(file.read().split())
        except (IOError, OSError):
            pass  # a thread that has ended, or an old kernel
    return found


def quantile(values, q):
    rank = q * (len(values) - 1)
    low = int(rank)
    return values[low] + (rank - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def midmean(values):
    """The mean of the central half of sorted values."""
    cut = len(values) // 4
    middle = values[cut:len(values) - cut]
    return sum(middle) / len(middle)


class Stepper(object):
    """Calibrates, warms up and measures: step() takes the time of a batch and returns the next size."""

    def __init__(self, number, target_ns, warmup_ns, enough):
        self.n, self.target_ns, self.warmup_ns, self.enough = number or 1, target_ns, warmup_ns, enough
        self.stage = 'warm' if number else 'calibrate'
        self.times, self.cpu, self.spent_ns = [], [], 0
        self.best = {}
        self.warmed = 0

    def step(self, ns=None, cpu_ns=0):
        if ns is not None:
            self.spent_ns += ns
            if self.stage == 'calibrate':
                self.calibrate(ns)
            elif self.stage == 'measure':
                self.times.append(ns)
                self.cpu.append(cpu_ns)
                if self.enough(self):
                    return 0
        self.warmed += 1
        if self.stage == 'warm' and (self.spent_ns >= self.warmup_ns or self.warmed > WARM_BATCHES):
            self.stage, self.spent_ns = 'measure', 0
        return self.n

    def calibrate(self, ns):
        again = self.n in self.best
        best = self.best[self.n] = max(1, min(ns, self.best.get(self.n, ns)))
        factor = self.target_ns / best
        if best >= .8 * self.target_ns or self.n >= LARGEST_NUMBER:
            if again or best > 1e8:
                self.n = max(1, min(LARGEST_NUMBER, math.ceil(self.n * factor - 1e-6)))
                self.stage, self.spent_ns = 'warm', 0
        else:
            self.n = min(LARGEST_NUMBER, math.ceil(self.n * min(10, max(2, factor))))


def steady(times, threshold):
    times = sorted(times)
    return quantile(times, .75) - quantile(times, .25) < threshold * quantile(times, .5)


class Worker(object):
    def __init__(self, receive, send, glue, failure, reason):
        self.requests, self.answers = os.fdopen(receive, 'rb', 0), os.fdopen(send, 'wb', 0)
        self.glue, self.failure, self.reason = glue, failure, reason
        self.lines = self.read_lines()
        self.pid = os.getpid()
        self.cost_ns = min(b - a for a, b in ((now(), now()) for _ in range(100)))

    def read_lines(self):
        for line in self.requests:
            yield line

    def end_fork(self):
        """Only this process talks to the controller, not processes forked by a statement."""
        if os.getpid() != self.pid:
            os._exit(0)

    def answer(self, verb, pairs=()):
        self.end_fork()
        words = ' '.join([verb] + ['%s=%s' % (encode(key), encode(value))
                                   for key, value in (pairs.items() if pairs else ())])
        self.answers.write((words + '\n').encode('utf-8', 'replace'))

    def fail(self, error, phase='setup'):
        self.answer('failed', {'code': error.code, 'phase': phase, 'text': error.text})

    # ---- Measurements: each starts a stepper and says how to make its answer.

    def calibrate(self, words):
        def answer(stepper):
            self.answer('calibrated', {'number': stepper.n, 'batch_ns': stepper.times[0]})
        return Stepper(0, float(words['target_ns']), 0, lambda stepper: True), answer

    def epoch(self, words):
        min_blocks, max_blocks = int(words.get('min_blocks', 0)), int(words.get('max_blocks', 0))
        max_ns = float(words.get('max_ns', 0))
        began = now(), time.process_time()

        def enough(stepper):
            count = len(stepper.times)
            return count >= min_blocks and (stepper.spent_ns >= max_ns or
                                            (max_blocks and count >= max_blocks))

        def answer(stepper):
            share = (time.process_time() - began[1]) * 1e9 / max(1, now() - began[0])
            times = sorted(max(1, ns) / 1e9 for ns in stepper.times)
            typical = math.exp(midmean([math.log(t) for t in times]))
            n = stepper.n
            self.answer('epoch', {
                'number': n, 'time': typical / n, 'min': times[0] / n,
                'p25': quantile(times, .25) / n, 'p75': quantile(times, .75) / n,
                'p99': quantile(times, .99) / n, 'batches': len(times), 'disturbed': 0,
                'cpu_ns': share * typical * 1e9})
        return Stepper(int(words.get('number', 1)), 0, float(words.get('warmup_ns', 0)), enough), \
            answer

    def measure(self, words):
        method = words.get('method', '')

        def asked(key, otherwise):
            return float(words.get(key, 0)) or otherwise

        adaptive, latency = method == 'adaptive', method == 'latency'
        min_s, max_s = asked('min_run_time', .01 if adaptive else .2), \
            asked('max_run_time', 10 if adaptive else .5)
        if asked('max_run_time', 0) and min_s > max_s:
            min_s = max_s
        max_s = max(max_s, asked('min_run_time', 0))
        repeats = int(asked('repeats', 1))
        rules = {
            'timeit': lambda s: len(s.times) >= repeats,
            'blocked': lambda s: s.spent_ns >= min_s * 1e9,
            'adaptive': lambda s: s.spent_ns >= max_s * 1e9 or (
                len(s.times) > 3 and s.spent_ns >= min_s * 1e9
                and steady(s.times, asked('threshold', .1))),
            'latency': lambda s: s.spent_ns >= max_s * 1e9 or len(s.times) >= LATENCY_SAMPLES,
        }
        if method not in rules:
            raise self.failure('bad-input', "unknown method '%s'" % method)
        target_ns = min_s * 1e9 if method == 'timeit' else max(min_s * 1e6, self.cost_ns * 1e4)
        number = 1 if latency else int(asked('number', 0))

        def answer(stepper):
            times = sorted(stepper.times) if latency else stepper.times
            kept = times[::len(times) // 1000 + 1] if latency else times
            pairs = {'number': stepper.n, 'times': ','.join(repr(ns / 1e9) for ns in kept)}
            if latency:
                pairs.update((key, quantile(times, q) / 1e9) for key, q in
                             (('p50', .5), ('p90', .9), ('p99', .99), ('p999', .999), ('max', 1)))
                pairs.update(clock_cost=self.cost_ns / 1e9, samples=len(times))
            else:
                pairs['cpu_times'] = ','.join(repr(ns / 1e9) for ns in stepper.cpu)
            self.answer('measured', pairs)
        return Stepper(number, target_ns, asked('warmup', 0) * 1e9, rules[method]), answer

    # ---- The conversation

    def converse(self):
        """Inside a case: returns the next stepper and its answer, None to close."""
        for line in self.lines:
            verb, words = parse(line)
            if verb == 'close':
                return None
            task = {'calibrate': self.calibrate, 'epoch': self.epoch,
                    'measure': self.measure}.get(verb)
            try:
                if not task:
                    raise self.failure('bad-input', 'unknown request inside a case')
                return task(words)
            except self.failure as error:
                self.fail(error, 'stmt')
        return None

    def batches(self, settle):
        """The clock runs from the last line before a `yield` to the first after it."""
        wait = settle()
        self.entered = True
        before = children()
        self.answer('opened')
        task = self.converse()
        while task:
            stepper, answer = task
            n = stepper.step()
            while n:
                batch = repeat(None, n)
                cpu = time.process_time()
                if wait:
                    wait()
                started = now()
                yield batch
                if wait:
                    wait()
                ns = now() - started
                self.end_fork()
                if children() - before:
                    raise self.failure('failed', LEFT_RUNNING)
                n = stepper.step(ns, (time.process_time() - cpu) * 1e9)
            wait = settle()
            answer(stepper)
            task = self.converse()

    def open(self, words):
        self.entered = False
        try:
            self.glue.run(words, self.batches)
        except self.failure as error:
            self.fail(error, 'stmt' if self.entered else 'setup')
            return
        closed = {'clock': 'perf-counter', 'resolution_ns': max(1, self.cost_ns)}
        if self.reason and sys.implementation.name == 'cpython':
            closed.update(warning_code='plain-worker', warning='measured by the worker in plain '
                          'Python, because the extension cannot be loaded: %s' % self.reason)
        self.answer('closed', closed)

    def serve(self):
        for line in self.lines:
            verb, words = parse(line)
            try:
                if verb == 'hello':
                    self.answer('hello', {'protocol': 1, 'cases': 0, 'version': 'plain'})
                elif verb == 'list':
                    self.answer('listed')
                elif verb == 'open':
                    self.open(words)
                elif verb == 'prepare':
                    self.answer('prepared', dict(self.glue.prepare(words), plain=1))
                else:
                    raise self.failure('bad-input', 'unknown request')
            except self.failure as error:
                self.fail(error)
        return 0


def serve(receive, send, glue, failure, reason):
    return Worker(receive, send, glue, failure, reason).serve()
