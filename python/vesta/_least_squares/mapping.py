# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Functions that map differences, one column after the other or in processes."""

from __future__ import annotations

from typing import Any, Callable


class Pool:
    """The function that maps differences: built in, the user's, or that of new processes."""

    def __init__(self, workers: Any) -> None:
        self._workers = workers
        self._pool: Any = None

    def __enter__(self) -> Callable[..., Any]:
        if self._workers is None or self._workers == 1:
            return map
        if callable(self._workers):
            function: Callable[..., Any] = self._workers
            return lambda f, *lists: function(Star(f), list(zip(*lists)))
        import multiprocessing

        count = int(self._workers)
        if count == 0 or count < -1:
            raise ValueError(f"workers: expected a function, a number > 0 or -1, got {self._workers!r}.")
        self._pool = multiprocessing.Pool(None if count == -1 else count)
        return lambda f, *lists: self._pool.starmap(f, list(zip(*lists)))

    def __exit__(self, *error: Any) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


class Star:
    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f

    def __call__(self, arguments: Any) -> Any:
        return self._f(*arguments)
