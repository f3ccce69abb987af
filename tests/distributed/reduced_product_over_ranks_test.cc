// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Products with the reduced matrix S that do not form it, compared with the
// assembled matrix.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/implicit_schur.h"
#include "ceres/distributed/rank_problem.h"
#include "ceres/distributed/reduced_choice.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/execution/stop_signal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

using distributed::ReducedSolver;
using internal::ReducedChoice;

distributed::Options MakeOptions() {
  distributed::Options options;
  options.logging_type = SILENT;
  return options;
}

// A scene on ranks whose Jacobians are evaluated.
class PreparedScene {
 public:
  PreparedScene(const BalProblem& scene, const ReducedChoice& choice,
                const distributed::Options& options = MakeOptions())
      : options_(options),
        on_ranks_(scene, MPI_COMM_WORLD, {}),
        problem_(options_, MPI_COMM_WORLD, on_ranks_.shared(),
                 on_ranks_.problem().mutable_impl()) {
    EXPECT_EQ(problem_.CheckCall("test"), "");
    EXPECT_EQ(problem_.FindBlocks(), "");
    problem_.PrepareLeaves(choice);
    const internal::Program& program = problem_.columns().program();
    std::vector<double> state(program.num_state());
    program.ReadUserMemory(state.data());
    std::vector<double> sums(2 * program.num_delta());
    for (const auto& leaf : leaves()) {
      double cost = 0.0;
      EXPECT_TRUE(leaf->EvaluateJacobian(state.data(), &cost, sums.data(),
                                         sums.data() + program.num_delta()));
    }
    damping_.assign(program.num_delta(), 0.1);
  }

  internal::RankProblem& problem() { return problem_; }
  const std::vector<std::unique_ptr<internal::LeafSystem>>& leaves() {
    return *problem_.parts().leaves;
  }
  const std::vector<double>& damping() const { return damping_; }
  const distributed::Options& options() const { return options_; }

 private:
  const distributed::Options options_;
  SceneOnRanks on_ranks_;
  internal::RankProblem problem_;
  std::vector<double> damping_;
};

// S, assembled on all ranks.
class AssembledMatrix {
 public:
  explicit AssembledMatrix(const BalProblem& scene) {
    PreparedScene prepared(scene, {});
    const internal::RankParts parts = prepared.problem().parts();
    pattern_ = internal::UnionOfPatterns(parts.ranks, *parts.layout,
                                         prepared.leaves());
    internal::TreeSum sum(
        parts.ranks, parts.layout->tree, parts.layout->local_leaves,
        internal::SystemEntriesOf(prepared.leaves(), pattern_),
        internal::SystemPlaces(pattern_), parts.execution);
    sum.SumLocal([&](int k, double* values) {
      internal::LeafSystem& leaf = *prepared.leaves()[k];
      std::string message;
      EXPECT_TRUE(leaf.Eliminate(prepared.damping().data(), &message))
          << message;
      leaf.AssembleSystem(values);
    });
    values_.resize(sum.size());
    sum.Combine(internal::Phase::kReducedSystem,
                internal::TreeSum::Destination::kAll, values_.data());
    counted_values_ = internal::CountReducedValues(
        parts.ranks, *parts.layout, prepared.problem().local_leaves());
  }

  const internal::BlockSymmetricStructure& pattern() const { return pattern_; }
  std::int64_t counted_values() const { return counted_values_; }

  std::vector<double> Multiply(const std::vector<double>& x) const {
    std::vector<double> y(pattern_.size(), 0.0);
    const std::vector<int>& offset = pattern_.block_offset;
    for (int i = 0; i < pattern_.num_blocks(); ++i) {
      for (int k = pattern_.first_entry[i]; k < pattern_.first_entry[i + 1];
           ++k) {
        const int j = pattern_.entry_column[k];
        const double* value = values_.data() + pattern_.value_offset[k];
        for (int row = offset[i]; row < offset[i + 1]; ++row) {
          for (int column = offset[j]; column < offset[j + 1]; ++column) {
            y[row] += *value * x[column];
            if (i != j) y[column] += *value * x[row];
            ++value;
          }
        }
      }
    }
    return y;
  }

 private:
  internal::BlockSymmetricStructure pattern_;
  std::vector<double> values_;
  std::int64_t counted_values_ = 0;
};

// Eliminates and solves by a method that does not form S.
class ImplicitMatrix {
 public:
  ImplicitMatrix(const BalProblem& scene, ReducedSolver method,
                 const distributed::Options& options = MakeOptions())
      : choice_{method, "the test asks for it"},
        prepared_(scene, choice_, options) {
    const internal::RankParts parts = prepared_.problem().parts();
    const internal::SchurSolverOptions leaf =
        internal::LeafOptions(prepared_.options(), choice_);
    solver_ = method == ReducedSolver::PETSC_CG_SHELL
                  ? internal::CreatePetscShellSchur(leaf, 1e-3, parts)
                  : internal::CreateIterativeSchur(leaf, 1e-3, parts);
    internal::LinearSolver::SolveOptions solve;
    solve.damping = prepared_.damping().data();
    std::vector<double> step(prepared_.damping().size());
    EXPECT_EQ(solver_->Solve({}, solve, step.data()).termination,
              internal::LinearSolverTermination::kSuccess);
  }

  int size() { return prepared_.problem().layout().size(); }
  std::vector<double> Multiply(const std::vector<double>& x) {
    std::vector<double> y(x.size());
    solver_->Multiply(x.data(), y.data());
    return y;
  }

 private:
  const ReducedChoice choice_;
  PreparedScene prepared_;
  std::unique_ptr<internal::ImplicitSchur> solver_;
};

class ReducedProduct : public testing::TestWithParam<ReducedSolver> {
 protected:
  void SetUp() override {
    if (GetParam() == ReducedSolver::PETSC_CG_SHELL &&
        !distributed::HasPetsc()) {
      GTEST_SKIP() << "built without PETSc";
    }
  }
};

TEST_P(ReducedProduct, IsThatOfTheAssembledMatrix) {
  const BalProblem scene = SmallScene(12, 300);
  const AssembledMatrix assembled(scene);
  std::vector<double> x(assembled.pattern().size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
  }
  const std::vector<double> expected = assembled.Multiply(x);
  const std::vector<double> product =
      ImplicitMatrix(scene, GetParam()).Multiply(x);
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(product[i] - expected[i]));
  }
  EXPECT_GT(largest, 0.0);
  EXPECT_LE(difference, 1e-12 * largest);
}

// The exception passes through the functions of PETSc that ask for a product.
TEST_P(ReducedProduct, IsStoppedOnAllRanksByATokenOfOneRank) {
  parallel::CancellationSource source;
  distributed::Options options = MakeOptions();
  if (RankOfWorld() == 0) options.cancellation_token = source.token();
  ImplicitMatrix matrix(SmallScene(4, 50), GetParam(), options);
  const std::vector<double> x(matrix.size(), 1.0);
  (void)matrix.Multiply(x);
  source.Cancel();
  EXPECT_THROW((void)matrix.Multiply(x), internal::Stopped);
}

INSTANTIATE_TEST_SUITE_P(, ReducedProduct,
                         testing::Values(ReducedSolver::REPLICATED_CG,
                                         ReducedSolver::PETSC_CG_SHELL),
                         [](const auto& info) {
                           return std::string(
                               info.param == ReducedSolver::PETSC_CG_SHELL
                                   ? "PetscShell"
                                   : "Replicated");
                         });

// The count that chooses the implicit product is made before the matrix has a
// pattern.
TEST(ReducedMatrix, HasTheCountedNumberOfValues) {
  const AssembledMatrix assembled(SmallScene(40, 400));
  const std::int64_t size = assembled.pattern().size();
  EXPECT_EQ(assembled.counted_values(), assembled.pattern().num_values());
  // Some pairs of cameras share no point.
  EXPECT_LT(assembled.pattern().num_values(), size * (size + 9) / 2);
}

TEST(PetscShell, SolvesToTheCostOfOneProcessAndRepeatsBitForBit) {
  if (!distributed::HasPetsc()) GTEST_SKIP() << "built without PETSc";
  const BalProblem scene = SmallScene(8, 200);
  distributed::Options options = MakeOptions();
  options.max_num_iterations = 4;
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  options.reduced_solver = ReducedSolver::PETSC_CG_SHELL;
  std::uint64_t hash = 0;
  for (int repetition = 0; repetition < 2; ++repetition) {
    SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
    const distributed::Summary summary = on_ranks.Solve(options);
    EXPECT_NEAR(summary.final_cost, one.final_cost, 1e-9 * one.final_cost);
    EXPECT_THAT(summary.reduced_system,
                testing::HasSubstr("because reduced_solver asks for it: "
                                   "preconditioned by diagonal blocks of the "
                                   "matrix (SCHUR_JACOBI)"));
    const std::uint64_t of_result = on_ranks.HashOfResult();
    if (repetition > 0) {
      EXPECT_EQ(hash, of_result);
    }
    hash = of_result;
  }
}

}  // namespace
}  // namespace ceres::examples
