"""The interface that a replacement of Timer._timer_cls must have."""
from typing import Any, Callable, Dict, Protocol, runtime_checkable


class TimerClass(Protocol):
    def __init__(self, stmt: str, setup: str, timer: Callable[[], float],
                 globals: Dict[str, Any], **kwargs: Any) -> None:
        ...

    def timeit(self, number: int) -> float:
        ...


@runtime_checkable
class TimeitModuleType(Protocol):
    def timeit(self, number: int) -> float:
        ...
