# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The types that a user's type checker sees."""

import textwrap

import pytest

CORRECT = """
    from typing import Any

    import numpy as np
    import vesta
    from numpy.typing import NDArray

    x = np.zeros((2, 3))
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.prior(np.ones((2, 3))), [(x, np.arange(2))], vesta.HuberLoss(1.0))
    problem.set_evaluation_callback(lambda jacobians, new_point: None)
    summary: vesta.Summary = problem.solve(vesta.SolverOptions(max_num_iterations=5))
    problem.solve(linear_solver_type="DENSE_QR", function_tolerance=1, callbacks=[lambda iteration: None])
    vesta.least_squares(lambda p: p - 1.0, [0.0], options={"num_threads": 2})
    cost: float = summary.final_cost
    kind: vesta.TerminationType = summary.termination_type
    result = vesta.least_squares(lambda p: p - 1.0, [0.0], jac="autodiff")
    point: NDArray[Any] = result.x
    cost_function = vesta.AutoDiffCostFunction(lambda x: x, 3, [3])
    constraint: vesta.Constraint = problem.add_equality_constraint(cost_function, [x[0]], name="x")
    problem.add_inequality_constraint(cost_function, 0, [1.0, 2.0, 3.0], [x[0]])
    batch: list[vesta.Constraint] = problem.add_constraint_batch(lambda x: x, -1.0, 1.0, [(x, [0, 1])])
    multipliers: NDArray[Any] = problem.get_multipliers(constraint)
    names: list[str] = summary.violated_constraints
    violation: float = vesta.least_squares(lambda p: p, [0.0], constraints=[]).constr_violation
    rank: int = problem.diagnose({"x": x}, compute_redundancy=True).rank
    remedies: list[str] = [direction.remedy for direction in result.diagnosis(["offset"]).undetermined]
    covariance: NDArray[Any] = vesta.curve_fit(lambda x, a: a * x, [1.0, 2.0], [1.0, 2.0])[1]
"""
WRONG = {
    "problem.solve('fast')": "arg-type",
    "problem.solve(max_num_iterations='3')": "arg-type",
    "problem.solve(max_num_iteration=3)": "call-arg",
    "vesta.SolverOptions(max_num_iterations='3')": "arg-type",
    "vesta.SolverOptions(num_threads=1.5)": "arg-type",
    "vesta.SolverOptions(linear_solver_type=7)": "arg-type",
    "vesta.SolverOptions(fast=True)": "call-arg",
    "vesta.SolverOptions(callbacks=3)": "arg-type",
    "vesta.least_squares(lambda p: p, [0.0], options={'num_threads': '2'})": "arg-type",
    "problem.set_parameter_block_constant('x')": "arg-type",
    "problem.add_equality_constraint(3, [x[0]])": "arg-type",
    "problem.add_inequality_constraint(cost_function, 0, 1)": "call-arg",
    "problem.get_multipliers(x)": "arg-type",
    "problem.sovle()": "attr-defined",
    "text: str = summary.final_cost": "assignment",
    "vesta.HuberLoss('1')": "arg-type",
    "vesta.least_squares(3, [0.0])": "arg-type",
    "vesta.least_squares(lambda p: p, [0.0], method='nope')": "arg-type",
    "vesta.least_squares(lambda p: p, [0.0], loss='l3')": "arg-type",
    "vesta.least_squares(lambda p: p, [0.0], tr_options={'speed': 1})": "arg-type",
    "word: str = vesta.least_squares(lambda p: p, [0.0]).cost": "assignment",
    "vesta.curve_fit(lambda x, a: a * x, [1.0], [1.0], method='nope')": "call-overload",
    "problem.diagnose('x')": "arg-type",
    "word = result.diagnosis().rank.upper()": "attr-defined",
}


def test_a_program_is_checked_with_the_types_of_the_package(source_folder, tmp_path, monkeypatch):
    """With the cache of MYPY_CACHE_DIR, which scripts/python.sh has filled, or a cache in a temporary folder."""
    api = pytest.importorskip("mypy.api")
    monkeypatch.chdir(tmp_path)
    lines = [*textwrap.dedent(CORRECT).strip().split("\n"), *WRONG]
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines) + "\n")
    output, errors, _ = api.run(["--config-file", str(source_folder.parent / "pyproject.toml"), "--no-pretty", str(program)])
    found = [line for line in output.splitlines() if "program.py:" in line and " error: " in line]
    first = len(lines) - len(WRONG) + 1
    expected = {first + i: code for i, code in enumerate(WRONG.values())}
    assert {int(line.split(":")[1]): line.rsplit("[", 1)[1].rstrip("]") for line in found} == expected, output + errors
