// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_PRIOR_DATA_H_
#define CERES_INTERNAL_MARGINALIZATION_PRIOR_DATA_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/linearized_prior.h"
#include "ceres/manifold.h"

namespace ceres::internal {

// The version of the file formats, and the largest size in a file.
inline constexpr std::uint32_t kPriorVersion = 1;
inline constexpr std::uint32_t kMaxPriorSize = 1u << 24;

// What a file of a LinearizedPrior holds.
struct PriorData {
  std::vector<int> tangent_size;
  std::vector<Vector> points;
  Matrix a;
  Vector b;

  std::int64_t num_columns() const {
    std::int64_t sum = 0;
    for (const int size : tangent_size) sum += size;
    return sum;
  }
};

// Compares the data, whose sizes agree, with the manifolds, and makes the prior
// of them. Null, with an error: they do not fit.
std::unique_ptr<LinearizedPrior> MakePrior(
    PriorData data, const std::vector<const Manifold*>& manifolds,
    std::string* error);

// Writes an error. Returns null.
std::unique_ptr<LinearizedPrior> Refuse(std::string* error, std::string text);

// Whether all numbers of a prior are finite. If not, writes or, if `error` is
// null, logs which.
bool CanBeWritten(const LinearizedPrior& prior, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_PRIOR_DATA_H_
