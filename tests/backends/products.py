#!/usr/bin/python3
"""Matrix products of a backend against torch: TAP.

    products.py BACKEND.so...
"""
import os
import random
import sys

import torch

import operator_cases as cases
from agreement import REDUCTION, Tap, describe, disagreement
from backend_modules import Backend, Unsupported

torch.manual_seed(3)
torch.set_num_threads(1)
random.seed(3)


def test(path, tap):
    module = os.path.basename(path)
    try:
        backend = Backend(path)
    except RuntimeError as error:
        tap.case(f'{module} says what to install', None if 'install' in str(error) else str(error))
        return
    for dtype in (torch.float32, torch.float64):
        for name, args, kwargs in cases.products(dtype):
            try:
                wrong = disagreement(backend, name, args, kwargs, REDUCTION)
            except (Unsupported, RuntimeError) as error:
                wrong = str(error)
            tap.case(f'{module}: {name}', wrong and f'{describe(args, kwargs)}: {wrong}')
    integers = torch.ones(2, 2, dtype=torch.int64)
    tap.case(f'{module} refuses integers',
             None if backend.supports('aten.mm.default', [integers, integers]) else 'it does not')
    tap.case(f'{module} says what it calls', None if backend.describe() else 'it does not')
    print('#', backend.describe())
    backend.close()


def main():
    tap = Tap()
    for path in sys.argv[1:]:
        test(path, tap)
    try:
        Backend(sys.argv[1], config='no-such-library.so')
        tap.case('a missing library is an error', 'it is not')
    except RuntimeError as error:
        tap.case('a missing library is an error', None if 'no-such-library' in str(error) else str(error))
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
