"""Runs the smallest sample of every operator of the logs in given folders on a backend module, and
compares with what torch's own Python functions return. Prints one line per operator:

    torch_logs.py MODULE [--symbol S] [--runs N] PATH...
"""
import argparse
import collections
import copy
import glob
import math
import os
import sys

import host
import torch

# Results that are random or uninitialised.
UNDEFINED = ("empty", "bernoulli", "dropout", "rand", "normal_", "uniform_")
RENAMED = {"aten.sum.SymInt": "aten.sum.dim_IntList", "aten.im2col_backward.default":
           "aten.col2im.default", "aten.col2im_backward.default": "aten.im2col.default"}


def size_of(text):
    total = 0

    def count(shape, dtype, stride):
        nonlocal total
        total += math.prod(shape) * 4
    try:
        host.parse(text, count)
    except host.Failure:
        return math.inf
    return total


def make(shape, dtype, stride):
    """Half precision becomes float32, as in the benchmark the logs come from. Indices are zeros
    and ones, which are in range nearly everywhere."""
    dtype = torch.float32 if dtype == torch.float16 else dtype
    count = math.prod(shape)
    if stride and count:
        count = 1 + sum((n - 1) * step for n, step in zip(shape, stride))
    flat = torch.empty(count, dtype=dtype)
    flat = flat.uniform_(0.1, 0.9) if dtype.is_floating_point else flat.random_(0, 2)
    return flat.as_strided(shape, stride) if stride else flat.reshape(shape)


def smallest_samples(paths):
    texts = collections.defaultdict(set)
    for path in paths:
        files = sorted(glob.glob(os.path.join(path, "*.txt"))) if os.path.isdir(path) else [path]
        for name in files:
            for operator, samples in host.read_log(name):
                texts[operator].update(samples)
    return {operator: min(sorted(samples), key=size_of) for operator, samples in texts.items()}


def to_python(value):
    """Words as torch's own objects."""
    if isinstance(value, host.Word):
        return getattr(torch, value[6:]) if value.startswith("torch.") else host.DTYPES[value]
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_python, value))
    return torch.device("cpu") if isinstance(value, str) and "cuda" in value else value


def call_torch(name, arguments, keywords):
    if name.startswith("aten.upsample_") and name.endswith("_backward.vec") and \
            torch.__version__ >= "2":  # which has no such overload
        grad, _, sizes, *rest, scales = arguments
        arguments = [grad, list(grad.shape[2:]), sizes, *rest, *(scales or [None, None])]
        name = name[:-len("vec")] + "default"
    space, operator, overload = RENAMED.get(name, name).split(".")
    function = getattr(getattr(getattr(torch.ops, space), operator), overload)
    return function(*to_python(arguments), **{k: to_python(v) for k, v in keywords.items()})


def same(a, b):
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(
            a.to_dense(), b.to_dense(), rtol=1e-5, atol=1e-6, equal_nan=True)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or a is None or b is None


def check(module, name, text, runs):
    """"same", "ran" where there is nothing to compare, or what went wrong."""
    if "softmax_backward" in name:
        text = text.replace(", f16), {})", ", f32), {})")  # the type of the input
    arguments, keywords = host.parse(text, make)
    reason = module.supports(name, arguments, keywords)
    if reason:
        return "unsupported: " + reason
    ours = copy.deepcopy(arguments)
    try:
        result = module.run(name, ours, keywords, runs)
    except host.Failure as error:
        return "failed: " + str(error)
    if any(word in name for word in UNDEFINED):
        return "ran"
    expected = call_torch(name, arguments, keywords)
    for _ in range(runs - 1):
        expected = call_torch(name, arguments, keywords)
    return "same" if same(result, expected) else "different"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("--symbol", default="bilanx_backend_table")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("paths", nargs="+")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    module = host.Module(given.module, given.symbol)
    for name, text in sorted(smallest_samples(given.paths).items()):
        print(name, check(module, name, text, given.runs), flush=True)
    module.close()


if __name__ == "__main__":
    sys.exit(main())
