"""Loads a backend as bilanx does, and runs operators on torch's tensors with it.

    backend = Backend('bilanx-backend-reference.so')
    backend.run('aten.add.Tensor', [x, 2.5], {'alpha': 2})
"""
import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint, c_uint8, c_uint16, c_uint64, c_void_p)

import torch

NONE, TRUTH, INTEGER, REAL, TEXT, WORD, LIST, TUPLE, TENSOR = range(9)
TYPES = {torch.float16: (2, 16), torch.float32: (2, 32), torch.float64: (2, 64), torch.bfloat16: (4, 16),
         torch.int8: (0, 8), torch.int16: (0, 16), torch.int32: (0, 32), torch.int64: (0, 64),
         torch.uint8: (1, 8), torch.bool: (1, 8), torch.complex64: (5, 64)}
FORMATS = {torch.contiguous_format: b'torch.contiguous_format', torch.channels_last: b'torch.channels_last',
           torch.preserve_format: b'torch.preserve_format'}


class DLTensor(Structure):
    _fields_ = [('data', c_void_p), ('device_type', c_int32), ('device_id', c_int32), ('ndim', c_int32),
                ('code', c_uint8), ('bits', c_uint8), ('lanes', c_uint16), ('shape', POINTER(c_int64)),
                ('strides', POINTER(c_int64)), ('byte_offset', c_uint64)]


class Value(Structure):
    pass


Value._fields_ = [('kind', c_int), ('is_bool', c_bool), ('integer', c_int64), ('real', c_double), ('text', c_char_p),
                  ('items', POINTER(Value)), ('count', c_size_t), ('tensor', POINTER(DLTensor)), ('sparse', c_void_p)]


class Keyword(Structure):
    _fields_ = [('name', c_char_p), ('value', Value)]


class Call(Structure):
    _fields_ = [('name', c_char_p), ('arguments', POINTER(Value)), ('argument_count', c_size_t),
                ('keywords', POINTER(Keyword)), ('keyword_count', c_size_t)]


class Error(Structure):
    _fields_ = [('status', c_int), ('text', c_char * 508)]


ALLOCATE, RELEASE = CFUNCTYPE(c_void_p, c_size_t), CFUNCTYPE(None, c_void_p)


class Host(Structure):
    _fields_ = [('version', c_uint), ('threads', c_int), ('allocate', ALLOCATE), ('release', RELEASE), ('reused_bytes', c_size_t)]


class Table(Structure):
    _fields_ = [('version', c_uint), ('name', c_char_p), ('about', c_char_p),
                ('open', CFUNCTYPE(Error, POINTER(Host), c_char_p, POINTER(c_void_p))),
                ('supports', CFUNCTYPE(c_char_p, c_void_p, POINTER(Call))),
                ('prepare', CFUNCTYPE(Error, c_void_p, POINTER(Call), POINTER(c_void_p))),
                ('run', CFUNCTYPE(c_char_p, c_void_p)),
                ('outputs', CFUNCTYPE(Error, c_void_p, POINTER(Value))),
                ('release', CFUNCTYPE(None, c_void_p)),
                ('close', CFUNCTYPE(None, c_void_p)),
                ('describe', CFUNCTYPE(None, c_void_p, POINTER(c_char), c_size_t))]


class Unsupported(Exception):
    pass


libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = c_void_p
libc.aligned_alloc.argtypes = [c_size_t, c_size_t]
libc.free.argtypes = [c_void_p]
blocks = set()


def allocate(size):
    block = libc.aligned_alloc(64, (size + 63) // 64 * 64)
    blocks.add(block)
    return block


def release(block):
    if block:
        blocks.remove(block)
        libc.free(block)


class Backend:
    def __init__(self, path, config=None, threads=1):
        self.library = ctypes.CDLL(path)
        self.table = Table.in_dll(self.library, 'bilanx_backend_table')
        self.host = Host(1, threads, ALLOCATE(allocate), RELEASE(release))
        self.state = c_void_p()
        if self.table.open:
            check(self.table.open(ctypes.byref(self.host), config and config.encode(), ctypes.byref(self.state)))

    def describe(self):
        text = ctypes.create_string_buffer(200)
        self.table.describe(self.state, text, 200)
        return text.value.decode()

    def close(self):
        if self.table.close:
            self.table.close(self.state)
        assert not blocks, f'{len(blocks)} results were not released'

    def supports(self, name, args, kwargs=None):
        """Why it does not, or None. Tensors have no data here, as the header says."""
        call, _alive = make_call(name, args, kwargs or {}, with_data=False)
        reason = self.table.supports(self.state, ctypes.byref(call))
        return reason and reason.decode()

    def compile(self, calls):
        """Compiles the kernels of several calls, (name, args, kwargs) each, at once, if the backend compiles."""
        if not hasattr(self.library, 'bilanx_backend_compile'):
            return
        made = [make_call(*call) for call in calls]
        pointers = (POINTER(Call) * max(len(made), 1))(*[ctypes.pointer(call) for call, _ in made])
        function = self.library.bilanx_backend_compile
        function.restype = None
        function.argtypes = [c_void_p, POINTER(POINTER(Call)), c_size_t]
        function(self.state, pointers, len(made))

    def run(self, name, args, kwargs=None, times=2):
        reason = self.supports(name, args, kwargs)
        if reason:
            raise Unsupported(reason)
        call, _alive = make_call(name, args, kwargs or {})
        prepared = c_void_p()
        check(self.table.prepare(self.state, ctypes.byref(call), ctypes.byref(prepared)))
        try:
            for _ in range(times):
                problem = self.table.run(prepared)
                if problem:
                    raise RuntimeError(problem.decode())
            out = Value()
            check(self.table.outputs(prepared, ctypes.byref(out)))
            return from_value(out)
        finally:
            self.table.release(prepared)


def check(error):
    if error.status:
        raise RuntimeError(error.text.decode())


def make_call(name, args, kwargs, with_data=True):
    alive = []
    values = (Value * max(len(args), 1))(*[to_value(arg, alive, with_data) for arg in args])
    keywords = (Keyword * max(len(kwargs), 1))(*[Keyword(key.encode(), to_value(value, alive, with_data))
                                                 for key, value in kwargs.items()])
    alive += [values, keywords]
    return Call(name.encode(), values, len(args), keywords, len(kwargs)), alive


def to_value(arg, alive, with_data):
    if arg is None:
        return Value(kind=NONE)
    if isinstance(arg, bool):
        return Value(kind=TRUTH, integer=int(arg))
    if isinstance(arg, int):
        return Value(kind=INTEGER, integer=arg)
    if isinstance(arg, float):
        return Value(kind=REAL, real=arg)
    if isinstance(arg, str):
        return Value(kind=TEXT, text=arg.encode())
    if isinstance(arg, torch.dtype):
        return Value(kind=WORD, text=str(arg).encode())
    if isinstance(arg, torch.memory_format):
        return Value(kind=WORD, text=FORMATS[arg])
    if isinstance(arg, (list, tuple)):
        items = (Value * max(len(arg), 1))(*[to_value(item, alive, with_data) for item in arg])
        alive.append(items)
        return Value(kind=LIST, items=items, count=len(arg))
    shape, strides = (c_int64 * max(arg.dim(), 1))(*arg.shape), (c_int64 * max(arg.dim(), 1))(*arg.stride())
    tensor = DLTensor(data=arg.data_ptr() if with_data else None, device_type=1, ndim=arg.dim(),
                      code=TYPES[arg.dtype][0], bits=TYPES[arg.dtype][1], lanes=1, shape=shape, strides=strides)
    alive += [shape, strides, tensor, arg]
    return Value(kind=TENSOR, is_bool=arg.dtype == torch.bool, tensor=ctypes.pointer(tensor))


def from_value(value):
    if value.kind == NONE:
        return None
    if value.kind in (LIST, TUPLE):
        return tuple(from_value(value.items[i]) for i in range(value.count))
    assert value.kind == TENSOR
    tensor = value.tensor[0]
    dtype = torch.bool if value.is_bool else next(key for key, known in TYPES.items()
                                                  if known == (tensor.code, tensor.bits) and key != torch.bool)
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    strides = [tensor.strides[i] for i in range(tensor.ndim)] if tensor.strides else None
    empty = torch.empty(shape, dtype=dtype)
    if empty.numel() == 0:
        return empty
    reach = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides or empty.stride()))
    storage = torch.empty(reach, dtype=dtype)
    ctypes.memmove(storage.data_ptr(), tensor.data + tensor.byte_offset, reach * storage.element_size())
    return storage.as_strided(shape, strides or empty.stride()).clone()
