// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Rows of residual batches have the bits of the residual blocks in whose place
// they stand.

#include "ceres/evaluation/batched_rows.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/crs_matrix.h"
#include "ceres/evaluation/batch_pair.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Features = BatchPair::Features;
using Columns = ProblemEvaluator::Columns;

Outputs EvaluateWith(BatchPair::Side* side, const BatchPair& pair,
                     bool eliminates_points, int num_threads, Columns columns) {
  Evaluator::Options options;
  options.execution = Threads(num_threads);
  std::vector<double*> eliminated;
  if (eliminates_points) {
    for (double* point : pair.Points(side)) {
      if (!side->problem.IsParameterBlockConstant(point)) {
        eliminated.push_back(point);
      }
    }
  }
  return ProblemEvaluator(&side->problem, options, eliminated, columns)
      .EvaluateAll();
}

void ExpectSameEvaluations(BatchPair* pair) {
  for (const bool eliminates_points : {false, true}) {
    for (const Columns columns : {Columns::kSeparate, Columns::kMerged}) {
      if (eliminates_points && columns == Columns::kMerged) continue;
      const Outputs expected =
          EvaluateWith(&pair->plain, *pair, eliminates_points, 1, columns);
      EXPECT_TRUE(expected.result) << expected.result.message;
      for (const int num_threads : {1, 2, 4, 8}) {
        const Outputs outputs = EvaluateWith(
            &pair->batched, *pair, eliminates_points, num_threads, columns);
        EXPECT_TRUE(outputs.result) << outputs.result.message;
        SCOPED_TRACE(testing::Message()
                     << "elim " << eliminates_points << " merged "
                     << (columns == Columns::kMerged) << " threads "
                     << num_threads);
        ExpectSameBits(outputs, expected);
      }
    }
  }
}

TEST(BatchedRows, HaveTheBitsOfResidualBlocks) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    BatchPair pair(seed, {});
    ExpectSameEvaluations(&pair);
  }
}

// Each feature alone, then all.
TEST(BatchedRows, HaveTheBitsOfResidualBlocksWithEveryFeature) {
  std::vector<Features> all(9);
  all[0].with_losses = true;
  all[1].with_manifolds = true;
  all[2].with_constants = true;
  all[3].with_bounds = true;
  all[4].with_weights = true;
  all[5].with_rows_off = true;
  all[6].with_removals = true;
  all[7].with_other_blocks = true;
  all[8] = BatchPair::All();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(testing::Message() << "feature " << i << ", seed " << seed);
      BatchPair pair(seed, all[i]);
      ExpectSameEvaluations(&pair);
    }
  }
}

TEST(BatchedRows, ProblemEvaluateGivesTheSame) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    BatchPair pair(seed, BatchPair::All());
    double cost[2];
    std::vector<double> residuals[2], gradient[2];
    CRSMatrix jacobian[2];
    int i = 0;
    for (BatchPair::Side* side : {&pair.batched, &pair.plain}) {
      ASSERT_TRUE(side->problem.Evaluate({}, &cost[i], &residuals[i],
                                         &gradient[i], &jacobian[i]));
      ++i;
    }
    EXPECT_EQ(cost[0], cost[1]);
    EXPECT_EQ(residuals[0], residuals[1]);
    EXPECT_EQ(gradient[0], gradient[1]);
    EXPECT_EQ(jacobian[0].values, jacobian[1].values);
    EXPECT_EQ(jacobian[0].cols, jacobian[1].cols);
  }
}

// y = exp(a x) + b.
struct Curve {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::exp;
    residual[0] = y - exp(a[0] * x) - b[0];
    return x < 1e3;
  }
  double x, y;
};
using CurveFunction = AutoDiffCostFunction<Curve, 1, 1, 1>;

struct Curves {
  explicit Curves(int num_rows) : a(num_rows, 0.3) {
    for (int i = 0; i < num_rows; ++i) {
      samples.push_back({0.1 * i, 1.0 + 0.2 * i});
      indices.push_back(i);
    }
  }
  ResidualBatchId Add() {
    CostFunctionBatch::Functions functions;
    for (const Curve& sample : samples) {
      functions.push_back(std::make_unique<CurveFunction>(new Curve(sample)));
    }
    auto owned = std::make_unique<CostFunctionBatch>(
        1, std::vector<std::int32_t>{1, 1}, std::move(functions));
    batch = owned.get();
    return problem.AddResidualBatch(
        std::move(owned), nullptr,
        {{problem.AddParameterArray(a.data(), a.size(), 1), indices}, &b});
  }

  std::vector<Curve> samples;
  std::vector<std::int64_t> indices;
  std::vector<double> a;
  double b = 0.2;
  Problem problem;
  const CostFunctionBatch* batch = nullptr;
};

TEST(BatchedRows, EqualAutomaticDerivatives) {
  Curves batched(100), plain(100);
  batched.Add();
  plain.problem.AddParameterArray(plain.a.data(), 100, 1);
  for (int i = 0; i < 100; ++i) {
    plain.problem.AddResidualBlock(
        new CurveFunction(new Curve(plain.samples[i])), nullptr, &plain.a[i],
        &plain.b);
  }
  const Outputs a = ProblemEvaluator(&batched.problem).EvaluateAll();
  const Outputs b = ProblemEvaluator(&plain.problem).EvaluateAll();
  EXPECT_TRUE(a.result);
  ExpectSameBits(a, b);
}

TEST(BatchedRows, AreEvaluatedInGroups) {
  Curves curves(160);
  curves.Add();
  ProblemEvaluator evaluator(&curves.problem);
  EXPECT_TRUE(evaluator.EvaluateAll().result);
  // With Jacobians, and costs alone.
  EXPECT_EQ(curves.batch->num_rows_evaluated, 2 * 160);
  EXPECT_LE(curves.batch->num_calls, 2 * 160 / 10);
}

TEST(BatchedRows, ThatAreOffAreNotEvaluated) {
  Curves curves(50);
  curves.samples[7].x = 1e4;  // refused
  const ResidualBatchId batch = curves.Add();
  curves.problem.SetRowActive(batch, 7, false);
  ProblemEvaluator evaluator(&curves.problem);
  const Outputs outputs = evaluator.EvaluateAll();
  EXPECT_TRUE(outputs.result) << outputs.result.message;
  EXPECT_EQ(outputs.residuals[7], 0.0);
  EXPECT_NE(outputs.residuals[8], 0.0);
  curves.problem.SetRowActive(batch, 7, true);
  EXPECT_THAT(evaluator.MessageOfCost(),
              HasSubstr("row 7 of residual batch 0"));
}

TEST(BatchedRows, NameTheFirstRowThatFails) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const int num_threads : {1, 2, 4, 8}) {
    for (const bool is_refused : {false, true}) {
      Curves curves(5000);
      curves.samples[4321].x = kNan;
      curves.samples[1234].y = is_refused ? 1.0 : kNan;
      if (is_refused) curves.samples[1234].x = 1e4;
      const ResidualBatchId batch = curves.Add();
      curves.problem.SetResidualBatchName(batch, "curves");
      Evaluator::Options options;
      options.execution = Threads(num_threads);
      ProblemEvaluator evaluator(&curves.problem, options);
      const auto matches =
          AllOf(HasSubstr("Residual block 1234 of the problem (row 1234 of "
                          "residual batch \"curves\")"),
                HasSubstr(is_refused ? "returned false" : "residual 0 is nan"));
      EXPECT_THAT(evaluator.MessageOfJacobian(), matches);
      EXPECT_THAT(evaluator.MessageOfJacobian(/*with_sums=*/false), matches);
      EXPECT_THAT(evaluator.MessageOfCost(), matches);
    }
  }
}

// A batch that refuses a row for its results says which one.
TEST(BatchedRows, ResultsThatAreNotFiniteAreNamed) {
  class Roots : public ResidualBatch {
   public:
    Roots() : ResidualBatch(3000, 2, {1}) {}
    int Evaluate(const BatchRows& rows,
                 const BatchOutput& output) const override {
      for (int i = 0; i < rows.count; ++i) {
        const bool is_bad = rows.rows[i] == 1234 || rows.rows[i] == 2345;
        const double x = rows.parameters[i][0] - (is_bad ? 5.0 : 1.0);
        double* const residuals = output.residuals + i * output.stride;
        residuals[0] = x;
        residuals[1] = std::sqrt(x);
        if (output.jacobians != nullptr) {
          output.jacobians[0][i * output.stride] = 1.0;
          output.jacobians[0][i * output.stride + 1] = 0.5 / residuals[1];
        }
        if (std::isnan(residuals[1])) return i;
      }
      return rows.count;
    }
  };
  for (const int num_threads : {1, 4}) {
    double x[1] = {2.0};
    Problem problem;
    problem.AddResidualBatch(std::make_unique<Roots>(), nullptr, x);
    Evaluator::Options options;
    options.execution = Threads(num_threads);
    ProblemEvaluator evaluator(&problem, options);
    const auto matches =
        AllOf(HasSubstr("(row 1234 of residual batch 0)"),
              HasSubstr("returned false: residual 1 is"), HasSubstr("nan"));
    EXPECT_THAT(evaluator.MessageOfJacobian(), matches);
    EXPECT_THAT(evaluator.MessageOfCost(), matches);
  }
}

// Entries that a batch leaves out are found whatever the weight.
TEST(BatchedRows, EntriesThatAreNotWrittenAreNamed) {
  class Lazy : public ResidualBatch {
   public:
    Lazy() : ResidualBatch(40, 2, {3}) {}
    int Evaluate(const BatchRows& rows,
                 const BatchOutput& output) const override {
      for (int i = 0; i < rows.count; ++i) {
        const bool spoils = rows.rows[i] == 25;
        for (int r = 0; r < 2; ++r) output.residuals[i * output.stride + r] = 1;
        for (int c = 0; output.jacobians != nullptr && c < 6; ++c) {
          if (!spoils || c != 4) {
            output.jacobians[0][i * output.stride + c] = c;
          }
        }
      }
      return rows.count;
    }
  };
  for (const double weight : {1.0, 1e-200}) {
    for (const bool on_manifold : {false, true}) {
      double x[3] = {1.0, 2.0, 3.0};
      Problem problem;
      const ResidualBatchId batch =
          problem.AddResidualBatch(std::make_unique<Lazy>(), nullptr, {x});
      if (on_manifold) problem.SetManifold(x, new SphereManifold<3>);
      const std::vector<double> weights(40, weight);
      problem.SetResidualBatchWeights(batch, weights.data());
      ProblemEvaluator evaluator(&problem);
      EXPECT_THAT(evaluator.MessageOfJacobian(),
                  AllOf(HasSubstr("row 25 of residual batch 0"),
                        HasSubstr("derivative of residual 1 by coordinate 1 of "
                                  "parameter block 0 was not written")));
      EXPECT_EQ(evaluator.MessageOfCost(), "");
    }
  }
}

}  // namespace
}  // namespace ceres::internal
