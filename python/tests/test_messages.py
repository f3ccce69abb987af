# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Messages of the library reach Python with the names that Python has."""

import logging
import re

import numpy as np
import pytest

import vesta
from vesta import _core

# Layers whose messages do not reach Python: what they do has no Python name.
WITHOUT_PYTHON = (
    "base", "distributed", "execution", "fits", "graduated", "linearization", "marginalization", "parallel", "c_api",
)  # fmt: skip


def literals(folder):
    """The string literals of C++ sources, by file; neighbours are joined."""
    for path in sorted(folder.rglob("*.cc")) + sorted(folder.rglob("*.h")):
        parts = path.relative_to(folder).parts
        if path.stem.endswith(("_test", "_benchmark")) or parts[0] in WITHOUT_PYTHON or "incremental" in parts:
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text())
        for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
            if text[: match.start()].rstrip().endswith("#include"):
                continue
            joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group()))
            # The pieces of a message with an option's name in between.
            yield path.name, joined.replace("%s::", "Solver::Options::").replace("%s", "some")


@pytest.mark.parametrize(
    "message, expected",
    [
        ("Solver::Options::num_threads = 0", "num_threads = 0"),
        ("a (Solver::Options::num_threads).", "a (num_threads)."),
        ("Solver::Summary::num_threads_used", "Summary.num_threads_used"),
        ("DiagnosisOptions::weak_ratio is 2", "weak_ratio is 2"),
        ("DiagnosisOptions::max_time_in_seconds is -1", "max_time is -1"),
        ("Options::num_threads is 0", "num_threads is 0"),
        ("(Problem::AddEqualityConstraint)", "(Problem.add_equality_constraint)"),
        ("fix a block by SetParameterBlockConstant.", "fix a block by set_parameter_block_constant."),
        ("use ceres::Solve. Solve it", "use solve. Solve it"),
        ("Covariance::Compute failed", "Covariance.compute failed"),
        ("Diagnosis::held names it", "Diagnosis.held names it"),
        ("with ceres::SolveMany.", "with fit_many."),
        ("a trace: HtmlReport::Options::trace.", "a trace: C++ programs can record one."),
        ("the kind vesta::python::BetweenCost", "the kind BetweenCost"),
        ("check them with GradientChecker.", "check them with finite differences."),
        # What stays.
        ("A SubsetManifold or a LossFunction", "A SubsetManifold or a LossFunction"),
        ("block cam::left, rod:3, a:: b", "block cam::left, rod:3, a:: b"),
        ("/data/AddNoise.g2o: SetPoint", "/data/AddNoise.g2o: SetPoint"),
        ("", ""),
        ("::", "::"),
        ("Grösse µm", "Grösse µm"),
    ],
)
def test_names(message, expected):
    assert _core._python_text(message) == expected
    assert _core._python_text(expected) == expected


def test_no_message_has_a_name_of_cpp(source_folder):
    internal = source_folder.parent / "internal" / "ceres"
    if not internal.exists():
        pytest.skip("A source distribution has no library.")
    seen = 0
    wrong = []
    for file, text in literals(internal):
        translated = _core._python_text(text)
        seen += translated != text
        for name in re.findall(r"\w+(?:::\w+)+", translated):
            wrong.append((file, name))
        for name in re.findall(r"\b(?:Add|Set|Get|Remove)[A-Z][a-z]\w*", translated):
            wrong.append((file, name))
    assert [pair for pair in wrong if not pair[1].startswith(ABSENT)] == []
    assert seen > 30


# Classes and functions that Python does not have, and whose messages it does not see.
ABSENT = ("SetLogSink", "AddResidualBlocks", "AddParameterArray", "GradientProblemSolver::Options")


def test_functions_that_messages_name_exist(source_folder):
    internal = source_folder.parent / "internal" / "ceres"
    if not internal.exists():
        pytest.skip("A source distribution has no library.")
    names = set()
    for _, text in literals(internal):
        translated = _core._python_text(text)
        if translated != text:
            names |= set(re.findall(r"\b(?:Problem|Covariance)\.[a-z_]+|\b(?:add|set|remove)_[a-z_]+", translated))
    functions = {name.split(".")[-1] for name in names}
    known = dir(vesta.Problem) + dir(vesta.Covariance) + dir(vesta.SolverOptions)
    assert len(functions) > 5 and functions - set(known) == set(MISSING)


# Python does not have the function, so no problem has what the message refuses.
MISSING = ["set_linearization_point"]


def test_messages_of_all_ways_out():
    """Exceptions, results, the log and diagnoses."""
    x = np.array([0.5])

    def problem(k=1.0):
        result = vesta.Problem()
        result.add_residual_block(vesta.AutoDiffCostFunction(lambda x: k * x - 1.0, 1, [1]), None, x)
        return result

    with pytest.raises(ValueError, match=r"^max_num_iterations"):
        problem().solve(max_num_iterations=-1)
    constrained = problem()
    constrained.add_equality_constraint(vesta.AutoDiffCostFunction(lambda x: x - 3.0, 1, [1]), [x])
    summary = constrained.solve(trust_region_strategy_type="DOGLEG", logging_type="SILENT")
    for text in (summary.message, summary.full_report(), summary.to_json()):
        assert "trust_region_strategy_type" in text and "Problem.add_equality_constraint" in text
        assert "::" not in text
    assert "weak_ratio" in problem().diagnose(weak_ratio=2.0).message
    assert problem().diagnose(max_time=-1.0).message.startswith("max_time is -1")
    for text in (repr(problem().diagnose(weak_ratio=2.0)), problem().diagnose(weak_ratio=2.0).message):
        assert "::" not in text


def test_messages_of_the_log(caplog):
    x = np.array([0.5])
    problem = vesta.Problem()
    problem.add_residual_block(vesta.AutoDiffCostFunction(lambda x: x - 1.0, 1, [1]), None, x)
    problem.set_parameter_block_constant(x)
    with caplog.at_level(logging.DEBUG, logger="vesta"):
        options = vesta.CovarianceOptions(algorithm_type="SPARSE_QR", sparse_linear_algebra_library_type="NO_SPARSE")
        assert not vesta.Covariance(options).compute([(x, x)], problem)
    assert any("sparse_linear_algebra_library_type" in message for message in caplog.messages)
    assert all("::" not in message for message in caplog.messages)


class Product(vesta.CostFunction):
    """x[0] y - 3."""

    def __init__(self):
        super().__init__(1, [2, 1])

    def evaluate(self, parameters, residuals, jacobians):
        x, y = parameters
        residuals[:] = x[0] * y - 3.0
        if jacobians is not None:
            for jacobian, values in zip(jacobians, ([y[0], 0.0], [x[0]])):
                if jacobian is not None:
                    jacobian[:] = [values]
        return True


def far_away(z):
    return np.stack([z[0] - 1e9, z[1] * 1e-9])


def test_pages_have_names_of_python(tmp_path):
    """A page with advice, directions, constraints, and kinds of residuals."""
    x, y, z = np.array([1.0, 2.0]), np.array([0.5]), np.array([1e-9, 3.0])
    problem = vesta.Problem()
    for _ in range(3):
        problem.add_residual_block(Product(), None, [x, y])
    problem.add_residual_block(vesta.AutoDiffCostFunction(far_away, 2, [2]), vesta.HuberLoss(0.1), [z])
    problem.add_residual_block(vesta.AutoDiffCostFunction(lambda z: 1e-9 * z, 2, [2]), None, [z])
    problem.add_parameter_block(np.zeros(2))
    problem.set_parameter_upper_bound(x, 0, 1.0)
    problem.add_inequality_constraint(Product(), [-np.inf], [1.0], [x, y], "my limit")
    options = vesta.SolverOptions(max_num_iterations=1)
    report = vesta.HtmlReport(problem, "Names of Problem::Solve")
    report.write(str(tmp_path / "page.html"), options, vesta.solve(options, problem))
    page = (tmp_path / "page.html").read_text()
    kinds = set(re.findall(r'"name":"([^"]*)"', page[page.index('"kinds"') :]))
    assert {"Product", "far_away", "AutoDiffCostFunction", "my limit"} <= kinds
    for name in ("max_num_iterations", "Problem.set_parameter_block_constant", "jacobi_scaling", "Summary.full_report"):
        assert name in page
    assert re.findall(r"\w+::\w+", page) == []
    assert re.findall(r"\b(?:Add|Set|Get|Remove|Solve)[A-Z][a-z]\w*", page) == []
