# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Diagnoses: which directions are undetermined, and what nothing checks."""

import copy
import json
import pickle
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
