"""Measures statements in Python and C++."""
from __future__ import annotations

import enum
import json
import math
import textwrap
import timeit
from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple, Type, Union

from bilanx import _forks, _native
from bilanx.benchmark.utils import common
from bilanx.benchmark.utils._statement import Statement
from bilanx.benchmark.utils.valgrind_wrapper import timer_interface as valgrind_timer_interface

__all__ = ["Timer", "timer", "Language"]


def _waiter() -> Optional[Callable[[], None]]:
    """Waits for the accelerator that PyTorch uses; None if there is none."""
    torch = common._torch()
    cuda = getattr(torch, "cuda", None)
    if cuda is not None and cuda.is_available():
        return cuda.synchronize
    xpu = getattr(torch, "xpu", None)
    if xpu is not None and hasattr(xpu, "is_available") and xpu.is_available():
        return xpu.synchronize
    return None


def timer() -> float:
    """Seconds, as time.perf_counter() gives them, once the devices in use have finished."""
    wait = _waiter()
    if wait is not None:
        wait()
    return timeit.default_timer()


class Language(enum.Enum):
    PYTHON = 0
    CPP = 1


_LANGUAGES = {"py": Language.PYTHON, "python": Language.PYTHON,
              "cpp": Language.CPP, "c++": Language.CPP}


def _language(given: Any) -> Language:
    name = given.lower() if isinstance(given, str) else getattr(given, "name", "").lower()
    if isinstance(given, (str, enum.Enum)) and name in _LANGUAGES:
        return _LANGUAGES[name]
    raise ValueError(f"Invalid language `{given}`.")


def _tidy(code: str) -> str:
    """Without common indentation, a first newline and trailing space."""
    code = textwrap.dedent(code)
    return (code[1:] if code.startswith("\n") else code).rstrip()


class CPPTimer:
    """A C++ statement: compiled into our cache, run by our worker."""

    def __init__(self, stmt: str, setup: str, global_setup: str, timer: Callable[[], float],
                 globals: Dict[str, Any]) -> None:
        if timer is not timeit.default_timer and _waiter() is not None:
            raise NotImplementedError(
                "C++ statements are not timed on a GPU. If the statement does not use one, pass "
                "`timer=timeit.default_timer`.")
        if globals:
            raise ValueError("C++ timing does not support globals.")
        self._texts = tuple(map(textwrap.dedent, (stmt, setup, global_setup)))
        self._compiled: Any = None
        self._threads = 1

    def compiled(self) -> Any:
        if self._compiled is None:
            torch = any("torch" in text or "at::" in text or "c10::" in text
                        for text in self._texts)
            stmt, setup, global_setup = self._texts
            self._compiled = _native.Compiled(stmt, setup, global_setup, self._threads, torch)
        return self._compiled

    def timeit(self, number: int) -> float:
        return self.compiled().run(number)


class Timer:
    """Measures how long a statement takes.

    `stmt` and `setup` are code; with `language="c++"`, `global_setup` is code outside of functions.
    `globals` are the variables of Python code. `label`, `sub_label`, `description` and `env` say
    where a result belongs in the tables of Compare. `num_threads` is the number of threads that
    PyTorch uses. `timer` is a clock.

    >>> measured = Timer("x.count(1)", setup="x = [1, 2, 3]").timeit(100)
    >>> measured.number_per_run, len(measured.raw_times)
    (100, 1)
    """

    _timer_cls: Type[Any] = timeit.Timer

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "",
                 timer: Callable[[], float] = timer, globals: Optional[Dict[str, Any]] = None,
                 label: Optional[str] = None, sub_label: Optional[str] = None,
                 description: Optional[str] = None, env: Optional[str] = None,
                 num_threads: int = 1, language: Union[Language, str] = Language.PYTHON):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        self._globals = dict(globals or {})  # a copy: running code adds to it
        self._language = _language(language)
        if self._language is Language.PYTHON and global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this "
                             "code can simply be moved to `setup`.")
        if self._language is Language.CPP:
            assert self._timer_cls is timeit.Timer, "_timer_cls has already been swapped."
            self._timer_cls = CPPTimer
            setup = "" if setup == "pass" else setup
        stmt, setup = _tidy(stmt), _tidy(setup)
        self._add_torch(stmt, setup)
        self._timer = self._make_timer(stmt, setup, global_setup, timer)
        self._task_spec = common.TaskSpec(
            stmt=stmt, setup=setup, global_setup=global_setup, label=label, sub_label=sub_label,
            description=description, env=env, num_threads=num_threads)
        if isinstance(self._timer, CPPTimer):
            self._timer._threads = num_threads

    def _add_torch(self, stmt: str, setup: str) -> None:
        """Adds `torch` to the globals of Python code; it is imported only if the code names it."""
        if self._language is Language.PYTHON:
            torch = common._torch(wanted="torch" in stmt or "torch" in setup)
            if torch is not None:
                self._globals.setdefault("torch", torch)

    def _make_timer(self, stmt: str, setup: str, global_setup: str,
                    clock: Callable[[], float]) -> Any:
        values = valgrind_timer_interface.CopyIfCallgrind.unwrap_all(self._globals)
        if self._timer_cls is timeit.Timer:
            ours = clock is timer and _waiter() is None or clock is timeit.default_timer
            return Statement(stmt, setup, None if ours else clock, values)
        extra = {"global_setup": global_setup} if self._language is Language.CPP else {}
        return self._timer_cls(stmt=stmt, setup=setup, timer=clock, globals=values, **extra)

    def _begin(self) -> None:
        """A new measurement: the setup runs again."""
        if isinstance(self._timer, Statement):
            self._timer.begin()

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _measurement(self, number: int, times: List[float], method: str) -> common.Measurement:
        measured = common.Measurement(number_per_run=number, raw_times=times,
                                      task_spec=self._task_spec)
        measured._know(_method=method)
        if self._language is Language.CPP:
            measured._know(_language="c++")
        return measured

    def timeit(self, number: int = 1000000) -> common.Measurement:
        """One block of `number` calls, after a hundredth as many to warm up."""
        self._begin()
        with common.set_torch_threads(self._task_spec.num_threads):
            self._timeit(max(int(number // 100), 2))
            return self._measurement(number, [self._timeit(number)], "timeit")

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Optional[Callable[[int, float], NoReturn]] = None) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _autorange(self, method: str, calibration: float, min_run_time: float, max_run_time: float,
                   threshold: float, callback: Any) -> common.Measurement:
        self._begin()
        with common.set_torch_threads(self._task_spec.num_threads):
            number = self._estimate_block_size(calibration)
            times = _native.blocks(self._timer.timeit, number, min_run_time, max_run_time or 0,
                                   threshold, callback or None)
        return self._measurement(number, times, method)

    def _estimate_block_size(self, min_run_time: float) -> int:
        """Calls per block: enough that the clock does not matter, and a thousandth of the time."""
        return _native.estimate(self._timer.timeit, min_run_time)

    def blocked_autorange(self, callback: Optional[Callable[[int, float], NoReturn]] = None,
                          min_run_time: float = 0.2) -> common.Measurement:
        """Blocks for at least `min_run_time` seconds, so large that the clock does not matter.

        `callback(number, seconds)` is called after each block.

        >>> Timer("pass").blocked_autorange(min_run_time=0.01).number_per_run >= 1
        True
        """
        return self._autorange("blocked", min_run_time, min_run_time, 0, 0, callback)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01,
                           max_run_time: float = 10.0,
                           callback: Optional[Callable[[int, float], NoReturn]] = None,
                           ) -> common.Measurement:
        """Blocks until their quartiles are within `threshold` of the median, or time is up."""
        # A threshold that can never be met waits for the maximum; 0 would mean "do not wait".
        return self._autorange("adaptive", 0.05, min_run_time, max_run_time,
                               threshold if threshold > 0 else -1, callback)

    def collect_callgrind(self, number: int = 100, *, repeats: Optional[int] = None,
                          collect_baseline: bool = True, retain_out_file: bool = False) -> Any:
        """Counts instructions under valgrind, in another process.

        Values in `globals` must be wrapped in CopyIfCallgrind. Returns a CallgrindStats, or with
        `repeats` a tuple of them.
        """
        if repeats is not None and repeats < 1:
            raise ValueError("If specified, `repeats` must be >= 1")
        self._begin()
        self._timeit(1)  # mistakes are easier to understand here
        is_python = self._language is Language.PYTHON
        counted = valgrind_timer_interface.wrapper_singleton().collect_callgrind(
            task_spec=self._task_spec, globals=self._globals, number=number,
            repeats=repeats or 1, collect_baseline=collect_baseline and is_python,
            is_python=is_python, retain_out_file=retain_out_file,
            compiled=None if is_python else self._timer.compiled())
        return counted[0] if repeats is None else counted

    # ---- beyond torch.utils.benchmark

    def rigorous(self, max_run_time: float = 1.0, *, timeout: float = 60.0) -> common.Measurement:
        """Measures in epochs, each in a fork with its own stack and heap, until the 95 % interval
        is within .5 % or `max_run_time` is used up.

        Setup and statement run only in forks of this process. One that crashes, exits, or takes
        more than `timeout` seconds for a call raises bilanx.MeasurementError. ^C raises
        KeyboardInterrupt, whose `results` are what was measured so far.

        The result has a time per epoch. Its `record` has the interval and the epochs.

        >>> Timer("pass").rigorous(max_run_time=0.1).record["method"]
        'rigorous'
        """
        if self._language is not Language.PYTHON:
            raise ValueError("rigorous() forks this process, so it measures only Python; "
                             "use bilanx.time(stmt, language='c++')")
        if self._task_spec.num_threads > 1:
            raise ValueError("rigorous() forks this process, in which threads do not survive: "
                             "it needs num_threads=1")
        _native.check(dict(max_run_time=max_run_time, timeout=timeout))
        self._begin()
        with common.set_torch_threads(1):
            record = self._rigorous_record(max_run_time, timeout)
        measured = self._measurement(record["number_per_run"], record["raw_times"], "rigorous")
        measured._know(_record=record)
        return measured

    def _rigorous_record(self, max_run_time: float, timeout: float) -> Dict[str, Any]:
        """Epochs are forks of a fork, in which the setup has run and the first calls have
        initialised things."""
        parts = {"task": self._task_spec._record_task(), "raw_times": []}

        def work(send: _forks.Send) -> None:
            self._timeit(1)
            send(None)
            patience = timeout + 10 * self._timeit(1)  # an epoch has at least three calls
            send(patience)
            send(_native.rigorous(self._timer.timeit, max_run_time, patience, parts))

        kept: Any = None
        try:
            with _forks.Fork(self._task_spec.title, work) as fork:
                try:
                    fork.receive(timeout)
                    fork.receive(timeout)
                    return json.loads(fork.receive(math.inf))
                except KeyboardInterrupt:
                    kept = fork.conclude()
                    raise
        except KeyboardInterrupt as stopped:
            from bilanx import _results
            _results.keep(stopped, [json.loads(kept)] if isinstance(kept, str) else [])
            raise
