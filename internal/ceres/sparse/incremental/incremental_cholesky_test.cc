// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/incremental_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/execution/context_impl.h"
#include "ceres/linear/dense_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// An IncrementalCholesky beside a list of its terms, from which a dense system
// is formed.
class CheckedCholesky {
 public:
  explicit CheckedCholesky(unsigned seed) : random_(seed) {}

  int AddBlock(int size) {
    const int b = cholesky_.AddBlock(size);
    sizes_[b] = size;
    // A weak prior, so that every block has a solution.
    AddTerm({b}, 0.1);
    return b;
  }
  void RemoveBlock(int b) {
    std::vector<int> gone;
    for (const auto& [t, term] : terms_) {
      if (std::count(term.blocks.begin(), term.blocks.end(), b) > 0) {
        gone.push_back(t);
      }
    }
    for (const int t : gone) RemoveTerm(t);
    cholesky_.RemoveBlock(b);
    sizes_.erase(b);
  }
  int AddTerm(const std::vector<int>& blocks, double scale) {
    const int t = cholesky_.AddTerm(blocks);
    terms_[t].blocks = blocks;
    SetValues(t, scale);
    return t;
  }
  void RemoveTerm(int t) {
    cholesky_.RemoveTerm(t);
    terms_.erase(t);
  }
  // A random J'J of rank 2, or of full rank for one block.
  void SetValues(int t, double scale) {
    int n = 0;
    for (const int b : terms_[t].blocks) n += sizes_[b];
    const int rows = terms_[t].blocks.size() == 1 ? n + 2 : 2;
    Eigen::MatrixXd jacobian(rows, n);
    Eigen::VectorXd residual(rows);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < n; ++j) jacobian(i, j) = scale * Normal();
      residual[i] = Normal();
    }
    terms_[t].matrix = jacobian.transpose() * jacobian;
    terms_[t].rhs = jacobian.transpose() * residual;
    double* values = cholesky_.ChangeTerm(t);
    for (int c = 0; c < n; ++c) {
      for (int r = c; r < n; ++r) *values++ = terms_[t].matrix(r, c);
    }
    for (int c = 0; c < n; ++c) *values++ = terms_[t].rhs[c];
  }

  IncrementalCholesky::Report Update(
      const Execution& execution = Execution(), double tolerance = 0.0,
      int64_t most_operations = IncrementalCholesky::kUnlimited) {
    return cholesky_.Update(execution, tolerance, most_operations);
  }

  // The largest difference to the dense solution, relative to its norm.
  double Error() const {
    std::map<int, int> offset;
    int n = 0;
    for (const auto& [b, size] : sizes_) {
      offset[b] = n;
      n += size;
    }
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(n);
    for (const auto& [t, term] : terms_) {
      std::vector<int> place;
      for (const int b : term.blocks) {
        for (int i = 0; i < sizes_.at(b); ++i) place.push_back(offset[b] + i);
      }
      for (size_t c = 0; c < place.size(); ++c) {
        rhs[place[c]] += term.rhs[c];
        for (size_t r = 0; r < place.size(); ++r) {
          a(place[r], place[c]) += term.matrix(r, c);
        }
      }
    }
    const Eigen::VectorXd expected = SolveDense(a, rhs);
    Eigen::VectorXd x(n);
    for (const auto& [b, size] : sizes_) {
      std::copy_n(cholesky_.Solution(b), size, x.data() + offset[b]);
    }
    minimum_error_ = std::abs(cholesky_.minimum() + 0.5 * rhs.dot(expected)) /
                     std::abs(rhs.dot(expected));
    return (x - expected).norm() / expected.norm();
  }
  double minimum_error() const { return minimum_error_; }

  std::vector<double> Bits() const {
    std::vector<double> all;
    for (const auto& [b, size] : sizes_) {
      all.insert(all.end(), cholesky_.Solution(b),
                 cholesky_.Solution(b) + size);
    }
    return all;
  }

  int Pick(int n) { return static_cast<int>(random_() % n); }
  double Normal() { return normal_(random_); }
  std::vector<int> Blocks() const {
    std::vector<int> blocks;
    for (const auto& [b, size] : sizes_) blocks.push_back(b);
    return blocks;
  }
  // The terms on more than one block.
  std::vector<int> Couplings() const {
    std::vector<int> result;
    for (const auto& [t, term] : terms_) {
      if (term.blocks.size() > 1) result.push_back(t);
    }
    return result;
  }
  std::vector<int> AllTerms() const {
    std::vector<int> result;
    for (const auto& [t, term] : terms_) result.push_back(t);
    return result;
  }
  IncrementalCholesky* operator->() { return &cholesky_; }

 private:
  struct Term {
    std::vector<int> blocks;
    Eigen::MatrixXd matrix;
    Eigen::VectorXd rhs;
  };

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::map<int, int> sizes_;
  std::map<int, Term> terms_;
  IncrementalCholesky cholesky_;
  mutable double minimum_error_ = 0.0;
};

// One random change: mostly growth, now and then a removal or new values.
void ChangeAtRandom(CheckedCholesky* a) {
  const std::vector<int> blocks = a->Blocks();
  const int n = static_cast<int>(blocks.size());
  const auto pick = [&] { return blocks[a->Pick(n)]; };
  switch (n < 4 ? 0 : a->Pick(8)) {
    case 0:
    case 1: {
      const int b = a->AddBlock(1 + a->Pick(7));
      if (n > 0) a->AddTerm({b, pick()}, 1.0);
      break;
    }
    case 2:
    case 3: {
      std::vector<int> distinct = {pick(), pick(), pick()};
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()),
                     distinct.end());
      std::reverse(distinct.begin(), distinct.end());
      a->AddTerm(distinct, 1.0);
      break;
    }
    case 4:
    case 5: {
      const std::vector<int> terms = a->AllTerms();
      for (int k = 0; k < 3; ++k) {
        a->SetValues(terms[a->Pick(static_cast<int>(terms.size()))], 1.0);
      }
      break;
    }
    case 6: {
      const std::vector<int> terms = a->Couplings();
      if (terms.empty()) break;
      a->RemoveTerm(terms[a->Pick(static_cast<int>(terms.size()))]);
      break;
    }
    default:
      a->RemoveBlock(pick());
  }
}

TEST(IncrementalCholesky, RandomChangesEqualDenseCholesky) {
  for (const unsigned seed : {1, 2, 3}) {
    CheckedCholesky a(seed);
    for (int step = 0; step < 250; ++step) {
      ChangeAtRandom(&a);
      if (step % 3 == 0) ChangeAtRandom(&a);
      ASSERT_EQ(a.Update().failed_block, IncrementalCholesky::kNone);
      ASSERT_LT(a.Error(), 1e-9) << "seed " << seed << ", step " << step;
      ASSERT_LT(a.minimum_error(), 1e-9);
    }
  }
}

// A chain of blocks of 3 with loops to earlier blocks.
void GrowChain(int length, int loop_every, CheckedCholesky* a,
               std::vector<int>* chain, const Execution& execution,
               double tolerance) {
  for (int k = 0; k < length; ++k) {
    chain->push_back(a->AddBlock(3));
    const int n = static_cast<int>(chain->size());
    if (n > 1) a->AddTerm({(*chain)[n - 2], (*chain)[n - 1]}, 1.0);
    if (n > 5 && n % loop_every == 0) {
      a->AddTerm({(*chain)[n - 1], (*chain)[a->Pick(n - 2)]}, 1.0);
    }
    ASSERT_EQ(a->Update(execution, tolerance).failed_block,
              IncrementalCholesky::kNone);
  }
}

TEST(IncrementalCholesky, ChainWithLoopsEqualsDenseCholesky) {
  CheckedCholesky a(7);
  std::vector<int> chain;
  for (int k = 0; k < 30; ++k) {
    GrowChain(5, 4, &a, &chain, Execution(), 0.0);
    ASSERT_LT(a.Error(), 1e-10);
  }
}

TEST(IncrementalCholesky, AChainWithoutLoopsEliminatesFewBlocksPerUpdate) {
  CheckedCholesky a(8);
  std::vector<int> chain;
  int most = 0;
  for (int k = 0; k < 400; ++k) {
    chain.push_back(a.AddBlock(3));
    if (k > 0) a.AddTerm({chain[k - 1], chain[k]}, 1.0);
    most = std::max(most, a.Update().num_blocks_eliminated);
  }
  // At most the two blocks of the term, with what shares a front with them.
  EXPECT_LE(most, 2 * 48 / 3);
}

TEST(IncrementalCholesky, ToleranceBoundsTheErrorOfTheBackwardSolve) {
  CheckedCholesky exact(9), loose(9);
  std::vector<int> chain, same;
  GrowChain(300, 20, &exact, &chain, Execution(), 0.0);
  GrowChain(300, 20, &loose, &same, Execution(), 1e-3);
  const std::vector<double> x = exact.Bits(), y = loose.Bits();
  double largest = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
  }
  EXPECT_GT(largest, 0.0);  // some fronts were not entered
  EXPECT_LT(largest, 0.02);
}

TEST(IncrementalCholesky, EntersFewerFrontsWithATolerance) {
  CheckedCholesky exact(10), loose(10);
  std::vector<int> chain, same;
  GrowChain(300, 1000, &exact, &chain, Execution(), 0.0);
  GrowChain(300, 1000, &loose, &same, Execution(), 1e-3);
  exact.SetValues(exact.AllTerms().back(), 1.0);
  loose.SetValues(loose.AllTerms().back(), 1.0);
  EXPECT_LT(loose.Update(Execution(), 1e-3).num_fronts_solved,
            exact.Update(Execution(), 0.0).num_fronts_solved);
}

TEST(IncrementalCholesky, BitsDoNotDependOnThreads) {
  std::vector<double> expected;
  for (const int num_threads : {1, 2, 4}) {
    ContextImpl context;
    Execution execution;
    if (num_threads > 1) {
      context.EnsureMinimumThreads(num_threads);
      execution.context = &context;
      execution.num_threads = num_threads;
    }
    CheckedCholesky a(11);
    std::vector<int> blocks;
    // A dense matrix: wide fronts.
    for (int k = 0; k < 60; ++k) {
      blocks.push_back(a.AddBlock(6));
      for (int j = 0; j < k; ++j) a.AddTerm({blocks[j], blocks[k]}, 0.3);
      ASSERT_EQ(a.Update(execution).failed_block, IncrementalCholesky::kNone);
    }
    const std::vector<double> bits = a.Bits();
    if (expected.empty()) expected = bits;
    ASSERT_EQ(bits.size(), expected.size());
    EXPECT_EQ(
        std::memcmp(bits.data(), expected.data(), bits.size() * sizeof(double)),
        0)
        << num_threads;
  }
}

TEST(IncrementalCholesky, NamesABlockWithoutSolutionAndRecovers) {
  CheckedCholesky a(12);
  std::vector<int> chain;
  GrowChain(20, 6, &a, &chain, Execution(), 0.0);
  const std::vector<double> before = a.Bits();
  // Its only term leaves one of its directions free.
  const int free_block = a->AddBlock(3);
  const int term = a->AddTerm({free_block, chain[3]});
  std::fill_n(a->ChangeTerm(term), PackedSystemSize(6), 0.0);
  EXPECT_EQ(a.Update().failed_block, free_block);
  EXPECT_EQ(a.Bits(), before);
  a->RemoveTerm(term);
  a->RemoveBlock(free_block);
  EXPECT_EQ(a.Update().failed_block, IncrementalCholesky::kNone);
  EXPECT_LT(a.Error(), 1e-10);
}

TEST(IncrementalCholesky, NewValuesLeaveTheOrder) {
  CheckedCholesky a(14);
  std::vector<int> chain;
  GrowChain(200, 12, &a, &chain, Execution(), 0.0);
  const int64_t size = a->factor_size();
  const std::vector<int> terms = a.AllTerms();
  for (size_t k = 0; k < terms.size(); k += 10) a.SetValues(terms[k], 1.0);
  const IncrementalCholesky::Report report = a.Update();
  EXPECT_EQ(report.failed_block, IncrementalCholesky::kNone);
  EXPECT_GT(report.num_fronts_eliminated, 5);
  EXPECT_EQ(a->factor_size(), size);
  EXPECT_LT(a.Error(), 1e-10);
}

TEST(IncrementalCholesky, ReservesThePathsOfTermsOnce) {
  CheckedCholesky a(15);
  std::vector<int> chain;
  GrowChain(200, 12, &a, &chain, Execution(), 0.0);
  const int term = a.AllTerms().front();
  a->Prepare({});
  a->ForgetPaths();
  const int64_t operations = a->PathOperations(term);
  EXPECT_GT(operations, 0);
  EXPECT_EQ(a->Reserve({term}, operations - 1), IncrementalCholesky::kNone);
  EXPECT_EQ(a->Reserve({term}, operations), operations);
  EXPECT_EQ(a->Reserve({term}, 0), 0);
  a->ForgetPaths();
  EXPECT_EQ(a->PathOperations(term), 0);
  a.SetValues(term, 1.0);
  EXPECT_GT(a.Update().num_fronts_eliminated, 0);
  EXPECT_LT(a.Error(), 1e-10);
}

TEST(IncrementalCholesky, FrontsWaitForTheBackwardSolve) {
  constexpr int64_t kMost = 40000;
  CheckedCholesky a(16);
  std::vector<int> chain;
  GrowChain(300, 20, &a, &chain, Execution(), 0.0);
  a.AddTerm({chain[5], chain[290]}, 1.0);
  int num_calls = 0;
  IncrementalCholesky::Report report;
  do {
    const int64_t first = a->FirstWaitingOperations();
    report = a.Update(Execution(), 0.0, kMost);
    EXPECT_LE(report.num_solve_operations, kMost + first);
    ++num_calls;
  } while (report.num_fronts_waiting > 0 && num_calls < 1000);
  EXPECT_GT(num_calls, 3);
  EXPECT_EQ(report.num_fronts_waiting, 0);
  EXPECT_LT(a.Error(), 1e-10);
}

// A helix with a coupling to the turn before, block by block: the blocks of the
// last turn separate the others from the next block, and are ordered anew each
// time. Returns the most operations that a better order alone took.
int64_t GrowHelix(const IncrementalCholesky::ReorderLimits& limits,
                  CheckedCholesky* a) {
  constexpr int kTurn = 16, kNumBlocks = 600;
  std::vector<int> helix;
  int64_t most = 0;
  for (int k = 0; k < kNumBlocks; ++k) {
    helix.push_back(a->AddBlock(3));
    if (k > 0) a->AddTerm({helix[k - 1], helix[k]}, 1.0);
    if (k >= kTurn) a->AddTerm({helix[k - kTurn], helix[k]}, 1.0);
    (*a)->Prepare(limits);
    const IncrementalCholesky::Report report = a->Update();
    EXPECT_EQ(report.failed_block, IncrementalCholesky::kNone);
    most = std::max(most, report.num_reorder_operations);
  }
  return most;
}

TEST(IncrementalCholesky, OrdersMoreWithinTheBudgetIfTheFillIsTooLarge) {
  constexpr double kFactor = 1.1, kNeverReached = 1000.0;
  constexpr int64_t kBudget = 300000;
  CheckedCholesky observed(17), bounded(17), unbounded(17);
  EXPECT_EQ(GrowHelix({kNeverReached, kBudget}, &observed), 0);
  EXPECT_GT(observed->fill_ratio(), 1.2);

  const int64_t most = GrowHelix({kFactor, kBudget}, &bounded);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, kBudget);
  EXPECT_LT(bounded->fill_ratio(), 0.95 * observed->fill_ratio());
  EXPECT_LT(bounded.Error(), 1e-9);

  GrowHelix({kFactor, IncrementalCholesky::kUnlimited}, &unbounded);
  EXPECT_LT(unbounded->fill_ratio(), 1.15);
  EXPECT_LT(unbounded.Error(), 1e-9);
}

TEST(IncrementalCholesky, AnUpdateWithoutChangesDoesNothing) {
  CheckedCholesky a(13);
  std::vector<int> chain;
  GrowChain(20, 6, &a, &chain, Execution(), 0.0);
  const IncrementalCholesky::Report report = a.Update();
  EXPECT_EQ(report.num_fronts_eliminated, 0);
  EXPECT_EQ(report.num_fronts_solved, 0);
  EXPECT_LT(a.Error(), 1e-10);
}

}  // namespace
}  // namespace ceres::internal
