"""Calls of operators that are not pointwise, for backends to agree with torch on.

    for name, args, kwargs in CASES(dtype): ...
"""
import random

import torch

from agreement import layouts

nan, inf = float('nan'), float('inf')


def T(*shape, dtype=torch.float32):
    """Random elements in a random layout."""
    return random.choice(list(layouts(lambda size: real(size, dtype), list(shape))))


def real(size, dtype):
    if dtype == torch.bool:
        return torch.rand(size) < .5
    if not dtype.is_floating_point:
        return torch.randint(-5, 6, size, dtype=dtype) if dtype != torch.uint8 else torch.randint(0, 9, size, dtype=dtype)
    return torch.randn(size, dtype=torch.float64).to(dtype)


def positive(*shape, dtype=torch.float32):
    return (T(*shape, dtype=dtype).double().abs() + .1).to(dtype)


def index(size, *shape):
    return random.choice(list(layouts(lambda size_: torch.randint(0, size, size_), list(shape))))


def reductions(t):
    for shape in ([3, 4, 5], [7], [], [2, 1, 300], [1]):
        for name in ('sum', 'mean', 'max', 'min', 'any', 'all', 'prod'):
            yield f'aten.{name}.default', [T(*shape, dtype=t)], {}
        yield 'aten.argmax.default', [T(*shape, dtype=t)], {}
        yield 'aten.norm.Scalar', [T(*shape, dtype=t), 3], {}
        for unbiased in (True, False):
            yield 'aten.var.default', [T(*shape, dtype=t), unbiased], {}
            yield 'aten.std.default', [T(*shape, dtype=t), unbiased], {}
    for dim in ([0], [1], [-1], [0, 2], [-1, -2], []):
        for keep in (False, True):
            yield 'aten.sum.dim_IntList', [T(3, 4, 5, dtype=t), dim, keep], {}
            yield 'aten.mean.dim', [T(3, 4, 5, dtype=t), dim, keep], {}
            yield 'aten.amax.default', [T(3, 4, 5, dtype=t), dim, keep], {}
            yield 'aten.amin.default', [T(3, 4, 5, dtype=t), dim, keep], {}
            yield 'aten.norm.ScalarOpt_dim', [T(3, 4, 5, dtype=t), 2, dim, keep], {}
            yield 'aten.linalg_vector_norm.default', [T(3, 4, 5, dtype=t), inf, dim, keep], {}
            yield 'aten.logsumexp.default', [T(3, 4, 5, dtype=t), dim or [1], keep], {}
            for name in ('var', 'std', 'var_mean', 'std_mean'):
                yield f'aten.{name}.correction', [T(3, 4, 5, dtype=t), dim], {'correction': 0, 'keepdim': keep}
    for dim in (0, 1, -1):
        for name in ('max.dim', 'min.dim', 'argmax.default', 'argmin.default', 'any.dim', 'all.dim', 'prod.dim_int'):
            yield f'aten.{name}', [T(4, 3, 6, dtype=t), dim, random.random() < .5], {}
        yield 'aten.var.dim', [T(4, 3, 6, dtype=t), [dim], True, False], {}
        yield 'aten.std.dim', [T(4, 3, 6, dtype=t), [dim], False, True], {}
    yield 'aten.sum.default', [T(0, 3, dtype=t)], {}
    yield 'aten.sum.dim_IntList', [T(0, 3, dtype=t), [0]], {}
    yield 'aten.sum.dim_IntList', [T(2, 3, dtype=t), [0]], {'dtype': torch.float64}
    yield 'aten.amax.default', [torch.tensor([1, nan, 3], dtype=t if t.is_floating_point else torch.float32), [0]], {}
    yield 'aten.argmax.default', [torch.tensor([1, 3, 3, 2]).to(t), 0], {}


def slices(t):
    # torch 1.13 reads a strided result of softmax as if it were contiguous.
    for shape, dim in (([3, 5], 1), ([3, 5], 0), ([2, 3, 4], -2), ([7], -1), ([], 0), ([2, 0], 0), ([4, 300], -1)):
        for name in ('_softmax', '_log_softmax'):
            yield f'aten.{name}.default', [T(*shape, dtype=t), dim, False], {}
        yield 'aten._softmax_backward_data.default', [T(*shape, dtype=t), real(shape, t), dim, t], {}
        yield 'aten._log_softmax_backward_data.default', [T(*shape, dtype=t), T(*shape, dtype=t), dim, t], {}
        yield 'aten.cumsum.default', [T(*shape, dtype=t), dim], {}
        yield 'aten.cumprod.default', [T(*shape, dtype=t), dim], {}
    if t.is_floating_point:
        yield 'aten._softmax.default', [torch.tensor([[-inf, 0, 1], [-inf, -inf, -inf]], dtype=t), 1, False], {}
        yield 'aten._log_softmax.default', [torch.tensor([[1e4, 0, 1], [nan, 1, 2]], dtype=t), 1, False], {}


def norms(t):
    def weights(n):
        return random.choice(([T(n, dtype=t), T(n, dtype=t)], [None, None]))
    for shape, inner in (([2, 3, 8], [8]), ([5, 6], [6]), ([2, 3, 4], [3, 4]), ([1, 1], [1])):
        size = torch.Size(inner)
        weight = random.choice(([T(*inner, dtype=t), T(*inner, dtype=t)], [None, None]))
        yield 'aten.native_layer_norm.default', [T(*shape, dtype=t), inner, *weight, 1e-5], {}
        outer = shape[:len(shape) - len(size)] + [1] * len(size)
        for mask in ([True, True, True], [True, False, False], [False, True, True]):
            if weight[0] is None and mask[1]:
                continue
            yield 'aten.native_layer_norm_backward.default', [
                T(*shape, dtype=t), T(*shape, dtype=t), inner, real(outer, t), positive(*outer, dtype=t).contiguous(),
                *weight, mask], {}
    for shape in ([4, 3, 5, 6], [4, 3, 7], [6, 3]):
        for training in (True, False):
            weight = weights(3)
            yield 'aten.native_batch_norm.default', [
                T(*shape, dtype=t), *weight, T(3, dtype=t).contiguous(), positive(3, dtype=t), training, .1, 1e-5], {}
            yield 'aten.native_batch_norm_backward.default', [
                T(*shape, dtype=t), T(*shape, dtype=t), weight[0], T(3, dtype=t).contiguous(), positive(3, dtype=t),
                T(3, dtype=t).contiguous(), positive(3, dtype=t), training, 1e-5, [True, weight[0] is not None, True]], {}
    yield 'aten.native_batch_norm.default', [T(4, 3, 5, dtype=t), T(3, dtype=t), None, None, None, True, 0.0, 1e-5], {}
    for channels, groups in ((6, 2), (4, 4), (4, 1)):
        shape, weight = [2, channels, 3, 5], [T(channels, dtype=t).contiguous(), T(channels, dtype=t).contiguous()]
        yield 'aten.native_group_norm.default', [real(shape, t), *weight, 2, channels, 15, groups, 1e-5], {}
        yield 'aten.native_group_norm_backward.default', [
            real(shape, t), real(shape, t), real([2, groups], t), real([2, groups], t).double().abs().to(t), weight[0], 2, channels, 15,
            groups, [True, True, True]], {}


def empty_norms(t):
    """Slices without elements: what they save is defined all the same."""
    four = [real([4], t), real([4], t)]
    for shape in ([2, 4, 0], [2, 4, 0, 3]):
        empty = torch.ones(shape, dtype=t)
        yield 'aten.native_group_norm.default', [empty, *four, 2, 4, 0, 2, 1e-5], {}
        yield 'aten.native_group_norm_backward.default', [
            empty, empty, real([2, 2], t), real([2, 2], t), four[0], 2, 4, 0, 2, [True, True, False]], {}
        if torch.__version__ < '2':  # which refuses it
            yield 'aten.native_batch_norm.default', [empty, *four, real([4], t), real([4], t), True, .1, 1e-5], {}
    for rows, columns in ((2, 0), (0, 3)):
        empty, weight = torch.ones(rows, columns, dtype=t), [real([columns], t), real([columns], t)]
        yield 'aten.native_layer_norm.default', [empty, [columns], *weight, 1e-5], {}
        yield 'aten.native_layer_norm_backward.default', [
            empty, empty, [columns], real([rows, 1], t), real([rows, 1], t), *weight, [True, True, True]], {}
    yield 'aten.var.correction', [torch.ones(3, 0, dtype=t), [1]], {'correction': 1}


def products(t):
    for m, k, n in ((3, 4, 5), (1, 1, 1), (33, 17, 300), (0, 3, 4), (3, 0, 4), (130, 65, 40)):
        yield 'aten.mm.default', [T(m, k, dtype=t), T(k, n, dtype=t)], {}
        yield 'aten.addmm.default', [T(n, dtype=t), T(m, k, dtype=t), T(k, n, dtype=t)], {}
        yield 'aten.addmm.default', [T(m, n, dtype=t), T(m, k, dtype=t), T(k, n, dtype=t)], {'beta': .5, 'alpha': 2}
        yield 'aten.bmm.default', [T(3, m, k, dtype=t), T(3, k, n, dtype=t)], {}
        yield 'aten.baddbmm.default', [T(3, m, n, dtype=t), T(3, m, k, dtype=t), T(3, k, n, dtype=t)], {'beta': 2}
        yield 'aten.baddbmm.default', [T(n, dtype=t), T(3, m, k, dtype=t), T(3, k, n, dtype=t)], {'alpha': .5}
        yield 'aten.mv.default', [T(m, k, dtype=t), T(k, dtype=t)], {}
        yield 'aten.addmv.default', [T(m, dtype=t), T(m, k, dtype=t), T(k, dtype=t)], {'alpha': 3, 'beta': .5}
        yield 'aten.dot.default', [T(k, dtype=t), T(k, dtype=t)], {}
    yield 'aten.addmm.default', [torch.full([2, 2], nan if t.is_floating_point else 1, dtype=t), T(2, 2, dtype=t), T(2, 2, dtype=t)], {'beta': 0}
    yield 'aten.mm.default', [real([4, 1], t).expand(4, 6), real([1, 5], t).expand(6, 5)], {}


def copies(t):
    for limits in ([0], [None, 2], [-1, 3]):  # pointwise, but without a limit
        yield 'aten.clamp.default', [T(3, 4, dtype=t), *limits], {}
    yield 'aten.clone.default', [T(2, 3, 4, dtype=t)], {}
    yield 'aten.clone.default', [T(2, 3, 4, 5, dtype=t)], {'memory_format': torch.channels_last}
    yield 'aten.clone.default', [real([1, 4], t).expand(3, 4)], {'memory_format': torch.contiguous_format}
    yield 'aten.lift_fresh_copy.default', [T(5, dtype=t)], {}
    for other in (torch.float16, torch.float32, torch.int64, torch.uint8, torch.bool, torch.bfloat16):
        yield 'aten._to_copy.default', [positive(3, 4, dtype=t)], {'dtype': other}
        yield 'aten.copy_.default', [T(3, 4, dtype=t), positive(4, dtype=other)], {}
    yield 'aten.copy_.default', [T(0, 4, dtype=t), T(4, dtype=t)], {}
    yield 'aten.cat.default', [[T(2, 3, dtype=t), T(4, 3, dtype=t), T(0, 3, dtype=t)]], {}
    yield 'aten.cat.default', [[T(2, 3, dtype=t), T(2, 1, dtype=t)], -1], {}
    yield 'aten.cat.default', [[torch.empty(0, dtype=t), T(2, 1, dtype=t)], 1], {}
    for dim in (0, 1, 2, -1):
        yield 'aten.stack.default', [[T(2, 3, dtype=t), T(2, 3, dtype=t), T(2, 3, dtype=t)], dim], {}
    yield 'aten.stack.default', [[T(dtype=t)]], {}
    yield 'aten.slice_backward.default', [T(2, 2, 4, dtype=t), [2, 7, 4], 1, 1, 6, 3], {}
    yield 'aten.slice_backward.default', [T(2, 3, dtype=t), [2, 9], 1, -3, 9223372036854775807, 1], {}
    yield 'aten.slice_backward.default', [T(2, 8, dtype=t), [2, 9], 1, 0, -1, 1], {}
    yield 'aten.select_backward.default', [T(3, 4, dtype=t), [3, 5, 4], 1, -2], {}
    yield 'aten.constant_pad_nd.default', [T(2, 3, 4, dtype=t), [1, 2, 0, 1], 1], {}
    yield 'aten.constant_pad_nd.default', [T(2, 3, 4, dtype=t), [-1, 2, 3, -2, 1, 0]], {}
    yield 'aten.flip.default', [T(2, 3, 4, dtype=t), [0, -1]], {}
    yield 'aten.flip.default', [T(2, 0, dtype=t), [1]], {}
    yield 'aten.roll.default', [T(2, 3, 4, dtype=t), [1, -3], [1, 2]], {}
    yield 'aten.roll.default', [T(5, dtype=t), [7], [0]], {}
    yield 'aten.repeat.default', [T(2, 3, dtype=t), [2, 1, 3]], {}
    yield 'aten.repeat.default', [T(3, dtype=t), [0]], {}
    for diagonal in (-1, 0, 2):
        yield 'aten.triu.default', [T(2, 3, 4, dtype=t), diagonal], {}
        yield 'aten.tril.default', [T(5, 3, dtype=t), diagonal], {}


def indexed(t):
    for shape in ([3], [2, 5], [0], []):
        yield 'aten.embedding.default', [T(7, 4, dtype=t), index(7, *shape)], {}
        yield 'aten.embedding_dense_backward.default', [T(*shape, 4, dtype=t), index(7, *shape), 7, 2, False], {}
    if t.is_floating_point:
        yield 'aten.embedding_dense_backward.default', [T(20, 4, dtype=t), index(3, 20), 3, -1, True], {}
    yield 'aten.index_select.default', [T(4, 5, dtype=t), 1, index(5, 9)], {}
    yield 'aten.gather.default', [T(4, 5, 3, dtype=t), 1, index(5, 4, 2, 3)], {}
    yield 'aten.gather.default', [T(4, 5, dtype=t), -1, index(5, 2, 6)], {}
    unique = torch.stack([torch.randperm(5)[:2] for _ in range(4)])
    yield 'aten.scatter.src', [T(4, 5, dtype=t), 1, unique, T(4, 2, dtype=t)], {}
    yield 'aten.scatter.value', [T(4, 5, dtype=t), 1, unique, 2], {}
    yield 'aten.scatter_.value', [T(4, 5, dtype=t), 1, unique, 2], {}
    yield 'aten.scatter_add.default', [T(4, 5, dtype=t), 1, index(5, 4, 7), T(4, 7, dtype=t)], {}


def fills(t):
    yield 'aten.fill_.Scalar', [T(3, 4, dtype=t), 2], {}
    yield 'aten.fill_.Tensor', [T(3, 4, dtype=t), torch.tensor(1.5)], {}
    yield 'aten.zero_.default', [T(3, 4, dtype=t)], {}
    yield 'aten.zeros_like.default', [T(3, 4, dtype=t)], {}
    yield 'aten.ones_like.default', [T(3, 4, dtype=t)], {'dtype': torch.int32}
    yield 'aten.full_like.default', [T(3, 4, dtype=t), 3], {}
    yield 'aten.new_zeros.default', [T(3, dtype=t), [2, 5]], {}
    yield 'aten.new_ones.default', [T(3, dtype=t), [0, 5]], {'dtype': torch.float64}
    yield 'aten.new_full.default', [T(3, dtype=t), [4], 7], {}


def losses(t):
    for reduction in (0, 1, 2):
        weight = random.choice((None, positive(5, dtype=t).contiguous()))
        x, target = T(6, 5, dtype=t), index(5, 6).contiguous()
        yield 'aten.nll_loss_forward.default', [x, target, weight, reduction, 2], {}
        gradient = T(6, dtype=t).contiguous() if reduction == 0 else T(dtype=t)
        yield 'aten.nll_loss_backward.default', [gradient, x, target, weight, reduction, -100, positive(dtype=t)], {}
        yield 'aten.mse_loss.default', [T(3, 4, dtype=t), T(3, 4, dtype=t), reduction], {}
        gradient = T(3, 4, dtype=t) if reduction == 0 else T(dtype=t)
        yield 'aten.mse_loss_backward.default', [gradient, T(3, 4, dtype=t), T(3, 4, dtype=t), reduction], {}
        if t in (torch.float32, torch.float64):  # torch rounds halves in between
            x, target = torch.rand(3, 4, dtype=t), torch.rand(4, 3, dtype=t).t()
            weight = random.choice((None, torch.rand(4, dtype=t)))
            yield 'aten.binary_cross_entropy.default', [x, target, weight, reduction], {}
            yield 'aten.binary_cross_entropy_backward.default', [gradient, x, target, weight, reduction], {}
            ends = torch.tensor([0., 1., 0., 1.], dtype=t)
            yield 'aten.binary_cross_entropy.default', [ends, ends.flip(0), None, reduction], {}


CONVOLUTIONS = [  # input, weight, stride, padding, dilation, transposed, output_padding, groups
    ([2, 3, 8, 9], [4, 3, 3, 3], [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
    ([2, 3, 8, 9], [4, 3, 1, 1], [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    ([1, 4, 9, 8], [6, 2, 3, 2], [2, 1], [0, 1], [1, 1], False, [0, 0], 2),
    ([2, 16, 10, 10], [16, 1, 5, 5], [2, 2], [2, 2], [1, 1], False, [0, 0], 16),
    ([2, 32, 7, 7], [32, 32, 3, 3], [1, 1], [2, 2], [2, 2], False, [0, 0], 1),
    ([2, 3, 20], [5, 3, 4], [2], [1], [1], False, [0], 1),
    ([1, 2, 5, 6, 7], [3, 2, 2, 2, 2], [1, 2, 1], [0, 1, 0], [1, 1, 1], False, [0, 0, 0], 1),
    ([2, 4, 6, 5], [4, 3, 3, 3], [2, 2], [1, 1], [1, 1], True, [1, 1], 1),
    ([2, 4, 6, 5], [4, 3, 4, 4], [2, 2], [0, 0], [1, 1], True, [0, 0], 2),
    ([3, 100, 1, 1], [100, 16, 4, 4], [1, 1], [0, 0], [1, 1], True, [0, 0], 1),
]


def convolutions(t):
    for shape, kernel, *rest in CONVOLUTIONS:
        transposed, groups = rest[3], rest[5]
        channels = kernel[1] * groups if transposed else kernel[0]
        for bias in (None, T(channels, dtype=t)):
            x, weight = T(*shape, dtype=t), T(*kernel, dtype=t)
            yield 'aten.convolution.default', [x, weight, bias, *rest], {}
            out = torch.ops.aten.convolution(x.float(), weight.float(), None, *rest)
            for mask in ([True, True, bias is not None], [False, True, False], [True, False, False]):
                yield 'aten.convolution_backward.default', [
                    T(*out.shape, dtype=t), x, weight, [channels] if bias is not None else [0], *rest, mask], {}
    last = real([2, 8, 9, 8], t).to(memory_format=torch.channels_last)
    yield 'aten.convolution.default', [last, real([4, 8, 3, 3], t), None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1], {}
    grad = real([2, 4, 1, 1], t).expand(2, 4, 9, 8)
    yield 'aten.convolution_backward.default', [
        grad, last, real([4, 8, 3, 3], t), [0], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, False]], {}


def averages(t):
    for rest in ([[3, 3], [1, 1], [1, 1]], [[2, 2], [2, 2], [0, 0], True, False], [[2, 2]], [[3, 3], [2, 2], [1, 1]],
                 [[2, 2], [2, 2]], [[3, 2], [2, 1], [1, 0], False, False], [[3, 3], [2, 2], [1, 1], True, False], [[2]],
                 [[3, 3], [2, 2], [0, 0], True, True], [[2, 2], [3, 3], [0, 0], True, False], [[6, 6], [1, 1], [1, 1]],
                 [[2, 3], [2, 3]], [[2, 3], [2, 3], [0, 0], False, True, 5], [[3, 3], [1, 1], [1, 1], False, True, 4]):
        for size in ([2, 3, 8, 9], [1, 16, 7, 7]):
            x = T(*size, dtype=t)
            yield 'aten.avg_pool2d.default', [x, *rest], {}
            full = [rest[0], rest[1] if len(rest) > 1 else rest[0], rest[2] if len(rest) > 2 else [0, 0],
                    rest[3] if len(rest) > 3 else False, rest[4] if len(rest) > 4 else True,
                    rest[5] if len(rest) > 5 else None]
            out = torch.ops.aten.avg_pool2d(x.float(), *full)
            yield 'aten.avg_pool2d_backward.default', [T(*out.shape, dtype=t), x, *full], {}


def largest(t):
    for rest in ([[3, 3], [2, 2]], [[3, 3], [2, 2], [1, 1]], [[2, 2]], [[3, 2], [1, 2], [1, 1], [2, 1]],
                 [[3, 3], [2, 2], [0, 0], [1, 1], True]):
        for size in ([2, 3, 8, 9], [4, 7, 7]):
            x = T(*size, dtype=t)
            yield 'aten.max_pool2d_with_indices.default', [x, *rest], {}
            full = [*rest, *[rest[0], [0, 0], [1, 1], False][len(rest) - 1:]]
            out, places = torch.ops.aten.max_pool2d_with_indices(x.float(), *full)
            yield 'aten.max_pool2d_with_indices_backward.default', [T(*out.shape, dtype=t), x, *full, places], {}
    if t.is_floating_point:
        yield 'aten.max_pool2d_with_indices.default', [torch.full([1, 1, 4, 4], nan, dtype=t), [2, 2]], {}


def placed(t):
    x = T(5, 4, 3, dtype=t)
    for indices in ([index(5, 6)], [None, index(4, 2, 3)], [index(5, 2, 1), index(4, 3)], [index(5, 4), None, index(3, 4)],
                    [None, index(4, 2), index(3, 2)], [torch.tensor([-1, 0])]):
        yield 'aten.index.Tensor', [x, indices], {}
        shape = torch.ops.aten.index(x, indices).shape
        dense = real([5, 4, 3], t)
        yield 'aten.index_put.default', [dense, indices, T(*shape, dtype=t), True], {}
        yield 'aten.index_put_.default', [T(5, 4, 3, dtype=t), indices, T(dtype=t)], {}
        yield 'aten._index_put_impl_.default', [dense, indices, T(*shape, dtype=t), True, True], {}


def edges(t):
    """Slices without elements, results that are not requested, and elements whose squares or sums are beyond their type."""
    for x in (torch.zeros(0, dtype=t), torch.zeros(0, 3, dtype=t), torch.zeros(3, 0, dtype=t)):
        refused = () if torch.__version__ < '2' else (-1, inf, -inf)  # of nothing
        for order in (one for one in (0, 1, 2, 3, -1, inf, -inf) if one not in refused):
            yield 'aten.norm.Scalar', [x, order], {}
            yield 'aten.norm.ScalarOpt_dim', [x, order, [0], True], {}
        for name in ('amax.default', 'amin.default', 'linalg_vector_norm.default', 'logsumexp.default', 'std.dim', 'mean.dim'):
            yield f'aten.{name}', [x, *([inf] if 'vector' in name else []), [0]], {}
        for name in ('var_mean', 'std_mean'):
            yield f'aten.{name}.correction', [x, [0]], {'correction': 1, 'keepdim': True}
        for name in ('max', 'min', 'any', 'all', 'prod', 'sum', 'mean', 'argmax'):
            yield f'aten.{name}.default', [x], {}
    scale = {torch.float16: 1e3, torch.float64: 1e30}.get(t, 1e20)
    for factor in (scale, 1 / scale, 1):
        yield from far((torch.tensor([1, -2, 3, 4], dtype=torch.float64) * factor).to(t))
    yield 'aten.mean.default', [torch.full([5], torch.finfo(t).max, dtype=t)], {}
    yield 'aten.sum.default', [torch.tensor([1, 1, -1], dtype=t) * torch.finfo(t).max], {}
    yield 'aten.std.dim', [torch.full([7, 40], 3.3, dtype=t), [1]], {}
    yield 'aten.sum.default', [torch.full([20000, 16], .4265, dtype=t)[:, :8]], {}
    for shape, dims in (([20000, 16], [0]), ([500, 16, 40], [0, 2]), ([16, 20001], [1])):  # equal ones add up errors
        for name in ('sum.dim_IntList', 'mean.dim', 'var.dim'):
            yield f'aten.{name}', [torch.full(shape, .4265, dtype=t), dims], {}
    x, three = real([2, 3], t), real([3], t)
    for training in (True, False):
        yield 'aten.native_batch_norm_backward.default', [x, x, three, three, three.abs(), three, three.abs(), training, 1e-5, [False] * 3], {}
    yield 'aten.native_layer_norm_backward.default', [x, x, [3], real([2, 1], t), positive(2, 1, dtype=t), three, three, [False] * 3], {}


def far(x):
    wide = x.repeat(33, 5)
    for y in (x, wide, wide.t()):
        for name in ('std.dim', 'var.dim', 'mean.dim', 'sum.dim_IntList', 'logsumexp.default'):
            yield f'aten.{name}', [y, [0]], {}
        for order in (1, 2, 3):
            yield 'aten.norm.ScalarOpt_dim', [y, order, [-1]], {}
        yield 'aten._softmax.default', [y, 0, False], {}
        yield 'aten._log_softmax.default', [y, -1, False], {}
        yield 'aten.native_layer_norm.default', [y, [y.shape[-1]], None, None, 1e-5], {}
    image = wide.reshape(3, 4, 11, 5)
    spread = (1 / image.double().std()).to(x.dtype)
    yield 'aten.native_group_norm.default', [image, None, None, 3, 4, 55, 2, 1e-5], {}
    yield 'aten.native_batch_norm.default', [image, None, None, real([4], x.dtype), positive(4, dtype=x.dtype), True, .1, 1e-5], {}
    yield 'aten.native_batch_norm_backward.default', [real([3, 4, 11, 5], x.dtype), image, None, None, None,
                                                      image[0, :, 0, 0].contiguous(), spread.repeat(4), True, 1e-5, [True, True, True]], {}
    yield 'aten.native_layer_norm_backward.default', [real([33, 20], x.dtype), wide, [20], wide[:, :1].contiguous(), spread.repeat(33, 1),
                                                      real([20], x.dtype), real([20], x.dtype), [True, True, True]], {}
