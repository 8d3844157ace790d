#!/usr/bin/python3
"""A backend against torch, on the inputs of real models: TAP.

    logs.py BACKEND.so [--samples N] [--max-bytes N] [--op REGEX]

Reads the logs under $BILANX_DATA; without it there is nothing to do. Floating tensors are float32.
Samples that the backend refuses are counted, and said at the end.
"""
import argparse
import ast
import os
import re
import sys
import time
from pathlib import Path

import torch

from agreement import POINTWISE, REDUCTION, TorchRefuses, describe, disagreement, operator
from backend_modules import Backend, Unsupported

TYPES = {'f16': torch.float32, 'bf16': torch.float32, 'f32': torch.float32, 'f64': torch.float32, 'i8': torch.int8,
         'i16': torch.int16, 'i32': torch.int32, 'i64': torch.int64, 'u8': torch.uint8, 'b8': torch.bool}
REDUCES = re.compile(r'sum|mean|var|std|norm|softmax|mm|mv|dot|conv|pool|loss|embedding_dense|scatter_add|cumsum|prod')


class Tensor:
    """A description of a tensor."""

    def __init__(self, shape, dtype, stride=None):
        self.shape, self.dtype, self.stride = shape, dtype, stride

    def make(self, bound, positive):
        dtype = TYPES[self.dtype]
        size = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride)) if self.stride else None
        shape = self.shape if size is None else [size if 0 not in self.shape else 0]
        if dtype == torch.bool:
            made = torch.rand(shape) < .5
        elif dtype.is_floating_point:
            made = torch.randn(shape).abs() + .1 if positive else torch.randn(shape)
        else:
            made = torch.randint(0, max(min(bound, 100 if dtype in (torch.int8, torch.uint8) else bound), 1), shape,
                                 dtype=dtype)
        return made.as_strided(self.shape, self.stride) if self.stride else made

    def bytes(self):
        return torch.Size(self.shape).numel() * 8


def value(node):
    """An argument of a log, without evaluating anything."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp):
        return -value(node.operand)
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {key.value: value(item) for key, item in zip(node.keys, node.values)}
    if isinstance(node, ast.Attribute):
        return getattr(torch, node.attr)
    if isinstance(node, ast.Name):
        return {'inf': float('inf'), 'nan': float('nan')}.get(node.id) or TYPES[node.id]
    if isinstance(node, ast.Call) and node.func.id == 'T':
        keywords = {keyword.arg: value(keyword.value) for keyword in node.keywords}
        return Tensor(value(node.args[0]), node.args[1].id, **keywords)
    raise ValueError(ast.dump(node))


def read(folder):
    """Operators and the distinct arguments they were called with."""
    calls, name = {}, None
    for path in sorted(folder.rglob('*.txt')):
        for line in path.read_text().splitlines():
            if line.startswith('Operator: '):
                name = line[10:].replace('aten.sum.SymInt', 'aten.sum.dim_IntList')
            elif line.startswith('cnt: '):
                calls.setdefault(name, {})[line.split(', ', 1)[1]] = f'{path.name}'
    return calls


def tensors(arg):
    if isinstance(arg, Tensor):
        yield arg
    elif isinstance(arg, (list, tuple)):
        for item in arg:
            yield from tensors(item)


def index_bound(name, args):
    """How large indices may be."""
    base = name.split('.')[1]
    if base == 'embedding':
        return args[0].shape[0]
    if base == 'embedding_dense_backward':
        return args[2]
    if base in ('gather', 'scatter', 'scatter_add', 'index_select'):
        return args[0].shape[args[1]]
    if base.startswith('nll_loss'):
        return args[1 if 'backward' in base else 0].shape[1]
    return 6


def made(arg, bound, positive):
    if isinstance(arg, Tensor):
        return arg.make(bound, positive)
    return [made(item, bound, positive) for item in arg] if isinstance(arg, list) else arg


def arguments(name, text):
    args, kwargs = value(ast.parse(text, mode='eval').body)
    bound = index_bound(name, args)
    positive = re.search(r'\.(sqrt|rsqrt|log|pow)\.', name) is not None
    ready = [made(arg, bound, positive) for arg in args]
    for at in {'native_batch_norm': [4], 'native_batch_norm_backward': [4, 6],
               'native_layer_norm_backward': [4]}.get(name.split('.')[1], []):
        if ready[at] is not None:
            ready[at] = ready[at].abs() + .1
    if 'softmax_backward' in name:  # a result of the forward operator
        ready[1] = (torch.log_softmax if 'log' in name else torch.softmax)(ready[1], ready[2])
    drop = ('device', 'pin_memory', 'layout')
    return ready, {key: item for key, item in kwargs.items() if key not in drop}


def size(text):
    args, _ = value(ast.parse(text, mode='eval').body)
    return sum(tensor.bytes() // 2 for tensor in tensors(args))


def attempt(backend, name, text):
    args, kwargs = arguments(name, text)
    try:
        wrong = disagreement(backend, name, args, kwargs, REDUCTION if REDUCES.search(name) else POINTWISE)
    except (Unsupported, TorchRefuses) as reason:
        return f'{type(reason).__name__}: {reason}', None
    except RuntimeError as error:
        wrong = str(error)
    return None, wrong and f'{describe(args, kwargs)[:300]}: {wrong}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('backend')
    parser.add_argument('--samples', type=int, default=1)
    parser.add_argument('--max-bytes', type=int, default=1 << 22)
    parser.add_argument('--op', default='')
    options = parser.parse_args()
    folder = os.environ.get('BILANX_DATA')
    if not folder or not Path(folder).is_dir():
        print('1..0 # SKIP BILANX_DATA names no folder')
        return 0
    torch.manual_seed(5)
    torch.set_num_threads(1)
    backend, number, failed = Backend(options.backend), 0, False
    for name, samples in sorted(read(Path(folder)).items()):
        if not re.search(options.op, name) or not operator(name):
            continue
        fitting = [text for text in samples if 'ST(' not in text and size(text) <= options.max_bytes]
        start, results = time.monotonic(), [attempt(backend, name, text) for text in fitting[:options.samples]]
        wrong = [wrong for _, wrong in results if wrong]
        reasons = {reason for reason, _ in results if reason}
        if not results or len(reasons) and all(reason for reason, _ in results):
            print(f'# {name}: {reasons or "all samples are too large"}')
            continue
        number, failed = number + 1, failed or bool(wrong)
        print(f'{"not ok" if wrong else "ok"} {number} - {name}: {len(results)} samples agree with torch', flush=True)
        for line in [*wrong, *reasons, f'{time.monotonic() - start:.1f} s']:
            print('# ' + line.replace('\n', ' ')[:500])
    print(f'1..{number}')
    backend.close()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
