"""Speed-ups of the backend codegen over ATen, and over inductor, in three bands of size.

    ops.py BILANX [LOG...] [--threads 1] [--against inductor] [--op REGEX] [--tune] [--minutes M] [--seed N]
           [--records FILE] [--resume]

Measures every operator that codegen supports (--max-samples 3 --dtype float32 --max-bytes 256M), with
all backends in one run, results allocated by the same allocator, and accuracy checked. Prints a table
in Markdown for bench/results/, and a verdict for each goal. With --tune, a first run tunes, and a
second one, which no longer tunes, is compared with codegen. Samples on which it seems slower are
measured again with more repeats, and judged.

Samples are measured in a random order, a few at a time. After --minutes no more are begun, and the
tables are about a random subset; ^C does the same. Records are kept in --records as they complete, and
--resume continues with those. Kernels are compiled anew, so that compiling is measured.
"""
import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

BANDS = (('under 64 KiB', 0, 64 << 10), ('to 4 MiB', 64 << 10, 4 << 20), ('above', 4 << 20, 1 << 62))
WORTH_CORRECTING = 10  # null calls
BANDWIDTH_RUNS = 5
AT_A_TIME = 24  # samples; loading PyTorch takes some seconds
LARGE = '''Operator: aten.add.Tensor
cnt: 1, ((T([24576, 1024], f32), T([24576, 1024], f32)), {})
Operator: aten.relu.default
cnt: 1, ((T([24576, 1024], f32),), {})
Operator: aten.mul.Tensor
cnt: 1, ((T([24576, 1024], f32), T([1024], f32)), {})
Operator: aten.sum.default
cnt: 1, ((T([24576, 1024], f32),), {})
Operator: aten.sum.dim_IntList
cnt: 1, ((T([24576, 1024], f32), [0]), {})
Operator: aten.mean.dim
cnt: 1, ((T([24576, 1024], f32), [1]), {})
'''


def supported(given):
    """Operators of which codegen supports the first sample."""
    listing = subprocess.run([given.bilanx, 'ops', '--backends', *given.logs], text=True,
                             capture_output=True).stdout.splitlines()
    head = next((line.split() for line in listing if line.startswith('operator')), None)
    if not head:
        raise SystemExit('bilanx ops --backends lists no operators: are there logs?')
    names = []
    for line in listing:
        cells = line.split()
        if line.startswith('aten.') and cells[head.index('codegen')] != '-':
            names.append(cells[0])
    return [name for name in names if re.search(given.op, name)]


def command(given, names, backends):
    pattern = '^(' + '|'.join(name.replace('.', r'\.') for name in names) + ')$'
    words = [given.bilanx, 'ops', *given.logs, '--op', pattern, '--max-samples', '3', '--dtype', 'float32', '--max-bytes', '256M',
             '--threads', str(given.threads)]
    return words + [word for backend in backends for word in ('--backend', backend)]


def count_samples(words):
    """By asking for one that cannot be there."""
    refused = subprocess.run([*words, '--cases', '999999999'], text=True, capture_output=True).stderr
    count = re.search(r'has (\d+) cases', refused.replace('\n', ' '))
    if not count:
        raise SystemExit(refused[-2000:])
    return int(count[1])


def measure(words, cases, path):
    """Appends records of the cases that the file lacks. Prints what bilanx does, and returns the rest of its output."""
    child = subprocess.Popen([*words, '--cases', ','.join(map(str, sorted(cases))), '--resume', path], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    rest = []
    try:
        for line in child.stdout:
            if re.match(r'\S+: .* took |WARNING', line):
                print(line, end='', flush=True)
            else:
                rest.append(line)
    except KeyboardInterrupt:  # it has got that, too
        child.wait()
        raise
    if child.wait() not in (0, 1):
        raise SystemExit(''.join(rest)[-2000:])
    return ''.join(rest)


def own_and_tuned(given):
    """With a flag that is unique to this run, so that no older kernels are used."""
    return f'codegen=codegen:cflags=-DRUN={given.run}', f'autotune=codegen:autotune,cflags=-DRUN={given.run}'


def run_number(given):
    """Kept next to the records, so that --resume finds what was compiled and tuned."""
    path = given.records + '.run'
    if given.resume and os.path.exists(path):
        with open(path, encoding='ascii') as file:
            return file.read()
    number = str(time.time_ns())
    with open(path, 'w', encoding='ascii') as file:
        file.write(number)
    return number


def measure_all(given, names, path):
    """Random samples until all are measured, time is up, or ^C. Returns what bilanx said, and which part that was."""
    own, tuned = own_and_tuned(given)
    words = command(given, names, ['torch', own, *given.against, *([tuned] if given.tune else [])])
    tuning = command(given, names, ['torch', tuned])
    cases = list(range(1, count_samples(words) + 1))
    random.Random(given.seed).shuffle(cases)
    started, done, output = time.monotonic(), 0, ''
    try:
        while done < len(cases) and not (given.minutes and time.monotonic() - started >= 60 * given.minutes):
            part = cases[done:done + AT_A_TIME]
            if given.tune:
                measure(tuning, part, path + '.tuning')
            output = measure(words, part, path) or output
            done += len(part)
            print(f'{done} of {len(cases)} samples after {(time.monotonic() - started) / 60:.1f} minutes', flush=True)
    except KeyboardInterrupt:
        print('interrupted')
    which = 'all' if done == len(cases) else f'{done}, drawn with seed {given.seed}, of'
    return output, f'{which} {len(cases)} samples'


def null_calls(output):
    """Seconds by backend, from `empty call: torch 35.81 ns, codegen 20 ns`."""
    units, line = {'ns': 1e-9, 'us': 1e-6}, re.search(r'empty call: (.*)', output)
    return {name: float(number) * units[unit]
            for name, number, unit in re.findall(r'(\S+) ([\d.]+) (ns|us)', line[1] if line else '')}


def read(path):
    """{(operator, arguments): {backend: record}}"""
    samples = {}
    with open(path, encoding='utf-8') as file:
        for record in map(json.loads, filter(lambda line: line.endswith('\n'), file)):  # the last may be cut off
            task = record['task']
            samples.setdefault((task['label'], task['sub_label']), {})[task['description']] = record
    return samples


def seconds(record, null=0.0):
    """The median; without the null call where that is a small part."""
    time = record['stats']['median']
    return time - null if null and time > WORTH_CORRECTING * null else time


def quantile(values, share):
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)] if values else math.nan


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def ratios(samples, slow, fast, nulls=None):
    """[(speed-up, bytes, operator, arguments)] of samples that both have measured."""
    nulls, found = nulls or {}, []
    for (label, arguments), by in samples.items():
        if slow in by and fast in by and all(by[name]['kind'] == 'measurement' for name in (slow, fast)):
            ratio = seconds(by[slow], nulls.get(slow, 0)) / seconds(by[fast], nulls.get(fast, 0))
            found.append((ratio, by['torch']['rates']['bytes'], label, arguments))
    return found


def band_rows(samples, other, nulls):
    yield f'| {other} / codegen | samples | geometric mean | 20 % | 50 % | 80 % | without null calls |'
    yield '|---|---|---|---|---|---|---|'
    plain, net = ratios(samples, other, 'codegen'), ratios(samples, other, 'codegen', nulls)
    for name, low, high in (*BANDS, ('all', 0, 1 << 62)):
        part = [row[0] for row in plain if low <= row[1] < high]
        less = [row[0] for row in net if low <= row[1] < high]
        if part:
            marks = ' | '.join(f'{quantile(part, share):.2f}' for share in (.2, .5, .8))
            yield f'| {name} | {len(part)} | {geometric(part):.2f} | {marks} | {geometric(less):.2f} |'


def operator_rows(samples, others):
    yield '| operator | ' + ' | '.join(f'{other} / codegen' for other in others) + ' |'
    yield '|---|' + '---|' * len(others)
    by = {other: {} for other in others}
    for other in others:
        for ratio, _, label, _ in ratios(samples, other, 'codegen'):
            by[other].setdefault(label, []).append(ratio)
    for label in sorted(by[others[0]]):
        cells = (f'{geometric(by[other][label]):.2f}' if label in by[other] else '' for other in others)
        yield f'| {label} | ' + ' | '.join(cells) + ' |'


def prepare(samples, backend):
    times = [by[backend]['counters'].get('prepare_s', 0) for by in samples.values()
             if backend in by and by[backend]['kind'] == 'measurement']
    return sum(times) / len(times) if times else math.nan


def bandwidth(given):
    """[(share of the copy bandwidth, operator)], medians of several runs: how fast a copy is depends on where its pages are."""
    runs = [run_large(given) for _ in range(BANDWIDTH_RUNS)]
    labels = {label for shares in runs for label in shares}
    return sorted((statistics.median(shares.get(label, 0) for shares in runs), label) for label in labels)


def run_large(given):
    """Large pointwise operators and reductions in memory that is mapped: {operator: share of the copy bandwidth}."""
    with tempfile.TemporaryDirectory() as folder:
        log, path = os.path.join(folder, 'log.txt'), os.path.join(folder, 'records.json')
        with open(log, 'w', encoding='ascii') as file:
            file.write(LARGE)
        output = subprocess.run([given.bilanx, 'ops', log, '--baseline', 'codegen', '--backend', 'codegen', '--preallocate', '--repeats', '5', '--threads',
                                 str(given.threads), '-o', path], text=True, capture_output=True).stdout
        if not os.path.exists(path):
            return {}
        roof = re.search(r'memory ([\d.]+) (GB|MB)/s', output)
        memory = float(roof[1]) * {'GB': 1e9, 'MB': 1e6}[roof[2]] if roof else math.nan
        return {label: by['codegen']['rates']['bytes'] / seconds(by['codegen']) / memory
                for (label, _), by in read(path).items() if by['codegen']['kind'] == 'measurement'}


def verdict(met, text):
    print(f'{"met" if met else "MISSED"}: {text}')
    return met


def judge(samples, shares, given):
    fine, wrong = True, [(key, name) for key, by in samples.items() for name, record in by.items()
                         if name in ('codegen', 'autotune') and record['kind'] != 'measurement']
    eager = [row[0] for row in ratios(samples, 'torch', 'codegen')]
    fine &= verdict(not wrong, f'accuracy on {len(eager)} samples: {len(wrong)} wrong or failed {wrong[:3] or ""}')
    fine &= verdict(geometric(eager) >= 1.3, f'over ATen, geometric mean {geometric(eager):.2f} (goal 1.3)')
    fine &= verdict(quantile(eager, .2) >= .95, f'over ATen, 20 % quantile {quantile(eager, .2):.2f} (goal .95)')
    print('\n'.join(f'  {share:.2f} of the copy bandwidth: {label}' for share, label in shares))
    fine &= verdict(bool(shares) and shares[0][0] >= .85, f'large pointwise operators and reductions, least share of the copy '
                    f'bandwidth {shares[0][0] if shares else math.nan:.2f} (goal .85)')
    for other in given.against:
        rows = [row[0] for row in ratios(samples, other, 'codegen')]
        if not rows:
            fine &= verdict(False, f'{other} measured nothing')
            continue
        slower = sum(ratio < .95 for ratio in rows) / len(rows)
        fine &= verdict(geometric(rows) >= 1.15, f'over {other}, geometric mean {geometric(rows):.2f} on {len(rows)} samples (goal 1.15)')
        fine &= verdict(slower <= .1, f'over 5 % slower than {other} on {slower:.0%} of the samples (goal 10 %)')
        faster = prepare(samples, other) / prepare(samples, 'codegen')
        fine &= verdict(faster >= 10, f'compiling {faster:.1f} times faster than {other} (goal 10)')
    if given.tune:
        return fine  # kernels were compiled when they were tuned
    compiled = prepare(samples, 'codegen')
    fine &= verdict(compiled <= .3, f'{compiled:.3f} s to prepare a kernel on average (goal .3)')
    return fine


def judge_again(given, names, sample):
    """The verdict, and the time of the tuned kernel divided by that of the usual one, from 31 pairs of turns."""
    own, tuned = own_and_tuned(given)
    words = command(given, names, [tuned]) + ['--baseline', own, '--verdict', '--repeats', '31', '--cases', str(sample), '-o', '-']
    output = subprocess.run(words, text=True, capture_output=True).stdout
    records = [json.loads(line) for line in output.splitlines() if line.startswith('{')]
    return next(((one['verdict'], 1 + one.get('change', 0)) for one in records if one['kind'] == 'verdict'), ('failed', math.nan))


def judge_tuned(given, names, samples):
    rows = ratios(samples, 'codegen', 'autotune')
    print(f'autotune over codegen: geometric mean {geometric([row[0] for row in rows]):.3f} on {len(rows)} samples')
    slower = 0
    for ratio, _, label, arguments in sorted(row for row in rows if row[0] < .95):
        word, change = judge_again(given, names, samples[label, arguments]['autotune']['sample'])
        slower += word in ('slower', 'failed')
        print(f'  {ratio:.2f}, again {1 / change:.2f}: {word}  {label} {arguments[:80]}', flush=True)
    return verdict(slower == 0, f'autotune slower on {slower} samples of {len(rows)}')


def losers(samples, others):
    for other in others:
        lost = sorted(row for row in ratios(samples, other, 'codegen') if row[0] < .95)
        print(f'\nslower than {other} by over 5 %: {len(lost)}')
        for ratio, size, label, arguments in lost[:25]:
            print(f'  {ratio:.2f} {size / 1e6:9.3f} MB {label} {arguments[:90]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bilanx')
    parser.add_argument('logs', nargs='*')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--against', action='append', default=[])
    parser.add_argument('--op', default='.')
    parser.add_argument('--tune', action='store_true')
    parser.add_argument('--minutes', type=float)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--records', default='build-bench/ops.json', help='kept as they complete')
    parser.add_argument('--resume', action='store_true')
    given = parser.parse_args()
    given.logs = given.logs or [os.environ.get('BILANX_DATA') or parser.error('give logs, or set BILANX_DATA')]
    if not given.resume:
        for path in (given.records, given.records + '.tuning'):
            open(path, 'w', encoding='utf-8').close()
    given.run, names = run_number(given), supported(given)
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, COLUMNS='400')
        output, which = measure_all(given, names, given.records)
    samples, shares = read(given.records), bandwidth(given)
    return report(given, names, samples, shares, output, which)


def report(given, names, samples, shares, output, which):
    nulls = null_calls(output)
    print(f'\n{which}; {given.threads} thread{"s" if given.threads > 1 else ""}; null calls: ' +
          ', '.join(f'{name} {time * 1e9:.0f} ns' for name, time in nulls.items()) + '\n')
    for other in ['torch', *given.against]:
        print('\n'.join(band_rows(samples, other, nulls)) + '\n')
    print('\n'.join(operator_rows(samples, ['torch', *given.against])))
    losers(samples, ['torch', *given.against])
    print()
    fine = judge(samples, shares, given)
    if 'inductor' in given.against:
        isa = re.search(r'PyTorch 2\.[\w.+]*, ([^\n]*\S)', output)
        fine &= verdict(bool(isa) and 'scalar' not in isa[1], f'inductor is vectorised: {isa[1] if isa else "unknown"}')
    if given.tune:
        fine &= judge_tuned(given, names, samples)
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main())
