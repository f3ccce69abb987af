# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Readers of published problems, which return arrays."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class BalProblem(NamedTuple):
    """A problem of "Bundle Adjustment in the Large".

    Observation i is the pixel observations[i] of point point_index[i] in the
    image of camera camera_index[i]. Rows of cameras: angle-axis, translation,
    f, k1, k2.
    """

    cameras: Array
    points: Array
    camera_index: Indices
    point_index: Indices
    observations: Array


class PoseGraph(NamedTuple):
    """A pose graph.

    poses: rows (x, y, yaw), or (qw, qx, qy, qz, x, y, z). ids: their names in
    the file. Edge e says that pose j[e] seen from pose i[e] is measurements[e],
    with the inverse covariance information[e].
    """

    poses: Array
    ids: Indices
    i: Indices
    j: Indices
    measurements: Array
    information: Array


def _read(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    opener: Any = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}.get(os.path.splitext(name)[1], open)
    with opener(name, "rt") as file:
        text: str = file.read()
    return text


def read_bal(path: str | os.PathLike[str]) -> BalProblem:
    """Reads a BAL file, compressed by xz, gzip or bzip2 or not."""
    text = _read(path)
    try:
        numbers = np.array(text.split(), dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: not a BAL file: {error}") from None
    if len(numbers) < 3:
        raise ValueError(f"{os.fspath(path)}: not a BAL file: it ends within the header.")
    num_cameras, num_points, num_observations = (int(n) for n in numbers[:3])
    expected = 3 + 4 * num_observations + 9 * num_cameras + 3 * num_points
    if min(num_cameras, num_points, num_observations) < 0 or len(numbers) != expected:
        raise ValueError(
            f"{os.fspath(path)}: expected {expected} numbers for {num_cameras} cameras, {num_points} points and "
            f"{num_observations} observations, got {len(numbers)}."
        )
    observed = numbers[3 : 3 + 4 * num_observations].reshape(-1, 4)
    rest = numbers[3 + 4 * num_observations :]
    camera_index, point_index = observed[:, 0].astype(np.int64), observed[:, 1].astype(np.int64)
    if num_observations and not (
        0 <= camera_index.min() and camera_index.max() < num_cameras
        and 0 <= point_index.min() and point_index.max() < num_points
    ):  # fmt: skip
        raise ValueError(f"{os.fspath(path)}: an observation has the index of no camera or point.")
    return BalProblem(
        np.array(rest[: 9 * num_cameras].reshape(-1, 9)),
        np.array(rest[9 * num_cameras :].reshape(-1, 3)),
        camera_index,
        point_index,
        np.array(observed[:, 2:]),
    )


def write_bal(path: str | os.PathLike[str], problem: BalProblem) -> None:
    """Writes a BAL file. Reading it gives the same bits."""
    with open(path, "w") as file:
        file.write(f"{len(problem.cameras)} {len(problem.points)} {len(problem.observations)}\n")
        for c, p, (x, y) in zip(problem.camera_index, problem.point_index, problem.observations.tolist()):
            file.write(f"{c} {p} {x!r} {y!r}\n")
        for number in (*problem.cameras.ravel().tolist(), *problem.points.ravel().tolist()):
            file.write(f"{number!r}\n")


def read_g2o(path: str | os.PathLike[str]) -> PoseGraph:
    """Reads a pose graph in the plane (VERTEX_SE2) or in space (VERTEX_SE3:QUAT).

    Lines of other kinds are ignored. Quaternions are normalized.
    """
    kinds: dict[str, list[tuple[int, list[str]]]] = {
        "VERTEX_SE2": [], "EDGE_SE2": [], "VERTEX_SE3:QUAT": [], "EDGE_SE3:QUAT": []
    }  # fmt: skip
    for number, line in enumerate(_read(path).splitlines(), 1):
        words = line.split()
        if words and words[0] in kinds:
            kinds[words[0]].append((number, words[1:]))
    in_space = bool(kinds["VERTEX_SE3:QUAT"])
    if in_space == bool(kinds["VERTEX_SE2"]):
        raise ValueError(f"{os.fspath(path)}: expected poses of one kind, in the plane or in space.")
    name = os.fspath(path)
    vertices = _numbers(name, kinds["VERTEX_SE3:QUAT" if in_space else "VERTEX_SE2"], 8 if in_space else 4)
    edges = _numbers(name, kinds["EDGE_SE3:QUAT" if in_space else "EDGE_SE2"], 30 if in_space else 11)
    ids = vertices[:, 0].astype(np.int64)
    order = {v: k for k, v in enumerate(ids.tolist())}
    if len(order) != len(ids):
        raise ValueError(f"{name}: a pose is given twice.")
    try:
        i = np.array([order[int(v)] for v in edges[:, 0]], dtype=np.int64)
        j = np.array([order[int(v)] for v in edges[:, 1]], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"{name}: an edge names the pose {error}, which the file lacks.") from None
    size = 7 if in_space else 3
    to_pose = _quaternion_first if in_space else (lambda rows: np.array(rows))
    return PoseGraph(
        to_pose(vertices[:, 1:]), ids, i, j, to_pose(edges[:, 2 : 2 + size]),
        _symmetric(edges[:, 2 + size :], 6 if in_space else 3),
    )  # fmt: skip


def _numbers(path: str, lines: list[tuple[int, list[str]]], width: int) -> Array:
    for number, words in lines:
        if len(words) != width:
            raise ValueError(f"{path}:{number}: expected {width} numbers, got {len(words)}.")
    try:
        return np.array([words for _, words in lines], dtype=np.float64).reshape(-1, width)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _quaternion_first(rows: Array) -> Array:
    """x, y, z, qx, qy, qz, qw -> qw, qx, qy, qz, x, y, z, normalized."""
    q = rows[:, [6, 3, 4, 5]]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.ascontiguousarray(np.hstack([q, rows[:, :3]]))


def _symmetric(upper: Array, n: int) -> Array:
    """Symmetric matrices from the rows of their upper triangles."""
    result = np.empty((len(upper), n, n))
    r, c = np.triu_indices(n)
    result[:, r, c] = upper
    result[:, c, r] = upper
    return result
