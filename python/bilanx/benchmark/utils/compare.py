"""Tables of measurements."""
from __future__ import annotations

import enum
import re
from typing import Any, Iterable, List

from bilanx import _native
from bilanx.benchmark.utils import common

__all__ = ["Colorize", "Compare"]

_OWN, _TORCH = 0, 1
_TABLE, _MARKDOWN = 0, 1
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def _plain(text: str) -> str:
    """Markdown's escapes removed."""
    return re.sub(r"\\(.)", r"\1", text)


class Colorize(enum.Enum):
    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


_COLORS = {Colorize.NONE: 0, Colorize.COLUMNWISE: 1, Colorize.ROWWISE: 2}


def _is_measurement(value: Any) -> bool:
    """A measurement of ours, or one by torch.utils.benchmark."""
    if isinstance(value, common.Measurement):
        return True
    kind = type(value)
    return kind.__name__ == "Measurement" and kind.__module__.endswith("benchmark.utils.common")


def _ours(value: Any) -> common.Measurement:
    if isinstance(value, common.Measurement):
        return value
    fields = {name: getattr(value.task_spec, name) for name in common._TASKSPEC_FIELDS}
    return common.Measurement(value.number_per_run, value.raw_times, common.TaskSpec(**fields))


class Compare:
    """Shows measurements as tables: one per label, a column per description, a row per sub_label,
    env and number of threads.

    >>> from bilanx.benchmark import Measurement, TaskSpec
    >>> def measured(seconds, **task):
    ...     return Measurement(1, [seconds], TaskSpec("f()", "pass", label="f", **task))
    >>> results = [measured(1e-3, description="a"), measured(2e-3, description="b")]
    >>> print(str(Compare(results)).strip())
    [---------- f ----------]
               |   a   |   b 
    1 threads: --------------
          f()  |  1.0  |  2.0
    <BLANKLINE>
    Times are in milliseconds (ms).
    """

    def __init__(self, results: List[common.Measurement]):
        self._results: List[common.Measurement] = []
        self._trim_significant_figures = False
        self._colorize = Colorize.NONE
        self._highlight_warnings = False
        self.extend_results(results)

    def extend_results(self, results: Iterable[common.Measurement]) -> None:
        """Adds measurements."""
        results = list(results)
        for result in results:
            if not _is_measurement(result):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} "
                                 "instead.")
        self._results.extend(map(_ours, results))

    def trim_significant_figures(self) -> None:
        """Shows only the digits that the spread of a measurement supports."""
        self._trim_significant_figures = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colours the best and the worst of each column, or of each row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks measurements whose quartiles are far apart."""
        self._highlight_warnings = True

    def print(self) -> None:
        print(str(self))

    def __str__(self) -> str:
        return "\n".join(self._render())

    def _render(self) -> List[str]:
        groups: dict = {}
        for measurement in common.Measurement.merge(self._results):
            groups.setdefault(measurement.label, []).append(measurement)
        return [self._draw(group, _TORCH, _TABLE)[:-1] for group in groups.values()]

    def _draw(self, results: Iterable[common.Measurement], style: int, format: int) -> str:
        return _native.compare([result._record_parts() for result in results], style, format,
                               self._trim_significant_figures, _COLORS[self._colorize],
                               self._highlight_warnings)

    # ---- beyond torch.utils.benchmark

    def to_markdown(self) -> str:
        """The tables for a pull request."""
        return self._draw(self._results, _OWN, _MARKDOWN)

    def _repr_html_(self) -> str:
        """The tables for a notebook."""
        from html import escape
        parts: List[str] = []
        for line in self.to_markdown().splitlines():
            cells = [_plain(cell.strip()) for cell in _CELL_BORDER.split(line)[1:-1]]
            if line.startswith("### "):
                title = f"<table>\n<caption>{escape(_plain(line[4:]))}</caption>"
                parts += ["</table>" * bool(parts), title]
            elif cells and not set("".join(cells)) <= set("-:"):
                parts += ["<table>"] * (not parts)
                tag = "th" if "<tr>" not in parts[-1] else "td"
                row = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
                parts.append(f"<tr>{row}</tr>")
        return "\n".join(part for part in parts if part) + "\n</table>"
