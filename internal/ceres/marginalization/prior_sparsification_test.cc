// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tests of LinearizedPrior::Sparsify and ChowLiuTree.

#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linearized_prior.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::DenseInverse;
using internal::RandomMatrix;
using internal::RandomVector;
using testing::HasSubstr;

// A prior on blocks of sizes 2, 1, 3, 2 with full rank.
class SparsifyTest : public testing::Test {
 protected:
  SparsifyTest() {
    std::mt19937 random(4);
    std::vector<LinearizedPrior::Block> blocks;
    for (const int size : {2, 1, 3, 2}) {
      blocks.push_back({RandomVector(size, &random), nullptr});
    }
    prior = std::make_unique<LinearizedPrior>(RandomMatrix(9, 8, &random),
                                              RandomVector(9, &random),
                                              std::move(blocks));
    information = prior->A().transpose() * prior->A();
    covariance = DenseInverse(information);
    gradient = prior->A().transpose() * prior->b();
  }

  // Information matrix and gradient of all parts together.
  void AddUp(const std::vector<LinearizedPrior::Part>& parts) {
    sum = Eigen::MatrixXd::Zero(8, 8);
    sum_gradient = Eigen::VectorXd::Zero(8);
    for (const LinearizedPrior::Part& part : parts) {
      Eigen::MatrixXd a = Eigen::MatrixXd::Zero(part.prior->A().rows(), 8);
      for (std::size_t k = 0; k < part.blocks.size(); ++k) {
        const int size =
            part.prior->first_column(k + 1) - part.prior->first_column(k);
        a.middleCols(prior->first_column(part.blocks[k]), size) =
            part.prior->A().middleCols(part.prior->first_column(k), size);
        EXPECT_EQ(part.prior->blocks()[k].point,
                  prior->blocks()[part.blocks[k]].point);
      }
      sum += a.transpose() * a;
      sum_gradient += a.transpose() * part.prior->b();
    }
  }
  Eigen::MatrixXd Block(const Eigen::MatrixXd& m, int a, int b) const {
    return m.block(prior->first_column(a), prior->first_column(b),
                   prior->first_column(a + 1) - prior->first_column(a),
                   prior->first_column(b + 1) - prior->first_column(b));
  }
  // KL(prior | normal distribution of the information matrix, the same mean).
  double Divergence(const Eigen::MatrixXd& other) const {
    const Eigen::VectorXd values = internal::SymmetricEigenvalues(other);
    return 0.5 *
           ((other * covariance).trace() - values.array().log().sum() -
            internal::SymmetricEigenvalues(covariance).array().log().sum() -
            8.0);
  }
  // The conditions of Dempster 1972, which are sufficient for the minimum.
  void ExpectOptimal(const LinearizedPrior::Pattern& pattern,
                     double tolerance) {
    std::vector<LinearizedPrior::Part> parts;
    std::string error;
    ASSERT_TRUE(prior->Sparsify(pattern, &parts, &error)) << error;
    AddUp(parts);
    const Eigen::MatrixXd fitted = DenseInverse(sum);
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        bool in_pattern = a == b;
        for (const auto& [i, j] : pattern) {
          in_pattern |= (a == i && b == j) || (a == j && b == i);
        }
        if (in_pattern) {
          EXPECT_LT((Block(fitted, a, b) - Block(covariance, a, b)).norm(),
                    tolerance * covariance.norm())
              << a << b;
        } else {
          EXPECT_LT(Block(sum, a, b).norm(), tolerance * sum.norm()) << a << b;
        }
      }
    }
    EXPECT_LT((fitted * sum_gradient - covariance * gradient).norm(),
              tolerance * (covariance * gradient).norm() * 10.0);
  }

  std::unique_ptr<LinearizedPrior> prior;
  Eigen::MatrixXd information, covariance, sum;
  Eigen::VectorXd gradient, sum_gradient;
};

TEST_F(SparsifyTest, ATreeIsOptimalInClosedForm) {
  ExpectOptimal({{0, 1}, {1, 2}, {1, 3}}, 1e-12);
  ExpectOptimal({{3, 0}, {0, 2}}, 1e-12);  // block 1 alone
  ExpectOptimal({}, 1e-12);
}

TEST_F(SparsifyTest, AChordalGraphIsOptimalInClosedForm) {
  ExpectOptimal({{0, 1}, {1, 2}, {2, 0}, {2, 3}}, 1e-12);
}

TEST_F(SparsifyTest, ACycleIsOptimal) {
  ExpectOptimal({{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 1e-10);
}

TEST_F(SparsifyTest, AllPairsGiveThePrior) {
  ExpectOptimal({{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, 1e-12);
  EXPECT_LT((sum - information).norm(), 1e-11 * information.norm());
}

TEST_F(SparsifyTest, PartsOfATreeHaveTwoBlocksAtMost) {
  std::vector<LinearizedPrior::Part> parts;
  std::string error;
  ASSERT_TRUE(prior->Sparsify({{0, 1}, {1, 2}, {1, 3}}, &parts, &error));
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& part : parts) EXPECT_LE(part.blocks.size(), 2u);
}

TEST_F(SparsifyTest, TheTreeOfChowAndLiuIsTheBestOfAll) {
  std::vector<LinearizedPrior::Part> parts;
  std::string error;
  LinearizedPrior::Pattern tree;
  ASSERT_TRUE(prior->ChowLiuTree(&tree, &error)) << error;
  ASSERT_TRUE(prior->Sparsify(tree, &parts, &error)) << error;
  AddUp(parts);
  const double best = Divergence(sum);
  EXPECT_GT(best, 1e-3);
  const LinearizedPrior::Pattern pairs = {{0, 1}, {0, 2}, {0, 3},
                                          {1, 2}, {1, 3}, {2, 3}};
  int num_trees = 0;
  for (int a = 0; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) {
      for (int c = b + 1; c < 6; ++c) {
        std::set<int> covered;
        for (const int k : {a, b, c}) {
          covered.insert({pairs[k].first, pairs[k].second});
        }
        if (covered.size() < 4) continue;  // a triangle
        ++num_trees;
        ASSERT_TRUE(
            prior->Sparsify({pairs[a], pairs[b], pairs[c]}, &parts, &error));
        AddUp(parts);
        EXPECT_GE(Divergence(sum), best - 1e-12) << a << b << c;
      }
    }
  }
  EXPECT_EQ(num_trees, 16);  // Cayley's formula
}

TEST_F(SparsifyTest, APriorWithoutFullRankIsRefused) {
  const LinearizedPrior flat(Matrix::Ones(1, 2), Vector::Ones(1),
                             {{Vector::Zero(1), {}}, {Vector::Zero(1), {}}});
  std::vector<LinearizedPrior::Part> parts;
  LinearizedPrior::Pattern tree;
  std::string error;
  EXPECT_FALSE(flat.Sparsify({{0, 1}}, &parts, &error));
  EXPECT_THAT(error, HasSubstr("rank 1, but 2 tangent coordinates"));
  EXPECT_FALSE(flat.ChowLiuTree(&tree, &error));
}

}  // namespace
}  // namespace ceres
