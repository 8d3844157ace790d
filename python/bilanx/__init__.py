"""bilanx: measures how fast code runs, and how certain that is.

>>> import bilanx
>>> bilanx.time("x + 1", setup="x = 1", language="python", max_run_time=0.05).time < 1
True
"""
from bilanx import _paths
try:
    from bilanx import _native
except ImportError as error:
    _missing = _paths.missing_libraries()
    if not _missing:
        raise
    raise ImportError(_missing) from error
from bilanx._laboratory import ab, compare, count, load, run, time
from bilanx._programs import bench, main
from bilanx._results import Result, Results

MeasurementError = _native.MeasurementError
__version__: str = _native.version
__all__ = ["MeasurementError", "Result", "Results", "ab", "bench", "compare", "count", "load",
           "main", "run", "time"]
