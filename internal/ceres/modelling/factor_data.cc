// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/factor_data.h"

#include <cmath>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

constexpr int kNoIndex = -1;
// Quaternions in files have few digits; farther from 1 they are something else.
constexpr double kNormTolerance = 0.01;

}  // namespace

void FactorData::Fail(const char* name, int index, double value,
                      const char* advice) {
  if (!error_.empty()) return;
  const std::string place =
      index == kNoIndex ? std::string() : Format("[%d]", index);
  error_ =
      Format("%s: %s%s is %g. %s", factor_, name, place.c_str(), value, advice);
}

FactorData& FactorData::Finite(const char* name, const double* values,
                               int size) {
  VESTA_CHECK(values != nullptr) << factor_ << ": " << name << " is null.";
  for (int i = 0; i < size; ++i) {
    if (std::isfinite(values[i])) continue;
    Fail(name, size == 1 ? kNoIndex : i, values[i],
         "Leave out the measurement, or look for the cause.");
  }
  return *this;
}

FactorData& FactorData::Sigma(const char* name, double sigma) {
  if (!(sigma > 0.0) || !std::isfinite(sigma) || !std::isfinite(1.0 / sigma)) {
    Fail(name, kNoIndex, sigma,
         "Pass a positive, finite number. Leave out a measurement without "
         "information, and fix a block that is known.");
  }
  return *this;
}

FactorData& FactorData::Direction(const char* name, const double* direction) {
  Finite(name, direction, 3);
  const double norm = std::hypot(direction[0], direction[1], direction[2]);
  if (!(norm > 0.0)) {
    Fail((std::string("the norm of ") + name).c_str(), kNoIndex, norm,
         "Pass a direction that is not zero.");
  }
  return *this;
}

FactorData& FactorData::Quaternion(const char* name, const double* q) {
  const double norm =
      std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(norm - 1.0) <= kNormTolerance)) {
    Fail((std::string("the norm of the quaternion of ") + name).c_str(),
         kNoIndex, norm,
         "Pass a unit quaternion, in front of the translation.");
  }
  return *this;
}

FactorData& FactorData::Scale(const char* name, double scale) {
  if (!(scale > 0.0)) {
    Fail((std::string("the scale of ") + name).c_str(), kNoIndex, scale,
         "Pass a positive scale, behind the translation.");
  }
  return *this;
}

FactorData& FactorData::Add(const std::string& error) {
  if (error_.empty() && !error.empty()) {
    error_ = std::string(factor_) + ": " + error;
  }
  return *this;
}

bool FactorData::IsValid(std::string* error) const {
  if (error_.empty()) return true;
  if (error != nullptr) {
    *error = error_;
  } else {
    VESTA_LOG(kError) << error_ << " No factor was created.";
  }
  return false;
}

}  // namespace ceres::internal
