"""Inputs for operators with two dense operands."""
from typing import Any

from bilanx.benchmark.op_fuzzers import _sizes
from bilanx.benchmark.utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer

__all__ = ["BinaryOpFuzzer"]


class BinaryOpFuzzer(Fuzzer):
    """Tensors x and y; a dimension of y is sometimes 1, so that it is broadcast.

    As in PyTorch, y has the steps of x, and its own are drawn but not used.
    """

    def __init__(self, seed: Any, dtype: Any = "float32", cuda: bool = False):
        common = dict(steps=("x_step_0", "x_step_1", "x_step_2"), probability_contiguous=0.75,
                      max_allocation_bytes=2 * 1024 ** 3, dim_parameter="dim", dtype=dtype,
                      cuda=cuda)
        super().__init__(
            parameters=[
                FuzzedParameter("dim", distribution=_sizes.DIMENSIONS, strict=True),
                *_sizes.usual_sizes(),
                _sizes.aliases("y_k", {"k{}": 0.8, 1: 0.2}),
                [FuzzedParameter(f"{name}_step_{i}", distribution=_sizes.STEPS)
                 for i in range(3) for name in ("x", "y")],
                _sizes.random_value(),
            ],
            tensors=[
                FuzzedTensor("x", size=("k0", "k1", "k2"), min_elements=4 * 1024,
                             max_elements=32 * 1024 ** 2, **common),
                FuzzedTensor("y", size=("y_k0", "y_k1", "y_k2"), **common),
            ],
            seed=seed,
        )
