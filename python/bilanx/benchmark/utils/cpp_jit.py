"""Compiling C++ statements, which bilanx does in C; here only for code that imports this module."""
from typing import Any

from bilanx import _native

__all__ = ["compile_timeit_template"]


class _Module:
    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def timeit(self, number: int) -> float:
        return self._compiled.run(number)


def compile_timeit_template(*, stmt: str, setup: str, global_setup: str) -> _Module:
    """An object whose timeit(number) runs the statement."""
    return _Module(_native.Compiled(stmt, setup, global_setup, 1, True))
