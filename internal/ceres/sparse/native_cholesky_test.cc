// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Cases of NATIVE_SPARSE that tests of all sparse factorizations
// (sparse_cholesky_test.cc) do not see: matrices that are cut into tasks,
// shapes of trees, failure in several threads.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "ceres/sparse/sparse_cholesky.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

std::unique_ptr<SparseCholesky> CreateNative(
    const RandomBlockSymmetric& a, const std::vector<int>* group = nullptr) {
  SparseCholesky::Options options;
  options.library = NATIVE_SPARSE;
  return SparseCholesky::Create(options, a.structure, group);
}

void ExpectSolves(const RandomBlockSymmetric& a) {
  const auto cholesky = CreateNative(a);
  std::string message;
  ASSERT_EQ(cholesky->Factorize(Execution(), a.values.data(), &message),
            LinearSolverTermination::kSuccess)
      << message;
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a.structure.size());
  Eigen::VectorXd x(b.size());
  ASSERT_EQ(cholesky->Solve(b.data(), x.data(), &message),
            LinearSolverTermination::kSuccess);
  const Eigen::VectorXd expected = SolveDense(a.Dense(), b);
  EXPECT_LT((x - expected).norm(), 1e-12 * expected.norm());
}

TEST(NativeCholesky, ShapesOfTreesEqualDenseCholesky) {
  for (const TreeShape& shape : kTreeShapes) {
    SCOPED_TRACE(shape.name);
    ExpectSolves(*shape.Make());
  }
}

TEST(NativeCholesky, FactorsInAWorkspace) {
  const auto a = MakeBlockSymmetric(
      {3, 9, 6, 6, 1, 4}, [](int i, int j) { return j <= i + 2; }, 5);
  for (const int kind : {0, 1, 2}) {
    SparseCholesky::Options options;
    options.library = NATIVE_SPARSE;
    options.single_precision = kind > 0;
    options.num_refinement_iterations = kind == 2 ? 3 : 0;
    const auto own = SparseCholesky::Create(options, a->structure, nullptr);
    SolveWorkspace workspace;
    const auto placed =
        SparseCholesky::Create(options, a->structure, nullptr, &workspace);
    // Refinement needs the values afterwards.
    EXPECT_EQ(placed->ReadsValuesInFillFronts(), kind < 2);
    const int64_t num_values = a->structure.num_values();
    workspace.Reserve(WorkspaceRegion::kBlockValues, num_values);
    constexpr int64_t kSize = 4000;  // more than the factor
    workspace.Reserve(WorkspaceRegion::kPartialSums, kSize);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(a->structure.size());
    Eigen::VectorXd x(b.size()), expected(b.size());
    std::string message;
    for (const bool values_are_in_workspace : {false, true, true}) {
      workspace.Enter(SolvePhase::kEliminate);
      std::fill_n(workspace.Get(WorkspaceRegion::kPartialSums), kSize,
                  std::nan(""));
      workspace.Enter(SolvePhase::kAssemble);
      double* values = a->values.data();
      if (values_are_in_workspace && kind < 2) {
        values = workspace.Get(WorkspaceRegion::kBlockValues);
        std::copy_n(a->values.data(), num_values, values);
      }
      ASSERT_EQ(
          placed->FactorizeAndSolve({}, values, b.data(), x.data(), &message),
          LinearSolverTermination::kSuccess);
      ASSERT_EQ(own->FactorizeAndSolve({}, a->values.data(), b.data(),
                                       expected.data(), &message),
                LinearSolverTermination::kSuccess);
      EXPECT_EQ(x, expected);
    }
  }
}

TEST(NativeCholesky, BlocksWithoutScalars) {
  ExpectSolves(*MakeBlockSymmetric(
      {0, 3, 0, 2, 4, 0}, [](int i, int j) { return (i + j) % 2 == 1; }, 3));
}

// 9 x 9 x 9 nodes of 3 scalars: some fifty tasks, and fronts at the top that
// are shared between threads.
std::unique_ptr<RandomBlockSymmetric> Cube() {
  constexpr int kSide = 9;
  return MakeBlockSymmetric(
      std::vector<int>(kSide * kSide * kSide, 3),
      [](int i, int j) {
        const int step = j - i;
        return step == kSide * kSide ||
               (step == kSide && i / kSide % kSide != kSide - 1) ||
               (step == 1 && i % kSide != kSide - 1);
      },
      5);
}

TEST(NativeCholesky, TasksGiveTheSameBitsForEveryNumberOfThreads) {
  const auto a = Cube();
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a->structure.size());
  std::string message;
  Eigen::VectorXd expected;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    TestThreads threads(num_threads);
    const auto cholesky = CreateNative(*a);
    for (int repetition = 0; repetition < 3; ++repetition) {
      ASSERT_EQ(
          cholesky->Factorize(threads.execution(), a->values.data(), &message),
          LinearSolverTermination::kSuccess);
      Eigen::VectorXd x(b.size());
      ASSERT_EQ(cholesky->Solve(b.data(), x.data(), &message),
                LinearSolverTermination::kSuccess);
      if (expected.size() == 0) {
        expected = x;
        EXPECT_LT((a->Dense() * x - b).norm(), 1e-11 * b.norm());
      }
      EXPECT_TRUE(x == expected) << num_threads;
      Eigen::VectorXd in_one(b.size());
      ASSERT_EQ(
          cholesky->FactorizeAndSolve(threads.execution(), a->values.data(),
                                      b.data(), in_one.data(), &message),
          LinearSolverTermination::kSuccess);
      EXPECT_TRUE(in_one == expected) << num_threads;
    }
  }
}

TEST(NativeCholesky, OfSeveralBadPivotsTheSameIsNamedByAllThreads) {
  const auto a = Cube();
  const auto pivot = [&a](int block) -> double& {
    const BlockSymmetricStructure& s = a->structure;
    return a->values.data()[s.value_offset[s.first_entry[block]]];
  };
  const std::vector<int> bad = {3, 200, 350, 700};
  for (const int block : bad) pivot(block) *= -1.0;
  std::string message, expected;
  for (const int num_threads : {1, 2, 4, 8}) {
    TestThreads threads(num_threads);
    const auto cholesky = CreateNative(*a);
    for (int repetition = 0; repetition < 3; ++repetition) {
      ASSERT_EQ(
          cholesky->Factorize(threads.execution(), a->values.data(), &message),
          LinearSolverTermination::kFailure);
      if (expected.empty()) expected = message;
      EXPECT_EQ(message, expected);
    }
    EXPECT_THAT(message, HasSubstr("pivot of row"));
    // With good values the same object succeeds.
    for (const int block : bad) pivot(block) *= -1.0;
    EXPECT_EQ(
        cholesky->Factorize(threads.execution(), a->values.data(), &message),
        LinearSolverTermination::kSuccess);
    for (const int block : bad) pivot(block) *= -1.0;
  }
}

TEST(NativeCholesky, NamesTheRowOfTheBadPivot) {
  const auto a = MakeBlockSymmetric(
      {2, 3, 2}, [](int, int) { return false; }, 1);
  // Scalar 4: the last of block 1.
  a->values.data()[a->structure.value_offset[a->structure.first_entry[1]] + 8] =
      -1.0;
  std::string message;
  EXPECT_EQ(
      CreateNative(*a)->Factorize(Execution(), a->values.data(), &message),
      LinearSolverTermination::kFailure);
  EXPECT_THAT(message, HasSubstr("pivot of row 4 of 7"));
}

}  // namespace
}  // namespace ceres::internal
