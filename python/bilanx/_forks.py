"""Work in a fork of this process, which survives even if the work crashes."""
from __future__ import annotations

import base64
import os
import pickle
import traceback
from typing import Any, Callable, Optional

from bilanx import _native, _terminal

Send = Callable[[Any], None]
_PATIENCE_S = 5.0  # for interrupted work to end


class _There(Exception):
    """The traceback in the fork: the cause of the exception that is raised here."""

    def __str__(self) -> str:
        return "\n" + self.args[0]


def _write(fd: int, message: Any) -> None:
    line = base64.b64encode(pickle.dumps(message)) + b"\n"
    while line:
        line = line[os.write(fd, line):]


def _portable(error: BaseException) -> BaseException:
    """The exception in a form that can be sent to another process."""
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        return _native.MeasurementError(f"exited with status {status} before it was done")
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # even if its class cannot be copied
        pass
    return _native.MeasurementError("".join(traceback.format_exception_only(type(error), error))
                                    .strip())


class Fork:
    """Calls work(send) in a fork. What it sends is received here; what it raises is raised here.

    A fork that crashes, exits or is silent for too long raises MeasurementError.

    >>> with Fork("add", lambda send: send(1 + 1)) as fork:
    ...     fork.receive(60)
    2
    """

    def __init__(self, name: str, work: Callable[[Send], None]) -> None:
        def run(fd: int) -> None:
            try:
                work(lambda value: _write(fd, (value, None, "")))
            except BaseException as error:
                _write(fd, (None, _portable(error), traceback.format_exc()))
        self._name = name
        self._fork = _native.Fork(run)

    def __enter__(self) -> "Fork":
        return self

    def __exit__(self, *_: Any) -> None:
        self._fork.stop()

    def receive(self, timeout: float) -> Any:
        """The next object that it sends, within this many seconds."""
        try:
            value, error, text = pickle.loads(base64.b64decode(self._fork.receive(timeout)))
        except _native.MeasurementError as end:
            raise self._ended(end) from None
        if isinstance(error, _native.MeasurementError):
            raise self._ended(error) from None
        if error is not None:
            raise error from _There(text)
        return value

    def _ended(self, how: Exception) -> Exception:
        return _native.MeasurementError(_terminal.lines(f"{self._name}: {how}"))

    def conclude(self) -> Optional[Any]:
        """Interrupts it, and returns the object that it then sends; None if there is none."""
        self._fork.interrupt()
        try:
            return self.receive(_PATIENCE_S)
        except (Exception, KeyboardInterrupt):
            return None
