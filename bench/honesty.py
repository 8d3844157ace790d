#!/usr/bin/env python3
"""Counts the mistakes that `bilanx time` warns about, and the honest statements that it accuses.

    honesty.py BILANX STATEMENTS [COMPILER...]

STATEMENTS has sections, each starting with a line [name]: what the snippets have in common (language,
global, setup), and the statements, one per line. A line "-> ..." after a mistake is the corrected
statement according to the printed advice. Exits with 1 if the goal is missed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

LEVELS = ['-O1', '-O2', '-O3']
WARNED = {'optimised-away', 'partly-optimised'}
CPLUSPLUS = {'gcc': 'g++', 'clang': 'clang++'}
GOAL = .9  # share of the mistakes; no honest or corrected statement may be accused


def read_sections(path):
    sections, lines = {}, None
    for line in open(path, encoding='utf-8'):
        line = line.rstrip('\n')
        if line.startswith('[') and line.endswith(']'):
            lines = sections.setdefault(line[1:-1], [])
        elif line and not line.startswith('//'):
            lines.append(line)
    cures = [line[3:] for line in sections['mistakes'] if line.startswith('-> ')]
    sections['cured'] = list(dict.fromkeys(cures))
    sections['mistakes'] = [line for line in sections['mistakes'] if not line.startswith('-> ')]
    assert len(cures) == len(sections['mistakes']), 'a mistake without a cure'
    return sections


def measure(bilanx, sections, kind, compiler, level):
    """Returns the warnings by statement."""
    language = sections.get('language', ['c'])[0]
    if language == 'c++':
        compiler, level = CPLUSPLUS.get(compiler, compiler), f'{level} -std=c++17'
    command = [bilanx, 'time', *sections[kind], '-g', '\n'.join(sections['global']),
               '-s', '\n'.join(sections['setup']), '-l', language, '--cc', compiler, '--cflags', level,
               '--max-run-time', '20ms', '--quiet', '-o', '-']
    with tempfile.TemporaryDirectory() as cache:  # findings about an object are stored in the cache
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                              env=os.environ | {'XDG_CACHE_HOME': cache})
    found = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record['kind'] != 'measurement':
            print(json.dumps(record['error'], indent=1), file=sys.stderr)
            raise SystemExit(f"{compiler} {level}: {record['task']['stmt']}: failed")
        found[record['task']['stmt']] = {w['code']: w['text'] for w in record.get('warnings', [])
                                         if w['code'] in WARNED}
    assert set(found) == set(sections[kind]), done
    return found


def judge(bilanx, sections, compiler, level):
    """Prints one line for the pair, and one for each miss. Returns True if the goal is met."""
    mistakes = measure(bilanx, sections, 'mistakes', compiler, level)
    mistakes = {stmt: found for stmt, found in mistakes.items() if f'not with {compiler} {level}' not in stmt}
    honest = measure(bilanx, sections, 'honest', compiler, level)
    cured = measure(bilanx, sections, 'cured', compiler, level)
    missed = [stmt for stmt, warnings in mistakes.items() if not warnings]
    accused = {stmt: warnings for stmt, warnings in honest.items() if warnings}
    still = {stmt: warnings for stmt, warnings in cured.items() if warnings}
    print(f'{compiler:6} {level}  {len(mistakes) - len(missed):2} of {len(mistakes)} mistakes detected,'
          f'  {len(accused)} of {len(honest)} honest statements accused,'
          f'  {len(still)} of {len(cured)} corrected ones')
    for stmt in missed:
        print(f'             missed:  {stmt}')
    for stmt, warnings in (accused | still).items():
        print(f'             accused: {stmt}')
        for code, text in warnings.items():
            print(f'                      {code}: {text}')
    sys.stdout.flush()
    return not accused and not still and len(missed) <= (1 - GOAL) * len(mistakes) + 1e-9


def main():
    bilanx, statements, *compilers = sys.argv[1:]
    sections = read_sections(statements)
    compilers = compilers or [cc for cc in ('gcc', 'clang') if shutil.which(cc)]
    met = [judge(bilanx, sections, compiler, level) for compiler in compilers for level in LEVELS]
    print(f'goal, at least {GOAL:.0%} of the mistakes and no honest statement: '
          f'{"met" if all(met) else "missed"} in {sum(met)} of {len(met)}')
    return 0 if all(met) else 1


sys.exit(main())
