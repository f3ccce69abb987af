// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATION_TEST_UTILS_H_
#define CERES_INTERNAL_EVALUATION_EVALUATION_TEST_UTILS_H_

#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"

namespace ceres::internal {

// residual[i] = sin(sum of w_ikc x_k[c]) + b_i, with random w and b: couples
// all parameters and has a simple derivative.
class SineCost : public CostFunction {
 public:
  SineCost(int num_residuals, const std::vector<int>& sizes, int seed) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
    int num_parameters = 0;
    for (const int size : sizes) num_parameters += size;
    std::mt19937 random(seed);
    // Not std::uniform_real_distribution, whose values are the library's.
    const auto draw = [&random] { return random() / 4294967296.0 - 0.5; };
    weights_.resize(num_residuals * num_parameters);
    for (double& weight : weights_) weight = draw();
    offsets_.resize(num_residuals);
    for (double& offset : offsets_) offset = 2.0 * draw();
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double* weight = weights_.data();
    for (int i = 0; i < num_residuals(); ++i) {
      const double* row = weight;
      double sum = 0.0;
      for (std::size_t k = 0; k < parameter_block_sizes().size(); ++k) {
        for (int c = 0; c < parameter_block_sizes()[k]; ++c) {
          sum += *weight++ * parameters[k][c];
        }
      }
      residuals[i] = std::sin(sum) + offsets_[i];
      for (std::size_t k = 0; k < parameter_block_sizes().size(); ++k) {
        const int size = parameter_block_sizes()[k];
        for (int c = 0; c < size; ++c, ++row) {
          if (jacobians != nullptr && jacobians[k] != nullptr) {
            jacobians[k][i * size + c] = std::cos(sum) * *row;
          }
        }
      }
    }
    return true;
  }

 private:
  std::vector<double> weights_;
  std::vector<double> offsets_;
};

// Does what a function says.
class FunctionCost : public CostFunction {
 public:
  using Function = std::function<bool(double const* const*, double*, double**)>;
  FunctionCost(int num_residuals, const std::vector<int>& sizes,
               Function function)
      : function_(std::move(function)) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return function_(parameters, residuals, jacobians);
  }

 private:
  Function function_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATION_TEST_UTILS_H_
