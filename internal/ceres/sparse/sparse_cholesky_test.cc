// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/sparse_cholesky.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "Eigen/Core"
#include "ceres/internal/config.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/block_symmetric.h"
#include "ceres/sparse/elimination_order.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/permuted_csc.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;

TEST(PermutedCsc, IsTheTriangleOfThePermutedMatrix) {
  const auto a = MakeRandomBlockSymmetric(9, 5, 12, 3);
  const Eigen::MatrixXd dense = a->Dense();
  const std::vector<int> order = {3, 8, 0, 1, 7, 6, 2, 4, 5};
  for (const auto triangle :
       {PermutedCsc::Triangle::kLower, PermutedCsc::Triangle::kUpper}) {
    const PermutedCsc csc(a->structure, order, triangle);
    std::vector<double> entries(csc.num_entries());
    csc.Gather(Execution(), a->values.data(), entries.data());
    const int n = csc.size();
    Eigen::MatrixXd actual = Eigen::MatrixXd::Zero(n, n);
    for (int j = 0; j < n; ++j) {
      for (int k = csc.column_start()[j]; k < csc.column_start()[j + 1]; ++k) {
        if (k > csc.column_start()[j]) {
          EXPECT_GT(csc.row()[k], csc.row()[k - 1]);
        }
        actual(csc.row()[k], j) = entries[k];
      }
    }
    Eigen::MatrixXd expected(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        expected(i, j) = dense(csc.permutation()[i], csc.permutation()[j]);
      }
    }
    if (triangle == PermutedCsc::Triangle::kLower) {
      expected.triangularView<Eigen::StrictlyUpper>().setZero();
    } else {
      expected.triangularView<Eigen::StrictlyLower>().setZero();
    }
    EXPECT_TRUE(actual == expected);
  }
}

using Backend =
    std::tuple<SparseLinearAlgebraLibraryType, LinearSolverOrderingType>;

std::vector<Backend> Backends() {
  std::vector<Backend> backends;
#ifndef CERES_NO_SUITESPARSE
  backends.emplace_back(SUITE_SPARSE, AMD);
#ifndef CERES_NO_CHOLMOD_PARTITION
  backends.emplace_back(SUITE_SPARSE, NESDIS);
#endif
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  backends.emplace_back(EIGEN_SPARSE, AMD);
#ifndef CERES_NO_EIGEN_METIS
  backends.emplace_back(EIGEN_SPARSE, NESDIS);
#endif
#endif
  backends.emplace_back(NATIVE_SPARSE, AMD);
#if !defined(CERES_NO_CHOLMOD_PARTITION) || !defined(CERES_NO_EIGEN_METIS)
  backends.emplace_back(NATIVE_SPARSE, NESDIS);
#endif
  return backends;
}

class SparseCholeskyTest : public testing::TestWithParam<Backend> {
 protected:
  SparseCholesky::Options options() const {
    SparseCholesky::Options options;
    std::tie(options.library, options.ordering) = GetParam();
    return options;
  }
  std::unique_ptr<SparseCholesky> Create(
      const BlockSymmetricStructure& structure,
      const std::vector<int>* group = nullptr) const {
    return SparseCholesky::Create(options(), structure, group);
  }
  // Factors A, solves, also in place, and returns the solution.
  Eigen::VectorXd ExpectSolves(SparseCholesky* cholesky,
                               const RandomBlockSymmetric& a,
                               const Execution& execution = {}) {
    EXPECT_EQ(cholesky->Factorize(execution, a.values.data(), &message_),
              LinearSolverTermination::kSuccess)
        << message_;
    const Eigen::VectorXd b =
        Eigen::VectorXd::LinSpaced(a.structure.size(), -1.0, 2.0);
    Eigen::VectorXd x(b.size());
    EXPECT_EQ(cholesky->Solve(b.data(), x.data(), &message_),
              LinearSolverTermination::kSuccess);
    EXPECT_LT((a.Dense() * x - b).norm(), 1e-11 * b.norm());
    Eigen::VectorXd in_place = b;
    EXPECT_EQ(cholesky->Solve(in_place.data(), in_place.data(), &message_),
              LinearSolverTermination::kSuccess);
    EXPECT_TRUE(in_place == x);
    return x;
  }
  std::vector<int> OrderOf(const BlockSymmetricStructure& structure,
                           const std::vector<int>* group) {
    const auto [library, type] = GetParam();
    return LibraryOrdering(library, structure, type, group, &message_);
  }
  std::string message_;
};

TEST_P(SparseCholeskyTest, SolvesRandomBlockStructures) {
  struct {
    int blocks, max_size, edges;
  } shapes[] = {{1, 1, 0},   {1, 7, 0},   {5, 3, 0},       {8, 4, 12},
                {30, 9, 60}, {60, 1, 70}, {40, 6, 100000}, {100, 3, 150}};
  int seed = 0;
  for (const auto& shape : shapes) {
    const auto a = MakeRandomBlockSymmetric(shape.blocks, shape.max_size,
                                            shape.edges, ++seed);
    const auto cholesky = Create(a->structure);
    ExpectSolves(cholesky.get(), *a);
    for (int64_t i = 0; i < a->structure.num_values(); ++i) {
      a->values.data()[i] *= 3.0;
    }
    ExpectSolves(cholesky.get(), *a);
  }
}

TEST_P(SparseCholeskyTest, EliminationGroupsAreAccepted) {
  const auto a = MakeRandomBlockSymmetric(40, 4, 80, 5);
  std::vector<int> group(40);
  for (int b = 0; b < 40; ++b) group[b] = b % 3 * 7;
  ExpectSolves(Create(a->structure, &group).get(), *a);
}

TEST_P(SparseCholeskyTest, EmptyMatrix) {
  const BlockSymmetricStructure structure;
  const auto cholesky = Create(structure);
  EXPECT_EQ(cholesky->Factorize(Execution(), nullptr, &message_),
            LinearSolverTermination::kSuccess);
  EXPECT_EQ(cholesky->Solve(nullptr, nullptr, &message_),
            LinearSolverTermination::kSuccess);
}

TEST_P(SparseCholeskyTest, IndefiniteMatrixFailsQuietlyAndCanBeFollowed) {
  for (const int edges : {12, 100000}) {
    const auto a = MakeRandomBlockSymmetric(20, 5, edges, 2);
    const auto cholesky = Create(a->structure);
    double* diagonal = a->values.data() +
                       a->structure.value_offset[a->structure.first_entry[11]];
    const double good = *diagonal;
    *diagonal = -good;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const LinearSolverTermination termination =
        cholesky->Factorize(Execution(), a->values.data(), &message_);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(termination, LinearSolverTermination::kFailure);
    EXPECT_THAT(message_, HasSubstr("not positive definite"));
    *diagonal = good;
    ExpectSolves(cholesky.get(), *a);
  }
}

// A dense matrix of 100 scalars: 5050 entries.
TEST_P(SparseCholeskyTest, AFactorThatNeedsTooMuchMemoryIsRefused) {
  const auto a = MakeRandomBlockSymmetric(100, 1, 100000, 1);
  SparseCholesky::Options with_limit = options();
  for (const double max_bytes : {1e3, 1e6}) {
    with_limit.max_bytes = max_bytes;
    const auto cholesky =
        SparseCholesky::Create(with_limit, a->structure, nullptr);
    if (max_bytes > 1e5) {
      ExpectSolves(cholesky.get(), *a);
      continue;
    }
    EXPECT_EQ(cholesky->Factorize(Execution(), a->values.data(), &message_),
              LinearSolverTermination::kFatalError);
    EXPECT_THAT(message_, HasSubstr("GB"));
    EXPECT_THAT(message_, HasSubstr("linear_solver_type"));
  }
}

TEST_P(SparseCholeskyTest, NanNeverSucceeds) {
  for (const int edges : {12, 100000}) {
    const auto a = MakeRandomBlockSymmetric(20, 5, edges, 2);
    const auto cholesky = Create(a->structure);
    a->values.data()[a->structure.value_offset[a->structure.first_entry[4]]] =
        NAN;
    LinearSolverTermination termination =
        cholesky->Factorize(Execution(), a->values.data(), &message_);
    if (termination == LinearSolverTermination::kSuccess) {
      const Eigen::VectorXd b = Eigen::VectorXd::Ones(a->structure.size());
      Eigen::VectorXd x(b.size());
      termination = cholesky->Solve(b.data(), x.data(), &message_);
    }
    EXPECT_EQ(termination, LinearSolverTermination::kFailure);
  }
}

TEST_P(SparseCholeskyTest, SameBitsForEveryNumberOfThreads) {
  const auto a = MakeRandomBlockSymmetric(150, 9, 900, 4);
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    return ExpectSolves(Create(a->structure).get(), *a, execution);
  }));
}

INSTANTIATE_TEST_SUITE_P(Backends, SparseCholeskyTest,
                         testing::ValuesIn(Backends()));

// The blocks of the factor below the diagonal.
int64_t FillOf(const RandomBlockSymmetric& a, const std::vector<int>& order) {
  const SymmetricGraph graph = GraphOfBlocks(a.structure);
  const std::vector<int64_t> count =
      ColumnCounts(graph, order, EliminationTree(graph, order),
                   std::vector<int>(order.size(), 1));
  return std::accumulate(count.begin(), count.end(), int64_t{0});
}

// An arrow: block 0 has to do with all others. Eliminated first it fills the
// whole matrix, eliminated last nothing.
std::unique_ptr<RandomBlockSymmetric> Arrow(int n) {
  return MakeBlockSymmetric(
      std::vector<int>(n, 2), [](int i, int) { return i == 0; }, 1);
}

TEST(CountFactorEntries, IsThatOfTheDenseTriangle) {
  const auto dense = MakeRandomBlockSymmetric(6, 4, 1000, 2);
  const std::vector<int> order = {3, 0, 5, 1, 2, 4};
  const double n = dense->structure.size();
  EXPECT_EQ(CountFactorEntries(dense->structure, order), n * (n + 1.0) / 2.0);
}

TEST_P(SparseCholeskyTest, OrderingAvoidsFill) {
  const int n = 200;
  const auto a = Arrow(n);
  const std::vector<int> order = OrderOf(a->structure, nullptr);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < n; ++i) ASSERT_EQ(sorted[i], i);
  EXPECT_LE(FillOf(*a, order), 2 * n);
}

TEST_P(SparseCholeskyTest, OrderingKeepsGroupsInOrder) {
  // The hub of the arrow in the lowest group: it must go before its neighbours
  // in spite of the fill.
  const auto a = Arrow(30);
  std::vector<int> group(30, 5);
  group[0] = 2;
  const std::vector<int> order = OrderOf(a->structure, &group);
  ASSERT_EQ(order.size(), 30u);
  EXPECT_EQ(order[0], 0);
}

class SinglePrecisionCholeskyTest
    : public testing::TestWithParam<SparseLinearAlgebraLibraryType> {};

TEST_P(SinglePrecisionCholeskyTest, ReachesDoubleByRefinement) {
  const auto a = MakeRandomBlockSymmetric(30, 6, 90, 8);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(a->structure.size());
  double last_error = 1.0;
  for (const int num_iterations : {0, 1, 4}) {
    SparseCholesky::Options options;
    options.library = GetParam();
    options.single_precision = true;
    options.num_refinement_iterations = num_iterations;
    const auto cholesky =
        SparseCholesky::Create(options, a->structure, nullptr);
    std::string message;
    ASSERT_EQ(cholesky->Factorize(Execution(), a->values.data(), &message),
              LinearSolverTermination::kSuccess);
    Eigen::VectorXd x(b.size());
    ASSERT_EQ(cholesky->Solve(b.data(), x.data(), &message),
              LinearSolverTermination::kSuccess);
    const double error = (a->Dense() * x - b).norm() / b.norm();
    EXPECT_LT(error, 0.1 * last_error);
    if (num_iterations == 0) {
      EXPECT_GT(error, 1e-9);
    }
    if (num_iterations == 4) {
      EXPECT_LT(error, 1e-13);
    }
    last_error = error;
  }
}

INSTANTIATE_TEST_SUITE_P(Native, SinglePrecisionCholeskyTest,
                         testing::Values(NATIVE_SPARSE));
#ifdef CERES_USE_EIGEN_SPARSE
INSTANTIATE_TEST_SUITE_P(Eigen, SinglePrecisionCholeskyTest,
                         testing::Values(EIGEN_SPARSE));
#endif

TEST(SparseCholeskyDeathTest, LibraryThatIsNotThere) {
  const BlockSymmetricStructure structure;
  SparseCholesky::Options options;
  options.library = CUDA_SPARSE;
  EXPECT_DEATH(SparseCholesky::Create(options, structure, nullptr),
               "not part of this build");
}

}  // namespace
}  // namespace ceres::internal
