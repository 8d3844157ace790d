"""A drop-in for torch.utils.benchmark, measured by bilanx.

    import bilanx.benchmark as benchmark

Code that imports torch.utils.benchmark itself gets this package after `install()`.
"""
from bilanx.benchmark.utils.common import *  # noqa: F401,F403
from bilanx.benchmark.utils.timer import *  # noqa: F401,F403
from bilanx.benchmark.utils.compare import *  # noqa: F401,F403
from bilanx.benchmark.utils.fuzzer import *  # noqa: F401,F403
from bilanx.benchmark.utils.valgrind_wrapper.timer_interface import *  # noqa: F401,F403
from bilanx.benchmark.utils.sparse_fuzzer import *  # noqa: F401,F403
from bilanx.benchmark._install import install, uninstall  # noqa: F401

__all__ = [
    "TaskSpec", "Measurement", "select_unit", "unit_to_english", "trim_sigfig", "ordered_unique",
    "set_torch_threads", "Timer", "timer", "Language", "Colorize", "Compare", "Fuzzer",
    "FuzzedParameter", "ParameterAlias", "FuzzedTensor", "FunctionCount", "FunctionCounts",
    "CallgrindStats", "CopyIfCallgrind", "FuzzedSparseTensor", "install", "uninstall",
]
