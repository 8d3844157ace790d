"""Text of unknown origin, in a form that is safe to show on a terminal."""
from __future__ import annotations

from bilanx import _native


def line(text: str) -> str:
    r"""On one line, without control characters and escape sequences.

    >>> line("sum(x)"), line("\x1b[2J\na") == r"\x1b[2J\na"
    ('sum(x)', True)
    """
    return _native.harmless(text)


def lines(text: str) -> str:
    r"""The same, with its line breaks and tabs.

    >>> lines("a\n\tb\x07") == "a\n\tb" + r"\x07"
    True
    """
    return "\n".join("\t".join(map(line, row.split("\t"))) for row in text.split("\n"))
