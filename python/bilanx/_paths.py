"""Where the parts of bilanx are: in this package, beside it in a build, or installed."""
from __future__ import annotations

import os
import shutil
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PREFIX = os.path.normpath(os.path.join(_HERE, *[os.pardir] * 4))  # if installed
_LIBRARIES = {"libjansson.so.4": "libjansson4", "libyaml-0.so.2": "libyaml-0-2",
              "libz.so.1": "zlib1g", "libdw.so.1": "libdw1", "libelf.so.1": "libelf1"}


def _find(what: str, candidates: "list[str]") -> str:
    for path in candidates:
        if os.path.exists(path):
            return path
    raise FileNotFoundError(f"cannot find {what} of bilanx in {', '.join(candidates)}")


def python_worker() -> str:
    """The script that a measured Python runs."""
    return _find("the worker for Python", [
        os.path.join(_HERE, "libexec", "bilanx", "python", "bilanx_worker.py"),
        os.path.join(os.path.dirname(_HERE), "bilanx_worker.py"),
        os.path.join(_PREFIX, "libexec", "bilanx", "python", "bilanx_worker.py"),
    ])


def command() -> str:
    """The command `bilanx`."""
    found = shutil.which("bilanx")
    return _find("the command", [
        os.path.join(_HERE, "bin", "bilanx"),
        os.path.join(os.path.dirname(os.path.dirname(_HERE)), "bilanx"),
        os.path.join(_PREFIX, "bin", "bilanx"),
    ] + ([found] if found else []))


def main() -> None:
    """Becomes the command, for the script that pip installs."""
    os.execv(command(), ["bilanx", *sys.argv[1:]])


def missing_libraries() -> str:
    """Which shared libraries cannot be loaded, and how to install them; "" if all can be."""
    import ctypes
    missing = {}
    for library, package in _LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing[library] = package
    if not missing:
        return ""
    return f"bilanx needs {', '.join(missing)}: apt-get install {' '.join(missing.values())}"
