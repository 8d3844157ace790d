#!/usr/bin/python3
"""The backend codegen against torch: TAP.

    codegen.py BACKEND.so OPERATORS.inc [quick|all|sanitized]

Quick: every pointwise operator on NaN, infinities and both zeros, some calls of all others, half and
double types, layouts, and the errors of the functions that we compute ourselves. All: everything that
the reference is tested with. Sanitized: some calls, compiled with ASan and UBSan. Every kernel is
compiled with -Wall -Wextra -Werror.
"""
import random
import sys

import sanitizers

WARNINGS = 'cflags=-Wall,cflags=-Wextra,cflags=-Werror'
if sys.argv[3:] == ['sanitized']:
    sanitizers.preload()

import torch  # noqa: E402, pylint: disable=wrong-import-position

import operator_cases as cases  # noqa: E402, pylint: disable=wrong-import-position
import reference_pointwise as pointwise  # noqa: E402, pylint: disable=wrong-import-position
from agreement import POINTWISE, REDUCTION, Tap, TorchRefuses, describe, disagreement, operator, strange  # noqa: E402
from backend_modules import Backend, Unsupported  # noqa: E402, pylint: disable=wrong-import-position
from codegen_tables import pointwise_rows  # noqa: E402, pylint: disable=wrong-import-position
from exactness import check_edges  # noqa: E402, pylint: disable=wrong-import-position

GROUPS = {cases.reductions: REDUCTION, cases.slices: REDUCTION, cases.norms: REDUCTION, cases.copies: POINTWISE,
          cases.indexed: POINTWISE, cases.averages: REDUCTION, cases.largest: POINTWISE}
HALVES = [torch.float16, torch.bfloat16, torch.float64]


def attempt(tap, backend, name, args, kwargs=None, tolerance=POINTWISE, must=False):
    try:
        wrong = disagreement(backend, name, args, kwargs, tolerance)
    except Unsupported as reason:
        wrong = f'is not supported: {reason}' if must else None
    except TorchRefuses:
        wrong = None
    except RuntimeError as error:
        wrong = str(error)
    tap.case(name, wrong and f'{describe(args, kwargs or {})}: {wrong}')


def check_pointwise(tap, backend, path, everything, step=1):
    for place, (base, overloads, schema, result) in enumerate(pointwise_rows(path)):
        name = f'aten.{base}.{overloads[0]}'
        function = operator(name)
        if not function or place % step:
            continue
        if result == 'INTEGERS':
            attempt(tap, backend, name, [torch.arange(9)] * len(pointwise.words(schema)[0]), must=True)
        elif base not in ('lerp', 'gelu', 'hardswish_backward'):  # see reference_pointwise.py
            for args, kwargs in pointwise.special_calls(schema, function):
                attempt(tap, backend, name, args, kwargs)
        if everything and base != 'hardswish_backward':
            for args, kwargs in pointwise.calls(base, schema, function, False):
                attempt(tap, backend, name, args, kwargs)


def check_groups(tap, backend, everything):
    for group, tolerance in GROUPS.items():
        for dtype in [torch.float32, *HALVES, torch.int64, torch.bool] if everything else [torch.float32]:
            calls = list(group(dtype))
            for name, args, kwargs in calls if everything else random.sample(calls, min(len(calls), 9)):
                attempt(tap, backend, name, args, kwargs, tolerance)


def layouts(shape, dtype=torch.float32):
    x = torch.randn(shape, dtype=torch.float64).to(dtype)
    yield x
    yield x.contiguous(memory_format=torch.channels_last)
    yield x.transpose(1, 3)
    yield x[:, :1].expand(shape)
    yield x[:, :, ::2, 1:]


def check_layouts(tap, backend):
    calls = [('aten.add.Tensor', lambda x: [x, x]), ('aten.clone.default', lambda x: [x]),
             ('aten.sum.dim_IntList', lambda x: [x, [1]]), ('aten._softmax.default', lambda x: [x, 1, False])]
    for name, arguments in calls:
        for shape in ([2, 17, 18, 19], [1, 1, 1, 1], [2, 0, 3, 4]):
            for x in layouts(shape) if shape[1] == 17 else [torch.ones(shape)]:
                attempt(tap, backend, name, arguments(x), {}, REDUCTION, must=True)
    for name, args, kwargs in cases.empty_norms(torch.float32):
        attempt(tap, backend, name, args, kwargs, REDUCTION, must=True)
    attempt(tap, backend, 'aten.add.Tensor', [torch.randn(2, 17, 18, 19), torch.randn(17, 1, 19)], {}, must=True)


def check_short_rows(tap, backend):
    """Rows of two or three elements: a vector holds several, and some rows are left over."""
    for size in (2, 3):
        table = torch.randn(3, 43, 7)
        x, columns = table[:, :, 2:2 + size], table[:, :, :1]
        turned = torch.randn(size, 43).t()
        for name, args in [('aten.exp.default', [x]), ('aten.mul.Tensor', [x, columns]), ('aten.add.Tensor', [x, turned]),
                           ('aten.gt.Scalar', [x, 0.5]), ('aten.where.self', [x > 0, x, columns]), ('aten.clone.default', [x]),
                           ('aten.mul.Tensor', [x.half(), turned.half()]), ('aten.add.Tensor', [torch.randn(43, size), columns[0]]),
                           ('aten.cat.default', [[x, x, x], 0]), ('aten._to_copy.default', [x])]:
            kwargs = {'dtype': torch.int32} if '_to_copy' in name else {}
            attempt(tap, backend, name, args, kwargs, must=True)


def check_types(tap, backend, types=tuple(HALVES)):
    for dtype in types:
        x = torch.randn(3, 40, dtype=torch.float64).to(dtype)
        weight = torch.randn(40, dtype=torch.float64).to(dtype)
        special = torch.tensor(pointwise.SPECIAL * 3, dtype=dtype)
        for name, args in [('aten.add.Tensor', [special, special]), ('aten.gelu.default', [x]), ('aten.exp.default', [special]),
                           ('aten.where.self', [x > 0, x, -x]), ('aten.sum.dim_IntList', [x, [1]]), ('aten.clone.default', [special]),
                           ('aten._softmax.default', [x, 1, False]), ('aten._to_copy.default', [x]),
                           ('aten.native_layer_norm.default', [x, [40], weight, weight, 1e-5])]:
            kwargs = {'dtype': torch.float32} if '_to_copy' in name else {}
            attempt(tap, backend, name, args, kwargs, REDUCTION, must=True)


def check_truths(tap, backend):
    """In place, comparisons store 1 and 0 in whatever type the tensor has. Integers are always finite."""
    for dtype in (torch.float32, torch.float64, torch.int32):
        for name, args in [('aten.lt_.Tensor', [torch.arange(40), torch.tensor(20)]), ('aten.ne_.Scalar', [torch.arange(40) % 3, 1]),
                           ('aten.logical_and_.default', [torch.arange(40) % 2, torch.arange(40) % 3])]:
            attempt(tap, backend, name, [arg.to(dtype) if isinstance(arg, torch.Tensor) else arg for arg in args], {}, must=True)
    for name in ('aten.isnan.default', 'aten.isinf.default', 'aten.isfinite.default'):
        for dtype in (torch.int32, torch.uint8, torch.bool):
            attempt(tap, backend, name, [torch.arange(40).to(dtype)], {}, POINTWISE, must=True)
    tap.case('what does not fit is not written to',
             None if backend.supports('aten.add_.Tensor', [torch.zeros(1, 4), torch.zeros(3, 4)]) else 'it is supported')


def check_zeros(tap, backend):
    """The signs of zeros, which comparing does not see."""
    zeros = torch.tensor([0.0, -0.0] * 20)
    for name, args in [('aten.neg.default', [zeros]), ('aten.abs.default', [zeros]), ('aten.mul.Scalar', [zeros, -1.0]),
                       ('aten.add.Tensor', [zeros, zeros]), ('aten.clone.default', [zeros]), ('aten.sqrt.default', [zeros]),
                       ('aten.tanh.default', [zeros]), ('aten.erf.default', [zeros]), ('aten.round.default', [zeros]),
                       ('aten.remainder.Scalar', [torch.tensor([-6.0, 6.0] * 20), 3.0])]:
        ours, theirs = backend.run(name, args), operator(name)(*args)
        tap.case(f'signs of zeros: {name}', None if torch.equal(torch.signbit(ours), torch.signbit(theirs)) else f'{ours[:4]}')


def distance(x, expected):
    """In units in the last place of the exact result, as float32 has them."""
    rounded = expected.float()
    unit = (torch.nextafter(rounded.abs(), torch.tensor(float('inf'))) - rounded.abs()).double()
    error = (x.double() - expected).abs() / unit.clamp(min=2.0 ** -149)
    same = (x == rounded) | (x.isnan() & rounded.isnan())
    return torch.where(same, torch.zeros_like(error), error)


def check_errors(tap, backend, step):
    """exp, log, tanh and erf on every `step`th float of all: at most 2 ulp."""
    bits = torch.arange(-2 ** 31, 2 ** 31, step, dtype=torch.int64).to(torch.int32)
    for name, most in (('exp', 2), ('log', 2), ('tanh', 2), ('erf', 2), ('expm1', 3), ('log1p', 3)):
        worst, where = 0.0, 0.0
        for part in bits.split(1 << 20):
            x = part.view(torch.float32)
            x = x[x.abs() >= 2.0 ** -126]  # what happens below depends on how the processor is set
            ours = backend.run(f'aten.{name}.default', [x], times=1)
            error = distance(ours, getattr(torch, name)(x.double()))
            error = torch.where(error.isnan(), torch.full_like(error, float('inf')), error)
            if error.max() > worst:
                worst, where = float(error.max()), float(x[error.argmax()])
        tap.case(f'{name} is at most {most} ulp off', None if worst <= most else f'{worst:.2f} at {where!r}')
        print(f'# {name}: {worst:.2f} ulp at {where!r}', flush=True)


def check_refusals(tap, backend, path):
    tap.case('complex numbers are refused',
             None if backend.supports('aten.relu.default', [torch.zeros(2, dtype=torch.complex64)]) else 'it is not')
    try:
        backend.run('aten.embedding.default', [torch.zeros(3, 2), torch.tensor([0, 3])])
        tap.case('an index out of range is an error', 'it is not')
    except RuntimeError as error:
        tap.case('an index out of range is an error', None if 'out of range' in str(error) else str(error))
    for base, overloads, _, _ in pointwise_rows(path):
        strange(backend, f'aten.{base}.{overloads[0]}')
    for name in list(tap.cases):
        if name.startswith('aten.') and ' ' not in name:
            strange(backend, name)
    tap.case('calls that make no sense do not crash', None)


def main():
    module, table, what = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else 'quick'
    torch.manual_seed(3)
    torch.set_num_threads(1)
    random.seed(3)
    tap = Tap()
    backend = Backend(module, f'{WARNINGS},{sanitizers.SETTINGS}' if what == 'sanitized' else WARNINGS)
    check_pointwise(tap, backend, table, what == 'all', {'quick': 2, 'sanitized': 9}.get(what, 1))
    check_layouts(tap, backend)
    check_short_rows(tap, backend)
    check_truths(tap, backend)
    check_types(tap, backend, HALVES if what == 'all' else HALVES[:2] if what == 'quick' else [torch.float16])
    if what != 'sanitized':
        check_groups(tap, backend, what == 'all')
        check_edges(tap, backend, cases.edges, [torch.float32, *HALVES] if what == 'all' else [torch.float32])
        check_zeros(tap, backend)
        check_errors(tap, backend, 97 if what == 'all' else 4099)
        check_refusals(tap, backend, table)
    backend.close()
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
