#!/usr/bin/env python3
"""Whether bilanx's output matches that of the tool itself: keys, types, units and values.

    convert_same.py google|hyperfine|records THEIRS OURS
"""
import json
import math
import sys


def same(theirs, ours, path=''):
    """Same keys and JSON types at every level; numbers equal except for the last digits."""
    assert type(theirs) is type(ours), f'{path}: {theirs!r} is not of the type of {ours!r}'
    if isinstance(theirs, dict):
        assert set(theirs) == set(ours), f'{path}: keys differ in {set(theirs) ^ set(ours)}'
        for key in theirs:
            same(theirs[key], ours[key], f'{path}.{key}')
    elif isinstance(theirs, list):
        assert len(theirs) == len(ours), f'{path}: {len(theirs)} are not {len(ours)}'
        for i, (their, our) in enumerate(zip(theirs, ours)):
            same(their, our, f'{path}[{i}]')
    elif isinstance(theirs, float) and not math.isnan(theirs):
        assert math.isclose(theirs, ours, rel_tol=1e-14), f'{path}: {theirs!r} is not {ours!r}'
    elif not isinstance(theirs, float):
        assert theirs == ours, f'{path}: {theirs!r} is not {ours!r}'
    else:
        assert math.isnan(ours), f'{path}: {ours!r} is not NaN'


def google(theirs, ours):
    """Aggregates are not written; times are in ns."""
    units = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}
    same(theirs['context'], ours['context'], 'context')
    entries = [entry for entry in theirs['benchmarks'] if entry['run_type'] == 'iteration']
    for entry in entries:
        for key in 'real_time', 'cpu_time':
            entry[key] *= units[entry['time_unit']]
        entry['time_unit'] = 'ns'
        # The name determines the family: "a" and "a/8" belong to one.
        entry['family_index'] = entry['per_family_instance_index'] = 0
    for entry in ours['benchmarks']:
        entry['family_index'] = entry['per_family_instance_index'] = 0
    same(entries, ours['benchmarks'], 'benchmarks')


def records(theirs, ours):
    """Records written in a format and read again."""
    assert len(theirs) == len(ours), f'{len(theirs)} records are not {len(ours)}'
    for i, (their, our) in enumerate(zip(theirs, ours)):
        for record in their, our:
            for key in 'stats', 'warnings', 'schema':
                record.pop(key, None)
        same(their, our, f'record {i}')


def main():
    kind, *paths = sys.argv[1:]
    texts = [open(path, encoding='utf-8').read() for path in paths]
    if kind == 'records':
        records(*[[json.loads(line) for line in text.splitlines()] for text in texts])
    else:
        check = google if kind == 'google' else same
        check(*[json.loads(text) for text in texts])


main()
