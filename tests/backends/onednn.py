#!/usr/bin/python3
"""The onednn backend against torch: TAP.

    onednn.py BACKEND.so

It may refuse a call. Every operator below must run at least once, and what runs must agree.
"""
import random
import sys

import torch

import operator_cases as cases
from agreement import REDUCTION, Tap, TorchRefuses, describe, disagreement, strange
from backend_modules import Backend, Unsupported
from operator_cases import T, positive, real

torch.manual_seed(4)
torch.set_num_threads(1)
random.seed(4)


def eltwise(t):
    for shape in ([3, 5], [7], [2, 3, 4, 5], [1, 300]):
        for name in ('relu', 'tanh', 'sigmoid', 'silu', 'exp', 'abs', 'hardswish', 'gelu', 'elu', 'leaky_relu', 'hardtanh'):
            yield f'aten.{name}.default', [T(*shape, dtype=t)], {}
            yield f'aten.{name}_.default', [real(shape, t)], {}
        yield 'aten.gelu.default', [T(*shape, dtype=t)], {'approximate': 'tanh'}
        yield 'aten.log.default', [positive(*shape, dtype=t)], {}
        yield 'aten.sqrt.default', [positive(*shape, dtype=t)], {}
        yield 'aten.leaky_relu.default', [T(*shape, dtype=t), .2], {}
        yield 'aten.hardtanh.default', [T(*shape, dtype=t), -.5, .75], {}

        def two():
            return [T(*shape, dtype=t), T(*shape, dtype=t)]
        yield 'aten.gelu_backward.default', [real(shape, t), real(shape, t)], {}  # torch 1.13 needs that
        for name in ('silu', 'hardswish', 'sigmoid', 'tanh'):
            yield f'aten.{name}_backward.default', two(), {}
        yield 'aten.threshold_backward.default', [*two(), 0], {}
        yield 'aten.leaky_relu_backward.default', [*two(), .1, False], {}
        yield 'aten.elu_backward.default', [T(*shape, dtype=t), 1.5, 1, 1, False, T(*shape, dtype=t)], {}
        for name in ('add', 'sub', 'mul', 'div'):
            yield f'aten.{name}.Tensor', two(), {}
            yield f'aten.{name}_.Tensor', [real(shape, t), T(*shape, dtype=t)], {}
        yield 'aten.maximum.default', two(), {}
        yield 'aten.minimum.default', two(), {}
        yield 'aten.add.Tensor', [T(*shape, dtype=t), T(shape[-1], dtype=t)], {}
        yield 'aten.add.Tensor', [T(*shape, dtype=t), T(*[1] * len(shape), dtype=t)], {}
    yield 'aten.relu.default', [real([1, 5], t).expand(4, 5)], {}


def softmaxes(t):
    """Without NaN: oneDNN makes no promise about it."""
    return (case for case in cases.slices(t) if 'softmax' in case[0] and not case[1][0].isnan().any())


def products(t):
    yield from cases.products(t)
    yield 'aten.addmv.default', [T(4, dtype=t), T(4, 6, dtype=t), T(6, dtype=t)], {'beta': .5}
    yield 'aten.baddbmm.default', [T(2, 4, 5, dtype=t), T(2, 4, 3, dtype=t), T(2, 3, 5, dtype=t)], {'beta': .5}
    yield 'aten.addmm.default', [T(4, 5, dtype=t), T(4, 3, dtype=t), T(3, 5, dtype=t)], {'beta': 0}


def norms(t):
    for case in cases.norms(t):
        if 'group' not in case[0]:
            yield case
    # Statistics that belong to the data, so that variances are never negative.
    for shape in ([4, 6], [2, 3, 8]):
        x, weight, bias = real(shape, t), real(shape[-1:], t), real(shape[-1:], t)
        _, mean, rstd = torch.ops.aten.native_layer_norm(x, shape[-1:], weight, bias, 1e-5)
        yield 'aten.native_layer_norm.default', [x, shape[-1:], weight, bias, 1e-5], {}
        yield 'aten.native_layer_norm_backward.default', [
            T(*shape, dtype=t), x, shape[-1:], mean, rstd, weight, bias, [True, True, True]], {}
    for training in (True, False):
        x, weight, bias = T(4, 16, 5, 6, dtype=t), real([16], t), real([16], t)
        running = [real([16], t), real([16], t).abs() + .1]
        yield 'aten.native_batch_norm.default', [x, weight, bias, *running, training, .1, 1e-5], {}
        saved = torch.ops.aten.native_batch_norm(x, weight, bias, None, None, True, .1, 1e-5)[1:]
        yield 'aten.native_batch_norm_backward.default', [
            T(4, 16, 5, 6, dtype=t), x, weight, *running, *saved, training, 1e-5, [True, True, True]], {}


def main():
    backend, tap, ran = Backend(sys.argv[1]), Tap(), {}
    print('#', backend.describe())
    for group in (eltwise, cases.convolutions, cases.averages, softmaxes, norms, products):
        for name, args, kwargs in group(torch.float32):
            ran.setdefault(name, [])
            try:
                wrong = disagreement(backend, name, args, kwargs, REDUCTION)
                ran[name].append(None)
            except Unsupported as reason:
                ran[name].append(str(reason))
                wrong = None
            except TorchRefuses:
                wrong = None
            except RuntimeError as error:
                wrong = str(error)
            tap.case(name, wrong and f'{describe(args, kwargs)}: {wrong}')
    for name, reasons in ran.items():
        refused = sorted({reason for reason in reasons if reason})
        if refused:
            print(f'# {name}: {len(reasons) - reasons.count(None)} of {len(reasons)} refused: {refused}')
        tap.case(f'{name} runs', None if None in reasons else f'{refused}')
    for name in list(tap.cases):
        if name.startswith('aten.') and ' ' not in name:
            strange(backend, name)
    tap.case('calls that make no sense do not crash', None)
    backend.close()
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
