# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Batches of a Python function, of compiled code and of ready-made cost functions."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import vesta


def lines(rng, n=40):
    """Points on lines y = a x + b, one line for each of four groups."""
    groups = rng.integers(0, 4, size=n)
    truth = rng.normal(size=(4, 2))
    x = rng.uniform(-1, 1, size=n)
    y = truth[groups, 0] * x + truth[groups, 1]
    return groups, truth, np.stack([x, y], axis=1)


def residuals(line, data):
    return (line[:, 0] * data[:, 0] + line[:, 1] - data[:, 1])[:, None]


def jacobians(line, data):
    return [np.stack([data[:, 0], np.ones(len(data))], axis=1)[:, None, :]]


@pytest.mark.parametrize("jac", ["autodiff", "numeric", "jax", jacobians])
def test_batch_finds_the_parameters(rng, jac):
    if jac == "jax":
        pytest.importorskip("jax")
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    blocks = problem.add_batch(residuals, [(line, groups)], data, jac=jac)
    assert len(blocks) == 40 and problem.num_residuals() == 40
    problem.solve()
    np.testing.assert_allclose(line, truth, atol=1e-6)


@pytest.mark.parametrize("jac", ["autodiff", "numeric", "jax"])
def test_all_kinds_of_derivatives_agree_on_two_blocks(rng, jac):
    if jac == "jax":
        jnp = pytest.importorskip("jax.numpy")
    else:
        jnp = np

    def f(a, b, data):
        return jnp.stack([a[:, 0] * b[:, 1] - data[:, 0], jnp.sin(a[:, 1]) * jnp.exp(b[:, 0])], axis=1)

    a, b = rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
    i, j = rng.integers(0, 3, 20), rng.integers(0, 5, 20)
    data = rng.normal(size=(20, 1))
    problem = vesta.Problem()
    for x, index in ((a, i), (b, j)):
        for row in range(len(x)):
            problem.add_parameter_block(x[row])
    problem.add_batch(f, [(a, i), (b, j)], data, jac=jac)
    values = problem.evaluate()
    expected = np.zeros((40, 16))
    for row in range(20):
        x, y = a[i[row]], b[j[row]]
        expected[2 * row, 2 * i[row]] = y[1]
        expected[2 * row, 6 + 2 * j[row] + 1] = x[0]
        expected[2 * row + 1, 2 * i[row] + 1] = np.cos(x[1]) * np.exp(y[0])
        expected[2 * row + 1, 6 + 2 * j[row]] = np.sin(x[1]) * np.exp(y[0])
    np.testing.assert_allclose(values.jacobian.toarray(), expected, atol=1e-9)
    np.testing.assert_allclose(values.residuals.reshape(-1, 2)[:, 0], a[i, 0] * b[j, 1] - data[:, 0])


def test_jax_without_the_compiler_options(rng, monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.setattr(vesta._batch, "COMPILER_OPTIONS", {"no_such_option": True})
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    problem.add_batch(lambda p, d: p[:, 0] * d[:, 0] + p[:, 1] - d[:, 1], [(line, groups)], data, jac="jax")
    problem.solve()
    np.testing.assert_allclose(line, truth, atol=1e-8)


def test_wrong_shape_of_a_jax_function_is_named(rng):
    pytest.importorskip("jax")
    groups, _, data = lines(rng)
    with pytest.raises(ValueError, match=r"f: expected residuals of shape \(\d+, number of residuals\), got \(\)"):
        vesta.Problem().add_batch(lambda p, d: p.sum(), [(np.zeros((4, 2)), groups)], data, jac="jax")


@pytest.mark.parametrize("most_wasted", [0, 8])
@pytest.mark.parametrize("num_residuals", [2, 3])
def test_jax_has_the_jacobians_of_the_point_where_steps_are_rejected(monkeypatch, num_residuals, most_wasted):
    """Reverse and forward mode, with and without a function of residuals alone, beside autodiff."""
    pytest.importorskip("jax")
    monkeypatch.setattr(vesta._batch._Jax, "MOST_WASTED", most_wasted)

    def f(p, np):
        curve = 10 * (p[:, 1] - p[:, 0] ** 2)
        return np.stack([curve, 1 - p[:, 0], 0.1 * curve][:num_residuals], axis=1)

    solutions = []
    for jac in ("jax", "autodiff"):
        x = np.array([[-1.2, 1.0], [-1.5, 1.0]])
        module = __import__("jax").numpy if jac == "jax" else np
        problem = vesta.Problem()
        problem.add_batch(lambda p: f(p, module), [(x, np.arange(2))], jac=jac)
        summary = problem.solve(max_num_iterations=40)
        solutions.append(x)
    assert summary.num_unsuccessful_steps > 0
    np.testing.assert_allclose(solutions[0], solutions[1], rtol=1e-8, atol=1e-8)


def test_one_call_of_python_per_evaluation(rng):
    groups, truth, data = lines(rng)
    calls = {"f": 0, "jac": 0}

    def f(line, data):
        calls["f"] += 1
        return residuals(line, data)

    def jac(line, data):
        calls["jac"] += 1
        return jacobians(line, data)

    line = np.zeros((4, 2))
    problem = vesta.Problem()
    problem.add_batch(f, [(line, groups)], data, jac=jac, num_residuals=1)
    assert calls["f"] == 0
    summary = problem.solve()
    # The last step, which is too small to be listed, is evaluated, too.
    assert calls["f"] in (len(summary.iterations), len(summary.iterations) + 1)
    assert calls["jac"] == summary.num_jacobian_evaluations


def test_batch_and_single_blocks_and_losses_mix(rng):
    groups, truth, data = lines(rng)
    data[0, 1] += 100.0
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    problem.add_batch(residuals, [(line, groups)], data, loss=vesta.CauchyLoss(0.01))
    problem.add_costs(vesta.costs.prior(truth, 1e-6 * np.eye(2)), [(line, np.arange(4))])
    problem.solve(max_num_iterations=500)
    np.testing.assert_allclose(line, truth, atol=1e-3)


def test_constant_rows_are_kept(rng):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    problem.add_batch(residuals, [(line, groups)], data)
    problem.set_parameter_block_constant(line[1])
    problem.solve()
    np.testing.assert_array_equal(line[1], 0.0)
    np.testing.assert_allclose(line[[0, 2, 3]], truth[[0, 2, 3]], atol=1e-8)


def test_exceptions_of_a_batch_arrive_and_parameters_are_restored(rng):
    groups, truth, data = lines(rng)

    class Mine(Exception):
        pass

    count = [0]

    def f(line, data):
        count[0] += 1
        if count[0] == 4:
            raise Mine("fourth")
        return residuals(line, data)

    line = np.full((4, 2), 0.25)
    problem = vesta.Problem()
    problem.add_batch(f, [(line, groups)], data, num_residuals=1, loss=vesta.CauchyLoss(1.0))
    with pytest.raises(Mine, match="fourth"):
        problem.solve()
    np.testing.assert_array_equal(line, 0.25)


def test_wrong_results_of_a_batch_are_named(rng):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    for f, message in [
        (lambda line, data: np.zeros(3), r"f: expected residuals of shape \(40, "),
        (lambda line, data: np.zeros((3, 1)), r"f: expected residuals of shape \(40, "),
    ]:
        with pytest.raises(ValueError, match=message):
            vesta.Problem().add_batch(f, [(line, groups)], data)
    problem = vesta.Problem()
    problem.add_batch(residuals, [(line, groups)], data, jac=lambda line, data: [np.zeros((40, 1, 3))])
    with pytest.raises(ValueError, match=r"jacobians\[0\]: expected float64 of shape \(40, 1, 2\)"):
        problem.solve()


def test_mistakes_in_blocks_are_named(rng):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    with pytest.raises(TypeError, match=r"blocks\[0\]: expected a pair"):
        problem.add_batch(residuals, [line], data)
    with pytest.raises(TypeError, match=r"blocks\[0\]\[0\]: expected a NumPy array with one parameter block per row"):
        problem.add_batch(residuals, [(line[0], groups)], data)
    with pytest.raises(TypeError, match=r"blocks\[0\]\[1\]: expected integers"):
        problem.add_batch(residuals, [(line, groups * 1.0)], data)
    with pytest.raises(ValueError, match="index 9 of row 0 is out of range: the array has 4 rows"):
        problem.add_batch(residuals, [(line, np.full(40, 9))], data, jac=jacobians, num_residuals=1)
    with pytest.raises(ValueError, match="row 0 has a parameter block twice"):
        problem.add_batch(lambda a, b, d: a[:, :1], [(line, groups), (line, groups)], data)
    with pytest.raises(ValueError, match="jac: expected"):
        problem.add_batch(residuals, [(line, groups)], data, jac="symbolic")
    with pytest.raises(TypeError, match=r"blocks\[0\]: expected a pair"):
        problem.add_batch(residuals, [line[:1]], data)
    with pytest.raises(ValueError, match="blocks: expected at least one pair"):
        problem.add_batch(residuals, [], data)
    with pytest.raises(ValueError, match=r"blocks\[0\]\[1\]: expected one index for each row, got an array of shape \(40, 1\)"):
        problem.add_batch(residuals, [(line, groups[:, None])], data)
    with pytest.raises(ValueError, match="index 18446744073709551615 of row 3 is out of range"):
        problem.add_batch(residuals, [(line, np.array([0, 1, 2, 2**64 - 1], np.uint64))], data[:4])
    with pytest.raises(ValueError, match=r"blocks\[0\]\[0\]: the rows are empty"):
        problem.add_batch(lambda x, d: d, [(np.zeros((4, 0)), groups)], data)
    with pytest.raises(ValueError, match="num_residuals: expected a number > 0"):
        problem.add_batch(residuals, [(line, groups)], data, num_residuals=0)
    with pytest.raises(ValueError, match=r"blocks\[0\]\[0\].*masked"):
        problem.add_batch(residuals, [(np.ma.masked_equal(line, 0.0), groups)], data)
    read_only = line.copy()
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        problem.add_batch(residuals, [(read_only, groups)], data)
    assert problem.num_residual_blocks() == 0


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint32", "uint64"])
def test_indices_of_any_integers_are_the_same(rng, kind):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    values = []
    for indices in (groups, groups.astype(kind), np.repeat(groups, 2).astype(kind)[::2], list(map(int, groups))):
        problem = vesta.Problem()
        problem.add_batch(residuals, [(line, indices)], data)
        values.append(problem.evaluate().gradient)
    for value in values[1:]:
        np.testing.assert_array_equal(value, values[0])


def test_empty_batches_change_nothing(rng):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    for none in ([], np.zeros(0, int)):
        assert len(problem.add_batch(residuals, [(line, none)], data[:0])) == 0
    assert problem.num_residual_blocks() == problem.num_parameter_blocks() == 0
    problem.add_batch(residuals, [(line, groups)], data)
    problem.solve()
    np.testing.assert_allclose(line, truth, atol=1e-6)


@pytest.mark.parametrize("jac", ["numeric", lambda x: np.ones((4, 1, 1)) * 1j, "autodiff"])
def test_complex_values_are_refused(jac):
    x = np.ones((4, 1))
    problem = vesta.Problem()
    with pytest.raises(TypeError, match="expected real numbers, got complex"):
        problem.add_batch((lambda x: x) if callable(jac) else (lambda x: x * 1j), [(x, ROWS)], jac=jac, num_residuals=1)
        problem.solve()
    np.testing.assert_array_equal(x, 1.0)


def test_shared_block_by_a_single_index():
    """A circle: its center and radius are one block of all points."""
    angle = np.linspace(0, 6, 30)
    points = np.stack([1 + 2 * np.cos(angle), -1 + 2 * np.sin(angle)], axis=1)
    circle = np.array([[0.0, 0.0, 1.0]])
    problem = vesta.Problem()

    def distance(circle, points):
        return np.hypot(points[:, 0] - circle[:, 0], points[:, 1] - circle[:, 1]) - circle[:, 2]

    problem.add_batch(distance, [(circle, np.zeros(30, dtype=int))], points)
    problem.solve()
    np.testing.assert_allclose(circle[0], [1, -1, 2], atol=1e-7)


def test_batches_have_the_same_bits_for_every_number_of_threads(rng):
    groups, truth, data = lines(rng, 3000)
    results = []
    for threads in (1, 2, 4):
        line = np.zeros((4, 2))
        problem = vesta.Problem()
        problem.add_batch(residuals, [(line, groups)], data, loss=vesta.CauchyLoss(0.1))
        problem.solve(num_threads=threads)
        results.append(line)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_batch_that_refers_to_its_problem_is_collected(rng):
    groups, truth, data = lines(rng)
    problem = vesta.Problem()

    def f(line, data, problem=problem):
        return residuals(line, data)

    problem.add_batch(f, [(np.zeros((4, 2)), groups)], data)
    alive = weakref.ref(f)
    del problem, f
    gc.collect()
    assert alive() is None


# --- Compiled code -----------------------------------------------------------

SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_int32,
)  # fmt: skip


def line_in_c(parameters, data, residuals, jacobian, want_jacobian):
    residuals[0] = parameters[0] * data[0] + parameters[1] - data[1]
    if want_jacobian:
        jacobian[0] = data[0]
        jacobian[1] = 1.0
    return 1


@pytest.mark.parametrize("as_address", [False, True])
@pytest.mark.parametrize("jac", [True, False])
def test_ctypes_function(rng, jac, as_address):
    groups, truth, data = lines(rng)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    function = SIGNATURE(line_in_c)
    address = ctypes.cast(function, ctypes.c_void_p).value
    problem.add_compiled(address if as_address else function, [(line, groups)], data, 1, jac=jac)
    if not as_address:
        del function  # The problem keeps it.
    gc.collect()
    problem.solve()
    np.testing.assert_allclose(line, truth, atol=1e-8)


def test_numba_function_is_called_by_all_threads(rng):
    numba = pytest.importorskip("numba")
    from numba import carray, types

    signature = types.int32(
        types.CPointer(types.float64), types.CPointer(types.float64), types.CPointer(types.float64),
        types.CPointer(types.float64), types.int32,
    )  # fmt: skip

    @numba.cfunc(signature)
    def function(parameters, data, residuals, jacobian, want_jacobian):
        a, x, r = carray(parameters, 2), carray(data, 2), carray(residuals, 1)
        r[0] = a[0] * x[0] + a[1] - x[1]
        if want_jacobian:
            j = carray(jacobian, 2)
            j[0] = x[0]
            j[1] = 1.0
        return 1

    groups, truth, data = lines(rng, 5000)
    line = np.zeros((4, 2))
    problem = vesta.Problem()
    problem.add_compiled(function, [(line, groups)], data, 1)
    problem.solve(num_threads=2)
    np.testing.assert_allclose(line, truth, atol=1e-8)


def test_wrong_function_is_refused(rng):
    with pytest.raises(TypeError, match="function: expected an address"):
        vesta.Problem().add_compiled(line_in_c, [(np.zeros((1, 2)), [0])], np.zeros((1, 2)), 1)


def masked(values):
    result = np.ma.array(values)
    result[1] = np.ma.masked
    return result


ROWS = np.arange(4)
MASKED = {
    "residuals": (lambda x: masked(x), {}),
    "residuals of one dimension": (lambda x: masked(x[:, 0]), {}),
    "jac": (lambda x: x, dict(jac=lambda x: masked(np.ones((4, 1, 1))))),
    "jac in a list": (lambda x: x, dict(jac=lambda x: [masked(np.ones((4, 1, 1)))])),
    "data": (lambda x, d: x - d, dict(data=masked(np.ones((4, 1))))),
    "a constant of autodiff": (lambda x: x - masked(np.ones((4, 1))), dict(num_residuals=1)),
    "residuals of differences": (lambda x: masked(x), dict(jac="numeric", num_residuals=1)),
}


@pytest.mark.parametrize("f, options", MASKED.values(), ids=MASKED.keys())
def test_masked_values_are_refused(f, options):
    """As by least_squares: numpy.asarray takes the numbers under the mask, which would count as data."""
    x = np.ones((4, 1))
    with pytest.raises(ValueError, match="masked"):
        problem = vesta.Problem()
        problem.add_batch(f, [(x, ROWS)], **{"jac": "autodiff", **options})
        problem.solve()
    np.testing.assert_array_equal(x, 1.0)


def test_masked_arguments_are_refused_and_arrays_without_masked_values_are_not():
    x = np.ones((4, 1))
    with pytest.raises(ValueError, match="means.*masked"):
        vesta.costs.prior(masked(np.ones((4, 1))))
    with pytest.raises(ValueError, match="blocks.*masked"):
        vesta.Problem().add_batch(lambda x: x, [(x, masked(ROWS))])
    for kind in (vesta.AutoDiffCostFunction, vesta.NumericDiffCostFunction):
        block, problem = np.ones(2), vesta.Problem()
        problem.add_residual_block(kind(lambda p: p - masked(np.zeros(2)), 2, [2]), None, block)
        with pytest.raises(ValueError, match="masked"):
            problem.solve()
    problem = vesta.Problem()
    problem.add_batch(lambda x, d: np.ma.array(x - d), [(x, np.ma.array(ROWS))], np.ma.array(np.zeros((4, 1))), jac="numeric")
    problem.solve()
    np.testing.assert_allclose(x, 0.0, atol=1e-8)
