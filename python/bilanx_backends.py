"""Backends for operators, from Python files.

A file defines functions by the name of their operator, and gets numpy's arrays, or torch's tensors
if it imports torch:

    import numpy as np

    def relu(x):                            # aten.relu.default
        return np.maximum(x, 0)

    def add_Tensor(x, y, *, alpha=1):       # aten.add.Tensor
        return x + alpha * y

    OPERATORS = {'aten.mul.Tensor': np.multiply}    # or in a table

It may also define ARRAYS ('numpy', 'torch' or 'dlpack'), and any of

    open_backend(config, threads)           called once
    supports(name)                          returns None, or why not
    prepare(name, arguments, keywords)      returns function, arguments[, finish]
    describe()                              the version of what it calls

`function(*arguments)` is what is timed. `finish`, which is not, turns what it returned into what
the operator returns.
"""
import importlib.util
import os
import sys
import traceback

NULL = 'bilanx.null.default'  # returns its argument, to measure the cost of a call itself
NONE, TRUTH, INTEGER, REAL, TEXT, WORD, LIST, TUPLE, TENSOR = range(9)


class Refusal(Exception):
    """An error whose text is shown to the user unchanged."""


class Word(str):
    """A word of a log: f16, torch.strided."""


# ---- Arguments

TYPES = {'f16': 'float16', 'bf16': 'bfloat16', 'f32': 'float32', 'f64': 'float64',
         'c32': 'complex32', 'c64': 'complex64', 'c128': 'complex128', 'i8': 'int8',
         'i16': 'int16', 'i32': 'int32', 'i64': 'int64', 'u8': 'uint8', 'b8': 'bool'}


def torch_tensor(value):
    import torch
    if isinstance(value, tuple):
        indices, values, shape, is_coalesced = value
        made = torch.sparse_coo_tensor(torch_tensor(indices), torch_tensor(values), shape)
        return made._coalesced_(is_coalesced)
    dense = torch.from_dlpack(value)
    return dense.view(torch.bool) if value.is_bool else dense  # DLPack 0.6 has no bool


def torch_word(word):
    import torch
    name = TYPES.get(word, word.split('.')[-1])
    return getattr(torch, name) if hasattr(torch, name) else str(word)


def numpy_array(value):
    import numpy
    if isinstance(value, tuple):
        raise Refusal('numpy has no sparse tensors')
    if value.dtype == 'bf16':
        raise Refusal('numpy has no bfloat16')
    return numpy.asarray(value)


def numpy_word(word):
    import numpy
    name = TYPES.get(word, word.split('.')[-1])
    return numpy.dtype(name) if word in TYPES and name != 'bfloat16' else str(word)


ARRAYS = {'torch': (torch_tensor, torch_word), 'numpy': (numpy_array, numpy_word),
          'dlpack': (lambda value: value, str)}


def is_sparse(value):
    """Whether a tuple stands for a sparse tensor."""
    return len(value) == 4 and isinstance(value[3], bool) and all(
        hasattr(part, '__dlpack__') for part in value[:2])


def as_asked(value, kind):
    """The value of an argument, with tensors and words of that kind."""
    tensor, word = ARRAYS[kind]
    if isinstance(value, Word):
        return word(value)
    if hasattr(value, '__dlpack__') or isinstance(value, tuple) and is_sparse(value):
        return tensor(value)
    if isinstance(value, (list, tuple)):
        return type(value)(as_asked(item, kind) for item in value)
    return value


# ---- Results

def capsule_of(array):
    """A tensor as DLPack, and whether its bytes are booleans."""
    if hasattr(array, 'detach'):
        array = array.detach()
        if array.layout != sys.modules['torch'].strided:
            array = array.to_dense()
        array = array.resolve_conj().resolve_neg()
    is_bool = str(array.dtype) in ('bool', 'torch.bool')
    if is_bool:
        array = array.view(sys.modules['torch'].uint8 if hasattr(array, 'detach') else 'u1')
    flags = getattr(array, 'flags', None)
    if flags is not None and not getattr(flags, 'writeable', True):
        array = array.copy()  # numpy does not export read-only arrays
    return array.__dlpack__(), is_bool


def export(result, finish=None):
    """A result as nested tuples, for python_values.c."""
    if finish is not None:
        result = finish(result)
    if result is None:
        return (NONE,)
    if isinstance(result, bool):
        return TRUTH, int(result)
    if isinstance(result, int):
        return INTEGER, result
    if isinstance(result, float) and not hasattr(result, 'dtype'):
        return REAL, result
    if isinstance(result, (list, tuple)):
        return LIST if isinstance(result, list) else TUPLE, [export(item) for item in result]
    if not hasattr(result, 'detach') and hasattr(result, 'dtype') and 'numpy' in sys.modules:
        result = sys.modules['numpy'].asarray(result)  # its scalars, too
    if not hasattr(result, '__dlpack__'):
        raise Refusal('it returned %s, which is no tensor' % type(result).__name__)
    return (TENSOR,) + capsule_of(result)


# ---- Files

def names_of(operator):
    """The names of functions for an operator, the best one first."""
    space, _, rest = operator.partition('.')
    base, _, overload = rest.partition('.')
    names = [base + '_' + overload, space + '_' + base + '_' + overload]
    return names + [base] if overload in ('', 'default') else names


class Backend:
    """The functions of one file."""

    def __init__(self, module, config, threads):
        self.module = module
        self.kind = getattr(module, 'ARRAYS', None) or self.usual_arrays()
        if self.kind not in ARRAYS:
            raise Refusal("ARRAYS is '%s': use %s" % (self.kind, ', '.join(sorted(ARRAYS))))
        if self.kind == 'torch':
            import torch
            torch.set_num_threads(threads)
        if hasattr(module, 'open_backend'):
            module.open_backend(config, threads)
        elif config:
            raise Refusal("the file takes no configuration: '%s'" % config)

    def usual_arrays(self):
        torch = sys.modules.get('torch')
        uses_torch = torch and any(value is torch for value in vars(self.module).values())
        return 'torch' if uses_torch else 'numpy'

    def find(self, operator):
        table = getattr(self.module, 'OPERATORS', {})
        if operator in table:
            return table[operator]
        for name in names_of(operator):
            function = getattr(self.module, name, None)
            if callable(function) and not isinstance(function, type):
                return function
        return None

    def supports(self, operator):
        if operator == NULL:
            return None
        if hasattr(self.module, 'supports'):
            return self.module.supports(operator)
        if hasattr(self.module, 'prepare') or self.find(operator):
            return None
        return '%s has no %s' % (os.path.basename(self.module.__file__), names_of(operator)[0])

    def prepare(self, operator, arguments, keywords):
        arguments = tuple(as_asked(value, self.kind) for value in arguments)
        keywords = {key: as_asked(value, self.kind) for key, value in keywords.items()}
        if operator == NULL:
            return (lambda x: x), arguments, None, None
        if hasattr(self.module, 'prepare'):
            function, arguments, *finish = self.module.prepare(operator, arguments, keywords)
            return function, tuple(arguments), None, finish[0] if finish else None
        function = self.find(operator)
        if not function:
            raise Refusal(self.supports(operator))
        return function, arguments, keywords or None, None

    def describe(self):
        if hasattr(self.module, 'describe'):
            return self.module.describe()
        library = sys.modules.get(self.kind)
        return '%s %s' % (self.kind, library.__version__) if library else ''


def load_file(path):
    """Runs a file as a module. Like a script, it can import modules from its own folder."""
    name = 'bilanx_file_%d' % sum(each.startswith('bilanx_file_') for each in sys.modules)
    spec = importlib.util.spec_from_file_location(name, path)
    if not spec or not os.path.exists(path):
        raise Refusal("cannot find the file '%s': a Python file is expected" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    writes = sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # leave no files next to the user's file
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes
    return module


def open_backend(kind, config, threads):
    """`python` takes a file and perhaps a configuration after a colon, others are files of ours."""
    if kind != 'python':
        here = os.path.dirname(os.path.abspath(__file__))
        if kind == 'inductor' and not importlib.util.find_spec('torch'):
            raise Refusal('inductor needs PyTorch 2, and %s has none: pip install torch, or python3-torch '
                          'of Debian 13' % sys.executable)
        return Backend(load_file(os.path.join(here, 'backends', kind + '.py')), config, threads)
    if not config:
        raise Refusal('name a file: python:FILE')
    path = config
    rest = None
    if not os.path.exists(path) and ':' in path:
        path, _, rest = path.rpartition(':')
    return Backend(load_file(path), rest, threads)


# ---- Errors

def explain(error, trace):
    """An exception on one line, with the last line of code that is the user's."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else ''
    if isinstance(error, Refusal):
        return text
    text = '%s: %s' % (type(error).__name__, text) if text else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(trace)
              if os.path.abspath(frame.filename) != os.path.abspath(__file__)]
    if not frames:
        return text
    last = frames[-1]
    return '%s (%s:%d, in %s: %s)' % (text, os.path.basename(last.filename), last.lineno, last.name,
                                     last.line or '?')


# ---- Other modules in this process

MAPPED = ("import ctypes, sys\n"
          "ctypes.CDLL(sys.argv[1])\n"
          "for line in open('/proc/self/maps'):\n"
          "    if '/libtorch_cpu.so' in line: print(line.split(None, 5)[5].strip()); break\n")


def libtorch_of(path):
    """The libtorch that a shared library loads by itself; None: none, or unknown."""
    import subprocess
    done = subprocess.run([sys.executable, '-S', '-c', MAPPED, path], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = os.fsdecode(done.stdout).splitlines()
    return os.path.realpath(lines[0]) if lines else None


def elsewhere(name, path):
    """Why a shared library cannot be loaded into this process: it needs another libtorch."""
    with open(path, 'rb') as file:
        if b'libtorch_cpu.so' not in file.read():
            return None
    try:
        import torch
    except ImportError:
        return None
    ours = os.path.realpath(os.path.join(os.path.dirname(torch.__file__), 'lib', 'libtorch_cpu.so'))
    needed = libtorch_of(path)
    if needed is None or not os.path.exists(ours) or os.path.samefile(needed, ours):
        return None
    return 'it needs %s, and this interpreter has %s' % (needed, ours)
