// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_FIELDS_OF_EXPERTS_H_
#define VESTA_EXAMPLES_FIELDS_OF_EXPERTS_H_

// A prior of natural images: S. Roth and M. J. Black, "Fields of experts",
// International Journal of Computer Vision 82(2), 2009. Filters J_k respond to
// square patches x_c of pixels, and the energy of an image is
//
//   E(x) = sum_c sum_k alpha_k log(1 + 1/2 (J_k' x_c)^2)
//
// over all patches c inside of it. As least squares, each term is the residual
// J_k' x_c under a robust loss: 1/2 rho(s) with rho(s) = 2 alpha log(1 + s/2).

#include <string>
#include <string_view>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"

namespace ceres::examples {

// rho(s) = 2 alpha log(1 + s / 2).
class FieldsOfExpertsLoss final : public LossFunction {
 public:
  explicit FieldsOfExpertsLoss(double alpha) : alpha_(alpha) {}
  void Evaluate(double s, double rho[3]) const override;

 private:
  double alpha_;
};

// One residual, J' x. Parameter blocks: the pixels of a patch, one each.
class FieldsOfExpertsCost final : public CostFunction {
 public:
  explicit FieldsOfExpertsCost(std::vector<double> filter);
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  std::vector<double> filter_;
};

// The filters, and which pixels of a patch they weight.
struct FieldsOfExperts {
  int num_filters() const { return static_cast<int>(alphas.size()); }
  // A patch has size x size pixels.
  int num_pixels() const { return size * size; }

  int size = 0;
  // Offsets of the pixels of a patch, in [0, size).
  std::vector<int> x_offsets;
  std::vector<int> y_offsets;
  std::vector<double> alphas;
  std::vector<std::vector<double>> filters;  // num_pixels() coefficients each
};

// Parses text that came from `name`, which appears in messages only:
// whitespace-separated size s and number of filters K, s^2 x offsets, s^2 y
// offsets, K alphas, K filters of s^2 coefficients. Returns false on failure
// and then says in *error which token is wrong and what was expected; *foe is
// unchanged.
[[nodiscard]] bool ParseFieldsOfExperts(std::string_view text,
                                        const std::string& name,
                                        FieldsOfExperts* foe,
                                        std::string* error);
[[nodiscard]] bool ReadFieldsOfExperts(const std::string& path,
                                       FieldsOfExperts* foe,
                                       std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_FIELDS_OF_EXPERTS_H_
