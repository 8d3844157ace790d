"""Random parameters, and tensors whose shapes depend on them; the same for the same seed."""
from __future__ import annotations

import inspect
import itertools
import math
import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from bilanx import _native, _terminal
from bilanx.benchmark.utils import common

__all__ = ["Fuzzer", "FuzzedParameter", "ParameterAlias", "FuzzedTensor"]

_DISTRIBUTIONS = ("loguniform", "uniform")
_ATTEMPTS = 1000
_TOLERANCE = 1e-5  # of the sum of probabilities


def _need_torch(what: str) -> Any:
    torch = common._torch(wanted=True)
    if torch is None:
        raise ModuleNotFoundError(f"{what} needs PyTorch, which is not installed", name="torch")
    return torch


def _dtype(dtype: Any) -> Any:
    """A dtype of torch; a default may be its name, so that this module loads without torch."""
    return getattr(_need_torch("a fuzzed tensor"), dtype) if isinstance(dtype, str) else dtype


class FuzzedParameter:
    """A number that is drawn for each sample.

    `distribution` is "loguniform" or "uniform", between `minval` and `maxval` (inclusive); or a
    dictionary from values to their probabilities. A `strict` parameter is drawn once per sample,
    not again if the sample is rejected.

    >>> FuzzedParameter("n", 1, 16, "loguniform").name
    'n'
    """

    def __init__(self, name: str, minval: Optional[Union[int, float]] = None,
                 maxval: Optional[Union[int, float]] = None,
                 distribution: Optional[Union[str, Dict[Any, float]]] = None,
                 strict: bool = False):
        self._name = name
        self._minval = minval
        self._maxval = maxval
        self._distribution = self._check_distribution(distribution)
        self.strict = strict

    @property
    def name(self) -> str:
        return self._name

    def _check_distribution(self, distribution: Any) -> Any:
        if not isinstance(distribution, dict):
            assert distribution in _DISTRIBUTIONS, f"unknown distribution {distribution!r}"
            return distribution
        assert min(distribution.values(), default=0) >= 0, "a probability is negative"
        assert abs(sum(distribution.values()) - 1) <= _TOLERANCE, "Distribution is not normalized"
        assert self._minval is None and self._maxval is None, "a table of values has no range"
        return distribution

    def sample(self, state: Any) -> Any:
        """Draws a value; `state` has the methods of numpy.random.RandomState."""
        if isinstance(self._distribution, dict):
            return self._choose(state)
        if self._distribution == "loguniform":
            return self._loguniform(state)
        return self._uniform(state)

    def _loguniform(self, state: Any) -> Any:
        low, high = self._range()
        drawn = int(2 ** state.uniform(low=math.log2(low), high=math.log2(high)))
        return min(max(drawn, low), high)

    def _uniform(self, state: Any) -> Any:
        low, high = self._range()
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)

    def _range(self) -> Tuple[Any, Any]:
        if self._minval is None or self._maxval is None:
            raise TypeError(f"the parameter {self._name!r} needs minval and maxval")
        return self._minval, self._maxval

    def _choose(self, state: Any) -> Any:
        index = state.choice(len(self._distribution), p=tuple(self._distribution.values()))
        return list(self._distribution)[int(index)]


class ParameterAlias:
    """Stands for the value of another parameter, in a table of values.

    >>> ParameterAlias("k0")
    ParameterAlias[alias_to: k0]
    """

    def __init__(self, alias_to: str):
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return _terminal.line(f"ParameterAlias[alias_to: {self.alias_to}]")


def dtype_size(dtype: Any) -> int:
    """Bytes per element."""
    torch = _need_torch("dtype_size")
    if dtype == torch.bool:
        return 1
    limits = torch.finfo if dtype.is_floating_point or dtype.is_complex else torch.iinfo
    return int(limits(dtype).bits / 8)


def prod(values: Sequence[int], base: int = 1) -> int:
    """The product, as an integer of Python's, which cannot overflow.

    >>> prod((2**40, 2**40))
    1208925819614629174706176
    """
    return math.prod(map(int, values), start=int(base))


class FuzzedTensor:
    """A tensor that is made for each sample.

    `size` and `steps` have a number or the name of a parameter per dimension; they are cut, or
    padded with 1, to the value of `dim_parameter`. A step of 2 allocates twice as much and takes
    every second element. With probability 1 - `probability_contiguous` the dimensions are in a
    different order in memory. A sample whose tensor exceeds a limit is rejected.
    `tensor_constructor(size=, dtype=, **parameters)` makes the tensor instead of uniform numbers.
    """

    def __init__(self, name: str, size: Tuple[Union[str, int], ...],
                 steps: Optional[Tuple[Union[str, int], ...]] = None,
                 probability_contiguous: float = 0.5, min_elements: Optional[int] = None,
                 max_elements: Optional[int] = None, max_allocation_bytes: Optional[int] = None,
                 dim_parameter: Optional[str] = None, roll_parameter: Optional[str] = None,
                 dtype: Any = "float32", cuda: bool = False,
                 tensor_constructor: Optional[Callable] = None):
        self._name = name
        self._size = size
        self._steps = steps
        self._probability_contiguous = probability_contiguous
        self._min_elements = min_elements
        self._max_elements = max_elements
        self._max_allocation_bytes = max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._dtype = _dtype(dtype)
        self._cuda = cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        torch = _need_torch("a fuzzed tensor")
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype, device="cpu")
        return torch.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def _draw_order(self, dim: int, state: Any) -> Tuple[List[int], bool]:
        """The order of dimensions in memory, and whether it was drawn."""
        order = list(range(dim))
        if not state.rand() > self._probability_contiguous:
            return order, False
        while dim > 1 and order == list(range(dim)):
            order = [int(i) for i in state.permutation(dim)]
        return order, True

    def _make_tensor(self, params: Dict[str, Any], state: Any) -> Tuple[Any, Dict[str, Any]]:
        size, steps, allocated = self._get_size_and_steps(params)
        make = self._tensor_constructor or self.default_tensor_constructor
        raw = make(size=allocated, dtype=self._dtype, **params)
        if self._cuda:
            raw = raw.cuda()
        order, permuted = self._draw_order(len(size), state)
        if permuted:
            back = sorted(range(len(order)), key=order.__getitem__)
            raw = raw.permute(tuple(order)).contiguous().permute(tuple(back))
        tensor = raw[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, {"numel": int(tensor.numel()), "order": _array(order), "steps": steps,
                        "is_contiguous": tensor.is_contiguous(), "dtype": str(self._dtype)}

    def _get_size_and_steps(self, params: Dict[str, Any]) -> Tuple[Any, Any, Any]:
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def concrete(values: Sequence[Any]) -> Tuple[Any, ...]:
            known = [params.get(value, value) for value in values][:dim]
            return tuple(known + [1] * (dim - len(known)))

        size, steps = concrete(self._size), concrete(self._steps or ())
        return size, steps, tuple(n * step for n, step in zip(size, steps))

    def satisfies_constraints(self, params: Dict[str, Any]) -> bool:
        """Whether the tensor of these parameters is within its limits."""
        size, _, allocated = self._get_size_and_steps(params)
        elements = prod(size)
        assert elements >= 0, "a size is negative"
        limits = ((elements, self._max_elements), (self._min_elements, elements),
                  (prod(allocated, base=dtype_size(self._dtype)), self._max_allocation_bytes))
        return not any(less is not None and more is not None and less > more
                       for less, more in limits)


def _array(values: List[int]) -> Any:
    """As a numpy array, if possible."""
    try:
        import numpy
    except ImportError:
        return values
    return numpy.array(values, dtype=numpy.int64)


def _accepts(constraint: Callable, params: Dict[str, Any]) -> bool:
    """Calls a constraint with keywords if it names parameters, and else with the dictionary."""
    try:
        taken = inspect.signature(constraint).parameters
    except (TypeError, ValueError):
        return bool(constraint(params))
    named = {name: params[name] for name in taken if name in params}
    if named:
        return bool(constraint(**named))
    if [p.kind for p in taken.values()] == [inspect.Parameter.VAR_KEYWORD]:
        return bool(constraint(**params))
    return bool(constraint(params))


class Fuzzer:
    """Draws samples: parameters, and tensors that depend on them.

    Lists of parameters and tensors may contain lists. A constraint is a function of the dictionary
    of parameters, or of some parameters by name; a sample for which it is false is rejected.

    >>> fuzzer = Fuzzer([FuzzedParameter("n", 1, 9, "uniform")], [], [lambda n: n % 2 == 0], seed=3)
    >>> all(params["n"] % 2 == 0 for _, _, params in fuzzer.take(5))
    True
    """

    def __init__(self, parameters: List[Union[FuzzedParameter, List[FuzzedParameter]]],
                 tensors: List[Union[FuzzedTensor, List[FuzzedTensor]]],
                 constraints: Optional[List[Callable]] = None, seed: Optional[int] = None):
        self._seed = int.from_bytes(os.urandom(4), "little") if seed is None else seed
        self._parameters = Fuzzer._unpack(parameters, FuzzedParameter)
        self._tensors = Fuzzer._unpack(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        self._rejections = 0
        self._total_generated = 0
        both = {p.name for p in self._parameters} & {t.name for t in self._tensors}
        if both:
            raise ValueError(f"Duplicate names in parameters and tensors: {both}")

    @staticmethod
    def _unpack(values: Any, cls: type) -> Tuple[Any, ...]:
        return tuple(itertools.chain(*([value] if isinstance(value, cls) else value
                                       for value in values)))

    def take(self, n: int) -> Iterator[Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Any]]]:
        """Yields n times tensors, properties of tensors and parameters; the same every time."""
        state = _native.RandomState(self._seed)
        data_seed = state.randint(0, 2 ** 63)
        if self._tensors:
            _need_torch("a fuzzed tensor").manual_seed(data_seed)
        for _ in range(n):
            params = self._generate(state)
            tensors, properties = {}, {}
            for tensor in self._tensors:
                tensors[tensor.name], properties[tensor.name] = tensor._make_tensor(params, state)
            yield tensors, properties, params

    @property
    def rejection_rate(self) -> float:
        """The part of all attempts so far that were rejected."""
        return self._rejections / self._total_generated if self._total_generated else 0.

    def _generate(self, state: Any) -> Dict[str, Any]:
        kept: Dict[str, Any] = {}
        for _ in range(_ATTEMPTS):
            drawn = {}
            for parameter in self._parameters:
                name = parameter.name
                drawn[name] = kept[name] if name in kept else parameter.sample(state)
                if parameter.strict:
                    kept[name] = drawn[name]
            params = self._resolve_aliases(drawn)
            self._total_generated += 1
            if all(_accepts(constraint, params) for constraint in self._constraints) and \
                    all(tensor.satisfies_constraints(params) for tensor in self._tensors):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve_aliases(params: Dict[str, Any]) -> Dict[str, Any]:
        resolved = {}
        for name, value in params.items():
            followed = {name}
            while isinstance(value, ParameterAlias):
                if value.alias_to in followed:
                    raise ValueError(f"ParameterAlias cycle detected\n{params}")
                followed.add(value.alias_to)
                value = params[value.alias_to]
            resolved[name] = value
        return resolved
