#!/usr/bin/python3
"""Runs the examples in the docstrings of the package: TAP."""
import doctest
import importlib
import pkgutil

import bilanx

names = ["bilanx"] + [module.name for module in pkgutil.walk_packages(bilanx.__path__, "bilanx.")
                      if not module.name.rpartition(".")[2].startswith("_native")
                      and ".examples." not in module.name and module.name != "bilanx.pytest"]
print(f"1..{len(names)}")
failed = 0
for number, name in enumerate(names, 1):
    result = doctest.testmod(importlib.import_module(name))
    failed += result.failed
    print(f"{'not ok' if result.failed else 'ok'} {number} - the {result.attempted} lines of {name}")
raise SystemExit(failed != 0)
