# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Pose graphs: a start from nothing, a certificate of the global minimum, and the solve that looks for it.

The graphs are those of `vesta.io.read_g2o`, with poses and relative poses only;
others raise `ValueError`. Chordal costs are those of Rosen et al., "SE-Sync",
2019. The manual page docs/solving/global_pose_graphs.md explains them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core
from .io import Array, PoseGraph, _floats, _poses_from_file, _to_core

STARTS = ("chordal", "spanning_tree", "odometry", "incremental", "current_values", "auto")


class Certificate(NamedTuple):
    """What is proven about a map.

    statement: "certified", "next_to_certified", "negative_curvature" or
    "not_stationary". cost: F of the map. lower_bound: no map has a smaller F.
    direction: rows of d + 1 numbers, if there is negative curvature.
    """

    statement: str
    message: str
    cost: float
    stationary_cost: float
    lower_bound: float
    gap: float
    stationary_gap: float
    min_eigenvalue_bound: float
    direction_curvature: float
    direction: Array
    geodesic_lower_bound: float
    is_anisotropic: bool


class Step(NamedTuple):
    """A step of the staircase."""

    rank: int
    num_iterations: int
    cost: float
    lower_bound: float


class Initialization(NamedTuple):
    """A start: the graph with its poses, the name of the start, its chordal cost."""

    graph: PoseGraph
    start: str
    cost: float
    message: str


class GlobalSolution(NamedTuple):
    """The result of `solve_globally`: the geodesic minimum, and the certificate of the chordal one next to it.

    geodesic: the `SolverSummary` of the last solve. Without steps, a deadline or
    a cancellation came before the first one: see the message.
    """

    graph: PoseGraph
    certificate: Certificate
    steps: list[Step]
    geodesic: Any
    message: str


def initialize(graph: PoseGraph, *, start: str = "chordal", options: Optional[_core.SolverOptions] = None) -> Initialization:
    """Gives the poses a start, one of STARTS. options: threads, limit of time and cancellation count."""
    result = _core._initialize_pose_graph(_to_core(graph), _options(start, options))
    return Initialization(_with_values(graph, result["values"]), _snake(result["start"]), result["cost"], result["message"])


def certify(
    graph: PoseGraph, *, relative_gap: float = 1e-8, refine: bool = True, options: Optional[_core.SolverOptions] = None
) -> Certificate:
    """Says whether the poses are a global minimum of the chordal problem.

    refine: a map that is not certified is moved to the stationary point next to
    it, whose certificate gives the bound.
    """
    given = _options("current_values", options, relative_gap=relative_gap, refine=refine)
    return _certificate(_core._certify_pose_graph(_to_core(graph), given), graph)


def solve_globally(
    graph: PoseGraph, *, start: str = "chordal", relative_gap: float = 1e-8, max_rank: int = 0, max_num_iterations: int = 200,
    options: Optional[_core.SolverOptions] = None,
) -> GlobalSolution:  # fmt: skip
    """Looks for the global minimum, proves it where it can, and solves the geodesic problem from there.

    max_num_iterations: on the chordal problem, for each rank. max_rank: of the
    relaxation; 0: d + 5. options: of the geodesic solve; threads, limit of time
    and cancellation hold for everything.
    """
    given = _options(
        start, options, relative_gap=relative_gap, max_rank=max_rank, max_num_iterations=max_num_iterations
    )
    result = _core._solve_pose_graph_globally(_to_core(graph), given)
    return GlobalSolution(
        _with_values(graph, result["values"]), _certificate(result["certificate"], graph),
        [Step(*step) for step in result["steps"]], result["geodesic"], result["message"],
    )  # fmt: skip


def _options(start: str, options: Optional[_core.SolverOptions], **others: Any) -> dict[str, Any]:
    if start not in STARTS:
        raise ValueError(f"start = {start!r} is none of {', '.join(STARTS)}.")
    given = {"relative_gap": 1e-8, "refine": True, "max_rank": 0, "max_num_iterations": 200}
    return {
        **given, **others, "start": STARTS.index(start), "solver": _core.SolverOptions() if options is None else options,
    }  # fmt: skip


def _snake(name: str) -> str:
    """kNextToCertified as next_to_certified."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name[1:]).lstrip("_")


def _with_values(graph: PoseGraph, values: bytes) -> PoseGraph:
    dimension = 2 if np.shape(graph.poses)[1:] == (3,) else 3
    return graph._replace(poses=_poses_from_file(_floats(values, -1, 7), dimension))


def _certificate(raw: dict[str, Any], graph: PoseGraph) -> Certificate:
    dimension = 2 if np.shape(graph.poses)[1:] == (3,) else 3
    direction = _floats(raw["direction"], -1, dimension + 1)
    return Certificate(**{**raw, "statement": _snake(raw["statement"]), "direction": direction})
