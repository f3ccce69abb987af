# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Certificates and global minima of pose graphs."""

import numpy as np
import pytest

import vesta
from vesta import io, pose_graph


def ring(turns, num_poses=20, noise=0.02):
    """A ring of the plane whose poses are turned: a local minimum if turns is not 0."""
    rng = np.random.default_rng(1)
    angles = 2 * np.pi * np.arange(num_poses) / num_poses
    step = 2 * np.pi / num_poses
    poses = np.stack([np.cos(angles), np.sin(angles), angles + turns * angles], axis=1)
    # The next pose seen from each, in the frame of a pose at the angle 0.
    measured = np.array([np.cos(step) - 1, np.sin(step), step]) + noise * rng.normal(size=(num_poses, 3))
    i = np.arange(num_poses)
    information = np.tile(np.eye(3) / noise**2, (num_poses, 1, 1))
    return io.PoseGraph(poses, i, i, (i + 1) % num_poses, measured, information)


def test_a_wrong_map_is_recognized_and_left():
    wrong = pose_graph.certify(ring(1))
    assert wrong.statement == "negative_curvature"
    assert wrong.direction_curvature < 0
    assert wrong.direction.shape == (20, 3)
    solution = pose_graph.solve_globally(ring(1), start="current_values")
    assert solution.certificate.statement == "certified"
    assert solution.certificate.gap <= 1e-8 * solution.certificate.cost
    assert solution.certificate.cost < 0.1 * wrong.stationary_cost
    assert [step.rank for step in solution.steps][0] == 2
    assert len(solution.steps) > 2
    # The result is a map next to the minimum, and a right one from the start stays.
    assert pose_graph.certify(solution.graph).statement in ("certified", "next_to_certified")
    right = pose_graph.solve_globally(ring(0), start="current_values")
    np.testing.assert_allclose(right.geodesic.final_cost, solution.geodesic.final_cost, rtol=1e-5)


@pytest.mark.parametrize("start", pose_graph.STARTS)
def test_all_starts_end_at_the_minimum(start):
    graph = ring(0)
    first = pose_graph.initialize(graph, start=start)
    assert first.start in pose_graph.STARTS
    assert first.graph.poses.shape == graph.poses.shape
    solution = pose_graph.solve_globally(graph, start=start)
    assert solution.certificate.statement == "certified"
    assert solution.certificate.cost <= first.cost * (1 + 1e-9)


def test_what_is_refused_is_named():
    graph = ring(0)
    with pytest.raises(ValueError, match="start = 'best'"):
        pose_graph.initialize(graph, start="best")
    with pytest.raises(ValueError, match="relative_gap"):
        pose_graph.certify(graph, relative_gap=0.0)
    loop = graph._replace(j=np.array([0, *graph.j[1:]]))
    for function in (pose_graph.certify, pose_graph.initialize, pose_graph.solve_globally):
        with pytest.raises(ValueError, match="connects a vertex with itself"):
            function(loop)
    options = vesta.SolverOptions()
    options.callbacks = [lambda summary: None]
    with pytest.raises(ValueError, match="callbacks"):
        pose_graph.certify(graph, options=options)
