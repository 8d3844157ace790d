"""Counts 100 one-line C statements in one command, and with one valgrind process per statement.

    counts.py BILANX [--statements N]

Both sides count 100 iterations in 5 repeats. Everything is compiled beforehand: the command finds its
objects in the cache. The other side runs one program per statement, which switches callgrind's
collection on and off around the same loop, as you would write it by hand. The sides take turns.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SHAPES = ['x += {}', 'x = x * {} + 1', 'y ^= x >> {}', 'a[{} % 64] += x', 'y = a[x % 64] + {}',
          'strlen(text + {} % 8)', 'memset(a, {}, sizeof a)', 'qsort(a, 16, sizeof *a, cmp), x += {}',
          'snprintf(text2, sizeof text2, "%d", {})', 'free(malloc({} + 1)), x++']
SETUP = ('volatile long x = 1; volatile long y = 0; int a[64] = {0}; '
         'const char *text = "some text to measure"; char text2[32]')
GLOBAL = 'static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }'

PROGRAM = r'''
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>
%(global)s
static void run(uint64_t number)
{
    %(setup)s;
    for (int repeat = -1; repeat < 5; repeat++) {
        uint64_t n = repeat < 0 ? 10 : number;
        if (repeat >= 0)
            CALLGRIND_TOGGLE_COLLECT;
        for (uint64_t i = 0; i < n; i++) {
            __auto_type value = (%(stmt)s);
            __asm__ volatile("" : : "g"(&value) : "memory");
        }
        if (repeat >= 0) {
            CALLGRIND_TOGGLE_COLLECT;
            CALLGRIND_DUMP_STATS;
        }
    }
}
int main(int argc, char **argv)
{
    run(argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
}
'''


def seconds(command, **options):
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    return time.monotonic() - started


def compile_programs(stmts, folder):
    programs = []
    for number, stmt in enumerate(stmts):
        program = folder / f'program{number}'
        text = PROGRAM % {'global': GLOBAL, 'setup': SETUP, 'stmt': stmt}
        subprocess.run(['cc', '-O2', '-gdwarf-4', '-w', '-xc', '-', '-o', program], input=text.encode(), check=True)
        programs.append(program)
    return programs


def main():
    bilanx = sys.argv[1]
    count = int(sys.argv[3]) if sys.argv[2:3] == ['--statements'] else 100
    stmts = [SHAPES[i % len(SHAPES)].format(i) for i in range(count)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ['XDG_CACHE_HOME'] = str(folder / 'cache')
        together = [bilanx, 'count', '-q', '-s', SETUP, '-g', GLOBAL, '--overwrite', '-o', folder / 'r.jsonl', *stmts]
        compiling = seconds(together)
        programs = compile_programs(stmts, folder)
        ours, theirs = [], []
        for third in range(3):
            ours.append(seconds(together))
            theirs += [seconds(['valgrind', '-q', '--tool=callgrind', '--collect-atstart=no',
                                f'--callgrind-out-file={folder}/out.{i}', program])
                       for i, program in list(enumerate(programs))[third::3]]
        records = [json.loads(line) for line in open(folder / 'r.jsonl', encoding='utf-8')]
    assert len(records) == count and all(r['kind'] == 'counts' for r in records), 'not all were counted'
    one, other = statistics.median(ours), sum(theirs)
    print(f'statements                        {count}')
    print(f'first time, with compiling        {compiling:.2f} s')
    print(f'one command                       {one:.2f} s, {one / count:.4f} s each (claim: at most .06 s)')
    print(f'one valgrind process each         {other:.2f} s, {other / count:.4f} s each')
    print(f'times faster                      {other / one:.1f} (claim: at least 10)')
    print(f'deterministic                     {sum(len(set(r["counts"]["repeats"])) == 1 for r in records)} of {count}')
    return 0 if one / count <= 0.06 and other / one >= 10 else 1


sys.exit(main())
