# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Constraints of least_squares and curve_fit, beside SciPy's minimize, closed forms and computations of their own."""

import sys
import types
import warnings

import numpy as np
import pytest

import vesta

optimize = pytest.importorskip("scipy.optimize")
sparse = pytest.importorskip("scipy.sparse")
Linear, Nonlinear = optimize.LinearConstraint, optimize.NonlinearConstraint

TIGHT = dict(ftol=1e-13, xtol=1e-13, gtol=1e-13)


def rosenbrock(x):
    return np.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def chained(x):
    return np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])


def distances(x):
    """From five anchors, with errors."""
    anchors = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0], [2.0, 5.0]])
    return np.sqrt((x[0] - anchors[:, 0]) ** 2 + (x[1] - anchors[:, 1]) ** 2) - np.array([2.3, 2.9, 2.2, 2.6, 3.1])


def square(x):
    return x[0] ** 2 + x[1] ** 2


PROBLEMS = {
    "in a disk": (rosenbrock, [0.1, 0.2], [Nonlinear(square, -np.inf, 1.0)]),
    "on a circle": (rosenbrock, [0.5, 0.5], [Nonlinear(square, 1.5, 1.5)]),
    "outside of a disk": (rosenbrock, [2.0, 2.0], [Nonlinear(square, 4.0, np.inf)]),
    "in a ring": (rosenbrock, [1.2, 1.0], [Nonlinear(square, 1.0, 1.5)]),
    "on a line": (rosenbrock, [0.5, 0.5], [Linear([[1.0, 2.0]], 2.0, 2.0)]),
    "beside a line": (rosenbrock, [0.5, 0.5], [Linear([1.0, 1.0], -np.inf, 1.2)]),
    "inactive": (rosenbrock, [0.5, 0.5], [Linear([1.0, 1.0], -np.inf, 50.0), Nonlinear(square, -np.inf, 9.0)]),
    "two curves": (distances, [1.0, 1.0], [Nonlinear(lambda x: np.stack([x[0] * x[1], x[1] - x[0] ** 2]), [1.0, -1.0], [2.0, -1.0])]),
    "a line and a curve": (distances, [1.0, 1.0], [Linear([[1.0, -1.0]], 0.2, 0.2), Nonlinear(lambda x: x[0] * x[1], 2.5, 9.0)]),
    "a chain": (chained, np.full(5, 0.5), [Linear(np.ones((1, 5)), 4.0, 4.0), Nonlinear(lambda x: x[:-1] * x[1:], -np.inf, 0.7)]),
}


def minimize(fun, x0, constraints, bounds=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optimize.minimize(
            lambda x: 0.5 * np.sum(fun(x) ** 2), x0, constraints=constraints, bounds=bounds, method="SLSQP",
            options=dict(ftol=1e-15, maxiter=1000),
        )  # fmt: skip


def check_kkt(fit, fun, constraints, atol=1e-6):
    """The first-order conditions, with derivatives by complex steps."""

    def jacobian(f):
        columns = [np.imag(np.atleast_1d(f(fit.x + 1e-30j * unit))) / 1e-30 for unit in np.eye(len(fit.x))]
        return np.stack(columns, axis=1)

    slopes = jacobian(fun).T @ fun(fit.x)
    for c, v in zip(constraints, fit.v):
        f = c.fun if hasattr(c, "fun") else lambda x, matrix=np.atleast_2d(c.A): matrix @ x
        values = np.atleast_1d(f(fit.x))
        slopes = slopes + jacobian(f).T @ v
        low, high = np.broadcast_to(c.lb, values.shape), np.broadcast_to(c.ub, values.shape)
        assert np.all(values >= low - 1e-7) and np.all(values <= high + 1e-7)
        assert np.all((v <= 0) | (np.abs(values - high) < 1e-6)) and np.all((v >= 0) | (np.abs(values - low) < 1e-6))
    np.testing.assert_allclose(slopes, 0.0, atol=atol)


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs", "autodiff"])
@pytest.mark.parametrize("fun, x0, constraints", PROBLEMS.values(), ids=PROBLEMS.keys())
def test_minima_are_those_of_scipy(fun, x0, constraints, jac):
    for c in constraints:
        if hasattr(c, "fun"):
            c.jac = jac
    fit = vesta.least_squares(fun, x0, jac=jac, constraints=constraints, **TIGHT)
    assert fit.success and fit.constr_violation < 1e-8
    for c in constraints:
        if hasattr(c, "fun"):
            c.jac = "2-point"
    theirs = minimize(fun, x0, constraints)
    np.testing.assert_allclose(fit.cost, theirs.fun, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(fit.x, theirs.x, rtol=1e-4, atol=1e-5)
    check_kkt(fit, fun, constraints, 1e-4 if jac == "2-point" else 1e-5)


@pytest.mark.parametrize("name", ["in a disk", "on a line", "two curves"])
def test_multipliers_are_those_of_trust_constr(name):
    fun, x0, constraints = PROBLEMS[name]
    fit = vesta.least_squares(fun, x0, jac="3-point", constraints=constraints, **TIGHT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = optimize.minimize(
            lambda x: 0.5 * np.sum(fun(x) ** 2), x0, constraints=constraints, method="trust-constr",
            options=dict(gtol=1e-10, xtol=1e-12, barrier_tol=1e-12, maxiter=3000),
        )  # fmt: skip
    np.testing.assert_allclose(fit.x, theirs.x, rtol=1e-5)
    for ours, v, values in zip(fit.v, theirs.v, theirs.constr):
        np.testing.assert_allclose(ours, v, rtol=1e-3, atol=1e-5)
        assert ours.shape == values.shape


@pytest.mark.parametrize("loss", ["soft_l1", "huber", "cauchy", "arctan"])
def test_losses(loss):
    constraint = Linear([[1.0, 1.0]], 3.0, 3.0)
    fit = vesta.least_squares(distances, [1.0, 1.0], loss=loss, f_scale=0.3, constraints=constraint, **TIGHT)
    # Eliminated by hand.
    plain = vesta.least_squares(lambda p: distances(np.stack([p[0], 3.0 - p[0]])), [1.0], loss=loss, f_scale=0.3, **TIGHT)
    np.testing.assert_allclose(fit.x, [plain.x[0], 3.0 - plain.x[0]], rtol=1e-5)
    np.testing.assert_allclose(fit.cost, plain.cost, rtol=1e-9)


def test_linear_problems_have_the_solution_of_the_kkt_matrix(rng):
    a, b = rng.normal(size=(12, 5)), rng.normal(size=12)
    c, d = rng.normal(size=(2, 5)), rng.normal(size=2)
    kkt = np.block([[a.T @ a, c.T], [c, np.zeros((2, 2))]])
    expected = np.linalg.solve(kkt, np.concatenate([a.T @ b, d]))
    fit = vesta.least_squares(lambda x: a @ x - b, np.zeros(5), jac=lambda x: a, constraints=[Linear(c, d, d)], **TIGHT)
    np.testing.assert_allclose(fit.x, expected[:5], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(fit.v[0], expected[5:], rtol=1e-5, atol=1e-8)


def pool_adjacent_violators(y):
    """The closest nondecreasing sequence: means of pools."""
    pools = []
    for value in y:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            value, count = pools.pop()
            pools[-1][0] = (pools[-1][0] * pools[-1][1] + value * count) / (pools[-1][1] + count)
            pools[-1][1] += count
    return np.concatenate([np.full(count, value) for value, count in pools])


@pytest.mark.parametrize("kind", ["dense", "sparse constraint", "sparse Jacobian", "both sparse", "nonlinear and sparse"])
def test_isotonic_regression(rng, kind):
    n = 40
    y = np.sqrt(np.arange(n)) + rng.normal(size=n)
    steps = np.diff(np.eye(n), axis=0)
    matrix = sparse.csr_matrix(steps) if kind in ("sparse constraint", "both sparse") else steps
    constraint = Linear(matrix, 0.0, np.inf)
    if kind == "nonlinear and sparse":
        constraint = Nonlinear(lambda x: np.exp(steps @ x), 1.0, np.inf, jac=lambda x: sparse.csr_matrix(np.exp(steps @ x)[:, None] * steps))
    jac = (lambda x: sparse.identity(n, format="csr")) if kind in ("sparse Jacobian", "both sparse", "nonlinear and sparse") else "2-point"
    fit = vesta.least_squares(lambda x: x - y, np.zeros(n), jac=jac, constraints=constraint, **TIGHT)
    assert fit.success
    np.testing.assert_allclose(fit.x, pool_adjacent_violators(y), atol=1e-6)
    assert fit.v[0].shape == (n - 1,) and np.all(fit.v[0] <= 0.0)


def test_a_sparse_constraint_whose_pattern_grows():
    """At the start, the second entry of the gradient of x0 * x1 is 0, and absent."""

    def jac(x):
        return sparse.csr_matrix(np.array([[x[1], x[0], 0.0]]))

    for residual_jac in ("2-point", lambda x: sparse.identity(3, format="csr")):
        fit = vesta.least_squares(
            lambda x: x - [1.0, 2.0, 3.0], [0.0, 1.0, 0.0], jac=residual_jac,
            constraints=Nonlinear(lambda x: x[0] * x[1], 1.0, 1.0, jac=jac), **TIGHT,
        )  # fmt: skip
        theirs = minimize(lambda x: x - [1.0, 2.0, 3.0], [0.5, 1.0, 0.0], Nonlinear(lambda x: x[0] * x[1], 1.0, 1.0))
        np.testing.assert_allclose(fit.x, theirs.x, atol=1e-5)


@pytest.mark.parametrize("unit_of_x", [1e-9, 1.0, 1e7])
@pytest.mark.parametrize("unit_of_f", [1e-9, 1.0, 1e6])
@pytest.mark.parametrize("unit_of_c", [1e-6, 1.0, 1e6])
def test_units_change_only_units(unit_of_x, unit_of_f, unit_of_c):
    plain = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=Nonlinear(square, -np.inf, 1.0), **TIGHT)
    fit = vesta.least_squares(
        lambda x: unit_of_f * rosenbrock(x / unit_of_x), np.array([0.1, 0.2]) * unit_of_x,
        constraints=Nonlinear(lambda x: unit_of_c * square(x / unit_of_x), -np.inf, unit_of_c), **TIGHT,
    )  # fmt: skip
    assert fit.success
    np.testing.assert_allclose(fit.x / unit_of_x, plain.x, rtol=1e-6)
    np.testing.assert_allclose(fit.v[0] * unit_of_c / unit_of_f**2, plain.v[0], rtol=1e-3)


def test_a_bound_is_as_a_constraint():
    bounded = vesta.least_squares(rosenbrock, [0.1, 0.2], bounds=([-1, -1], [0.6, 2]), constraints=Linear([1, 1], -9, 9), **TIGHT)
    written = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=Linear(np.eye(2), [-1, -1], [0.6, 2]), **TIGHT)
    np.testing.assert_allclose(bounded.x, written.x, rtol=1e-7)
    assert bounded.x[0] == 0.6 and list(bounded.active_mask) == [1, 0] and bounded.optimality < 1e-4


def test_points_are_within_bounds():
    """The solution is on a bound, and the function has no value at x <= -0.1."""
    seen = []

    def root(x):
        seen.append(x[0])
        return np.sqrt(x[0] + 0.1) + x[1]

    fit = vesta.least_squares(
        lambda x: x - [-1.0, 3.0], [1.0, 1.0], bounds=([0, -np.inf], np.inf), constraints=Nonlinear(root, 2.0, 2.0)
    )
    assert fit.success and min(seen) >= 0.0
    np.testing.assert_allclose(fit.x, [0.0, 2.0 - np.sqrt(0.1)], atol=1e-7)


def test_infeasible_constraints_are_named():
    constraints = [Nonlinear(square, -np.inf, 1.0), Linear([[1, 0]], -5, 5), Linear([[1, 1]], 3, np.inf)]
    fit = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=constraints)
    assert fit.status == -3 and not fit.success
    assert "`constraints[0]`" in fit.message and "`constraints[2]`" in fit.message and "constraints[1]" not in fit.message
    # The point between: on the diagonal, outside of the disk.
    np.testing.assert_allclose(fit.x[0], fit.x[1], rtol=0.1)
    assert np.sqrt(0.5) < fit.x[0] < 1.5 and fit.constr_violation > 0.1
    with pytest.raises(RuntimeError, match=r"constraints\[0\]"):
        vesta.curve_fit(lambda t, a, b: a + b * t, [0.0, 1, 2], [0.0, 1, 3], [0.1, 0.2], constraints=constraints)


@pytest.mark.parametrize("as_sequence", [list, tuple])
def test_objects_are_read_by_their_attributes(as_sequence):
    linear = types.SimpleNamespace(A=[[1.0, 1.0]], lb=1.0, ub=1.0, keep_feasible=False)
    curve = types.SimpleNamespace(fun=square, lb=-np.inf, ub=[0.6], jac="cs", keep_feasible=np.array([False]))
    fit = vesta.least_squares(lambda x: x - [2.0, 0.0], [0.1, 0.2], constraints=as_sequence([linear, curve]), **TIGHT)
    x = (1 + np.sqrt(0.2)) / 2  # x + y = 1, x^2 + y^2 = 0.6
    np.testing.assert_allclose(fit.x, [x, 1 - x], rtol=1e-7)


def test_no_constraints_are_no_change():
    plain = vesta.least_squares(rosenbrock, [2.0, 2.0])
    for none in (None, [], ()):
        fit = vesta.least_squares(rosenbrock, [2.0, 2.0], constraints=none)
        np.testing.assert_array_equal(fit.x, plain.x)
        assert "v" not in fit and fit.nfev == plain.nfev


def raises(x):
    raise KeyError("mine")


def nan_at_the_start(x):
    return np.array([1.0, np.nan])


def other_length(x):
    return np.ones(1 + (x[0] != 0.1))


MISTAKES = {
    "a dict": (dict(type="eq", fun=square), TypeError, r"`constraints`: expected a scipy.optimize.NonlinearConstraint.*fun, 0, 0\)"),
    "a dict of a list": ([dict(type="ineq", fun=square)], TypeError, r"`constraints\[0\]`: expected .*fun, 0, numpy.inf\)"),
    "a function": ([square], TypeError, r"`constraints\[0\]`: expected .*NonlinearConstraint\(fun, lb, ub\)"),
    "fun is no function": ([Nonlinear(3, 0, 1)], TypeError, r"`constraints\[0\].fun`: expected a function, got int"),
    "text": ("abc", TypeError, r"`constraints`: expected .*got str"),
    "bounds": ([Linear([1, 1], 0, 1), optimize.Bounds(0, 1)], TypeError, r"`constraints\[1\]`: expected .*`bounds`"),
    "lb > ub": ([Linear([1, 1], 0, 1), Nonlinear(square, 2, 1)], ValueError, r"`constraints\[1\]`: no value .*coordinate 0"),
    "infinite lb": (Nonlinear(square, np.inf, np.inf), ValueError, r"`constraints`: no value"),
    "lb NaN": (Nonlinear(square, np.nan, 1), ValueError, r"`constraints`: no value"),
    "lb of a wrong shape": (Nonlinear(square, [0, 0], 1), ValueError, r"`constraints.lb`: expected .*\(1,\)"),
    "ub text": (types.SimpleNamespace(fun=square, jac="cs", lb=0, ub="x", keep_feasible=False), ValueError, r"`constraints.ub`: expected"),
    "columns of A": ([Linear(np.eye(3), 0, 1)], ValueError, r"`constraints\[0\].A`: expected 2 columns, got shape \(3, 3\)"),
    "A of text": ([types.SimpleNamespace(A="x", lb=0, ub=0, keep_feasible=False)], ValueError, r"`constraints\[0\].A`"),
    "A with NaN": ([Linear([[1.0, np.nan]], 0, 1)], ValueError, r"`constraints\[0\]`.*not finite"),
    "A masked": ([types.SimpleNamespace(A=np.ma.masked_equal([[1.0, 2.0]], 2.0), lb=0, ub=0, keep_feasible=False)], ValueError, r"`constraints\[0\].A`.*masked"),
    "NaN": ([Nonlinear(nan_at_the_start, 0, 1)], ValueError, r"`constraints\[0\].fun`: the values at the initial point are not finite"),
    "matrix": ([Nonlinear(lambda x: np.eye(2), 0, 1)], ValueError, r"`constraints\[0\].fun`: expected an array with at most one"),
    "None": ([Nonlinear(lambda x: None, 0, 1)], ValueError, r"`constraints\[0\].fun`: expected .*got None. Does the function return"),
    "complex": ([Nonlinear(lambda x: np.array([1j]), 0, 1)], ValueError, r"`constraints\[0\].fun`: expected real"),
    "jac": ([Nonlinear(square, 0, 1, jac="4-point")], ValueError, r"`constraints\[0\].jac`: expected a function or one of"),
    "shape of jac": ([Nonlinear(square, 0, 1, jac=lambda x: np.eye(2))], ValueError, r"`constraints\[0\].jac`: expected shape \(1, 2\)"),
    "NaN in jac": ([Nonlinear(square, 0, 1, jac=lambda x: [[np.nan, 1]])], ValueError, r"`constraints\[0\]`: the Jacobian at the initial"),
    "keep_feasible": ([Nonlinear(square, 0, 1, keep_feasible=True)], ValueError, r"`constraints\[0\]`: keep_feasible"),
    "length": ([Nonlinear(other_length, 0, 1)], ValueError, r"`constraints\[0\].fun`: expected 1 values as at the initial point, got 2"),
    "exception": ([Nonlinear(raises, 0, 1)], KeyError, "mine"),
}  # fmt: skip


@pytest.mark.parametrize("constraints, error, message", MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_named(constraints, error, message):
    x0 = np.array([0.1, 0.2])
    with pytest.raises(error, match=message):
        vesta.least_squares(rosenbrock, x0, constraints=constraints)
    np.testing.assert_array_equal(x0, [0.1, 0.2])


@pytest.mark.parametrize("iterable", [list, tuple, iter, lambda given: np.array(given, dtype=object), lambda given: dict.fromkeys(given)])
def test_constraints_are_any_iterable(iterable):
    given = [Nonlinear(square, -np.inf, 1.0), Linear([1.0, 1.0], -np.inf, 50.0)]
    if iterable(given).__class__ is dict:
        with pytest.raises(TypeError, match="`constraints`: expected"):
            vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=iterable(given))
        return
    fit = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=iterable(given))
    assert fit.success and len(fit.v) == 2 and fit.constr_violation < 1e-8


def test_functions_are_called_within_bounds():
    """Second derivatives of constraints are differences: they need no other points either."""
    outside = []

    def curved(x):
        outside.append(not (0.0 <= x[0] <= 0.6 and -1.0 <= x[1] <= 0.3))
        return x[0] ** 2 + x[1] ** 2 + x[0] * x[1]

    for jac in (lambda x: [2 * x[0] + x[1], 2 * x[1] + x[0]], "2-point", "3-point"):
        fit = vesta.least_squares(
            rosenbrock, [0.1, 0.2], bounds=([0.0, -1.0], [0.6, 0.3]), constraints=Nonlinear(curved, 0.4, 0.5, jac=jac), **TIGHT
        )
        assert fit.success and fit.constr_violation < 1e-8
    assert len(outside) > 10 and not any(outside)


@pytest.mark.parametrize("method", ["lm", "dogbox"])
def test_methods_without_constraints_say_so(method):
    with pytest.raises(ValueError, match=f"Method '{method}' does not take `constraints`"):
        vesta.least_squares(rosenbrock, [0.1, 0.2], method=method, constraints=Linear([1, 1], 0, 1))
    with pytest.raises(ValueError, match=f"Method '{method}' does not take `constraints`"):
        vesta.curve_fit(lambda t, a: a * t, [1.0, 2], [1.0, 2], method=method, constraints=Linear([1], 0, 1))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_an_exception_during_the_solve_names_the_constraint(kind):
    x0 = np.array([0.1, 0.2])
    calls = []

    def late(x):
        calls.append(1)
        if len(calls) > 5:
            raise KeyError("mine")
        return square(x)

    jac = (lambda x: sparse.csr_matrix([[2 * x[0], 2 * x[1]]])) if kind == "sparse" else (lambda x: [[2 * x[0], 2 * x[1]]])
    residual_jac = (lambda x: sparse.csr_matrix([[-20 * x[0], 10], [-1, 0]])) if kind == "sparse" else "2-point"
    with pytest.raises(KeyError, match="mine") as caught:
        vesta.least_squares(rosenbrock, x0, jac=residual_jac, constraints=[Linear([1, 1], -9, 9), Nonlinear(late, -1, 1, jac=jac)])
    assert len(calls) > 5
    if sys.version_info >= (3, 11):
        assert any("constraints[1]" in note for note in caught.value.__notes__)
    np.testing.assert_array_equal(x0, [0.1, 0.2])


def test_steps_to_where_a_constraint_is_nan_are_not_taken():
    fit = vesta.least_squares(
        lambda x: x - [-3.0, 1.0], [1.0, 1.0], constraints=Nonlinear(lambda x: np.log(x[0]) if x[0] > 0 else np.nan, -1.0, np.inf)
    )
    assert fit.success
    np.testing.assert_allclose(fit.x, [np.exp(-1.0), 1.0], rtol=1e-6)


@pytest.mark.parametrize("where", ["values", "Jacobian"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_constraint_that_is_nan_but_at_the_start_is_named(kind, where):
    x0 = np.array([1.0, 1.0])

    def at(x, part):
        return np.nan if part == where and x[0] != x0[0] else 1.0

    def jac(x):
        matrix = np.array([[1.0, at(x, "Jacobian")]])
        return sparse.csr_matrix(matrix) if kind == "sparse" else matrix

    constraints = [Linear([1, 0], -9, 9), Nonlinear(lambda x: 7.0 * at(x, "values"), 0.0, 1.0, jac=jac)]
    residual_jac = (lambda x: sparse.identity(2, format="csr")) if kind == "sparse" else "2-point"
    fit = vesta.least_squares(lambda x: x - [-3.0, 1.0], x0, jac=residual_jac, constraints=constraints)
    assert fit.status <= 0 and "constraints[1]" in fit.message
    np.testing.assert_array_equal(fit.x, x0)


# --- The curvature of sparse constraints ------------------------------------------------------------------------------


@pytest.mark.parametrize("jac", ["given", "2-point"])
def test_sparse_constraints_have_curvature(rng, jac):
    """The closest points of unit spheres to points near their centers: the multipliers are most of the Hessian."""
    n = 15
    near = 0.2 * rng.normal(size=(n, 3))
    rows, columns = np.repeat(np.arange(n), 3), np.arange(3 * n)

    def slopes(z):
        return sparse.csr_matrix((2.0 * z, (rows, columns)), shape=(n, 3 * n))

    arguments = dict(jac=slopes) if jac == "given" else dict(finite_diff_jac_sparsity=slopes(np.ones(3 * n)))
    fit = vesta.least_squares(
        lambda z: z - near.ravel(), np.sign(near).ravel() + 0.5, jac=lambda z: sparse.identity(3 * n, format="csr"),
        constraints=Nonlinear(lambda z: np.sum(z.reshape(n, 3) ** 2, axis=1), 1.0, 1.0, **arguments), **TIGHT,
    )  # fmt: skip
    closest = near / np.linalg.norm(near, axis=1, keepdims=True)
    np.testing.assert_allclose(fit.x, closest.ravel(), atol=1e-5)
    # 50 evaluations and more without second derivatives.
    assert fit.success and fit.nfev <= (15 if jac == "given" else 40)


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), ([0.0] * 5, [0.7, 0.5, 1.5, 2.0, 9.0])])
def test_second_derivatives_of_sparse_constraints(bounds):
    """Of x0 x1 x2, of x1 exp(x4), of a linear row and of one that is longer than the solver asks for."""
    from vesta._least_squares import blocks

    blocks_of = blocks.Squares
    pattern = sparse.csr_matrix([[1.0, 1, 1, 0, 0], [0, 1, 0, 0, 1], [0, 0, 0, 1, 1], [1, 1, 1, 1, 0]])

    def entries(y):
        full = np.array([
            [y[1] * y[2], y[0] * y[2], y[0] * y[1], 0, 0], [0, np.exp(y[4]), 0, 0, y[1] * np.exp(y[4])], [0, 0, 0, 2.0, 3.0],
            [y[1], y[0], y[3], y[2], 0],
        ])  # fmt: skip
        return full[pattern.nonzero()]

    class Squares(blocks_of):
        MOST = 3

    y = np.array([0.7, 0.5, 1.5, 2.0, 0.3])
    upper = np.broadcast_to(np.asarray(bounds[1], dtype=float), (5,))
    squares = Squares(pattern, False)
    assert list(squares.begin) == [0, 9, 13, 17, 17]
    found = squares.differences(entries, y, upper)
    e = np.exp(0.3)
    expected = [0, 1.5, 0.5, 1.5, 0, 0.7, 0.5, 0.7, 0, 0, e, e, 0.5 * e, 0, 0, 0, 0]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert len(Squares(pattern, True).differences(entries, y, upper)) == 0


def test_many_rows():
    """A sparse constraint of 20000 rows, each of which is named and has a multiplier."""
    n = 20000
    y = np.sin(np.arange(n) * 0.7)
    constraint = Linear(sparse.identity(n, format="csr"), -0.5, 0.5)
    fit = vesta.least_squares(lambda x: x - y, np.zeros(n), jac=lambda x: sparse.identity(n, format="csr"), constraints=constraint, **TIGHT)
    np.testing.assert_allclose(fit.x, np.clip(y, -0.5, 0.5), atol=1e-7)
    np.testing.assert_allclose(fit.v[0], y - np.clip(y, -0.5, 0.5), atol=1e-6)


def test_limits_and_callbacks_end_a_solve():
    constraint = Nonlinear(square, -np.inf, 1.0)
    fit = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=constraint, max_nfev=4)
    assert fit.status == 0 and 4 <= fit.nfev <= 6
    points = []

    def callback(x):
        points.append(x.copy())
        if len(points) == 3:
            raise StopIteration

    fit = vesta.least_squares(rosenbrock, [0.1, 0.2], constraints=constraint, callback=callback)
    assert fit.status == -2 and len(points) == 3
    np.testing.assert_array_equal(fit.x, points[-1])


def test_options_reach_the_solver():
    constraint = Nonlinear(square, 1.5, 1.5)
    coarse = vesta.least_squares(rosenbrock, [3, -2], constraints=constraint, ftol=1e-3, options=dict(constraint_tolerance=1e-2))
    fine = vesta.least_squares(rosenbrock, [3, -2], constraints=constraint)
    assert fine.constr_violation < 1e-8 and coarse.nfev < fine.nfev
    with pytest.raises(ValueError, match="constraint_tolerance"):
        vesta.least_squares(rosenbrock, [3, -2], constraints=constraint, options=dict(constraint_tolerance=-1.0))


# --- curve_fit --------------------------------------------------------------------------------------------------------

T = np.linspace(0, 1, 30)
Y = np.exp(T) + 0.05 * np.cos(40 * T)


def parabola(t, a, b, c):
    return a + b * t + c * t**2


@pytest.mark.parametrize("absolute_sigma", [True, False])
@pytest.mark.parametrize("sigma", [None, 0.1 + 0.2 * T])
def test_the_covariance_is_that_of_the_eliminated_model(sigma, absolute_sigma):
    """a + b + c = e, of which c is eliminated by hand."""
    arguments = dict(sigma=sigma, absolute_sigma=absolute_sigma)
    params, covariance = vesta.curve_fit(parabola, T, Y, constraints=Linear([1, 1, 1], np.e, np.e), **arguments, **TIGHT)
    reduced, small = vesta.curve_fit(lambda t, a, b: parabola(t, a, b, np.e - a - b), T, Y, **arguments)
    np.testing.assert_allclose(params, [*reduced, np.e - reduced.sum()], rtol=1e-6)
    chain = np.array([[1.0, 0], [0, 1], [-1, -1]])
    np.testing.assert_allclose(covariance, chain @ small @ chain.T, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e6])
def test_the_covariance_is_the_block_of_the_inverse_of_the_kkt_matrix(unit):
    """A curved constraint, twice, and one that is not active; in any unit of c."""
    def scaled(t, a, b, c):
        return parabola(t, a, b, c / unit)

    constraints = [
        Nonlinear(lambda p: p[0] * p[1], 0.8, 0.8), Nonlinear(lambda p: 7 * p[0] * p[1], 5.6, 5.6), Linear([1, 0, 0], -9, 9),
    ]  # fmt: skip
    params, covariance = vesta.curve_fit(
        scaled, T, Y, [1, 1, unit], constraints=constraints, sigma=np.full(30, 0.1), absolute_sigma=True, **TIGHT
    )
    jac = np.stack([np.ones(30), T, T**2 / unit], axis=1) / 0.1
    gradient = np.array([[params[1], params[0], 0.0]])
    units = np.diag([1, 1, unit])
    jac = jac @ units
    kkt = np.block([[jac.T @ jac, gradient.T], [gradient, np.zeros((1, 1))]])
    expected = units @ np.linalg.inv(kkt)[:3, :3] @ units
    np.testing.assert_allclose(covariance, expected, rtol=1e-4, atol=1e-7 * np.max(np.abs(expected)))


def test_an_inactive_constraint_leaves_the_covariance():
    params, covariance = vesta.curve_fit(parabola, T, Y, constraints=Linear([1, 1, 1], -9, 9), **TIGHT)
    plain, expected = vesta.curve_fit(parabola, T, Y)
    np.testing.assert_allclose(params, plain, rtol=1e-6)
    np.testing.assert_allclose(covariance, expected, rtol=1e-5)


def test_constraints_that_leave_nothing_free_give_no_variance():
    params, covariance = vesta.curve_fit(parabola, T, Y, constraints=Linear(np.eye(3), [1, 2, 3], [1, 2, 3]))
    np.testing.assert_allclose(params, [1, 2, 3], rtol=1e-8)
    np.testing.assert_array_equal(covariance, np.zeros((3, 3)))


def test_a_direction_that_nothing_determines_is_reported():
    """a and b count as their sum; a constraint on c does not help, one on a does."""
    def double(t, a, b, c):
        return a + b + c * t

    with pytest.warns(vesta.OptimizeWarning, match="could not be estimated"):
        vesta.curve_fit(double, T, Y, constraints=Linear([0, 0, 1], 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, covariance = vesta.curve_fit(double, T, Y, constraints=Linear([1, 0, 0], 1, 1))
    assert np.all(np.isfinite(covariance)) and covariance[0, 0] < 1e-20


def test_the_example_of_the_docs_runs(source_folder, capsys):
    snippet = source_folder.parent / "docs" / "snippets" / "constraints.py"
    if not snippet.exists():
        pytest.skip("A source distribution has no docs.")
    names = {}
    exec(compile(snippet.read_text(), "constraints.py", "exec"), names)
    a, tau, b = names["params"]
    assert abs(b) < 1e-8 and a / tau <= 1.3 + 1e-8 and names["error"][2] < 1e-12 < names["error"][0]
    np.testing.assert_allclose(np.linalg.norm(np.diff(names["chain"], axis=0), axis=1), 0.2, atol=1e-7)
    assert "CONVERGENCE" in capsys.readouterr().out
