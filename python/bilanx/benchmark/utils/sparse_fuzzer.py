"""Sparse tensors for the fuzzer."""
from __future__ import annotations

import math
from numbers import Number
from typing import Any, Dict, Optional, Tuple, Union

from bilanx.benchmark.utils.fuzzer import FuzzedTensor, _need_torch

__all__ = ["FuzzedSparseTensor"]


class FuzzedSparseTensor(FuzzedTensor):
    """A sparse tensor (COO) that is made for each sample.

    The parameters `density` and `coalesced` must have these names; `sparse_dim` too, if it is
    given. As in PyTorch, the number of elements that are not zero is the density times the sum of
    the sizes.
    """

    def __init__(self, name: str, size: Tuple[Union[str, int], ...],
                 min_elements: Optional[int] = None, max_elements: Optional[int] = None,
                 dim_parameter: Optional[str] = None, sparse_dim: Optional[str] = None,
                 nnz: Optional[str] = None, density: Optional[str] = None,
                 coalesced: Optional[str] = None, dtype: Any = "float32", cuda: bool = False):
        super().__init__(name=name, size=size, min_elements=min_elements,
                         max_elements=max_elements, dim_parameter=dim_parameter, dtype=dtype,
                         cuda=cuda)
        self._density = density
        self._coalesced = coalesced
        self._sparse_dim = sparse_dim

    @staticmethod
    def sparse_tensor_constructor(size: Any, dtype: Any, sparse_dim: int, nnz: int,
                                  is_coalesced: bool) -> Any:
        """A tensor with `nnz` random elements; if it is not coalesced, each occurs twice."""
        torch = _need_torch("a sparse tensor")
        if isinstance(size, Number):
            size = [size] * sparse_dim
        assert nnz == 0 or min(size[:sparse_dim], default=1) > 0, "invalid arguments"
        shape = [nnz] + list(size[sparse_dim:])
        values = torch.rand(size=shape, dtype=dtype, device="cpu") if dtype.is_floating_point \
            else torch.randint(1, 127, size=shape, dtype=dtype, device="cpu")
        indices = torch.rand(sparse_dim, nnz, device="cpu")
        indices.mul_(torch.tensor(size[:sparse_dim]).unsqueeze(1).to(indices))
        indices = indices.to(torch.long)
        if not is_coalesced:
            values = torch.cat([values, torch.randn_like(values)], 0)
            indices = torch.cat([indices, indices], 1)
        made = torch.sparse_coo_tensor(indices, values, torch.Size(size))
        return made.coalesce() if is_coalesced else made

    def _make_tensor(self, params: Dict[str, Any], state: Any) -> Tuple[Any, Dict[str, Any]]:
        size, _, _ = self._get_size_and_steps(params)
        density = params["density"]
        nnz = math.ceil(sum(size) * density)
        assert nnz <= sum(size), "a density exceeds 1"
        sparse_dim = min(params["sparse_dim"], len(size)) if self._sparse_dim else len(size)
        tensor = self.sparse_tensor_constructor(size, self._dtype, sparse_dim, nnz,
                                                params["coalesced"])
        if self._cuda:
            tensor = tensor.cuda()
        return tensor, {
            "numel": int(tensor.numel()),
            "shape": tensor.size(),
            "is_coalesced": tensor.is_coalesced(),
            "density": density,
            "sparsity": 1.0 - density,
            "sparse_dim": tensor.sparse_dim(),
            "dense_dim": tensor.dense_dim(),
            "is_hybrid": len(size) > tensor.sparse_dim(),
            "dtype": str(self._dtype),
        }
