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
EDGE_SE2 7 3 1 0 0 11 2 3 14 5 16
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
    np.testing.assert_array_equal(graph.information[0], [[11, 2, 3], [2, 14, 5], [3, 5, 16]])


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


def test_broken_bal_numbers_are_named(tmp_path):
    path = tmp_path / "broken.txt"
    for text, message in [
        ("1 1 1\n0 0 nan 2.0\n" + "0 " * 12, r":2: token 6: .*\"nan\""),
        ("1 1 1\n0 0 1 2.0\n" + "0 " * 11 + "inf", r":3: token 19: .*\"inf\""),
        ("1 1 1\n0.0 0 1 2.0\n" + "0 " * 12, "an integer, found"),
        ("-1 1 1\n", "found \"-1\""),
        ("1 1000000000000 1\n0 0 1.0 2.0\n", "1000000000000"),
        ("1 1 1\n0 0 1D0 2.0\n" + "0 " * 12, "1D0"),
        ("1 1 1\n0 0 1,5 2.0\n" + "0 " * 12, "1,5"),
    ]:
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            io.read_bal(path)
    with pytest.raises(FileNotFoundError):
        io.read_bal(tmp_path / "absent.txt")


def test_writers_refuse_what_readers_would(tmp_path, rng):
    good = io.BalProblem(np.ones((1, 9)), np.ones((1, 3)), np.array([0]), np.array([0]), np.ones((1, 2)))
    path = tmp_path / "problem.txt"
    io.write_bal(path, good)
    before = path.read_bytes()
    for bad in [
        good._replace(points=np.array([[1.0, np.nan, 2.0]])),
        good._replace(point_index=np.array([1])),
        good._replace(camera_index=np.array([-1])),
        good._replace(camera_index=np.array([0.0])),
        good._replace(cameras=np.ones((1, 10))),
    ]:
        with pytest.raises(ValueError):
            io.write_bal(path, bad)
    with pytest.raises(OSError):
        io.write_bal(tmp_path / "no" / "folder.txt", good)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


RICH_2D = """# title
VERTEX_SE2 8646911284551352320 0 0 0  # x0
FIX 8646911284551352320
VERTEX_SE2 1645005900600844860 1.1 0.1 0.2
VERTEX_XY 5 1 2
EDGE_SE2 8646911284551352320 1645005900600844860 1 0 0 0 0 0 0 0 0
EDGE_SE2_XY 1645005900600844860 5 1 2 9 1 8
EDGE_BEARING_SE2_XY 8646911284551352320 5 0.5 4
BR 8646911284551352320 5 0.5 2 0.1 0.25
EDGE_PRIOR_SE2 1645005900600844860 1 2 3 1 0 0 1 0 1
EDGE_PRIOR_XY 5 1 2 1 0 1
EDGE_PRIOR_SE2_XY 1645005900600844860 1 2 1 0 1"""

RICH_3D = """VERTEX_SE3:QUAT 0 1 2 3 0 0 0 2
VERTEX_TRACKXYZ 9 1 2 4
EDGE_SE3_TRACKXYZ 0 9 7 1 2 3 1 0 0 1 0 1
PARAMS_SE3OFFSET 7 1 0 0 0 0 1 0
EDGE_SE3_PRIOR 0 7 0 0 1 0 0 0 1 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1
"""


def test_g2o_keeps_ids_landmarks_priors_and_fixed_vertices(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_bytes(b"\xef\xbb\xbf" + RICH_2D.replace("\n", "\r\n").encode())
    graph = io.read_g2o(path)
    assert graph.ids.tolist() == [8646911284551352320, 1645005900600844860]
    assert graph.ids.dtype == np.int64 and graph.fixed.tolist() == [True, False]
    assert graph.landmark_ids.tolist() == [5] and graph.landmarks.tolist() == [[1, 2]]
    np.testing.assert_array_equal(graph.information[0], np.zeros((3, 3)))
    edges = graph.landmark_edges
    assert (edges.i.tolist(), edges.j.tolist(), edges.offsets.tolist()) == ([1], [0], [-1])
    np.testing.assert_array_equal(edges.information[0], [[9, 1], [1, 8]])
    assert graph.bearings.measurements.tolist() == [[0.5]]
    np.testing.assert_allclose(graph.bearings_and_ranges.information[0], [[100, 0], [0, 16]])
    assert graph.pose_priors.i.tolist() == [1] and graph.pose_priors.j.tolist() == [-1]
    assert graph.landmark_priors.i.tolist() == [0] and graph.position_priors.i.tolist() == [1]


def test_g2o_in_space_with_a_sensor(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_text(RICH_3D)
    graph = io.read_g2o(path)
    assert graph.offset_ids.tolist() == [7]
    np.testing.assert_array_equal(graph.offsets, [[0, 0, 0, 1, 1, 0, 0]])
    assert graph.landmark_edges.offsets.tolist() == [0]
    assert graph.pose_priors.information.shape == (1, 6, 6)


@pytest.mark.parametrize("text", [RICH_2D, RICH_3D, G2O_2D, G2O_3D])
def test_g2o_is_given_back(tmp_path, text):
    path, out = tmp_path / "graph.g2o", tmp_path / "out.g2o"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    graph = io.read_g2o(path)
    io.write_g2o(out, graph)
    assert out.read_bytes() == path.read_bytes()
    graph.poses[0, -1] = 1 / 3
    io.write_g2o(out, graph)
    before, after = (p.read_bytes().splitlines() for p in (path, out))
    assert sum(a != b for a, b in zip(before, after)) == 1 and len(before) == len(after)
    assert io.read_g2o(out).poses[0, -1] == 1 / 3
    # Without the text, or with a changed edge, all is written anew.
    for changed in [graph._replace(text=b""), graph._replace(fixed=~graph.fixed)]:
        io.write_g2o(out, changed)
        again = io.read_g2o(out)
        for a, b in zip(again[:-1], changed[:-1]):
            for x, y in zip(a, b) if isinstance(a, io.Edges) else [(a, b)]:
                np.testing.assert_allclose(x, y, rtol=1e-15)


def test_a_graph_from_arrays_is_written(tmp_path):
    path = tmp_path / "graph.g2o"
    graph = io.PoseGraph(
        np.zeros((2, 3)), np.array([3, 4]), np.array([0]), np.array([1]), np.ones((1, 3)), np.eye(3)[None]
    )
    io.write_g2o(path, graph)
    assert path.read_text() == (
        "VERTEX_SE2 3 0 0 0\nVERTEX_SE2 4 0 0 0\nEDGE_SE2 3 4 1 1 1 1 0 0 1 0 1\n"
    )
    for bad in [
        graph._replace(j=np.array([2])),
        graph._replace(ids=np.array([3, 3])),
        graph._replace(poses=np.array([[0, 0, 0], [0, np.nan, 0]])),
        graph._replace(information=np.eye(2)[None]),
        graph._replace(fixed=np.array([True])),
        graph._replace(ids=np.array([3.0, 4.0])),
    ]:
        with pytest.raises(ValueError):
            io.write_g2o(path, bad)


def test_g2o_of_edges_only_is_initialized_on_request(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_text("EDGE_SE2 0 1 1 0 0 1 0 0 1 0 1\nEDGE_SE2 1 2 1 0 0 1 0 0 1 0 1\n")
    with pytest.raises(ValueError, match="names the pose 0"):
        io.read_g2o(path)
    np.testing.assert_array_equal(io.read_g2o(path, initialize=True).poses[:, 0], [0, 1, 2])


def test_g2o_drops_couplings_of_indefinite_matrices_on_request(tmp_path):
    path = tmp_path / "graph.g2o"
    path.write_text("VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\nEDGE_SE2 0 1 1 0 0 4 1 9 5 0 2\n")
    with pytest.raises(ValueError, match="drop_indefinite_couplings"):
        io.read_g2o(path)
    graph = io.read_g2o(path, drop_indefinite_couplings=True)
    np.testing.assert_array_equal(graph.information[0], [[4, 1, 0], [1, 5, 0], [0, 0, 2]])


def test_bundler_round_trip(tmp_path):
    path, out = tmp_path / "bundle.out", tmp_path / "out.out"
    path.write_text(
        "# Bundle file v0.3\n1 1\n500 0.1 -0.2\n0 -1 0\n1 0 0\n0 0 1\n1 2 3\n7 8 9\n255 0 10\n1 0 11 1.5 -2.5\n"
    )
    scene = io.read_bundler(path)
    np.testing.assert_allclose(scene.problem.cameras[0], [0, 0, np.pi / 2, 1, 2, 3, 500, 0.1, -0.2], atol=1e-15)
    assert scene.keys.tolist() == [11] and scene.colors.tolist() == [[255, 0, 10]]
    scene.problem.points[0] = [1 / 3, 2, 3]
    io.write_bundler(out, scene)
    again = io.read_bundler(out)
    np.testing.assert_array_equal(again.problem.points, scene.problem.points)
    path.write_text(path.read_text()[:60])
    with pytest.raises(ValueError, match="the file ends here|too short"):
        io.read_bundler(path)


def test_colmap_round_trip(tmp_path):
    (tmp_path / "cameras.txt").write_text("1 SIMPLE_RADIAL 640 480 500 320 240 0.1\n")
    (tmp_path / "images.txt").write_text("3 1 0 0 0 1 2 3 1 a b.jpg\n1.5 2.5 18446744073709551614 3 4 -1\n")
    (tmp_path / "points3D.txt").write_text("18446744073709551614 1 2 3 10 20 30 0.5 3 0\n")
    model = io.read_colmap(tmp_path)
    assert model.cameras[0].model == "SIMPLE_RADIAL" and model.images[0].name == "a b.jpg"
    assert model.images[0].points.tolist() == [0, -1] and model.tracks[0].tolist() == [[0, 0]]
    assert model.point_ids.dtype == np.uint64 and int(model.point_ids[0]) == 2**64 - 2
    model.points[0] = [1 / 3, 2, 3]
    io.write_colmap(tmp_path / "out", model)
    again = io.read_colmap(tmp_path / "out")
    np.testing.assert_array_equal(again.points, model.points)
    assert again.images[0].key_points.tolist() == [[1.5, 2.5], [3, 4]]
    with pytest.raises(FileNotFoundError):
        io.read_colmap(tmp_path / "absent")
    (tmp_path / "cameras.txt").write_text("1 FOV 640 480 500 320 240 0.1\n")
    with pytest.raises(ValueError, match="cameras.txt:1: .*FOV"):
        io.read_colmap(tmp_path)


def graph_problem(graph):
    """A problem of the graph in the plane: relative poses and landmarks."""
    problem = vesta.Problem()
    problem.add_costs(
        costs.pose_graph_2d(graph.measurements, graph.information), [(graph.poses, graph.i), (graph.poses, graph.j)]
    )
    seen = graph.landmark_edges
    if len(seen.i):
        problem.add_costs(
            costs.landmark_2d(seen.measurements, seen.information),
            [(graph.poses, seen.i), (graph.landmarks, seen.j)],
        )
    problem.set_parameter_block_constant(graph.poses[graph.fixed][0] if graph.fixed.any() else graph.poses[0])
    return problem


@pytest.mark.parametrize(
    "name, cost",
    [
        ("ring", 2.411288),
        ("ring_landmarks", 70.32031),
        ("ring_zero_information", 1.821953),
        ("ring_gtsam_keys", 2.411288),
        ("ring_timestamp_ids", 2.411288),
        ("ring_bom", 2.411288),
    ],
)
def test_graphs_of_other_programs_have_the_right_costs(data_folder, name, cost):
    path = data_folder / "field" / f"{name}.g2o"
    if not path.exists():
        pytest.skip(f"no {path}")
    graph = io.read_g2o(path)
    summary = graph_problem(graph).solve(max_num_iterations=200, function_tolerance=1e-12)
    assert summary.final_cost == pytest.approx(cost, rel=1e-6)


def test_landmarks_in_space_are_seen_from_the_sensor():
    # The body at (1, 2, 3) is turned by 90 degrees about z; the sensor is 1 ahead.
    r = np.sqrt(0.5)
    poses, landmarks = np.array([[r, 0, 0, r, 1, 2, 3.0]]), np.array([[0.0, 0.0, 0.0]])
    problem = vesta.Problem()
    sensor = np.array([[1, 0, 0, 0, 1, 0, 0.0]])
    index = np.array([0])
    problem.add_costs(costs.landmark_3d(np.array([[2.0, 0, 0]]), None, sensor), [(poses, index), (landmarks, index)])
    problem.set_parameter_block_constant(poses[0])
    problem.solve()
    np.testing.assert_allclose(landmarks[0], [1, 5, 3], atol=1e-9)


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
