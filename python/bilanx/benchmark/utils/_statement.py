"""A Python statement as a loop that our C runs and times."""
from __future__ import annotations

import ast
import gc
from typing import Any, Callable, Dict, Optional

from bilanx import _native

SOURCE = "<timeit-src>"  # as timeit names it
_TEMPLATE = """def inner(_bilanx_loop):
    while True:
        yield
        for _bilanx_i in _bilanx_loop:
            pass
"""


def _parts(stmt: str, setup: str) -> ast.Module:
    """The template with setup and statement in place, each with its own lines."""
    tree = ast.parse(_TEMPLATE, SOURCE)
    function: Any = tree.body[0]
    loop = function.body[0].body[1]
    for code, body, at in ((stmt, loop.body, 0), (setup, function.body, 0)):
        compile(code, SOURCE, "exec")  # rejects `return` and `break`, which would leave the loop
        body[at:at] = ast.parse(code, SOURCE).body
    return tree


class Statement:
    """Times blocks of a statement. The setup runs when a measurement begins, and its names are fast
    locals. `timer` None is our clock."""

    def __init__(self, stmt: str, setup: str, timer: Optional[Callable[[], float]],
                 globals: Dict[str, Any]):
        names: Dict[str, Any] = {}
        exec(compile(_parts(stmt, setup), SOURCE, "exec"), globals, names)
        self._inner = names["inner"]
        self._loop = _native.Loop(timer)
        self._resume: Optional[Callable[[], None]] = None

    def begin(self) -> None:
        """The next block runs the setup again."""
        self._resume = None

    def timeit(self, number: int) -> float:
        """Seconds of one block; without garbage collection, as with timeit."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            if self._resume is None:
                resume = self._inner(self._loop).__next__
                resume()
                self._resume = resume
            return self._loop.run(number, self._resume)
        except BaseException:
            self._resume = None
            raise
        finally:
            if collecting:
                gc.enable()
