"""The common parts of bilanx.benchmark: tasks, measurements, and the display of times."""
from __future__ import annotations

import collections
import contextlib
import dataclasses
import importlib.util
import json
import math
import os
import sys
import tempfile
import textwrap
import time
import uuid
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

from bilanx import _native, _terminal

__all__ = ["TaskSpec", "Measurement", "select_unit", "unit_to_english", "trim_sigfig",
           "ordered_unique", "set_torch_threads"]

_UNITS = {"ns": (1e-9, "nanosecond"), "us": (1e-6, "microsecond"),
          "ms": (1e-3, "millisecond"), "s": (1, "second")}
_IQR_WARN_THRESHOLD = 0.1
_IQR_GROSS_WARN_THRESHOLD = 0.25


def _torch(wanted: bool = False) -> Any:
    """PyTorch if this process has imported it; with `wanted`, also if it can be imported."""
    module = sys.modules.get("torch")
    if module is None and wanted and importlib.util.find_spec("torch") is not None:
        import torch
        module = torch
    return module


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What a Timer measures, except for its globals.

    >>> TaskSpec("x + 1", setup="x = 2", label="add", sub_label="int").title
    'add: int'
    """
    stmt: str
    setup: str
    global_setup: str = ""
    label: Optional[str] = None
    sub_label: Optional[str] = None
    description: Optional[str] = None
    env: Optional[str] = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement; with the sub_label."""
        name = self.stmt if self.label is None else self.label
        if self.label is None and "\n" in self.stmt:
            sub_label = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{sub_label}\n{textwrap.indent(self.stmt, '  ')}"
        return f"{name}: {self.sub_label}" if self.sub_label else name

    def setup_str(self) -> str:
        """The setup in its displayed form; empty if it does nothing."""
        if not self.setup or self.setup == "pass":
            return ""
        if "\n" in self.setup:
            return "setup:\n" + textwrap.indent(self.setup, "  ")
        return "setup: " + self.setup

    def summarize(self) -> str:
        """The lines about the task in the repr of a result."""
        parts = (self.title, self.description or "", self.setup_str())
        return "\n".join(part + "\n" if "\n" in part else part for part in parts if part)

    def _record_task(self, language: str = "python") -> Dict[str, Any]:
        return dict(dataclasses.asdict(self), language=language)


_TASKSPEC_FIELDS = tuple(field.name for field in dataclasses.fields(TaskSpec))


class Ratio(Tuple[float, float, float]):
    """How many times as long one measurement takes as another, with its 95 % interval.

    >>> Ratio((2.0, 1.9, 2.1))
    Ratio(2.000, 95 % interval 1.900 .. 2.100)
    >>> Ratio((2.0, 1.9, 2.1)).estimate
    2.0
    """
    __slots__ = ()

    @property
    def estimate(self) -> float:
        return self[0]

    @property
    def interval(self) -> Tuple[float, float]:
        """NaN twice if a measurement has only one time."""
        return self[1], self[2]

    def __repr__(self) -> str:
        if math.isnan(self[1]):
            return f"Ratio({self[0]:.3f}, one time is too few for an interval)"
        return f"Ratio({self[0]:.3f}, 95 % interval {self[1]:.3f} .. {self[2]:.3f})"


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """Times of one task, with statistics. Can be pickled.

    >>> m = Measurement(10, [5.0, 20.0, 40.0], TaskSpec("f()", "pass"))
    >>> m.times
    [0.5, 2.0, 4.0]
    >>> m.median
    2.0
    """
    number_per_run: int
    raw_times: List[float]
    task_spec: TaskSpec
    metadata: Optional[Dict[Any, Any]] = None  # for users

    def __post_init__(self) -> None:
        self._sorted_times: Tuple[float, ...] = ()
        self._warnings: Tuple[str, ...] = ()
        self._median: float = -1.0
        self._mean: float = -1.0
        self._p25: float = -1.0
        self._p75: float = -1.0

    def __getattr__(self, name: str) -> Any:
        # The fields of the task, as attributes of the measurement.
        if name in _TASKSPEC_FIELDS:
            return getattr(self.task_spec, name)
        return object.__getattribute__(self, name)

    # ---- statistics, of times per call

    @property
    def times(self) -> List[float]:
        """Seconds per call, one for each block."""
        return [seconds / self.number_per_run for seconds in self.raw_times]

    @property
    def median(self) -> float:
        self._lazy_init()
        return self._median

    @property
    def mean(self) -> float:
        self._lazy_init()
        return self._mean

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        self._lazy_init()
        return self._p75 - self._p25

    @property
    def significant_figures(self) -> int:
        """How many digits of the median to show: 1 to 4, from the spread of the middle half."""
        self._lazy_init()
        return _native.figures(self._sorted_times)

    @property
    def has_warnings(self) -> bool:
        self._lazy_init()
        return bool(self._warnings)

    def _lazy_init(self) -> None:
        if self._sorted_times or not self.raw_times:
            return
        self._sorted_times = tuple(sorted(self.times))
        self._median, self._mean, self._p25, self._p75 = _native.summary(self._sorted_times)
        verdicts = (
            (_IQR_GROSS_WARN_THRESHOLD, "This suggests significant environmental influence."),
            (_IQR_WARN_THRESHOLD, "This could indicate system fluctuation."))
        for threshold, verdict in verdicts:
            if not self.meets_confidence(threshold):
                percent = self.iqr / self.median * 100
                self._warnings = (f"  WARNING: Interquartile range is {percent:.1f}% of the median "
                                  f"measurement.\n           {verdict}",)
                break

    def meets_confidence(self, threshold: float = _IQR_WARN_THRESHOLD) -> bool:
        """Whether the quartiles are closer than this fraction of the median."""
        return self.iqr / self.median < threshold

    # ---- the task

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def env(self) -> Optional[str]:
        return self.task_spec.env

    @property
    def as_row_name(self) -> str:
        """Its row in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        self._lazy_init()
        count = len(self._sorted_times)
        unit, scale = select_unit(self._median)
        many = count > 1
        lines = [object.__repr__(self), _terminal.lines(self.task_spec.summarize()),
                 f"  {'Median: ' if many else ''}{self._median / scale:.2f} {unit}"]
        if count >= 4:
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} "
                         f"({self._p25 / scale:.2f} to {self._p75 / scale:.2f})")
        threads = self.num_threads
        lines.append(f"  {count} measurement{'s' if many else ''}, {self.number_per_run} runs "
                     f"{'per measurement,' if many else ','} {threads} "
                     f"thread{'s' if threads > 1 else ''}")
        return "\n".join(lines + list(self._warnings)).strip()

    @staticmethod
    def merge(measurements: Iterable["Measurement"]) -> List["Measurement"]:
        """Joins the measurements of equal tasks: their times per call, with `number_per_run` 1."""
        groups: Dict[TaskSpec, List[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(number_per_run=1, raw_times=times, task_spec=task)
                for task, times in groups.items()]

    # ---- beyond torch.utils.benchmark

    @property
    def record(self) -> Dict[str, Any]:
        """The measurement as a record of bilanx, as `bilanx compare` reads it.

        >>> Measurement(1, [2.5], TaskSpec("f()", "pass")).record["stats"]["median"]
        2.5
        """
        kept = self.__dict__.get("_record")
        return dict(kept) if kept else json.loads(_native.record(self._record_parts()))

    def _know(self, **facts: Any) -> None:
        """Stores the keys for its record."""
        self.__dict__.update(facts)

    def _record_parts(self) -> Dict[str, Any]:
        language = self.__dict__.get("_language", "c++" if self.global_setup else "python")
        return {"task": self.task_spec._record_task(language),
                "number_per_run": self.number_per_run, "raw_times": self.raw_times,
                "method": self.__dict__.get("_method", "timeit" if len(self.raw_times) == 1
                                            else "blocked")}

    def ratio(self, other: "Measurement") -> Ratio:
        """How many times as long this takes as `other`, with a 95 % interval.

        >>> slow = Measurement(1, [2.0, 2.0], TaskSpec("f()", "pass"))
        >>> slow.ratio(Measurement(1, [1.0, 1.0], TaskSpec("g()", "pass"))).estimate
        2.0
        """
        return Ratio(_native.ratio(self.times, other.times))

    def _repr_html_(self) -> str:
        from html import escape
        return f"<pre>{escape(repr(self).partition(chr(10))[2])}</pre>"


def select_unit(t: float) -> Tuple[str, float]:
    """The unit in which a time is a number from 1 to 1000, and the length of the unit.

    >>> select_unit(2e-5)
    ('us', 1e-06)
    """
    if not t > 0:
        raise ValueError(f"a time must be greater than 0, not {t}")
    thousands = min(max(math.floor(math.log10(t) / 3), -3), 0)
    unit = ("s", "ms", "us", "ns")[-thousands]
    return unit, _UNITS[unit][0]


def unit_to_english(u: str) -> str:
    """
    >>> unit_to_english("us")
    'microsecond'
    """
    return _UNITS[u][1]


def trim_sigfig(x: float, n: int) -> float:
    """Rounds to n significant figures.

    >>> trim_sigfig(3.14159, 3)
    3.14
    """
    if n != int(n):
        raise AssertionError(f"{n} is not a number of figures")
    if x == 0 or not math.isfinite(x):
        return float(x)
    magnitude = math.ceil(math.log10(abs(x)))
    decimals = int(n) - magnitude
    scaled = round(x * 10.0 ** decimals if decimals >= 0 else x / 10.0 ** -decimals)
    return float(scaled / 10.0 ** decimals if decimals >= 0 else scaled * 10.0 ** -decimals)


def ordered_unique(elements: Iterable[Any]) -> List[Any]:
    """
    >>> ordered_unique([2, 1, 2])
    [2, 1]
    """
    return list(collections.OrderedDict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int) -> Iterator[None]:
    """Sets the number of threads of PyTorch, if it is loaded, for the time of the block."""
    torch = _torch()
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(n)
        yield
    finally:
        torch.set_num_threads(before)


def _make_temp_dir(prefix: Optional[str] = None, gc_dev_shm: bool = False) -> str:
    """A new folder, in shared memory if BENCHMARK_USE_DEV_SHM is set. The caller removes it."""
    root = tempfile.gettempdir()
    if os.getenv("BENCHMARK_USE_DEV_SHM", "").lower() in ("1", "true"):
        root = "/dev/shm/pytorch_benchmark_utils"
        os.makedirs(root, exist_ok=True)
    name = f"{prefix or tempfile.gettempprefix()}__{int(time.time())}__{uuid.uuid4()}"
    path = os.path.join(root, name)
    os.makedirs(path)
    return path
