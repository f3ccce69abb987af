// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/subset_preconditioner.h"

#include <numeric>
#include <string>
#include <vector>

#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

std::unique_ptr<RandomJacobian> Problem() {
  RandomJacobianOptions options;
  options.num_column_blocks = 30;
  options.max_column_size = 6;
  options.num_row_blocks = 500;
  return MakeRandomJacobian(options);
}

SparseCholesky::Options EigenSparse() {
  SparseCholesky::Options options;
  options.library = EIGEN_SPARSE;
  return options;
}

std::vector<int> EveryNthRow(const BlockJacobianStructure& structure, int n) {
  std::vector<int> rows;
  for (int row = n / 2; row < structure.num_row_blocks(); row += n) {
    rows.push_back(row);
  }
  return rows;
}

TEST(SubsetPreconditioner, InvertsTheDenseNormalMatrixOfItsRows) {
  const auto p = Problem();
  const BlockJacobianStructure& s = p->structure;
  const Eigen::MatrixXd j = DenseJacobian(p->jacobian);
  for (const int n : {1, 3, 50, 100000}) {
    const std::vector<int> rows = EveryNthRow(s, n);
    Eigen::MatrixXd expected =
        p->damping.array().square().matrix().asDiagonal();
    for (const int row : rows) {
      const auto q = j.middleRows(s.row_offset[row], s.row_size(row));
      expected += q.transpose() * q;
    }
    const auto preconditioner =
        CreateSubsetPreconditioner(EigenSparse(), {}, s, rows);
    std::string message;
    ASSERT_EQ(preconditioner->Update(p->jacobian, p->damping.data(), &message),
              LinearSolverTermination::kSuccess)
        << message;
    const Eigen::VectorXd x =
        Eigen::VectorXd::LinSpaced(s.num_columns(), -1.0, 1.0);
    Eigen::VectorXd y(x.size());
    preconditioner->Apply(x.data(), y.data());
    EXPECT_LT((expected * y - x).norm(), 1e-10 * x.norm()) << n;
  }
}

TEST(SubsetPreconditioner, UndeterminedColumnsAreAFailureThatNamesIt) {
  const auto p = Problem();
  const auto preconditioner =
      CreateSubsetPreconditioner(EigenSparse(), {}, p->structure, {0});
  std::string message;
  EXPECT_EQ(preconditioner->Update(p->jacobian, nullptr, &message),
            LinearSolverTermination::kFailure);
  EXPECT_NE(message.find("SUBSET"), std::string::npos) << message;
}

// Iterations of CGNR, and the step against a dense one.
int NumIterations(const RandomJacobian& p,
                  std::unique_ptr<NormalPreconditioner> preconditioner) {
  LinearSolver::SolveOptions options;
  options.damping = p.damping.data();
  options.r_tolerance = 1e-12;
  Eigen::VectorXd step(p.structure.num_columns());
  const LinearSolverSummary summary =
      CreateCgnrSolver({}, {}, p.structure, std::move(preconditioner))
          ->Solve(p.jacobian, options, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  const Eigen::VectorXd expected = DenseStep(p.jacobian, p.damping.data());
  EXPECT_LT((step - expected).norm(), 1e-8 * expected.norm());
  return summary.num_iterations;
}

TEST(SubsetPreconditioner, LargerSubsetsSaveIterations) {
  const auto p = Problem();
  std::vector<int> rows(p->structure.num_row_blocks());
  std::iota(rows.begin(), rows.end(), 0);
  const auto with_rows = [&](const std::vector<int>& subset) {
    return NumIterations(*p, CreateSubsetPreconditioner(EigenSparse(), {},
                                                        p->structure, subset));
  };
  // Everything: the solution in one step, but for rounding.
  EXPECT_LE(with_rows(rows), 2);
  // All but three: J'J + D'D differs from Q'Q + D'D by the rank of what is
  // missing, and conjugate gradients need one iteration for each.
  const int missing = p->structure.row_offset[3];
  const int few = with_rows({rows.begin() + 3, rows.end()});
  EXPECT_LE(few, missing + 2);
  EXPECT_LT(few, with_rows({rows.begin() + 250, rows.end()}));
}

}  // namespace
}  // namespace ceres::internal
