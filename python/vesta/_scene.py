# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Points, poses and edges in space that the parameters of a problem stand for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import refuse_masked

Array = NDArray[np.float64]


class Scene(NamedTuple):
    """The result of a function `scene` of `Problem.diagnose` and of `HtmlReport`.

    Lengths have any unit.
    points: of shape (N, 3).
    positions: the origins of the frames of poses, such as cameras, (M, 3).
    orientations: unit quaternions w, x, y, z that rotate from the frames of the
    poses to that of the scene, (M, 4); None: the poses have none.
    edges: pairs of indices of poses, (E, 2), drawn as lines.
    """

    points: ArrayLike = ()
    positions: ArrayLike = ()
    orientations: ArrayLike | None = None
    edges: ArrayLike = ()


def arrays_of(result: Any) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    """The arrays of what a function `scene` has returned: a Scene, or points."""
    scene = result if isinstance(result, Scene) else Scene(points=result)
    points = _rows(scene.points, "points", 3)
    positions = _rows(scene.positions, "positions", 3)
    count = len(positions)
    if scene.orientations is None:
        orientations = np.zeros((count, 4))
    else:
        orientations = _rows(scene.orientations, "orientations", 4)
    if len(orientations) != count:
        raise ValueError(f"scene: `orientations`: expected {count} rows as in `positions`, got {len(orientations)}.")
    edges = np.asarray(scene.edges)
    if edges.size and edges.dtype.kind not in "iu":
        raise TypeError(f"scene: `edges`: expected integers, got {edges.dtype}.")
    edges = _shaped(edges, "edges", 2)
    if np.any((edges < 0) | (edges >= count)):
        raise ValueError(f"scene: `edges`: expected indices of {count} poses, got {edges.min()} to {edges.max()}.")
    return points, positions, orientations, np.ascontiguousarray(edges.reshape(-1), dtype=np.int64)


def _rows(values: Any, name: str, width: int) -> Array:
    refuse_masked(values, name)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"scene: `{name}`: expected an array of shape (N, {width}), got {values!r:.80}.") from None
    return np.ascontiguousarray(_shaped(array, name, width))


def _shaped(array: Any, name: str, width: int) -> Any:
    if array.shape == (0,):
        return array.reshape(0, width)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"scene: `{name}`: expected shape (N, {width}), got {array.shape}.")
    return array
