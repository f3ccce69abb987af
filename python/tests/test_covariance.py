# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Covariances beside the inverse of J'J."""

import numpy as np
import pytest

import vesta
from vesta import costs


@pytest.fixture
def problem_of_three_blocks(rng):
    x = np.zeros((3, 2))
    problem = vesta.Problem()
    problem.add_costs(costs.prior(rng.normal(size=(3, 2)), 4.0 * np.eye(2)), [(x, np.arange(3))])
    weight = rng.normal(size=(2, 2))
    problem.add_batch(lambda a, b: a @ weight - b * 2.0, [(x, np.array([0, 1])), (x, np.array([1, 2]))])
    problem.solve()
    return problem, x


@pytest.mark.parametrize("algorithm", ["SPARSE_QR", "SPARSE_CHOLESKY", "DENSE_SVD"])
def test_covariance_is_the_inverse_of_the_normal_matrix(problem_of_three_blocks, algorithm):
    problem, x = problem_of_three_blocks
    jacobian = problem.evaluate(list(x)).jacobian.toarray()
    expected = np.linalg.inv(jacobian.T @ jacobian)
    covariance = vesta.Covariance(vesta.CovarianceOptions(algorithm_type=algorithm))
    assert covariance.compute([(x[0], x[0]), (x[0], x[2])], problem)
    np.testing.assert_allclose(covariance.get_covariance_block(x[0], x[0]), expected[:2, :2], rtol=1e-9)
    np.testing.assert_allclose(covariance.get_covariance_block(x[0], x[2]), expected[:2, 4:], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(covariance.get_covariance_block(x[2], x[0]), expected[4:, :2], rtol=1e-9, atol=1e-14)
    with pytest.raises(ValueError, match="not computed"):
        covariance.get_covariance_block(x[1], x[1])


def test_tangent_space_has_the_size_of_the_manifold():
    q = np.array([1.0, 0, 0, 0])
    problem = vesta.Problem()
    problem.add_costs(costs.prior(np.array([[1.0, 0.1, 0.2, 0.3]])), [(q.reshape(1, 4), 0)])
    problem.set_manifold(q, vesta.QuaternionManifold())
    problem.solve()
    covariance = vesta.Covariance()
    assert covariance.compute([(q, q)], problem)
    assert covariance.get_covariance_block(q, q).shape == (4, 4)
    assert covariance.get_covariance_block_in_tangent_space(q, q).shape == (3, 3)


def test_missing_rank_is_reported(caplog):
    x = np.zeros((1, 2))
    problem = vesta.Problem()
    problem.add_batch(lambda x: x[:, :1], [(x, np.array([0]))])
    covariance = vesta.Covariance()
    assert not covariance.compute([(x, x)], problem)
    assert "(1) No residual changes with coordinate 1 of parameter block 0 near these values." in caplog.text
    with pytest.raises(ValueError, match="not computed"):
        covariance.get_covariance_block(x, x)
    with pytest.raises(ValueError, match="not a parameter block"):
        covariance.compute([(np.zeros(2), x)], problem)
