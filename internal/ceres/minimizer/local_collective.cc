// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/local_collective.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ceres/base/clock.h"
#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {

bool IsEuclidean(const Program& program) {
  return !program.has_bounds() &&
         std::all_of(
             program.manifolds().begin(), program.manifolds().end(),
             [](const Manifold* manifold) { return manifold == nullptr; });
}

// Both branches add in the same order.
double LocalCollective::Distance(const double* x, const double* y,
                                 double* difference) {
  const int size = program_->num_state();
  if (size < kMinVectorLoopSize) {
    double sum = 0.0;
    for (int i = 0; i < size; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return std::sqrt(sum);
  }
  Axpby(setup_.execution, size, 1.0, x, -1.0, y, difference);
  return NormOfPoint(difference);
}

std::array<double, 3> LocalCollective::DotsOfProducts(const double* x,
                                                      const double* y) {
  const double* const a = Product(x, &product_[0]);
  const double* const b = Product(y, &product_[1]);
  return {Dot(setup_.execution, num_rows(), a, a),
          Dot(setup_.execution, num_rows(), a, b),
          Dot(setup_.execution, num_rows(), b, b)};
}

const double* LocalCollective::Product(const double* x,
                                       std::vector<double>* product) const {
  product->resize(num_rows());
  Multiply(setup_.execution, *jacobian_, x, product->data());
  return product->data();
}

Termination LocalCollective::DescribeStop(int iteration) {
  const std::chrono::duration<double> time =
      parallel::detail::SteadyNow() - setup_.start;
  return internal::DescribeStop(*setup_.options, *setup_.execution.stop,
                                iteration, time.count());
}

}  // namespace ceres::internal
