"""Draws calls of operators: shapes, layouts, types, broadcasting, dimensions, options and elements.

Sizes of 0, 1 and 200,000; memory that is permuted, has gaps, or is shared by elements; elements that are usual,
large, tiny, of very different sizes, equal, NaN, infinite, or at the end of their type's range.
"""
import random
import re

import torch

import operator_cases as cases
import reference_pointwise as pointwise
from agreement import HALVES, operator
from codegen_tables import other_names, pointwise_rows

SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 40, 64, 65, 130]
REALS = [torch.float32] * 4 + [torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
# Which of two zeros these return depends on torch's version, or on where the element is in a vector.
ANY_ZERO = re.compile(r'aten\.(max|min|maximum|minimum|fmax|fmin|clamp|clamp_min|clamp_max|relu6|hardtanh|elu|gelu)_?\.')
# Torch's results for NaN and infinities depend on its version, or on the element's position in a vector.
UNLIKE_ITSELF = ('lerp', 'gelu', 'gelu_backward', 'hardswish_backward', 'silu_backward', 'mish', 'hardtanh_backward', 'elu_backward')
STRANGE = [float('nan'), float('inf'), -float('inf'), 0.0, -0.0]
MOST_ELEMENTS = 60000
MOODS = ['usual'] * 5 + ['large', 'large', 'tiny', 'tiny', 'mixed', 'equal', 'end']
# Powers of ten: squares of large and tiny elements are beyond their type, but those of float64 are not.
REACH = {torch.float32: (17, 34), torch.bfloat16: (17, 34), torch.float16: (2, 4), torch.float64: (20, 60)}
mood = 'usual'  # of the elements of a call


def set_mood(without=None):
    global mood  # pylint: disable=global-statement
    mood = random.choice([one for one in MOODS if one != without])


def set_mood_usual():
    global mood  # pylint: disable=global-statement
    mood = 'usual'


def draw_shape(least=0, most=5):
    shape = []
    for _ in range(random.randint(least, most)):
        shape.append(0 if random.random() < .03 else random.choice(SIZES))
    while torch.Size(shape).numel() > MOST_ELEMENTS:
        shape[random.randrange(len(shape))] = random.choice(SIZES[:6])
    if random.random() < .03 and least <= 1:
        return [random.choice([70000, 131072, 200001])]  # long rows, and more than one thread
    return shape


def draw_elements(shape, dtype, strange=False):
    if dtype == torch.bool:
        return torch.rand(shape) < .5
    if not dtype.is_floating_point:
        return torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, dtype=dtype)
    x = torch.randn(shape, dtype=torch.float64) * random.choice([.3, 1, 4])
    if random.random() < .8:
        x = x * magnitudes(shape, dtype)
    if mood == 'equal' and random.random() < .7:
        x = torch.full(shape, random.gauss(0, random.choice([1, 1000])), dtype=torch.float64)
    if mood == 'end' and x.numel() and dtype != torch.float64:  # there is no wider type to compare with
        limits = torch.finfo(dtype)
        for value in (limits.max, limits.min, limits.tiny, limits.tiny / 4):
            x.view(-1)[random.randrange(x.numel())] = value
    x = x.clamp(torch.finfo(dtype).min, torch.finfo(dtype).max)
    if strange and x.numel():
        for value in STRANGE:
            x.view(-1)[random.randrange(x.numel())] = value
    return x.to(dtype)


def magnitudes(shape, dtype):
    """Factors by which the mood of a call makes elements large or tiny."""
    least, most = REACH[dtype]
    if mood == 'mixed':
        return 10 ** (torch.rand(shape, dtype=torch.float64) * 2 * most - most)
    return 10 ** {'large': random.uniform(least, most), 'tiny': -random.uniform(least, most)}.get(mood, 0)


def draw_tensor(shape, dtype, strange=False, overlapping=True):
    """In memory that is permuted, has gaps, or is shared by elements."""
    shape, order = list(shape), list(range(len(shape)))
    kind = random.choice(['plain', 'plain', 'permuted', 'last', 'gaps', 'expanded'])
    if kind in ('permuted', 'gaps'):
        random.shuffle(order)
    elif kind == 'last' and len(shape) > 2:
        order = [0, *range(2, len(shape)), 1]
    inner = [shape[d] for d in order]
    steps = [random.choice([1, 2, 3]) if kind == 'gaps' else 1 for _ in inner]
    before = [random.choice([0, 1]) if kind == 'gaps' else 0 for _ in inner]
    if kind == 'expanded' and overlapping:
        inner = [1 if random.random() < .5 else size for size in inner]
    room = [size * step + start for size, step, start in zip(inner, steps, before)]
    if torch.Size(room).numel() > 8 * MOST_ELEMENTS:
        steps, before, room = [1] * len(inner), [0] * len(inner), inner
    x = draw_elements(room, dtype, strange)
    for d, (size, step, start) in enumerate(zip(inner, steps, before)):
        x = x.narrow(d, start, size * step)[(slice(None),) * d + (slice(None, None, step),)]
    x = x.permute([order.index(d) for d in range(len(shape))])
    return x.expand(shape)


def narrowed(shape):
    """A shape that broadcasts to this one."""
    shape = [1 if random.random() < .3 else size for size in shape]
    return shape[random.randint(0, len(shape)):] if random.random() < .3 else shape


def draw_type(result='PROMOTED'):
    if result == 'INTEGERS':
        return random.choice(INTEGERS)
    return random.choice(REALS if random.random() < .75 else INTEGERS)


def draw_pointwise(base, overload, schema, result, in_place):
    name = f'aten.{base}{"_" if in_place else ""}.{overload}'
    function = operator(name)
    if not function:
        return None
    names, parameters = pointwise.words(schema)
    shape, dtype, strange = draw_shape(), draw_type(result), random.random() < .3
    if base in UNLIKE_ITSELF:
        strange = False
    if base in ('remainder', 'fmod', 'floor_divide', 'div'):
        set_mood(without='end')  # if the quotient overflows, torch 1.13 returns NaN, though the rest is defined
    if base == 'hardswish_backward' and dtype.is_floating_point:
        dtype = torch.float32  # hardly ever exactly 3
    operands = {}
    for i, word in enumerate(names):
        own = dtype if random.random() < .75 or in_place or base == 'hardswish_backward' else draw_type(result)
        if word in ('condition', 'mask'):
            own = torch.bool
        if pointwise.is_number(function, word):
            operands[word] = random.choice([2, 1.25, -3, 0.5 if base != 'pow' else 3, 1]) if dtype.is_floating_point else random.choice([2, 3, -1])
            continue
        size = [] if word == 'value' else shape if i == 0 else narrowed(shape)
        if not size and own.is_floating_point and dtype in HALVES:
            own = dtype  # which it would be rounded to
        if i == 0 and not in_place and random.random() < .2:
            size = narrowed(shape)
        operands[word] = draw_tensor(size, own, strange, overlapping=not in_place or i > 0)
        if word == 'output':  # of sigmoid and tanh
            operands[word] = operands[word].double().tanh().to(own)
        if base == 'gelu_backward':  # torch 1.13 reads other memory if the gradient is transposed
            operands[word] = draw_elements(shape, dtype)
    chosen = {word: random.choice(pointwise.PARAMETERS[word]) for word in parameters}
    if chosen.get('is_result'):  # those of elu are above -alpha * scale
        operands['self_or_result'] = operands['self_or_result'].double().clamp(min=-1).to(operands['self_or_result'].dtype)
    return (name, *pointwise.positional(function, operands, chosen))


def draw_dims(shape, at_least=0):
    count = random.randint(min(at_least, len(shape)), len(shape))
    return [d - random.choice([0, len(shape)]) for d in random.sample(range(len(shape)), count)]


def draw_reduction(base, overload):
    # Where torch's var_mean meets an infinity, the mean is NaN.
    x = draw_tensor(draw_shape(), draw_type(), random.random() < .2 and not base.endswith('_mean'))
    ndim, keep, options = x.dim(), random.random() < .5, {}
    dim = random.randrange(-ndim, ndim) if ndim else 0
    if base in ('prod',) and x.is_floating_point():
        x = (x.double().abs().clamp(max=2) ** .01).to(x.dtype)
    if base in ('sum', 'mean', 'prod') and random.random() < .2:
        options['dtype'] = random.choice([torch.float32, torch.float64])
    rest = {'default': [], 'dim_IntList': [draw_dims(x.shape), keep], 'dim_int': [dim, keep], 'dim': [dim, keep],
            'correction': [draw_dims(x.shape)], 'Scalar': [random.choice([0, 1, 2, 3, float('inf')])],
            'ScalarOpt_dim': [random.choice([0, 1, 2, 3.5, float('inf'), -float('inf')]), draw_dims(x.shape), keep]}.get(overload, [])
    if base == 'mean' and overload == 'dim':
        rest = [draw_dims(x.shape), keep]
    if base in ('amax', 'amin'):
        rest = [draw_dims(x.shape), keep]
    if base in ('var', 'std') and overload == 'dim':
        rest = [draw_dims(x.shape), random.random() < .5, keep]
    if base in ('var', 'std') and overload == 'default':
        rest = [random.random() < .5]
    if overload == 'correction':
        options = {'correction': random.choice([0, 1]), 'keepdim': keep}
    if base == 'linalg_vector_norm':
        rest = [random.choice([0, 1, 2, 3, float('inf'), -float('inf')]), random.choice([None, draw_dims(x.shape, 1)]), keep]
    return f'aten.{base}.{overload}', [x, *rest], options


def draw_soft(base, _):
    t, shape = random.choice(REALS), draw_shape()
    dim = random.randrange(-len(shape), len(shape)) if shape else 0
    if 'backward' not in base:
        return f'aten.{base}.default', [draw_tensor(shape, t, random.random() < .1), dim, False], {}
    # torch 1.13 reads a strided result of softmax as if it were contiguous.
    function = torch.log_softmax if 'log' in base else torch.softmax
    output = function(draw_elements(shape, t).double(), dim).to(t)
    return f'aten.{base}.default', [draw_tensor(shape, t), output, dim, t], {}


def draw_weights(shape, t):
    return [random.choice([None, draw_elements(shape, t)]) for _ in range(2)]


def positive(shape, t):
    return (torch.rand(shape, dtype=torch.float64) + .2).to(t)


def draw_mask(weight):
    return [random.random() < .7, weight is not None and random.random() < .7, weight is not None and random.random() < .7]


def draw_layer_norm(base, _):
    t, shape = random.choice(REALS), draw_shape(1, 4)
    count = random.randint(1, len(shape))
    inner, outer = shape[-count:], shape[:-count] + [1] * count
    weight, bias = draw_weights(inner, t)
    x = draw_tensor(shape, t)
    if 'backward' not in base:
        return f'aten.{base}.default', [x, inner, weight, bias, 1e-5], {}
    return f'aten.{base}.default', [draw_tensor(shape, t), x, inner, draw_elements(outer, t), positive(outer, t), weight, bias,
                                    draw_mask(weight)], {}


def draw_batch_norm(base, _):
    t, shape = random.choice(REALS), draw_shape(2, 5)
    set_mood(without='end')  # without training, x - mean may overflow, as in torch
    shape = [max(n, 1) for n in shape]  # torch 1.13 divides an empty one's by 0, and crashes
    channels, training = shape[1], random.random() < .5
    weight, bias = draw_weights([channels], t)
    running = random.choice([[draw_elements([channels], t), positive([channels], t)], [None, None] if training else
                             [draw_elements([channels], t), positive([channels], t)]])
    x = draw_tensor(shape, t)
    if 'backward' not in base:
        return f'aten.{base}.default', [x, weight, bias, *running, training, random.choice([0.0, .1, 1.0]), 1e-5], {}
    saved = [draw_elements([channels], t), positive([channels], t)]
    return f'aten.{base}.default', [draw_tensor(shape, t), x, weight, *running, *saved, training, 1e-5, draw_mask(weight)], {}


def draw_group_norm(base, _):
    t, groups = random.choice(REALS), random.choice([1, 2, 3, 4])
    samples, channels, size = random.choice([1, 2, 3]), groups * random.choice([1, 2, 5]), draw_shape(1, 2)
    area = torch.Size(size).numel()
    weight, bias = draw_weights([channels], t)
    x = draw_elements([samples, channels, *size], t)
    rest = [samples, channels, area, groups]
    if 'backward' not in base:
        return f'aten.{base}.default', [x, weight, bias, *rest, 1e-5], {}
    return f'aten.{base}.default', [draw_elements(x.shape, t), x, draw_elements([samples, groups], t), positive([samples, groups], t),
                                    weight, *rest, draw_mask(weight)], {}


def draw_copy(base, overload):
    t, shape = draw_type(), draw_shape()
    x = draw_tensor(shape, t, t.is_floating_point and random.random() < .3)
    formats = [torch.contiguous_format, torch.preserve_format] + [torch.channels_last] * (len(shape) == 4)
    dim = random.randrange(-len(shape), len(shape)) if shape else 0
    args, options = [x], {}
    if base == 'clone' and random.random() < .5:
        options['memory_format'] = random.choice(formats)
    elif base == '_to_copy':
        set_mood_usual()  # what large numbers are as integers is not defined
        x = draw_tensor(shape, t)
        other = draw_type()
        args = [x.abs() if other == torch.uint8 and t.is_floating_point else x]
        options['dtype'] = other
    elif base == 'copy_':
        set_mood_usual()
        other = draw_type()
        source = draw_tensor(narrowed(shape), other)
        args = [draw_tensor(shape, t, overlapping=False), source.abs() if t == torch.uint8 and other != torch.bool else source]
    elif base in ('cat', 'stack'):
        parts = []
        for _ in range(random.randint(1, 5)):
            own = list(shape)
            if base == 'cat' and shape:
                own[dim] = random.choice([0, *SIZES[:8]])
            parts.append(draw_tensor(own, t if random.random() < .9 else draw_type()))
        args = [parts, dim if base == 'cat' else random.randrange(-len(shape) - 1, len(shape) + 1)]
    elif base in ('fill_', 'zero_'):
        x = draw_tensor(shape, t, overlapping=False)
        value = random.choice([0, 2, 1.5, -0.0, float('nan')] if t.is_floating_point else [0, 1])
        args = [x] if base == 'zero_' else [x, torch.tensor(value) if overload == 'Tensor' else value]
    return f'aten.{base}.{overload}', args, options


def draw_part(base, _):
    """Operators that put a tensor somewhere in a larger one, or move it around."""
    t, shape = draw_type(), draw_shape(1, 4)
    dim, x = random.randrange(len(shape)), draw_tensor(shape, t)
    if base == 'slice_backward':
        size, step = random.choice(SIZES), random.choice([1, 1, 2, 3])
        start = random.randrange(-size - 1, size)
        end = random.choice([9223372036854775807, random.randint(start, size + 2), -1])
        whole = [*shape[:dim], size, *shape[dim + 1:]]
        length = torch.empty(whole)[(slice(None),) * dim + (slice(start, end, step),)].shape[dim]
        gradient = draw_tensor([*shape[:dim], length, *shape[dim + 1:]], t)
        args = [gradient, whole, dim, start, end, step]
    elif base == 'select_backward':
        size = random.choice(SIZES)
        args = [x, [*shape[:dim], size, *shape[dim:]], dim, random.randrange(-size, size)]
    elif base == 'constant_pad_nd':
        pads = []
        for size in reversed(shape[-random.randint(1, len(shape)):]):
            pads += [random.randint(-(size // 3), 3), random.randint(-(size // 3), 3)]
        args = [x, pads, random.choice([0, 1, 2])]
    elif base == 'flip':
        args = [x, draw_dims(shape)]
    elif base == 'roll':
        dims = draw_dims(shape, 1)
        args = [x, [random.randint(-70, 70) for _ in dims], dims]
    else:
        args = [x, [random.choice([1, 1, 2, 3, 0 if random.random() < .1 else 1]) for _ in range(random.choice([0, 1])) ] +
                [random.choice([1, 2, 3]) for _ in shape]]
    return f'aten.{base}.default', args, {}


def draw_index(base, _):
    t = draw_type()
    if base == 'embedding':
        size = random.choice(SIZES)
        indices = draw_tensor(draw_shape(0, 3), torch.int64).abs() % size
        return 'aten.embedding.default', [draw_tensor([size, random.choice(SIZES)], t), indices], {}
    x = draw_tensor([max(size, 1) for size in draw_shape(1, 4)], t)
    dim = random.randrange(-x.dim(), x.dim())
    if base == 'index_select':
        shape = [random.choice(SIZES)] if random.random() < .9 else []
    else:
        shape = [random.randint(1, size) for size in x.shape]
        shape[dim] = random.choice(SIZES[:8])
    return f'aten.{base}.default', [x, dim, draw_tensor(shape, torch.int64).abs() % x.shape[dim]], {}


def draw_pooling(base, _):
    t = random.choice(REALS)
    x = draw_tensor([random.choice([1, 2, 3]), random.choice([1, 3, 16, 17]), *[random.randint(4, 35) for _ in range(2)]]
                    [random.choice([0, 0, 1]):], t)
    kernel = [random.randint(1, 4), random.randint(1, 4)]
    stride = [random.randint(1, 3), random.randint(1, 3)]
    padding = [random.randint(0, kernel[0] // 2), random.randint(0, kernel[1] // 2)]
    ceil = random.random() < .3
    if base.startswith('max'):
        rest = [kernel, stride, padding, random.choice([[1, 1], [1, 1], [2, 1]]), ceil]
    else:
        rest = [kernel, stride, padding, ceil, random.random() < .5, random.choice([None, None, 3])]
    if 'backward' not in base:
        return f'aten.{base}.default', [x, *rest], {}
    try:
        out = operator(f'aten.{base[:-9]}.default')(x.float(), *rest)
    except RuntimeError:
        return None
    if base.startswith('max'):
        return f'aten.{base}.default', [draw_tensor(out[0].shape, t), x, *rest, out[1]], {}
    return f'aten.{base}.default', [draw_tensor(out.shape, t), x, *rest], {}


def draw_product(base, _):
    t = random.choice(REALS + [torch.int64])
    m, k, n, b = (0 if random.random() < .04 else random.choice(SIZES) for _ in range(4))
    batch = [min(b, 4)] if base in ('bmm', 'baddbmm') else []
    shapes = {'mm': [[m, k], [k, n]], 'bmm': [[m, k], [k, n]], 'mv': [[m, k], [k]], 'dot': [[k], [k]],
              'addmm': [[m, n], [m, k], [k, n]], 'baddbmm': [[m, n], [m, k], [k, n]], 'addmv': [[m], [m, k], [k]]}[base]
    args = [draw_tensor(batch + shape, t) for shape in shapes]
    options = {key: random.choice([0, 1, 2, -1]) for key in ('alpha', 'beta') if base.startswith(('add', 'badd')) and random.random() < .5}
    return f'aten.{base}.default', args, options


def draw_convolution(base, _):
    t, ndim, groups = random.choice(REALS), random.choice([1, 2, 2, 3]), random.choice([1, 1, 2, 3])
    kernel = [random.randint(1, 3) for _ in range(ndim)]
    stride, dilation = ([random.randint(1, 2) for _ in range(ndim)] for _ in range(2))
    padding, transposed = [random.randint(0, 1) for _ in range(ndim)], random.random() < .3
    size = [random.randint(5, 9) for _ in range(ndim)]
    inner, outer = (groups * random.randint(1, 4) for _ in range(2))
    x = draw_tensor([random.randint(1, 3), inner, *size], t)
    weight = draw_tensor([inner, outer // groups, *kernel] if transposed else [outer, inner // groups, *kernel], t)
    bias = random.choice([None, draw_elements([outer], t)])
    rest = [stride, padding, dilation, transposed, [0] * ndim, groups]
    if base == 'convolution':
        return 'aten.convolution.default', [x, weight, bias, *rest], {}
    out = torch.ops.aten.convolution(x.float(), weight.float(), None, *rest)
    mask = [random.random() < .8, random.random() < .8, bias is not None]
    return 'aten.convolution_backward.default', [draw_tensor(out.shape, t), x, weight, [outer] if bias is not None else [0], *rest, mask], {}


def draw_along(base, _):
    """cumsum and cumprod."""
    x = draw_tensor(draw_shape(), draw_type())
    return f'aten.{base}.default', [x, random.randrange(-x.dim(), x.dim()) if x.dim() else 0], {}


def draw_extreme(base, overload):
    """Operators that return where an element is, and logsumexp."""
    x = draw_tensor(draw_shape(), random.choice(REALS) if base == 'logsumexp' else draw_type(), random.random() < .2)
    dim, keep = random.randrange(-x.dim(), x.dim()) if x.dim() else 0, random.random() < .5
    if base == 'logsumexp':
        return 'aten.logsumexp.default', [x, draw_dims(x.shape, 1), keep], {}
    if base.startswith('arg') and random.random() < .3:
        return f'aten.{base}.{overload}', [x], {}
    return f'aten.{base}.{overload}', [x, dim, keep], {}


GROUPS = {cases.copies: 'tril triu', cases.indexed: 'embedding_dense_backward scatter scatter_ scatter_add',
          cases.fills: 'zeros_like ones_like full_like new_zeros new_ones new_full',
          cases.losses: 'nll_loss_forward nll_loss_backward mse_loss mse_loss_backward binary_cross_entropy binary_cross_entropy_backward',
          cases.placed: 'index index_put index_put_ _index_put_impl_'}


def draw_case(base, overload):
    """One of operator_cases.py, with elements drawn here."""
    group = next(group for group, names in GROUPS.items() if base in names.split())
    before, cases.real = cases.real, draw_elements
    try:
        drawn = [case for case in group(draw_type()) if case[0] == f'aten.{base}.{overload}']
    finally:
        cases.real = before
    return random.choice(drawn) if drawn else None


DRAWN = {'softmax': draw_soft, 'layer_norm': draw_layer_norm, 'batch_norm': draw_batch_norm, 'group_norm': draw_group_norm,
         'pool2d': draw_pooling, 'embedding': draw_index, 'index_select': draw_index, 'gather': draw_index}
COPIES = ('clone', '_to_copy', 'lift_fresh_copy', 'copy_', 'cat', 'stack', 'fill_', 'zero_')
PARTS = ('slice_backward', 'select_backward', 'constant_pad_nd', 'flip', 'roll', 'repeat')
# Operators that reference has and codegen does not.
PLAIN = [(draw_product, 'mm addmm bmm baddbmm mv addmv dot'), (draw_convolution, 'convolution convolution_backward'),
         (draw_along, 'cumsum cumprod'), (draw_extreme, 'max.dim min.dim argmax argmin logsumexp'),
         *[(draw_case, names.replace('scatter ', 'scatter.src scatter.value ').replace('scatter_ ', 'scatter_.value ')
            .replace('index ', 'index.Tensor ')) for names in GROUPS.values()]]


def drawer_of(base):
    if base in COPIES or base in PARTS:
        return draw_copy if base in COPIES else draw_part
    return next((draw for part, draw in DRAWN.items() if part in base), draw_reduction)


def pointwise_calls(rows, known):
    for base, overloads, schema, result in rows:
        for overload in overloads:
            for in_place in (False, True):
                name = f'aten.{base}{"_" if in_place else ""}.{overload}'
                if name not in known:
                    known.add(name)
                    yield name, lambda row=(base, overload, schema, result, in_place): draw_pointwise(*row)


def calls_of(codegen_table, reference_table):
    """(name, function that draws a call) of every operator of either backend."""
    known = set()
    yield from pointwise_calls(pointwise_rows(codegen_table), known)
    yield from pointwise_calls(pointwise.rows(reference_table), known)
    for base, overload in other_names(codegen_table):
        yield f'aten.{base}.{overload}', lambda row=(base, overload): drawer_of(row[0])(*row)
    for draw, names in PLAIN:
        for name in names.split():
            base, overload = (name + '.default').split('.')[:2]
            yield f'aten.{base}.{overload}', lambda row=(draw, base, overload): row[0](*row[1:])
