"""Records the operators that a program calls, for 'bilanx ops record'.

    python3 bilanx_record.py OPTIONS script.py [ARGUMENT...]
    python3 bilanx_record.py OPTIONS -m module [ARGUMENT...]
    python3 bilanx_record.py OPTIONS -c code [ARGUMENT...]

OPTIONS is one word: FLAGS:FILE, where the flag "a" keeps views and constructors, and "c" also
records chains of pointwise operators that feed each other. The program runs
as if the interpreter had started it, under PyTorch's dispatch mode. Its operators, forward and
backward, are counted per distinct arguments and written to FILE in the format of
docs/formats/operator_log.md. FILE is replaced as a whole, every few seconds and at the end, also if
the program fails or is interrupted.
"""
import os
import signal
import sys
import time

SAVE_EVERY_S = 5
OURS = os.path.abspath(__file__)
TYPES = {'float16': 'f16', 'bfloat16': 'bf16', 'float32': 'f32', 'float64': 'f64',
         'complex32': 'c32', 'complex64': 'c64', 'complex128': 'c128', 'int8': 'i8',
         'int16': 'i16', 'int32': 'i32', 'int64': 'i64', 'uint8': 'u8', 'bool': 'b8',
         'uint16': 'u16', 'uint32': 'u32', 'uint64': 'u64', 'float8_e4m3fn': 'f8e4m3fn',
         'float8_e5m2': 'f8e5m2', 'float8_e4m3fnuz': 'f8e4m3fnuz',
         'float8_e5m2fnuz': 'f8e5m2fnuz'}


POINTWISE = frozenset(
    'add sub rsub mul div pow addcmul addcdiv lerp maximum minimum clamp clamp_min clamp_max neg abs '
    'sign reciprocal sqrt rsqrt exp expm1 log log1p sin cos erf relu relu6 leaky_relu elu sigmoid tanh '
    'silu mish gelu hardtanh hardsigmoid hardswish softplus threshold threshold_backward '
    'leaky_relu_backward elu_backward sigmoid_backward tanh_backward silu_backward gelu_backward '
    'hardsigmoid_backward hardswish_backward hardtanh_backward softplus_backward'.split())
CHAIN = 'bilanx.chain.default'


class Unwritable(Exception):
    """A value that the format cannot represent."""


def complain(text):
    sys.stderr.write('bilanx: %s\n' % ''.join(c if c.isprintable() else '?' for c in text))
    sys.stderr.flush()


def quote(text):
    """A string on one line in plain ASCII, byte by byte."""
    data = text.encode('utf-8', 'surrogateescape')
    if 0 in data:
        raise Unwritable('a string with a NUL')
    return "'%s'" % ''.join(chr(b) if 32 <= b < 127 and b not in b"'\\" else '\\x%02x' % b
                            for b in data)


def type_word(dtype):
    name = str(dtype).rpartition('.')[2]
    if name not in TYPES:
        raise Unwritable('elements of type %s' % name)
    return TYPES[name]


def sizes(numbers):
    numbers = list(numbers)
    if any(type(n) is not int for n in numbers):
        raise Unwritable('a symbolic size')
    return numbers


def tensor_text(torch, tensor):
    if tensor.device.type == 'meta':
        raise Unwritable('a tensor without data')
    shape, dtype = sizes(tensor.shape), type_word(tensor.dtype)
    if tensor.layout == torch.sparse_coo:
        if tensor.dense_dim():
            raise Unwritable('a tensor that is partly sparse')
        return 'ST(%s, %s, torch.sparse_coo, %s, %d)' % (shape, dtype, tensor.is_coalesced(),
                                                         tensor._nnz())
    if tensor.layout != torch.strided:
        raise Unwritable('a tensor with layout %s' % tensor.layout)
    if tensor.is_contiguous():
        return 'T(%s, %s)' % (shape, dtype)
    return 'T(%s, %s, stride=%s)' % (shape, dtype, tuple(sizes(tensor.stride())))


def number_text(value):
    if type(value) is int and not -2 ** 63 <= value < 2 ** 63:
        raise Unwritable('an integer of more than 64 bits')
    return repr(value)


def value_text(torch, value):
    """A value in the syntax of a log."""
    if isinstance(value, torch.Tensor):
        return tensor_text(torch, value)
    if value is None or isinstance(value, torch.Generator):  # the default one will do
        return 'None'
    if type(value) in (bool, int, float):
        return number_text(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, torch.dtype):
        return type_word(value)
    if isinstance(value, torch.device):
        return quote(value.type)
    if isinstance(value, (torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return '[%s]' % ', '.join(value_text(torch, item) for item in value)
    raise Unwritable('a value of type %s' % type(value).__name__)


def call_text(torch, args, kwargs):
    words = [value_text(torch, value) for value in args]
    keywords = ['%s: %s' % (quote(name), value_text(torch, value))
                for name, value in kwargs.items()]
    return '((%s%s), {%s})' % (', '.join(words), ',' if len(words) == 1 else '',
                               ', '.join(keywords))


def has_tensor(torch, value):
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return False
    return any(has_tensor(torch, item) for item in value)


def writes(schema):
    infos = [argument.alias_info for argument in schema.arguments]
    return any(info is not None and info.is_write for info in infos)


def computes(schema):
    """Whether an operator is neither a constructor like another tensor nor a mere view."""
    if '_like' in schema.name:
        return False
    if writes(schema):
        return True
    if len(schema.returns) != 1:
        return True
    return schema.returns[0].alias_info is None


class Record:
    """The calls recorded so far."""

    def __init__(self, path, keeps_all):
        self.path, self.keeps_all = path, keeps_all
        self.operators = {}  # name -> {arguments: count}
        self.left_out = {}   # why -> count
        self.chains = None   # if they are recorded
        self.process = os.getpid()
        self.saved_at = time.monotonic()

    def add(self, name, arguments):
        samples = self.operators.setdefault(name, {})
        samples[arguments] = samples.get(arguments, 0) + 1
        if time.monotonic() - self.saved_at > SAVE_EVERY_S:
            self.save()

    def leave_out(self, why):
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def save(self):
        """Replaces the file as a whole. A fork of the program is another process and writes nothing."""
        if os.getpid() != self.process:
            return
        partial = '%s.%d.part' % (self.path, self.process)
        if self.chains:
            self.operators[CHAIN] = self.chains.count()
        try:
            with open(partial, 'w', encoding='ascii') as file:
                for name in sorted(self.operators):
                    file.write('Operator: %s\n' % name)
                    for arguments, count in self.operators[name].items():
                        file.write('cnt: %d, %s\n' % (count, arguments))
            os.replace(partial, self.path)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        self.saved_at = time.monotonic()

    def report(self):
        samples = sum(len(counts) for counts in self.operators.values())
        calls = sum(sum(counts.values()) for counts in self.operators.values())
        complain("'%s': %d operators, %d samples, %d calls"
                 % (self.path, len(self.operators), samples, calls))
        for why, count in sorted(self.left_out.items()):
            complain('left out %d call%s with %s, which a log cannot hold' % (count, 's'[count == 1:], why))


class Chain:
    """Pointwise operators, each of which takes the result of the one before."""

    def __init__(self):
        self.steps = []       # (name, [(step or None, text)], [(keyword, text)])
        self.escapes = set()  # steps whose results are also used elsewhere

    def segments(self):
        """Sub-chains whose results, except for the last, are not used elsewhere."""
        start = 0
        for last in range(len(self.steps)):
            if last in self.escapes or last + 1 == len(self.steps):
                if last > start:
                    yield start, last + 1
                start = last + 1

    def text(self, start, end):
        steps = []
        for name, words, keywords in self.steps[start:end]:
            items = [quote('<%d>' % (step - start)) if step is not None and step >= start else text
                     for step, text in words]
            items += ["(%s, %s)" % (quote('=' + key), text) for key, text in keywords]
            steps.append('(%s)' % ', '.join([quote(name)] + items))
        return '((%s), {})' % ', '.join(steps)


class Chains:
    """Tracks which result feeds which operator, by the memory of the result."""
    MOST_STEPS, MOST_WORDS = 12, 7

    def __init__(self, torch):
        self.torch, self.results, self.all = torch, {}, []

    def tensors(self, value):
        if isinstance(value, self.torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                yield from self.tensors(item)

    def place(self, tensor):
        return tensor.data_ptr() if tensor.layout == self.torch.strided and tensor.numel() else None

    def describe(self, func, args, kwargs):
        """A step, and the chain that it continues; None if it is not a pointwise operator."""
        base = str(func).split('.')
        if len(base) != 3 or base[0] != 'aten' or base[1].rstrip('_') not in POINTWISE:
            return None
        chain = None
        for tensor in self.tensors(args):
            found = self.results.get(self.place(tensor))
            if found and found[1] + 1 == len(found[0].steps) < self.MOST_STEPS:
                chain = found[0]
        words = []
        for value in args:
            found = self.results.get(self.place(value)) if isinstance(value, self.torch.Tensor) else None
            words.append((found[1] if found and found[0] is chain else None, value_text(self.torch, value)))
        keywords = [(key, value_text(self.torch, value)) for key, value in kwargs.items()]
        if len(words) + len(keywords) > self.MOST_WORDS:
            return None
        return (str(func), words, keywords), chain

    def note(self, described, args, kwargs, result):
        chain = described[1] if described else None
        for tensor in self.tensors((args, kwargs)):
            found = self.results.get(self.place(tensor))
            if found and (found[0] is not chain or found[1] + 1 != len(chain.steps)):
                found[0].escapes.add(found[1])
        for tensor in self.tensors(result):
            self.results.pop(self.place(tensor), None)
        if described and isinstance(result, self.torch.Tensor):
            if chain is None:
                chain = Chain()
                self.all.append(chain)
            chain.steps.append(described[0])
            self.results[self.place(result)] = (chain, len(chain.steps) - 1)

    def count(self):
        """{arguments: count}, for the log."""
        counts = {}
        for chain in self.all:
            for start, end in chain.segments():
                text = chain.text(start, end)
                counts[text] = counts.get(text, 0) + 1
        return counts


def make_mode(torch, record):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Recorder(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            text = why = described = None
            schema = getattr(func, '_schema', None)
            if schema is not None and (record.keeps_all or computes(schema)):
                try:  # before the call, which may resize or move its arguments
                    if has_tensor(torch, (args, kwargs)):
                        text = call_text(torch, args, kwargs)
                except Unwritable as error:
                    why = str(error)
            if record.chains:
                try:
                    described = record.chains.describe(func, args, kwargs)
                except Unwritable:
                    pass
            result = func(*args, **kwargs)
            if record.chains:
                record.chains.note(described, args, kwargs, result)
            if has_tensor(torch, result) or (schema is not None and writes(schema)):
                if text is not None:
                    record.add(str(func), text)
                elif why is not None:
                    record.leave_out(why)
            return result

    return Recorder()


def run(words):
    """Runs the program as the interpreter itself would."""
    import runpy
    if words[0] == '-m':
        sys.argv = words[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(words[1], run_name='__main__', alter_sys=True)
    elif words[0] == '-c':
        import types
        sys.argv = ['-c'] + words[2:]
        sys.path[0] = ''
        main = types.ModuleType('__main__')
        sys.modules['__main__'] = main
        exec(compile(words[1], '<string>', 'exec'), main.__dict__)
    else:
        sys.argv = words
        sys.path[0] = os.path.dirname(os.path.realpath(words[0]))
        runpy.run_path(words[0], run_name='__main__')


def end_on_term(number, frame):
    sys.exit(128 + number)


def without_us(trace):
    """The part of a traceback that is the program's own."""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name != OURS and not name.startswith('<frozen') and os.path.basename(name) != 'runpy.py':
            return trace
        trace = trace.tb_next
    return None


def main():
    if len(sys.argv) < 3 or ':' not in sys.argv[1]:
        complain("this is started by 'bilanx ops record'; it is not for direct use")
        return 2
    flags, path = sys.argv[1].split(':', 1)
    words = sys.argv[2:]
    if getattr(sys.flags, 'safe_path', False):
        sys.path.insert(0, '')  # for run(), which replaces it
    try:
        import torch
    except ImportError as error:
        complain("cannot record: '%s' has no PyTorch: %s" % (sys.executable, error))
        return 1
    record = Record(os.path.abspath(path), 'a' in flags)
    record.chains = Chains(torch) if 'c' in flags else None
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_on_term)
    try:
        with make_mode(torch, record):
            run(words)
    except Exception as error:
        error.__traceback__ = without_us(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    finally:
        if os.getpid() == record.process:
            record.save()
            record.report()
    return 0


if __name__ == '__main__':
    sys.exit(main())
