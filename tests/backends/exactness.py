"""How far a backend's results may be from the exact ones, which are torch's in float64.

TOLERANCES has a line per family of operators. An error may be as large as the sum of

    ulps    times the unit in the last place of the result, in its own type;
    sway    times what the exact result moves by if each element of an argument moves by one or two rounding errors,
            added up over the arguments: a sum of terms that cancel cannot be better known than its terms are;
    slack   times the rounding error of the largest argument at that place: formulas such as 1 + erf(x), which
            torch has as well;
    unit    times the rounding error of 1 in float64: what torch itself loses there.

Where many elements are added up, ulps and sway grow with the root of their number (GROWING), and for float64
with their number: torch's variance, for one, adds them up one after the other, and is no more exact than ours.
NaN must be NaN, and an infinity one of the same sign, unless the result is at the very end of its type's range.
Results that are integers or truth values must be equal to torch's.

AS_TORCH lists operators that may return what torch returns in the type itself, although that is not what it
returns in float64, each with the reason.
"""
import re

import torch

from agreement import HALVES, TorchRefuses, copied, describe, expectation, flat, operator, tensors, wrong_zero
from backend_modules import Unsupported

MOVED = 4  # times that an argument is moved

# operators, ulps, sway, slack, unit; the first line that matches counts
TOLERANCES = [
    # copies, choices, rounding to integers: exact
    (r'_to_copy|copy_|clone|contiguous|lift_fresh_copy|cat|stack|fill|zero|ones|full|where|masked_fill', 0.5, 0, 0, 0),
    (r'slice_backward|select_backward|constant_pad_nd|flip|roll|repeat|tril|triu', 0, 0, 0, 0),
    (r'embedding|gather|index_select|index|scatter', 0, 0, 0, 0),
    (r'max_pool2d_with_indices', 0, 0, 0, 0),
    (r'max|min|amax|amin|argmax|argmin|maximum|minimum|fmax|fmin|clamp(_min|_max)?|relu6?|abs|neg|sign|sgn', 0.5, 0, 0, 0),
    (r'floor|ceil|round|trunc|frac|threshold(_backward)?|hardtanh(_backward)?', 0.5, 0, 0, 0),
    # sums by index
    (r'embedding_dense_backward|scatter_add|index_put|_index_put_impl|max_pool2d_with_indices_backward', 1, 16, 0, 0),
    # one operation, rounded once; with alpha or value, two or three
    (r'mul|div|true_divide|sqrt|square|reciprocal|fmod|hardsigmoid_backward|native_dropout_backward', 2, 0, 0, 0),
    (r'add|sub|rsub|addcmul|addcdiv|lerp', 2, 4, 0, 0),
    (r'rsqrt|leaky_relu(_backward)?', 3, 0, 0, 0),
    (r'floor_divide|div_mode', 2, 0, 0, 0),
    (r'remainder', 1, 2, 0, 0),
    # functions; docs/codegen.md has the errors that were measured
    (r'exp|exp2|expm1|log|log1p|log2|log10|tanh|erf|atan|asin|acos|atan2|hypot|sinh|cosh', 4, 0, 0, 0),
    (r'sin|cos|tan|erfc', 4, 2, 0, 0),
    (r'pow', 4, 0, 0, 0),
    (r'logaddexp', 8, 4, 4, 0),
    (r'elu', 8, 4, 0, 16),  # torch has exp(x) - 1
    (r'softplus|sigmoid|silu|mish|hardsigmoid|hardswish', 8, 4, 1, 0),
    (r'gelu', 8, 8, 2, 0),
    (r'gelu_backward', 8, 16, 64, 0),  # 1 - tanh² of a number near 1, times the cube of x
    (r'\w+_backward(_data)?', 8, 16, 4, 0),
    # sums
    (r'prod', 64, 16, 0, 0),
    (r'norm|linalg_vector_norm', 8, 8, 0, 0),
    (r'native_\w+_norm', 8, 32, 0, 0),
    (r'_log_softmax', 8, 16, 4, 0),  # the logarithm of a total that is just above 1
    (r'\w+', 8, 16, 0, 0),
]

# Operators that add up slices; others than these add up a few terms.
GROWING = re.compile(r'(sum|mean|prod|var|std|var_mean|std_mean|norm|linalg_vector_norm|logsumexp|cumsum|cumprod|\w*softmax\w*|'
                     r'native_\w+_norm(_backward)?|\w*mm|mv|addmv|dot|convolution(_backward)?|\w+_loss\w*|binary_cross_entropy|'
                     r'embedding_dense_backward|scatter_add|index_put|_index_put_impl|\w+pool2d(_with_indices)?(_backward)?)')

# Operators that round to the type of the result after every addition, as torch's do.
STEPWISE = re.compile(r'scatter_add|index_put|_index_put_impl')

# Operators that are not exact in float64 in torch 1.13, by how much, and why.
TORCH_IS_OFF = [
    (r'hardsigmoid_backward|hardswish(_backward)?|hardsigmoid', 2.0 ** -24, 'its 1/6 is that of float32'),
]

AS_TORCH = [
    (r'addcmul|addcdiv|rsub|sub|add', 'alpha or value times an operand overflows or underflows before it is added, in the order of the formula'),
    (r'lerp', 'end - self overflows'),
    (r'div|floor_divide', 'the quotient is rounded to the type before it is rounded to an integer'),
    (r'pow', 'torch has x * x for an exponent of 2, and so on'),
]


def line_of(table, name):
    base = name.split('.')[1].rstrip('_') or name.split('.')[1]
    return next((line for line in table if re.fullmatch(line[0], base)), None)


def tolerance_of(name):
    return line_of(TOLERANCES, name)[1:]


def mapped(arg, change):
    if isinstance(arg, (list, tuple)):
        return [mapped(item, change) for item in arg]
    return change(arg)


def in_double(arg):
    if isinstance(arg, torch.Tensor):
        return copied(arg).double() if arg.is_floating_point() else copied(arg)
    return torch.float64 if isinstance(arg, torch.dtype) and arg.is_floating_point else arg


def moved_by(step):
    def change(arg):
        if not isinstance(arg, torch.Tensor) or not arg.is_floating_point():
            return arg
        distance = torch.rand(arg.shape, dtype=torch.float64) + 1  # of a large tensor, some would hardly move otherwise
        return arg * (1 + step * torch.where(torch.rand(arg.shape) < .5, distance, -distance))
    return change


class InDouble:
    """Integers divided by integers are float64 as well."""

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)

    def __exit__(self, *_):
        torch.set_default_dtype(self.before)


def normalized(x, dims, eps):
    mean = x.mean(dims, keepdim=True)
    mean = mean + (x - mean).mean(dims, keepdim=True)  # equal elements have exactly this mean
    scale = ((x - mean).square().mean(dims, keepdim=True) + eps).rsqrt()
    return (x - mean) * scale, mean, scale


def layer_norm(x, shape, weight, bias, eps):
    out, mean, scale = normalized(x, list(range(x.dim() - len(shape), x.dim())), eps)
    return out * (1 if weight is None else weight) + (0 if bias is None else bias), mean, scale


def group_norm(x, weight, bias, samples, channels, _, groups, eps):
    out, mean, scale = normalized(x.reshape(samples, groups, -1), [2], eps)
    each = [1, channels] + [1] * (x.dim() - 2)
    out = out.reshape(x.shape) * (1 if weight is None else weight.reshape(each)) + (0 if bias is None else bias.reshape(each))
    return out, mean.reshape(samples, groups), scale.reshape(samples, groups)


# torch has x * a + b for these, which cancels if x is large: its float64 is no better than our float32.
WRITTEN_OUT = {'aten.native_layer_norm.default': layer_norm, 'aten.native_group_norm.default': group_norm}


def results_of(name, args, kwargs):
    """All results, and what was written to."""
    is_written = name in WRITTEN_OUT and args[0].numel() > 0
    results = flat((WRITTEN_OUT[name] if is_written else operator(name))(*args, **kwargs))
    return results + [arg for arg in args if isinstance(arg, torch.Tensor)] if writes(name) else results


def writes(name):
    return name.split('.')[1].endswith('_') or 'batch_norm.' in name


def exact_results(name, args, kwargs):
    """Torch's result in float64, and how far it moves if the arguments do."""
    kwargs = {key: in_double(value) for key, value in kwargs.items()}
    with InDouble():
        exact = results_of(name, mapped(args, in_double), kwargs)
        step = moving_step(name, args)
        sway = [torch.zeros(()) if one is None else torch.zeros_like(one, dtype=torch.float64) for one in exact]
        for which in range(len(args) if tolerance_of(name)[1] else 0):
            if next((t for t in tensors([args[which]]) if t.is_floating_point()), None) is None:
                continue
            most = [torch.zeros_like(one) for one in sway]
            for _ in range(MOVED):
                moved = results_of(name, moved_arguments(args, which, step), kwargs)
                for i, (one, other) in enumerate(zip(exact, moved)):
                    if one is not None and one.is_floating_point():
                        most[i] = torch.maximum(most[i], (one - other).abs().nan_to_num(0, 0, 0))
            sway = [one + more for one, more in zip(sway, most)]
    return exact, sway


def moving_step(name, args):
    """The rounding error of the type that is computed in: halves are computed in float32."""
    types = [t.dtype for t in tensors(args) if t.is_floating_point()]
    if STEPWISE.fullmatch(name.split('.')[1].rstrip('_')) and types:
        return torch.finfo(types[0]).eps
    return 2.0 ** -24 if any(dtype != torch.float64 for dtype in types) else 2.0 ** -52


def moved_arguments(args, which, step):
    args = mapped(args, in_double)
    args[which] = mapped(args[which], moved_by(step))
    return args


def largest_argument(args, shape):
    """At each place of the result, if arguments have such places; otherwise of all."""
    largest = torch.zeros((), dtype=torch.float64)
    for arg in tensors(args):
        size = arg.double().abs().nan_to_num(0, 0, 0) if arg.numel() else torch.zeros((), dtype=torch.float64)
        try:
            fits = torch.broadcast_shapes(size.shape, shape) == shape
        except RuntimeError:
            fits = False
        largest = torch.maximum(largest, size if fits else size.max())
    return largest


# The least that an error may be: f32 may be flushed to 0 below its normal numbers.
FLOOR = {torch.float32: 2.0 ** -126, torch.bfloat16: 2.0 ** -126, torch.float16: 2.0 ** -24, torch.float64: 2.0 ** -1022}


def growth(name, args, results):
    """By how much errors may grow because many elements are added up."""
    base = name.split('.')[1].rstrip('_')
    sizes = [result.numel() for result in results if result is not None and result.numel()]
    added = max((arg.numel() for arg in tensors(args)), default=1) / min(sizes, default=1)
    added = max(added, *(size for arg in tensors(args) for size in [1, 1, *arg.shape]))  # softmax has as many results
    return 1 + (added / 64) ** .5 if GROWING.fullmatch(base) else 1


def allowed_error(name, args, exact, sway, dtype, grows):
    ulps, sways, slack, unit = tolerance_of(name)
    grows = grows ** 2 if dtype == torch.float64 else grows
    ulps, sways = ulps * grows, sways * grows
    eps = torch.finfo(dtype).eps
    step = 2.0 ** -24 if dtype != torch.float64 else 2.0 ** -53
    own = max(ulps, 1) * eps if dtype in HALVES else ulps * eps  # halves are rounded at the end
    off = line_of(TORCH_IS_OFF, name)
    own += off[1] if off else 0
    return (own * exact.abs() + sways * sway + slack * step * largest_argument(args, exact.shape) + unit * 2.0 ** -53
            + FLOOR[dtype] * (ulps > 0))


def outside(exact, actual, error):
    """A mask of elements that are further away."""
    most = torch.finfo(actual.dtype).max
    ours = actual.double()
    close = (ours - exact).abs() <= error
    rounded = exact.to(actual.dtype).double()
    same = (rounded == ours) | (rounded.isnan() & ours.isnan())
    at_end = (exact.abs() + error >= most) & (exact.abs() * .99 <= most) & (exact.sign() == ours.sign()) & (ours.abs() >= .99 * most)
    return ~(close | same | at_end)


def difference(name, args, exact, sway, native, actual, grows):
    """A description of a wrong result, and whether torch has the same in this type."""
    if native is None or actual is None:
        return (None if native is actual else f'one of them is None: {native} and {actual}'), False
    if native.shape != actual.shape:
        return f'shape {list(actual.shape)} instead of {list(native.shape)}', False
    if not actual.is_floating_point():
        wanted = native.to(actual.dtype)
        if torch.equal(wanted, actual):
            return None, False
        place = tuple((wanted != actual).nonzero()[0].tolist())
        return f'at {place}, {actual[place].item()} instead of {wanted[place].item()}', False
    error = allowed_error(name, args, exact, sway, actual.dtype, grows)
    wrong = outside(exact, actual, error)
    if not wrong.any():
        return None, False
    of_torch = native.to(actual.dtype)
    as_torch = not (wrong & outside(of_torch.double(), actual, error)).any()
    place = tuple(wrong.nonzero()[0].tolist())
    return (f'{int(wrong.sum())} differ; at {place}, {actual[place].item()} instead of {exact[place].item()}'
            f' (torch in {str(actual.dtype)[6:]}: {of_torch[place].item()}; allowed {error.expand(exact.shape)[place].item():.3g})'), as_torch


def native_results(name, args, kwargs):
    """In the types as they are; half types as float32."""
    args = copied(args)
    native, wide = expectation(name, args, kwargs)
    written = [arg for arg in args if isinstance(arg, torch.Tensor)] if writes(name) else []
    return flat(native) + written, wide


def unwanted(name, args, place):
    """Whether output_mask says that a result is not wanted: torch may return it all the same."""
    masks = [arg for arg in args if isinstance(arg, list) and len(arg) == 3 and all(isinstance(item, bool) for item in arg)]
    return '_backward.' in name and masks and place < 3 and not masks[-1][place]


def verdict(name, args, kwargs, actual, written, signs=False):
    """Judges the results of a call, and what it wrote to: (what is wrong or None, whether torch does the same)."""
    native, wide = native_results(name, args, kwargs)
    try:
        exact, sway = exact_results(name, args, kwargs)
    except (RuntimeError, TypeError) as error:
        raise TorchRefuses(str(error)) from None
    actual = flat(actual) + (list(written) if writes(name) else [])
    if len(native) != len(actual):
        return f'{len(actual)} results instead of {len(native)}', False
    grows = growth(name, args, native)
    for place, (one, move, other, ours) in enumerate(zip(exact, sway, native, actual)):
        if ours is None and unwanted(name, args, place):
            continue
        if other is not None and ours is not None and not wide and other.dtype != ours.dtype:
            return f'{ours.dtype} instead of {other.dtype}', False
        wrong, as_torch = difference(name, args, one, move, other, ours, grows)
        if not wrong and signs and ours is not None and not wide:
            wrong = wrong_zero(other, ours)
        if wrong:
            return wrong, as_torch and line_of(AS_TORCH, name) is not None
    return None, False


def check_edges(tap, backend, group, types):
    """Calls of operator_cases.py, each of which the backend refuses as torch does, does not have, or does right."""
    for dtype in types:
        calls = list(group(dtype))
        backend.compile(calls)
        for name, args, kwargs in calls:
            ours = copied(args)
            try:
                actual = backend.run(name, ours, kwargs, times=1)
                wrong, _ = verdict(name, args, kwargs, actual, [arg for arg in ours if isinstance(arg, torch.Tensor)])
            except Unsupported:
                continue
            except TorchRefuses as error:
                wrong = f'torch refuses: {error}'
            tap.case(f'{name} at the edges', wrong and f'{describe(args, kwargs)}: {wrong}')
