"""The backend `inductor`: the compiler of PyTorch 2, on one operator at a time.

As in PyTorch's own operator benchmark, a call becomes a graph with its tensors as inputs, and
compile_fx() makes code of it. Products in float32 may use the precision "high", as there.

A configuration is a list of names and settings of torch._inductor.config, separated by commas:
`autotune`, `halide`, `max_autotune=True,cpp.simdlen=256`.
"""
import ast
import difflib
import importlib
import importlib.util

import torch
from bilanx_backends import Refusal

ARRAYS = 'torch'
NAMED = {
    'autotune': {'max_autotune': True, 'max_autotune_pointwise': True, 'max_autotune_gemm': True,
                 'coordinate_descent_tuning': True},
    'halide': {'cpu_backend': 'halide', 'cuda_backend': 'halide'},
}
# Names in older logs.
RENAMED = {'aten.sum.SymInt': 'aten.sum.dim_IntList',
           'aten.im2col_backward.default': 'aten.col2im.default',
           'aten.col2im_backward.default': 'aten.im2col.default'}
settings = {}


def known_settings():
    from torch._inductor import config
    try:
        return config.get_config_copy()
    except AttributeError:
        return config.to_dict()


def read_setting(text):
    """key=value: a number, True, False, None or a word."""
    key, _, value = text.partition('=')
    known = known_settings()
    if key not in known:
        near = difflib.get_close_matches(key, list(known) + list(NAMED), 1)
        raise Refusal("inductor has no setting '%s'%s" % (
            key, " (did you mean '%s'?)" % near[0] if near else ''))
    try:
        return {key: ast.literal_eval(value)}
    except (SyntaxError, ValueError):
        return {key: value}


def read_config(text):
    made = {}
    for word in filter(None, (text or '').split(',')):
        made.update(NAMED[word] if word in NAMED else read_setting(word))
    if 'halide' in made.values() and not importlib.util.find_spec('halide'):
        raise Refusal("halide is not installed in this environment: pip install halide")
    return made


def open_backend(config, threads):
    if int(torch.__version__.split('.')[0]) < 2:
        raise Refusal('inductor needs PyTorch 2, and this is %s: Debian 13 has 2.6, or pip install '
                      'torch' % torch.__version__)
    for slow in ('torch._dynamo', 'torch._inductor.compile_fx'):  # once, before any fork
        importlib.import_module(slow)
    from torch._inductor import config as inductor
    torch.set_float32_matmul_precision('high')
    torch.set_num_threads(threads)
    inductor.compile_threads = 1  # a pool of compilers does not survive a fork
    settings.update(read_config(config))


def find(name):
    space, base, overload = (RENAMED.get(name, name).split('.') + ['default'])[:3]
    try:
        return getattr(getattr(getattr(torch.ops, space), base), overload)
    except (AttributeError, RuntimeError):
        return None


def supports(name):
    return None if find(name) else 'PyTorch %s has no operator %s' % (torch.__version__, name)


def split(value, tensors):
    """The value with tensors replaced by their places in a list, which is extended."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return Place(len(tensors) - 1)
    if isinstance(value, (list, tuple)):
        return type(value)(split(item, tensors) for item in value)
    return value


def fill(value, tensors):
    if isinstance(value, Place):
        return tensors[value.index]
    if isinstance(value, (list, tuple)):
        return type(value)(fill(item, tensors) for item in value)
    return value


class Place:
    def __init__(self, index):
        self.index = index


def on_cpu(keywords):
    return {key: 'cpu' if key == 'device' and value else value for key, value in keywords.items()}


def prepare(name, arguments, keywords):
    from torch._inductor.compile_fx import compile_fx
    from torch.fx.experimental.proxy_tensor import make_fx
    operator = find(name)
    tensors = []
    arguments = split(tuple(arguments), tensors)
    keywords = {key: split(value, tensors) for key, value in on_cpu(keywords).items()}
    single = False

    def call(*given):
        nonlocal single
        result = operator(*fill(arguments, given),
                          **{key: fill(value, given) for key, value in keywords.items()})
        single = not isinstance(result, (list, tuple))
        return (result,) if single else result

    # Fake tensors: the real ones must not change before the first run.
    graph = make_fx(call, tracing_mode='fake')(*tensors)
    compiled = compile_fx(graph, tensors, config_patches=settings)
    return compiled, tensors, (lambda result: result[0]) if single else tuple


def describe():
    from torch._inductor import cpu_vec_isa
    isa = cpu_vec_isa.pick_vec_isa()
    vectors = str(isa) if isa else 'scalar code only: LD_PRELOAD=libsleef.so.3 may help'
    return 'PyTorch %s, %s' % (torch.__version__, vectors)
