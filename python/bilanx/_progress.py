"""The command's output on stderr while it works: kept for errors, and shown meanwhile."""
from __future__ import annotations

import codecs
import os
import re
import sys
import threading
from typing import Any, Optional, Tuple, Union

from bilanx import _terminal

_FINISHED = re.compile(r"(\d+)/(\d+)  (.*)")  # a line about a case
_REDRAWN = re.compile(r"[^\n]*\r\x1b\[K")     # text that a terminal no longer shows


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter, which shows HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", ())


def _tqdm() -> Any:
    """A function that makes a bar for a number of cases, or None if tqdm is not installed."""
    try:
        import tqdm
        import tqdm.notebook
    except ImportError:
        return None

    def make(total: int) -> Any:
        try:
            return tqdm.notebook.tqdm(total=total)
        except ImportError:  # it needs ipywidgets
            return tqdm.tqdm(total=total)
    return make


class _Silent:
    """Shows nothing."""
    terminal = False

    def show(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class _Copied(_Silent):
    """Everything as it comes: a bar on a terminal, lines elsewhere."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()

    def show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class _Bar(_Silent):
    """A bar of tqdm's that advances with each finished case; other lines are printed."""

    def __init__(self, make: Any) -> None:
        self._make, self._rest = make, ""
        self._bar: Any = None

    def show(self, text: str) -> None:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            found = _FINISHED.match(line)
            if found:
                self._advance(int(found[1]), int(found[2]), found[3])
            elif line:
                print(_terminal.line(line), file=sys.stderr)

    def _advance(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            self._bar = self._make(total)
        self._bar.set_postfix_str(_terminal.line(what), refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def shown(progress: Optional[bool]) -> Union[_Silent, _Copied, _Bar]:
    """How to show progress. None: in notebooks and on terminals."""
    if progress is None:
        progress = in_notebook() or sys.stderr is not None and sys.stderr.isatty()
    if not progress:
        return _Silent()
    make = _tqdm() if in_notebook() else None
    return _Copied() if make is None else _Bar(make)


def _terminal_like_ours() -> Tuple[int, int]:
    """Both ends of a terminal as wide as ours, which gets the characters as they are."""
    import fcntl
    import termios
    ours, theirs = os.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    size = fcntl.ioctl(sys.stderr.fileno(), termios.TIOCGWINSZ, bytes(8))
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    return ours, theirs


class Listener:
    """Reads a child's stderr in a thread; `fd` is the child's end, a terminal if ours is one."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._text = ""
        self._thread: Optional[threading.Thread] = None

    def __enter__(self) -> "Listener":
        self._ours, self.fd = _terminal_like_ours() if self._display.terminal else os.pipe()
        return self

    def start(self) -> None:
        """Once the child has its end."""
        os.close(self.fd)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        while True:
            try:
                data = os.read(self._ours, 4096)
            except OSError:  # how a terminal ends
                break
            if not data:
                break
            text = decode(data)
            self._text += text
            self._display.show(text)

    def __exit__(self, *_: Any) -> None:
        if self._thread is None:
            os.close(self.fd)
        else:
            self._thread.join()
        os.close(self._ours)
        self._display.close()

    @property
    def text(self) -> str:
        """The child's output, without the text that it erased."""
        return _REDRAWN.sub("", self._text)
