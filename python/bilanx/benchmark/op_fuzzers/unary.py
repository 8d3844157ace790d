"""Inputs for operators with one dense operand."""
from typing import Any

from bilanx.benchmark.op_fuzzers import _sizes
from bilanx.benchmark.utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer

__all__ = ["UnaryOpFuzzer"]


class UnaryOpFuzzer(Fuzzer):
    """A tensor x of 1 to 3 dimensions, 4096 to 32 Mi elements, sometimes strided."""

    def __init__(self, seed: Any, dtype: Any = "float32", cuda: bool = False):
        super().__init__(
            parameters=[
                FuzzedParameter("dim", distribution=_sizes.DIMENSIONS, strict=True),
                *_sizes.usual_sizes(),
                _sizes.each("x_step_", distribution=_sizes.STEPS),
                _sizes.random_value(),
            ],
            tensors=[FuzzedTensor(
                "x", size=("k0", "k1", "k2"), steps=("x_step_0", "x_step_1", "x_step_2"),
                probability_contiguous=0.75, min_elements=4 * 1024, max_elements=32 * 1024 ** 2,
                max_allocation_bytes=2 * 1024 ** 3, dim_parameter="dim", dtype=dtype, cuda=cuda)],
            seed=seed,
        )
