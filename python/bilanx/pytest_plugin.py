"""pytest loads this if bilanx is installed: the plugin, unless pytest-benchmark is installed too."""
import importlib.util
from typing import Any


def pytest_addoption(parser: Any, pluginmanager: Any) -> None:
    theirs = importlib.util.find_spec("pytest_benchmark") is not None
    if (theirs and not pluginmanager.is_blocked("benchmark")) or \
            pluginmanager.hasplugin("bilanx.pytest"):
        return
    pluginmanager.import_plugin("bilanx.pytest")
