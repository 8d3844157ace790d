"""The common parameters of the operator fuzzers."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

from bilanx.benchmark.utils.fuzzer import FuzzedParameter, ParameterAlias

_MIN_DIM_SIZE = 16
_MAX_DIM_SIZE = 16 * 1024 ** 2
_POW_TWO_SIZES = tuple(2 ** i for i in range(4, 25))
DIMENSIONS = {1: 0.3, 2: 0.4, 3: 0.3}
STEPS = {1: 0.8, 2: 0.06, 4: 0.06, 8: 0.04, 16: 0.04}


def each(name: str, **settings: Any) -> List[FuzzedParameter]:
    """A parameter for each of the three dimensions."""
    return [FuzzedParameter(f"{name}{i}", **settings) for i in range(3)]


def aliases(name: str, choices: Dict[Any, float]) -> List[FuzzedParameter]:
    """A strict parameter for each dimension, that is one of others. In their names, {} is the
    dimension; what is not text is a value."""
    def choice(what: Any, i: int) -> Any:
        return ParameterAlias(what.format(i)) if isinstance(what, str) else what
    return [FuzzedParameter(f"{name}{i}", strict=True,
                            distribution={choice(what, i): p for what, p in choices.items()})
            for i in range(3)]


def evenly(sizes: Sequence[int]) -> Dict[int, float]:
    return {size: 1. / len(sizes) for size in sizes}


def usual_sizes() -> List[Any]:
    """Sizes k0, k1, k2: mostly anything from 16 to 2**24, sometimes a power of two."""
    return [each("k_any_", minval=_MIN_DIM_SIZE, maxval=_MAX_DIM_SIZE, distribution="loguniform"),
            each("k_pow2_", distribution=evenly(_POW_TWO_SIZES)),
            aliases("k", {"k_any_{}": 0.8, "k_pow2_{}": 0.2})]


def random_value() -> FuzzedParameter:
    return FuzzedParameter("random_value", minval=0, maxval=2 ** 32 - 1, distribution="uniform")
