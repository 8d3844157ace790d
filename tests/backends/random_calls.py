#!/usr/bin/python3
"""Random calls of every operator of the backends codegen and reference against torch: TAP.

    random_calls.py CODEGEN.so CODEGEN.inc REFERENCE.so REFERENCE.inc
        [--calls N | --seconds N] [--seed N]... [--only codegen|reference] [--op REGEX] [--threads N] [--sanitized] [--verbose]

Calls are drawn by random_draws.py, and judged by the tolerances in exactness.py. Every operator gets `--calls`
calls, or as many as fit into the time, which the seeds share; a seed of 0 is drawn, and printed. Kernels are compiled
with -Wall -Wextra -Werror, 32 at a time. Calls run in forks: one that crashes is one failure. A call that fails is
printed with its seed, and `--op NAME --call SEED` repeats it. Sanitized: compiled with ASan and UBSan.
"""
import argparse
import collections
import mmap
import os
import pickle
import random
import re
import sys
import time
import zlib

import sanitizers

if '--sanitized' in sys.argv:
    sanitizers.preload()

import torch  # noqa: E402, pylint: disable=wrong-import-position

import random_draws  # noqa: E402, pylint: disable=wrong-import-position
from agreement import Tap, TorchRefuses, copied, describe, operator  # noqa: E402, pylint: disable=wrong-import-position
from backend_modules import Backend, Unsupported  # noqa: E402, pylint: disable=wrong-import-position
from exactness import tolerance_of, verdict, writes  # noqa: E402, pylint: disable=wrong-import-position

BATCH = 32
Outcome = collections.namedtuple('Outcome', 'name backend wrong reason as_torch')


def draw(name, drawer, seed):
    random.seed(seed)
    torch.manual_seed(seed)
    random_draws.set_mood()
    drawn = drawer()
    return drawn and (name, drawn[1], drawn[2], seed)


def attempt(label, backend, call):
    """Runs a call on a backend, and judges what it returns."""
    name, args, kwargs, seed = call
    ours = copied(args)
    signs = tolerance_of(name)[1] == 0 and not random_draws.ANY_ZERO.match(name)
    wrong = reason = None
    as_torch = False
    try:
        actual = backend.run(name, ours, kwargs, times=1 if writes(name) else 2)
        written = [arg for arg in ours if isinstance(arg, torch.Tensor)]
        wrong, as_torch = verdict(name, args, kwargs, actual, written, signs)
    except (Unsupported, TorchRefuses) as refused:
        reason = f'{label}, {type(refused).__name__}: {str(refused)[:60]}'
    except RuntimeError as error:
        wrong = str(error)
    return Outcome(name, label, wrong and f'{label}, seed {seed}: {describe(args, kwargs)}: {wrong}', reason, as_torch)


def run_batch(backends, calls, progress, pipe):
    """In a fork: the outcomes go to a pipe, how far it is to shared memory."""
    for backend in backends.values():
        backend.compile([call[:3] for call in calls])
    for i, call in enumerate(calls):
        progress[0] = i
        for k, (label, backend) in enumerate(backends.items()):
            progress[1] = k
            pickle.dump(attempt(label, backend, call), pipe)
            pipe.flush()


def outcomes_of(backends, calls):
    """The outcomes of calls in a fork. A call that crashes is a failure, and another fork runs the rest."""
    while calls:
        progress = mmap.mmap(-1, 2)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with os.fdopen(write, 'wb') as pipe:
                    run_batch(backends, calls, progress, pipe)
                status = 0
            finally:
                os._exit(status)
        os.close(write)
        with os.fdopen(read, 'rb') as pipe:
            while True:
                try:
                    yield pickle.load(pipe)
                except EOFError:
                    break
        status = os.waitpid(child, 0)[1]
        if status == 0:
            return
        name, args, kwargs, seed = calls[progress[0]]
        label = list(backends)[progress[1]]
        wrong = f'{label}, seed {seed}: {describe(args, kwargs)}: it ends with status {status}'
        yield Outcome(name, label, wrong, None, False)
        calls = calls[progress[0] + 1:]


def batches(operators, given):
    """Lists of drawn calls: each operator in turn, for each seed."""
    for number, seed in enumerate(given.seed):
        end = time.monotonic() + given.seconds / (len(given.seed) - number) if given.seconds else None
        given.seconds -= given.seconds / (len(given.seed) - number)
        batch, i = [], 0
        while time.monotonic() < end if end else i < given.calls:
            order = list(operators)
            random.Random(seed + i).shuffle(order)
            for name, drawer in order:
                call = draw(name, drawer, given.call or zlib.crc32(f'{name} {seed + i}'.encode()))
                batch += [call] if call else []
                if len(batch) == BATCH:
                    yield batch
                    batch = []
                if end and time.monotonic() >= end:
                    break
            i += 1
        if batch:
            yield batch


def arguments():
    parser = argparse.ArgumentParser()
    for word in ('codegen', 'codegen_table', 'reference', 'reference_table'):
        parser.add_argument(word)
    parser.add_argument('--calls', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=0)
    parser.add_argument('--seed', type=int, action='append')
    parser.add_argument('--call', type=int, help='the seed of a call that was printed')
    parser.add_argument('--only')
    parser.add_argument('--op', default='.')
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--verbose', action='store_true')
    given = parser.parse_args()
    given.seed = [seed or random.SystemRandom().randrange(1, 1 << 31) for seed in given.seed or [1]]
    return given


def main():
    given = arguments()
    torch.set_num_threads(1)
    settings = 'cflags=-Wall,cflags=-Wextra,cflags=-Werror' + (',' + sanitizers.SETTINGS if given.sanitized else '')
    backends = {'codegen': lambda: Backend(given.codegen, settings, given.threads),
                'reference': lambda: Backend(given.reference, None, given.threads)}
    backends = {label: make() for label, make in backends.items() if given.only in (None, label)}
    operators = [(name, drawer) for name, drawer in random_draws.calls_of(given.codegen_table, given.reference_table)
                 if operator(name) and re.search(given.op, name)]
    print('# seeds: ' + ' '.join(map(str, given.seed)), flush=True)
    tap, counts, alike = Tap(), collections.Counter(), collections.Counter()
    for batch in batches(operators, given):
        for outcome in outcomes_of(backends, batch):
            if outcome.reason:
                counts[outcome.reason] += 1
                continue
            counts[f'{outcome.backend}: compared'] += 1
            if outcome.wrong and outcome.as_torch:
                alike[f'{outcome.backend}, {outcome.name}'] += 1
            elif outcome.wrong:
                print(f'# {outcome.name}, {outcome.wrong}'[:700], flush=True)
            tap.case(outcome.name, outcome.wrong if not outcome.as_torch else None)
    for backend in backends.values():
        backend.close()
    for key, count in sorted(counts.items()):
        if given.verbose or key.endswith('compared'):
            print(f'# {key}: {count}')
    print(f'# as torch in the type itself, not as in float64: {sum(alike.values())} '
          + ', '.join(f'{key} {count}' for key, count in alike.items() if given.verbose))
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
