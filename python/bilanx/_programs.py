"""Benchmark programs in Python: a file of functions that @bilanx.bench marks, for `bilanx run`."""
from __future__ import annotations

import inspect
import itertools
import os
import sys
from typing import Any, Callable, Dict, Iterator, List

from bilanx import _paths

CASES: "List[Case]" = []


class Case:
    """A function with one choice of its arguments."""

    def __init__(self, function: Callable, arguments: Dict[str, Any]) -> None:
        self.function, self.arguments = function, arguments

    @property
    def name(self) -> str:
        return "/".join([self.function.__name__, *map(str, self.arguments.values())])

    def words(self, index: int) -> Dict[str, str]:
        """Its description in the worker's protocol."""
        words = {"index": str(index), "name": self.name, "label": self.function.__name__,
                 "language": "python", "threads": "1", "optimised": "1"}
        if self.arguments:
            words["sub_label"] = ", ".join(f"{k}={v}" for k, v in self.arguments.items())
        numbers = {f"arg.{key}": str(value) for key, value in self.arguments.items()
                   if isinstance(value, (int, float)) and not isinstance(value, bool)}
        return dict(words, **numbers)

    def prepare(self) -> Callable[[], Any]:
        """The measured function: the function itself, or the one it yields after its setup."""
        if not inspect.isgeneratorfunction(self.function):
            return lambda: self.function(**self.arguments)
        self._setup: Iterator[Any] = self.function(**self.arguments)  # keeps its variables alive
        measured = next(self._setup)
        if not callable(measured):
            raise TypeError(f"{self.function.__name__}() must yield a function to measure")
        return measured


def bench(*functions: Callable, **arguments: Any) -> Any:
    """Marks a function as a benchmark: one case for each combination of the arguments' values.

    The function is what is measured; if it is a generator, it is the function that it yields.
    `bilanx run FILE.py` measures all of a file.

    >>> @bench(n=[10, 100])
    ... def add(n):
    ...     numbers = list(range(n))
    ...     yield lambda: sum(numbers)
    >>> [case.name for case in CASES]
    ['add/10', 'add/100']
    """
    if functions:
        if arguments or len(functions) > 1 or not callable(functions[0]):
            raise TypeError("bench marks one function; arguments are keywords: @bench(n=[10, 100])")
        CASES.append(Case(functions[0], {}))
        return functions[0]

    def mark(function: Callable) -> Callable:
        lists = [value if isinstance(value, (list, tuple, range)) else [value]
                 for value in arguments.values()]
        CASES.extend(Case(function, dict(zip(arguments, values)))
                     for values in itertools.product(*lists))
        return function
    return mark


def main() -> None:
    """Runs the benchmarks of this file, with the options of `bilanx run`."""
    if "BILANX_WORKER" in os.environ:  # `bilanx run` has executed the file itself
        os.execv(sys.executable, [sys.executable, _paths.python_worker(), sys.argv[0]])
    os.environ.setdefault("BILANX_PYTHON", sys.executable)
    command = _paths.command()
    os.execv(command, [command, "run", *sys.argv])


def glue(statement: Any, parts: Any) -> Any:
    """Answers the worker's requests about the cases."""
    class Glue(statement.Glue):
        def inputs(self, words: Dict[str, str], modules: Any) -> Any:
            if "barrier" in words:
                return []
            try:
                return [("_bilanx_call", CASES[int(words["case"])].prepare())]
            except Exception as error:
                raise statement.Failure("failed", statement.summary(error))

        def run(self, words: Dict[str, str], batches: Any) -> Any:
            words = dict(words, stmt="" if "barrier" in words else "_bilanx_call()")
            return statement.Glue.run(self, words, batches)
    return Glue(*parts)
