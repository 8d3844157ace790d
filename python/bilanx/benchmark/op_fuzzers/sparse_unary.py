"""Inputs for operators with one sparse operand."""
from typing import Any, List

from bilanx.benchmark.op_fuzzers import _sizes
from bilanx.benchmark.utils.fuzzer import FuzzedParameter, Fuzzer
from bilanx.benchmark.utils.sparse_fuzzer import FuzzedSparseTensor

__all__ = ["UnaryOpSparseFuzzer"]


def first_parameters() -> List[FuzzedParameter]:
    return [FuzzedParameter("dim_parameter", distribution=_sizes.DIMENSIONS, strict=True),
            FuzzedParameter("sparse_dim", distribution={1: 0.4, 2: 0.4, 3: 0.2}, strict=True)]


def last_parameters() -> List[FuzzedParameter]:
    return [FuzzedParameter("density", distribution={0.1: 0.4, 0.05: 0.3, 0.01: 0.3}),
            FuzzedParameter("coalesced", distribution={True: 0.5, False: 0.5}),
            _sizes.random_value()]


def sparse(name: str, size: Any, dtype: Any, cuda: bool) -> FuzzedSparseTensor:
    return FuzzedSparseTensor(name, size=size, dim_parameter="dim_parameter",
                              sparse_dim="sparse_dim", min_elements=4 * 1024,
                              max_elements=32 * 1024 ** 2, density="density",
                              coalesced="coalesced", dtype=dtype, cuda=cuda)


class UnaryOpSparseFuzzer(Fuzzer):
    """A sparse tensor x."""

    def __init__(self, seed: Any, dtype: Any = "float32", cuda: bool = False):
        super().__init__(
            parameters=[*first_parameters(), *_sizes.usual_sizes(), *last_parameters()],
            tensors=[sparse("x", ("k0", "k1", "k2"), dtype, cuda)],
            seed=seed,
        )
