// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATOR_TEST_UTILS_H_
#define CERES_INTERNAL_EVALUATION_EVALUATOR_TEST_UTILS_H_

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/merged_columns.h"
#include "ceres/evaluation_callback.h"
#include "ceres/execution/context_impl.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {

// An angle in other units: its PlusJacobian is `scale`. Fails if the angle is
// below `lowest`.
class ScaledAngle : public Manifold {
 public:
  explicit ScaledAngle(double scale, double lowest = -1e9)
      : scale_(scale), lowest_(lowest) {}
  int AmbientSize() const override { return 1; }
  int TangentSize() const override { return 1; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    *x_plus_delta = *x + scale_ * *delta;
    return true;
  }
  bool PlusJacobian(const double* x, double* jacobian) const override {
    *jacobian = scale_;
    return *x >= lowest_;
  }
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    *y_minus_x = (*y - *x) / scale_;
    return true;
  }
  bool MinusJacobian(const double*, double* jacobian) const override {
    *jacobian = 1.0 / scale_;
    return true;
  }

 private:
  const double scale_, lowest_;
};

// Keeps the arguments of its calls, and the value that x has then.
class RecordingCallback : public EvaluationCallback {
 public:
  explicit RecordingCallback(const double* x) : x_(x) {}
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    jacobians.push_back(evaluate_jacobians);
    new_points.push_back(new_evaluation_point);
    values.push_back(*x_);
  }
  std::vector<bool> jacobians, new_points;
  std::vector<double> values;

 private:
  const double* x_;
};

// All that an evaluation gives.
struct Outputs {
  // EvaluateJacobian's, or EvaluateCost's if only that failed.
  Evaluator::Result result;
  double cost = -1.0;
  double cost_alone = -1.0;
  std::vector<double> residuals, gradient, squared_norms, row_blocks;
};

inline void ExpectSameBits(const Outputs& a, const Outputs& b) {
  const auto same = [](const std::vector<double>& a,
                       const std::vector<double>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
             return std::memcmp(&x, &y, sizeof(x)) == 0;
           });
  };
  EXPECT_TRUE(same({a.cost, a.cost_alone}, {b.cost, b.cost_alone}));
  EXPECT_TRUE(same(a.residuals, b.residuals));
  EXPECT_TRUE(same(a.gradient, b.gradient));
  EXPECT_TRUE(same(a.squared_norms, b.squared_norms));
  EXPECT_TRUE(same(a.row_blocks, b.row_blocks));
}

// Up to 8 threads.
inline Execution Threads(int num_threads) {
  static ContextImpl context;
  context.EnsureMinimumThreads(8);
  context.thread_pool().SetRunningLimit(8);
  return {&context, num_threads};
}

// An evaluator of a problem as it is when this is made, at the values that the
// user's memory has then. The blocks at `eliminated` come first.
class ProblemEvaluator {
 public:
  enum class Columns { kSeparate, kMerged };
  explicit ProblemEvaluator(Problem* problem,
                            const Evaluator::Options& options = {},
                            const std::vector<double*>& eliminated = {},
                            Columns columns = Columns::kSeparate)
      : program(VaryingBlocks(*problem->mutable_impl(), eliminated),
                static_cast<int>(eliminated.size()),
                problem->mutable_impl()->residual_blocks()),
        evaluator(program, WithColumns(options, program, columns)),
        structure(evaluator.structure()),
        state(program.num_state()) {
    jacobian.structure = &structure;
    jacobian.values.Resize(structure.num_values());
    program.ReadUserMemory(state.data());
  }

  Outputs EvaluateAll() {
    Outputs out;
    out.residuals.resize(program.num_residuals());
    out.gradient.resize(program.num_delta());
    out.squared_norms.resize(program.num_delta());
    out.result = evaluator.EvaluateJacobian(state.data(), true, &out.cost,
                                            &jacobian, out.gradient.data(),
                                            out.squared_norms.data());
    out.row_blocks.assign(jacobian.values.data(),
                          jacobian.values.data() + jacobian.values.size());
    const Evaluator::Result alone = evaluator.EvaluateCost(
        state.data(), true, &out.cost_alone, out.residuals.data());
    if (out.result) out.result = alone;
    return out;
  }

  // Messages of evaluations with and without sums, and of costs alone. Empty:
  // the evaluation has not failed.
  std::string MessageOfJacobian(bool with_sums = true) {
    double cost = -1.0;
    std::vector<double> gradient(program.num_delta());
    const Evaluator::Result result = evaluator.EvaluateJacobian(
        state.data(), true, &cost, &jacobian,
        with_sums ? gradient.data() : nullptr, nullptr);
    EXPECT_TRUE(result.ok || cost == -1.0);
    return result.message;
  }
  std::string MessageOfCost() {
    double cost = -1.0;
    const Evaluator::Result result =
        evaluator.EvaluateCost(state.data(), true, &cost, nullptr);
    EXPECT_TRUE(result.ok || cost == -1.0);
    return result.message;
  }

  const Program program;
  Evaluator evaluator;
  const BlockJacobianStructure& structure;
  BlockJacobian jacobian;
  std::vector<double> state;

 private:
  static std::vector<ParameterBlock*> VaryingBlocks(
      const ProblemImpl& impl, const std::vector<double*>& eliminated) {
    std::vector<ParameterBlock*> blocks;
    for (double* values : eliminated) {
      blocks.push_back(impl.GetParameterBlock(values));
    }
    std::vector<double*> sorted = eliminated;
    std::sort(sorted.begin(), sorted.end());
    for (ParameterBlock* block : impl.parameter_blocks()) {
      if (!block->IsConstant() &&
          !std::binary_search(sorted.begin(), sorted.end(),
                              block->user_state())) {
        blocks.push_back(block);
      }
    }
    return blocks;
  }
  static Evaluator::Options WithColumns(Evaluator::Options options,
                                        const Program& program,
                                        Columns columns) {
    if (columns == Columns::kMerged) {
      options.merged_columns =
          FindMergedColumns(program, nullptr, std::numeric_limits<int>::max());
    }
    return options;
  }
};

// Compares residuals and sums with those of the row blocks.
inline void ExpectSumsOfRowBlocks(const BlockJacobianStructure& s,
                                  const Outputs& out) {
  std::vector<double> gradient(s.num_columns()), norms(s.num_columns());
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const double* r = out.row_blocks.data() + s.row_block_offset[row];
    for (int i = 0; i < s.row_size(row); ++i) {
      EXPECT_EQ(r[i], out.residuals[s.row_offset[row] + i]);
    }
    for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
      const int column = s.cell_column[k];
      const int size = s.column_size(column);
      const double* cell = r + s.cell_position[k];
      for (int i = 0; i < s.row_size(row) * size; ++i) {
        const int j = s.column_offset[column] + i % size;
        gradient[j] += cell[i] * r[i / size];
        norms[j] += cell[i] * cell[i];
      }
    }
  }
  for (int j = 0; j < s.num_columns(); ++j) {
    EXPECT_NEAR(out.gradient[j], gradient[j], 1e-12 * (1.0 + norms[j]));
    EXPECT_NEAR(out.squared_norms[j], norms[j], 1e-12 * (1.0 + norms[j]));
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATOR_TEST_UTILS_H_
