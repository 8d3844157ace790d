"""The workloads of bench/real, and how each mode makes two sides from one of them.

Every trial gets a new folder, and writes its sources, programs and cache of objects again, because a
file keeps its physical pages as long as it exists.
"""
import os
import re
import shutil
import subprocess
from collections import namedtuple

import tools

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'real')
INCLUDE = os.path.join(SOURCES, *3 * [os.pardir], 'include')
LESS, MORE = 100, 101  # how often a workload does its work: 1 % apart
MARKER = '// Definitions, in any order.\n'

# A file in real/, the libraries it is linked with, and whether these link only into programs.
Workload = namedtuple('Workload', 'source libraries program', defaults=('', False))
WORKLOADS = {
    # Archives that Debian ships.
    'zlib': Workload('zlib.c', '-l:libz.a'),
    'deflate': Workload('deflate.c', '-l:libdeflate.a'),
    'lz4': Workload('lz4.c', '-l:liblz4.a'),
    'zstd': Workload('zstd.c', '-l:libzstd.a'),
    'brotli': Workload('brotli.c', '-l:libbrotlienc.a -l:libbrotlidec.a -l:libbrotlicommon.a -lm'),
    'snappy': Workload('snappy.c', '-l:libsnappy.a -lstdc++'),
    'expat': Workload('expat.c', '-l:libexpat.a'),
    'yaml': Workload('yaml.c', '-l:libyaml.a'),
    'cmark': Workload('cmark.c', '-l:libcmark.a'),
    'http': Workload('http.c', '-l:libhttp_parser.a'),
    'pcre2': Workload('pcre2.c', '-l:libpcre2-8.a'),
    'sqlite': Workload('sqlite.c', '-l:libsqlite3.a -lm'),
    'utf8': Workload('utf8.c', '-l:libutf8proc.a'),
    'gmp': Workload('gmp.c', '-l:libgmp.a', program=True),
    'jansson': Workload('jansson.c', '-l:libjansson.a', program=True),
    # Headers.
    'xxhash': Workload('xxhash.c'),
    'stb': Workload('stb.c'),
    'uthash': Workload('uthash.c'),
    'rapidjson': Workload('rapidjson.cpp'),
    # The kind of code that programs write themselves.
    'own_table': Workload('own_table.c'),
    'own_regex': Workload('own_regex.c'),
    'own_json': Workload('own_json.c'),
    'own_tree': Workload('own_tree.c'),
    'own_strings': Workload('own_strings.c'),
    'own_lz': Workload('own_lz.c'),
}

PROGRAMS = ['--A', 'bin:./a', '--B', 'bin:./b']
CXX = {'gcc': 'g++', 'clang': 'clang++'}


class Maker:
    """Makes the files and the command of one trial in its folder."""

    def __init__(self, folder, name, compiler, library, source):
        self.folder, self.workload, self.source = folder, WORKLOADS[name], source
        self.library = library  # libbilanx-bench.a
        self.cxx = self.workload.source.endswith('.cpp')
        self.compiler = CXX[compiler] if self.cxx else compiler
        for file in (self.workload.source, 'work.h', 'program.c'):
            shutil.copyfile(os.path.join(SOURCES, file), os.path.join(folder, file))

    def call(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise tools.Failure(f'{command[0]}: exit {done.returncode}: {done.stdout.strip()[-500:]}')

    def build(self, program, *flags):
        """Builds the workload as a benchmark program; g++ compiles program.c as C++."""
        self.call(self.compiler, '-O2', f'-I{INCLUDE}', *flags, self.workload.source, 'program.c',
                  self.library, *self.workload.libraries.split(), '-o', program)

    def statement(self, a, b, *flags):
        """Archives do not export their names; otherwise few of them could be linked into an object."""
        libraries = self.workload.libraries
        return ['--A', a, '--B', b, *flags, '--source', self.workload.source,
                *(['--ldflags', f'{libraries} -Wl,--exclude-libs,ALL'] if libraries else []),
                '-l', 'c++' if self.cxx else 'c', '-g', '#include "work.h"', '-I', '.',
                '-s', 'prepare(); unsigned long times = WORK;', '--stmt', 'work(times);']

    def revisions(self, a, b):
        return self.statement(a, b, '--cc', self.compiler, '--cflags', f'-DWORK={LESS}')

    def commit(self):
        self.call('git', 'init', '-q')
        self.call('git', 'add', self.workload.source, 'work.h')
        self.call('git', '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q',
                  '-m', 'as it was')


def identical(maker):
    """The same code, compiled twice; different unused flags make two files of it."""
    if maker.workload.program:
        maker.build('a', f'-DWORK={LESS}', '-DUNUSED_A')
        maker.build('b', f'-DWORK={LESS}', '-DUNUSED_B')
        return PROGRAMS, 0
    sides = [f'cc:{maker.compiler} -DWORK={LESS} -DUNUSED_{side}' for side in 'AB']
    return maker.statement(*sides), 0


def knob(maker):
    """1 % more work on one side."""
    works, sign = ((LESS, MORE), 1) if maker.source.random() < .5 else ((MORE, LESS), -1)
    if maker.workload.program:
        for program, work in zip('ab', works):
            maker.build(program, f'-DWORK={work}')
        return PROGRAMS, sign
    return maker.statement(*(f'cc:{maker.compiler} -DWORK={work}' for work in works)), sign


def git(maker):
    """The working tree against itself."""
    maker.commit()
    return maker.revisions('git:.', 'git:.'), 0


def copies(maker):
    """Two copies of one benchmark program."""
    maker.build('a', f'-DWORK={LESS}')
    shutil.copy(os.path.join(maker.folder, 'a'), os.path.join(maker.folder, 'b'))
    return PROGRAMS, 0


def dead(maker):
    """A revision and the tree, which differ only in the code before the functions."""
    path = os.path.join(maker.folder, maker.workload.source)
    text = open(path, encoding='utf-8').read()
    versions = [text, rearrange(text, maker.source)]
    maker.source.shuffle(versions)
    open(path, 'w', encoding='utf-8').write(versions[0])
    maker.commit()
    open(path, 'w', encoding='utf-8').write(versions[1])
    return maker.revisions('git:HEAD', 'git:.'), 0


def write_dead(source, number):
    """Returns a function of random size that is never called."""
    lines = [f'    sum {source.choice("+-^*")}= from[{source.randrange(64)}] {source.choice("+-&|")} '
             f'{source.randrange(1, 1000)};' for _ in range(source.randrange(1, 30))]
    head = f'long never_called_{number}(const long *from, int count)'
    return '\n'.join([f'{head};', head, '{', f'    long sum = {number};',
                      '    for (int i = 0; i < count; i++)', '        sum += from[i] * sum;', *lines,
                      '    return sum;', '}', ''])


def split(text):
    """Returns the text before the marker, and the definitions after it, each with its comment."""
    head, body = text.split(MARKER)
    return head, [each.lstrip('\n') for each in re.findall(r'.+?^}\n', body, re.DOTALL | re.MULTILINE)]


def rearrange(text, source):
    """Returns the same definitions in another order, with unused ones before or among them."""
    head, definitions = split(text)
    unused = [write_dead(source, number) for number in range(source.randrange(1, 12))]
    above = ''.join(unused) if source.random() < .5 else ''
    definitions += [] if above else unused
    source.shuffle(definitions)
    return above + head + MARKER + '\n' + '\n'.join(definitions)


# How to make the sides, the budget, the number of trials per workload in a full run, and whether the
# mode works with workloads that are only programs.
Mode = namedtuple('Mode', 'make budget trials programs')
MODES = {
    'identical': Mode(identical, 2., 26, True),
    'git': Mode(git, 2., 5, False),
    'bin': Mode(copies, 2., 5, True),
    'dead': Mode(dead, 2., 3, False),
    'knob': Mode(knob, 5., 10, True),
}


def cells(modes, workloads):
    """Returns the pairs of mode and workload that work."""
    return [(mode, name) for mode in modes for name in workloads
            if MODES[mode].programs or not WORKLOADS[name].program]


def make(mode, *of_maker):
    """Returns the arguments of bilanx ab, to run in the folder, and whether B is slower (+1) or faster (-1)."""
    return MODES[mode].make(Maker(*of_maker))
