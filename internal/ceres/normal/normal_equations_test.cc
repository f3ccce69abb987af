// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/kernels/every_target.h"
#include "ceres/kernels/front_gather.h"
#include "ceres/kernels/front_layout.h"
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
  result->jacobian.structure = &s;
  result->jacobian.values.Resize(s.num_values());
  FillWithRandomValues(&random, result->jacobian.values.data(), s.num_values());
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

TEST(NormalEquations, AreThoseOfTheDenseJacobian) {
  for (const auto& problem : AllProblems()) {
    for (const bool is_damped : {false, true}) {
      const Assembled out =
          Assemble(*problem, {}, is_damped ? problem->damping.data() : nullptr);
      const NormalEquations equations({}, problem->structure);
      const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
      Eigen::MatrixXd expected = j.transpose() * j;
      if (is_damped) {
        expected.diagonal() += problem->damping.array().square().matrix();
      }
      const Eigen::MatrixXd dense =
          ToDense(equations.pattern(), out.values.data());
      EXPECT_LT((dense - expected)
                    .triangularView<Eigen::Upper>()
                    .toDenseMatrix()
                    .cwiseAbs()
                    .maxCoeff(),
                1e-12);
      const Eigen::VectorXd expected_rhs =
          -j.transpose() * DenseResiduals(problem->jacobian);
      EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(out.negative_gradient.data(),
                                                   expected_rhs.size()) -
                 expected_rhs)
                    .cwiseAbs()
                    .maxCoeff(),
                1e-12);
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
    const Assembled first = Assemble(*problem, {}, problem->damping.data());
    for (const int num_threads : {2, 3, 4, 8}) {
      TestThreads threads(num_threads);
      const Assembled out =
          Assemble(*problem, threads.execution(), problem->damping.data());
      for (size_t k = 0; k < out.values.size(); ++k) {
        ASSERT_EQ(out.values.data()[k], first.values.data()[k]) << num_threads;
      }
      ASSERT_EQ(out.negative_gradient, first.negative_gradient) << num_threads;
    }
  }
}

TEST(NormalEquations, KernelsOfEveryInstructionSetAgreeWithThePlainOne) {
  for (const auto& problem : AllProblems()) {
    const NormalEquations equations({}, problem->structure);
    const kernels::NormalView view = equations.View(problem->jacobian);
    const int num_blocks = equations.pattern().num_blocks();
    Assembled plain(equations);
    kernels::GatherNormalRowsPlain(view, problem->damping.data(), 0, num_blocks,
                                   plain.values.data(),
                                   plain.negative_gradient.data());
    kernels::ForEachTarget([&] {
      AlignedBuffer scratch(equations.scratch_size());
      Assembled fast(equations);
      kernels::GatherNormalRows(view, problem->damping.data(), 0, num_blocks,
                                scratch.data(), fast.values.data(),
                                fast.negative_gradient.data());
      for (size_t k = 0; k < fast.values.size(); ++k) {
        ASSERT_NEAR(fast.values.data()[k], plain.values.data()[k], 1e-12);
      }
      for (size_t k = 0; k < fast.negative_gradient.size(); ++k) {
        ASSERT_NEAR(fast.negative_gradient[k], plain.negative_gradient[k],
                    1e-12);
      }
    });
  }
}

// Columns of a front with blocks anywhere, and what goes there.
struct FrontProblem {
  FrontProblem(int size, int num_pivots, int num_below)
      : width(size * num_pivots), below(size * num_below + 5), values(20000) {
    std::mt19937 random(size);
    FillWithRandomValues(&random, values.data(), values.size());
    const auto draw = [&random](int n) {
      return static_cast<int>(random() % static_cast<unsigned>(n));
    };
    view.size = size;
    view.values = values.data();
    const auto number = [](const auto& list) {
      return static_cast<int>(list.size());
    };
    for (int b = 0; b < num_pivots; ++b) {
      const int diagonal = b * size;
      blocks.push_back({number(terms),
                        static_cast<int>(kernels::PivotPosition<double>(
                            width, diagonal, diagonal)),
                        (num_pivots - 1 - b) * size});
      for (int t = draw(4); t > 0; --t) {
        terms.push_back({draw(10000), 7 + draw(90), number(products)});
        for (int p = draw(3); p > 0; --p) {
          const int later = num_pivots - 1 - b;
          const bool is_pivot = later > 0 && draw(2) == 0;
          const int row =
              is_pivot ? size * (b + 1 + draw(later)) : draw(below - size + 1);
          products.push_back(
              {static_cast<int>(
                   is_pivot
                       ? kernels::PivotPosition<double>(width, row, diagonal)
                       : kernels::BelowPosition<double>(width, row, diagonal)),
               7 + draw(90)});
        }
      }
    }
    blocks.push_back({number(terms), 0, 0});
    terms.push_back({0, 0, number(products)});
    view.blocks = blocks.data();
    view.terms = terms.data();
    view.products = products.data();
    view.num_terms = number(terms) - 1;
  }

  // What is above the diagonal is undefined.
  std::vector<double> Defined(const double* columns) const {
    std::vector<double> result(
        columns, columns + kernels::FrontColumnsSize<double>(width, below));
    for (int j = 0; j < width; ++j) {
      for (int i = 0; i < j; ++i) {
        result[kernels::PivotPosition<double>(width, i, j)] = 0.0;
      }
    }
    return result;
  }

  int width, below;
  AlignedBuffer values;
  std::vector<kernels::GatherBlock> blocks;
  std::vector<kernels::GatherTerm> terms;
  std::vector<kernels::GatherProduct> products;
  kernels::GatherView view;
};

TEST(FrontGather, KernelsOfEveryInstructionSetAgreeWithThePlainOne) {
  for (const auto& problem :
       {FrontProblem(3, 1, 0), FrontProblem(3, 9, 4), FrontProblem(3, 2, 11),
        FrontProblem(6, 1, 2), FrontProblem(6, 5, 3)}) {
    const int64_t size =
        kernels::FrontColumnsSize<double>(problem.width, problem.below);
    std::vector<double> damping(problem.width);
    for (int k = 0; k < problem.width; ++k) damping[k] = 1.0 + k;
    const auto gather = [&](const auto& f, const double* damping,
                            std::vector<double>* gradient) {
      AlignedBuffer columns(size);
      std::fill_n(columns.data(), size, 0.0);
      gradient->resize(problem.width);
      f(problem.view, damping, 0, problem.width / problem.view.size,
        problem.width, columns.data(), gradient->data());
      return problem.Defined(columns.data());
    };
    for (const double* d : {static_cast<const double*>(nullptr),
                            static_cast<const double*>(damping.data())}) {
      std::vector<double> plain_gradient, gradient;
      const std::vector<double> plain =
          gather(kernels::GatherFrontPlain, d, &plain_gradient);
      kernels::ForEachTarget([&] {
        const std::vector<double> fast =
            gather(kernels::GatherFront, d, &gradient);
        for (int64_t k = 0; k < size; ++k) {
          ASSERT_NEAR(fast[k], plain[k], 1e-12);
        }
        for (int k = 0; k < problem.width; ++k) {
          ASSERT_NEAR(gradient[k], plain_gradient[k], 1e-12);
        }
      });
    }
  }
}

TEST(FrontGather, DecreaseOfPairsOfEveryInstructionSetAgreesWithThePlainOne) {
  for (const int size : {3, 6}) {
    const FrontProblem problem(size, 1, 2);
    std::mt19937 random(1);
    std::vector<double> step(500);
    FillWithRandomValues(&random, step.data(), step.size());
    std::vector<kernels::RowBlockOfPair> row_blocks;
    for (int k = 0; k < 20; ++k) {
      row_blocks.push_back({31 * k,
                            {31 * k + size, 900 + 37 * k},
                            {19 * k, k % 3 == 0 ? -1 : 7 * k}});
    }
    const double plain = kernels::PairsModelCostChangePlain(
        problem.view, row_blocks.data(), 1, 20, step.data());
    kernels::ForEachTarget([&] {
      EXPECT_NEAR(kernels::PairsModelCostChange(problem.view, row_blocks.data(),
                                                1, 20, step.data()),
                  plain, 1e-12 * std::abs(plain));
    });
  }
}

SchurSolverOptions NativeSparse() {
  SchurSolverOptions options;
  options.sparse.library = NATIVE_SPARSE;
  return options;
}

TEST(GatheredCholesky, StepIsThatOfTheDenseNormalEquations) {
  for (const int size : {3, 6}) {
    for (const int num_blocks : {1, 2, 60}) {
      const auto problem = MakeChain(num_blocks, size);
      const auto solver =
          CreateGatheredCholeskySolver(NativeSparse(), {}, problem->structure);
      ASSERT_NE(solver, nullptr);
      LinearSolver::SolveOptions options;
      options.damping = problem->damping.data();
      const Eigen::VectorXd expected =
          DenseStep(problem->jacobian, problem->damping.data());
      Eigen::VectorXd step(expected.size());
      for (int repetition = 0; repetition < 2; ++repetition) {
        const LinearSolverSummary summary =
            solver->Solve(problem->jacobian, options, step.data());
        ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess);
        EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
        const double decrease = DenseModelCostChange(problem->jacobian, step);
        EXPECT_NEAR(summary.model_cost_change, decrease, 1e-10 * decrease);
      }
    }
  }
}

TEST(GatheredCholesky, RowsMayHaveMoreThanTwoCells) {
  auto problem = MakeChain(40, 3);
  BlockJacobianStructure& s = problem->structure;
  for (int b = 0; b + 9 < 40; ++b) AppendRowBlock(3, {b + 9, b, b + 4}, &s);
  CutIntoRowChunks(&s);
  problem->jacobian.values.Resize(s.num_values());
  std::mt19937 random(2);
  FillWithRandomValues(&random, problem->jacobian.values.data(),
                       s.num_values());
  LinearSolver::SolveOptions solve;
  solve.damping = problem->damping.data();
  Eigen::VectorXd step(s.num_columns());
  const LinearSolverSummary summary =
      CreateGatheredCholeskySolver(NativeSparse(), {}, s)
          ->Solve(problem->jacobian, solve, step.data());
  ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  const Eigen::VectorXd expected =
      DenseStep(problem->jacobian, problem->damping.data());
  EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
  const double decrease = DenseModelCostChange(problem->jacobian, step);
  EXPECT_NEAR(summary.model_cost_change, decrease, 1e-10 * decrease);
}

TEST(GatheredCholesky, BitsDoNotDependOnTheNumberOfThreads) {
  const auto problem = MakeChain(2000, 3);
  LinearSolver::SolveOptions options;
  options.damping = problem->damping.data();
  const auto step_of = [&](const Execution& execution) {
    Eigen::VectorXd step(problem->structure.num_columns());
    EXPECT_EQ(CreateGatheredCholeskySolver(NativeSparse(), execution,
                                           problem->structure)
                  ->Solve(problem->jacobian, options, step.data())
                  .termination,
              LinearSolverTermination::kSuccess);
    return step;
  };
  const Eigen::VectorXd first = step_of({});
  for (const int num_threads : {2, 4, 8}) {
    TestThreads threads(num_threads);
    EXPECT_EQ(step_of(threads.execution()), first) << num_threads;
  }
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
