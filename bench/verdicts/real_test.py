"""Tests the tables of bench/real on trials with known answers, and the rearranged sources. TAP."""
import os
import random

import real_sides
import real_table
from real_sides import MARKER, SOURCES, WORKLOADS


def trial(mode, sign, verdict, workload='lz4', **more):
    return {'mode': mode, 'workload': workload, 'sign': sign, 'budget': 2., 'verdict': verdict,
            'change': .01, 'elapsed': .5, 'seconds': .7, **more}


def state_of(trials, start):
    return next(goal.state for goal in real_table.goals(trials) if goal.text.startswith(start))


def counts(check):
    counted = real_table.count([
        trial('identical', 0, 'same'), trial('identical', 0, 'slower', change=-.04),
        trial('identical', 0, 'undecided'), trial('knob', 1, 'slower'), trial('knob', -1, 'slower'),
        trial('knob', 1, 'same'), {**trial('knob', 1, None), 'error': 'no compiler'}])
    check('a claim about identical code is false', counted['claims'] == (1, 3))
    check('its size is reported', counted['largest'] == .04)
    check('a change counts as found if the sign is right', counted['found'] == (1, 3))
    check('the other sign is wrong', counted['wrong sign'] == 1)
    check('undecided and same are counted', counted['undecided'] == 1 and counted['same'] == 2)
    check('a failed trial is not a trial', counted['failed'] == 1 and counted['trials'] == 6)


def goals(check):
    many = [trial('identical', 0, 'same', name) for name in list(WORKLOADS)[:10]] * 60
    claim = trial('identical', 0, 'faster')
    check('600 trials of 10 workloads are enough', state_of(many, 'identical') == 'met')
    check('599 are not', state_of(many[:-1], 'identical') == 'not shown')
    check('nor are 600 of one workload',
          state_of([trial('identical', 0, 'same')] * 600, 'identical') == 'not shown')
    check('6 claims of 606 are within 1 %', state_of(many + [claim] * 6, 'identical') == 'met')
    check('7 are not', state_of(many + [claim] * 7, 'identical') == 'missed')
    check('7 of 7 are enough to miss it', state_of([claim] * 7, 'identical') == 'missed')
    check('one claim about code that moved is too many',
          state_of([trial('dead', 0, 'slower')], 'dead') == 'missed')
    found = [trial('knob', 1, 'slower', name) for name in list(WORKLOADS)[:10]] * 9
    missed = [trial('knob', 1, 'undecided', 'lz4')] * 10
    check('90 found of 100 are enough', state_of(found + missed, 'knob') == 'met')
    check('the workload with the fewest found is named', any(
        'fewest for lz4: 9/19' in goal.detail for goal in real_table.goals(found + missed)))
    check('90 of 101 are not enough', state_of(found + missed + missed[:1], 'knob') == 'missed')
    check('90 trials are too few', state_of(found, 'knob') == 'not shown')
    check('a wrong sign misses a goal', state_of([trial('knob', -1, 'slower')], 'no wrong') == 'missed')
    check('so does a failed trial', state_of([{**found[0], 'error': '?'}], 'no trial') == 'missed')


def alive(text):
    return [each for each in real_sides.split(text)[1] if 'never_called' not in each]


def versions(check):
    """A rearranged source has the same functions in another order, and unused ones."""
    source = random.Random(3)
    for name, workload in WORKLOADS.items():
        text = open(os.path.join(SOURCES, workload.source), encoding='utf-8').read()
        head, functions = real_sides.split(text)
        check(f'{name}: only functions follow the marker',
              head + MARKER + '\n' + '\n'.join(functions) == text)
        drawn = [real_sides.rearrange(text, source) for _ in range(8)]
        check(f'{name}: a rearranged source has the same functions, and unused ones', all(
            sorted(alive(version)) == sorted(functions) and 'never_called_0(' in version
            and head in version for version in drawn))
        check(f'{name}: their order varies', len({tuple(alive(version)) for version in drawn}) > 1)


def cells(check):
    pairs = real_sides.cells(list(real_sides.MODES), list(WORKLOADS))
    check('workloads that link only into programs have no statements',
          ('bin', 'jansson') in pairs and ('git', 'jansson') not in pairs and ('git', 'zlib') in pairs)


def run():
    outcomes = []

    def check(name, passed):
        outcomes.append(passed)
        print(f'{"ok" if passed else "not ok"} {len(outcomes)} - {name}')

    for part in (counts, goals, versions, cells):
        part(check)
    print(f'1..{len(outcomes)}')
    return 0 if all(outcomes) else 1
