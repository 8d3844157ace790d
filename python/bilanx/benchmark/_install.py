"""Puts bilanx.benchmark in the place of torch.utils.benchmark."""
from __future__ import annotations

import importlib
import sys
from typing import Any, Dict, Iterator, Tuple

_OURS = "bilanx.benchmark"
_THEIRS = "torch.utils.benchmark"
_SUBMODULES = (
    "utils", "utils.common", "utils.timer", "utils.compare", "utils.fuzzer", "utils.sparse_fuzzer",
    "utils._stubs", "utils.cpp_jit", "utils.valgrind_wrapper",
    "utils.valgrind_wrapper.timer_interface", "op_fuzzers", "op_fuzzers.unary",
    "op_fuzzers.binary", "op_fuzzers.spectral", "op_fuzzers.sparse_unary",
    "op_fuzzers.sparse_binary", "examples",
)
_replaced: Dict[str, Any] = {}


def _modules() -> Iterator[Tuple[str, Any]]:
    """The names below both packages, and our modules."""
    yield "", importlib.import_module(_OURS)
    for name in _SUBMODULES:
        yield "." + name, importlib.import_module(f"{_OURS}.{name}")


def _rename(before: str, after: str) -> None:
    """Makes classes and functions name the package they are imported from, in reprs and pickles."""
    for name, module in _modules():
        for value in list(vars(module).values()):
            if getattr(value, "__module__", None) == before + name and hasattr(value, "__name__"):
                value.__module__ = after + name


def install() -> None:
    """Makes `import torch.utils.benchmark` import bilanx.benchmark from now on.

    Modules that imported names from torch.utils.benchmark before keep those.
    """
    import torch.utils
    if _THEIRS in _replaced:
        return
    loaded = [name for name in sys.modules if (name + ".").startswith(_THEIRS + ".")]
    _replaced.update({name: sys.modules.pop(name) for name in loaded})
    _replaced.setdefault(_THEIRS, None)
    for name, module in _modules():
        sys.modules[_THEIRS + name] = module
    setattr(torch.utils, "benchmark", sys.modules[_THEIRS])
    _rename(_OURS, _THEIRS)


def uninstall() -> None:
    """Undoes install()."""
    if _THEIRS not in _replaced:
        return
    import torch.utils
    _rename(_THEIRS, _OURS)
    for name, _ in _modules():
        sys.modules.pop(_THEIRS + name, None)
    before = dict(_replaced)
    _replaced.clear()
    sys.modules.update({name: module for name, module in before.items() if module is not None})
    if before[_THEIRS] is not None:
        setattr(torch.utils, "benchmark", before[_THEIRS])
    else:
        delattr(torch.utils, "benchmark")
