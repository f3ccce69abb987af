// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/lbfgs.h"

#include <algorithm>

#include "ceres/linear/vector_ops.h"

namespace ceres::internal {

bool HasCurvature(double s_dot_y, double s_norm, double y_norm) {
  constexpr double kRounding = 1e-14;
  return s_dot_y > kRounding * s_norm * y_norm;
}

LowRankInverseHessian::LowRankInverseHessian(const Execution& execution, int n,
                                             int rank, Scaling scaling)
    : execution_(execution), n_(n), rank_(rank), scaling_(scaling) {}

bool LowRankInverseHessian::Update(const double* s, const double* y) {
  const double s_dot_y = Dot(execution_, n_, s, y);
  const double y_norm = Norm(execution_, n_, y);
  if (!HasCurvature(s_dot_y, Norm(execution_, n_, s), y_norm)) {
    return false;
  }
  if (next_ == static_cast<int>(pairs_.size())) {
    pairs_.emplace_back();
  }
  Pair& pair = pairs_[next_];
  pair.s.assign(s, s + n_);
  pair.y.assign(y, y + n_);
  pair.s_dot_y = s_dot_y;
  next_ = (next_ + 1) % rank_;
  if (scaling_ == Scaling::kNewestPair) {
    scale_ = s_dot_y / (y_norm * y_norm);
  }
  return true;
}

const LowRankInverseHessian::Pair& LowRankInverseHessian::Newest(int i) const {
  const int size = static_cast<int>(pairs_.size());
  return pairs_[(next_ - 1 - i + 2 * size) % size];
}

void LowRankInverseHessian::Multiply(const double* x, double* h_x) const {
  const int size = static_cast<int>(pairs_.size());
  std::vector<double> alpha(size);
  std::copy(x, x + n_, h_x);
  for (int i = 0; i < size; ++i) {
    const Pair& pair = Newest(i);
    alpha[i] = Dot(execution_, n_, pair.s.data(), h_x) / pair.s_dot_y;
    Axpby(execution_, n_, 1.0, h_x, -alpha[i], pair.y.data(), h_x);
  }
  Axpby(execution_, n_, scale_, h_x, 0.0, h_x, h_x);
  for (int i = size - 1; i >= 0; --i) {
    const Pair& pair = Newest(i);
    const double beta = Dot(execution_, n_, pair.y.data(), h_x) / pair.s_dot_y;
    Axpby(execution_, n_, 1.0, h_x, alpha[i] - beta, pair.s.data(), h_x);
  }
}

}  // namespace ceres::internal
