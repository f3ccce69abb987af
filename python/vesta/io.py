# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Readers and writers of files of other programs: pose graphs, and scenes of bundle adjustment.

Readers raise `ValueError`, with file, line and token, for what they do not
understand, and `OSError` for what they cannot open. Files that end with .xz,
.gz or .bz2 are decompressed. Writers replace a file when the new one is
complete.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import refuse_masked

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
# Names in files: int64, or uint64 if one is 2^63 or larger.
Ids = Union[NDArray[np.int64], NDArray[np.uint64]]
Path = Union[str, "os.PathLike[str]"]


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


class BundlerScene(NamedTuple):
    """A scene of Bundler: a BalProblem, and what Bundler knows besides.

    colors: rows (red, green, blue). keys: for each observation, the number of
    the key point in its image.
    """

    problem: BalProblem
    colors: Indices
    keys: Indices


class ColmapCamera(NamedTuple):
    """A camera of COLMAP: its model, the size of images, parameters in pixels."""

    id: int
    model: str
    width: int
    height: int
    parameters: Array


class ColmapImage(NamedTuple):
    """An image of COLMAP.

    camera: index of its camera. world_to_camera: (qw, qx, qy, qz, tx, ty, tz).
    key_points: rows (x, y). points: for each, the index of the point, or -1.
    """

    id: int
    name: str
    camera: int
    world_to_camera: Array
    key_points: Array
    points: Indices


class ColmapModel(NamedTuple):
    """A sparse model of COLMAP.

    points: rows (x, y, z). errors: mean distances in pixels, or -1. tracks: for
    each point, rows (index of an image, index of its key point).
    """

    cameras: list[ColmapCamera]
    images: list[ColmapImage]
    points: Array
    point_ids: Ids
    colors: Indices
    errors: Array
    tracks: list[Indices]


class Edges(NamedTuple):
    """Measurements of one kind, a row each.

    i, j: indices of poses and landmarks; which, `PoseGraph` says. information:
    inverse covariances. offsets: index of the pose of the sensor on the body,
    or -1.
    """

    i: Indices
    j: Indices
    measurements: Array
    information: Array
    offsets: Indices


def _no_edges() -> Edges:
    none = np.empty(0, np.int64)
    return Edges(none, none, np.empty((0, 0)), np.empty((0, 0, 0)), none)


class PoseGraph(NamedTuple):
    """A pose graph.

    poses: rows (x, y, yaw), or (qw, qx, qy, qz, x, y, z). ids: their names in
    the file. Edge e says that pose j[e] seen from pose i[e] is measurements[e],
    with the inverse covariance information[e]; in space its order is position,
    then rotation. fixed: which poses the file holds.

    landmarks: rows (x, y) or (x, y, z). offsets: rows, poses of sensors on the
    body. Other edges, of pose i:

    - landmark_edges: landmark j in the frame of the sensor
    - bearings: its direction in the plane, rows (angle,)
    - bearings_and_ranges: rows (angle, distance)
    - pose_priors: the pose of the sensor; j is -1
    - position_priors: the position of the pose; j is -1
    - landmark_priors: landmark i itself; j is -1

    text: the file, which `write_g2o` gives back with new poses and landmarks.
    """

    poses: Array
    ids: Ids
    i: Indices
    j: Indices
    measurements: Array
    information: Array
    fixed: Flags = np.empty(0, np.bool_)
    landmarks: Array = np.empty((0, 0))
    landmark_ids: Ids = np.empty(0, np.int64)
    landmark_fixed: Flags = np.empty(0, np.bool_)
    offsets: Array = np.empty((0, 0))
    offset_ids: Ids = np.empty(0, np.int64)
    landmark_edges: Edges = _no_edges()
    bearings: Edges = _no_edges()
    bearings_and_ranges: Edges = _no_edges()
    pose_priors: Edges = _no_edges()
    position_priors: Edges = _no_edges()
    landmark_priors: Edges = _no_edges()
    text: bytes = b""


def _read(path: Path) -> bytes:
    name = os.fspath(path)
    opener: Any = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}.get(os.path.splitext(name)[1], open)
    with opener(name, "rb") as file:
        data: bytes = file.read()
    return data


def _ids(data: bytes) -> Ids:
    ids = np.frombuffer(data, np.uint64)
    return ids.astype(np.int64) if not len(ids) or ids.max() < 2**63 else ids.copy()


def _floats(data: bytes, *shape: int) -> Array:
    return np.frombuffer(data, np.float64).reshape(shape).copy()


def _scene(arrays: Any) -> BalProblem:
    cameras, points, camera_index, point_index, observations = arrays
    return BalProblem(
        _floats(cameras, -1, 9),
        _floats(points, -1, 3),
        np.frombuffer(camera_index, np.intc).astype(np.int64),
        np.frombuffer(point_index, np.intc).astype(np.int64),
        _floats(observations, -1, 2),
    )


def _checked(name: str, values: Any, *shape: int) -> Array:
    """A finite array of this shape; -1 stands for any number."""
    refuse_masked(values, name)
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != len(shape) or any(n not in (-1, m) for n, m in zip(shape, array.shape)):
        raise ValueError(f"{name}: expected an array of shape {shape}, -1 for any number, got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: a number is not finite.")
    return array


def _checked_indices(name: str, values: Any, length: int, low: int, end: int) -> Indices:
    """Integers in [low, end)."""
    refuse_masked(values, name)
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) != length:
        raise ValueError(f"{name}: expected {length} integers, got shape {array.shape} of {array.dtype}.")
    if length and not (low <= int(array.min()) and int(array.max()) < end):
        raise ValueError(f"{name}: expected integers in [{low}, {end}).")
    return np.ascontiguousarray(array, dtype=np.int64)


def _scene_bytes(problem: BalProblem) -> tuple[bytes, ...]:
    cameras = _checked("cameras", problem.cameras, -1, 9)
    points = _checked("points", problem.points, -1, 3)
    observations = _checked("observations", problem.observations, -1, 2)
    n = len(observations)
    camera_index = _checked_indices("camera_index", problem.camera_index, n, 0, len(cameras))
    point_index = _checked_indices("point_index", problem.point_index, n, 0, len(points))
    return (
        cameras.tobytes(), points.tobytes(), camera_index.astype(np.intc).tobytes(),
        point_index.astype(np.intc).tobytes(), observations.tobytes(),
    )  # fmt: skip


def read_bal(path: Path) -> BalProblem:
    """Reads a BAL file."""
    return _scene(_core._parse_bal(_read(path), os.fspath(path)))


def write_bal(path: Path, problem: BalProblem) -> None:
    """Writes a BAL file. Reading it gives the same bits."""
    _core._write_bal(os.fspath(path), _scene_bytes(problem))


def read_bundler(path: Path) -> BundlerScene:
    """Reads a scene of Bundler, version 0.3."""
    arrays, colors, keys = _core._parse_bundler(_read(path), os.fspath(path))
    return BundlerScene(
        _scene(arrays), np.frombuffer(colors, np.int64).reshape(-1, 3).copy(), np.frombuffer(keys, np.int64).copy()
    )


def write_bundler(path: Path, scene: BundlerScene) -> None:
    """Writes a scene of Bundler, version 0.3."""
    arrays = _scene_bytes(scene.problem)
    num_points = len(scene.problem.points)
    colors = _checked_indices("colors", np.ravel(scene.colors), 3 * num_points, 0, 256)
    keys = _checked_indices("keys", scene.keys, len(scene.problem.observations), 0, 2**31)
    _core._write_bundler(os.fspath(path), arrays, colors.tobytes(), keys.tobytes())


def read_colmap(folder: Path) -> ColmapModel:
    """Reads cameras.txt, images.txt and points3D.txt of a folder."""
    name = os.fspath(folder)
    if not os.path.exists(os.path.join(name, "cameras.bin")):
        for file in ("cameras.txt", "images.txt", "points3D.txt"):
            os.stat(os.path.join(name, file))
    cameras, images, points = _core._read_colmap(name)
    return ColmapModel(
        [ColmapCamera(i, model, w, h, _floats(k, -1)) for i, model, w, h, k in cameras],
        [
            ColmapImage(i, n, c, _floats(pose, 7), _floats(xy, -1, 2), np.frombuffer(seen, np.int64).copy())
            for i, n, c, pose, xy, seen in images
        ],
        np.array([p[1] for p in points], dtype=np.float64).reshape(-1, 3),
        _ids(np.array([p[0] for p in points], dtype=np.uint64).tobytes()),
        np.array([p[2] for p in points], dtype=np.int64).reshape(-1, 3),
        np.array([p[3] for p in points], dtype=np.float64),
        [np.frombuffer(p[4], np.int64).reshape(-1, 2).copy() for p in points],
    )


def write_colmap(folder: Path, model: ColmapModel) -> None:
    """Writes the three files of a model. If one cannot be written, none changes."""
    cameras = [
        (int(c.id), c.model, int(c.width), int(c.height), _checked("parameters", c.parameters, -1).tobytes())
        for c in model.cameras
    ]
    num_points = len(model.points)
    images = []
    for image in model.images:
        n = len(image.key_points)
        images.append(
            (
                int(image.id), image.name,
                int(_checked_indices("camera", [image.camera], 1, 0, len(cameras))[0]),
                _checked("world_to_camera", image.world_to_camera, 7).tobytes(),
                _checked("key_points", np.reshape(image.key_points, (n, 2)), n, 2).tobytes(),
                _checked_indices("points of an image", image.points, n, -1, num_points).tobytes(),
            )  # fmt: skip
        )
    positions = _checked("points", model.points, num_points, 3)
    errors = _checked("errors", model.errors, num_points)
    colors = _checked_indices("colors", np.ravel(model.colors), 3 * num_points, 0, 256).reshape(-1, 3)
    if len(model.tracks) != num_points or len(model.point_ids) != num_points:
        raise ValueError(f"expected tracks and point_ids of {num_points} points.")
    points = []
    for k, track in enumerate(model.tracks):
        rows = np.asarray(track, dtype=np.int64).reshape(-1, 2)
        _checked_indices("tracks", rows[:, 0], len(rows), 0, len(images))
        _checked_indices("tracks", rows[:, 1], len(rows), 0, 2**31 - 1)
        points.append(
            (int(model.point_ids[k]), tuple(positions[k].tolist()), tuple(colors[k].tolist()), float(errors[k]),
             rows.tobytes())
        )  # fmt: skip
    _core._write_colmap(os.fspath(folder), (cameras, images, points))


# Kinds of edges: the name in PoseGraph, the number in the extension module, the
# number of errors in the plane and in space.
_KINDS = (
    ("landmark_edges", 1, 2, 3),
    ("bearings", 2, 1, 1),
    ("bearings_and_ranges", 3, 2, 2),
    ("pose_priors", 4, 3, 6),
    ("position_priors", 5, 2, 3),
    ("landmark_priors", 5, 2, 3),
)


def read_g2o(path: Path, *, initialize: bool = False, drop_indefinite_couplings: bool = False) -> PoseGraph:
    """Reads a pose graph in the plane or in space, with landmarks, priors and fixed vertices.

    Quaternions are normalized. What the reader does not know is an error. With
    initialize=True, poses and landmarks that the file lacks are computed from
    its edges: odometry, where it comes first in the file. With
    drop_indefinite_couplings=True, an information matrix of a pose that has a
    negative eigenvalue is read without its coupling of position and rotation.
    """
    text = _read(path)
    raw = _core._parse_g2o(text, os.fspath(path), initialize, drop_indefinite_couplings)
    dimension: int = raw["dimension"]
    ids, values = np.frombuffer(raw["ids"], np.uint64), _floats(raw["values"], -1, 7)
    is_landmark = np.frombuffer(raw["is_landmark"], np.bool_)
    fixed = np.frombuffer(raw["is_fixed"], np.bool_)
    # The place of each vertex among poses or among landmarks; -1 stays -1.
    place = np.append(np.where(is_landmark, np.cumsum(is_landmark), np.cumsum(~is_landmark)) - 1, -1)
    types = np.frombuffer(raw["types"], np.uint8)
    ends = np.frombuffer(raw["ends"], np.int64).reshape(-1, 3)
    measurements = _floats(raw["measurements"], -1, 7)
    information = _floats(raw["information"], -1, 36)

    def edges(rows: Any, size: int, is_pose: bool) -> Edges:
        measured = measurements[rows]
        return Edges(
            place[ends[rows, 0]], place[ends[rows, 1]],
            _poses_from_file(measured, dimension) if is_pose else np.ascontiguousarray(measured[:, :size]),
            information[rows, : size * size].reshape(-1, size, size), ends[rows, 2].copy(),
        )  # fmt: skip

    others: dict[str, Edges] = {}
    on_landmark = np.append(is_landmark, False)[ends[:, 0]]
    for name, kind, *sizes in _KINDS:
        rows = np.flatnonzero((types == kind) & (on_landmark == (name == "landmark_priors")))
        others[name] = edges(rows, sizes[dimension - 2], kind == 4)
    between = edges(np.flatnonzero(types == 0), 3 if dimension == 2 else 6, True)
    return PoseGraph(
        _poses_from_file(values[~is_landmark], dimension), _ids(ids[~is_landmark].tobytes()),
        between.i, between.j, between.measurements, between.information, fixed[~is_landmark].copy(),
        np.ascontiguousarray(values[is_landmark, :dimension]), _ids(ids[is_landmark].tobytes()),
        fixed[is_landmark].copy(),
        _poses_from_file(_floats(raw["offsets"], -1, 7), dimension), _ids(raw["offset_ids"]), text=text, **others,
    )  # fmt: skip


def write_g2o(path: Path, graph: PoseGraph) -> None:
    """Writes a pose graph.

    If the graph was read from a file and only poses and landmarks have changed,
    this is the text of the file with new values: order, ids, tags, comments and
    everything else stay. Otherwise all is written anew.
    """
    _core._write_file(os.fspath(path), _core._format_g2o(_to_core(graph)))


def _to_core(graph: PoseGraph) -> dict[str, Any]:
    """The graph as the extension module reads it."""
    num_poses = len(graph.poses)
    dimension = 2 if np.shape(graph.poses)[1:] == (3,) else 3
    num_landmarks = len(graph.landmarks)
    ids = np.concatenate([_id_array("ids", graph.ids, num_poses), _id_array("landmark_ids", graph.landmark_ids, num_landmarks)])
    values = np.zeros((len(ids), 7))
    values[:num_poses] = _poses_to_file("poses", graph.poses, dimension)
    if num_landmarks:
        values[num_poses:, :dimension] = _checked("landmarks", graph.landmarks, num_landmarks, dimension)
    fixed = [_flags("fixed", graph.fixed, num_poses), _flags("landmark_fixed", graph.landmark_fixed, num_landmarks)]
    num_offsets = len(graph.offsets)

    types: list[Any] = []
    ends: list[Any] = []
    measurements: list[Any] = []
    information: list[Any] = []
    between = Edges(
        graph.i, graph.j, graph.measurements, graph.information, np.full(len(graph.measurements), -1, np.int64)
    )
    # A landmark has its index behind all poses.
    for name, kind, *sizes in (("measurements", 0, 3, 6), *_KINDS):
        e: Edges = between if kind == 0 else getattr(graph, name)
        n, size = len(e.measurements), sizes[dimension - 2]
        first = num_poses if name == "landmark_priors" else 0
        i = first + _checked_indices(f"{name}: i", e.i, n, 0, len(ids) - first if first else num_poses)
        if kind >= 4:
            j = np.full(n, -1, np.int64)
        elif kind == 0:
            j = _checked_indices(f"{name}: j", e.j, n, 0, num_poses)
        else:
            j = num_poses + _checked_indices(f"{name}: j", e.j, n, 0, num_landmarks)
        measured, weights = np.zeros((n, 7)), np.zeros((n, 36))
        if n:
            if kind in (0, 4):
                measured[:] = _poses_to_file(name, e.measurements, dimension)
            else:
                measured[:, :size] = _checked(name, e.measurements, n, size)
            weights[:, : size * size] = _checked(name, e.information, n, size, size).reshape(n, -1)
        types.append(np.full(n, kind, np.uint8))
        ends.append(np.stack([i, j, _checked_indices(f"{name}: offsets", e.offsets, n, -1, num_offsets)], axis=1))
        measurements.append(measured)
        information.append(weights)
    offsets = _poses_to_file("offsets", graph.offsets, dimension) if num_offsets else np.zeros((0, 7))
    return {
        "dimension": dimension, "text": graph.text, "ids": ids.tobytes(), "values": values.tobytes(),
        "is_landmark": (np.arange(len(ids)) >= num_poses).tobytes(), "is_fixed": np.concatenate(fixed).tobytes(),
        "offset_ids": _id_array("offset_ids", graph.offset_ids, num_offsets).tobytes(),
        "offsets": offsets.tobytes(), "types": np.concatenate(types).tobytes(),
        "ends": np.concatenate(ends).tobytes(), "measurements": np.concatenate(measurements).tobytes(),
        "information": np.concatenate(information).tobytes(),
    }  # fmt: skip


def _id_array(name: str, ids: Any, length: int) -> NDArray[np.uint64]:
    array = np.asarray(ids)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.shape != (length,) or array.dtype.kind not in "iu" or (length and array.min() < 0):
        raise ValueError(f"{name}: expected {length} integers that are not negative.")
    return array.astype(np.uint64)


def _flags(name: str, flags: Any, length: int) -> Flags:
    """No flags at all stand for False."""
    array = np.asarray(flags, dtype=np.bool_)
    if array.shape not in ((0,), (length,)):
        raise ValueError(f"{name}: expected {length} flags, got shape {array.shape}.")
    return array if len(array) else np.zeros(length, np.bool_)


def _poses_from_file(rows: Array, dimension: int) -> Array:
    """x, y, yaw; or x, y, z, qx, qy, qz, qw -> qw, qx, qy, qz, x, y, z."""
    return np.ascontiguousarray(rows[:, :3] if dimension == 2 else rows[:, [6, 3, 4, 5, 0, 1, 2]])


def _poses_to_file(name: str, poses: Any, dimension: int) -> Array:
    """The inverse of _poses_from_file: rows of 7 numbers."""
    array = _checked(name, poses, -1, 3 if dimension == 2 else 7)
    rows = np.zeros((len(array), 7))
    if dimension == 2:
        rows[:, :3] = array
    else:
        rows[:, [6, 3, 4, 5, 0, 1, 2]] = array
    return rows
