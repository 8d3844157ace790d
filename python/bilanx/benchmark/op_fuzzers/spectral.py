"""Inputs for Fourier transforms."""
from typing import Any, List

from bilanx.benchmark.op_fuzzers import _sizes
from bilanx.benchmark.utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer

__all__ = ["SpectralOpFuzzer"]

MIN_DIM_SIZE = 16
MAX_DIM_SIZE = 16 * 1024


def _smooth_sizes() -> List[int]:
    """All sizes whose prime factors are 2, 3 and 5, for which transforms are fast."""
    def is_smooth(n: int) -> bool:
        for factor in (2, 3, 5):
            while n % factor == 0:
                n //= factor
        return n == 1
    return [n for n in range(MIN_DIM_SIZE + 1, MAX_DIM_SIZE + 1) if is_smooth(n)]


REGULAR_SIZES = _smooth_sizes()


class SpectralOpFuzzer(Fuzzer):
    """A tensor x whose sizes are 5-smooth, with `probability_regular`, or any."""

    def __init__(self, *, seed: int, dtype: Any = "float64", cuda: bool = False,
                 probability_regular: float = 1.0):
        super().__init__(
            parameters=[
                FuzzedParameter("ndim", distribution=_sizes.DIMENSIONS, strict=True),
                _sizes.each("k_any_", minval=MIN_DIM_SIZE, maxval=MAX_DIM_SIZE,
                            distribution="loguniform"),
                _sizes.each("k_regular_", distribution=_sizes.evenly(REGULAR_SIZES)),
                _sizes.aliases("k", {"k_regular_{}": probability_regular,
                                     "k_any_{}": 1 - probability_regular}),
                _sizes.each("step_", distribution=_sizes.STEPS),
            ],
            tensors=[FuzzedTensor(
                "x", size=("k0", "k1", "k2"), steps=("step_0", "step_1", "step_2"),
                probability_contiguous=0.75, min_elements=4 * 1024, max_elements=32 * 1024 ** 2,
                max_allocation_bytes=2 * 1024 ** 3, dim_parameter="ndim", dtype=dtype, cuda=cuda)],
            seed=seed,
        )
