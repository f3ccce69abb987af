# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What happens after each iteration."""

from __future__ import annotations

import inspect
from typing import Any, Callable

from .. import _core
from .call import Call
from .results import OptimizeResult


class Monitor:
    """The callback of the solver: limits, progress and the user's callback."""

    def __init__(self, call: Call, limit: int, verbose: int, callback: Callable[..., Any] | None) -> None:
        self._call, self._limit, self._verbose, self._callback = call, limit, verbose, callback
        self.stopped_by_user = False
        self.reached_limit = False
        self._takes_result = callback is not None and takes_intermediate_result(callback)

    def __call__(self, iteration: Any) -> Any:
        call = self._call
        if self._verbose == 2:
            if iteration.iteration == 0:
                print(f"{'iteration':>9} {'nfev':>6} {'cost':>13} {'reduction':>11} {'step norm':>11} {'optimality':>11}")
            print(
                f"{iteration.iteration:9d} {call.nfev:6d} {iteration.cost:13.4e} {iteration.cost_change:11.2e} "
                f"{iteration.step_norm:11.2e} {iteration.gradient_max_norm:11.2e}"
            )
        if self._callback is not None and iteration.iteration > 0 and self._user_stops(iteration):
            self.stopped_by_user = True
            return _core.CallbackReturnType.SOLVER_TERMINATE_SUCCESSFULLY
        if call.nfev >= self._limit and iteration.iteration > 0:
            self.reached_limit = True
            return _core.CallbackReturnType.SOLVER_TERMINATE_SUCCESSFULLY
        return None

    def _user_stops(self, iteration: Any) -> bool:
        assert self._callback is not None
        x = self._call.x()
        try:
            if self._takes_result:
                self._callback(
                    intermediate_result=OptimizeResult(
                        x=x, cost=iteration.cost, nit=iteration.iteration, nfev=self._call.nfev,
                        optimality=iteration.gradient_max_norm,
                    )  # fmt: skip
                )
            else:
                self._callback(x)
        except StopIteration:
            return True
        return False


def takes_intermediate_result(callback: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        return False
