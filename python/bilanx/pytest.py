"""A pytest plugin: the fixture `benchmark` with the interface of pytest-benchmark.

It steps aside if pytest-benchmark is installed; `pytest -p bilanx.pytest` uses this one instead.
"""
from __future__ import annotations

import datetime
import glob
import json
import math
import operator
import os
import platform
import re
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest

from bilanx import _native, _terminal
from bilanx.benchmark.utils import common
from bilanx.benchmark.utils._statement import Statement

_ROUND_S = 1e-4   # a round is at least this long, so that the clock does not matter
_ENOUGH_S = 0.2   # measured by default, unless the maximum is less
_FIELDS = ("min", "max", "mean", "stddev", "median", "iqr", "ops")
_FAIL = re.compile(r"(?P<field>\w+):(?P<limit>[0-9.]+)(?P<percent>%?)$")


def pytest_addoption(parser: Any, pluginmanager: Any) -> None:
    pluginmanager.set_blocked("benchmark")  # pytest-benchmark has the same options
    group = parser.getgroup("benchmark")

    def option(name: str, **settings: Any) -> None:
        group.addoption("--benchmark-" + name, **settings)

    option("only", action="store_true", help="run only benchmarks")
    option("skip", action="store_true", help="skip benchmarks")
    option("disable", action="store_true", help="call functions once; measure nothing")
    option("enable", action="store_true", help="measure, even if told to disable")
    option("min-time", type=float, default=5e-6, metavar="SECONDS", help="least time of a round")
    option("max-time", type=float, default=1.0, metavar="SECONDS", help="most time of a test")
    option("min-rounds", type=int, default=5, metavar="N", help="least rounds of a test")
    option("disable-gc", action="store_true", help="(garbage is never collected in a round)")
    option("warmup", nargs="?", const="on", default="auto", help="(each function is warmed up)")
    option("save", metavar="NAME", help="store the results as NAME")
    option("autosave", action="store_true", help="store the results")
    option("save-data", action="store_true", help="store all times too")
    option("json", metavar="PATH", help="write the results to a file")
    option("compare", nargs="?", const="", default=None, metavar="NUM",
           help="compare with a stored run: its number, or the last one")
    option("compare-fail", action="append", default=[], metavar="EXPR",
           help="fail if a field got worse: median:5%% or min:0.001")
    option("storage", default=".benchmarks", metavar="PATH", help="where runs are stored")
    option("group-by", default="group", help="group, name, func, fullname, param")
    option("sort", default="min", help="min, max, mean, stddev, name, fullname")
    option("columns", default="min,median,mean,stddev,rounds,iterations", help="what to show")
    option("quiet", action="store_true", help="show no table")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "benchmark: settings of the benchmark fixture")
    config._bilanx = Session(config)


def pytest_collection_modifyitems(config: Any, items: List[Any]) -> None:
    only, skip = (config.getoption("benchmark_" + name) for name in ("only", "skip"))
    for item in items:
        is_benchmark = "benchmark" in getattr(item, "fixturenames", ())
        if only and not is_benchmark:
            item.add_marker(pytest.mark.skip(reason="not a benchmark (--benchmark-only)"))
        if skip and is_benchmark:
            item.add_marker(pytest.mark.skip(reason="a benchmark (--benchmark-skip)"))


@pytest.fixture
def benchmark(request: Any) -> "Benchmark":
    """Measures a function: `benchmark(function, *args, **kwargs)` returns what it returns."""
    marker = request.node.get_closest_marker("benchmark")
    return Benchmark(request.config._bilanx, request.node, dict(marker.kwargs) if marker else {})


def pytest_sessionfinish(session: Any) -> None:
    session.config._bilanx.finish()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.config._bilanx.report(terminalreporter)


class Stats:
    """The times of a test, per call."""

    def __init__(self, rounds: List[float], iterations: int) -> None:
        self.data = [seconds / iterations for seconds in rounds]
        self.rounds, self.iterations = len(rounds), iterations
        self.median, self.mean, self.q1, self.q3 = _native.summary(self.data)
        self.min, self.max, self.total = min(self.data), max(self.data), math.fsum(self.data)
        squares = math.fsum((value - self.mean) ** 2 for value in self.data)
        self.stddev = math.sqrt(squares / (self.rounds - 1)) if self.rounds > 1 else 0.0
        self.iqr = self.q3 - self.q1
        self.ops = 1 / self.mean if self.mean else 0.0
        low, high = self.q1 - 1.5 * self.iqr, self.q3 + 1.5 * self.iqr
        self.stddev_outliers = sum(abs(value - self.mean) > self.stddev for value in self.data)
        self.iqr_outliers = sum(not low <= value <= high for value in self.data)
        self.outliers = f"{self.stddev_outliers};{self.iqr_outliers}"
        self.ld15iqr = min(value for value in self.data if value >= low)
        self.hd15iqr = max(value for value in self.data if value <= high)

    def to_dict(self, with_data: bool) -> Dict[str, Any]:
        kept = dict(vars(self))
        return kept if with_data else {name: kept[name] for name in kept if name != "data"}


class Metadata:
    """`benchmark.stats`: has the fields of the times and of the fixture, as attributes or items."""

    def __init__(self, fixture: "Benchmark", stats: Stats) -> None:
        self.fixture, self.stats = fixture, stats

    def __getattr__(self, name: str) -> Any:
        if name == "fixture":  # of an object that is being copied
            raise AttributeError(name)
        return getattr(self.fixture, name)

    def __getitem__(self, name: str) -> Any:
        return getattr(self.stats, name) if hasattr(self.stats, name) else getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self.stats, name, getattr(self, name, default))


class Benchmark:
    """The fixture."""

    def __init__(self, session: "Session", node: Any, settings: Dict[str, Any]) -> None:
        self._session, self._used = session, False
        self.disabled = session.disabled
        self.name, self.fullname = node.name, node.nodeid
        self.group: Optional[str] = settings.pop("group", None)
        self.extra_info: Dict[str, Any] = {}
        self.stats: Optional[Metadata] = None
        call = getattr(node, "callspec", None)
        self.params = {key: _plain(value) for key, value in call.params.items()} if call else None
        self.param = call.id if call else None
        self._settings = settings

    @property
    def enabled(self) -> bool:
        return not self.disabled

    def _setting(self, name: str) -> Any:
        return self._settings.get(name, self._session.option(name))

    def _begin(self) -> None:
        if self._used:
            if self in self._session.benchmarks:
                self._session.benchmarks.remove(self)
            raise RuntimeError("the fixture `benchmark` can be used only once in a test")
        self._used = True

    def __call__(self, function_to_benchmark: Callable, *args: Any, **kwargs: Any) -> Any:
        self._begin()
        if self.disabled:
            return function_to_benchmark(*args, **kwargs)
        names = {"_f": function_to_benchmark, "_a": args, "_k": kwargs}
        call = "_f(*_a, **_k)" if kwargs else "_f(*_a)" if args else "_f()"
        statement = Statement(call, "pass", self._settings.get("timer"), names)
        iterations = self._calibrate(statement)
        limit = self._setting("max_time")
        rounds: List[float] = _native.blocks(statement.timeit, iterations, min(_ENOUGH_S, limit),
                                             limit, 0.0, None)
        while len(rounds) < self._setting("min_rounds"):
            rounds.append(statement.timeit(iterations))
        self._keep(rounds, iterations)
        return function_to_benchmark(*args, **kwargs)

    def _calibrate(self, statement: Statement) -> int:
        least = max(self._setting("min_time"), _ROUND_S)
        statement.timeit(1)
        iterations = 1
        while iterations < 1 << 30 and statement.timeit(iterations) < least:
            iterations *= 2
        return iterations

    def pedantic(self, target: Callable, args: Tuple[Any, ...] = (),
                 kwargs: Optional[Dict[str, Any]] = None, setup: Optional[Callable] = None,
                 rounds: int = 1, warmup_rounds: int = 0, iterations: int = 1) -> Any:
        """Exactly this many rounds; `setup` runs before each and may return (args, kwargs)."""
        self._begin()
        for name, value, least in (("rounds", rounds, 1), ("iterations", iterations, 1),
                                   ("warmup_rounds", warmup_rounds, 0)):
            if not isinstance(value, int) or value < least:
                raise ValueError(f"Must have {name} >= {least}.")
        if setup and iterations != 1:
            raise ValueError("Can't use more than 1 `iterations` with a `setup` function.")
        given: List[Any] = [tuple(args), dict(kwargs or {})]

        def prepare() -> None:
            made = setup() if setup else None
            if made is not None:
                if given[0] or given[1]:
                    raise TypeError("pass either args and kwargs, or a setup that returns them")
                names["_a"], names["_k"] = made
        names: Dict[str, Any] = {"_f": target, "_a": given[0], "_k": given[1]}
        if self.disabled:
            prepare()
            return target(*names["_a"], **names["_k"])
        # With one call per round, the last one gives the result: the function is not called again.
        once = iterations == 1
        call, before = ("_r = _f(*_a, **_k)", "global _r") if once else ("_f(*_a, **_k)", "pass")
        statement = Statement(call, before, self._settings.get("timer"), names)
        taken = []
        for number in range(warmup_rounds + rounds):
            prepare()
            seconds = statement.timeit(iterations)
            if number >= warmup_rounds:
                taken.append(seconds)
        self._keep(taken, iterations)
        return names["_r"] if once else target(*names["_a"], **names["_k"])

    def _keep(self, rounds: List[float], iterations: int) -> None:
        self.stats = Metadata(self, Stats(rounds, iterations))
        self._session.benchmarks.append(self)

    def to_dict(self, with_data: bool = False) -> Dict[str, Any]:
        assert self.stats is not None
        return {"group": self.group, "name": self.name, "fullname": self.fullname,
                "params": self.params, "param": self.param, "extra_info": self.extra_info,
                "options": {"disable_gc": True, "timer": "bilanx", "warmup": True,
                            "min_rounds": self._setting("min_rounds"),
                            "max_time": self._setting("max_time"),
                            "min_time": self._setting("min_time")},
                "stats": self.stats.stats.to_dict(with_data)}


def _plain(value: Any) -> Any:
    try:
        json.dumps(value)
        return value
    except (TypeError, ValueError):
        return repr(value)


class Session:
    """All benchmarks of a run, the results they are compared with, and where they are stored."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.benchmarks: List[Benchmark] = []
        self.disabled = self.option("disable") and not self.option("enable")
        self.saved: List[str] = []
        implementation = platform.python_implementation()
        version = ".".join(platform.python_version_tuple()[:2])
        machine = f"{platform.system()}-{implementation}-{version}-{platform.architecture()[0]}"
        storage = self.option("storage")
        storage = storage[len("file://"):] if storage.startswith("file://") else storage
        self.folder = os.path.join(str(config.rootdir), storage, machine)
        self.limits = [self._limit(text) for text in self.option("compare_fail")]
        self.compared: Optional[Tuple[str, Dict[str, Any]]] = None

    def option(self, name: str) -> Any:
        return self.config.getoption("benchmark_" + name)

    @staticmethod
    def _limit(text: str) -> Tuple[str, float, bool]:
        match = _FAIL.match(text)
        if not match or match["field"] not in _FIELDS:
            raise pytest.UsageError(f"--benchmark-compare-fail: cannot parse '{text}': use a field "
                                    f"({', '.join(_FIELDS)}) and a limit, as in median:5%")
        return match["field"], float(match["limit"]), bool(match["percent"])

    def _stored(self) -> List[str]:
        return sorted(glob.glob(os.path.join(glob.escape(self.folder), "[0-9]*_*.json")))

    def _load(self) -> None:
        wanted = self.option("compare")
        if wanted is None and not self.limits:
            return
        files = [path for path in self._stored()
                 if not wanted or os.path.basename(path).startswith(wanted)]
        if files:
            with open(files[-1], encoding="utf-8") as file:
                self.compared = os.path.basename(files[-1])[:-len(".json")], json.load(file)

    def document(self) -> Dict[str, Any]:
        return {"machine_info": {"node": platform.node(), "processor": platform.processor(),
                                 "machine": platform.machine(), "system": platform.system(),
                                 "release": platform.release(),
                                 "python_version": platform.python_version(),
                                 "python_implementation": platform.python_implementation(),
                                 "cpu": {"count": os.cpu_count()}},
                "commit_info": {}, "benchmarks": [one.to_dict(self.option("save_data") or
                                                              bool(self.option("json")))
                                                  for one in self.benchmarks],
                "datetime": datetime.datetime.now(datetime.timezone.utc).isoformat(),
                "version": "bilanx " + _native.version}

    def _save(self, path: str) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.document(), file, indent=4)
        self.saved.append(path)

    def finish(self) -> None:
        if not self.benchmarks:
            return
        self._load()
        now = time.strftime("%Y%m%d_%H%M%S") if self.option("autosave") else None
        name = self.option("save") or now
        if self.option("json"):
            self._save(self.option("json"))
        if name:
            numbers = [int(os.path.basename(path).split("_")[0]) for path in self._stored()]
            self._save(os.path.join(self.folder, f"{max(numbers, default=0) + 1:04}_{name}.json"))
        worse = list(self._regressions())
        if worse:
            raise pytest.UsageError("Performance has regressed:\n\t" + "\n\t".join(map(_terminal.line, worse)))

    def _before(self, fullname: str) -> Optional[Dict[str, Any]]:
        for one in self.compared[1]["benchmarks"] if self.compared else ():
            if one["fullname"] == fullname:
                return one["stats"]
        return None

    def _regressions(self) -> Any:
        for one in self.benchmarks:
            before = self._before(one.fullname)
            for field, limit, percent in self.limits if before else ():
                assert before is not None and one.stats is not None
                old, new = before[field], getattr(one.stats.stats, field)
                change = (old - new) if field == "ops" else (new - old)
                change = 100 * change / old if percent and old else change
                if change > limit:
                    unit = "%" if percent else " s"
                    yield (f"{one.fullname}: {field} worse by {change:.3g}{unit}, "
                           f"limit {limit:g}{unit}")

    def report(self, terminal: Any) -> None:
        for path in self.saved:
            terminal.write_line(_terminal.line(f"Saved benchmark data in: {path}"))
        if not self.benchmarks or self.option("quiet"):
            return
        columns = [column for column in self.option("columns").replace(" ", "").split(",")
                   if hasattr(self.benchmarks[0].stats.stats, column)]  # type: ignore[union-attr]
        groups: Dict[str, List[Benchmark]] = {}
        for one in sorted(self.benchmarks, key=self._sort_key):
            groups.setdefault(self._group(one), []).append(one)
        for name, members in groups.items():
            title = f"benchmark {name!r}" if name else "benchmark"
            terminal.write_sep("-", _terminal.line(f"{title}: {len(members)} tests"))
            for line in _lines(members, columns, self):
                terminal.write_line(line)

    def _sort_key(self, one: Benchmark) -> Any:
        key = self.option("sort")
        return getattr(one, key) if key in ("name", "fullname") else \
            operator.attrgetter(key)(one.stats.stats)  # type: ignore[union-attr]

    def _group(self, one: Benchmark) -> str:
        by = self.option("group_by").split(",")[0]
        if by == "func":
            return one.name.split("[")[0]
        found = one.params.get(by[len("param:"):]) if by.startswith("param:") and one.params \
            else getattr(one, by, None)
        return "" if found is None else str(found)


def _shown(column: str, value: Any) -> str:
    if column in ("rounds", "iterations"):
        return str(value)
    if column == "ops":
        return f"{value:,.0f}/s"
    if not value > 0:
        return "0"
    unit, scale = common.select_unit(value)
    return f"{value / scale:.4g} {unit}"


def _lines(members: List[Benchmark], columns: List[str], session: Session) -> List[str]:
    rows = [["name", *columns]]
    for one in members:
        assert one.stats is not None
        rows.append([one.name, *(_shown(c, getattr(one.stats.stats, c)) for c in columns)])
        before = session._before(one.fullname)
        if before and session.compared:
            rows.append([f"  {session.compared[0]}",
                         *(_shown(c, before.get(c, 0)) for c in columns)])
    rows = [list(map(_terminal.line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))) for row in rows]
