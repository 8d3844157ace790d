"""Shared by both Python workers: turns a statement into a function and reports errors.

A statement is compiled once, together with its setup, into

    def inner(batches):
        SETUP
        for batch in batches:
            for _ in batch:
                STMT
                pass
            SYNC

so that the names of the setup are fast locals, and an iteration is the same as for timeit, which has
that `pass` as well (CPython 3.11 spends a nanosecond on it, because it is a separate line). It is
built as a syntax tree: the user's lines are not re-indented, which would change strings, and every
node keeps its line. `batches` belongs to the worker: it times, and yields itertools.repeat(None, n).
Inputs are further arguments of the function, and globals as well.

For counting, a statement is compiled as torch.utils.benchmark does it: as a module instead of a
function, so names are looked up in a dictionary; and many times in a row, so that the loop costs
hardly anything:

    SETUP
    for batch in batches:
        for () in rest:
            STMT
        for () in blocks:
            STMT
            STMT
            ...
        SYNC

Imports as little as possible, because every epoch may be a new process: `ast`, `linecache` and
`traceback` would double the 15 ms that a bare Python takes to start.
"""
import _ast
import gc
import os
import sys

TEMPLATE = '''def inner(%s):
    for _bilanx_batch in _bilanx_batches:
        for _bilanx_i in _bilanx_batch:
            pass
'''
MODULE = '''for _bilanx_batch in _bilanx_batches:
    for () in _bilanx_rest:
        pass
    for () in _bilanx_blocks:
        pass
'''
BLOCK = 20
WHOLE = '<statement>'  # file name of setup, stmt and sync together; stmt alone is <stmt>
PRELOADED = ('torch', 'numpy')  # imported by a setup: costly, and safe to fork after


# One-time initialisation of libraries, on tensors too small to start threads. Done before a process
# forks for cases that are counted.
FIRST_USES = {'torch': '''
import io, torch
x, w = torch.ones(4, 4), torch.ones(4, 4, requires_grad=True)
linear = torch.nn.Linear(4, 4)
y = (torch.mm(x, w) + x * 2).relu() + linear(x)
y[0:2, 0].sum().backward()
script = torch.jit.CompilationUnit('def f(x, w):\\n    return torch.relu(x.mm(w) + x * 2)\\n').f
loaded = torch.jit.load(io.BytesIO(script.save_to_buffer()))
for _ in range(4):
    loaded(x, w).sum().backward()
'''}


class Failure(Exception):
    """Reported by a worker as `failed`."""

    def __init__(self, code, text):
        Exception.__init__(self, text)
        self.code, self.text = code, text


# ---- From text to syntax tree

def tidy(text):
    """Removes common indentation, a blank first line and trailing space."""
    lines = [line if line.strip() else '' for line in text.split('\n')]
    margins = [line[:len(line) - len(line.lstrip())] for line in lines if line]
    margin = len(os.path.commonprefix(margins))
    if margin:
        text = '\n'.join(line[margin:] for line in lines)
    first, newline, rest = text.partition('\n')
    return (rest if newline and not first.strip() else text).rstrip()


def parse(text, name):
    """The statements of a text. If a string extends further left than the code, the text is still
    indented, and is parsed inside a block."""
    indented = next((line[0].isspace() for line in text.split('\n')
                     if line.strip() and not line.lstrip().startswith('#')), False)
    tree = None
    if indented:
        try:
            tree = compile('if 1:\n' + text + '\n', name, 'exec', _ast.PyCF_ONLY_AST)
        except SyntaxError:
            pass  # reported for the original text
    if not tree or len(tree.body) != 1:
        return compile(text + '\n', name, 'exec', _ast.PyCF_ONLY_AST).body
    move(tree, -1)
    return tree.body[0].body


def children(node):
    for field in node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, _ast.AST):
                yield child


def move(node, lines):
    """Shifts the line numbers of a tree."""
    if getattr(node, 'lineno', None) is not None:
        node.lineno += lines
    if getattr(node, 'end_lineno', None) is not None:
        node.end_lineno += lines
    for child in children(node):
        move(child, lines)


SCOPES = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda, _ast.ClassDef)
LOOPS = (_ast.For, _ast.While, _ast.AsyncFor)
REFUSED = {
    _ast.Return: "'return' outside a function: it would leave the measured loop",
    _ast.Yield: "'yield' outside a function",
    _ast.YieldFrom: "'yield from' outside a function",
    _ast.Break: "'break' outside a loop: it would leave the measured loop",
}


def check(node, name, in_loop=False):
    """Rejects code that would leave the function or turn it into a generator."""
    kind = type(node)
    if kind in REFUSED and not (kind is _ast.Break and in_loop):
        raise SyntaxError(REFUSED[kind], (name, node.lineno, node.col_offset + 1, None))
    for child in children(node):
        inside = in_loop or (isinstance(node, LOOPS) and child in node.body)
        if not (isinstance(node, SCOPES) and isinstance(node.body, list) and child in node.body) \
                and not isinstance(node, _ast.Lambda):
            check(child, name, inside)


def imports(text):
    """The modules that a text always imports: not in a block, not in a string."""
    try:
        nodes = parse(tidy(text), '<setup>')
    except (SyntaxError, ValueError):
        return []  # reported elsewhere
    names = []
    for node in nodes:
        if isinstance(node, _ast.Import):
            names += [alias.name.split('.')[0] for alias in node.names]
        elif isinstance(node, _ast.ImportFrom) and node.module and not node.level:
            names.append(node.module.split('.')[0])
    return names


# ---- A statement

class Statement(object):
    def __init__(self, words, inputs=()):
        self.inputs = inputs  # pairs of a name and a value
        self.global_text = tidy(words.get('global_setup', ''))
        self.parts = []  # (lines before it, name, text)
        self.line_count = 0
        self.whole = WHOLE if words.get('setup') or words.get('sync') else '<stmt>'
        self.block = BLOCK if words.get('blocks') else 0
        try:
            parts = [self.part('<%s>' % name, words.get(name, ''))
                     for name in ('setup', 'stmt', 'sync')]
            if self.block:
                self.code = self.module(*parts)
            if not self.block:
                self.code = self.single(*parts)
            self.global_code = compile(self.global_text + '\n', '<global>', 'exec')
        except SyntaxError as error:
            self.place(error)
            raise Failure('compile-failed', say(error.with_traceback(None), self))
        except (ValueError, RecursionError, MemoryError) as error:
            raise Failure('compile-failed', 'it cannot be compiled: %s' % first_line(error))

    def single(self, setup, stmt, sync):
        arguments = ', '.join(['_bilanx_batches'] + [name for name, _ in self.inputs])
        tree = compile(TEMPLATE % arguments, self.whole, 'exec', _ast.PyCF_ONLY_AST)
        function = tree.body[0]
        outer = function.body[0]
        inner = outer.body[0]
        move(inner.body[0], self.stmt_end + 1 - inner.body[0].lineno)
        inner.body[:0] = stmt
        outer.body += sync
        function.body[:0] = setup
        return compile(tree, self.whole, 'exec')

    def module(self, setup, stmt, sync):
        tree = compile(MODULE, self.whole, 'exec', _ast.PyCF_ONLY_AST)
        outer = tree.body[0]
        rest, blocks = outer.body
        if stmt:
            rest.body = stmt
            blocks.body = stmt * self.block
        outer.body += sync
        tree.body[:0] = setup
        try:
            return compile(tree, self.whole, 'exec')
        except SyntaxError:
            self.block = 0  # a `nonlocal` name of the setup, or a mistake that compiling it as a
                            # function will report

    def part(self, name, text):
        text = tidy(text)
        self.parts.append((self.line_count, name, text))
        nodes = parse(text, name)
        for node in nodes:
            check(node, name)
            move(node, self.line_count)
        if text:
            self.line_count += text.count('\n') + 1
        if name == '<stmt>':
            self.stmt_end = self.line_count
        return nodes

    def locate(self, line):
        """The part that contains a line of the whole, and the line in that part."""
        before, name, _ = [part for part in self.parts if part[0] < line or part[0] == 0][-1]
        return name, line - before

    def sources(self):
        """Every file name that a traceback may show, and its text."""
        whole = '\n'.join(text for _, _, text in self.parts if text)
        return dict([(name, text) for _, name, text in self.parts],
                    **{self.whole: whole, '<global>': self.global_text})

    def place(self, error):
        """Makes a syntax error of the whole point to the line in its part."""
        if error.filename == self.whole and error.lineno:
            name, line = self.locate(error.lineno)
            if getattr(error, 'end_lineno', None):
                error.end_lineno -= error.lineno - line
            error.filename, error.lineno = name, line
        lines = self.sources().get(error.filename, '').split('\n')
        if error.lineno and error.lineno <= len(lines):
            error.text = lines[error.lineno - 1]

    def show_sources(self):
        """For users of source lines: tracebacks, inspect, TorchScript."""
        cache = sys.modules.get('linecache')
        if cache:
            for name, text in self.sources().items():
                lines = [line + '\n' for line in text.split('\n')]
                cache.cache[name] = (len(text), None, lines, name)

    def function(self):
        """Runs the global setup in a fresh main module and returns a function that runs the rest."""
        module = type(sys)('__main__')
        sys.modules['__main__'] = module
        module.__dict__.update(self.inputs)
        exec(self.global_code, module.__dict__)
        if self.block:
            return lambda batches: self.run_module(module.__dict__, batches)
        names = dict(module.__dict__)
        exec(self.code, names)
        made = names['inner']
        inner = type(made)(made.__code__, module.__dict__, 'inner')
        values = [value for _, value in self.inputs]
        return (lambda batches: inner(batches, *values)) if values else inner

    def run_module(self, names, batches):
        names['_bilanx_batches'] = batches(self.block, names)
        exec(self.code, names)


# ---- Errors

def first_line(error):
    try:
        text = str(error)
    except Exception:
        text = '(no message)'
    return text.split('\n')[0]


def name_of(error):
    kind = type(error)
    return kind.__name__ if kind.__module__ in ('builtins', '__main__') \
        else '%s.%s' % (kind.__module__, kind.__name__)


def summary(error):
    if isinstance(error, SyntaxError):
        return '%s: %s (%s, line %s)' % (name_of(error), error.msg, error.filename, error.lineno)
    if isinstance(error, ImportError) and getattr(error, 'name', None) and not error.path:
        return 'cannot import %s: %s (%s; --python chooses another)' % (error.name.split('.')[0], first_line(error),
                                              sys.executable)
    text = first_line(error)
    return '%s: %s' % (name_of(error), text) if text else name_of(error)


def place_frames(shown, statement, seen):
    """Makes the frames of a formatted exception and its causes point into the user's text."""
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    frames = shown.stack
    ours = [frame.filename in statement.sources() for frame in frames]
    if True in ours:
        del frames[:ours.index(True)]  # the worker's own frames
    for frame in frames:
        if frame.filename == statement.whole:
            name, line = statement.locate(frame.lineno)
            if getattr(frame, 'end_lineno', None):
                frame.end_lineno -= frame.lineno - line
            frame.filename, frame.lineno = name, line
            frame.name = '<module>' if frame.name == 'inner' else frame.name
    place_frames(shown.__cause__, statement, seen)
    place_frames(shown.__context__, statement, seen)


def say(error, statement):
    """Prints the traceback, which the controller keeps, and returns a one-line summary."""
    import traceback
    statement.show_sources()
    shown = traceback.TracebackException(type(error), error, error.__traceback__,
                                         lookup_lines=False)
    place_frames(shown, statement, set())
    try:
        sys.stderr.write(''.join(shown.format()))
        flush()
    except Exception:
        pass  # caused by the statement
    return summary(error)


def failure_of(error, statement):
    if isinstance(error, Failure):
        return error
    if isinstance(error, SystemExit):
        say(error, statement)
        return Failure('exited', 'it called sys.exit(%s)'
                       % ('' if error.code is None else repr(error.code)))
    code = 'out-of-memory' if isinstance(error, MemoryError) else 'failed'
    return Failure(code, say(error, statement))


def flush():
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except Exception:
            pass  # closed or replaced


# ---- Threads and devices

def task_count():
    try:
        return len(os.listdir('/proc/self/task'))
    except OSError:
        return 1


def set_torch_threads(threads, always=False):
    torch = sys.modules.get('torch')
    if hasattr(torch, 'set_num_threads') and (always or torch.get_num_threads() != threads):
        torch.set_num_threads(threads)


def answers_yes(module, *names):
    """Whether functions of these names all exist and all return true."""
    functions = [getattr(module, name, None) for name in names]
    return None not in functions and all(function() for function in functions)


def device_waiters():
    """Functions that wait for the devices torch uses; asking does not initialise any."""
    torch = sys.modules.get('torch')
    devices = [getattr(torch, name, None) for name in ('cuda', 'xpu')]
    used = [device for device in devices if answers_yes(device, 'is_available', 'is_initialized')]
    if answers_yes(getattr(getattr(torch, 'backends', None), 'mps', None), 'is_available'):
        used.append(getattr(torch, 'mps', None))
    return [device.synchronize for device in used if hasattr(device, 'synchronize')]


def wait_for(waiters):
    if len(waiters) < 2:
        return waiters[0] if waiters else None

    def wait():
        for waiter in waiters:
            waiter()
    return wait


# ---- Inputs

def torch_tensor(value):
    import torch
    if isinstance(value, tuple):
        indices, values, shape, is_coalesced = value
        sparse = torch.sparse_coo_tensor(torch_tensor(indices), torch_tensor(values), shape)
        return sparse._coalesced_(is_coalesced)
    dense = torch.from_dlpack(value)
    return dense.view(torch.bool) if value.is_bool else dense  # DLPack 0.6 has no bool


def numpy_array(value):
    import numpy
    return value if value.dtype == 'bf16' else numpy.asarray(value)  # numpy has no bf16


CONVERTERS = {'torch': torch_tensor, 'numpy': numpy_array, 'dlpack': lambda value: value}


def is_tensor(value):
    return not isinstance(value, (int, float))


def as_asked(made, kind):
    """Converts tensors. Without torch, a sparse one becomes two, as in C."""
    convert = CONVERTERS[kind]
    for name, value in made:
        if not is_tensor(value):
            yield name, value
        elif isinstance(value, tuple) and kind != 'torch':
            yield name + '_indices', convert(value[0])
            yield name + '_values', convert(value[1])
        else:
            yield name, convert(value)


# ---- Requests to a worker

class Glue(object):
    """Answers requests. `set_threads` sets how many threads the libraries of this process use."""

    def __init__(self, set_threads=None, safe_threads=None, make_inputs=None):
        self.set_threads = set_threads or (lambda threads: None)
        self.safe_threads = safe_threads or (lambda: 0)
        self.make_inputs = make_inputs
        self.missing = {}  # preloads that failed: name to reason

    def preload(self, names):
        for name in names:
            if name in self.missing:
                continue
            try:
                __import__(name)
            except BaseException as error:
                self.missing[name] = 'cannot import %s: %s (%s; --python chooses another)' % (name, first_line(error),
                                                                    sys.executable)

    def use_first(self, words):
        for name in words.get('first_use', '').split(','):
            if name in sys.modules and name in FIRST_USES:
                try:
                    exec(FIRST_USES[name], {})
                except Exception:
                    pass  # a version without it; the cases do it themselves

    def prepare(self, words):
        """Imports modules needed before a fork, and checks that a statement compiles."""
        if 'stmt' in words:
            Statement(words)
        names = [name for name in words.get('preload', '').split(',') if name]
        detected = imports(words.get('global_setup', '')) + imports(words.get('setup', ''))
        detected.append(words.get('as'))
        names += [name for name in PRELOADED if name in detected and name not in names]
        self.preload(names)
        self.use_first(words)
        flush()
        return {
            'preload': ','.join(names),
            'implementation': sys.implementation.name,
            'version': '.'.join(map(str, sys.version_info[:3])),
            'executable': sys.executable,
            'foreign_threads': str(max(0, task_count() - 1 - self.safe_threads())),
        }

    def inputs(self, words, modules):
        """The names and values of the sample of a case. By default tensors are what the statement
        works with: torch's if its setup imports torch, else numpy's if it imports that."""
        if not words.get('inputs'):
            return []
        if not self.make_inputs:
            raise Failure('failed', 'inputs need an interpreter that can load the extension of '
                          'bilanx, such as CPython')
        detected = [name for name in PRELOADED if name in modules] + ['dlpack']
        try:
            made = self.make_inputs(words['inputs'], int(words.get('seed', '0')))
            return list(as_asked(made, words.get('as', detected[0])))
        except MemoryError as error:
            raise Failure('out-of-memory', 'its inputs: %s' % first_line(error))
        except Exception as error:
            raise Failure('failed', 'its inputs: %s' % summary(error))

    def run(self, words, batches):
        """Runs a statement; `batches.settle` is called before it is timed."""
        modules = words.get('preload', '').split(',')
        for name in modules:
            if name in self.missing:
                raise Failure('failed', self.missing[name])
        threads = int(words.get('threads', '1'))

        def settle():
            set_torch_threads(threads)
            return wait_for(device_waiters())

        if 'blocks' in words and 'first_use' not in words:
            # Counts as in a program that uses torch normally: the first call starts a thread, and
            # malloc locks from then on. Set to one thread, because that thread would otherwise stay
            # and spin.
            set_torch_threads(1, always=True)
        self.set_threads(threads)
        set_torch_threads(threads)
        self.use_first(words)
        ballast = shift_heap(int(words.get('seed', '0')))
        statement = Statement(words, self.inputs(words, modules))
        statement.show_sources()
        collecting = gc.isenabled()
        gc.disable()  # before the setup, which may call gc.enable(), as with timeit
        try:
            function = statement.function()
            function((lambda *blocks: batches(settle, *blocks)) if statement.block
                     else batches(settle))
        except BaseException as error:
            raise failure_of(error, statement)
        finally:
            del ballast
            if collecting:
                gc.enable()
            flush()
        return {}


def shift_heap(seed):
    """Allocates a random number of small objects of every size, so that later ones lie elsewhere.

    Larger ones use up malloc's free blocks, or parts of them, so that the setup gets others.
    """
    ballast = []
    for size in range(10, 17):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        ballast += [bytes((1 << size) + 16 * (seed >> 50) % 1024) for i in range((seed >> 40) % 4)]
    for size in range(16, 512, 16):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        ballast += [bytes(size - 16) + b'%d' % i for i in range((seed >> 40) % 8)]
    return ballast
