"""Results: small immutable objects over the records that bilanx writes."""
from __future__ import annotations

import copy
import json
from typing import Any, Dict, Iterable, List, Optional, Tuple

from bilanx import _terminal
from bilanx.benchmark.utils import common


def _seconds(value: float) -> str:
    unit, scale = common.select_unit(value)
    return f"{value / scale:.4g} {unit}"


class Result:
    """One record. Its keys, and those of its task and its statistics, are attributes.

    >>> result = Result({"kind": "measurement", "task": {"stmt": "f()"}, "raw_times": [0.5],
    ...                  "stats": {"estimate": 0.5, "ci95": [0.4, 0.6]}})
    >>> result
    <f(): 500 ms, 400 ms .. 600 ms>
    >>> result.stmt, result.time, result.interval
    ('f()', 0.5, (0.4, 0.6))
    """
    __slots__ = ("_record",)
    _record: Dict[str, Any]

    def __init__(self, record: Dict[str, Any]) -> None:
        object.__setattr__(self, "_record", copy.deepcopy(record))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a result cannot be changed: '{name}'")

    __delattr__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            record = self._record
            for part in (record, record.get("task", {}), record.get("stats", {}),
                         record.get("counts", {})):
                if name in part:
                    return copy.deepcopy(part[name])
        raise AttributeError(f"this result has no '{name}'")

    def __dir__(self) -> Iterable[str]:
        parts = (self._record, self._record.get("task", {}), self._record.get("stats", {}))
        return sorted({*object.__dir__(self), *(key for part in parts for key in part)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._record == other._record

    def __hash__(self) -> int:
        return hash(json.dumps(self._record, sort_keys=True))

    def __reduce__(self) -> Tuple[Any, ...]:
        return Result, (self._record,)

    def __bool__(self) -> bool:
        """Whether it succeeded."""
        return self.kind != "failure"

    @property
    def name(self) -> str:
        """What was measured."""
        task = self._record.get("task", {})
        texts = (task.get("label") or task.get("stmt", ""), task.get("sub_label"),
                 task.get("description"))
        return ", ".join(str(text) for text in texts if text)

    @property
    def time(self) -> Optional[float]:
        """Seconds per call: the estimate. None if it was not timed."""
        if self._record.get("kind") == "verdict":
            return (self._record.get("times") or [None, None])[1]
        return self._record.get("stats", {}).get("estimate")

    @property
    def interval(self) -> Optional[Tuple[float, float]]:
        """The 95 % interval of the time; of a verdict, the interval of the change."""
        record = self._record
        found = record.get("interval") if record.get("kind") == "verdict" \
            else record.get("stats", {}).get("ci95")
        return (found[0], found[1]) if found else None

    @property
    def instructions(self) -> Optional[float]:
        """Instructions per call. None if they were not counted."""
        return self._record.get("counts", {}).get("per_iteration")

    def _value(self) -> str:
        record = self._record
        if record.get("kind") == "failure":
            error = record.get("error", {})
            return f"{error.get('code', 'failed')}: {error.get('text', '')}"
        if record.get("kind") == "verdict":
            change = f"{100 * record['change']:+.2f} %" if "change" in record else ""
            return f"{record.get('verdict')} {change}".strip()
        parts = [_seconds(self.time)] if self.time else []
        if self.interval and min(self.interval) > 0:
            parts.append(f"{_seconds(self.interval[0])} .. {_seconds(self.interval[1])}")
        if self.instructions is not None:
            parts.append(f"{self.instructions:g} instructions")
        return ", ".join(parts)

    def __repr__(self) -> str:
        return _terminal.line(f"<{self.name}: {self._value()}>")

    def to_dict(self) -> Dict[str, Any]:
        """A copy of the record: see docs/formats/record.md."""
        return copy.deepcopy(self._record)

    def _row(self) -> Dict[str, Any]:
        low, high = self.interval or (None, None)
        row = {"name": self.name, "kind": self.kind, "time": self.time, "low": low, "high": high}
        extra = {"instructions": self.instructions, "verdict": self._record.get("verdict"),
                 "change": self._record.get("change")}
        return dict(row, **{key: value for key, value in extra.items() if value is not None})

    def to_pandas(self) -> Any:
        """A table of pandas, with one row."""
        return Results([self]).to_pandas()

    def _repr_html_(self) -> str:
        return Results([self])._repr_html_()


class Results(Tuple[Result, ...]):
    """Some results, in order.

    >>> Results([Result({"kind": "measurement", "stats": {"estimate": 1.0}})])[0].time
    1.0
    """
    __slots__ = ()

    def __repr__(self) -> str:
        return "[" + ",\n ".join(map(repr, self)) + "]"

    def __getitem__(self, item: Any) -> Any:
        taken = tuple.__getitem__(self, item)
        return Results(taken) if isinstance(item, slice) else taken

    def to_dict(self) -> List[Dict[str, Any]]:
        return [result.to_dict() for result in self]

    def to_pandas(self) -> Any:
        """A table of pandas, with a row per result."""
        import pandas
        return pandas.DataFrame([result._row() for result in self])

    def save(self, path: str) -> None:
        """Writes the records as lines of JSON, which load() and the command read."""
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(result._record) + "\n" for result in self)

    def _repr_html_(self) -> str:
        from html import escape
        pairs = [(escape(result.name), escape(result._value())) for result in self]
        rows = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>\n" for name, value in pairs)
        return f"<table>\n<tr><th>benchmark</th><th>result</th></tr>\n{rows}</table>"


def keep(stopped: KeyboardInterrupt, records: Iterable[Dict[str, Any]]) -> None:
    """Attaches the results so far to KeyboardInterrupt, as its `results`."""
    stopped.results = Results(map(Result, records))  # type: ignore[attr-defined]


class Table(str):
    """Text that a notebook shows as it is."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape
        return f"<pre>{escape(str(self))}</pre>"
