# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Readers, and the problems they read."""

import lzma

import numpy as np
import pytest

import vesta
from vesta import costs, io


def test_bal_round_trip(tmp_path, rng):
    problem = io.BalProblem(
        rng.normal(size=(2, 9)), rng.normal(size=(3, 3)), np.array([0, 1, 1]), np.array([2, 0, 1]), rng.normal(size=(3, 2))
    )
    path = tmp_path / "problem.txt"
    io.write_bal(path, problem)
    again = io.read_bal(path)
    for a, b in zip(problem, again):
        np.testing.assert_array_equal(a, b)
    compressed = tmp_path / "problem.txt.xz"
    compressed.write_bytes(lzma.compress(path.read_bytes()))
    np.testing.assert_array_equal(io.read_bal(compressed).points, problem.points)


def test_broken_bal_files_are_named(tmp_path):
    path = tmp_path / "broken.txt"
    for text, message in [
        ("", "ends within the header"),
        ("1 1 1\n0 0 1.0 2.0\n", "expected 19 numbers"),
        ("1 1 one\n", "not a BAL file"),
        ("1 1 1\n0 5 1.0 2.0\n" + "0 " * 12, "index of no camera or point"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=message) as error:
            io.read_bal(path)
        assert "broken.txt" in str(error.value)


G2O_2D = """
VERTEX_SE2 7 0 0 0
VERTEX_SE2 3 1.1 0.1 0.2
EDGE_SE2 7 3 1 0 0 1 2 3 4 5 6
FIX 7
"""

G2O_3D = """
VERTEX_SE3:QUAT 0 1 2 3 0 0 0 2
VERTEX_SE3:QUAT 1 1 2 4 0 0 1 0
EDGE_SE3:QUAT 0 1 0 0 1 0 0 0 1 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1
"""


def test_g2o_in_the_plane(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_text(G2O_2D)
    graph = io.read_g2o(path)
    np.testing.assert_array_equal(graph.ids, [7, 3])
    np.testing.assert_array_equal(graph.poses, [[0, 0, 0], [1.1, 0.1, 0.2]])
    assert (graph.i[0], graph.j[0]) == (0, 1)
    np.testing.assert_array_equal(graph.information[0], [[1, 2, 3], [2, 4, 5], [3, 5, 6]])


def test_g2o_in_space(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_text(G2O_3D)
    graph = io.read_g2o(path)
    np.testing.assert_array_equal(graph.poses, [[1, 0, 0, 0, 1, 2, 3], [0, 0, 0, 1, 1, 2, 4]])
    np.testing.assert_array_equal(graph.measurements[0], [1, 0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(graph.information[0], np.eye(6))


def test_broken_g2o_files_are_named(tmp_path):
    path = tmp_path / "broken.g2o"
    for text, message in [
        ("FIX 0\n", "poses of one kind"),
        ("VERTEX_SE2 0 1\n", ":1: expected 4 numbers, got 2"),
        ("VERTEX_SE2 0 0 0 0\nEDGE_SE2 0 5 1 0 0 1 0 0 1 0 1\n", "names the pose 5"),
        ("VERTEX_SE2 0 0 0 0\nVERTEX_SE2 0 0 0 0\n", "given twice"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            io.read_g2o(path)


def test_bundle_adjustment_of_a_published_problem(data_folder):
    bal = io.read_bal(data_folder / "bal" / "dubrovnik-3-7-pre.txt")
    problem = vesta.Problem()
    problem.add_costs(
        costs.reprojection(bal.observations), [(bal.cameras, bal.camera_index), (bal.points, bal.point_index)]
    )
    summary = problem.solve(linear_solver_type="DENSE_SCHUR", max_num_iterations=200)
    assert summary.final_cost < 0.5 * summary.initial_cost
    # The same residuals by NumPy, through add_batch, have the same minimum.
    again = io.read_bal(data_folder / "bal" / "dubrovnik-3-7-pre.txt")
    batch = vesta.Problem()
    batch.add_batch(
        project, [(again.cameras, again.camera_index), (again.points, again.point_index)], again.observations
    )
    other = batch.solve(linear_solver_type="DENSE_SCHUR", max_num_iterations=200)
    assert other.initial_cost == pytest.approx(summary.initial_cost, rel=1e-10)
    assert other.final_cost == pytest.approx(summary.final_cost, rel=1e-6)


def project(camera, point, observed):
    r = camera[:, :3]
    theta = np.linalg.norm(r, axis=1, keepdims=True)
    k = r / theta
    p = point * np.cos(theta) + np.cross(k, point) * np.sin(theta)
    p = p + k * np.sum(k * point, axis=1, keepdims=True) * (1 - np.cos(theta)) + camera[:, 3:6]
    xy = -p[:, :2] / p[:, 2:]
    r2 = np.sum(xy * xy, axis=1, keepdims=True)
    return camera[:, 6:7] * (1 + r2 * (camera[:, 7:8] + r2 * camera[:, 8:9])) * xy - observed


@pytest.mark.parametrize("name, cost_below", [("tinyGrid3D", 30.0), ("smallGrid3D", 2000.0)])
def test_pose_graph_of_a_published_problem(data_folder, name, cost_below):
    graph = io.read_g2o(data_folder / "pose_graph" / f"{name}.g2o.xz")
    problem = vesta.Problem()
    problem.add_costs(
        costs.pose_graph_3d(graph.measurements, graph.information), [(graph.poses, graph.i), (graph.poses, graph.j)]
    )
    manifold = costs.pose_manifold()
    for pose in graph.poses:
        problem.set_manifold(pose, manifold)
    problem.set_parameter_block_constant(graph.poses[0])
    summary = problem.solve(max_num_iterations=200)
    assert summary.final_cost < cost_below and summary.final_cost < 0.1 * summary.initial_cost
    np.testing.assert_allclose(np.linalg.norm(graph.poses[:, :4], axis=1), 1.0, atol=1e-9)
