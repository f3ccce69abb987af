// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/internal/config.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/elimination_order.h"
#include "ceres/sparse/native_cholesky.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "ceres/sparse/sparse_cholesky.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// The order 0, 1, .. in the sequence of a random number generator.
std::vector<int> RandomOrder(int n, std::mt19937* random) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int k = n - 1; k > 0; --k) {
    std::swap(order[k], order[(*random)() % (k + 1)]);
  }
  return order;
}

// The operations of a dense algorithm that skips blocks of zeros.
double CountDense(const RandomBlockSymmetric& a,
                  const std::vector<int>& order) {
  const BlockSymmetricStructure& s = a.structure;
  const int n = s.num_blocks();
  std::vector<std::vector<bool>> filled(n, std::vector<bool>(n, false));
  for (int i = 0; i < n; ++i) {
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      filled[i][s.entry_column[e]] = filled[s.entry_column[e]][i] = true;
    }
  }
  std::vector<bool> is_eliminated(n, false);
  double operations = 0.0;
  for (const int pivot : order) {
    is_eliminated[pivot] = true;
    int rows = 0;
    for (int i = 0; i < n; ++i) {
      if (is_eliminated[i] || !filled[i][pivot]) continue;
      rows += s.block_offset[i + 1] - s.block_offset[i];
      for (int j = 0; j < n; ++j) {
        if (!is_eliminated[j] && filled[j][pivot]) filled[i][j] = true;
      }
    }
    const int width = s.block_offset[pivot + 1] - s.block_offset[pivot];
    // Column c has the rows of its own block after it, and those below.
    operations += width * width * width / 6.0;
    operations += 0.5 * width * rows * (rows + width);
  }
  return operations;
}

TEST(EliminationOrder, CountsTheOperationsOfAnOrder) {
  std::mt19937 random(3);
  for (const int edges : {0, 20, 60, 1000}) {
    const auto a = MakeRandomBlockSymmetric(25, 6, edges, edges + 1);
    const std::vector<int> order = RandomOrder(25, &random);
    EXPECT_DOUBLE_EQ(CountOperations(a->structure, order),
                     CountDense(*a, order));
  }
}

std::vector<SparseLinearAlgebraLibraryType> Libraries() {
  std::vector<SparseLinearAlgebraLibraryType> libraries = {NATIVE_SPARSE};
#ifndef CERES_NO_SUITESPARSE
  libraries.push_back(SUITE_SPARSE);
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  libraries.push_back(EIGEN_SPARSE);
#endif
  return libraries;
}

class GivenOrderTest
    : public testing::TestWithParam<SparseLinearAlgebraLibraryType> {
 protected:
  Eigen::VectorXd Solve(const RandomBlockSymmetric& a, EliminationOrder* order,
                        const Execution& execution = {}) {
    SparseCholesky::Options options;
    options.library = GetParam();
    options.elimination_order = order;
    const auto cholesky = SparseCholesky::Create(options, a.structure, nullptr);
    const Eigen::VectorXd b =
        Eigen::VectorXd::LinSpaced(a.structure.size(), -1.0, 2.0);
    Eigen::VectorXd x(b.size());
    std::string message;
    EXPECT_EQ(cholesky->FactorizeAndSolve(execution, a.values.data(), b.data(),
                                          x.data(), &message),
              LinearSolverTermination::kSuccess)
        << message;
    EXPECT_LT((x - SolveDense(a.Dense(), b)).norm(), 1e-11 * x.norm());
    return x;
  }
};

TEST_P(GivenOrderTest, OrderThatWasFoundGivesTheSameBits) {
  for (const int edges : {0, 100, 300, 3000}) {
    const auto a = MakeRandomBlockSymmetric(150, 6, edges, edges + 7);
    const Eigen::VectorXd without = Solve(*a, nullptr);
    EliminationOrder order;
    const Eigen::VectorXd found = Solve(*a, &order);
    EXPECT_EQ(order.num_computed, 1);
    EXPECT_GT(order.num_operations, 0.0);
    EXPECT_TRUE(found == without);
    EXPECT_TRUE(order.is_final);
    EliminationOrder again;
    again.order = order.order;
    again.is_final = true;
    EXPECT_TRUE(Solve(*a, &again) == found);
    EXPECT_EQ(again.num_computed, 0);
    EXPECT_EQ(again.order, order.order);
    EXPECT_EQ(again.num_operations, order.num_operations);
  }
}

TEST_P(GivenOrderTest, RandomOrdersSolve) {
  std::mt19937 random(5);
  for (int k = 0; k < 20; ++k) {
    const int n = 1 + static_cast<int>(random() % 40);
    const auto a = MakeRandomBlockSymmetric(n, 5, 2 * n, k);
    EliminationOrder order;
    order.order = RandomOrder(n, &random);
    const Eigen::VectorXd x = Solve(*a, &order);
    EXPECT_EQ(order.num_computed, 0);
    // The order that was used gives the same bits.
    EliminationOrder again = order;
    EXPECT_TRUE(Solve(*a, &again) == x);
    EXPECT_EQ(again.order, order.order);
  }
}

TEST_P(GivenOrderTest, SameBitsForEveryNumberOfThreads) {
  std::mt19937 random(6);
  const auto a = MakeRandomBlockSymmetric(150, 9, 400, 4);
  EliminationOrder order;
  order.order = RandomOrder(150, &random);
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    EliminationOrder copy = order;
    return Solve(*a, &copy, execution);
  }));
}

// Eliminated first, the hub of an arrow fills the whole matrix.
TEST_P(GivenOrderTest, IsReplacedIfItsOperationsAreNotAccepted) {
  const int n = 60;
  const auto arrow = MakeBlockSymmetric(
      std::vector<int>(n, 2), [](int i, int) { return i == 0; }, 1);
  EliminationOrder best;
  Solve(*arrow, &best);
  std::vector<int> hub_first(n);
  std::iota(hub_first.begin(), hub_first.end(), 0);

  EliminationOrder order;
  order.order = hub_first;
  order.max_operations = 2.0 * best.num_operations;
  Solve(*arrow, &order);
  EXPECT_EQ(order.num_computed, 1);
  EXPECT_EQ(order.order, best.order);
  EXPECT_EQ(order.num_operations, best.num_operations);

  order = EliminationOrder();
  order.order = hub_first;
  Solve(*arrow, &order);
  EXPECT_EQ(order.num_computed, 0);
  EXPECT_GT(order.num_operations, 2.0 * best.num_operations);

  order = best;
  order.num_computed = 0;
  order.min_operations = 2.0 * best.num_operations;
  Solve(*arrow, &order);
  EXPECT_EQ(order.num_computed, 1);
}

TEST_P(GivenOrderTest, EmptyMatrix) {
  EliminationOrder order;
  SparseCholesky::Options options;
  options.library = GetParam();
  options.elimination_order = &order;
  const BlockSymmetricStructure structure;
  const auto cholesky = SparseCholesky::Create(options, structure, nullptr);
  std::string message;
  EXPECT_EQ(cholesky->Factorize(Execution(), nullptr, &message),
            LinearSolverTermination::kSuccess);
  EXPECT_TRUE(order.order.empty());
}

using GivenOrderDeathTest = GivenOrderTest;

TEST_P(GivenOrderDeathTest, MustBeAPermutationAndHaveNoGroups) {
  const auto a = MakeRandomBlockSymmetric(3, 2, 2, 1);
  for (const std::vector<int>& bad :
       std::vector<std::vector<int>>{{0, 1}, {0, 1, 1}, {0, 1, 3}}) {
    EliminationOrder order;
    order.order = bad;
    EXPECT_DEATH(Solve(*a, &order), "each block of the matrix once");
  }
  SparseCholesky::Options options;
  options.library = GetParam();
  EliminationOrder order;
  options.elimination_order = &order;
  const std::vector<int> group = {0, 1, 1};
  EXPECT_DEATH(SparseCholesky::Create(options, a->structure, &group),
               "exclude each other");
}

INSTANTIATE_TEST_SUITE_P(Libraries, GivenOrderTest,
                         testing::ValuesIn(Libraries()));
INSTANTIATE_TEST_SUITE_P(Libraries, GivenOrderDeathTest,
                         testing::ValuesIn(Libraries()));

// The structure of a chain of n blocks of this width. No matrix is formed: one
// long enough to be balanced would be large.
BlockSymmetricStructure ChainStructure(int n, int width) {
  BlockSymmetricStructure chain;
  for (int b = 0; b < n; ++b) {
    chain.block_offset.push_back(chain.size() + width);
    chain.entry_column.push_back(b);
    if (b + 1 < n) chain.entry_column.push_back(b + 1);
    chain.first_entry.push_back(static_cast<int>(chain.entry_column.size()));
  }
  for (size_t k = 0; k < chain.entry_column.size(); ++k) {
    chain.value_offset.push_back(chain.num_values() + width * width);
  }
  return chain;
}

// A chain that is worth to be balanced: minimum degree eliminates it from one
// end to the other. The order from end to end has the same fill, and may be
// balanced, too.
TEST(GivenOrder, IsBalancedUnlessItIsFinal) {
  constexpr int n = 3000;
  const BlockSymmetricStructure chain = ChainStructure(n, 12);
  std::vector<int> end_to_end(n);
  std::iota(end_to_end.begin(), end_to_end.end(), 0);
  const auto create = [&](bool is_final) {
    EliminationOrder order;
    order.order = end_to_end;
    order.is_final = is_final;
    SparseCholesky::Options options;
    options.library = NATIVE_SPARSE;
    options.elimination_order = &order;
    SparseCholesky::Create(options, chain, nullptr);
    EXPECT_TRUE(order.is_final);
    return order.order;
  };
  EXPECT_EQ(create(true), end_to_end);
  EXPECT_NE(create(false), end_to_end);
}

// Blocks that are eliminated together are so at the place of the first.
TEST(GivenOrder, IndistinguishableBlocksFollowTheFirst) {
  // A chain of cliques: blocks 0 and 1, 2 and 3 have the same neighbours.
  const auto a = MakeBlockSymmetric(
      {2, 2, 2, 2, 2}, [](int i, int j) { return j < 2 || j == 4 || i > 1; },
      1);
  EliminationOrder order;
  order.order = {3, 0, 4, 1, 2};
  SparseCholesky::Options options;
  options.library = NATIVE_SPARSE;
  options.elimination_order = &order;
  SparseCholesky::Create(options, a->structure, nullptr);
  EXPECT_EQ(order.order, (std::vector<int>{2, 3, 0, 1, 4}));
}

}  // namespace
}  // namespace ceres::internal
