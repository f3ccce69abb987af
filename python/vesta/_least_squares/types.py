# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The types of the arguments of least_squares and curve_fit."""

from __future__ import annotations

from typing import Any, Callable, Literal, TypedDict, Union

Method = Literal["trf", "dogbox", "lm"]
Jac = Union[Literal["2-point", "3-point", "cs", "autodiff", "jax"], Callable[..., Any]]
Loss = Union[Literal["linear", "soft_l1", "huber", "cauchy", "arctan"], Callable[..., Any]]
TrSolver = Literal["exact", "lsmr"]


class TrOptions(TypedDict, total=False):
    """Options of 'lsmr'. Only maxiter has an effect."""

    maxiter: int
    atol: float
    btol: float
    damp: float
    conlim: float
    show: bool
    regularize: bool
