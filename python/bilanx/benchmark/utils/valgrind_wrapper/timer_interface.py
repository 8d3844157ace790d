"""Instruction counts by function."""
from __future__ import annotations

import atexit
import base64
import collections
import dataclasses
import enum
import os
import pickle
import re
import shutil
import sys
import tempfile
import textwrap
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from bilanx import _native, _paths, _terminal
from bilanx.benchmark.utils import common

__all__ = ["FunctionCount", "FunctionCounts", "CallgrindStats", "CopyIfCallgrind"]


class FunctionCount(NamedTuple):
    count: int  # type: ignore[assignment]  # also a method of tuples
    function: str


def _line_width() -> int:
    torch = common._torch()
    return torch._tensor_str.PRINT_OPTS.linewidth if torch is not None else 80


def _shortened(name: str, width: int) -> str:
    """The beginning and the end of a name that is too long."""
    if len(name) <= width:
        return name
    left = (width - 5) // 2
    return f"{name[:left]} ... {name[-(width - left - 5):]}"


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class FunctionCounts:
    """Counts by function, in descending order. Supports +, -, * and slices.

    >>> counts = FunctionCounts((FunctionCount(3, "a.c:f"), FunctionCount(1, "b.c:g")), False)
    >>> counts.sum(), (counts - counts[:1]).sum()
    (4, 1)
    """
    _data: Tuple[FunctionCount, ...]
    inclusive: bool
    truncate_rows: bool = True
    _linewidth: Optional[int] = None  # None: as torch.set_printoptions() says

    def __iter__(self) -> Iterator[FunctionCount]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, item: Any) -> Union[FunctionCount, "FunctionCounts"]:
        taken = self._data[item]
        if isinstance(item, slice):
            return FunctionCounts(taken, self.inclusive, truncate_rows=False)
        return taken

    def __repr__(self) -> str:
        # A sign counts twice, as in PyTorch.
        digits = max((len(str(count)) + (count < 0) for count, _ in self), default=0)
        width = max((self._linewidth or _line_width()) - digits - 4, 40)
        lines = [f"  {count:>{digits}}  {_shortened(_terminal.line(name), width)}" for count, name in self]
        if self.truncate_rows and len(lines) > 18:
            lines[9:-9] = ["...".rjust(digits + 2)]
        if not self.inclusive:
            lines += ["", f"Total: {self.sum()}"]
        return "\n".join([object.__repr__(self)] + lines)

    def __add__(self, other: "FunctionCounts") -> "FunctionCounts":
        return self._merge(other, 1)

    def __sub__(self, other: "FunctionCounts") -> "FunctionCounts":
        return self._merge(other, -1)

    def __mul__(self, other: Union[int, float]) -> "FunctionCounts":
        return self._from_dict({name: int(count * other) for count, name in self}, self.inclusive)

    def transform(self, map_fn: Callable[[str], str]) -> "FunctionCounts":
        """Renames functions; the counts of equal names are added."""
        counts: Dict[str, int] = collections.defaultdict(int)
        for count, name in self:
            counts[map_fn(name)] += count
        return self._from_dict(counts, self.inclusive)

    def filter(self, filter_fn: Callable[[str], bool]) -> "FunctionCounts":
        """The functions for whose name `filter_fn` is true."""
        return FunctionCounts(tuple(i for i in self if filter_fn(i.function)), self.inclusive)

    def sum(self) -> int:
        return sum(count for count, _ in self)

    def denoise(self) -> "FunctionCounts":
        """Without lookups in dictionaries by name, whose counts vary with the hashes."""
        return self.filter(lambda name: "dictobject.c:lookdict_unicode" not in name)

    def _merge(self, second: "FunctionCounts", sign: int) -> "FunctionCounts":
        assert self.inclusive == second.inclusive, "Cannot merge inclusive and exclusive counts."
        counts: Dict[str, int] = collections.defaultdict(int)
        for factor, side in ((1, self), (sign, second)):
            for count, name in side:
                counts[name] += factor * count
        return self._from_dict(counts, self.inclusive)

    @staticmethod
    def _from_dict(counts: Dict[str, int], inclusive: bool) -> "FunctionCounts":
        kept = (FunctionCount(count, name) for name, count in counts.items() if count)
        return FunctionCounts(tuple(sorted(kept, reverse=True)), inclusive)

    def _repr_html_(self) -> str:
        from html import escape
        rows = "".join(f"<tr><td align=right>{count}</td><td>{escape(name)}</td></tr>\n"
                       for count, name in self)
        return f"<table>\n<tr><th>instructions</th><th>function</th></tr>\n{rows}</table>"


# Two builds differ in the folder they were built in, and in the library.
_PREFIXES = ((r"^.+build/\.\./", "build/../"), (r"^.+/build/aten/", "build/aten/"),
             (r"^.+/Python/", "Python/"), (r"^.+/Objects/", "Objects/"), (r"\s\[.+\]$", ""))


@dataclasses.dataclass(repr=False, eq=False, frozen=True)
class CallgrindStats:
    """The instruction counts of a task and of an empty loop. Can be pickled."""
    task_spec: common.TaskSpec
    number_per_run: int
    built_with_debug_symbols: bool
    baseline_inclusive_stats: FunctionCounts
    baseline_exclusive_stats: FunctionCounts
    stmt_inclusive_stats: FunctionCounts
    stmt_exclusive_stats: FunctionCounts
    stmt_callgrind_out: Optional[str]

    def __repr__(self) -> str:
        empty = self.baseline_exclusive_stats
        threads = self.task_spec.num_threads
        lines = [
            object.__repr__(self),
            _terminal.lines(self.task_spec.summarize()),
            " " * 27 + "All" + " " * 10 + "Noisy symbols removed",
            f"    Instructions: {self.counts():>12}{self.counts(denoise=True):>27}",
            f"    Baseline:     {empty.sum():>12}{empty.denoise().sum():>27}",
            f"{self.number_per_run} runs per measurement, {threads} thread{'s' * (threads > 1)}",
        ]
        if not self.built_with_debug_symbols:
            lines += ["Warning: PyTorch was not built with debug symbols.",
                      "         Source information may be limited. Rebuild with",
                      "         REL_WITH_DEB_INFO=1 for more detailed results."]
        return "\n".join(lines)

    def stats(self, inclusive: bool = False) -> FunctionCounts:
        """The counts by function; `inclusive` counts include callees."""
        return self.stmt_inclusive_stats if inclusive else self.stmt_exclusive_stats

    def counts(self, *, denoise: bool = False) -> int:
        """The number of instructions; with `denoise`, without functions known to vary."""
        stats = self.stmt_exclusive_stats
        return (stats.denoise() if denoise else stats).sum()

    def delta(self, other: "CallgrindStats", inclusive: bool = False) -> FunctionCounts:
        """The counts of this minus those of `other`, by function."""
        return self.stats(inclusive) - other.stats(inclusive)

    def as_standardized(self) -> "CallgrindStats":
        """Without the parts of names that differ between builds: folders of sources, and libraries."""
        def strip(stats: FunctionCounts) -> FunctionCounts:
            for before, after in _PREFIXES:
                stats = stats.transform(lambda name: re.sub(before, after, name))
            return stats

        stripped: Dict[str, Any] = {field: strip(getattr(self, field)) for field in (
            "baseline_inclusive_stats", "baseline_exclusive_stats",
            "stmt_inclusive_stats", "stmt_exclusive_stats")}
        return dataclasses.replace(self, stmt_callgrind_out=None, **stripped)


class Serialization(enum.Enum):
    PICKLE = 0
    TORCH = 1
    TORCH_JIT = 2


_PLAIN_TYPES = (str, bytes, bool, int, float, complex)


def _allowed_types() -> Dict[Serialization, Tuple[Any, ...]]:
    """The kinds of values that can be copied into the counted process, and how."""
    allowed: Dict[Serialization, Tuple[Any, ...]] = {Serialization.PICKLE: _PLAIN_TYPES}
    torch = common._torch()
    if torch is not None:
        allowed[Serialization.TORCH_JIT] = (torch.jit.ScriptFunction, torch.jit.ScriptModule)
        allowed[Serialization.TORCH] = (torch.nn.Module,)
    return allowed


class CopyIfCallgrind:
    """A value of `globals` that may be replaced by a copy in the counted process. `setup` is code
    that runs there first, such as the import of its class.

    >>> CopyIfCallgrind(5).value
    5
    """

    def __init__(self, value: Any, *, setup: Optional[str] = None):
        allowed = _allowed_types()
        ways = [way for way, types in allowed.items() if isinstance(value, types)]
        if not ways:
            names = "\n".join(f"  {types}" for types in allowed.values())
            raise ValueError(f"Unsupported type: {type(value)}\n`collect_callgrind` restricts "
                             f"globals to the following types:\n{names}")
        self._value = value
        self._setup = setup
        self._serialization = ways[0]

    @property
    def value(self) -> Any:
        return self._value

    @property
    def setup(self) -> Optional[str]:
        return self._setup

    @property
    def serialization(self) -> Serialization:
        return self._serialization

    @staticmethod
    def unwrap_all(globals: Dict[str, Any]) -> Dict[str, Any]:
        return {name: value.value if isinstance(value, CopyIfCallgrind) else value
                for name, value in globals.items()}


class GlobalsBridge:
    """Takes `globals` to the counted process: as code that loads copies from a folder."""

    def __init__(self, globals: Dict[str, Any], data_dir: str) -> None:
        torch = common._torch()
        if globals.get("torch", torch) is not torch:
            raise ValueError("`collect_callgrind` does not support mocking out `torch`.")
        self._data_dir = data_dir
        self._globals: Dict[str, CopyIfCallgrind] = {}
        for name, value in globals.items():
            if name in ("torch", "__builtins__"):
                continue
            if not isinstance(value, CopyIfCallgrind):
                raise ValueError("`collect_callgrind` requires that globals be wrapped in "
                                 "`CopyIfCallgrind` so that serialization is explicit.")
            self._globals[name] = value

    def construct(self) -> str:
        """Writes the copies and returns the code."""
        os.makedirs(self._data_dir, exist_ok=True)
        lines: List[str] = []
        for name, wrapped in self._globals.items():
            if wrapped.setup is not None:
                lines.append(textwrap.dedent(wrapped.setup))
            lines.append(self._save(name, wrapped))
        return "\n".join(lines)

    def _save(self, name: str, wrapped: CopyIfCallgrind) -> str:
        path = os.path.join(self._data_dir, name + ".pt")
        if wrapped.serialization is Serialization.PICKLE:
            data = base64.b64encode(pickle.dumps(wrapped.value)).decode()
            return f"import base64, pickle; {name} = pickle.loads(base64.b64decode('{data}'))"
        torch = common._torch()
        if wrapped.serialization is Serialization.TORCH:
            torch.save(wrapped.value, path)
            trusting = ", weights_only=False" if _loads_only_weights(torch) else ""
            return f"import torch; {name} = torch.load({path!r}{trusting})"
        with open(path, "wb") as file:
            torch.jit.save(wrapped.value, file)
        return f"import torch; {name} = torch.jit.load({path!r})"


def _loads_only_weights(torch: Any) -> bool:
    """Whether torch.load() refuses modules by default, as it does from 2.6 on."""
    version = re.match(r"(\d+)\.(\d+)", torch.__version__)
    return version is not None and tuple(map(int, version.groups())) >= (2, 4)


# Libraries start no threads when they are loaded: those would not survive the forks of a worker.
_ENVIRONMENT = ["PYTHONHASHSEED=0"] + [name + "_NUM_THREADS=1" for name in (
    "OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")]
_Counted = Tuple[FunctionCounts, FunctionCounts, Optional[str]]


class _ValgrindWrapper:
    """Counts in workers that stay for the next count: one with torch, and one without."""

    def __init__(self) -> None:
        self._bindings_module = None  # for code that asks for it; our workers do not need it
        self._supported_platform = True
        self._counters: Dict[Any, Any] = {}
        self._baselines: Dict[Any, Tuple[FunctionCounts, FunctionCounts]] = {}
        torch = common._torch()
        build = re.search("BUILD_TYPE=([^,]+),", torch.__config__.show()) if torch else None
        self._build_type = build.group(1) if build else None
        atexit.register(self.stop)

    def stop(self) -> None:
        """Ends the workers."""
        for counter in self._counters.values():
            counter.stop()
        _native.stop_worker()
        self._counters.clear()
        self._baselines.clear()

    def _validate(self) -> None:
        if shutil.which("valgrind") is None:
            raise OSError("Missing: valgrind")

    def collect_callgrind(self, task_spec: common.TaskSpec, globals: Dict[str, Any], *,
                          number: int, repeats: int, collect_baseline: bool, is_python: bool,
                          retain_out_file: bool, compiled: Any = None,
                          ) -> Tuple[CallgrindStats, ...]:
        self._validate()
        nothing = FunctionCounts((), inclusive=True), FunctionCounts((), inclusive=False)
        baseline = nothing
        if is_python:
            counted = self._count_python(task_spec, globals, number, repeats, retain_out_file)
            if collect_baseline:
                baseline = self._baseline("torch" in globals, number)
        else:
            counted = _explained(compiled.count, number, repeats, retain_out_file)
        return tuple(
            CallgrindStats(task_spec=task_spec, number_per_run=number,
                           built_with_debug_symbols=self._build_type == "RelWithDebInfo",
                           baseline_inclusive_stats=baseline[0],
                           baseline_exclusive_stats=baseline[1],
                           stmt_inclusive_stats=inclusive, stmt_exclusive_stats=exclusive,
                           stmt_callgrind_out=text)
            for inclusive, exclusive, text in map(_function_counts, counted))

    def _count_python(self, task: common.TaskSpec, globals: Dict[str, Any], number: int,
                      repeats: int, retain: bool) -> Any:
        with_torch = "torch" in globals
        with tempfile.TemporaryDirectory(prefix="bilanx-callgrind-") as folder:
            bridge = GlobalsBridge(globals, os.path.join(folder, "data"))
            imported = "import torch\n" if with_torch else ""
            setup = "" if task.setup == "pass" else task.setup
            words = dict(self._words(with_torch), stmt=task.stmt, threads=str(task.num_threads),
                         setup=imported + bridge.construct() + "\n" + setup)
            return _explained(self._counter(with_torch).count, words, number, repeats,
                              task.num_threads, retain)

    def _baseline(self, with_torch: bool, number: int) -> Tuple[FunctionCounts, FunctionCounts]:
        key = with_torch, number
        if key not in self._baselines:
            words = dict(self._words(with_torch), stmt="pass", threads="1")
            counted = _explained(self._counter(with_torch).count, words, number, 1, 1, False)
            self._baselines[key] = _function_counts(counted[0])[:2]
        return self._baselines[key]

    @staticmethod
    def _words(with_torch: bool) -> Dict[str, str]:
        words = {"language": "python", "blocks": "1"}
        return dict(words, preload="torch") if with_torch else words

    def _counter(self, with_torch: bool) -> Any:
        """The worker: this interpreter under valgrind, with this one's search path."""
        key = with_torch, tuple(sys.path), sys.executable
        if key not in self._counters:
            prepare = {"language": "python"}
            if with_torch:
                prepare.update(preload="torch", first_use="torch")
            # The empty loop runs in what becomes the worker, so it must not start threads either.
            empty = dict(prepare, stmt="", blocks="1")
            path = os.pathsep.join(folder for folder in sys.path if folder)
            self._counters[key] = _native.Counter(
                [os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix
                 else sys.executable, _paths.python_worker()],
                _ENVIRONMENT + ["PYTHONPATH=" + path], prepare, empty)
        return self._counters[key]


def _explained(count: Callable, *arguments: Any) -> Any:
    """Turns errors of the counted process into an OSError, with its output."""
    try:
        return count(*arguments)
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise OSError(f"Failed to collect callgrind profile:\n{error}") from None


def _function_counts(counted: Any) -> _Counted:
    inclusive, exclusive, text = counted

    def made(pairs: Any, is_inclusive: bool) -> FunctionCounts:
        merged: Dict[str, int] = collections.defaultdict(int)
        for count, name in pairs:
            merged[name] += count
        return FunctionCounts._from_dict(merged, is_inclusive)
    return made(inclusive, True), made(exclusive, False), text


CALLGRIND_SINGLETON: Optional[_ValgrindWrapper] = None


def wrapper_singleton() -> _ValgrindWrapper:
    """The workers of this process."""
    global CALLGRIND_SINGLETON
    if CALLGRIND_SINGLETON is None:
        CALLGRIND_SINGLETON = _ValgrindWrapper()
    return CALLGRIND_SINGLETON
