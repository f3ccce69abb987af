# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Diagnoses: which directions are undetermined, and what nothing checks."""

import copy
import json
import os
import pickle
import signal
import warnings

import numpy as np
import pytest

import vesta
from vesta import costs


def differences(x, pairs, measured):
    problem = vesta.Problem()
    first, second = np.array(pairs).T
    problem.add_batch(lambda a, b, d: b - a - d, [(x, first), (x, second)], np.array(measured, dtype=float).reshape(len(pairs), -1))
    return problem


def test_the_translation_of_differences_is_undetermined():
    x = np.zeros((4, 2))
    problem = differences(x, [(0, 1), (1, 2), (2, 3), (3, 0)], np.ones((4, 2)))
    diagnosis = problem.diagnose({"corner": x})
    assert diagnosis.status == "kComplete" and not diagnosis.is_determined
    assert diagnosis.num_coordinates == 8 and diagnosis.rank == 6
    for axis, direction in enumerate(diagnosis.undetermined):
        assert direction.kind == "kGaugeTranslation"
        assert [(entry.parameter_block, entry.coordinate) for entry in direction.entries] == [
            (f"corner[{i}]", axis) for i in range(4)
        ]
        np.testing.assert_allclose([entry.value for entry in direction.entries], 1.0, rtol=1e-12)
    assert "corner[0]" in repr(diagnosis) and "Set one position constant" in repr(diagnosis)
    problem.set_parameter_block_constant(x[0])
    assert problem.diagnose().is_determined


def test_an_array_of_one_dimension_has_its_name():
    a, b = np.array([1.0]), np.array([2.0])
    problem = vesta.Problem()
    for t in (1.0, 2.0, 3.0):
        problem.add_residual_block(
            vesta.AutoDiffCostFunction(lambda a, b, t=t: (a + b) * t - 1.0, 1, [1, 1]), None, a, b
        )
    direction = problem.diagnose({"a": a, "b": b}).undetermined[0]
    assert direction.kind == "kCombination"
    assert [entry.parameter_block for entry in direction.entries] == ["a", "b"]
    assert direction.entries[0].value == pytest.approx(-direction.entries[1].value)
    # Without names, the index in the problem.
    assert [entry.parameter_block for entry in problem.diagnose().undetermined[0].entries] == [
        "parameter block 0",
        "parameter block 1",
    ]


def test_redundancy_of_measured_differences():
    x = np.zeros((3, 1))
    problem = differences(x, [(0, 1), (0, 1), (1, 2)], [[1.0], [1.0], [2.0]])
    problem.solve()
    assert problem.diagnose().residual_blocks == []
    checks = problem.diagnose(compute_redundancy=True).residual_blocks
    np.testing.assert_allclose([check.redundancy for check in checks], [0.5, 0.5, 0.0], atol=1e-12)
    assert [check.is_unchecked for check in checks] == [False, False, True]
    assert checks[2].smallest_detectable_error == np.inf
    assert checks[0].smallest_detectable_error == pytest.approx(4.1321 * 2**0.5, abs=1e-3)


def test_mistakes_are_named():
    x = np.zeros((2, 1))
    problem = differences(x, [(0, 1)], [[1.0]])
    with pytest.raises(ValueError, match="num_threads"):
        problem.diagnose(num_threads=0)
    diagnosis = problem.diagnose(weak_ratio=2.0)
    assert diagnosis.status == "kFailed" and "weak_ratio" in diagnosis.message
    with pytest.raises(TypeError):
        problem.diagnose({"x": [1.0]})


def test_values_that_are_not_finite_are_an_answer():
    x = np.zeros((1, 1))
    problem = vesta.Problem()
    problem.add_batch(lambda a: a * np.nan, [(x, np.array([0]))])
    diagnosis = problem.diagnose()
    assert diagnosis.status == "kNotEvaluated"
    assert diagnosis.message and diagnosis.message in repr(diagnosis)


def test_all_data_are_in_json():
    x = np.zeros((2, 1))
    diagnosis = differences(x, [(0, 1)], [[1.0]]).diagnose(compute_redundancy=True)
    assert json.loads(json.dumps(diagnosis.json)) == diagnosis.json
    assert len(diagnosis.json["undetermined"]) == 1


@pytest.mark.parametrize("sparse", [False, True])
def test_a_result_of_least_squares_is_diagnosed(sparse):
    t = np.linspace(0.0, 1.0, 6)

    def jac(p):
        matrix = np.stack([t, t, np.ones(6)], axis=1)
        if not sparse:
            return matrix
        return pytest.importorskip("scipy.sparse").csr_matrix(matrix)

    result = vesta.least_squares(lambda p: (p[0] + p[1]) * t + p[2] - 2.0, [1.0, 0.5, 0.0], jac)
    diagnosis = result.diagnosis(compute_redundancy=True)
    assert diagnosis.rank == 2
    (direction,) = diagnosis.undetermined
    assert [entry.parameter_block for entry in direction.entries] == ["x[0]", "x[1]"]
    assert direction.entries[0].value == pytest.approx(-direction.entries[1].value)
    line = np.stack([t, np.ones(6)], axis=1)
    hat = line @ np.linalg.pinv(line)
    np.testing.assert_allclose([check.redundancy for check in diagnosis.residual_blocks], 1.0 - np.diag(hat), atol=1e-12)
    assert "slope" in repr(result.diagnosis(["slope", "extra", "offset"]))
    with pytest.raises(ValueError, match="names"):
        result.diagnosis(["slope"])


def test_a_result_can_be_copied_and_pickled():
    result = vesta.least_squares(lambda p: [p[0] + p[1] - 1.0, 2.0 * (p[0] + p[1])], [0.0, 0.0])
    assert isinstance(result, vesta.OptimizeResult)
    for other in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.keys() == result.keys()
        assert len(other.diagnosis().undetermined) == 1


def test_bounds_and_losses_of_a_result():
    result = vesta.least_squares(
        lambda p: np.array([p[0] + p[1] - 1.0, 2.0 * (p[0] + p[1])]), [0.1, 0.1], bounds=(0.0, 1.0), loss="huber"
    )
    assert [direction.kind for direction in result.diagnosis().undetermined] == ["kHeldByBound"]


def test_the_warning_of_curve_fit_names_the_direction():
    x = np.linspace(0.0, 1.0, 5)

    def model(x, gain, slope, offset):
        return gain * slope * x + offset

    with pytest.warns(vesta.OptimizeWarning, match="could not be estimated.*gain, slope"):
        vesta.curve_fit(model, x, 2.0 * x + 1.0, p0=[1.0, 1.5, 0.0])
    # Names that the signature does not tell.
    with pytest.warns(vesta.OptimizeWarning, match=r"p\[0\], p\[1\]"):
        vesta.curve_fit(lambda x, *p: p[0] * p[1] * x, x, 2.0 * x, p0=[1.0, 1.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vesta.curve_fit(lambda x, a, b: a * x + b, x, 2.0 * x + 1.0)


def test_priors_hold_a_direction():
    x = np.zeros((2, 1))
    problem = differences(x, [(0, 1)], [[1.0]])
    problem.add_costs(costs.prior(np.zeros((1, 1))), [(x, np.array([0]))])
    diagnosis = problem.diagnose()
    assert diagnosis.is_determined
    assert [direction.kind for direction in diagnosis.held] == ["kHeldByPrior"]


# --- The scene --------------------------------------------------------------------------------------------------------


def polar_chain(n=6):
    """Points in space by longitude, latitude and log of the radius, whose distances are measured: nothing holds the whole."""
    rng = np.random.default_rng(5)
    x = np.stack([rng.uniform(-2, 2, n), rng.uniform(-1, 1, n), rng.uniform(0, 1, n)], axis=1)
    i, j = np.triu_indices(n, 1)

    def position(p):
        r, flat = np.exp(p[:, 2]), np.cos(p[:, 1])
        return np.stack([r * flat * np.cos(p[:, 0]), r * flat * np.sin(p[:, 0]), r * np.sin(p[:, 1])], axis=1)

    def distance(a, b, d):
        difference = position(a) - position(b)
        return np.sqrt(np.sum(difference * difference, axis=1)).reshape(-1, 1) - d

    problem = vesta.Problem()
    problem.add_batch(distance, [(x, i), (x, j)], np.ones((len(i), 1)))
    return problem, x, position


def test_a_scene_names_gauge_freedoms():
    problem, x, position = polar_chain()
    before = x.copy()
    kinds = sorted(d.kind for d in problem.diagnose().undetermined)
    named = problem.diagnose({"point": x}, scene=lambda: position(x))
    np.testing.assert_array_equal(x, before)
    expected = ["kGaugeRotation"] * 3 + ["kGaugeTranslation"] * 3
    assert sorted(d.kind for d in named.undetermined) == expected != kinds
    assert "point[0]" in repr(named)
    poses = problem.diagnose(scene=lambda: vesta.Scene(positions=position(x), edges=[(0, 1)]))
    assert sorted(d.kind for d in poses.undetermined) == expected
    assert repr(problem.diagnose(scene=lambda: position(x), num_threads=3)) == repr(problem.diagnose(scene=lambda: position(x)))


def test_orientations_are_part_of_a_scene():
    """Two poses in the plane with an angle each: their directions make the rotation one of the whole."""
    poses = np.array([[0.0, 0.0, 0.1], [1.0, 0.2, 0.3], [0.5, 1.0, -0.4]])

    def relative(a, b):
        c, s = np.cos(a[:, 2]), np.sin(a[:, 2])
        d = b - a
        return np.stack([c * d[:, 0] + s * d[:, 1] - 1.0, c * d[:, 1] - s * d[:, 0], d[:, 2] - 0.1], axis=1)

    problem = vesta.Problem()
    problem.add_batch(relative, [(poses, np.array([0, 1, 2])), (poses, np.array([1, 2, 0]))])

    def scene():
        zero = np.zeros(3)
        half = poses[:, 2] / 2.0
        return vesta.Scene(
            positions=np.stack([poses[:, 0], poses[:, 1], zero], axis=1),
            orientations=np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1),
        )

    kinds = sorted(d.kind for d in problem.diagnose(scene=scene).undetermined)
    assert kinds == ["kGaugeRotation", "kGaugeTranslation", "kGaugeTranslation"]


def raises():
    raise KeyError("mine")


MISTAKES_OF_SCENES = {
    "no function": (3, TypeError, "scene: expected a function, got int"),
    "exception": (raises, KeyError, "mine"),
    "width of points": (lambda: np.zeros((4, 2)), ValueError, r"`points`: expected shape \(N, 3\), got \(4, 2\)"),
    "None": (lambda: None, ValueError, "`points`: expected shape"),
    "text": (lambda: "abc", TypeError, "`points`: expected an array"),
    "orientations": (lambda: vesta.Scene(positions=np.zeros((2, 3)), orientations=np.zeros((1, 4))), ValueError, "expected 2 rows"),
    "edges": (lambda: vesta.Scene(positions=np.zeros((2, 3)), edges=[(0, 2)]), ValueError, "expected indices of 2 poses"),
    "real edges": (lambda: vesta.Scene(positions=np.zeros((2, 3)), edges=[(0.0, 1.0)]), TypeError, "expected integers"),
    "masked": (lambda: np.ma.masked_invalid([[np.nan, 0.0, 0.0]]), ValueError, "masked"),
}  # fmt: skip


@pytest.mark.parametrize("scene, error, message", MISTAKES_OF_SCENES.values(), ids=MISTAKES_OF_SCENES.keys())
def test_mistakes_in_scenes_are_named(scene, error, message):
    problem, x, _ = polar_chain()
    before = x.copy()
    with pytest.raises(error, match=message):
        problem.diagnose(scene=scene)
    with pytest.raises(error, match=message):
        vesta.HtmlReport(problem, scene=scene)
    np.testing.assert_array_equal(x, before)


def test_an_exception_while_values_are_moved_leaves_them():
    problem, x, position = polar_chain()
    before = x.copy()
    calls = []

    def scene():
        calls.append(not np.array_equal(x, before))
        if len(calls) == 4:
            raise KeyError("mine")
        return position(x)

    with pytest.raises(KeyError, match="mine"):
        problem.diagnose(scene=scene)
    assert calls[-1] and not calls[0]
    np.testing.assert_array_equal(x, before)


def test_ctrl_c_ends_a_diagnosis():
    problem, x, position = polar_chain()
    before = x.copy()
    calls = []

    def scene():
        calls.append(1)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return position(x)

    with pytest.raises(KeyboardInterrupt):
        problem.diagnose(scene=scene)
    np.testing.assert_array_equal(x, before)
    assert problem.diagnose().status == "kComplete"


def test_the_report_draws_the_scene(tmp_path):
    problem, x, position = polar_chain()
    texts = []
    for scene in (None, lambda: position(x)):
        report = vesta.HtmlReport(problem, scene=scene)
        options = vesta.SolverOptions(logging_type="SILENT", max_num_iterations=2)
        report.write(str(tmp_path / "report.html"), options, problem.solve(options))
        texts.append((tmp_path / "report.html").read_text())
    assert "rotation" not in texts[0].lower() or "can be turned together" not in texts[0]
    assert "can be turned together" in texts[1]
    assert len(texts[1]) > len(texts[0])


# --- The variance factor, constraints ---------------------------------------------------------------------------------


def test_the_variance_factor_is_given_or_estimated():
    x = np.full((1, 1), 4.0)
    y = np.array([1.0, 2.0, 4.0, 9.0])
    problem = vesta.Problem()
    problem.add_batch(lambda a, d: a - d, [(x, np.zeros(4, dtype=int))], y.reshape(-1, 1))
    assert problem.diagnose().variance_factor == 0.0
    for given, expected in ((1.0, 1.0), (4.0, 4.0), (0.0, np.var(y, ddof=1))):
        diagnosis = problem.diagnose(compute_redundancy=True, variance_factor=given)
        assert diagnosis.variance_factor == pytest.approx(expected, rel=1e-12)
        deviations = [check.largest_standardized_residual for check in diagnosis.residual_blocks]
        np.testing.assert_allclose(deviations, np.abs(y - y.mean()) / np.sqrt(0.75 * expected), rtol=1e-7)
    assert "variance_factor is -1" in problem.diagnose(variance_factor=-1.0).message
    fit = vesta.least_squares(lambda p: p[0] - y, [0.0])
    estimated = fit.diagnosis(compute_redundancy=True, variance_factor=0.0)
    assert estimated.variance_factor == pytest.approx(np.var(y, ddof=1))


@pytest.mark.parametrize("sparse", [False, True])
def test_constraints_of_a_result_hold_directions(sparse):
    """a and b count as their sum; a constraint tells them apart, another one is not active."""
    optimize = pytest.importorskip("scipy.optimize")
    t = np.linspace(0.0, 1.0, 6)
    matrix = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]])
    if sparse:
        matrix = pytest.importorskip("scipy.sparse").csr_matrix(matrix)
    result = vesta.least_squares(
        lambda p: (p[0] + p[1]) * t + p[2] - 2.0 - t,
        [0.0, 0.0, 0.0],
        jac=lambda p: np.stack([t, t, np.ones(6)], axis=1),
        constraints=[
            optimize.LinearConstraint(matrix, [0.4, -9.0], [0.4, 9.0]),
            optimize.NonlinearConstraint(lambda p: p[0] ** 2, -1.0, 50.0),
        ],
    )
    diagnosis = result.diagnosis(["a", "b", "c"], compute_redundancy=True)
    assert diagnosis.is_determined
    (held,) = diagnosis.held
    assert held.kind == "kHeldByConstraint" and {entry.parameter_block for entry in held.entries} == {"a", "b"}
    assert diagnosis.json["held"][0]["constraints"] == ["constraints[0][0]"]
    # As many degrees of freedom as without: one direction more is determined, by one constraint.
    assert sum(check.redundancy for check in diagnosis.residual_blocks) == pytest.approx(4.0)


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs", "autodiff"])
@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_errors_of_differences_determine_nothing(jac, unit):
    """Only the sum of two offsets has an effect."""
    t = np.linspace(0.0, 5.0, 40)
    y = np.sin(t)
    fit = vesta.least_squares(lambda x: x[0] * t + (x[1] + x[2]) / unit - y, [1.0, unit, unit], jac=jac)
    diagnosis = fit.diagnosis()
    (direction,) = diagnosis.undetermined + diagnosis.weak
    offsets = {entry.parameter_block: entry.value for entry in direction.entries if abs(entry.value) > 1e-3}
    assert set(offsets) == {"x[1]", "x[2]"}
    np.testing.assert_allclose(offsets["x[1]"], -offsets["x[2]"], rtol=1e-6)
    assert fit.diagnosis(weak_ratio=1e-12).weak == []
