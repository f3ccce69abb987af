// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "fields_of_experts.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "ceres/io/text_file.h"
#include "ceres/io/token_reader.h"

namespace ceres::examples {
namespace {

// More than these do not make sense, and fit into memory.
constexpr int kMaxSize = 64;
constexpr int kMaxNumFilters = 1 << 12;

bool ReadOffsets(const char* what, int size, io::TokenReader* reader,
                 std::vector<int>* offsets) {
  offsets->resize(static_cast<size_t>(size) * static_cast<size_t>(size));
  for (int& offset : *offsets) {
    if (!reader->ReadInt(what, 0, size - 1, &offset)) return false;
  }
  return true;
}

bool ReadFilters(int num_filters, io::TokenReader* reader,
                 FieldsOfExperts* foe) {
  foe->alphas.resize(num_filters);
  for (double& alpha : foe->alphas) {
    if (!reader->ReadDouble("the weight of a filter", &alpha)) return false;
    if (alpha < 0.0) {
      return reader->Fail("expected the weight of a filter, at least 0");
    }
  }
  for (int i = 0; i < num_filters; ++i) {
    std::vector<double> filter(foe->num_pixels());
    for (double& coefficient : filter) {
      if (!reader->ReadDouble("a filter's coefficient", &coefficient)) {
        return false;
      }
    }
    foe->filters.push_back(std::move(filter));
  }
  return true;
}

}  // namespace

void FieldsOfExpertsLoss::Evaluate(double s, double rho[3]) const {
  const double sum = 1.0 + 0.5 * s;
  rho[0] = 2.0 * alpha_ * std::log(sum);
  rho[1] = alpha_ / sum;
  rho[2] = -0.5 * alpha_ / (sum * sum);
}

FieldsOfExpertsCost::FieldsOfExpertsCost(std::vector<double> filter)
    : filter_(std::move(filter)) {
  set_num_residuals(1);
  mutable_parameter_block_sizes()->assign(filter_.size(), 1);
}

bool FieldsOfExpertsCost::Evaluate(double const* const* parameters,
                                   double* residuals,
                                   double** jacobians) const {
  residuals[0] = 0.0;
  for (size_t i = 0; i < filter_.size(); ++i) {
    residuals[0] += filter_[i] * parameters[i][0];
  }
  if (jacobians == nullptr) return true;
  for (size_t i = 0; i < filter_.size(); ++i) {
    if (jacobians[i] != nullptr) jacobians[i][0] = filter_[i];
  }
  return true;
}

bool ParseFieldsOfExperts(std::string_view text, const std::string& name,
                          FieldsOfExperts* foe, std::string* error) {
  io::TokenReader reader(text, name);
  FieldsOfExperts parsed;
  int num_filters = 0;
  if (!reader.ReadInt("the size of filters", 1, kMaxSize, &parsed.size) ||
      !reader.ReadInt("the number of filters", 1, kMaxNumFilters,
                      &num_filters) ||
      !ReadOffsets("an x offset", parsed.size, &reader, &parsed.x_offsets) ||
      !ReadOffsets("a y offset", parsed.size, &reader, &parsed.y_offsets) ||
      !ReadFilters(num_filters, &reader, &parsed) || !reader.ExpectEnd()) {
    *error = reader.error();
    return false;
  }
  *foe = std::move(parsed);
  return true;
}

bool ReadFieldsOfExperts(const std::string& path, FieldsOfExperts* foe,
                         std::string* error) {
  std::string text;
  return io::ReadFile(path, &text, error) &&
         ParseFieldsOfExperts(text, path, foe, error);
}

}  // namespace ceres::examples
