# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Scripts for pyceres run with the import changed; where pyceres is installed, both give the same result."""

import numpy as np
import pytest

import vesta.pyceres


def logarithm(pyceres):
    """One residual exp(t) - 3 of one parameter: t = log(3). The Jacobian is given where it is asked for."""

    class Exponential(pyceres.CostFunction):
        def __init__(self, level):
            super().__init__()
            self.level = level
            self.set_parameter_block_sizes([1])
            self.set_num_residuals(1)

        def Evaluate(self, parameters, residuals, jacobians):
            power = np.exp(parameters[0][0])
            residuals[0] = power - self.level
            if jacobians is not None and jacobians[0] is not None:
                jacobians[0][0] = power
            return True

    t = np.zeros(1)
    cost = Exponential(3.0)
    problem = pyceres.Problem()
    problem.add_residual_block(cost, None, [t])
    options = pyceres.SolverOptions()
    options.linear_solver_type = pyceres.LinearSolverType.DENSE_NORMAL_CHOLESKY
    options.max_num_iterations = 30
    summary = pyceres.SolverSummary()
    pyceres.solve(options, problem, summary)
    assert summary.IsSolutionUsable() and "CONVERGENCE" in summary.BriefReport()
    return t, summary.initial_cost, problem.num_parameters()


def flat_jacobians(pyceres):
    """Two residuals of three parameters; Jacobians are flat and row-major."""
    matrix = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])

    class Linear(pyceres.CostFunction):
        def __init__(self):
            super().__init__()
            self.set_num_residuals(2)
            self.set_parameter_block_sizes([3, 2])

        def Evaluate(self, parameters, residuals, jacobians):
            residuals[:] = matrix @ parameters[0] - parameters[1]
            if jacobians is not None:
                if jacobians[0] is not None:
                    jacobians[0][:] = matrix.ravel()
                if jacobians[1] is not None:
                    jacobians[1][:] = -np.eye(2).ravel()
            return True

    x, y = np.ones(3), np.array([7.0, 1.0])
    problem = pyceres.Problem()
    problem.add_parameter_block(x, 3)
    problem.set_manifold(x, pyceres.SubsetManifold(3, [2]))
    cost = Linear()
    loss = pyceres.HuberLoss(0.5)
    problem.add_residual_block(cost, loss, [x, y])
    problem.set_parameter_block_constant(y)
    options = pyceres.SolverOptions({"max_num_iterations": 20})
    summary = pyceres.SolverSummary()
    pyceres.solve(options, problem, summary)
    residuals = np.array(problem.evaluate_residuals())
    jacobian = problem.evaluate_jacobian()
    assert (jacobian.num_rows, problem.num_parameters()) == (2, 5)
    return x, residuals, loss.evaluate(4.0)


def priors(pyceres):
    x, y = np.zeros(2), np.zeros(2)
    problem = pyceres.Problem(pyceres.ProblemOptions())
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    problem.add_residual_block(pyceres.factors.NormalPrior(np.array([1.0, 2.0]), covariance), None, [x])
    problem.add_residual_block(pyceres.factors.NormalError(covariance), None, [x, y])
    summary = pyceres.SolverSummary()
    pyceres.solve(pyceres.SolverOptions(), problem, summary)
    covariances = pyceres.Covariance(pyceres.CovarianceOptions())
    assert covariances.compute([(x, x)], problem)
    return x, y, covariances.get_covariance_block(x, x)


@pytest.mark.parametrize("script", [logarithm, flat_jacobians, priors])
def test_script_gives_the_result_of_pyceres(script):
    ours = script(vesta.pyceres)
    pyceres = pytest.importorskip("pyceres")
    theirs = script(pyceres)
    for a, b in zip(ours, theirs):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


def test_results_of_the_scripts():
    assert logarithm(vesta.pyceres)[0][0] == pytest.approx(np.log(3.0), rel=1e-6)
    x, y, covariance = priors(vesta.pyceres)
    np.testing.assert_allclose(x, [1, 2], atol=1e-6)
    np.testing.assert_allclose(covariance, [[2, 0.5], [0.5, 1]], rtol=1e-9)


def test_every_public_name_is_there():
    pyceres = pytest.importorskip("pyceres")
    shim = vesta.pyceres
    for name in dir(pyceres):
        if name.startswith("_"):
            continue
        assert hasattr(shim, name), name
        theirs, ours = getattr(pyceres, name), getattr(shim, name)
        if isinstance(theirs, type) and name not in ("logging", "CRSMatrix"):
            instance = None
            for maker in (ours, lambda: ours(1.0)):
                try:
                    instance = maker()
                    break
                except TypeError:
                    continue
            for attribute in dir(theirs):
                if not attribute.startswith("_"):
                    assert hasattr(ours, attribute) or hasattr(instance, attribute), (name, attribute)


def test_evaluation_callback_is_attached_by_the_options_of_the_problem():
    pyceres = vesta.pyceres

    class Prepare(pyceres.EvaluationCallback):
        calls = 0

        def PrepareForEvaluation(self, evaluate_jacobians, new_evaluation_point):
            self.calls += 1

    options = pyceres.ProblemOptions()
    options.evaluation_callback = Prepare()
    problem = pyceres.Problem(options)
    x = np.zeros(2)
    problem.add_residual_block(pyceres.factors.NormalPrior(np.ones(2), np.eye(2)), None, [x])
    summary = pyceres.SolverSummary()
    pyceres.solve(pyceres.SolverOptions(), problem, summary)
    assert options.evaluation_callback.calls == summary.num_residual_evaluations + summary.num_jacobian_evaluations
    np.testing.assert_allclose(x, 1.0)


def test_dicts_of_options():
    options = vesta.pyceres.SolverOptions()
    options.mergedict({"max_num_iterations": 3})
    assert options.todict()["max_num_iterations"] == 3
    assert "max_num_iterations = 3" in options.summary()
    assert vesta.pyceres.SolverOptions(options).max_num_iterations == 3
    with pytest.raises(AttributeError, match="no attribute"):
        options.mergedict({"speed": 3})


@pytest.mark.parametrize("name", ["LinearSolverType", "TerminationType", "LoggingType", "LossFunction"])
def test_enumerations_are_numbers_and_have_names(name):
    kind = getattr(vesta.pyceres, name)
    for member in getattr(kind, "__members__", {}).values():
        assert kind(member.name) is member and kind(int(member)) is member and member == int(member)
    if name != "LossFunction":
        with pytest.raises(ValueError):
            kind("NOT_THERE")


def test_losses_from_dicts_and_by_evaluate():
    pyceres = vesta.pyceres
    assert pyceres.LossFunction({"name": "huber", "params": [2.0]}).evaluate(9.0) == pyceres.HuberLoss(2.0).evaluate(9.0)
    doubled = pyceres.LossFunction({"name": "cauchy", "params": [1.0], "magnitude": 2.0})
    np.testing.assert_allclose(doubled.evaluate(1.0), 2 * np.array(pyceres.CauchyLoss(1.0).evaluate(1.0)))
    for wrong in ({}, {"name": "l3"}, {"name": "huber", "scale": 1}):
        with pytest.raises(ValueError):
            pyceres.LossFunction(wrong)

    class Half(pyceres.LossFunction):
        def Evaluate(self, sq_norm, out):
            out[:] = 0.5 * sq_norm, 0.5, 0.0

    x = np.zeros(1)
    problem = pyceres.Problem()
    problem.add_residual_block(pyceres.factors.NormalPrior(np.array([2.0]), np.eye(1)), Half(), [x])
    summary = pyceres.SolverSummary()
    pyceres.solve(pyceres.SolverOptions(), problem, summary)
    assert summary.initial_cost == pytest.approx(1.0) and x[0] == pytest.approx(2.0, abs=1e-3)
    with pytest.raises(TypeError, match="Evaluate"):
        type("Empty", (pyceres.LossFunction,), {})().evaluate(1.0)


def test_factors_are_a_module():
    import vesta.pyceres.factors as factors

    residuals, jacobians = factors.NormalError(np.diag([4.0, 1.0])).evaluate(np.array([1.0, 2.0]), np.zeros(2))
    np.testing.assert_allclose(residuals, [0.5, 2.0])
    np.testing.assert_allclose(jacobians[1], [-0.5, 0, 0, -1])


def test_logging_writes_to_the_logger_and_to_files(caplog, capsys, tmp_path, monkeypatch):
    logging = vesta.pyceres.logging
    logging.set_log_destination(logging.WARNING, str(tmp_path / "log"))
    logging.info("one")
    logging.error("two")
    monkeypatch.setattr(logging, "logtostderr", True)
    logging.info("three")
    logging.set_log_destination(logging.WARNING, "")
    assert [r.message for r in caplog.records] == ["one", "two", "three"]
    assert "two" in (tmp_path / "log").read_text() and "one" not in (tmp_path / "log").read_text()
    error = capsys.readouterr().err
    assert "three" in error and "one" not in error
