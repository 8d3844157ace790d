"""Times how tensors are made: against memset, and against torch's unary fuzzer.

    fuzz.py BILANX HELPER [--quick]

The helper compares with memset, in turns on one core. torch's fuzzer then draws samples, and the
helper makes tensors of the same types, shapes and layouts; bytes are those of their elements.
torch's share is what its generator takes per sample, draws included. Both are CPU times of one
thread. Exits with 1 if a goal is missed.
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


def torch_samples(count):
    """Seconds per sample, bytes, and the tensors as lines for the helper."""
    import torch
    from torch.utils.benchmark.op_fuzzers.unary import UnaryOpFuzzer
    torch.set_num_threads(1)
    samples = UnaryOpFuzzer(seed=0).take(count)
    seconds, size, lines = 0, 0, []
    for seed in range(count):
        start = time.thread_time()
        tensors, properties, _ = next(samples)
        seconds += time.thread_time() - start
        x, about = tensors['x'], properties['x']
        lists = [x.shape, x.stride(), about['steps'], about['order']]
        lines.append('x=f32:' + ':'.join(','.join(str(int(i)) for i in each) for each in lists) +
                     f':uniform,0,1:0,0:{seed}')
        size += x.numel() * 4
        del tensors, x
    return seconds, size, lines


def against_torch(helper, count):
    theirs, size, lines = torch_samples(count)
    made = subprocess.run([helper, 'make'], input='\n'.join(lines), text=True, check=True,
                          capture_output=True, preexec_fn=pin)
    ours = float(made.stdout)
    met = theirs / ours >= TIMES_TORCH
    print(f'\n{count} samples of torch\'s unary fuzzer, {size / 1e9:.2f} GB: torch {size / theirs / 1e9:.3f} GB/s, '
          f'bilanx {size / ours / 1e9:.2f} GB/s: {theirs / ours:.0f} x')
    print(f'at least {TIMES_TORCH} x: {"yes" if met else "no"}', flush=True)
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


def main():
    bilanx, helper = sys.argv[1:3]
    quick = '--quick' in sys.argv
    met = subprocess.run([helper, 'speed', *(['--quick'] if quick else [])], check=False,
                         preexec_fn=pin).returncode == 0
    met = against_torch(helper, 5 if quick else 30) and met
    met = samples_per_second(bilanx, 10000 if quick else 50000) and met
    return 0 if met else 1


if __name__ == '__main__':
    sys.exit(main())
