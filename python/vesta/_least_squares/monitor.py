# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What happens after each iteration."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from .results import OptimizeResult


class Monitor:
    """Progress, and the user's callback. Called at the start and after each iteration; False ends the solve."""

    def __init__(self, verbose: int, callback: Callable[..., Any] | None) -> None:
        self._verbose, self._callback = verbose, callback
        self._takes_result = callback is not None and takes_intermediate_result(callback)

    def __call__(
        self, x: Any, nfev: int, iteration: int, cost: float, change: float, step: float, optimality: float
    ) -> bool:
        if self._verbose == 2:
            if iteration == 0:
                print(f"{'iteration':>9} {'nfev':>6} {'cost':>13} {'reduction':>11} {'step norm':>11} {'optimality':>11}")
            print(f"{iteration:9d} {nfev:6d} {cost:13.4e} {change:11.2e} {step:11.2e} {optimality:11.2e}")
        if self._callback is None or iteration == 0:
            return True
        try:
            if self._takes_result:
                self._callback(
                    intermediate_result=OptimizeResult(x=x, cost=cost, nit=iteration, nfev=nfev, optimality=optimality)
                )
            else:
                self._callback(x)
        except StopIteration:
            return False
        return True


def takes_intermediate_result(callback: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        return False
