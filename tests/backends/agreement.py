"""Compares the results of backends with torch's."""
import math

import torch

from backend_modules import Unsupported

HALVES = (torch.float16, torch.bfloat16)
POINTWISE, REDUCTION = 1e-5, 1e-4


def operator(name):
    """aten.add.Tensor -> torch's function, or None."""
    _, base, overload = name.split('.')
    try:
        return getattr(getattr(torch.ops.aten, base), overload)
    except AttributeError:
        return None


def copied(arg):
    """The same tensor in separate memory, with the same strides."""
    if isinstance(arg, torch.Tensor):
        if arg.numel() == 0:
            return arg.clone()
        reach = 1 + sum((size - 1) * stride for size, stride in zip(arg.shape, arg.stride()))
        return arg.as_strided([reach], [1]).clone().as_strided(arg.shape, arg.stride())
    if isinstance(arg, (list, tuple)):
        return [copied(item) for item in arg]
    return arg


class TorchRefuses(Exception):
    """torch has no such operator for these arguments."""


def tensors(args):
    for arg in args:
        if isinstance(arg, torch.Tensor):
            yield arg
        elif isinstance(arg, (list, tuple)):
            yield from tensors(arg)


def widened(arg):
    """Half types as float32: what torch on a CPU cannot do with them itself."""
    if isinstance(arg, torch.Tensor) and arg.dtype in HALVES:
        return arg.float()
    if isinstance(arg, (list, tuple)):
        return [widened(item) for item in arg]
    return torch.float32 if isinstance(arg, torch.dtype) and arg in HALVES else arg


def flat(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def expectation(name, args, kwargs):
    """torch's result, and whether it was computed in a wider type, as all half types are: torch
    rounds between steps, or cannot do it at all on a CPU."""
    wide = widened(args)
    is_wide = any(one is not other for one, other in zip(tensors(args), tensors(wide)))
    try:
        if is_wide:
            kwargs = {key: widened(value) for key, value in kwargs.items()}
        return operator(name)(*(wide if is_wide else args), **kwargs), is_wide
    except (RuntimeError, IndexError, NotImplementedError, TypeError, ZeroDivisionError) as error:
        raise TorchRefuses(str(error)) from None


def difference(expected, actual, tolerance, wide=False):
    """A description of the difference, or None."""
    if expected is None or actual is None:
        return None if expected is actual else f'one of them is None: {expected} and {actual}'
    if expected.shape != actual.shape:
        return f'shape {list(actual.shape)} instead of {list(expected.shape)}'
    if not wide and expected.dtype != actual.dtype:
        return f'{actual.dtype} instead of {expected.dtype}'
    if actual.dtype in HALVES:
        expected, tolerance = expected.to(actual.dtype), 1e-2
    if not (expected.is_floating_point() or actual.is_floating_point()):
        return None if torch.equal(expected, actual) else f'{actual} instead of {expected}'
    if torch.allclose(actual.double(), expected.double(), rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    close = torch.isclose(actual.double(), expected.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
    place = tuple((~close).nonzero()[0].tolist())
    return f'{int((~close).sum())} differ; at {place}, {actual[place].item()} instead of {expected[place].item()}'


def wrong_zero(expected, actual):
    """Zeros with another sign, which comparing does not see."""
    if not isinstance(actual, torch.Tensor) or not (expected.is_floating_point() and actual.is_floating_point()):
        return None
    other = (expected == 0) & (actual == 0) & (torch.signbit(expected) != torch.signbit(actual))
    return f'{int(other.sum())} zeros have another sign; at {tuple(other.nonzero()[0].tolist())}' if other.any() else None


def disagreement(backend, name, args, kwargs=None, tolerance=POINTWISE, signs=False):
    """A description of a backend's difference from torch, or None; with `signs`, zeros count too. Raises Unsupported."""
    kwargs = kwargs or {}
    ours, theirs = copied(args), copied(args)
    reason = backend.supports(name, args, kwargs)
    if reason:
        raise Unsupported(reason)
    expected, wide = expectation(name, theirs, kwargs)
    writes = name.split('.')[1].endswith('_') or 'batch_norm' in name
    actual = backend.run(name, ours, kwargs, times=1 if writes else 2)
    expected, actual = flat(expected), flat(actual)
    if len(expected) != len(actual):
        return f'{len(actual)} results instead of {len(expected)}'
    if writes and not wide:
        pairs = [(theirs[i], ours[i]) for i in range(len(args)) if isinstance(args[i], torch.Tensor)]
        expected += [one for one, _ in pairs]
        actual += [other for _, other in pairs]
    for one, other in zip(expected, actual):
        wrong = difference(one, other, tolerance, wide) or (signs and wrong_zero(one, other)) or None
        if wrong:
            return wrong
    return None


def strange(backend, name):
    """Asks about calls that make no sense: that must not crash."""
    for arg in (None, 1, 2.5, 'word', [1, 2], [], [None], torch.zeros(2, 3)):
        for count in range(6):
            backend.supports(name, [arg] * count)
    backend.supports(name, [torch.zeros(2, 3), None, 'x', [1], True])
    image = torch.zeros(1, 2, 3, 3)
    backend.supports(name, [image, [0, 0], [0, 0]])
    backend.supports(name, [image, image, [0, 0], [0, 0], [0, 0]])
    backend.supports(name, [image, image, None, [0], [0], [0], False, [0], 0])
    backend.supports(name, [image, image, image, [0], [0], [0], [0], False, [0], 0, [True, True, True]])


class Tap:
    """Results by name; a name fails if any of its cases does."""

    def __init__(self):
        self.failures, self.cases = {}, {}

    def case(self, name, wrong):
        self.cases[name] = self.cases.get(name, 0) + 1
        self.failures.setdefault(name, [])
        if wrong:
            self.failures[name].append(wrong)

    def finish(self):
        print(f'1..{len(self.failures)}')
        for number, (name, wrong) in enumerate(self.failures.items(), 1):
            print(f'{"not ok" if wrong else "ok"} {number} - {name} ({self.cases[name]} cases)')
            for line in wrong[:3]:
                print('# ' + line.replace('\n', ' ')[:600])
        return 1 if any(self.failures.values()) else 0


def describe(args, kwargs=None):
    def one(arg):
        if isinstance(arg, torch.Tensor):
            return f'T({list(arg.shape)}, {str(arg.dtype)[6:]}, {list(arg.stride())})'
        return f'[{", ".join(map(one, arg))}]' if isinstance(arg, (list, tuple)) else str(arg)
    return ', '.join(map(one, args)) + (f' {kwargs}' if kwargs else '')


# Layouts that a tensor of a shape may have.
def layouts(make, shape):
    """The same shape contiguous, transposed, with gaps, and backwards in memory order."""
    yield make(shape)
    if len(shape) >= 2:
        yield make([*shape[:-2], shape[-1], shape[-2]]).transpose(-1, -2)
        yield make([*reversed(shape)]).permute(*reversed(range(len(shape))))
    if shape:
        yield make([*shape[:-1], 2 * shape[-1]])[..., ::2]


def isclose(one, other):
    return math.isclose(one, other, rel_tol=1e-6)
