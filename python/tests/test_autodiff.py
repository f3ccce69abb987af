# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of dual arrays beside complex steps and central differences."""

import copy
import pickle

import numpy as np
import pytest

from vesta import autodiff


def jacobians(f, *arrays):
    dual = f(*autodiff.variables(*arrays))
    result, column = [], 0
    for array in arrays:
        result.append(autodiff.jacobian(dual, column, array.shape[-1]))
        column += array.shape[-1]
    return dual.value, result


def differences(f, *arrays):
    """d f / d arrays[b][:, c], by central differences, with all rows moved at once."""
    result = []
    for b, array in enumerate(arrays):
        columns = []
        for c in range(array.shape[-1]):
            h = 6e-6
            moved = [list(arrays), list(arrays)]
            for side, sign in zip(moved, (1, -1)):
                side[b] = array.copy()
                side[b][..., c] += sign * h
            columns.append((f(*moved[0]) - f(*moved[1])) / (2 * h))
        result.append(np.stack(columns, axis=-1))
    return result


def check(f, *arrays):
    value, ours = jacobians(f, *arrays)
    np.testing.assert_allclose(value, f(*arrays), rtol=1e-14)
    for a, b in zip(ours, differences(f, *arrays)):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-7, atol=2e-8 * max(1.0, np.abs(b).max()))


UNARY = [
    np.negative, np.positive, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh,
    np.arcsinh, np.arctanh, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt,
    np.square, np.reciprocal, np.absolute, np.fabs, np.deg2rad, np.rad2deg, np.radians, np.degrees, np.conjugate,
    np.sign, np.floor, np.ceil, np.trunc, np.rint, np.sinc,
]  # fmt: skip


@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_unary(function, rng):
    check(function, rng.uniform(0.1, 0.4, size=(5, 3)))


def test_arccosh_and_negative_values(rng):
    check(np.arccosh, rng.uniform(1.5, 3, size=(5, 3)))
    check(np.absolute, rng.uniform(-3, -1, size=(5, 3)))


BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.power, np.arctan2, np.hypot, np.maximum, np.minimum, np.fmax,
    np.fmin, np.logaddexp, np.copysign, np.fmod, np.remainder, np.float_power,
]  # fmt: skip


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_binary(function, rng):
    a, b = rng.uniform(1, 2, size=(5, 3)), rng.uniform(2.1, 3, size=(5, 3))
    check(function, a, b)
    check(lambda x: function(x, 2.5), a)
    check(lambda x: function(2.5, x), a)
    check(lambda x: function(x, x[:, ::-1] + 0.1), a)
    check(lambda x, y: function(x[:, :1], y), a, b)
    check(lambda x: function(x, np.array([1.1, 2.2, 3.3])), a)
    check(lambda x: function(x[:, 0], x[:, 2] + 0.1), a)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.stack([x[:, 0], x[:, 1] * x[:, 2]], axis=1),
        lambda x: np.stack([x[:, 0], x[:, 1] * x[:, 2]], axis=-1) ** 3,
        lambda x: np.stack([x[:, 0], np.ones(5)]).T,
        lambda x: np.concatenate([x[:, :2] * x[:, 1:], x], axis=1),
        lambda x: np.column_stack([x[:, 0], x[:, 1:], 2 * x[:, 1]]),
        lambda x: np.hstack([x[:, :1], x]),
        lambda x: np.vstack([x[:, 0], x[:, 1]]).T,
        lambda x: np.sum(x * x, axis=1),
        lambda x: np.sum(x * x, axis=-1, keepdims=True) * x,
        lambda x: (x * x).sum(axis=1),
        lambda x: x.mean(axis=1),
        lambda x: np.mean(x**2, axis=1),
        lambda x: np.prod(x, axis=1),
        lambda x: np.cumsum(x, axis=1),
        lambda x: np.where(x > 0.2, x * x, np.sin(x)),
        lambda x: np.where(x[:, :1] > 0.2, x, 1.0),
        lambda x: np.clip(x, 0.2, 0.3),
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.linalg.norm(x, axis=1, keepdims=True),
        lambda x: np.cross(x, np.array([1.0, 2.0, 3.0])),
        lambda x: np.cross(x, x[:, ::-1]),
        lambda x: np.einsum("ni,ni->n", x, x),
        lambda x: np.einsum("ni,ij,nj->n", x, np.arange(9.0).reshape(3, 3), x),
        lambda x: np.einsum("ij,nj->ni", np.arange(9.0).reshape(3, 3), x),
        lambda x: x @ np.arange(6.0).reshape(3, 2),
        lambda x: (np.arange(6.0).reshape(2, 3) @ x.T).T,
        lambda x: np.dot(x, np.arange(6.0).reshape(3, 2)),
        lambda x: np.max(x, axis=1),
        lambda x: np.min(x, axis=1),
        lambda x: x[:, [2, 0]],
        lambda x: x[..., 1:][:, ::-1],
        lambda x: x.T[1] * x.T[0],
        lambda x: np.moveaxis(x, 0, 1).T,
        lambda x: np.expand_dims(x, 1)[:, 0] + x.reshape(5, 3),
        lambda x: np.roll(x, 1, axis=1) * x,
        lambda x: np.diff(x, axis=1),
        lambda x: np.repeat(x, 2, axis=1) * np.tile(x, 2),
        lambda x: np.broadcast_to(x[:, :1], (5, 4)) * 2.0,
        lambda x: np.squeeze(x[:, :1]),
        lambda x: np.linalg.solve(_matrices(x), np.stack([x[:, :2]] * 1, axis=2))[:, :, 0],
        lambda x: np.linalg.inv(_matrices(x)).reshape(5, 4),
        lambda x: np.matmul(_matrices(x), x[:, :2, None])[:, :, 0],
        lambda x: np.array([1.0, 2.0, 3.0]) / x,
        lambda x: 2.0 ** x,
        lambda x: x ** 3 - x ** -2 + x ** 0.5,
        lambda x: (1.0 - x) / (1.0 + x),
        lambda x: abs(-x) + (+x),
        lambda x: x // 0.3 + x % 0.3 if False else np.remainder(x, 0.3),
        lambda x: sum(x[:, i] * (i + 1) for i in range(3)),
        lambda x: np.split(x, 3, axis=1)[1] * x,
    ],
)  # fmt: skip
def test_functions(f, rng):
    check(f, rng.uniform(0.1, 0.4, size=(5, 3)))


def _matrices(x):
    return np.stack([np.stack([x[:, 0] + 2, x[:, 1]], axis=1), np.stack([x[:, 2], x[:, 1] + 1], axis=1)], axis=1)


def test_assignment(rng):
    def f(x):
        result = np.zeros_like(x)
        result[:, 0] = x[:, 1] * x[:, 2]
        result[:, 1] = 3.0
        result[:, 2] = x[:, 0]
        result[:, 2] *= x[:, 1]
        return result

    check(f, rng.uniform(size=(4, 3)))


def many(values, layout):
    """values, repeated until NumPy's loops are used, in one of several layouts of memory."""
    tiled = np.tile(values, (400, 1))
    if layout == "columns":
        return np.asfortranarray(tiled)
    return np.repeat(tiled, 2, axis=0)[::2] if layout == "strided" else tiled


@pytest.mark.parametrize("layout", ["rows", "columns", "strided"])
@pytest.mark.parametrize("function", [*UNARY, *BINARY], ids=lambda f: f.__name__)
def test_large_arrays_have_the_derivatives_of_small_ones(function, layout, rng):
    arguments = [rng.uniform(0.1, 0.4, size=(5, 3)) for _ in range(2 if function in BINARY else 1)]
    value, small = jacobians(function, *arguments)
    large_value, large = jacobians(function, *(many(a, layout) for a in arguments))
    np.testing.assert_allclose(large_value, np.tile(value, (400, 1)), rtol=4e-15)
    for a, b in zip(large, small):
        np.testing.assert_allclose(a, np.tile(b, (400, 1, 1)), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("size", [3, 1000])
@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_a_number_and_an_array(function, size, rng):
    """Slopes and derivatives that are the same for all entries."""
    array, number = rng.uniform(0.1, 0.4, size=(size, 2)), np.array([0.3])
    check(lambda a, x: function(a, x[..., 0]), array, number)
    check(lambda a, x: function(x[..., 0], a), array, number)
    check(lambda x: function(x[..., 0], array) + function(array, x[..., 0]) + function(x[..., 0], 0.7), number)


@pytest.mark.parametrize("size", [3, 1000])
def test_power_near_the_ends_of_the_range(size):
    for base, exponent in ((1e-160, 2.5), (1e-110, 3.0), (1e150, 2.05), (0.0, 1.0), (0.0, 3.0), (-2.0, 3.0)):
        x = np.full((size, 1), base)
        slope = jacobians(lambda x: x**exponent, x)[1][0]
        np.testing.assert_allclose(slope.ravel(), exponent * base ** (exponent - 1), rtol=1e-13)


def test_values_of_large_arrays_are_those_of_numpy(rng):
    """A fit may take values from a call with derivatives."""
    x = rng.uniform(0.1, 0.4, size=5000)
    for function in (np.exp, np.log, np.sin, np.cos, np.tanh, np.arctan, lambda x: x**2.3, lambda x: np.arctan2(x, 0.3)):
        assert np.array_equal(function(autodiff.variables(x[:, None])[0][:, 0]).value, function(x))


def test_power_at_zero():
    value, (jacobian,) = jacobians(lambda x: x**2 + x**1 + x**0, np.zeros((1, 1)))
    assert value[0, 0] == 1.0 and jacobian[0, 0, 0] == 1.0
    _, (jacobian,) = jacobians(lambda x: np.hypot(x[:, 0], x[:, 1]), np.zeros((1, 2)))
    assert np.all(jacobian == 0.0)
    _, (jacobian,) = jacobians(lambda x: np.linalg.norm(x, axis=1), np.zeros((1, 2)))
    assert np.all(jacobian == 0.0)


def test_only_columns_that_are_used_are_stored():
    x, y = autodiff.variables(np.ones((7, 9)), np.ones((7, 3)))
    assert x[:, 2].columns == (2,)
    assert x[:, 3:6].columns == (3, 4, 5)
    assert (x[:, 0] * y[:, 1]).columns == (0, 10)
    assert x[:, 3:6][:, 1].columns == (4,)


def test_comparisons_are_of_values():
    (x,) = autodiff.variables(np.array([[1.0, 2.0]]))
    assert (x[:, 0] < x[:, 1]).all() and (x > 0).all()
    assert isinstance(np.isfinite(x), np.ndarray)


def test_what_would_lose_derivatives_is_refused():
    (x,) = autodiff.variables(np.ones((2, 2)))
    plain = np.zeros(2)
    with pytest.raises((TypeError, ValueError)) as error:
        plain[0] = x[0, 0]
    assert "numpy.stack" in str(error.value.__cause__ or error.value)
    with pytest.raises(TypeError, match="derivative of numpy.fft|derivative of numpy"):
        np.fft.fft(x)
    with pytest.raises(TypeError, match="derivative of numpy.spacing"):
        np.spacing(x)
    with pytest.raises(TypeError, match="would lose the derivatives"):
        np.asarray(x)


def test_bundle_adjustment_residuals(rng):
    """Rotation by angle-axis, as users write it."""

    def project(camera, point):
        r, t = camera[:, :3], camera[:, 3:6]
        theta = np.sqrt(np.sum(r * r, axis=1, keepdims=True))
        axis = r / theta
        dot = np.sum(axis * point, axis=1, keepdims=True)
        p = point * np.cos(theta) + np.cross(axis, point) * np.sin(theta) + axis * dot * (1 - np.cos(theta)) + t
        xy = -p[:, :2] / p[:, 2:]
        r2 = np.sum(xy * xy, axis=1, keepdims=True)
        return camera[:, 6:7] * (1 + r2 * (camera[:, 7:8] + r2 * camera[:, 8:9])) * xy

    camera = rng.uniform(0.2, 0.5, size=(6, 9))
    check(project, camera, rng.uniform(1, 2, size=(6, 3)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.polyval(x, np.linspace(-1, 1, 4)),
        lambda x: np.polyval([x[0], x[1] * x[2]], x),
        lambda x: np.polyval(np.array([1.0, 2.0, -1.0]), x),
        lambda x: np.interp(x, [0.0, 0.5, 2.0], [1.0, 3.0, -1.0]),
        lambda x: np.interp(np.array([-1.0, 0.1, 0.7, 1.9, 5.0]), [0.0, 1.0, 2.0], x),
        lambda x: np.interp(x - 1.0, [0.0, 0.5, 2.0], [1.0, 3.0, -1.0], left=0.0, right=7.0),
        lambda x: np.trapezoid(x * x, dx=0.5) if hasattr(np, "trapezoid") else np.trapz(x * x, dx=0.5),
        lambda x: (np.trapezoid if hasattr(np, "trapezoid") else np.trapz)(np.sin(x), x),
        lambda x: np.concatenate([part.ravel() for part in np.meshgrid(x, np.array([1.0, 2.0]))]),
        lambda x: np.meshgrid(x, x * x, x + 1, indexing="ij")[1].ravel(),
        lambda x: pytest.importorskip("scipy.special").erf(x) * pytest.importorskip("scipy.special").expit(x),
    ],
)
def test_functions_of_samples(function):
    x = np.array([0.3, 0.9, 1.7])
    dual = np.atleast_1d(function(autodiff.variables(x)[0]))
    exact = autodiff.jacobian(dual.reshape(-1), 0, 3)
    step = 1e-6
    columns = [
        (np.atleast_1d(function(x + step * e)) - np.atleast_1d(function(x - step * e))) / (2 * step) for e in np.eye(3)
    ]
    np.testing.assert_allclose(dual.value, np.atleast_1d(function(x)), rtol=1e-12)
    np.testing.assert_allclose(exact, np.stack(columns, axis=1), atol=1e-7)


@pytest.mark.parametrize(
    "name", ["erf", "erfc", "erfcx", "erfinv", "expit", "log_expit", "logit", "ndtr", "gamma", "gammaln", "j0", "j1", "i0", "exp1"]
)
def test_special_functions(name):
    function = getattr(pytest.importorskip("scipy.special"), name)
    x = np.array([0.2, 0.5, 0.9])
    exact = autodiff.jacobian(function(autodiff.variables(x)[0]), 0, 3)
    np.testing.assert_allclose(np.diag(exact), (function(x + 1e-6) - function(x - 1e-6)) / 2e-6, rtol=1e-7)
    assert np.count_nonzero(exact) == 3


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution(mode, rng):
    x, y = rng.normal(size=9), rng.normal(size=4)
    dual = np.convolve(*autodiff.variables(x, y), mode=mode)
    np.testing.assert_allclose(dual.value, np.convolve(x, y, mode=mode), rtol=1e-13)
    by_x, by_y = autodiff.jacobian(dual, 0, 9), autodiff.jacobian(dual, 9, 4)
    for k in range(9):
        np.testing.assert_allclose(by_x[:, k], np.convolve(np.eye(9)[k], y, mode=mode), atol=1e-13)
    for k in range(4):
        np.testing.assert_allclose(by_y[:, k], np.convolve(x, np.eye(4)[k], mode=mode), atol=1e-13)


def test_a_plain_array_takes_no_derivatives():
    x = autodiff.variables(np.ones(3))[0]
    array = np.ones(3)
    array += x  # The name is bound to the sum.
    assert np.array_equal(autodiff.jacobian(array, 0, 3), np.eye(3))
    for arguments in (dict(out=np.empty(3)), dict(where=np.array([True, False, True]))):
        with pytest.raises(TypeError, match="numpy.multiply takes no arguments `out` and `where`"):
            np.multiply(x, 2.0, **arguments)


def test_what_has_no_derivative_says_what_to_write():
    x = autodiff.variables(np.ones(3))[0]
    for function in (np.sort, np.median, np.linalg.eigvals):
        with pytest.raises(TypeError, match="differences"):
            function(x)
    out = np.zeros(3)
    with pytest.raises(TypeError, match="zeros_like"):
        out[:] = x
    with pytest.raises((TypeError, ValueError)) as error:
        out[0] = x[0]
    assert "zeros_like" in str(error.value) + str(error.value.__cause__)


# --- What users pass ----------------------------------------------------------------------------------------------

TIMES = np.linspace(0, 1, 5)
MATRIX = np.arange(12.0).reshape(4, 3)


def read_only(values):
    result = np.array(values)
    result.flags.writeable = False
    return result


def in_place(x):
    result = x * 1.0
    result += x
    result *= 2
    result -= TIMES[0]
    result /= x[0]
    result **= 2
    return result


def replaced(x):
    x = x * 1.0
    x[0] = x[1] * 2.0
    return x[0] * x + x[2]


USES = {
    "float32 data": lambda x: x[0] * TIMES.astype(np.float32),
    "data of ints": lambda x: x[0] * np.arange(5),
    "data of bools": lambda x: x[0] * (TIMES > 0.5) + x[1],
    "big-endian data": lambda x: x[0] * TIMES.astype(">f8"),
    "a list on the right": lambda x: x * [1, 2, 3],
    "a list on the left": lambda x: [1, 2, 3] * x,
    "a tuple": lambda x: (1, 2, 3) + x,
    "Fortran order": lambda x: np.asfortranarray(MATRIX) * x,
    "a transposed result": lambda x: (np.asfortranarray(MATRIX) * x).T,
    "broadcast data": lambda x: np.broadcast_to(TIMES, (2, 5)) * x[0],
    "read-only data": lambda x: read_only(TIMES) * x[0],
    "negative strides": lambda x: TIMES[::-1] * x[0] + x[1],
    "scalars of NumPy": lambda x: np.float32(2) * x * np.int64(3),
    "a number to the power": lambda x: 2**x,
    "powers": lambda x: x**3 + x**0 + x**-1 + x**0.5 + x**True,
    "powers of an array": lambda x: x ** np.array([0, 1, 2]),
    "negative bases": lambda x: (-x) ** 3,
    "operations in place": in_place,
    "an entry replaced": replaced,
    "negative indices": lambda x: x[-1] * x[-3] * TIMES,
    "indices of NumPy": lambda x: x[np.int64(1)] * TIMES,
    "masks": lambda x: x[np.array([True, False, True])],
    "a new axis": lambda x: x[:, None] * TIMES,
    "unpacking": lambda x: (lambda a, *rest: a * np.exp(-rest[0] * TIMES) + rest[1])(*x),
    "max and sorted": lambda x: max(x) * TIMES + sorted(x)[1],
    "a chain of comparisons": lambda x: x[0] * TIMES if 0 < x[0] < 1 else TIMES * 0,
    "remainders": lambda x: x % 0.4 + divmod(5, x)[1] + x // 0.4,
    "a vector times itself": lambda x: x @ x,
    "no variable": lambda x: np.ones(4) + 0 * x[0],
    "an entry": lambda x: x[0],
    "all variables": lambda x: x,
    "variance": lambda x: np.var(np.outer(x, TIMES) + x[:, None] ** 2, axis=1, ddof=1),
    "deviation": lambda x: np.std(np.outer(x, 1 + TIMES), axis=0, keepdims=True),
    "select": lambda x: np.select([TIMES > 0.7, TIMES > 0.2], [x[0], x[1] * TIMES], default=x[2]),
    "append": lambda x: np.append(np.outer(x, x), np.ones((1, 3)), axis=0),
    "reductions of ufuncs": lambda x: np.multiply.reduce(x) * np.maximum.reduce(x) + np.add.accumulate(x),
    "outer products of ufuncs": lambda x: np.multiply.outer(x, TIMES) + np.multiply.outer(TIMES, x).T,
    "copies": lambda x: copy.copy(x) * copy.deepcopy(x),
    "eight dimensions": lambda x: x.reshape((3,) + (1,) * 7) * 2,
    "many entries": lambda x: (x[0] * np.arange(5000) + x[1])[::500],
    "rows longer than a piece": lambda x: (np.outer(x, np.linspace(1, 2, 3000)) ** x[:, None])[:, ::700],
}


@pytest.mark.parametrize("f", USES.values(), ids=USES.keys())
def test_uses(f):
    x = np.array([0.3, 0.9, 1.7])
    dual = f(autodiff.variables(x)[0])
    steps = 1e-6 * np.eye(3)
    columns = [(np.ravel(f(x + h)) - np.ravel(f(x - h))) / 2e-6 for h in steps]
    np.testing.assert_allclose(dual.value, f(x), rtol=1e-12)
    np.testing.assert_allclose(autodiff.jacobian(dual.reshape(-1), 0, 3), np.stack(columns, axis=1), atol=1e-6)


def test_a_replaced_entry_of_the_variables_is_no_variable():
    (x,) = autodiff.variables(np.array([2.0, 3.0]))
    x[0] = x[1] * 2.0
    np.testing.assert_array_equal(autodiff.jacobian(x * x, 0, 2), [[0.0, 24.0], [0.0, 6.0]])
    assert x[0].columns == (0, 1) and float(x[0].value) == 6.0


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda x: x * 1j, "real numbers"),
        (lambda x: x * None, "real numbers"),
        (lambda x: x * "a", "real numbers"),
        (lambda x: x * np.ones(4), "broadcast"),
        (lambda x: x[5], "out of bounds"),
        (lambda x: x.reshape((3,) + (1,) * 8) * 2, "8 dimensions"),
        (lambda x: np.subtract.accumulate(x), "subtract.accumulate"),
    ],
)
def test_mistakes_are_named(mistake, message):
    with pytest.raises((TypeError, ValueError, IndexError), match=message):
        mistake(autodiff.variables(np.ones(3))[0])


def test_dual_arrays_can_be_pickled():
    (x,) = autodiff.variables(np.array([1.0, 2.0]))
    again = pickle.loads(pickle.dumps(x * x))
    np.testing.assert_array_equal(again.value, [1.0, 4.0])
    np.testing.assert_array_equal(again.derivative, [[2.0, 0.0], [0.0, 4.0]])
