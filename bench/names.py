"""If a user's function has the same name as one that libc exports, which one is called?

    names.py BILANX [--ways gcc,clang] [--commands time] [NAME...]

The reference is a program made of the same sources. If it compiles and finds its own function, a
statement must find it as well. Exits with 1 if one does not.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from collections import namedtuple

FUNCTIONS = (
    'random srandom step advance re_match re_search re_compile_pattern lrand48 drand48 mrand48 getpid '
    'getppid basename hcreate hsearch hdestroy insque remque lfind lsearch tsearch tfind twalk tdelete '
    'a64l l64a ecvt swab strfry memfrob error warn err glob wordexp nice pause poll send recv '
    'bind listen connect accept sync link unlink access truncate times sleep alarm raise kill '
    'wait pipe dup getline getdelim getw putw gets utime regcomp regexec fts_open ftw '
    'nftw argz_add envz_add obstack_free xdr_int clone daemon vlimit ulimit ptrace syscall').split()
VARIABLES = 'timezone daylight optind opterr optopt environ program_invocation_name loc1 loc2'.split()

# How each way compiles, and whether the caller is in another source file.
Way = namedtuple('Way', 'compiler suffix apart')
WAYS = {
    'gcc': Way('gcc', 'c', False), 'gcc-two': Way('gcc', 'c', True),
    'clang': Way('clang', 'c', False), 'clang-two': Way('clang', 'c', True),
    'g++': Way('g++', 'cpp', False), 'clang++': Way('clang++', 'cpp', False),
}
COMMANDS = {
    'time': ['time', '--method', 'timeit', '--number', '10', '--repeats', '1', '{stmt}'],
    'count': ['count', '{stmt}'],
    'ab': ['ab', '--A', 'cc:{cc} -DA', '--B', 'cc:{cc} -DB', '--budget', '.1', '--stmt', '{stmt}'],
}


def write_sources(folder, name, way):
    """Returns the definition and a function that uses it, as one source or two."""
    linkage = 'extern "C" ' if way.suffix == 'cpp' else 'extern '
    if name in VARIABLES:
        declared, defined = f'{linkage}int {name};', f'int {name} = 40;'
        needed = f'{name}++; return --{name} == 40 ? x + 17 : -1;'
    else:
        declared, defined = f'{linkage}int {name}(int x);', f'int {name}(int x) {{ return x * 3 + 17; }}'
        needed = f'return {name}(x) - 2 * x;'
    caller = f'int users_own(int x); int users_own(int x) {{ {needed} }}'
    texts = [[declared, defined], [declared, caller]] if way.apart else [[declared, defined, caller]]
    paths = [os.path.join(folder, f'part{number}.{way.suffix}') for number in range(len(texts))]
    for path, lines in zip(paths, texts):
        open(path, 'w', encoding='utf-8').write('\n'.join(lines) + '\n')
    return paths


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, 'XDG_CACHE_HOME': os.path.join(folder, 'cache')})
    return done.returncode == 0, done.stdout.strip()


def program_finds_its_own(folder, way, paths):
    main = os.path.join(folder, f'main.{way.suffix}')
    open(main, 'w', encoding='utf-8').write('int users_own(int x);\nint main(void) { return users_own(1) != 18; }\n')
    return run([way.compiler, '-O2', '-w', main, *paths, '-o', 'program'], folder)[0] \
        and run(['./program'], folder)[0]


def statement_finds_it(bilanx, command, folder, way, paths):
    words = [word.format(stmt='users_own(x)', cc=way.compiler) for word in COMMANDS[command]]
    sources = [word for path in paths for word in ('--source', path)]
    compiler = [] if command == 'ab' else ['--cc', way.compiler]
    return run([bilanx, *words, *compiler, '-l', 'c++' if way.suffix == 'cpp' else 'c', *sources, '-q',
                '-g', 'int users_own(int x);', '-s', 'int x = 1; if (users_own(1) != 18) __builtin_abort();'],
               folder)


def try_name(bilanx, command, name, way_name):
    """Returns 'its own', 'no program' if the user's program has no such function either, or what happened."""
    way = WAYS[way_name]
    with tempfile.TemporaryDirectory(prefix='names-') as folder:
        paths = write_sources(folder, name, way)
        if not program_finds_its_own(folder, way, paths):
            return 'no program'
        good, text = statement_finds_it(bilanx, command, folder, way, paths)
        if good:
            return 'its own'
        lines = [line.strip() for line in text.splitlines()]
        told = [line for line in lines if 'error' in line or 'crashed' in line]
        return (told or lines[-1:] or ['no output'])[0][:160]


def main():
    parser = argparse.ArgumentParser(prog='bench/names')
    parser.add_argument('bilanx', help=argparse.SUPPRESS)
    parser.add_argument('names', nargs='*', default=FUNCTIONS + VARIABLES)
    parser.add_argument('--ways', default=','.join(WAYS), help=','.join(WAYS))
    parser.add_argument('--commands', default='time', help=','.join(COMMANDS))
    options = parser.parse_intermixed_args()
    ways, commands = options.ways.split(','), options.commands.split(',')
    for word in [*ways, *commands]:
        if word not in (*WAYS, *COMMANDS):
            parser.error(f"'{word}' is none of {', '.join((*WAYS, *COMMANDS))}")
    wrong = total = 0
    for command in commands:
        for way in ways:
            found = {name: try_name(os.path.abspath(options.bilanx), command, name, way) for name in options.names}
            tried = {name: what for name, what in found.items() if what != 'no program'}
            bad = {name: what for name, what in tried.items() if what != 'its own'}
            wrong, total = wrong + len(bad), total + len(tried)
            print(f'{command}, {way}: {len(tried) - len(bad)} of {len(tried)} find their own', flush=True)
            for name, what in bad.items():
                print(f'    {name}: {what}')
    print(f'{"met" if not wrong else "missed"}  always the user\'s: {total - wrong} of {total}')
    return 1 if wrong else 0


sys.exit(main())
