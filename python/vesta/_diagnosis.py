# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What the residuals of a problem leave undetermined, determine weakly, and what nothing checks."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[np.float64]


class DirectionEntry(NamedTuple):
    """A tangent coordinate of a parameter block, and how far it moves.

    block_index: of the parameter block in the problem. effect: what the motion of this coordinate alone changes in the residuals.
    """

    parameter_block: str
    block_index: int
    coordinate: int
    value: float
    effect: float


class Direction(NamedTuple):
    """A direction in which the parameters can move.

    kind: the name of `ceres::DirectionKind`, such as "kCombination". ratio: the
    singular value divided by the largest one; 0: undetermined. The largest
    |value| of the entries is 1. cause, remedy: one sentence each.
    """

    kind: str
    ratio: float
    cause: str
    remedy: str
    entries: list[DirectionEntry]


class ResidualCheck(NamedTuple):
    """How well the other residual blocks check one residual block.

    redundancy: from 0, if nothing checks it, to the number of residuals.
    smallest_detectable_error: of any one residual, noticed with probability 0.8
    by a test with significance 0.001; infinite if nothing checks a residual.
    """

    residual_block: int
    redundancy: float
    smallest_redundancy: float
    is_unchecked: bool
    largest_standardized_residual: float
    smallest_detectable_error: float


class Diagnosis:
    """What a problem leaves undetermined. `print` shows it as text.

    status: "kComplete", "kNotEvaluated", "kStopped" or "kFailed"; message says
    why. undetermined: a basis of the null space of the Jacobian. weak: directions
    with small singular values. held: directions that only priors, bounds or
    constraints hold.
    residual_blocks: if compute_redundancy was set; variance_factor: of the
    standardized residuals. json: all data.
    """

    def __init__(self, text: str, data: str) -> None:
        self._text = text.rstrip()
        values: dict[str, Any] = json.loads(data)
        self.json: dict[str, Any] = values
        self.status: str = values["status"]
        self.message: str = values["message"]
        self.num_parameter_blocks: int = values["num_parameter_blocks"]
        self.num_coordinates: int = values["num_coordinates"]
        self.num_residual_blocks: int = values["num_residual_blocks"]
        self.num_residuals: int = values["num_residuals"]
        self.structural_rank: int = values["structural_rank"]
        self.rank: int = values["rank"]
        self.is_rank_certain: bool = values["is_rank_certain"]
        self.rank_statement: str = values["rank_statement"]
        self.variance_factor: float = values["variance_factor"]
        names = {entry["parameter_block"]: entry["name"] for entry in values["parameter_block_names"]}
        self.undetermined = _directions(values["undetermined"], names)
        self.weak = _directions(values["weak"], names)
        self.held = _directions(values["held"], names)
        self.residual_blocks = [
            ResidualCheck(
                check["residual_block"], check["redundancy"], check["smallest_redundancy"], check["is_unchecked"],
                check["largest_standardized_residual"], float(check["smallest_detectable_error"]),
            )
            for check in values["residual_blocks"]
        ]  # fmt: skip

    @property
    def is_determined(self) -> bool:
        """True if the residuals determine every coordinate."""
        return self.status == "kComplete" and not self.undetermined

    def __repr__(self) -> str:
        return self._text


def diagnose_linear(
    jac: Any, residuals: Array, lower: Array, upper: Array, names: Sequence[str], weak_ratio: float = 1e-8,
    compute_redundancy: bool = False, variance_factor: float = 1.0, num_threads: int = 1,
    constraints: tuple[Any, list[str]] | None = None,
) -> Diagnosis:  # fmt: skip
    """The diagnosis of residuals + jac @ d; jac is an array or a CSR matrix. lower, upper: bounds of d.

    constraints: a CSR matrix A and the names of its rows; A @ d = 0.
    """
    limits, limit_names = (np.zeros((0, jac.shape[1])), []) if constraints is None else constraints
    answer: Any = _core._diagnose_linear(
        _rows(jac), np.ascontiguousarray(residuals), _rows(limits), limit_names, lower, upper, list(names), weak_ratio,
        compute_redundancy, variance_factor, num_threads,
    )  # fmt: skip
    return Diagnosis(*answer)


def _rows(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Row starts, columns and values."""
    if isinstance(matrix, np.ndarray):
        m, n = matrix.shape
        starts, columns, values = np.arange(m + 1) * n, np.tile(np.arange(n), m), matrix.reshape(-1)
    else:
        matrix.sum_duplicates()
        starts, columns, values = matrix.indptr, matrix.indices, matrix.data
    return (
        np.ascontiguousarray(starts, dtype=np.int64),
        np.ascontiguousarray(columns, dtype=np.int64),
        np.ascontiguousarray(values, dtype=np.float64),
    )


def _directions(values: list[dict[str, Any]], names: dict[int, str]) -> list[Direction]:
    return [
        Direction(
            value["kind"], value["ratio"], value["cause"], value["remedy"],
            [
                DirectionEntry(
                    names.get(entry["parameter_block"]) or f"parameter block {entry['parameter_block']}",
                    entry["parameter_block"], entry["coordinate"], entry["value"], entry["effect"],
                )
                for entry in value["entries"]
            ],
        )
        for value in values
    ]  # fmt: skip
