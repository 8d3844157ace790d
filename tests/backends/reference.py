#!/usr/bin/python3
"""The reference backend against torch, all operators but the pointwise ones: TAP.

    reference.py BACKEND.so
"""
import random
import sys

import torch

import operator_cases as cases
from agreement import POINTWISE, REDUCTION, Tap, TorchRefuses, describe, disagreement, strange
from backend_modules import Backend, Unsupported
from exactness import check_edges

torch.manual_seed(2)
torch.set_num_threads(1)
random.seed(2)
GROUPS = {cases.reductions: REDUCTION, cases.slices: REDUCTION, cases.norms: REDUCTION, cases.empty_norms: REDUCTION,
          cases.products: REDUCTION, cases.copies: POINTWISE, cases.indexed: POINTWISE, cases.fills: POINTWISE, cases.losses: REDUCTION,
          cases.convolutions: REDUCTION, cases.averages: REDUCTION, cases.largest: POINTWISE, cases.placed: POINTWISE}
REALS = (cases.convolutions, cases.averages, cases.largest)
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool]


def attempt(backend, name, args, kwargs, tolerance, must):
    try:
        return disagreement(backend, name, args, kwargs, tolerance)
    except Unsupported as reason:
        return f'is not supported: {reason}' if must else None
    except TorchRefuses as error:
        return f'torch refuses: {error}' if must else None
    except RuntimeError as error:
        return str(error)


def main():
    backend, tap = Backend(sys.argv[1]), Tap()
    for group, tolerance in GROUPS.items():
        for dtype in TYPES[:4] if group in REALS else TYPES:
            for name, args, kwargs in group(dtype):
                wrong = attempt(backend, name, args, kwargs, tolerance, dtype == torch.float32)
                tap.case(name, wrong and f'{describe(args, kwargs)}: {wrong}')
    check_edges(tap, backend, cases.edges, [torch.float32, torch.bfloat16])
    tap.case('complex numbers are refused',
             None if backend.supports('aten.relu.default', [torch.zeros(2, dtype=torch.complex64)]) else 'it is not')
    tap.case('... as results, too', None if backend.supports('aten._to_copy.default', [torch.zeros(2)],
                                                             {'dtype': torch.complex64}) else 'they are not')
    tap.case('an unknown operator is refused', None if backend.supports('aten.svd.default', []) else 'it is not')
    try:
        backend.run('aten.embedding.default', [torch.zeros(3, 2), torch.tensor([0, 3])])
        tap.case('an index out of range is an error', 'it is not')
    except RuntimeError as error:
        tap.case('an index out of range is an error', None if 'out of range' in str(error) else str(error))
    try:
        backend.run('aten.constant_pad_nd.default', [torch.zeros(2, 1), [-1, -1], 0])
        tap.case('padding that removes more elements than there are is an error', 'it is not')
    except RuntimeError as error:
        tap.case('padding that removes more elements than there are is an error',
                 None if 'removes more' in str(error) else str(error))
    for name in list(tap.cases):
        if name.startswith('aten.') and ' ' not in name:
            strange(backend, name)
    tap.case('calls that make no sense do not crash', None)
    backend.close()
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
