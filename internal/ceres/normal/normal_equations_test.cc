// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/kernels/every_target.h"
#include "ceres/kernels/normal_kernels.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/normal/gathered_cholesky.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A chain of blocks of one size with closures and priors: what pose graphs are.
std::unique_ptr<RandomJacobian> MakeChain(int num_blocks, int size) {
  auto result = std::make_unique<RandomJacobian>();
  BlockJacobianStructure& s = result->structure;
  std::mt19937 random(1);
  for (int b = 0; b < num_blocks; ++b) {
    s.column_offset.push_back(s.num_columns() + size);
  }
  AppendRowBlock(size, {0}, &s);
  for (int b = 1; b < num_blocks; ++b) {
    AppendRowBlock(size, {b - 1, b}, &s);
    // Some pairs have several rows, some the later block first.
    const int other = static_cast<int>(random() % num_blocks);
    if (other != b) AppendRowBlock(size, {b, other}, &s);
  }
  CutIntoRowChunks(&s);
  FillJacobian(&random, result.get());
  result->damping = Eigen::VectorXd::Constant(s.num_columns(), 0.5);
  return result;
}

std::vector<std::unique_ptr<RandomJacobian>> AllProblems() {
  std::vector<std::unique_ptr<RandomJacobian>> all;
  for (const int size : {1, 3, 6, 9}) all.push_back(MakeChain(40, size));
  RandomSchurOptions options;
  options.num_points = 0;
  options.num_cameras = 16;
  options.camera_sizes = {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 16, 17, 18};
  options.row_sizes = {1, 2, 3, 4, 5, 6, 9};
  options.num_other_rows = 80;
  all.push_back(MakeRandomSchurJacobian(options));
  options.num_other_rows = 5;  // most blocks are touched by no row
  all.push_back(MakeRandomSchurJacobian(options));
  options.num_other_rows = 1000;  // many products for each block
  all.push_back(MakeRandomSchurJacobian(options));
  return all;
}

struct Assembled {
  explicit Assembled(const NormalEquations& equations)
      : values(equations.pattern().num_values()),
        negative_gradient(equations.pattern().size()) {}
  AlignedBuffer values;
  std::vector<double> negative_gradient;
};

Assembled Assemble(const RandomJacobian& problem, const Execution& execution,
                   const double* damping) {
  NormalEquations equations(execution, problem.structure);
  Assembled result(equations);
  equations.Assemble(problem.jacobian, damping, result.values.data(),
                     result.negative_gradient.data());
  return result;
}

// The upper triangle; what is not in the pattern is zero.
Eigen::MatrixXd ToDense(const BlockSymmetricStructure& s,
                        const double* values) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(s.size(), s.size());
  for (int i = 0; i < s.num_blocks(); ++i) {
    for (int k = s.first_entry[i]; k < s.first_entry[i + 1]; ++k) {
      const int j = s.entry_column[k];
      const int rows = s.block_offset[i + 1] - s.block_offset[i];
      const int columns = s.block_offset[j + 1] - s.block_offset[j];
      EXPECT_EQ(s.value_offset[k + 1] - s.value_offset[k], rows * columns);
      dense.block(s.block_offset[i], s.block_offset[j], rows, columns) =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                         Eigen::RowMajor>>(
              values + s.value_offset[k], rows, columns);
    }
  }
  return dense;
}

TEST(NormalEquations, AreThoseOfTheDenseJacobianOnEveryTarget) {
  for (const auto& problem : AllProblems()) {
    for (const bool is_damped : {false, true}) {
      const NormalEquations equations({}, problem->structure);
      const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
      Eigen::MatrixXd expected = j.transpose() * j;
      if (is_damped) {
        expected.diagonal() += problem->damping.array().square().matrix();
      }
      const Eigen::VectorXd expected_rhs =
          -j.transpose() * DenseResiduals(problem->jacobian);
      kernels::ForEachTarget([&] {
        const Assembled out = Assemble(
            *problem, {}, is_damped ? problem->damping.data() : nullptr);
        const Eigen::MatrixXd error =
            ToDense(equations.pattern(), out.values.data()) - expected;
        EXPECT_LT(Eigen::MatrixXd(error.triangularView<Eigen::Upper>())
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-12);
        const Eigen::Map<const Eigen::VectorXd> rhs(
            out.negative_gradient.data(), expected_rhs.size());
        EXPECT_LT((rhs - expected_rhs).cwiseAbs().maxCoeff(), 1e-12);
      });
    }
  }
}

TEST(NormalEquations, PatternHasTheDiagonalFirstAndColumnsAscending) {
  for (const auto& problem : AllProblems()) {
    const NormalEquations equations({}, problem->structure);
    const BlockSymmetricStructure& s = equations.pattern();
    for (int i = 0; i < s.num_blocks(); ++i) {
      EXPECT_EQ(s.entry_column[s.first_entry[i]], i);
      for (int k = s.first_entry[i] + 1; k < s.first_entry[i + 1]; ++k) {
        EXPECT_LT(s.entry_column[k - 1], s.entry_column[k]);
      }
    }
  }
}

TEST(NormalEquations, AssembleAgainOverwritesWhatWasThere) {
  const auto problem = MakeChain(40, 3);
  NormalEquations equations({}, problem->structure);
  Assembled out(equations);
  const Assembled expected = Assemble(*problem, {}, problem->damping.data());
  for (int repetition = 0; repetition < 2; ++repetition) {
    equations.Assemble(problem->jacobian, problem->damping.data(),
                       out.values.data(), out.negative_gradient.data());
    for (size_t k = 0; k < out.values.size(); ++k) {
      ASSERT_EQ(out.values.data()[k], expected.values.data()[k]);
    }
    EXPECT_EQ(out.negative_gradient, expected.negative_gradient);
  }
}

TEST(NormalEquations, BitsDoNotDependOnTheNumberOfThreads) {
  RandomJacobianOptions options;
  options.num_column_blocks = 40;
  options.num_row_blocks = 10000;
  for (const auto& problem :
       {MakeChain(5000, 6), MakeRandomJacobian(options)}) {
    EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
      const Assembled out =
          Assemble(*problem, execution, problem->damping.data());
      return std::pair(
          std::vector<double>(out.values.data(),
                              out.values.data() + out.values.size()),
          out.negative_gradient);
    }));
  }
}

SchurSolverOptions NativeSparse() {
  SchurSolverOptions options;
  options.sparse.library = NATIVE_SPARSE;
  return options;
}

void ExpectDenseStepOnEveryTarget(const RandomJacobian& problem,
                                  const double* damping) {
  const auto solver =
      CreateGatheredCholeskySolver(NativeSparse(), {}, problem.structure);
  ASSERT_NE(solver, nullptr);
  LinearSolver::SolveOptions options;
  options.damping = damping;
  const Eigen::VectorXd expected = DenseStep(problem.jacobian, damping);
  Eigen::VectorXd step(expected.size());
  kernels::ForEachTarget([&] {
    for (int repetition = 0; repetition < 2; ++repetition) {
      const LinearSolverSummary summary =
          solver->Solve(problem.jacobian, options, step.data());
      ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess);
      EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
      const double decrease = DenseModelCostChange(problem.jacobian, step);
      EXPECT_NEAR(summary.model_cost_change, decrease, 1e-10 * decrease);
    }
  });
}

TEST(GatheredCholesky, StepIsThatOfTheDenseNormalEquationsOnEveryTarget) {
  for (const int size : {3, 6}) {
    for (const int num_blocks : {1, 2, 3, 5, 60, 90}) {
      const auto problem = MakeChain(num_blocks, size);
      ExpectDenseStepOnEveryTarget(*problem, problem->damping.data());
    }
    ExpectDenseStepOnEveryTarget(*MakeChain(5, size), nullptr);
  }
}

TEST(GatheredCholesky, RowsMayHaveMoreThanTwoCells) {
  for (const int size : {3, 6}) {
    auto problem = MakeChain(40, size);
    BlockJacobianStructure& s = problem->structure;
    for (int b = 0; b + 9 < 40; ++b) {
      AppendRowBlock(size, {b + 9, b, b + 4}, &s);
    }
    CutIntoRowChunks(&s);
    std::mt19937 random(2);
    FillJacobian(&random, problem.get());
    ExpectDenseStepOnEveryTarget(*problem, problem->damping.data());
  }
}

TEST(GatheredCholesky, BitsDoNotDependOnTheNumberOfThreads) {
  const auto problem = MakeChain(2000, 3);
  LinearSolver::SolveOptions options;
  options.damping = problem->damping.data();
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    Eigen::VectorXd step(problem->structure.num_columns());
    EXPECT_EQ(CreateGatheredCholeskySolver(NativeSparse(), execution,
                                           problem->structure)
                  ->Solve(problem->jacobian, options, step.data())
                  .termination,
              LinearSolverTermination::kSuccess);
    return step;
  }));
}

TEST(GatheredCholesky, SingularMatrixIsAFailureThatNamesAPivot) {
  auto problem = MakeChain(30, 3);
  double* const values = problem->jacobian.values.data();
  std::fill_n(values, problem->structure.num_values(), 0.0);
  Eigen::VectorXd step(problem->structure.num_columns());
  const LinearSolverSummary summary =
      CreateGatheredCholeskySolver(NativeSparse(), {}, problem->structure)
          ->Solve(problem->jacobian, {}, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
  EXPECT_NE(summary.message.find("pivot of row"), std::string::npos)
      << summary.message;
}

TEST(GatheredCholesky, IsForTheNativeLibraryAndCellsOfOneSize) {
  const auto is_made = [](const SchurSolverOptions& options,
                          const BlockJacobianStructure& structure) {
    return CreateGatheredCholeskySolver(options, {}, structure) != nullptr;
  };
  const auto chain = MakeChain(40, 3);
  EXPECT_TRUE(is_made(NativeSparse(), chain->structure));
  EXPECT_FALSE(is_made(NativeSparse(), MakeChain(40, 9)->structure));
  SchurSolverOptions other = NativeSparse();
  other.sparse.library = EIGEN_SPARSE;
  EXPECT_FALSE(is_made(other, chain->structure));
  other = NativeSparse();
  other.sparse.single_precision = true;
  EXPECT_FALSE(is_made(other, chain->structure));
  // A row of two residuals.
  BlockJacobianStructure mixed = chain->structure;
  AppendRowBlock(2, {3}, &mixed);
  CutIntoRowChunks(&mixed);
  EXPECT_FALSE(is_made(NativeSparse(), mixed));
}

TEST(NormalEquations, ShapesAreThoseOfTheRowsThatTouchABlock) {
  const auto shape_of_first = [](const RandomJacobian& problem) {
    const NormalEquations equations({}, problem.structure);
    return equations.View(problem.jacobian).shape[0];
  };
  using kernels::NormalShape;
  EXPECT_EQ(shape_of_first(*MakeChain(40, 3)), NormalShape::k3);
  EXPECT_EQ(shape_of_first(*MakeChain(40, 6)), NormalShape::k6);
  EXPECT_EQ(shape_of_first(*MakeChain(40, 9)), NormalShape::kAny);
}

TEST(NormalEquations, AreGatheredUnlessABlockRowHasMostOfTheWork) {
  EXPECT_TRUE(
      NormalEquations::AreWorthGathering(MakeChain(5000, 6)->structure));
  // One row chunk: nothing to share.
  EXPECT_TRUE(NormalEquations::AreWorthGathering(MakeChain(2, 1)->structure));
  // Two blocks and many rows: a curve fit.
  BlockJacobianStructure fit;
  fit.column_offset = {0, 1, 2};
  for (int row = 0; row < 30000; ++row) AppendRowBlock(1, {0, 1}, &fit);
  CutIntoRowChunks(&fit);
  EXPECT_FALSE(NormalEquations::AreWorthGathering(fit));
}

}  // namespace
}  // namespace ceres::internal
