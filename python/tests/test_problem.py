# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Problems of single residual blocks: closed forms, lifetimes, mistakes."""

import gc
import logging
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest

import vesta

# The solver damps its steps: a linear problem takes several.
TIGHT = dict(function_tolerance=1e-16, gradient_tolerance=1e-14, parameter_tolerance=1e-14)


class Difference(vesta.CostFunction):
    """x - y, or x - target."""

    def __init__(self, size, target=None):
        super().__init__(size, [size] if target is not None else [size, size])
        self.target = target

    def evaluate(self, parameters, residuals, jacobians):
        other = parameters[1] if self.target is None else self.target
        residuals[:] = parameters[0] - other
        for sign, matrix in zip((1.0, -1.0), jacobians or ()):
            if matrix is not None:
                matrix[:] = sign * np.eye(len(residuals))
        return True


def test_solution_is_written_to_the_array():
    x = np.zeros(3)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(3, np.array([1.0, 2.0, 3.0])), None, x)
    summary = problem.solve(**TIGHT)
    np.testing.assert_allclose(x, [1, 2, 3], rtol=1e-12)
    assert summary.termination_type == vesta.TerminationType.CONVERGENCE
    assert summary.is_solution_usable
    assert summary.num_residuals == 3
    assert summary.initial_cost == pytest.approx(7.0)


def test_two_priors_meet_in_the_weighted_mean():
    x, y = np.zeros(2), np.zeros(2)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(2, np.array([3.0, 0.0])), None, x)
    problem.add_residual_block(Difference(2, np.array([0.0, 3.0])), None, y)
    problem.add_residual_block(Difference(2), None, [x, y])
    problem.solve(linear_solver_type="dense_qr", **TIGHT)
    # Minimum of (x - a)^2 + (y - b)^2 + (x - y)^2: x = (2 a + b) / 3.
    np.testing.assert_allclose(x, [2, 1], rtol=1e-9)
    np.testing.assert_allclose(y, [1, 2], rtol=1e-9)


def test_constant_block_keeps_its_value():
    x, y = np.ones(1), np.zeros(1)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(1), None, x, y)
    problem.set_parameter_block_constant(x)
    assert problem.is_parameter_block_constant(x)
    problem.solve(**TIGHT)
    assert x[0] == 1.0 and y[0] == pytest.approx(1.0)
    problem.set_parameter_block_variable(x)
    assert not problem.is_parameter_block_constant(x)


def test_bounds_are_kept():
    x = np.zeros(2)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(2, np.array([5.0, -5.0])), None, x)
    problem.set_bounds(x, [-1, -2], 3)
    assert problem.get_parameter_lower_bound(x, 1) == -2
    assert problem.get_parameter_upper_bound(x, 0) == 3
    summary = problem.solve(**TIGHT)
    np.testing.assert_allclose(x, [3, -2])
    assert summary.is_constrained


def test_row_of_a_matrix_is_a_block():
    rows = np.zeros((4, 2))
    problem = vesta.Problem()
    for i in range(4):
        problem.add_residual_block(Difference(2, np.full(2, float(i))), None, rows[i])
    problem.solve(**TIGHT)
    np.testing.assert_allclose(rows, [[0, 0], [1, 1], [2, 2], [3, 3]], atol=1e-12)
    assert problem.num_parameter_blocks() == 4
    assert problem.has_parameter_block(rows[2])


def test_evaluation_agrees_with_closed_form():
    x, y = np.array([1.0, 2.0]), np.array([4.0, 0.0])
    problem = vesta.Problem()
    problem.add_residual_block(Difference(2), vesta.HuberLoss(1.0), x, y)
    robust = problem.evaluate()
    plain = problem.evaluate(apply_loss_function=False)
    s = 13.0
    assert robust.cost == pytest.approx(0.5 * (2 * np.sqrt(s) - 1))
    assert plain.cost == pytest.approx(0.5 * s)
    np.testing.assert_allclose(plain.residuals, [-3, 2])
    np.testing.assert_allclose(plain.gradient, [-3, 2, 3, -2])
    np.testing.assert_allclose(plain.jacobian.toarray(), [[1, 0, -1, 0], [0, 1, 0, -1]])
    only_y = problem.evaluate([y], apply_loss_function=False)
    np.testing.assert_allclose(only_y.gradient, [3, -2])


def test_blocks_can_be_removed():
    x = np.zeros(1)
    problem = vesta.Problem(enable_fast_removal=True)
    first = problem.add_residual_block(Difference(1, np.array([1.0])), None, x)
    second = problem.add_residual_block(Difference(1, np.array([3.0])), None, x)
    assert first != second and len(problem.residual_blocks()) == 2
    problem.remove_residual_block(first)
    problem.solve(**TIGHT)
    assert x[0] == pytest.approx(3.0)
    with pytest.raises(ValueError, match="removed"):
        problem.remove_residual_block(first)
    problem.remove_parameter_block(x)
    assert problem.num_residual_blocks() == 0
    with pytest.raises(ValueError, match="removed"):
        problem.remove_residual_block(second)


def test_objects_stay_alive_with_the_problem():
    problem = vesta.Problem()
    x = np.zeros(2)
    cost = Difference(2, np.ones(2))
    alive = weakref.ref(x)
    problem.add_residual_block(cost, vesta.ScaledLoss(vesta.HuberLoss(0.5), 2.0), x)
    problem.add_parameter_block(x, manifold=vesta.SubsetManifold(2, [0]))
    del cost
    gc.collect()
    problem.solve(**TIGHT)
    np.testing.assert_allclose(x, [0, 1], atol=1e-9)
    del x
    gc.collect()
    assert alive() is not None
    del problem
    gc.collect()
    assert alive() is None


def test_cycle_of_problem_and_cost_is_collected():
    problem = vesta.Problem()
    cost = Difference(1, np.ones(1))
    cost.problem = problem
    problem.add_residual_block(cost, None, np.zeros(1))
    alive = weakref.ref(cost)
    del problem, cost
    gc.collect()
    assert alive() is None


def test_manifold_restricts_steps():
    q = np.array([1.0, 0.0, 0.0, 0.0])
    target = np.array([0.5, 0.5, 0.5, 0.5])
    problem = vesta.Problem()
    problem.add_residual_block(Difference(4, target), None, q)
    problem.set_manifold(q, vesta.QuaternionManifold())
    assert problem.parameter_block_tangent_size(q) == 3
    assert isinstance(problem.get_manifold(q), vesta.QuaternionManifold)
    problem.solve(**TIGHT)
    np.testing.assert_allclose(q, target, atol=1e-7)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)


class Circle(vesta.Manifold):
    def ambient_size(self):
        return 2

    def tangent_size(self):
        return 1

    def plus(self, x, delta):
        c, s = np.cos(delta[0]), np.sin(delta[0])
        return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])

    def plus_jacobian(self, x):
        return np.array([[-x[1]], [x[0]]])

    def minus(self, y, x):
        return np.array([np.arctan2(x[0] * y[1] - x[1] * y[0], x @ y)])

    def minus_jacobian(self, x):
        return np.array([[-x[1], x[0]]])


def test_manifold_of_a_subclass():
    x = np.array([1.0, 0.0])
    problem = vesta.Problem()
    problem.add_residual_block(Difference(2, np.array([0.0, 2.0])), None, x)
    problem.set_manifold(x, Circle())
    problem.solve(**TIGHT)
    np.testing.assert_allclose(x, [0, 1], atol=1e-5)


def test_product_manifold_is_that_of_its_factors():
    product = vesta.ProductManifold(vesta.QuaternionManifold(), vesta.EuclideanManifold(2))
    x = np.array([0.5, 0.5, -0.5, 0.5, 3.0, 4.0])
    delta = np.array([0.1, -0.2, 0.3, 1.0, 2.0])
    y = product.plus(x, delta)
    np.testing.assert_allclose(y[:4], vesta.QuaternionManifold().plus(x[:4].copy(), delta[:3].copy()))
    np.testing.assert_allclose(y[4:], [4, 6])
    np.testing.assert_allclose(product.minus(y, x), delta, atol=1e-12)
    np.testing.assert_allclose(product.minus_jacobian(x) @ product.plus_jacobian(x), np.eye(5), atol=1e-12)


class Quartic(vesta.LossFunction):
    def evaluate(self, s):
        return s + s * s, 1 + 2 * s, 2.0


def test_loss_of_a_subclass_is_used():
    x = np.array([2.0])
    problem = vesta.Problem()
    problem.add_residual_block(Difference(1, np.zeros(1)), Quartic(), x)
    assert problem.evaluate().cost == pytest.approx(0.5 * (4 + 16))


def test_losses_agree_with_their_formulas():
    s = 3.0
    assert vesta.HuberLoss(1.0).evaluate(s)[0] == pytest.approx(2 * np.sqrt(s) - 1)
    assert vesta.CauchyLoss(2.0).evaluate(s)[0] == pytest.approx(4 * np.log1p(s / 4))
    assert vesta.SoftLOneLoss(2.0).evaluate(s)[0] == pytest.approx(8 * (np.sqrt(1 + s / 4) - 1))
    assert vesta.ArctanLoss(2.0).evaluate(s)[0] == pytest.approx(2 * np.arctan(s / 2))
    assert vesta.TukeyLoss(3.0).evaluate(s)[0] == pytest.approx(3 * (1 - (1 - s / 9) ** 3))
    scaled = vesta.ScaledLoss(vesta.CauchyLoss(2.0), 5.0)
    assert scaled.evaluate(s)[0] == pytest.approx(20 * np.log1p(s / 4))
    composed = vesta.ComposedLoss(vesta.CauchyLoss(1.0), vesta.HuberLoss(1.0))
    assert composed.evaluate(s)[0] == pytest.approx(np.log1p(2 * np.sqrt(s) - 1))
    wrapper = vesta.LossFunctionWrapper(vesta.TrivialLoss())
    wrapper.reset(vesta.HuberLoss(1.0))
    assert wrapper.evaluate(s)[0] == pytest.approx(2 * np.sqrt(s) - 1)
    assert vesta.TolerantLoss(1.0, 0.5).evaluate(0.0)[0] == pytest.approx(0.0)


# --- Mistakes ----------------------------------------------------------------


@pytest.mark.parametrize(
    "array, message",
    [
        ((1.0, 2.0), "expected a NumPy array"),
        (np.zeros(2, dtype=np.float32), "float64"),
        (np.zeros((2, 2))[:, 0], "contiguous"),
        (np.zeros(3), "expected an array of 2 numbers, got 3"),
        (np.zeros(2, dtype=complex), "float64"),
    ],
)
def test_wrong_array_is_refused(array, message):
    problem = vesta.Problem()
    with pytest.raises((TypeError, ValueError), match=message) as error:
        problem.add_residual_block(Difference(2, np.zeros(2)), None, [array])
    assert "parameters[0]" in str(error.value)


def test_read_only_array_is_refused():
    x = np.zeros(2)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        vesta.Problem().add_parameter_block(x)


def test_overlapping_blocks_are_refused():
    x = np.zeros(6)
    problem = vesta.Problem()
    problem.add_parameter_block(x[0:3])
    for other in (x[2:5], x, x[0:2], x[1:2]):
        with pytest.raises(ValueError, match="overlaps"):
            problem.add_parameter_block(other)
    problem.add_parameter_block(x[3:6])
    problem.add_parameter_block(x[0:3])
    assert problem.num_parameter_blocks() == 2


def test_rows_and_single_rows_mix():
    rows = np.zeros((5, 2))
    problem = vesta.Problem()
    problem.add_parameter_block(rows[3])
    problem.add_costs(vesta.costs.prior(np.ones((5, 2))), [(rows, np.arange(5))])
    problem.add_parameter_block(rows[4])
    with pytest.raises(ValueError, match="overlaps"):
        problem.add_parameter_block(rows[1:3].reshape(-1))
    problem.solve(**TIGHT)
    np.testing.assert_allclose(rows, 1.0)


def test_mistakes_are_exceptions():
    problem = vesta.Problem()
    x = np.zeros(2)
    with pytest.raises(TypeError, match="cost: expected a CostFunction, got int"):
        problem.add_residual_block(3, None, x)
    with pytest.raises(TypeError, match="loss: expected a LossFunction or None, got str"):
        problem.add_residual_block(Difference(2, x), "huber", x)
    with pytest.raises(ValueError, match="depends on 2 parameter blocks, got 1"):
        problem.add_residual_block(Difference(2), None, x)
    with pytest.raises(ValueError, match="given twice"):
        problem.add_residual_block(Difference(2), None, x, x)
    with pytest.raises(ValueError, match="not a parameter block"):
        problem.set_parameter_block_constant(np.zeros(2))
    problem.add_parameter_block(x, 2)
    with pytest.raises(ValueError, match="ambient size 2, got 4"):
        problem.set_manifold(x, vesta.QuaternionManifold())
    with pytest.raises(ValueError, match="index"):
        problem.set_parameter_lower_bound(x, 2, 0.0)
    with pytest.raises(ValueError, match="another problem"):
        other = vesta.Problem()
        other.remove_residual_block(problem.add_residual_block(Difference(2, x), None, x))


def test_cost_without_evaluate_says_so():
    class Nothing(vesta.CostFunction):
        def __init__(self):
            super().__init__(1, [1])

    problem = vesta.Problem()
    problem.add_residual_block(Nothing(), None, np.zeros(1))
    with pytest.raises(AttributeError, match="evaluate"):
        problem.solve(**TIGHT)


# --- Options and summaries ---------------------------------------------------


def test_options_check_names_types_and_values():
    options = vesta.SolverOptions(max_num_iterations=7, linear_solver_type="dense_schur")
    assert options.max_num_iterations == 7
    assert options.linear_solver_type == vesta.LinearSolverType.DENSE_SCHUR
    options.linear_solver_type = vesta.LinearSolverType.CGNR
    with pytest.raises(TypeError, match="SolverOptions.max_num_iterations: expected an int, got 'many'"):
        options.max_num_iterations = "many"
    with pytest.raises(TypeError, match="expected an int, got 1.5"):
        options.num_threads = 1.5
    with pytest.raises(TypeError, match="expected LinearSolverType .*DENSE_QR"):
        options.linear_solver_type = "fast"
    with pytest.raises(AttributeError, match="no option 'max_iterations'"):
        options.max_iterations = 3
    with pytest.raises(TypeError, match="no option 'max_iterations'"):
        vesta.SolverOptions(max_iterations=3)
    options.function_tolerance = -1.0
    assert "function_tolerance" in options.error()


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(function_tolerance=-1.0), "function_tolerance"),
        (dict(max_num_iterations=-1), "max_num_iterations"),
        (dict(num_threads=0), "num_threads"),
        (dict(num_threads=-2), "num_threads"),
        (dict(eta=-1.0), "eta"),
        (dict(minimizer_type="LINE_SEARCH", max_lbfgs_rank=0), "max_lbfgs_rank"),
    ],
)
def test_invalid_options_raise_with_the_name_of_the_argument(options, message):
    problem = vesta.Problem()
    x = np.zeros(1)
    problem.add_residual_block(Difference(1, np.ones(1)), None, x)
    with pytest.raises(ValueError, match=message) as error:
        problem.solve(**options)
    assert "::" not in str(error.value)
    assert x[0] == 0.0
    assert problem.solve(num_threads=-1).num_threads_used >= 1


def test_options_and_summaries_can_be_pickled():
    options = vesta.SolverOptions(max_num_iterations=7, preconditioner_type="schur_jacobi")
    copy = pickle.loads(pickle.dumps(options))
    assert copy == options and copy.max_num_iterations == 7
    assert repr(copy) == "SolverOptions(max_num_iterations=7, preconditioner_type=SCHUR_JACOBI)"
    x = np.zeros(1)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(1, np.ones(1)), None, x)
    summary = problem.solve(**TIGHT)
    again = pickle.loads(pickle.dumps(summary))
    assert again.to_dict() == summary.to_dict()
    assert again.brief_report() == summary.brief_report()
    assert len(again.iterations) == len(summary.iterations)


def test_summary_has_reports():
    x = np.zeros(1)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(1, np.ones(1)), None, x)
    summary = problem.solve(**TIGHT)
    values = summary.to_dict()
    assert values["final_cost"] == summary.final_cost
    assert values["iterations"][0]["cost"] == pytest.approx(0.5)
    assert "CONVERGENCE" in repr(summary)
    assert "<table>" in summary._repr_html_()
    import json

    assert json.loads(summary.to_json())["final_cost"] == summary.final_cost


def test_arguments_of_solve_have_an_order():
    problem = vesta.Problem()
    for wrong in ((problem, vesta.SolverOptions()), (None, problem), (vesta.SolverOptions(), None)):
        with pytest.raises(TypeError, match=r"solve: expected \(SolverOptions, Problem\), got"):
            vesta.solve(*wrong)


def test_html_report_is_written(tmp_path):
    x = np.zeros(1)
    problem = vesta.Problem()
    problem.add_residual_block(Difference(1, np.ones(1)), None, x)
    report = vesta.HtmlReport(problem, "A fit")
    options = vesta.SolverOptions()
    summary = problem.solve(options)
    report.write(str(tmp_path / "report.html"), options, summary)
    assert "A fit" in (tmp_path / "report.html").read_text()
    with pytest.raises(OSError, match="missing"):
        report.write(str(tmp_path / "missing" / "report.html"), options, summary)


def test_every_option_and_enumerator_has_a_docstring():
    for name in vesta.SolverOptions().to_dict():
        assert getattr(vesta._core.SolverOptions, name).__doc__, name
    for name in vesta.Summary().to_dict():
        assert getattr(vesta._core.Summary, name).__doc__, name


def test_ordering_groups():
    points, camera = np.zeros((3, 1)), np.zeros(1)
    problem = vesta.Problem()
    for i in range(3):
        problem.add_residual_block(Difference(1), None, points[i], camera)
        problem.add_residual_block(Difference(1, np.array([float(i)])), None, points[i])
    ordering = vesta.ParameterBlockOrdering()
    ordering.add_rows_to_group(points, 0)
    ordering.add_element_to_group(camera, 1)
    assert len(ordering) == 4 and ordering.num_groups == 2 and ordering.group_id(camera) == 1
    summary = problem.solve(linear_solver_type="DENSE_SCHUR", linear_solver_ordering=ordering, **TIGHT)
    assert summary.linear_solver_ordering_given == [3, 1]
    assert camera[0] == pytest.approx(1.0)
    ordering.add_element_to_group(np.zeros(1), 1)
    with pytest.raises(ValueError, match="not in the problem"):
        problem.solve(linear_solver_ordering=ordering)


def test_messages_go_to_logging(caplog):
    problem = vesta.Problem()
    x = np.zeros(1)

    class Undefined(Difference):
        def evaluate(self, parameters, residuals, jacobians):
            return False

    problem.add_residual_block(Undefined(1, np.ones(1)), None, x)
    with caplog.at_level(logging.INFO, logger="vesta"):
        summary = problem.solve(**TIGHT)
        with pytest.raises(ValueError, match="cannot be evaluated"):
            problem.evaluate()
    assert summary.termination_type == vesta.TerminationType.FAILURE
    assert any(record.name == "vesta" for record in caplog.records)


def test_import_sets_up_no_logging():
    script = """
import logging, numpy as np, vesta
problem, x = vesta.Problem(), np.zeros(1)
problem.add_costs(vesta.costs.prior(np.ones((1, 1))), [(x.reshape(1, 1), [0])])
problem.solve()
names = [None, "vesta"]
assert not any(logging.getLogger(name).handlers for name in names)
assert logging.getLogger("vesta").level == logging.NOTSET and logging.getLogger().level == logging.WARNING
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("missing", ["plus", "minus", "plus_jacobian", "minus_jacobian", "ambient_size", "tangent_size"])
def test_a_manifold_without_a_method_is_named(missing):
    methods = dict(
        ambient_size=lambda self: 2, tangent_size=lambda self: 2, plus=lambda self, x, d: x + d,
        minus=lambda self, y, x: y - x, plus_jacobian=lambda self, x: np.eye(2), minus_jacobian=lambda self, x: np.eye(2),
    )  # fmt: skip
    del methods[missing]
    manifold = type("Partial", (vesta.Manifold,), methods)()
    point = [np.zeros(2)] * {"plus": 2, "minus": 2, "plus_jacobian": 1, "minus_jacobian": 1}.get(missing, 0)
    with pytest.raises(TypeError, match=missing):
        getattr(manifold, missing)(*point)
    if missing in ("plus_jacobian", "ambient_size", "tangent_size"):
        with pytest.raises(TypeError, match=missing):
            vesta.Problem().add_parameter_block(np.zeros(2), manifold=manifold)


@pytest.mark.parametrize("low, high", [(0, 0), ([0, 1], [1, 1]), (-3.0, [-3.0, 5.0])])
def test_bounds_without_room_are_refused(low, high):
    problem, x = vesta.Problem(), np.zeros(2)
    problem.add_parameter_block(x)
    with pytest.raises(ValueError, match="no room"):
        problem.set_bounds(x, low, high)


def test_a_batch_function_cannot_change_the_arrays_of_the_caller():
    x, data = np.ones((3, 2)), np.zeros((3, 2))
    for change in (lambda x, d: x.__iadd__(1), lambda x, d: d.__iadd__(1)):
        with pytest.raises(ValueError, match="read-only"):
            vesta.Problem().add_batch(change, [(x, np.arange(3))], data=data, jac="numeric")
    assert np.all(x == 1) and np.all(data == 0)


@pytest.mark.parametrize("answer", [True, None, 1, np.True_, np.int64(1), np.array(True), np.float64(1)])
def test_results_of_cost_functions_that_are_true(answer):
    class Cost(Difference):
        def evaluate(self, parameters, residuals, jacobians):
            super().evaluate(parameters, residuals, jacobians)
            return answer

    x = np.zeros(1)
    problem = vesta.Problem()
    problem.add_residual_block(Cost(1, np.ones(1)), None, x)
    problem.solve()
    assert x[0] == pytest.approx(1.0)


@pytest.mark.parametrize("answer", [False, 0, np.False_, np.array(False), "ok", [1], np.ones(2)])
def test_results_of_cost_functions_that_are_not_true(answer):
    class Cost(Difference):
        def evaluate(self, parameters, residuals, jacobians):
            return answer

    problem = vesta.Problem()
    problem.add_residual_block(Cost(1, np.ones(1)), None, np.zeros(1))
    if isinstance(answer, (str, list)) or np.size(answer) > 1:
        with pytest.raises((TypeError, ValueError)):
            problem.solve()
    else:
        assert problem.solve().termination_type == vesta.TerminationType.FAILURE


# --- Constraints ------------------------------------------------------------------------------------------------------


class Sum(vesta.CostFunction):
    """x[0] + ... of one block."""

    def __init__(self, n):
        super().__init__(1, [n])

    def evaluate(self, parameters, residuals, jacobians):
        residuals[0] = parameters[0].sum()
        if jacobians is not None:
            jacobians[0][:] = 1.0


def near(target, x):
    problem = vesta.Problem()
    problem.add_residual_block(Difference(len(x), target), None, x)
    return problem


def test_equality_constraint_projects_and_has_the_multiplier_of_the_closed_form():
    target = np.array([1.0, 2.0, 4.0])
    x = np.zeros(3)
    problem = near(target, x)
    constraint = problem.add_equality_constraint(Sum(3), [x], name="sum")
    summary = problem.solve(**TIGHT)
    # The closest point with sum 0; x - target + multiplier = 0.
    np.testing.assert_allclose(x, target - 7 / 3, atol=1e-9)
    np.testing.assert_allclose(problem.get_multipliers(constraint), [7 / 3], atol=1e-7)
    assert problem.get_constraint_name(constraint) == "sum"
    assert problem.num_constraints() == 1 and problem.constraints() == [constraint]
    assert summary.num_constraints == 1 and summary.num_active_constraints == 1 and summary.violated_constraints == []
    assert summary.constraint_violation <= 1e-8 and summary.stationarity < 1e-6 and summary.complementarity < 1e-6
    assert summary.iterations[0].constraint_violation == 0.0 and max(i.constraint_violation for i in summary.iterations) >= 0
    assert "constraints: 1, active" in repr(summary) and "constraints" in summary._repr_html_()
    assert pickle.loads(pickle.dumps(summary)).violated_constraints == []
    assert problem.num_residuals() == 3


@pytest.mark.parametrize("lower, upper, expected", [(-np.inf, 3.0, 3.0), (9.0, np.inf, 9.0), ([1.0], [8.0], 7.0), (2, 2, 2.0)])
def test_inequality_constraints_hold(lower, upper, expected):
    x = np.zeros(3)
    problem = near(np.array([1.0, 2.0, 4.0]), x)
    constraint = problem.add_inequality_constraint(Sum(3), lower, upper, [x])
    problem.solve(**TIGHT)
    np.testing.assert_allclose(x.sum(), expected, atol=1e-8)
    assert np.sign(np.round(problem.get_multipliers(constraint)[0], 6)) == np.sign(7.0 - expected)


def test_removed_constraints_do_not_count():
    x, y = np.zeros(3), np.zeros(3)
    problem = near(np.ones(3), x)
    problem.add_residual_block(Difference(3, np.ones(3)), None, y)
    first = problem.add_equality_constraint(Sum(3), [x])
    second = problem.add_equality_constraint(Sum(3), [y])
    problem.remove_constraint(first)
    with pytest.raises(ValueError, match="constraint was removed"):
        problem.remove_constraint(first)
    again = problem.add_equality_constraint(Sum(3), [y], name="again")  # May have the memory of the first.
    with pytest.raises(ValueError, match="constraint was removed"):
        problem.get_multipliers(first)
    assert first != again and {again, second} == set(problem.constraints())
    problem.remove_parameter_block(y)
    assert problem.num_constraints() == 0 and problem.constraints() == []
    with pytest.raises(ValueError, match="constraint was removed"):
        problem.set_constraint_name(again, "gone")
    problem.solve(**TIGHT)
    np.testing.assert_allclose(x, 1.0)
    other = near(np.ones(3), np.zeros(3))
    with pytest.raises(ValueError, match="another problem"):
        other.get_multipliers(second)


def test_infeasible_constraints_are_named_in_the_summary():
    x = np.ones(2)
    problem = near(np.zeros(2), x)
    problem.add_equality_constraint(Sum(2), [x], name="zero")
    last = problem.add_inequality_constraint(Sum(2), 1.0, np.inf, [x])
    summary = problem.solve()
    assert summary.termination_type == vesta.TerminationType.INFEASIBLE and not summary.is_solution_usable
    assert summary.violated_constraints == ["zero", "constraint 1"]
    np.testing.assert_allclose(x.sum(), 0.5, atol=1e-3)
    problem.set_constraint_name(last, "one")
    assert problem.solve().violated_constraints == ["zero", "one"]


def test_a_solve_starts_from_the_multipliers():
    x = np.zeros(3)
    problem = near(np.array([1.0, 2.0, 4.0]), x)
    constraint = problem.add_equality_constraint(Sum(3), [x])
    cold = problem.solve(**TIGHT)
    warm = problem.solve(**TIGHT)
    assert len(warm.iterations) < len(cold.iterations)
    problem.set_multipliers(constraint, [0.0])
    np.testing.assert_array_equal(problem.get_multipliers(constraint), [0.0])
    with pytest.raises(ValueError, match="multipliers: expected 1 numbers, got 2"):
        problem.set_multipliers(constraint, [0.0, 1.0])


MISTAKES_OF_CONSTRAINTS = {
    "no cost": (lambda p, x: p.add_equality_constraint(3, [x]), TypeError, "cost: expected a CostFunction, got int"),
    "block of another size": (lambda p, x: p.add_equality_constraint(Sum(2), [x]), ValueError, r"parameters\[0\]: expected an array of 2"),
    "number of blocks": (lambda p, x: p.add_equality_constraint(Sum(3), [x, np.zeros(3)]), ValueError, "depends on 1 parameter blocks, got 2"),
    "list": (lambda p, x: p.add_equality_constraint(Sum(3), [[0.0, 0, 0]]), TypeError, r"parameters\[0\]: expected a NumPy array"),
    "lower > upper": (lambda p, x: p.add_inequality_constraint(Sum(3), 2, 1, [x]), ValueError, "lower, upper: coordinate 0: no value"),
    "infinite lower": (lambda p, x: p.add_inequality_constraint(Sum(3), np.inf, np.inf, [x]), ValueError, "no value"),
    "NaN": (lambda p, x: p.add_inequality_constraint(Sum(3), np.nan, 1, [x]), ValueError, "no value"),
    "shape": (lambda p, x: p.add_inequality_constraint(Sum(3), [0, 0], 1, [x]), ValueError, r"lower: expected a number or an array of shape \(1,\)"),
    "row of a batch": (lambda p, x: p.add_constraint_batch(lambda a: a, [[0, 0, 0]], [[1, 1, -1]], [(x.reshape(1, 3), 0)]), ValueError, "coordinate 2"),
    "index of a batch": (lambda p, x: p.add_constraint_batch(lambda a: a, 0, 1, [(x.reshape(1, 3), [1])]), ValueError, r"blocks\[0\]\[1\]: index 1 of row 0 is out"),
    "negative index": (lambda p, x: p.add_constraint_batch(lambda a: a, 0, 1, [(x.reshape(1, 3), [-1])]), ValueError, r"index -1 of row 0 is out"),
    "text": (lambda p, x: p.add_inequality_constraint(Sum(3), "a", 1, [x]), TypeError, "lower: expected numbers, got 'a'"),
    "name": (lambda p, x: p.add_equality_constraint(Sum(3), [x], 3), TypeError, "name: expected a string, got int"),
    "name of a batch": (lambda p, x: p.add_constraint_batch(lambda a: a, 0, 1, [(x.reshape(1, 3), 0)], name=3), TypeError, "name: expected a string"),
    "twice": (lambda p, x: p.add_equality_constraint(Gap(), [x, x]), ValueError, r"parameters\[1\]: the block is given twice"),
    "read-only": (lambda p, x: p.add_equality_constraint(Sum(3), [np.broadcast_to(1.0, (3,))]), ValueError, r"parameters\[0\]: the array is read-only"),
    "float32": (lambda p, x: p.add_equality_constraint(Sum(3), [np.ones(3, np.float32)]), TypeError, r"parameters\[0\]: expected an array of float64"),
    "removed twice": (lambda p, x: removed_twice(p, x), ValueError, "the constraint was removed"),
}  # fmt: skip


def Gap():
    return vesta.AutoDiffCostFunction(lambda a, b: a - b, 3, [3, 3])


def removed_twice(problem, x):
    constraint = problem.add_equality_constraint(Sum(3), [x])
    problem.remove_constraint(constraint)
    problem.remove_constraint(constraint)


@pytest.mark.parametrize("add, error, message", MISTAKES_OF_CONSTRAINTS.values(), ids=MISTAKES_OF_CONSTRAINTS.keys())
def test_mistakes_of_constraints_are_named(add, error, message):
    x = np.ones(3)
    problem = near(np.zeros(3), x)
    with pytest.raises(error, match=message):
        add(problem, x)
    assert problem.num_constraints() == 0
    problem.solve()


def test_nan_of_a_constraint_fails_and_an_exception_arrives():
    class Broken(Sum):
        def evaluate(self, parameters, residuals, jacobians):
            if self.raises:
                raise KeyError("mine")
            residuals[0] = np.nan
            if jacobians is not None:
                jacobians[0][:] = 1.0

    x = np.ones(2)
    problem = near(np.zeros(2), x)
    cost = Broken(2)
    problem.add_equality_constraint(cost, [x], name="broken")
    cost.raises = False
    summary = problem.solve()
    assert summary.termination_type == vesta.TerminationType.FAILURE and "broken" in summary.message
    cost.raises = True
    with pytest.raises(KeyError, match="mine"):
        problem.solve()
    np.testing.assert_array_equal(x, 1.0)


def interrupt(x):
    raise KeyboardInterrupt


def boom(x):
    raise KeyError("mine")


@pytest.mark.parametrize(
    "late, error, message",
    [
        (boom, KeyError, "mine"),
        (interrupt, KeyboardInterrupt, None),
        (lambda x: x, ValueError, r"f: expected 1 residuals, and .*late_constraint has returned an array of shape \(2,\)"),
        (lambda x: "text", (TypeError, ValueError), None),
    ],
    ids=["exception", "KeyboardInterrupt", "wrong size", "text"],
)
def test_mistakes_that_show_late_leave_the_start(late, error, message):
    calls = []

    def late_constraint(x):
        calls.append(1)
        return late(x) if len(calls) > 4 else (x[0] ** 2 + x[1] ** 2 - 1.0).reshape(1)

    x = np.array([2.0, 1.0])
    problem = near(np.zeros(2), x)
    problem.add_equality_constraint(vesta.AutoDiffCostFunction(late_constraint, 1, [2]), [x], name="rod")
    with pytest.raises(error, match=message):
        problem.solve()
    assert len(calls) > 4
    np.testing.assert_array_equal(x, [2.0, 1.0])


@pytest.mark.parametrize("what", [np.nan, np.inf])
def test_a_constraint_that_cannot_be_evaluated_later_is_named(what):
    class OnlyWithJacobian(Sum):
        def evaluate(self, parameters, residuals, jacobians):
            if jacobians is None:
                residuals[0] = what
                return True
            return super().evaluate(parameters, residuals, jacobians)

    x = np.array([2.0, 1.0])
    problem = near(np.zeros(2), x)
    problem.add_inequality_constraint(OnlyWithJacobian(2), 7.0, 7.0, [x], name="rod")
    summary = problem.solve(max_num_iterations=1000)
    assert summary.termination_type == vesta.TerminationType.FAILURE and '"rod"' in summary.message
    np.testing.assert_array_equal(x, [2.0, 1.0])


@pytest.mark.parametrize("make", [vesta.AutoDiffCostFunction, vesta.NumericDiffCostFunction])
@pytest.mark.parametrize("returned", [1, 3])
def test_a_function_that_returns_another_number_of_residuals_is_named(make, returned):
    def of_my_own(x):
        return x[:1] * np.ones(returned)

    x = np.ones(2)
    problem = vesta.Problem()
    problem.add_residual_block(make(of_my_own, 2, [2]), None, x)
    with pytest.raises(ValueError, match=rf"expected 2 residuals, and .*of_my_own has returned an array of shape \({returned},\)"):
        problem.solve()
    np.testing.assert_array_equal(x, 1.0)


def steps_of(n, kind):
    """A curve of n points that shall not decrease, as a batch of one kind."""
    rng = np.random.default_rng(3)
    y = (np.sqrt(np.arange(n)) + rng.normal(size=n))[:, None]
    x = np.zeros((n, 1))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(y), [(x, np.arange(n))])
    blocks = [(x, np.arange(n - 1)), (x, np.arange(1, n))]
    if kind == "single":
        rise = lambda: vesta.AutoDiffCostFunction(lambda a, b: b - a, 1, [1, 1])  # noqa: E731
        ids = [problem.add_inequality_constraint(rise(), 0, np.inf, [x[i], x[i + 1]]) for i in range(n - 1)]
    else:
        ids = problem.add_constraint_batch(lambda a, b: b - a, 0.0, np.inf, blocks, jac=kind, name="rise")
    return problem, x, y, ids


@pytest.mark.parametrize("kind", ["autodiff", "numeric", "single"])
def test_batches_of_constraints_are_as_single_ones(kind):
    problem, x, y, ids = steps_of(30, kind)
    summary = problem.solve(**TIGHT)
    assert summary.termination_type == vesta.TerminationType.CONVERGENCE
    assert len(ids) == problem.num_constraints() == 29 and np.all(np.diff(x[:, 0]) >= -1e-9)
    multipliers = np.concatenate([problem.get_multipliers(i) for i in ids])
    # x - y + A' multipliers = 0 for differences A.
    np.testing.assert_allclose((x - y)[:, 0], -np.diff(np.eye(30), axis=0).T @ multipliers, atol=1e-6)
    if kind != "single":
        assert problem.get_constraint_name(ids[7]) == "rise[7]"


def test_ready_made_and_compiled_costs_are_constraints():
    x = np.zeros((3, 2))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(np.array([[1.0, 1], [5, 5], [-5, 5]])), [(x, np.arange(3))])
    center = np.full((3, 2), 2.0)
    ids = problem.add_constraint_batch(vesta.costs.prior(center), -1.5, [1.0, 2.0], [(x, np.arange(3))], name="box")
    problem.solve(**TIGHT)
    np.testing.assert_allclose(x, [[1, 1], [3, 4], [0.5, 4]], atol=1e-8)
    assert [problem.get_constraint_name(i) for i in ids] == ["box[0]", "box[1]", "box[2]"]
    with pytest.raises(ValueError, match="data: ready-made costs have their data"):
        problem.add_constraint_batch(vesta.costs.prior(center), 0, 1, [(x, np.arange(3))], data=center)


def links_of(n, jac):
    """Points of a chain with noise, whose neighbours shall be 0.2 apart."""
    chain = np.column_stack([np.linspace(0, 0.2 * n, n), np.zeros(n)])
    measured = chain + 0.1 * np.random.default_rng(5).normal(size=(n, 2))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(measured), [(chain, np.arange(n))])

    def squares(a, b):
        return ((a - b) ** 2).sum(axis=-1)

    if jac == "single":
        for i in range(n - 1):
            cost = vesta.AutoDiffCostFunction(squares, 1, [2, 2])
            problem.add_inequality_constraint(cost, 0.04, 0.04, [chain[i], chain[i + 1]])
    else:
        problem.add_constraint_batch(squares, 0.04, 0.04, [(chain, np.arange(n - 1)), (chain, np.arange(1, n))], jac=jac)
    return problem, chain


def analytic(a, b):
    return [2 * (a - b)[:, None, :], 2 * (b - a)[:, None, :]]


@pytest.mark.parametrize("jac", ["autodiff", "numeric", "jax", analytic])
def test_batches_of_curved_constraints_converge_as_single_ones(jac):
    if jac == "jax":
        pytest.importorskip("jax")
    single, expected = links_of(12, "single")
    steps = single.solve(max_num_iterations=200).num_successful_steps
    for threads in (1, 3):
        problem, chain = links_of(12, jac)
        summary = problem.solve(max_num_iterations=200, num_threads=threads)
        assert summary.termination_type == vesta.TerminationType.CONVERGENCE
        assert summary.num_successful_steps <= steps + 1
        np.testing.assert_allclose(chain, expected, atol=1e-6)
        np.testing.assert_allclose(np.sum(np.diff(chain, axis=0) ** 2, axis=1), 0.04, atol=1e-8)


def test_an_exception_where_curvature_is_asked_for_arrives():
    calls = []

    def jac(a):
        calls.append(1)
        if len(calls) > 3:
            raise KeyError("mine")
        return [2 * a[:, None, :]]

    x = np.array([[0.4, 0.5], [0.7, 0.1]])
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(np.array([[2.0, 1.0], [1.0, -3.0]])), [(x, np.arange(2))])
    problem.add_constraint_batch(lambda a: (a**2).sum(axis=1), 1.0, 1.0, [(x, np.arange(2))], jac=jac)
    start = x.copy()
    with pytest.raises(KeyError, match="mine"):
        problem.solve(num_threads=2)
    np.testing.assert_array_equal(x, start)


def test_constraints_of_a_batch_give_the_same_bits_on_any_number_of_threads():
    results = []
    for threads in (1, 2, 3, 4, 8):
        problem, x, _, _ = steps_of(200, "autodiff")
        problem.solve(num_threads=threads)
        results.append(x.tobytes())
    assert len(set(results)) == 1


def test_a_constraint_between_constant_blocks_is_checked():
    for kind in ("autodiff", "single"):
        problem, x, _, _ = steps_of(5, kind)
        x[:2, 0] = [3.0, 1.0]
        problem.set_parameter_block_constant(x[0])
        problem.set_parameter_block_constant(x[1])
        summary = problem.solve()
        assert summary.termination_type == vesta.TerminationType.INFEASIBLE, summary.message
        assert len(summary.violated_constraints) == 1
        x[1] = 3.0
        assert problem.solve().termination_type == vesta.TerminationType.CONVERGENCE


def test_what_constraints_exclude_is_refused_by_name():
    x = np.ones(3)
    problem = near(np.zeros(3), x)
    problem.add_equality_constraint(Sum(3), [x])
    for options in (dict(minimizer_type="LINE_SEARCH"), dict(trust_region_strategy_type="DOGLEG"), dict(use_inner_iterations=True)):
        summary = problem.solve(**options)
        assert summary.termination_type == vesta.TerminationType.FAILURE
        assert next(iter(options)) in summary.message
    np.testing.assert_array_equal(x, 1.0)
