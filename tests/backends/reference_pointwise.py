#!/usr/bin/python3
"""The pointwise operators of the reference backend against torch: TAP.

    reference_pointwise.py BACKEND.so OPERATORS.inc

Every row of the table, with each overload and in place, over shapes, layouts and types. Where torch
has no such operator on a CPU, the half types are compared with its float32.
"""
import itertools
import random
import re
import sys

import torch

from agreement import Tap, TorchRefuses, describe, disagreement, layouts, operator
from backend_modules import Backend, Unsupported

torch.manual_seed(1)
torch.set_num_threads(1)
random.seed(1)
ROW = re.compile(r'^OP\(\w+, "(\w+)", "([^"]+)", "([^"]+)", (\w+),')
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.uint8, torch.bool]
SOME = [torch.float32, torch.int64, torch.uint8, torch.bool]
SPECIAL = [float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 6.0, .5, 20.5, -5.5, 1e-30]


def rows(path):
    for line in open(path, encoding='utf-8'):
        match = ROW.match(line)
        if match:
            yield match[1], match[2].split(), match[3].split(), match[4]


def make(dtype, positive=False):
    def of_shape(shape):
        if dtype == torch.bool:
            return torch.rand(shape) < .5
        if not dtype.is_floating_point:
            return torch.randint(0 if dtype == torch.uint8 else -5, 6, shape, dtype=dtype)
        x = torch.randn(shape, dtype=torch.float64)
        return (x.abs() + .1 if positive else x * 2).to(dtype)
    return of_shape


PARAMETERS = {'alpha': [2, 1.5], 'value': [2, .5], 'rounding_mode': ['trunc', 'floor', None],
              'approximate': ['none', 'tanh'], 'negative_slope': [.1], 'min_val': [-.5], 'max_val': [.7],
              'beta': [2.0], 'threshold': [0, 1.5], 'scale': [1.5], 'input_scale': [1.25], 'is_result': [False, True],
              'self_is_result': [False, True]}


def shapes(count):
    """Shapes of operands: alike, broadcast, without elements, without dimensions."""
    yield [[3, 5]] * count
    yield [[0, 4]] * count
    yield [[]] * count
    yield ([[2, 3, 1, 5], [4, 1], [3, 1, 1]] * 2)[:count]
    yield ([[1], [300], [1]] * 2)[:count]
    yield ([[2, 2], [], [2]] * 2)[:count]


def positional(function, operands, parameters):
    """Arguments in the order of torch's schema, keyword-only ones apart."""
    args, kwargs = [], {}
    names = [argument for argument in function._schema.arguments]
    for argument in names:
        if argument.name in operands:
            value = operands[argument.name]
        elif argument.name in parameters:
            value = parameters[argument.name]
        else:
            continue
        if argument.kwarg_only or len(args) < names.index(argument):
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


def words(schema):
    operands = [word.lstrip('!').split('=')[0] for word in schema if word[0] != '*']
    return operands, [word.lstrip('*').split('=')[0] for word in schema if word[0] == '*']


def is_number(function, name):
    """Whether the schema wants a number, not a tensor."""
    return next('Tensor' not in str(argument.type) for argument in function._schema.arguments if argument.name == name)


def calls(base, schema, function, in_place):
    """Arguments for one overload."""
    names, parameter_names = words(schema)
    positive = base in ('log', 'log2', 'log10', 'sqrt', 'rsqrt', 'pow', 'log1p')
    for dtype in SOME if in_place else FLOATS + INTEGERS:
        for sizes in shapes(len(names)):
            operands = {name: operand(function, name, dtype, sizes[0] if i == 0 or in_place else sizes[i], positive)
                        for i, name in enumerate(names)}
            if base == 'gelu_backward':  # torch 1.13 reads other memory if the gradient is transposed
                operands = {name: value.contiguous() for name, value in operands.items()}
            yield positional(function, operands, {name: random.choice(PARAMETERS[name]) for name in parameter_names})


def operand(function, name, dtype, size, positive):
    if is_number(function, name):
        return 2 if not dtype.is_floating_point else 1.25
    maker = make(torch.bool) if name in ('condition', 'mask') else make(dtype, positive)
    return random.choice(list(layouts(maker, [] if name == 'value' else size)))


def special_calls(schema, function):
    """NaN, infinities, and both zeros against each other."""
    names, parameter_names = words(schema)
    values = torch.tensor(SPECIAL)
    grids = torch.meshgrid(*[values] * len(names), indexing='ij')
    operands = {name: 1.5 if is_number(function, name) else grid.reshape(-1) for name, grid in zip(names, grids)}
    for name in ('condition', 'mask'):
        if name in operands:
            operands[name] = operands[name] > 0
    if 'value' in operands and not is_number(function, 'value'):
        operands['value'] = torch.tensor(float('nan'))
    yield positional(function, operands, {name: PARAMETERS[name][0] for name in parameter_names})


def mixed_calls(schema, function):
    """Operands of two types, with and without dimensions."""
    names, parameter_names = words(schema)
    if len(names) != 2 or any(is_number(function, name) for name in names) or names[1] in ('mask', 'value'):
        return
    for one, other in itertools.product(SOME + [torch.float64, torch.float16], repeat=2):
        for shape in ([4], []):
            operands = dict(zip(names, (make(one, True)([4]), make(other, True)(shape))))
            yield positional(function, operands, {name: 1 for name in parameter_names if name == 'alpha'})


def attempt(tap, backend, name, args, kwargs, must):
    try:
        wrong = disagreement(backend, name, args, kwargs)
    except Unsupported as reason:
        wrong = f'is not supported: {reason}' if must else None
    except TorchRefuses:
        wrong = None
    except RuntimeError as error:
        wrong = str(error)
    tap.case(name, wrong and f'{describe(args, kwargs)}: {wrong}')


def main():
    backend, tap = Backend(sys.argv[1]), Tap()
    for base, overloads, schema, result in rows(sys.argv[2]):
        for overload, in_place in itertools.product(overloads, (False, True)):
            name = f'aten.{base}{"_" if in_place else ""}.{overload}'
            function = operator(name)
            if not function:
                continue
            for args, kwargs in calls(base, schema, function, in_place):
                wanted = args[0] if isinstance(args[0], torch.Tensor) else None
                must = wanted is not None and not in_place and (
                    wanted.dtype == (torch.int64 if result == 'INTEGERS' else torch.float32))
                attempt(tap, backend, name, args, kwargs, must)
            # The results of lerp and gelu for infinities depend on torch's version.
            if not in_place and result != 'INTEGERS':
                for args, kwargs in special_calls(schema, function) if base not in ('lerp', 'gelu') else ():
                    attempt(tap, backend, name, args, kwargs, True)
                # hardswish_backward: what torch makes of exactly 3 depends on the length of the tensor.
                for args, kwargs in mixed_calls(schema, function) if base != 'hardswish_backward' else ():
                    attempt(tap, backend, name, args, kwargs, False)
    backend.close()
    return tap.finish()


if __name__ == '__main__':
    sys.exit(main())
