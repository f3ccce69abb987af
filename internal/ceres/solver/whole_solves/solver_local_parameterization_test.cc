// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

//
// Programs that use local parameterizations solve as those that use manifolds.

#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/local_parameterization.h"
#include "ceres/manifold.h"
#include "ceres/rotation.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A rotation takes a point to another one.
struct Alignment {
  template <typename T>
  bool operator()(const T* q, T* residuals) const {
    const T p[3] = {T(from[0]), T(from[1]), T(from[2])};
    UnitQuaternionRotatePoint(q, p, residuals);
    for (int i = 0; i < 3; ++i) residuals[i] -= to[i];
    return true;
  }
  double from[3];
  double to[3];
};

class RotationProblem {
 public:
  RotationProblem() {
    const double axis[3] = {0.3, -0.8, 0.5};
    for (int k = 0; k < 5; ++k) {
      Alignment alignment = {{k - 2.0, 0.5 * k, 1.0 - 0.3 * k * k}, {}};
      AngleAxisRotatePoint(axis, alignment.from, alignment.to);
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Alignment, 3, 4>(new Alignment(alignment)),
          nullptr, q.data());
    }
  }
  Solver::Summary Solve() { return SolveWith(TightDenseQrOptions(), &problem); }

  std::vector<double> q = {1, 0, 0, 0};
  Problem problem;
};

TEST(SolverLocalParameterization, SolvesWithTheBitsOfTheManifold) {
  RotationProblem older, newer;
  older.problem.SetParameterization(older.q.data(),
                                    new QuaternionParameterization);
  newer.problem.SetManifold(newer.q.data(), new QuaternionManifold);
  const Solver::Summary summary = older.Solve();
  newer.Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_EQ(summary.num_effective_parameters, 3);
  EXPECT_LT(summary.final_cost, 1e-25);
  EXPECT_TRUE(SameBits(older.q, newer.q));
}

TEST(SolverLocalParameterization, GradientsAreCheckedOnIt) {
  RotationProblem rotation;
  rotation.problem.SetParameterization(rotation.q.data(),
                                       new QuaternionParameterization);
  Solver::Options options = DenseQrOptions();
  options.check_gradients = true;
  EXPECT_EQ(SolveWith(options, &rotation.problem).termination_type,
            CONVERGENCE);
}

}  // namespace
}  // namespace ceres::internal
