# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""least_squares beside SciPy's, on problems that SciPy documents and on published ones."""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import vesta
from vesta import least_squares

scipy_optimize = pytest.importorskip("scipy.optimize")
sparse = pytest.importorskip("scipy.sparse")


def rosenbrock(x):
    return np.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def rosenbrock_jac(x):
    return np.array([[-20 * x[0], 10], [-1, 0]])


def tridiagonal(x):
    """Problem 30 of Moré, Garbow and Hillstrom (1981): each residual has a variable and its two neighbours."""
    padded = np.pad(x, 1)
    return (3 - 2 * x) * x - padded[:-2] - 2 * padded[2:] + 1


def tridiagonal_jac(x):
    n = x.size
    return sparse.diags([np.full(n - 1, -1.0), 3 - 4 * x, np.full(n - 1, -2.0)], [-1, 0, 1])


def exponential_data(outliers):
    rng = np.random.default_rng(3)
    t = np.linspace(0, 3, 20)
    y = 0.5 + 2.0 * np.exp(-t) + 0.1 * rng.normal(size=20)
    y[:outliers] *= 5
    return t, y


def exponential(x, t, y):
    return x[0] + x[1] * np.exp(x[2] * t) - y


def costs_agree(ours, theirs):
    assert ours.success
    scale = max(theirs.cost, 1e-12)
    # Ours may be lower, where SciPy stops early.
    assert ours.cost <= theirs.cost * (1 + 1e-10) + 1e-12, (ours.cost, theirs.cost)
    assert abs(ours.cost - theirs.cost) <= 1e-6 * scale + 1e-12


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs", "autodiff", rosenbrock_jac])
@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_rosenbrock(method, jac):
    result = least_squares(rosenbrock, [2, 2], jac=jac, method=method)
    np.testing.assert_allclose(result.x, [1, 1], atol=1e-6)
    assert result.success and result.cost < 1e-12
    assert result.fun.shape == (2,) and result.jac.shape == (2, 2) and result.grad.shape == (2,)
    np.testing.assert_allclose(result.grad, result.jac.T @ result.fun, atol=1e-9)
    np.testing.assert_array_equal(result.active_mask, [0, 0])


@pytest.mark.parametrize("method", ["trf", "dogbox"])
def test_rosenbrock_in_bounds(method):
    result = least_squares(rosenbrock, [2, 2], jac=rosenbrock_jac, bounds=([-np.inf, 1.5], np.inf), method=method)
    theirs = scipy_optimize.least_squares(
        rosenbrock, [2, 2], jac=rosenbrock_jac, bounds=([-np.inf, 1.5], np.inf), xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    costs_agree(result, theirs)
    np.testing.assert_array_equal(result.active_mask, [0, -1])
    np.testing.assert_allclose(result.x, theirs.x, rtol=1e-6)
    assert result.optimality < 1e-4


@pytest.mark.parametrize("loss", ["linear", "soft_l1", "huber", "cauchy", "arctan"])
@pytest.mark.parametrize("f_scale", [0.1, 1.0])
def test_robust_fits_have_scipys_cost(loss, f_scale):
    t, y = exponential_data(2)
    if loss == "arctan" and f_scale < 1.0:
        pytest.skip("This cost has several minima.")
    arguments = dict(x0=[1.0, 1.0, -0.5], loss=loss, f_scale=f_scale, args=(t, y))
    ours = least_squares(exponential, **arguments, ftol=1e-14, xtol=1e-12, gtol=1e-12)
    theirs = scipy_optimize.least_squares(exponential, **arguments, ftol=1e-14, xtol=1e-12, gtol=1e-12)
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-10)
    np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-4)
    np.testing.assert_allclose(ours.fun, theirs.fun, atol=1e-4)
    # The scaled Jacobian is the Gauss-Newton one of the robust cost.
    assert ours.jac.shape == theirs.jac.shape
    np.testing.assert_allclose(ours.jac, theirs.jac, atol=2e-3 * np.abs(theirs.jac).max())


def test_loss_as_a_function():
    t, y = exponential_data(2)

    def cauchy(z):
        return np.array([np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2])

    named = least_squares(exponential, [1, 1, -0.5], loss="cauchy", f_scale=0.1, args=(t, y), ftol=1e-14)
    given = least_squares(exponential, [1, 1, -0.5], loss=cauchy, f_scale=0.1, args=(t, y), ftol=1e-14)
    assert given.cost == pytest.approx(named.cost, rel=1e-10)
    with pytest.raises(ValueError, match=r"shape \(3, 20\)"):
        least_squares(exponential, [1, 1, -0.5], loss=lambda z: z, args=(t, y))


def test_differences_by_groups_of_columns():
    n = 2000
    pattern = (tridiagonal_jac(np.ones(n)) != 0).astype(int)
    ours = least_squares(tridiagonal, -np.ones(n), jac_sparsity=pattern)
    assert ours.success and ours.cost < 1e-10
    assert sparse.issparse(ours.jac) and ours.jac.shape == (n, n)
    # Three groups of columns, and the point itself.
    assert ours.nfev < 20


def test_sparse_jacobian_function():
    n = 300
    jac = tridiagonal_jac
    ours = least_squares(tridiagonal, -np.ones(n), jac=jac)
    theirs = scipy_optimize.least_squares(tridiagonal, -np.ones(n), jac=jac)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-6)
    lsmr = least_squares(tridiagonal, -np.ones(n), jac=jac, tr_solver="lsmr", tr_options={"maxiter": 200})
    np.testing.assert_allclose(lsmr.x, theirs.x, atol=1e-6)
    # The root has values of -0.7.
    arguments = dict(jac=jac, loss="soft_l1", bounds=(-0.6, -0.1))
    robust = least_squares(tridiagonal, np.full(n, -0.5), **arguments)
    theirs = scipy_optimize.least_squares(tridiagonal, np.full(n, -0.5), **arguments)
    assert robust.cost <= theirs.cost * (1 + 1e-6)


def test_pattern_of_a_sparse_jacobian_may_grow():
    def fun(x):
        return np.array([x[0] - 1, x[0] * x[1] - 2])

    def jac(x):
        return sparse.csr_matrix(np.array([[1.0, 0.0], [x[1], x[0]]]))

    # The matrix of zeros of the start has no entry (1, 0) and (1, 1).
    result = least_squares(fun, [0.0, 0.0], jac=lambda x: _without_zeros(jac(x)))
    np.testing.assert_allclose(result.x, [1, 2], atol=1e-5)


def _without_zeros(matrix):
    matrix.eliminate_zeros()
    return matrix


def test_linear_operator_as_jacobian():
    from scipy.sparse.linalg import aslinearoperator

    result = least_squares(rosenbrock, [2, 2], jac=lambda x: aslinearoperator(rosenbrock_jac(x)))
    np.testing.assert_allclose(result.x, [1, 1], atol=1e-6)


def test_complex_variables_by_parts():
    def f(z):
        return z - (0.5 + 0.5j)

    def wrapped(x):
        value = f(x[0] + 1j * x[1])
        return np.array([value.real, value.imag])

    result = least_squares(wrapped, (0.1, 0.1), bounds=([0, 0], [1, 1]))
    np.testing.assert_allclose(result.x, [0.5, 0.5], atol=1e-6)


def test_x_scale_is_the_shape_of_the_trust_region():
    def badly_scaled(x):
        return np.array([1e4 * x[0] * x[1] - 1, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001])

    for x_scale in (1.0, [1e-5, 1.0], "jac"):
        result = least_squares(badly_scaled, [0.0, 1.0], x_scale=x_scale, max_nfev=5000)
        np.testing.assert_allclose(badly_scaled(result.x), 0, atol=1e-4)


def test_limit_on_evaluations():
    result = least_squares(rosenbrock, [-1.2, 1], jac=rosenbrock_jac, max_nfev=3)
    assert result.status == 0 and not result.success
    assert result.nfev <= 3
    assert result.cost <= 0.5 * np.sum(rosenbrock(np.array([-1.2, 1])) ** 2)


def test_status_says_which_tolerance_was_met():
    assert least_squares(rosenbrock, [2, 2], jac=rosenbrock_jac, ftol=None, xtol=None).status == 1
    t, y = exponential_data(0)
    start = [1.0, 1.0, -0.5]
    assert least_squares(exponential, start, args=(t, y), gtol=None, xtol=None).status == 2
    assert least_squares(exponential, start, args=(t, y), gtol=None, ftol=None, xtol=1e-4).status == 3


def test_evaluations_are_counted():
    calls = {"fun": 0, "jac": 0}

    def fun(x):
        calls["fun"] += 1
        return rosenbrock(x)

    def jac(x):
        calls["jac"] += 1
        return rosenbrock_jac(x)

    result = least_squares(fun, [2, 2], jac=jac)
    assert (result.nfev, result.njev) == (calls["fun"], calls["jac"])
    # One evaluation per step, and one Jacobian per accepted step.
    assert result.njev <= result.nfev


def test_args_and_kwargs():
    t, y = exponential_data(0)
    a = least_squares(exponential, [1, 1, -0.5], args=(t, y))
    b = least_squares(exponential, [1, 1, -0.5], kwargs={"t": t, "y": y})
    np.testing.assert_array_equal(a.x, b.x)


def test_verbose_prints(capsys):
    least_squares(rosenbrock, [2, 2], verbose=2)
    out = capsys.readouterr().out
    assert "iteration" in out and "Function evaluations" in out
    least_squares(rosenbrock, [2, 2])
    assert capsys.readouterr().out == ""


def test_callback():
    seen = []

    def with_result(intermediate_result):
        seen.append(intermediate_result.cost)

    least_squares(rosenbrock, [2, 2], callback=with_result)
    assert len(seen) > 1 and seen[-1] < seen[0]

    def stop(x):
        raise StopIteration

    result = least_squares(rosenbrock, [-1.2, 1], callback=stop)
    assert result.status == -2 and not result.success


def test_workers_map_differences():
    used = []

    def mapper(f, arguments):
        used.append(1)
        return map(f, arguments)

    result = least_squares(rosenbrock, [2, 2], workers=mapper)
    np.testing.assert_allclose(result.x, [1, 1], atol=1e-6)
    assert used


def test_workers_are_processes():
    # In a process of its own: libraries that other tests load may have threads that do not survive a fork.
    script = """
import os, numpy as np, vesta

def rosenbrock(x):
    if os.getpid() != parent:
        open(f"{os.getpid()}.process", "w").close()
    return np.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])

parent = os.getpid()
print(*vesta.least_squares(rosenbrock, [2, 2], workers=2).x)
"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, timeout=300)
        assert done.returncode == 0, done.stderr
        assert any(name.endswith(".process") for name in os.listdir(folder))
    np.testing.assert_allclose([float(word) for word in done.stdout.split()], [1, 1], atol=1e-6)


def test_differences_stay_within_bounds():
    def fun(x):
        assert np.all(x >= 0) and np.all(x <= 1), x
        return np.sqrt(x) - 0.5 + np.sqrt(1 - x)

    for jac in ("2-point", "3-point"):
        result = least_squares(fun, [0.0, 1.0, 1e-12], jac=jac, bounds=(0, 1), max_nfev=20)
        assert np.all(np.isfinite(result.x))


def test_exceptions_of_fun_arrive():
    class Mine(Exception):
        pass

    def fun(x):
        if x[0] < 1.9:
            raise Mine("x fell")
        return rosenbrock(x)

    with pytest.raises(Mine, match="x fell"):
        least_squares(fun, [2, 2], jac=rosenbrock_jac)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(x0=[[1.0, 2.0]]), "x0"),
        (dict(x0=[1j, 2]), "x0"),
        (dict(x0=[5, 5], bounds=(0, 1)), "infeasible"),
        (dict(bounds=(1, 0)), "lower bound"),
        (dict(bounds=([0, 0, 0], 1)), "bounds"),
        (dict(bounds=3), "pair"),
        (dict(method="newton"), "method"),
        (dict(method="lm", bounds=(0, 10)), "does not take bounds"),
        (dict(method="lm", loss="huber"), "loss='linear' only"),
        (dict(method="lm", jac_sparsity=np.eye(2)), "jac_sparsity"),
        (dict(jac="4-point"), "jac"),
        (dict(jac=lambda x: np.eye(3)), r"shape \(2, 2\), got \(3, 3\)"),
        (dict(loss="l3"), "loss"),
        (dict(f_scale=0.0), "f_scale"),
        (dict(x_scale=[1, -1]), "x_scale"),
        (dict(x_scale="auto"), "x_scale"),
        (dict(max_nfev=0), "max_nfev"),
        (dict(ftol=1e-20, xtol=None, gtol=None), "At least one"),
        (dict(tr_solver="qr"), "tr_solver"),
        (dict(tr_options={"speed": 1}), "tr_options"),
        (dict(verbose=3), "verbose"),
        (dict(fun=lambda x: np.array([np.nan, 1])), "not finite"),
        (dict(fun=lambda x: np.zeros((2, 2))), "one dimension"),
        (dict(fun=lambda x: np.array([1j])), "real"),
        (dict(fun=lambda x: x[:1], method="lm"), "as many residuals"),
    ],
)
def test_mistakes_are_named(arguments, message):
    arguments = {"fun": rosenbrock, "x0": [2.0, 2.0], **arguments}
    with pytest.raises(ValueError, match=message):
        least_squares(**arguments)


# --- Published problems: More, Garbow and Hillstrom, "Testing Unconstrained
# Optimization Software", 1981. Start, residuals, minimum of the sum of squares.


def helical(x):
    angle = np.arctan(x[1] / x[0]) / (2 * np.pi) + (0.5 if x[0] < 0 else 0.0)
    return np.array([10 * (x[2] - 10 * angle), 10 * (np.hypot(x[0], x[1]) - 1), x[2]])


def powell_singular(x):
    return np.array([x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, 10**0.5 * (x[0] - x[3]) ** 2])


def freudenstein(x):
    return np.array([-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1], -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1]])


BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])


def bard(x):
    u = np.arange(1.0, 16)
    v = 16 - u
    w = np.minimum(u, v)
    return BARD - (x[0] + u / (v * x[1] + w * x[2]))


def kowalik(x):
    y = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
    u = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
    return y - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])


def beale(x):
    return np.array([1.5, 2.25, 2.625]) - x[0] * (1 - x[1] ** np.arange(1, 4))


@pytest.mark.parametrize(
    "fun, x0, minimum",
    [
        (rosenbrock, [-1.2, 1], 0.0),
        (helical, [-1, 0, 0], 0.0),
        (powell_singular, [3, -1, 0, 1], 0.0),
        (freudenstein, [0.5, -2], 48.9842),
        (bard, [1, 1, 1], 8.21487e-3),
        (kowalik, [0.25, 0.39, 0.415, 0.39], 3.07505e-4),
        (beale, [1, 1], 0.0),
    ],
)
@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_published_minima(method, fun, x0, minimum):
    result = least_squares(fun, x0, jac="3-point", method=method)
    assert result.success
    assert 2 * result.cost == pytest.approx(minimum, rel=1e-5, abs=1e-10)


@pytest.mark.parametrize("fun, x0", [(bard, [1, 1, 1]), (kowalik, [0.25, 0.39, 0.415, 0.39]), (freudenstein, [0.5, -2])])
def test_default_tolerances_give_costs_of_ten_digits(fun, x0):
    ours = least_squares(fun, x0, jac="3-point")
    exact = scipy_optimize.least_squares(fun, ours.x, jac="3-point", ftol=3e-16, xtol=3e-16, gtol=3e-16)
    assert ours.cost == pytest.approx(exact.cost, rel=1e-10)


@pytest.mark.parametrize("smallest", [1.0, 1e-3, 1e-6, 0.0], ids=lambda s: f"smallest={s}")
def test_many_residuals_of_few_variables(smallest):
    """The minimum is no worse than SciPy's, also where J'J, which replaces J, is badly conditioned or singular."""
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(2000, 4))
    matrix[:, 3] = matrix[:, 0] + smallest * matrix[:, 3]
    target = rng.normal(size=2000)
    ours, theirs = (
        solver(lambda x: np.tanh(matrix @ x) - target, np.zeros(4), bounds=(-2.0, 2.0), x_scale=[1.0, 2.0, 1.0, 1.0],
               jac=lambda x: (1 - np.tanh(matrix @ x) ** 2)[:, None] * matrix)
        for solver in (vesta.least_squares, scipy_optimize.least_squares)
    )  # fmt: skip
    assert ours.success
    assert ours.cost <= theirs.cost * (1 + 1e-8)


def test_result_is_a_result_of_scipy():
    result = least_squares(rosenbrock, [2, 2])
    assert isinstance(result, scipy_optimize.OptimizeResult)
    theirs = scipy_optimize.least_squares(rosenbrock, [2, 2])
    assert set(theirs) <= set(result)
    assert vesta.OptimizeResult is scipy_optimize.OptimizeResult


def test_signature_is_that_of_scipy():
    import inspect

    ours = list(inspect.signature(least_squares).parameters)
    theirs = list(inspect.signature(scipy_optimize.least_squares).parameters)
    assert ours[: len(theirs)] == theirs
