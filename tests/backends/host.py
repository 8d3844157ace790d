"""A tiny host for backends, in Python: loads a module, and runs calls of a log on it.

Tensors are torch's, so that what a backend returns can be compared with torch's own results.
"""
import ctypes
import ast
import math
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_uint,
                    c_void_p, cast)

import torch

NONE, TRUTH, INTEGER, REAL, TEXT, WORD, LIST, TUPLE, TENSOR = range(9)
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
          "c32": torch.complex32, "c64": torch.complex64, "c128": torch.complex128,
          "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
          "u8": torch.uint8, "b8": torch.bool}
CODES = {"i": 0, "u": 1, "f": 2, "bf": 4, "c": 5}


class DLDevice(Structure):
    _fields_ = [("type", c_int), ("id", c_int32)]


class DLDataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32), ("dtype", DLDataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", c_uint64)]


class Value(Structure):
    pass


class Sparse(Structure):
    _fields_ = [("indices", POINTER(DLTensor)), ("values", POINTER(DLTensor)),
                ("nonzeros", c_int64), ("is_coalesced", c_bool)]


Value._fields_ = [("kind", c_int), ("is_bool", c_bool), ("integer", c_int64), ("real", c_double),
                  ("text", c_char_p), ("items", POINTER(Value)), ("count", c_size_t),
                  ("tensor", POINTER(DLTensor)), ("sparse", POINTER(Sparse))]


class Keyword(Structure):
    _fields_ = [("name", c_char_p), ("value", Value)]


class Call(Structure):
    _fields_ = [("name", c_char_p), ("arguments", POINTER(Value)), ("argument_count", c_size_t),
                ("keywords", POINTER(Keyword)), ("keyword_count", c_size_t)]


class Error(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 508)]


class Host(Structure):
    _fields_ = [("version", c_uint), ("threads", c_int), ("allocate", c_void_p),
                ("release", c_void_p)]


class Backend(Structure):
    _fields_ = [("version", c_uint), ("name", c_char_p), ("about", c_char_p),
                ("open", CFUNCTYPE(Error, POINTER(Host), c_char_p, POINTER(c_void_p))),
                ("supports", CFUNCTYPE(c_char_p, c_void_p, POINTER(Call))),
                ("prepare", CFUNCTYPE(Error, c_void_p, POINTER(Call), POINTER(c_void_p))),
                ("run", CFUNCTYPE(c_char_p, c_void_p)),
                ("outputs", CFUNCTYPE(Error, c_void_p, POINTER(Value))),
                ("release", CFUNCTYPE(None, c_void_p)), ("close", CFUNCTYPE(None, c_void_p)),
                ("describe", CFUNCTYPE(None, c_void_p, c_char_p, c_size_t))]


class Failure(Exception):
    """A backend's message instead of a result."""


class Word(str):
    """A type, a layout or a memory format of a log."""


class Made:
    """The C side of a call, and everything it points to."""

    def __init__(self, name, arguments, keywords, with_data=True):
        self.kept = []
        self.with_data = with_data
        values = (Value * max(1, len(arguments)))(*map(self.value, arguments))
        named = (Keyword * max(1, len(keywords)))(
            *(Keyword(key.encode(), self.value(value)) for key, value in keywords.items()))
        self.kept += [values, named]
        self.call = Call(name.encode(), values, len(arguments), named, len(keywords))

    def tensor(self, tensor):
        size = tensor.dim()
        shape, strides = (c_int64 * size)(*tensor.shape), (c_int64 * size)(*tensor.stride())
        letters, bits = next((k.rstrip("0123456789"), int(k.lstrip("abcdefghijklmnopqrstuvwxyz")))
                             for k, v in DTYPES.items() if v == tensor.dtype)
        code = 1 if letters == "b" else CODES[letters]
        made = DLTensor(tensor.data_ptr() if self.with_data else None, DLDevice(1, 0), size,
                        DLDataType(code, bits, 1), shape, strides, 0)
        self.kept += [tensor, shape, strides, made]
        return made

    def value(self, value):
        if value is None:
            return Value(NONE)
        if isinstance(value, bool):
            return Value(TRUTH, integer=value)
        if isinstance(value, int):
            return Value(INTEGER, integer=value)
        if isinstance(value, float):
            return Value(REAL, real=value)
        if isinstance(value, str):
            return Value(WORD if isinstance(value, Word) else TEXT, text=value.encode())
        if isinstance(value, (list, tuple)):
            items = (Value * max(1, len(value)))(*map(self.value, value))
            self.kept.append(items)
            return Value(LIST if isinstance(value, list) else TUPLE, items=items, count=len(value))
        if value.layout == torch.sparse_coo:
            shape = torch.empty(0, dtype=value.dtype).expand(0)  # type alone
            dense = self.tensor(shape)
            size = (c_int64 * value.dim())(*value.shape)
            dense.data, dense.ndim, dense.shape, dense.strides = None, value.dim(), size, None
            sparse = Sparse(ctypes.pointer(self.tensor(value._indices())),
                            ctypes.pointer(self.tensor(value._values())), value._nnz(),
                            value.is_coalesced())
            self.kept += [size, sparse]
            return Value(TENSOR, is_bool=value.dtype == torch.bool, tensor=ctypes.pointer(dense),
                         sparse=ctypes.pointer(sparse))
        return Value(TENSOR, is_bool=value.dtype == torch.bool,
                     tensor=ctypes.pointer(self.tensor(value)))


def tensor_from(made, is_bool):
    letters = {code: letters for letters, code in CODES.items()}[made.dtype.code]
    dtype = torch.bool if is_bool else DTYPES[f"{letters}{made.dtype.bits}"]
    shape = made.shape[:made.ndim]
    strides = made.strides[:made.ndim] if made.strides else None
    if math.prod(shape) == 0:
        return torch.empty(shape, dtype=dtype)
    if strides is None:
        strides = [math.prod(shape[i + 1:]) for i in range(made.ndim)]
    count = 1 + sum((n - 1) * step for n, step in zip(shape, strides))
    bytes_of = (c_uint8 * (count * made.dtype.bits // 8)).from_address(made.data + made.offset)
    return torch.frombuffer(bytes_of, dtype=dtype).as_strided(shape, strides)


def python_from(value):
    """A backend's results as Python objects. Tensors share its memory."""
    if value.kind == TENSOR and value.sparse:
        sparse = value.sparse.contents
        shape = value.tensor.contents.shape[:value.tensor.contents.ndim]
        return torch.sparse_coo_tensor(tensor_from(sparse.indices.contents, False),
                                       tensor_from(sparse.values.contents, value.is_bool), shape)
    if value.kind == TENSOR:
        return tensor_from(value.tensor.contents, value.is_bool)
    if value.kind in (LIST, TUPLE):
        items = [python_from(value.items[i]) for i in range(value.count)]
        return items if value.kind == LIST else tuple(items)
    return {NONE: None, TRUTH: bool(value.integer), INTEGER: value.integer,
            REAL: value.real}[value.kind]


class Module:
    """A loaded backend. `source` is the path of a shared library, or the address of a table."""

    def __init__(self, source, symbol="bilanx_backend_table", config=None, threads=1,
                 counted=False):
        if isinstance(source, int):
            self.table = Backend.from_address(source)
        else:
            self.table = Backend.in_dll(ctypes.CDLL(source), symbol)
        libc = ctypes.CDLL(None)
        libc.malloc.restype = c_void_p
        self.allocated = self.freed = 0
        self.functions = self.counting(libc) if counted else (libc.malloc, libc.free)
        self.host = Host(1, threads, *(cast(each, c_void_p) for each in self.functions))
        self.state = c_void_p()
        self.check(self.table.open(byref(self.host), config and config.encode(), byref(self.state)))

    def counting(self, libc):
        @CFUNCTYPE(c_void_p, c_size_t)
        def allocate(size):
            self.allocated += 1
            return libc.malloc(c_size_t(size))

        @CFUNCTYPE(None, c_void_p)
        def release(memory):
            self.freed += memory is not None
            libc.free(c_void_p(memory))
        return allocate, release

    @staticmethod
    def check(error):
        if error.status:
            raise Failure(error.text.decode())

    def describe(self):
        out = ctypes.create_string_buffer(200)
        self.table.describe(self.state, out, 200)
        return out.value.decode()

    def supports(self, name, arguments, keywords):
        """None, or why not."""
        made = Made(name, arguments, keywords, with_data=False)
        reason = self.table.supports(self.state, byref(made.call))
        return reason and reason.decode()

    def run(self, name, arguments, keywords, times=1):
        """Runs a call and returns a copy of the results."""
        made, prepared, value = Made(name, arguments, keywords), c_void_p(), Value()
        self.check(self.table.prepare(self.state, byref(made.call), byref(prepared)))
        try:
            for _ in range(times):
                wrong = self.table.run(prepared)
                if wrong:
                    raise Failure(wrong.decode())
            self.check(self.table.outputs(prepared, byref(value)))
            return copied(python_from(value))
        finally:
            self.table.release(prepared)

    def close(self):
        self.table.close(self.state)


def copied(result):
    if isinstance(result, torch.Tensor):
        return result.clone()
    return type(result)(map(copied, result)) if isinstance(result, (list, tuple)) else result


def read_log(path):
    """Operators and the arguments of their samples, as texts: [(name, [text, ...]), ...]."""
    operators = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("Operator: "):
            operators.append((line[len("Operator: "):].strip(), []))
        elif line.startswith("cnt: "):
            operators[-1][1].append(line.split(", ", 1)[1].strip())
    return operators


def parse(text, make, word=Word):
    """The arguments and keywords of a sample. `make(shape, dtype, stride)` makes a tensor."""

    def visit(node):
        if isinstance(node, ast.Call) and node.func.id == "T":
            named = {key.arg: visit(key.value) for key in node.keywords}
            shape, dtype, *rest = map(visit, node.args)
            return make(shape, DTYPES[dtype], rest[0] if rest else named.get("stride"))
        if isinstance(node, ast.Call):
            raise Failure(f"no tensor of kind {node.func.id}")
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [visit(item) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        if isinstance(node, ast.Dict):
            return {visit(key): visit(value) for key, value in zip(node.keys, node.values)}
        if isinstance(node, ast.UnaryOp):
            return -visit(node.operand)
        if isinstance(node, ast.Attribute):
            return word(f"{node.value.id}.{node.attr}")
        if isinstance(node, ast.Name):
            return {"inf": math.inf, "nan": math.nan}.get(node.id, word(node.id))
        return node.value

    return visit(ast.parse(text, mode="eval").body)
