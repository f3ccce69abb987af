// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>

#include "ceres/execution/loops.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/trust_region_minimizer.h"
#include "ceres/problem/parameter_block.h"

// Evaluations at a point, and norms of what they write.

namespace ceres::internal {
namespace {

// The largest value_of(i) of the indices below n, none of which is negative.
template <typename F>
double Largest(const Execution& execution, int n, F&& value_of) {
  const auto largest_in = [&value_of](IndexRange range) {
    double largest = 0.0;
    for (int i = range.begin; i < range.end; ++i) {
      largest = std::max(largest, value_of(i));
    }
    return largest;
  };
  if (n <= kMinVectorPiece) return largest_in({0, n});
  return ParallelReduce(
      execution, 0, n, 0.0, largest_in,
      [](double a, double b) { return std::max(a, b); }, kMinVectorPiece);
}

}  // namespace

// Reads: x. Writes: cost, Jacobian, gradient, column norms.
bool TrustRegionMinimizer::EvaluateAtState(bool new_evaluation_point) {
  const Evaluator::Result result =
      EvaluateJacobian(x_, new_evaluation_point, &x_cost_);
  if (!result) {
    return Finish(FAILURE,
                  "The residuals and their Jacobian could not be evaluated: " +
                      result.message);
  }
  jacobian_point_ = Point::kState;
  return MeasureGradient();
}

// Reads: x, cost and gradient. Writes: the iteration's cost and norms of the
// gradient; step and candidate as intermediate results.
bool TrustRegionMinimizer::MeasureGradient() {
  iteration_.cost = x_cost_ + setup_.fixed_cost;
  iteration_.gradient_norm = collective_.NormOfStep(gradient_.data());

  // The projected gradient is x - Project(Plus(x, -g)). Without manifolds and
  // bounds it is g. The difference of two points would be 0 where x is large.
  //
  // Plus may return another representation of a point, for example an angle in
  // [-pi, pi). Then even Plus(x, 0) differs from x. Therefore the part of a
  // manifold block is at most kPlusRate max(1, |x|) |g|, which exceeds it for
  // all manifolds whose Plus moves x as fast as rotations, poses and spheres
  // do.
  const int num_state = static_cast<int>(x_.size());
  if (is_euclidean_) {
    iteration_.gradient_max_norm =
        collective_.Largest(Largest(setup_.execution, num_state, [this](int i) {
          return std::abs(gradient_[i]);
        }));
    return true;
  }
  ParallelFor(
      setup_.execution, 0, program_.num_delta(),
      [this](int j) { step_[j] = -gradient_[j]; }, kMinVectorPiece);
  if (!collective_.All(program_.Plus(setup_.execution, x_.data(), step_.data(),
                                     candidate_.data()))) {
    return Finish(FAILURE,
                  "The gradient could not be projected: a manifold's Plus "
                  "returned false.");
  }
  iteration_.gradient_max_norm = collective_.Largest(
      Largest(setup_.execution, program_.num_column_blocks(),
              [this](int column) { return ProjectedGradient(column); }));
  return true;
}

// The largest |x - candidate| of a column block, as MeasureGradient needs it.
double TrustRegionMinimizer::ProjectedGradient(int column) const {
  constexpr double kPlusRate = 2.0;
  const int begin = program_.state_offset()[column];
  const int end = program_.state_offset()[column + 1];
  double largest = 0.0;
  if (program_.manifolds()[column] == nullptr) {
    const ParameterBlock& block = *program_.parameter_blocks()[column];
    const double* const gradient =
        gradient_.data() + program_.delta_offset()[column];
    for (int i = begin; i < end; ++i) {
      const int k = i - begin;
      const double room = gradient[k] > 0.0 ? x_[i] - block.LowerBound(k)
                                            : block.UpperBound(k) - x_[i];
      largest = std::max(largest, std::min(std::abs(gradient[k]), room));
    }
    return largest;
  }
  for (int i = begin; i < end; ++i) {
    largest = std::max(largest, std::abs(x_[i] - candidate_[i]));
  }
  double size = 1.0;
  for (int i = begin; i < end; ++i) size = std::max(size, std::abs(x_[i]));
  double gradient = 0.0;
  for (int j = program_.delta_offset()[column];
       j < program_.delta_offset()[column + 1]; ++j) {
    gradient = std::hypot(gradient, gradient_[j]);
  }
  const double bound =
      kPlusRate * std::sqrt(static_cast<double>(end - begin)) * size * gradient;
  return bound < largest ? bound : largest;
}

// Reads: x, candidate and their costs. Writes: the step's norm and gain, step.
void TrustRegionMinimizer::MeasureStep() {
  iteration_.step_norm =
      collective_.Distance(candidate_.data(), x_.data(), step_.data());
  iteration_.cost_change = x_cost_ - candidate_cost_;
}

bool TrustRegionMinimizer::EvaluateCost(VectorView x, double* cost) {
  const Evaluator::Result result = collective_.EvaluateCost(x.data(), cost);
  ++result_->num_residual_evaluations;
  result_->residual_evaluation_time_in_seconds += timer_.EndPhase();
  if (!result) RecordFailure(result.message);
  return result.ok;
}

// Writes: Jacobian, gradient, column norms.
Evaluator::Result TrustRegionMinimizer::EvaluateJacobian(
    VectorView x, bool new_evaluation_point, double* cost) {
  Evaluator::Result result = collective_.EvaluateJacobian(
      x.data(), new_evaluation_point, cost, gradient_.data(),
      squared_column_norms_.data());
  ++result_->num_jacobian_evaluations;
  result_->jacobian_evaluation_time_in_seconds += timer_.EndPhase();
  return result;
}

}  // namespace ceres::internal
