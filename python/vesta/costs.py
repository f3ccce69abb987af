# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Ready-made cost functions in C++, one per row of arrays.

Each function returns a `CostBatch` for `Problem.add_costs`, which pairs its
parameter blocks with rows of arrays. They are evaluated without the GIL by all
threads.

A pose is a row of 6 numbers, angle-axis and translation, or of 7, a unit
quaternion (w, x, y, z) and a translation. It maps x to R x + t. Poses with a
quaternion need `pose_manifold()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import real_numbers

# The number of intrinsics of each camera model.
INTRINSICS = {"pinhole": 4, "simple_radial": 4, "radial": 5, "opencv": 8, "fisheye": 8}


def pose_manifold() -> _core.Manifold:
    """The manifold of poses of 7 numbers."""
    return _core.ProductManifold(_core.QuaternionManifold(), _core.EuclideanManifold(3))


def reprojection(
    observations: ArrayLike,
    model: str = "bal",
    *,
    rotation: str = "angle_axis",
    rig: bool = False,
    sigma: float = 1.0,
) -> _core.CostBatch:
    """Projections minus observations (N, 2), in pixels, divided by sigma.

    model and parameter blocks:

    - 'bal': a camera of 9 numbers (angle-axis, translation, f, k1, k2), a point
      (3). The camera looks along -z.
    - 'pinhole' (fx, fy, cx, cy), 'simple_radial' (f, cx, cy, k), 'radial' (f,
      cx, cy, k1, k2), 'opencv' (fx, fy, cx, cy, k1, k2, p1, p2), 'fisheye' (fx,
      fy, cx, cy, k1, k2, k3, k4): the pose of the camera (camera from world), a
      point (3), intrinsics. Cameras may share a row of intrinsics.

    rotation: 'angle_axis' or 'quaternion'.
    rig: the pose is split into two blocks, the pose of the rig (rig from world)
        and that of the camera on the rig (camera from rig).
    """
    pixels = _rows(observations, "observations")
    sigma = _sigma(sigma)
    if rotation not in ("angle_axis", "quaternion"):
        raise ValueError(f"rotation: expected 'angle_axis' or 'quaternion', got {rotation!r}.")
    if model == "bal":
        if rig or rotation != "angle_axis":
            raise ValueError("model 'bal' has no rig and takes rotation='angle_axis' only.")
        return _core._bal_batch(pixels, sigma)
    return _core._reprojection_batch(model, pixels, sigma, rotation == "quaternion", rig)


def pose_graph_2d(measurements: ArrayLike, information: ArrayLike | None = None) -> _core.CostBatch:
    """Errors of relative poses in the plane.

    Parameter blocks: poses a and b, rows (x, y, yaw). measurements (N, 3): b as
    seen from a. information (3, 3) or (N, 3, 3): inverse covariances.
    """
    measured = _rows(measurements, "measurements")
    return _core._pose_graph_2d_batch(measured, _upper(information, 3))


def pose_graph_3d(measurements: ArrayLike, information: ArrayLike | None = None) -> _core.CostBatch:
    """Errors of relative poses in space.

    Parameter blocks: poses a and b of 7 numbers. measurements (N, 7): b as seen
    from a. information (6, 6) or (N, 6, 6): inverse covariances of translation
    and rotation, in this order.
    """
    return _core._pose_graph_3d_batch(_poses(measurements, "measurements"), _upper(information, 6))


def relative_pose(measurements: ArrayLike, information: ArrayLike | None = None) -> _core.CostBatch:
    """Another name of pose_graph_3d."""
    return pose_graph_3d(measurements, information)


def landmark_2d(
    measurements: ArrayLike, information: ArrayLike | None = None, sensors: ArrayLike | None = None
) -> _core.CostBatch:
    """Errors of landmarks that a robot in the plane sees.

    Parameter blocks: poses, rows (x, y, yaw), and landmarks, rows (x, y).
    measurements (N, 2): landmarks in the frame of the sensor. information (2, 2)
    or (N, 2, 2): inverse covariances. sensors (1, 3) or (N, 3): poses of sensors
    on the robot; None: at its origin.
    """
    at = np.zeros((1, 3)) if sensors is None else _rows(sensors, "sensors")
    return _core._landmark_2d_batch(_rows(measurements, "measurements"), _upper(information, 2), at)


def landmark_3d(
    measurements: ArrayLike, information: ArrayLike | None = None, sensors: ArrayLike | None = None
) -> _core.CostBatch:
    """Errors of landmarks that a robot in space sees.

    Parameter blocks: poses of 7 numbers, and landmarks, rows (x, y, z).
    measurements (N, 3): landmarks in the frame of the sensor. information (3, 3)
    or (N, 3, 3): inverse covariances. sensors (1, 7) or (N, 7): poses of sensors
    on the robot; None: at its origin.
    """
    at = np.eye(1, 7) if sensors is None else _poses(sensors, "sensors")
    return _core._landmark_3d_batch(_rows(measurements, "measurements"), _upper(information, 3), at)


def prior(means: ArrayLike, information: ArrayLike | None = None) -> _core.CostBatch:
    """Parameters minus means (N, n), weighed by inverse covariances (n, n) or (N, n, n)."""
    rows = _rows(means, "means")
    return _core._prior_batch(rows, _upper(information, rows.shape[1]), rows.shape[1])


def point_to_plane(points: ArrayLike, planes: ArrayLike, *, sigma: float = 1.0) -> _core.CostBatch:
    """Distances of points (N, 3), moved by a pose of 7 numbers, from planes.

    planes (N, 4) or (1, 4): unit normal n and d of n'x = d.
    """
    return _core._point_to_plane_batch(_rows(points, "points"), _rows(planes, "planes"), _sigma(sigma))


def compiled(
    function: Any, num_residuals: int, parameter_block_sizes: list[int], data: ArrayLike, jac: bool = True
) -> _core.CostBatch:
    """Compiled code; see `Problem.add_compiled`."""
    from ._problem import _address

    return _core._compiled_batch(
        _address(function), num_residuals, parameter_block_sizes, _rows(data, "data"), jac, function
    )


def _sigma(sigma: float) -> float:
    number = real_numbers(sigma, "sigma")
    if number.ndim != 0 or not 0.0 < number < np.inf or np.isinf(1.0 / float(number)):
        raise ValueError(f"sigma: expected a finite number > 0, got {sigma!r:.80}.")
    return float(number)


def _rows(values: ArrayLike, name: str) -> Any:
    array = np.asarray(real_numbers(values, name), order="C")
    if array.ndim != 2:
        raise ValueError(f"{name}: expected an array with 2 dimensions, got shape {array.shape}.")
    return array


def _poses(values: ArrayLike, name: str) -> Any:
    """Rows with a unit quaternion, up to 1 % as in the factors of C++."""
    rows = _rows(values, name)
    norms = np.linalg.norm(rows[:, :4], axis=1)
    for i in np.flatnonzero(~(np.abs(norms - 1.0) <= 0.01))[:1]:
        raise ValueError(f"{name}: row {i} begins with a quaternion of norm {norms[i]:.6g}, expected 1.")
    return rows


def _upper(information: ArrayLike | None, n: int) -> Any:
    """Upper triangular U with U'U = information, one row of n * n numbers per matrix."""
    if information is None:
        return np.eye(n).reshape(1, n * n)
    matrices = real_numbers(information, "information")
    if matrices.ndim == 2:
        matrices = matrices[None]
    if matrices.ndim != 3 or matrices.shape[1:] != (n, n):
        raise ValueError(f"information: expected shape ({n}, {n}) or (N, {n}, {n}), got {matrices.shape}.")
    for i in np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))[:1]:
        raise ValueError(f"information: matrix {i} has a number that is not finite.")
    difference = np.abs(matrices - matrices.swapaxes(1, 2)).max(axis=(1, 2))
    for i in np.flatnonzero(difference > 1e-9 * np.abs(matrices).max(axis=(1, 2)))[:1]:
        raise ValueError(f"information: matrix {i} is not symmetric. Pass (A + A.T) / 2.")
    try:
        lower = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return _semidefinite_upper(matrices, n)
    return np.ascontiguousarray(np.swapaxes(lower, 1, 2)).reshape(-1, n * n)


def _semidefinite_upper(matrices: Any, n: int) -> Any:
    """_upper where a matrix is singular: a measurement without effect along some direction."""
    roots = np.array(matrices, dtype=np.float64, order="C")
    for root in roots:
        if n > 6 or not _core._square_root_information(root, n):
            raise ValueError("information: the matrices must be positive definite, or semidefinite with up to 6 rows.")
    return roots.reshape(-1, n * n)
