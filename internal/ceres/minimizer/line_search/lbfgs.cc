// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/lbfgs.h"

#include <algorithm>
#include <cmath>

#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {

CurvaturePair::CurvaturePair(const Execution& execution, int n, const double* s,
                             const double* y, const double* diagonal)
    : s_dot_y(Dot(execution, n, s, y)), has_diagonal(diagonal != nullptr) {
  if (!has_diagonal) {
    squared_s = Dot(execution, n, s, s);
    squared_y = Dot(execution, n, y, y);
    return;
  }
  for (int j = 0; j < n; ++j) {
    squared_s += s[j] / diagonal[j] * s[j];
    squared_y += y[j] * diagonal[j] * y[j];
  }
}

bool CurvaturePair::HasCurvature() const {
  constexpr double kRounding = 1e-14;
  return s_dot_y > kRounding * std::sqrt(squared_s) * std::sqrt(squared_y);
}

double CurvaturePair::InitialScale(InverseHessianScaling scaling, bool is_first,
                                   double current) const {
  if (scaling == InverseHessianScaling::kNewestPair) {
    return s_dot_y / squared_y;
  }
  return is_first && !has_diagonal ? kFirstInverseCurvature * InverseCurvature()
                                   : current;
}

LowRankInverseHessian::LowRankInverseHessian(const Execution& execution, int n,
                                             int rank,
                                             InverseHessianScaling scaling)
    : execution_(execution), n_(n), rank_(rank), scaling_(scaling) {}

bool LowRankInverseHessian::Update(const double* s, const double* y,
                                   const double* diagonal) {
  const CurvaturePair products(execution_, n_, s, y, diagonal);
  if (!products.HasCurvature()) {
    return false;
  }
  scale_ =
      products.has_diagonal && scaling_ == InverseHessianScaling::kFirstPair
          ? products.InverseCurvature()
          : products.InitialScale(scaling_, pairs_.empty(), scale_);
  if (next_ == static_cast<int>(pairs_.size())) {
    pairs_.emplace_back();
  }
  Pair& pair = pairs_[next_];
  pair.s.assign(s, s + n_);
  pair.y.assign(y, y + n_);
  pair.s_dot_y = products.s_dot_y;
  next_ = (next_ + 1) % rank_;
  return true;
}

const LowRankInverseHessian::Pair& LowRankInverseHessian::Newest(int i) const {
  const int size = static_cast<int>(pairs_.size());
  return pairs_[(next_ - 1 - i + 2 * size) % size];
}

void LowRankInverseHessian::Multiply(const double* x, double* h_x,
                                     const double* diagonal) const {
  const int size = static_cast<int>(pairs_.size());
  std::vector<double> alpha(size);
  std::copy(x, x + n_, h_x);
  for (int i = 0; i < size; ++i) {
    const Pair& pair = Newest(i);
    alpha[i] = Dot(execution_, n_, pair.s.data(), h_x) / pair.s_dot_y;
    Axpby(execution_, n_, 1.0, h_x, -alpha[i], pair.y.data(), h_x);
  }
  Axpby(execution_, n_, scale_, h_x, 0.0, h_x, h_x);
  if (diagonal != nullptr) {
    for (int j = 0; j < n_; ++j) {
      h_x[j] *= diagonal[j];
    }
  }
  for (int i = size - 1; i >= 0; --i) {
    const Pair& pair = Newest(i);
    const double beta = Dot(execution_, n_, pair.y.data(), h_x) / pair.s_dot_y;
    Axpby(execution_, n_, 1.0, h_x, alpha[i] - beta, pair.s.data(), h_x);
  }
}

}  // namespace ceres::internal
