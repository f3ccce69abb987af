# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Ready-made cost functions beside formulas in NumPy, and their derivatives beside differences."""

import numpy as np
import pytest

import vesta
from vesta import costs


def rotate(r, x):
    """Rodrigues' formula."""
    theta = np.linalg.norm(r)
    k = r / theta
    return x * np.cos(theta) + np.cross(k, x) * np.sin(theta) + k * (k @ x) * (1 - np.cos(theta))


def rotate_by_quaternion(q, x):
    w, v = q[0], q[1:]
    return x + 2 * w * np.cross(v, x) + 2 * np.cross(v, np.cross(v, x))


def move(pose, x):
    if len(pose) == 6:
        return rotate(pose[:3], x) + pose[3:]
    return rotate_by_quaternion(pose[:4], x) + pose[4:]


def pixel(model, c, p):
    u, v = p[:2] / p[2]
    r2 = u * u + v * v
    if model == "pinhole":
        return np.array([c[0] * u + c[2], c[1] * v + c[3]])
    if model == "simple_radial":
        return c[0] * (1 + c[3] * r2) * np.array([u, v]) + c[1:3]
    if model == "radial":
        return c[0] * (1 + c[3] * r2 + c[4] * r2**2) * np.array([u, v]) + c[1:3]
    if model == "opencv":
        d = 1 + c[4] * r2 + c[5] * r2**2
        return np.array([
            c[0] * (d * u + 2 * c[6] * u * v + c[7] * (r2 + 2 * u * u)) + c[2],
            c[1] * (d * v + c[6] * (r2 + 2 * v * v) + 2 * c[7] * u * v) + c[3],
        ])  # fmt: skip
    t = np.arctan2(np.hypot(p[0], p[1]), p[2])
    d = t * (1 + sum(c[4 + k] * t ** (2 * k + 2) for k in range(4)))
    return c[:2] * d * p[:2] / np.hypot(p[0], p[1]) + c[2:4]


def pose(rng, rotation):
    q = np.array([0.9, *rng.uniform(-0.2, 0.2, 3)])
    t = rng.uniform(-0.2, 0.2, 3)
    return np.concatenate([q / np.linalg.norm(q) if rotation == "quaternion" else rng.uniform(0.1, 0.3, 3), t])


def check_derivatives(batch, row, parameters):
    residuals, jacobians = batch.evaluate(row, *parameters)
    for b, matrix in enumerate(jacobians):
        for c in range(len(parameters[b])):
            h = 1e-6
            values = []
            for sign in (1, -1):
                moved = [p.copy() for p in parameters]
                moved[b][c] += sign * h
                values.append(batch.evaluate(row, *moved)[0])
            expected = (values[0] - values[1]) / (2 * h)
            np.testing.assert_allclose(matrix[:, c], expected, rtol=1e-5, atol=1e-6 * max(1, np.abs(matrix).max()))
    return residuals


INTRINSICS = {
    "pinhole": [500, 510, 320, 240],
    "simple_radial": [500, 320, 240, 0.1],
    "radial": [500, 320, 240, 0.1, -0.05],
    "opencv": [500, 510, 320, 240, 0.1, -0.05, 0.01, -0.02],
    "fisheye": [300, 310, 320, 240, 0.05, -0.02, 0.01, -0.005],
}


@pytest.mark.parametrize("rig", [False, True])
@pytest.mark.parametrize("rotation", ["angle_axis", "quaternion"])
@pytest.mark.parametrize("model", list(INTRINSICS))
def test_reprojection(rng, model, rotation, rig):
    observations = rng.uniform(0, 400, size=(3, 2))
    batch = costs.reprojection(observations, model, rotation=rotation, rig=rig, sigma=2.0)
    assert len(batch) == 3 and batch.num_residuals == 2
    camera, point, c = pose(rng, rotation), np.array([0.3, -0.4, 2.0]), np.array(INTRINSICS[model], dtype=float)
    parameters = [camera, point, c]
    in_camera = move(camera, point)
    if rig:
        sensor = pose(rng, rotation)
        parameters = [camera, sensor, point, c]
        in_camera = move(sensor, in_camera)
    residuals = check_derivatives(batch, 1, parameters)
    np.testing.assert_allclose(residuals, (pixel(model, c, in_camera) - observations[1]) / 2, rtol=1e-10)


@pytest.mark.parametrize("model", list(INTRINSICS))
def test_reprojection_has_the_formula_to_a_few_ulps(rng, model):
    """With a pose that moves nothing there are the rounding errors of the camera model only."""
    c = np.array(INTRINSICS[model], dtype=float)
    points = rng.uniform(-1, 1, size=(100, 3)) + [0, 0, 3]
    batch = costs.reprojection(np.zeros((100, 2)), model)
    expected = np.array([pixel(model, c, p) for p in points])
    residuals = np.array([batch.evaluate(i, np.zeros(6), p, c)[0] for i, p in enumerate(points)])
    assert np.max(np.abs(residuals - expected) / np.max(np.abs(expected), axis=1, keepdims=True)) < 4 * np.finfo(float).eps


def test_batches_copy_their_data(rng):
    means, information = rng.normal(size=(4, 3)), np.stack([np.eye(3)] * 4)
    x = rng.normal(size=(4, 3))
    problem = vesta.Problem()
    problem.add_costs(costs.prior(means, information), [(x, np.arange(4))])
    before = problem.evaluate().cost
    means += 1.0
    information *= 2.0
    assert problem.evaluate().cost == before


@pytest.mark.parametrize("sigma", [0, -1, np.nan, np.inf, 1e-310])
def test_sigmas_that_have_no_reciprocal_are_refused(sigma):
    with pytest.raises(ValueError, match="sigma: expected a finite number > 0"):
        costs.reprojection(np.zeros((1, 2)), sigma=sigma)
    with pytest.raises(ValueError, match="sigma: expected a finite number > 0"):
        costs.point_to_plane(np.zeros((1, 3)), np.ones((1, 4)), sigma=sigma)


def test_bal_model(rng):
    observations = rng.uniform(-100, 100, size=(2, 2))
    batch = costs.reprojection(observations)
    camera = np.concatenate([rng.uniform(0.1, 0.3, 6), [500, 0.1, 0.01]])
    point = np.array([0.3, -0.4, -2.0])
    p = move(camera[:6], point)
    xy = -p[:2] / p[2]
    r2 = xy @ xy
    expected = camera[6] * (1 + camera[7] * r2 + camera[8] * r2**2) * xy - observations[1]
    np.testing.assert_allclose(check_derivatives(batch, 1, [camera, point]), expected, rtol=1e-10)


def test_fisheye_on_the_axis_and_beside_the_camera():
    batch = costs.reprojection([[0.0, 0.0]], "fisheye")
    c = np.array(INTRINSICS["fisheye"], dtype=float)
    still = np.zeros(6)
    residuals = check_derivatives(batch, 0, [still, np.array([0.0, 0.0, 2.0]), c])
    np.testing.assert_allclose(residuals, c[2:4])
    beside, _ = batch.evaluate(0, still, np.array([1.0, 0.5, -0.2]), c)
    np.testing.assert_allclose(beside, pixel("fisheye", c, np.array([1.0, 0.5, -0.2])), rtol=1e-12)


def test_point_behind_a_pinhole_cannot_be_evaluated():
    batch = costs.reprojection([[0.0, 0.0]], "pinhole")
    with pytest.raises(ValueError, match="cannot be evaluated"):
        batch.evaluate(0, np.zeros(6), np.array([0.0, 0.0, -1.0]), np.array(INTRINSICS["pinhole"], dtype=float))


def test_pose_graph_2d(rng):
    measured = rng.normal(size=(2, 3))
    root = rng.normal(size=(3, 3))
    information = root @ root.T + np.eye(3)
    batch = costs.pose_graph_2d(measured, information)
    a, b = np.array([1.0, 2.0, 0.5]), np.array([0.5, -1.0, 6.0])
    residuals = check_derivatives(batch, 1, [a, b])
    c, s = np.cos(a[2]), np.sin(a[2])
    d = np.array([[c, s], [-s, c]]) @ (b[:2] - a[:2]) - measured[1, :2]
    angle = (b[2] - a[2] - measured[1, 2] + np.pi) % (2 * np.pi) - np.pi
    error = np.array([*d, angle])
    assert residuals @ residuals == pytest.approx(error @ information @ error)


def test_pose_graph_3d(rng):
    a, b, m = (pose(rng, "quaternion") for _ in range(3))
    root = rng.normal(size=(6, 6))
    information = root @ root.T + np.eye(6)
    batch = costs.pose_graph_3d([m, m], np.stack([np.eye(6), information]))
    residuals = check_derivatives(batch, 1, [a, b])
    conjugate = np.array([1, -1, -1, -1.0])

    def product(p, q):
        return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])

    translation = rotate_by_quaternion(conjugate * a[:4], b[4:] - a[4:]) - m[4:]
    rotation = product(conjugate * m[:4], product(conjugate * a[:4], b[:4]))
    error = np.array([*translation, *(2 * np.sign(rotation[0]) * rotation[1:])])
    assert residuals @ residuals == pytest.approx(error @ information @ error)
    minus_b = b.copy()
    minus_b[:4] *= -1
    np.testing.assert_allclose(batch.evaluate(1, a, minus_b)[0], residuals, rtol=1e-12)


def test_point_to_plane_aligns_a_scan(rng):
    normals = rng.normal(size=(60, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    world = rng.normal(size=(60, 3))
    planes = np.column_stack([normals, np.sum(normals * world, axis=1)])
    truth = pose(rng, "quaternion")
    inverse = np.array([1, -1, -1, -1]) * truth[:4]
    local = np.array([rotate_by_quaternion(inverse, x - truth[4:]) for x in world])
    estimate = np.array([[1.0, 0, 0, 0, 0, 0, 0]])
    problem = vesta.Problem()
    batch = costs.point_to_plane(local, planes, sigma=0.1)
    check_derivatives(batch, 5, [truth])
    problem.add_costs(batch, [(estimate, 0)])
    problem.set_manifold(estimate, costs.pose_manifold())
    problem.solve()
    np.testing.assert_allclose(estimate[0], truth, atol=1e-6)


def test_prior_is_weighed_by_information(rng):
    x = rng.normal(size=(4, 3))
    means = rng.normal(size=(4, 3))
    root = rng.normal(size=(3, 3))
    information = root @ root.T + np.eye(3)
    problem = vesta.Problem()
    problem.add_costs(costs.prior(means, information), [(x, np.arange(4))])
    expected = 0.5 * sum(d @ information @ d for d in x - means)
    assert problem.evaluate().cost == pytest.approx(expected)


def test_shared_intrinsics_are_estimated(rng):
    """Four cameras with one row of intrinsics: the focal length is found."""
    truth = np.array([[500.0, 500.0, 320.0, 240.0]])
    poses = np.array([pose(rng, "angle_axis") for _ in range(4)])
    points = rng.uniform(-1, 1, size=(30, 3)) + [0, 0, 4]
    i, j = (index.ravel() for index in np.meshgrid(np.arange(4), np.arange(30), indexing="ij"))
    observed = np.array([pixel("pinhole", truth[0], move(poses[a], points[b])) for a, b in zip(i, j)])
    intrinsics = truth.copy()
    intrinsics[0, :2] = 450.0
    problem = vesta.Problem()
    problem.add_costs(
        costs.reprojection(observed, "pinhole"), [(poses, i), (points, j), (intrinsics, np.zeros(120, dtype=int))]
    )
    for row in poses:
        problem.set_parameter_block_constant(row)
    summary = problem.solve(linear_solver_type="DENSE_SCHUR", max_num_iterations=100)
    assert summary.final_cost < 1e-8
    np.testing.assert_allclose(intrinsics, truth, rtol=1e-5)


MATRICES = {"pose_graph_2d": (3, 3), "pose_graph_3d": (7, 6), "landmark_2d": (2, 2), "landmark_3d": (3, 3)}


@pytest.mark.parametrize("name", list(MATRICES))
def test_one_matrix_for_all_rows_has_the_bits_of_a_matrix_per_row(rng, name):
    numbers, m = MATRICES[name]
    sizes = {"pose_graph_2d": (3, 3), "pose_graph_3d": (7, 7), "landmark_2d": (3, 2), "landmark_3d": (7, 3)}[name]
    measurements = rng.normal(size=(40, numbers))
    if numbers == 7:
        measurements[:, :4] /= np.linalg.norm(measurements[:, :4], axis=1, keepdims=True)
    root = rng.normal(size=(m, m))
    information = root @ root.T + np.eye(m)
    blocks = [rng.normal(size=(40, size)) for size in sizes]
    values = []
    for matrices in (information, np.stack([information] * 40)):
        problem = vesta.Problem()
        problem.add_costs(getattr(costs, name)(measurements, matrices), [(x, np.arange(40)) for x in blocks])
        result = problem.evaluate(residuals=True, gradient=True, jacobian=True)
        values.append([result.residuals, result.gradient])
    np.testing.assert_array_equal(values[0][0], values[1][0])
    np.testing.assert_array_equal(values[0][1], values[1][1])
    # A matrix of its own for one row changes this row.
    matrices = np.stack([information] * 40)
    matrices[7] *= 4.0
    problem = vesta.Problem()
    problem.add_costs(getattr(costs, name)(measurements, matrices), [(x, np.arange(40)) for x in blocks])
    expected = values[0][0].reshape(40, m).copy()
    expected[7] *= 2.0
    np.testing.assert_allclose(problem.evaluate(residuals=True).residuals.reshape(40, m), expected, rtol=1e-12)


def scene_of(rng, num_rows):
    cameras = np.tile([0.1, -0.2, 0.05, 0.0, 0.0, -5.0, 500.0, 0.01, 0.001], (6, 1)) + 1e-3 * rng.normal(size=(6, 9))
    points = rng.normal(size=(50, 3))
    return cameras, points, rng.integers(0, 5, num_rows), rng.integers(0, 49, num_rows)


def test_blocks_that_no_row_uses_are_no_parameter_blocks(rng):
    cameras, points, i, j = scene_of(rng, 30)
    problem = vesta.Problem()
    problem.add_costs(costs.reprojection(np.zeros((30, 2))), [(cameras, i), (points, j)])
    assert problem.num_parameter_blocks() == len(set(i)) + len(set(j))
    assert not problem.has_parameter_block(cameras[5])


@pytest.mark.parametrize("num_rows", [0, 1, 63, 64, 65, 1000])
def test_rows_do_not_depend_on_their_number_or_on_threads(rng, num_rows):
    cameras, points, i, j = scene_of(rng, num_rows)
    observations = rng.normal(size=(num_rows, 2))
    batch = costs.reprojection(observations, sigma=0.5)
    expected = [batch.evaluate(row, cameras[i[row]], points[j[row]])[0] for row in range(num_rows)]
    observations += 1.0  # The batch has copied them.
    solutions = []
    for threads in (1, 2, 4, 8):
        moved = cameras.copy()
        problem = vesta.Problem()
        rows = problem.add_costs(batch, [(moved, i), (points.copy(), j)], loss=vesta.HuberLoss(1e3))
        assert len(rows) == num_rows
        np.testing.assert_array_equal(
            problem.evaluate(residuals=True, apply_loss_function=False).residuals, np.reshape(expected, -1)
        )
        if num_rows == 1000:
            problem.remove_residual_block(rows[5])
            with pytest.raises(ValueError, match="was removed"):
                problem.remove_residual_block(rows[5])
            problem.solve(num_threads=threads, max_num_iterations=5)
            solutions.append(moved)
    for solution in solutions:
        np.testing.assert_array_equal(solution, solutions[0])


def test_rows_that_cannot_be_evaluated_are_named(rng):
    cameras, points, i, j = scene_of(rng, 30)
    observations = np.zeros((30, 2))
    observations[17, 1] = np.nan
    problem = vesta.Problem()
    problem.add_costs(costs.reprojection(observations), [(cameras, i), (points, j)])
    message = problem.solve().message
    assert "row 17 of residual batch 0" in message and "residual 1 is nan" in message


def test_more_residuals_than_a_problem_can_have_are_refused():
    function, x = 1, np.zeros((1, 1))
    batch = costs.compiled(function, 2**20, [1], np.zeros((2048, 1)))
    with pytest.raises(ValueError, match=r"2048 rows of 1048576 residuals are too many"):
        vesta.Problem().add_costs(batch, [(x, np.zeros(2048, dtype=int))])


@pytest.mark.parametrize(
    "values",
    [np.zeros((3, 2)) * 1j, np.zeros(3, dtype=[("u", float), ("v", float)]), [["a", "b"]], [[1.0, 2.0], [1.0]]],
    ids=["complex", "structured", "text", "ragged"],
)
def test_data_that_are_no_real_numbers_are_named(values):
    for make in (costs.reprojection, costs.prior, costs.landmark_2d):
        with pytest.raises(TypeError, match="(observations|means|measurements): expected (real )?numbers"):
            make(values)
    with pytest.raises(TypeError, match="information: expected (real )?numbers"):
        costs.landmark_2d(np.zeros((3, 2)), values)


def test_matrices_and_quaternions_that_have_no_meaning_are_named():
    matrices = np.stack([np.eye(6)] * 4)
    quaternions = np.tile(np.eye(1, 7), (4, 1))
    matrices[2, 0, 1] = 0.5
    with pytest.raises(ValueError, match="information: matrix 2 is not symmetric"):
        costs.pose_graph_3d(quaternions, matrices)
    for value in (np.nan, np.inf):
        matrices[1, 3, 3] = value
        with pytest.raises(ValueError, match="information: matrix 1 has a number that is not finite"):
            costs.pose_graph_3d(quaternions, matrices)
    for q in (0.0, 0.9, np.nan):
        quaternions[3, 0] = q
        with pytest.raises(ValueError, match="measurements: row 3 begins with a quaternion of norm"):
            costs.pose_graph_3d(quaternions)
        with pytest.raises(ValueError, match="sensors: row 3 begins with a quaternion of norm"):
            costs.landmark_3d(np.zeros((4, 3)), sensors=quaternions)


def test_mistakes_are_named(rng):
    with pytest.raises(IndexError, match="row: the batch has 2 rows, got row 2"):
        costs.prior(np.zeros((2, 1))).evaluate(2, np.zeros(1))
    with pytest.raises(ValueError, match="means: the rows are empty"):
        costs.prior(np.zeros((2, 0)))
    with pytest.raises(ValueError, match="num_residuals: expected a number > 0"):
        costs.compiled(1, -1, [1], np.zeros((2, 1)))
    with pytest.raises(TypeError, match="costs: expected a CostBatch"):
        vesta.Problem().add_costs(None, [(np.zeros((2, 1)), [0, 1])])
    with pytest.raises(ValueError, match="model: expected 'bal'"):
        costs.reprojection(np.zeros((1, 2)), "pin")
    with pytest.raises(ValueError, match="observations: expected an array with rows of 2"):
        costs.reprojection(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="sigma"):
        costs.reprojection(np.zeros((1, 2)), sigma=0)
    with pytest.raises(ValueError, match="positive definite"):
        costs.pose_graph_2d(np.zeros((1, 3)), -np.eye(3))
    with pytest.raises(ValueError, match="sqrt_information: expected 1 or 2 rows, got 3"):
        costs.pose_graph_2d(np.zeros((2, 3)), np.stack([np.eye(3)] * 3))
    problem = vesta.Problem()
    batch = costs.reprojection(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"blocks\[0\]\[0\]: expected rows of 9 numbers, got 6"):
        problem.add_costs(batch, [(np.zeros((1, 6)), [0, 0]), (np.zeros((2, 3)), [0, 1])])
    with pytest.raises(ValueError, match="expected 2 pairs"):
        problem.add_costs(batch, [(np.zeros((1, 9)), [0, 0])])
    with pytest.raises(ValueError, match="expected 2 indices, got 1"):
        problem.add_costs(batch, [(np.zeros((1, 9)), [0]), (np.zeros((2, 3)), [0, 1])])
