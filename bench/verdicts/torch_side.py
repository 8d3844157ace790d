"""Runs torch.utils.benchmark on a function in a shared object: one request per line, each in a fork.

A request is JSON: a and b, each [object, function, work], seconds, and the CPUs to use. The answer has
the times of both sides' blocks. Torch is imported once, which no budget includes.
"""
import contextlib
import ctypes
import io
import json
import os
import sys

with contextlib.redirect_stderr(io.StringIO()):  # it complains about missing CUDA
    from torch.utils.benchmark import Timer

TIMES = 10  # this much work per call, so that Python adds only .1 %


def measure(side, seconds):
    path, name, work = side
    function = getattr(ctypes.CDLL(path), name)
    function.argtypes, function.restype = [ctypes.c_ulong], None
    function(1)
    timer = Timer('function(work)', globals={'function': function, 'work': work * TIMES})
    return timer.blocked_autorange(min_run_time=seconds).times


def main():
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, request['cpus'])
            half = request['seconds'] / 2
            times = [measure(request[side], half) for side in ('a', 'b')]
            sys.stdout.write(json.dumps(times) + '\n')
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            print(json.dumps(None), flush=True)


main()
