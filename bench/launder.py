#!/usr/bin/env python3
"""What does it cost to make the inputs of a statement unknown before each execution?

    launder.py BILANX [ROUNDS]

Compares with the same statement under `--no-launder`, whose inputs are laundered once in the setup,
member by member, so that objects can stay in registers. Shows instructions per execution from
`bilanx count`, and times from alternating runs. Exits with 1 if values in registers cost an
instruction, or time.
"""
import json
import shutil
import statistics
import subprocess
import sys

LONGS = ', '.join(f'l{n} = {n}' for n in range(20))
TWENTY = 'l0 = ' + ' + '.join(f'l{n}' for n in range(20)) + '; BILANX_KEEP(l0);'
C = {'language': 'c', 'setup': 'long x = 1, y = 3; double d = 1, e = 1.5; long a[64] = {1}; char text[64] = "a";\n'
                               f'struct {{ long x, y; }} p = {{1, 3}}; static long s = 1; long *q = a; long {LONGS};',
     'once': ['x', 'y', 'd', 'e', 'a', 'text', 'p.x', 'p.y', 's', 'q', *(f'l{n}' for n in range(20))]}
CPLUSPLUS = {'language': 'c++', 'setup': 'std::vector<long> v(64, 1), w; std::array<long, 4> f = {1, 2, 3, 4};\n'
                                         'std::pair<long, long> t(1, 3); std::complex<double> z(1, 1), u(0, 1); w.reserve(8); long x = 1;',
             'once': ['v', 'w', 'f[0]', 'f[1]', 'f[2]', 't.first', 't.second', 'x']}
FREE = 'registers'
CASES = [  # kind of input, language, code
    (FREE, C, 'x = x * 3 + y; BILANX_KEEP(x);'),
    (FREE, C, 'd = d * e + e; BILANX_KEEP(d);'),
    (FREE, C, 'x = q[x & 63] + y; BILANX_KEEP(x);'),
    ('array', C, 'x = a[x & 63] + y; BILANX_KEEP(x);'),
    ('array', C, 'a[x & 63]++; x++; BILANX_KEEP(x);'),
    ('array', C, 'x = strlen(text); BILANX_KEEP(x);'),
    ('struct', C, 'p.x = p.x * 3 + p.y; BILANX_KEEP(p.x);'),
    ('struct', C, 'x = x * p.x + p.y; BILANX_KEEP(x);'),
    ('static', C, 's = s * 3 + y; BILANX_KEEP(s);'),
    ('20 scalars', C, TWENTY),
    ('C++ object', CPLUSPLUS, 'x = v[x & 63] + 1; BILANX_KEEP(x);'),
    ('C++ object', CPLUSPLUS, 'w.push_back(x); w.pop_back(); BILANX_KEEP(w);'),
    ('C++ object', CPLUSPLUS, 'x = x * f[1] + f[2]; BILANX_KEEP(x);'),
    ('C++ object', CPLUSPLUS, 't.first = t.first * 3 + t.second; BILANX_KEEP(t.first);'),
    ('C++ object', CPLUSPLUS, 'z = z + u; BILANX_KEEP(z);'),
]


def ask(bilanx, command, common, plain, *options):
    """Returns the records of all statements in a language, by statement."""
    stmts = [stmt for _, of, stmt in CASES if of is common]
    words = [bilanx, command, *stmts, '-l', common['language'], '-s', common['setup'], '--quiet', '-o', '-', *options]
    if plain:
        words += ['--no-launder', '-s', ''.join(f'BILANX_LAUNDER({name});' for name in common['once'])]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return {one['task']['stmt']: one for one in map(json.loads, done.stdout.splitlines())}


def instructions(record):
    counts = record['counts']
    return (counts['instructions'] - counts['baseline']) / counts['number']


def main():
    bilanx, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    counted, ratios = {}, {}
    for common in (C, CPLUSPLUS):
        if shutil.which('valgrind'):
            pair = [ask(bilanx, 'count', common, plain) for plain in (False, True)]
            counted |= {stmt: [instructions(side[stmt]) for side in pair] for stmt in pair[0]}
        for _ in range(rounds):
            pair = [ask(bilanx, 'time', common, plain, '--max-run-time', '50ms') for plain in (False, True)]
            for stmt in pair[0]:
                each, none = (side[stmt]['stats']['estimate'] for side in pair)
                ratios.setdefault(stmt, []).append(each / none)
    print('inputs unknown before each execution, and only once')
    dearer = slower = False
    for kind, _, stmt in CASES:
        each, none = counted.get(stmt, (float('nan'),) * 2)
        print(f'{kind:11} {each:6.1f} and {none:5.1f} instructions   {statistics.median(ratios[stmt]):5.2f} x the time   {stmt[:50]}')
        dearer |= kind == FREE and each > none + .5  # the code before the loop is included
        slower |= kind == FREE and statistics.median(ratios[stmt]) > 1.02
    print(f'registers cost no instruction: {"no" if dearer else "yes"}')
    print(f'registers cost no time (at most 1.02 x): {"no" if slower else "yes"}')
    return dearer or slower


sys.exit(main())
