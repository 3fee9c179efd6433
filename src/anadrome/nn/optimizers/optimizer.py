"""What every optimiser of first order can do."""

from __future__ import annotations

from typing import Any, Protocol


class Optimizer(Protocol):
    """A record of constants that makes steps of gradients."""

    def start(self, params: Any) -> Any:
        """The state before the first update."""

    def update(
        self, params: Any, grads: Any, state: Any, rate: float
    ) -> tuple[Any, Any]:
        """The parameters and the state after an update with a learning rate."""
