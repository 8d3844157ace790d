"""Times how tensors are made: against memset, and against torch's unary fuzzer.

    fuzz.py BILANX HELPER [--quick]

The helper compares with memset, in turns on one core. Then torch's fuzzer draws samples, and the
helper makes tensors of the same shapes and layouts. Bytes are those of their elements; what lies
between them is filled by both as well. All times are CPU times of one thread, the best of three: in a
virtual machine, the first use of a page may take the host a hundred times as long as all others.
Exits with 1 if a goal is missed.
"""
import os
import subprocess
import sys
import tempfile
import time

TIMES_TORCH = 20
SAMPLES_PER_SECOND = 10000


def pin():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def torch_seconds(count):
    """Times of each sample, including draws, and the descriptions of the tensors for the helper."""
    import torch
    from torch.utils.benchmark.op_fuzzers.unary import UnaryOpFuzzer
    torch.set_num_threads(1)
    samples = UnaryOpFuzzer(seed=0).take(count)
    seconds, lines, size = [], [], 0
    for seed in range(count):
        start = time.thread_time()
        tensors, properties, _ = next(samples)
        seconds.append(time.thread_time() - start)
        x, about = tensors['x'], properties['x']
        lists = [x.shape, x.stride(), about['steps'], about['order']]
        lines.append('x=f32:' + ':'.join(','.join(str(int(i)) for i in each) for each in lists) +
                     f':uniform,0,1:0,0:{seed}')
        size += x.numel() * 4
        del tensors, x
    return seconds, lines, size


def best(runs):
    return sum(min(times) for times in zip(*runs))


def against_torch(helper, count, plain):
    """`plain`: GB/s of a contiguous tensor."""
    runs = [torch_seconds(count) for _ in range(3)]
    lines, size = runs[0][1:]
    tripled = '\n'.join(line for line in lines for _ in range(3))
    made = subprocess.run([helper, 'make'], input=tripled, text=True, check=True, capture_output=True,
                          preexec_fn=pin).stdout.split()
    theirs = size / best([run[0] for run in runs]) / 1e9
    ours = size / best([list(map(float, made[i::3])) for i in range(3)]) / 1e9
    met = ours >= TIMES_TORCH * theirs
    print(f"\n{count} samples of torch's unary fuzzer, {size / 1e9:.2f} GB: torch {theirs:.3f} GB/s, "
          f'bilanx {ours:.2f} GB/s: {ours / theirs:.1f} x; '
          f'at least {TIMES_TORCH} x: {"yes" if met else "no"}')
    print(f'a contiguous tensor, {plain:.2f} GB/s, is made {plain / theirs:.0f} x as fast as that', flush=True)
    return met


def samples_per_second(bilanx, count):
    """Parameters alone: nothing is allocated."""
    known = subprocess.run([bilanx, 'fuzz', '--help'], capture_output=True, check=False)
    if known.returncode != 0:
        print('\nsamples of parameters: not measured, as this bilanx has no command fuzz')
        return True
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'samples.jsonl')
        start = time.perf_counter()
        subprocess.run([bilanx, 'fuzz', 'unary', '--take', str(count), '--seed', '1', '-o', path],
                       check=True, stdout=subprocess.DEVNULL, preexec_fn=pin)
        rate = count / (time.perf_counter() - start)
    met = rate >= SAMPLES_PER_SECOND
    print(f'\n{count} constrained samples of parameters, unary: {rate:.0f} per second')
    print(f'at least {SAMPLES_PER_SECOND}: {"yes" if met else "no"}')
    return met


def against_memset(helper, quick):
    """Whether it is fast enough, and the GB/s of fresh memory."""
    done = subprocess.run([helper, 'speed', *(['--quick'] if quick else [])], check=False, text=True,
                          stdout=subprocess.PIPE, preexec_fn=pin)
    print(done.stdout, end='', flush=True)
    fresh = next(line for line in done.stdout.splitlines() if line.startswith('tensor, fresh'))
    return done.returncode == 0, float(fresh.split()[-2])


def main():
    bilanx, helper = sys.argv[1:3]
    quick = '--quick' in sys.argv
    met, plain = against_memset(helper, quick)
    met = against_torch(helper, 5 if quick else 30, plain) and met
    met = samples_per_second(bilanx, 10000 if quick else 50000) and met
    return 0 if met else 1


if __name__ == '__main__':
    sys.exit(main())
