"""The subcommands of `bilanx` as functions. The option --max-run-time is max_run_time=.

An option that is a word of Python's has an underscore at its end: with_="torch". True is an option
without a value, a list is an option given several times, and None is as if it were not given.
"""
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, Tuple, Union

from bilanx import _callables, _paths, _progress
from bilanx._results import Result, Results, Table, keep

_NAMES = {"global_setup": "global", "threads": "threads", "num_threads": "threads"}


def _arguments(options: Dict[str, Any]) -> List[str]:
    """Keywords as options of the command."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + _NAMES.get(name, name.rstrip("_")).replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={one}")
    return words


def _statement(text: Any) -> str:
    """A statement is not an option, even if it begins with a minus."""
    if not isinstance(text, str):
        raise TypeError(f"a statement is a str or a function, not {type(text).__name__}")
    return " " + text if text.startswith("-") else text


def _path(path: Any) -> str:
    """A path is not the name of stdin."""
    text = os.fsdecode(path)
    return "./-" if text == "-" else text


def _complaint(text: str) -> str:
    """The command's error message, without its name and its hints."""
    lines = [line[len("bilanx: "):] if line.startswith("bilanx: ") else line
             for line in text.splitlines() if not line.startswith("bilanx: see ")]
    return "\n".join(lines)


def _raise(status: int, complaint: str) -> None:
    if status == 2:
        wrong_name = complaint.startswith("unknown option")
        raise (TypeError if wrong_name else ValueError)(complaint)
    if status == 127 and _paths.missing_libraries():
        raise ImportError(_paths.missing_libraries())
    raise RuntimeError(complaint or f"bilanx ended with status {status}")


def _finish(process: "subprocess.Popen[str]", send: Optional[str]) -> Tuple[str, bool]:
    """Its output, and whether the user pressed ^C; the command then keeps its results so far."""
    try:
        return process.communicate(send)[0], False
    except KeyboardInterrupt:
        # A terminal has sent SIGINT to both of us, and a second one would end it at once.
        process.send_signal(signal.SIGTERM)
        return process.communicate()[0], True
    except BaseException:
        process.kill()
        process.wait()
        raise


def _file_of(words: Sequence[str]) -> BinaryIO:
    """The command's words, which may be longer than the kernel allows for arguments."""
    for word in words:
        if "\0" in word:
            raise ValueError(f"text with a NUL character cannot be measured: {word[:60]!r}")
    file = open(os.memfd_create("bilanx arguments"), "wb")
    file.writelines(os.fsencode(word) + b"\0" for word in words)
    file.flush()
    return file


def _call(words: Sequence[str], send: Optional[str] = None, display: Any = None,
          ) -> Tuple[int, str, str, bool]:
    """Its status, its output on stdout and stderr, and whether the user pressed ^C."""
    environment = dict(os.environ, BILANX_PYTHON=os.environ.get("BILANX_PYTHON", sys.executable))
    with _file_of(words) as file, \
            _progress.Listener(display or _progress.shown(False)) as listener:
        command = [_paths.command(), "--arguments-from", f"/proc/self/fd/{file.fileno()}"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment, stderr=listener.fd,
            stdin=subprocess.PIPE if send is not None else subprocess.DEVNULL,
            pass_fds=(file.fileno(),))
        listener.start()
        with process:
            out, interrupted = _finish(process, send)
    return process.returncode, out, listener.text, interrupted


def _measure(command: str, words: Sequence[str], options: Dict[str, Any]) -> Results:
    """Runs the command and reads its records. `json` also writes them to a file, as they come."""
    path, display = options.pop("json", None), _progress.shown(options.pop("progress", None))
    quiet = ["--quiet"] if type(display) is _progress._Silent else []
    target = ["--json=-"] if path is None else [f"--json={_path(path)}"]
    if path is not None and not options.get("append"):
        target.append("--overwrite")
    status, out, complaint, interrupted = _call(
        [command, *_arguments(options), *quiet, *target, *words], display=display)
    if path is not None and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            out = file.read()
    # Records come as they are complete; cases are in the order in which they were asked for.
    records = sorted(map(json.loads, out.splitlines()), key=lambda record: record.get("place", 0))
    results = Results(map(Result, records))
    if interrupted or status == 130:
        stopped = KeyboardInterrupt()
        keep(stopped, records)
        raise stopped
    if status not in (0, 3) and not results:
        _raise(status, _complaint(complaint))
    return results


def _one(results: Results, count: int) -> Any:
    return results[0] if count == 1 and len(results) == 1 else results


def _time_functions(functions: Sequence[Callable[[], Any]], options: Dict[str, Any]) -> Results:
    results: List[Result] = []
    try:
        for function in functions:
            results.append(_callables.time(function, **options))
    except KeyboardInterrupt as stopped:
        begun = getattr(stopped, "results", ())
        keep(stopped, [result.to_dict() for result in (*results, *begun)])
        raise
    return Results(results)


def time(*stmts: Union[str, Callable[[], Any]], **options: Any) -> Any:
    """Times statements, as `bilanx time` does, or functions, in forks of this process.

    Returns a Result, or Results if there are several. The language is C unless told otherwise.

    >>> time("x + 1", setup="x = 2", language="python", max_run_time=0.05).kind
    'measurement'
    >>> time(lambda: sum(range(10)), max_run_time=0.05).method
    'rigorous'
    """
    if not stmts:
        raise TypeError("nothing to measure: pass a statement or a function")
    functions = [stmt for stmt in stmts if callable(stmt)]
    if functions and len(functions) != len(stmts):
        raise TypeError("pass either functions or statements, not both")
    if functions:
        return _one(_time_functions(functions, options), len(stmts))
    return _one(_measure("time", [_statement(stmt) for stmt in stmts], options), len(stmts))


def run(*suites: str, **options: Any) -> Results:
    """Measures suites and benchmark programs, by their paths, as `bilanx run` does."""
    if not suites:
        raise TypeError("nothing to measure: pass the path of a suite or of a program")
    return _measure("run", ["--", *map(_path, suites)], options)


def count(*stmts: str, **options: Any) -> Any:
    """Counts the instructions of statements, as `bilanx count` does.

    >>> count("x++", setup="volatile int x = 0").instructions > 1   # doctest: +SKIP
    True
    """
    return _one(_measure("count", [_statement(stmt) for stmt in stmts], options), len(stmts))


def ab(a: Union[str, Callable[[], Any]], b: Union[str, Callable[[], Any]], *suites: str,
       **options: Any) -> Any:
    """Compares two sides and says which is faster.

    Sides are what `bilanx ab --A A --B B` takes, with `stmt` or suites; or two functions, which
    take turns in a fork of this process.

    >>> ab(lambda: sum(range(9)), lambda: sum(range(90)), budget=1).change > 0
    True
    """
    if callable(a) != callable(b):
        raise TypeError("compare two functions, or two sides of the command")
    if callable(a):
        return _callables.ab(a, b, **options)  # type: ignore[arg-type]
    sides = {"A": a, "B": b}
    return _one(_measure("ab", ["--", *map(_path, suites)], dict(sides, **options)), 1)


def _records(what: Any) -> List[Dict[str, Any]]:
    if isinstance(what, Result):
        return [what.to_dict()]
    if isinstance(what, dict):
        return [what]
    if isinstance(what, (str, os.PathLike)):
        return load(what).to_dict()
    if hasattr(what, "record"):
        return [what.record]
    return [record for one in what for record in _records(one)]


def compare(*records: Any, **options: Any) -> Table:
    """Shows results side by side, as `bilanx compare` does: results, measurements, or paths.

    >>> print(compare({"schema": "bilanx/1", "kind": "measurement", "number_per_run": 1,
    ...                "task": {"stmt": "f()", "description": "a"}, "raw_times": [1.0]}))
               a
    f()  1.000 s
    <BLANKLINE>
    """
    lines = "".join(json.dumps(record) + "\n" for record in _records(list(records)))
    if not lines:
        raise TypeError("nothing to compare: pass results, measurements, or paths of records")
    status, out, complaint, _ = _call(["compare", *_arguments(options), "-"], send=lines)
    if status != 0:
        _raise(status, _complaint(complaint))
    return Table(out)


def load(path: Union[str, "os.PathLike[str]"]) -> Results:
    """Reads a file of records."""
    status, out, complaint, _ = _call(["convert", "--to=bilanx", "--", _path(path), "-"])
    if status != 0:
        _raise(status, _complaint(complaint))
    if complaint.strip():  # an incomplete last line was left out
        warnings.warn(_complaint(complaint), stacklevel=2)
    return Results(map(Result, map(json.loads, out.splitlines())))
