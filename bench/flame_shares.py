"""Compares the shares of functions in sampled stacks with the program's own clock.

    flame_shares.py BILANX SHARES.C [--quick]

Each row is one process: its three functions add up the CPU time of their own calls, while they are
sampled, as a statement by the kernel, as a statement by signals, or as a command. Every program is
run with different stack offsets. Exits with 1 if a sampled share is more than 3 points off.
"""
import os
import struct
import subprocess
import sys
import tempfile

POINTS = 3
NAMES = ('half', 'third', 'fifth')
PROGRAMS = ('multiplications', 'volatile_sums', 'clock_steps')
SHIFTS = (0, 8, 24, 40)
WAYS = ('kernel', 'signals', 'command')


def command_line(bilanx, folder, way, seconds):
    source, folded = os.path.join(folder, 'shares.c'), os.path.join(folder, 'out.folded')
    line = [bilanx, 'flame', '-q', '--folded', folded]
    if way == 'command':
        program = os.path.join(folder, 'shares')
        subprocess.run(['cc', '-O2', '-g', source, '-o', program], check=True)
        return line + ['--', program]
    return (line + ['three()', '--source', source, '--duration', str(seconds)]
            + (['--signals'] if way == 'signals' else []))


def sampled_shares(path):
    """Shares of the functions, and how many samples there are."""
    weights, count = dict.fromkeys(NAMES, 0.), 0
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            stack, weight = line.rsplit(' ', 1)
            count += float(weight)
            names = {frame.split(' ')[0] for frame in stack.split(';')}
            for name in names & set(NAMES):
                weights[name] += float(weight)
    whole = sum(weights.values())
    return [100 * weights[name] / whole for name in NAMES], count


def measure(bilanx, source, program, shift, way, seconds):
    with tempfile.TemporaryDirectory() as folder:
        spent = os.path.join(folder, 'spent')
        with open(os.path.join(folder, 'shares.c'), 'w', encoding='utf-8') as out:
            out.write(f'#define STEPS {program}\n#define SHIFT {shift}\n#include "{os.path.abspath(source)}"\n')
        subprocess.run(command_line(bilanx, folder, way, seconds), check=True,
                       env={**os.environ, 'SPENT': spent, 'SECONDS_TO_RUN': str(seconds)})
        with open(spent, 'rb') as clock:
            times = struct.unpack('3Q', clock.read(24))
        shares, count = sampled_shares(os.path.join(folder, 'out.folded'))
    own = [100 * time / sum(times) for time in times]
    off = max(abs(a - b) for a, b in zip(shares, own))
    print(f'{program:16} {shift:5} {way:8}', *(f'{share:6.1f}' for share in own), '  ',
          *(f'{share:6.1f}' for share in shares), f'{count:8.0f} {off:6.1f}', flush=True)
    return off


def main():
    bilanx, source = sys.argv[1:3]
    quick = '--quick' in sys.argv
    print('program          shift sampled    own clock (%)           sampled (%)        samples    off')
    offs = [measure(bilanx, source, program, shift, way, 3 if quick else 5)
            for program in PROGRAMS for shift in (SHIFTS[:1] if quick else SHIFTS) for way in WAYS]
    met = max(offs) < POINTS
    print(f'\nat most {max(offs):.1f} points off; under {POINTS}: {"yes" if met else "no"}')
    return 0 if met else 1


if __name__ == '__main__':
    sys.exit(main())
