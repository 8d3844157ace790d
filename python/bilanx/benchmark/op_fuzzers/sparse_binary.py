"""Inputs for operators with two sparse operands."""
from typing import Any

from bilanx.benchmark.op_fuzzers import _sizes
from bilanx.benchmark.op_fuzzers.sparse_unary import first_parameters, last_parameters, sparse
from bilanx.benchmark.utils.fuzzer import Fuzzer

__all__ = ["BinaryOpSparseFuzzer"]


class BinaryOpSparseFuzzer(Fuzzer):
    """Sparse tensors x and y of the same shape."""

    def __init__(self, seed: Any, dtype: Any = "float32", cuda: bool = False):
        super().__init__(
            parameters=[*first_parameters(), *_sizes.usual_sizes(),
                        _sizes.aliases("y_k", {"k{}": 1.0}), *last_parameters()],
            tensors=[sparse("x", ("k0", "k1", "k2"), dtype, cuda),
                     sparse("y", ("y_k0", "y_k1", "y_k2"), dtype, cuda)],
            seed=seed,
        )
