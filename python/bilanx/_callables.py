"""Functions of this process: timed, and compared, in forks of it."""
from __future__ import annotations

import functools
import json
import math
import os
import random
import time as clock
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from bilanx import _forks, _native
from bilanx._results import Result, keep
from bilanx.benchmark.utils._statement import Statement
from bilanx.benchmark.utils.timer import Timer

_BATCH_S = 1e-4  # long enough for the clock, short enough to take turns often
_PAIRS = 40      # of batches per epoch
_EPOCHS = 5      # at least
_FEWEST = 4      # pairs in one state of the core that make an epoch
_LONGEST_S = 5e-4  # of a batch whose state is known from what is before and after it

Function = Callable[[], Any]
_METHODS = ("rigorous", "blocked", "adaptive", "timeit")


def name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)


@functools.lru_cache(maxsize=1)
def _provenance(folder: str, second: int) -> Optional[str]:
    """Running git takes longer than many functions do, so its answer is kept for a second."""
    return _native.provenance()


def _repository() -> Dict[str, Any]:
    """The commit that a record belongs to, and whether files were changed since."""
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        return {}
    found = _provenance(folder, int(clock.monotonic()))
    return {"git": json.loads(found)} if found else {}


def _timer(function: Function, task: Dict[str, Any]) -> Timer:
    timer = Timer("_function()", globals={"_function": function}, **task)
    shown = dict(stmt=name_of(function), setup="", **task)
    timer._task_spec = type(timer._task_spec)(**shown)
    return timer


def time(function: Function, *, method: str = "rigorous", number: int = 0,
         min_run_time: Optional[float] = None, max_run_time: Optional[float] = None,
         threshold: float = 0.1, threads: int = 1, label: Optional[str] = None,
         sub_label: Optional[str] = None, description: Optional[str] = None,
         env: Optional[str] = None, timeout: float = 60.0) -> Result:
    """Times calls of a function. `rigorous` does that in forks of this process; the other methods
    and several threads do it in the process itself."""
    if method not in _METHODS:
        raise ValueError(f"unknown method '{method}'")
    _native.check(dict(number=number, min_run_time=min_run_time, max_run_time=max_run_time,
                       threshold=threshold, threads=threads, timeout=timeout))
    timer = _timer(function, dict(label=label, sub_label=sub_label, description=description,
                                  env=env, num_threads=threads))
    if method == "rigorous" and threads == 1:
        measured = timer.rigorous(max_run_time=1.0 if max_run_time is None else max_run_time,
                                  timeout=timeout)
    elif method == "adaptive":
        measured = timer.adaptive_autorange(
            threshold, min_run_time=0.01 if min_run_time is None else min_run_time,
            max_run_time=10.0 if max_run_time is None else max_run_time)
    elif method == "timeit":
        measured = timer.timeit(number or 1000)
    else:
        measured = timer.blocked_autorange(
            min_run_time=0.2 if min_run_time is None else min_run_time)
    return Result(dict(measured.record, **_repository()))


class _Side:
    def __init__(self, function: Function) -> None:
        self._statement = Statement("_function()", "pass", None, {"_function": function})
        self.number = self._calibrate()

    def _calibrate(self) -> int:
        self._statement.timeit(1)  # the first call may initialise things
        number = 1
        while self._statement.timeit(number) < _BATCH_S and number < 1 << 30:
            number *= 2
        return number

    def batch(self) -> float:
        """Seconds per call, of one batch."""
        return self._statement.timeit(self.number) / self.number


def _middle(values: List[float]) -> float:
    """The mean of the central half."""
    values = sorted(values)
    kept = values[len(values) // 4: len(values) - len(values) // 4]
    return math.fsum(kept) / len(kept)


class _Epoch:
    """Pairs of batches, in random order, and the state of the core in which they ran."""

    def __init__(self, a: _Side, b: _Side, deadline: float) -> None:
        self.times: List[Tuple[float, float]] = []
        readings: List[float] = []
        while len(self.times) < _PAIRS and not (self.times and clock.monotonic() > deadline):
            pair = [0.0, 0.0]
            for i in (0, 1) if random.random() < 0.5 else (1, 0):
                readings += _native.core_read()
                pair[i] = (a, b)[i].batch()
                readings += _native.core_read()
            self.times.append((pair[0], pair[1]))
        self.states, self.free = _native.core_states(readings)
        batches = [max(pair[0] * a.number, pair[1] * b.number) for pair in self.times]
        self.has_states = _middle(batches) < _LONGEST_S
        if not self.has_states:
            self.states = ["unknown"] * len(self.times)

    def times_in(self, state: Optional[str]) -> List[Tuple[float, float]]:
        return [pair for pair, seen in zip(self.times, self.states) if state in (None, seen)]

    def change_in(self, state: Optional[str]) -> Optional[float]:
        """ln(b/a) of the pairs in this state; None: too few."""
        kept = self.times_in(state)
        if len(kept) < (1 if state is None else _FEWEST):
            return None
        return _middle([math.log(max(b, 1e-12) / max(a, 1e-12)) for a, b in kept])


def _choose(epochs: List[_Epoch]) -> Optional[str]:
    """The state of the core that the verdict is about; None: all pairs, whatever the state."""
    counts = {state: sum(epoch.change_in(state) is not None for epoch in epochs)
              for state in ("free", "shared")}
    if counts["free"] >= _EPOCHS or counts["free"] > counts["shared"]:
        return "free"
    return "shared" if counts["shared"] >= _EPOCHS else None


class _Margins(NamedTuple):
    alpha: float
    margin: float
    equal: float


def _judge(epochs: List[_Epoch], margins: _Margins) -> Dict[str, Any]:
    """The keys of a record that describe the difference between the sides."""
    state = _choose(epochs)
    known = (epoch.change_in(state) for epoch in epochs)
    changes = [value for value in known if value is not None]
    verdict, change, low, high, p = _native.judge(changes, *margins)
    kept = [pair for epoch in epochs for pair in epoch.times_in(state)]
    reason = "decided" if verdict != "undecided" else f"out of time after {len(changes)} epochs"
    record: Dict[str, Any] = {
        "verdict": verdict, "reason": reason, "change": change, "p": p,
        "times": [_middle([pair[i] for pair in kept]) for i in (0, 1)], "changes": changes,
        "core": state or "unknown",
        "neighbour": {"free": sum(epoch.free for epoch in epochs) / len(epochs)}}
    if math.isfinite(low) and math.isfinite(high):
        record["interval"] = [low, high]
    return record


def _take_turns(a: Function, b: Function, budget: float, margins: _Margins,
                ) -> Iterator[Optional[Dict[str, Any]]]:
    """The verdict after each epoch, until it is certain; None: not started yet."""
    started = clock.monotonic()
    deadline = started + budget
    sides: List[_Side] = []
    for function in (a, b):
        sides.append(_Side(function))
        yield None
    epochs: List[_Epoch] = []
    while len(epochs) < 2 or clock.monotonic() < deadline:
        epochs.append(_Epoch(sides[0], sides[1], deadline))
        record = _judge(epochs, margins)
        yield dict(record, elapsed=clock.monotonic() - started)
        waits = epochs[-1].has_states and record["core"] != "free"
        certain = record["verdict"] != "undecided" and len(record["changes"]) >= _EPOCHS
        if certain and not (waits and clock.monotonic() < started + budget / 2):
            break
    _native.core_keep()


def ab(a: Function, b: Function, *, budget: float = 5.0, alpha: float = 0.01,
       margin: float = 0.0025, equal: float = 0.005, label: Optional[str] = None,
       timeout: float = 60.0) -> Result:
    """Lets two functions take turns in a fork of this process until the verdict is certain.

    The verdict is about this process: its addresses are one draw. A function that crashes, exits,
    or takes more than `timeout` seconds for a call raises MeasurementError.
    """
    _native.check(dict(budget=budget, alpha=alpha, margin=margin, equal=equal, timeout=timeout))
    title = f"{name_of(a)} -> {name_of(b)}"
    found: Dict[str, Any] = {}
    repository = _repository()

    def work(send: _forks.Send) -> None:
        for so_far in _take_turns(a, b, budget, _Margins(alpha, margin, equal)):
            send((so_far, False))
        send((None, True))

    def record() -> Dict[str, Any]:
        task = {"stmt": name_of(b), "language": "python", "num_threads": 1, "label": label or title}
        return dict({"schema": "bilanx/1", "kind": "verdict", "side": "B", "baseline": "A",
                     "task": task}, **found, **repository)

    done = False
    try:
        with _forks.Fork(title, work) as fork:
            while not done:
                so_far, done = fork.receive(timeout + (budget if found else 0))
                found = so_far or found
    except KeyboardInterrupt as stopped:
        keep(stopped, [record()] if found else [])
        raise
    return Result(record())
