// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_FACTOR_DATA_H_
#define CERES_PUBLIC_INTERNAL_FACTOR_DATA_H_

// Checks of the data that factors are created from. Data come from files and
// sensors: what is wrong with them is an error, not a mistake of the program.

#include <string>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres::internal {

// Examines data one after the other and keeps the first error. Null pointers
// are a mistake of the program: a failed CHECK.
class CERES_EXPORT FactorData {
 public:
  // `factor` begins the error. It must outlive the object.
  explicit FactorData(const char* factor) : factor_(factor) {}

  // `size` numbers must be finite.
  FactorData& Finite(const char* name, const double* values, int size);
  FactorData& Finite(const char* name, double value) {
    return Finite(name, &value, 1);
  }
  // Must be positive, and finite as its reciprocal.
  FactorData& Sigma(const char* name, double sigma);
  // Must be finite and not zero.
  FactorData& Direction(const char* name, const double* direction);
  // An element of a group: finite numbers, with a quaternion whose norm is 1 up
  // to 1 %, and a positive scale, if the group has these.
  template <typename Group>
  FactorData& Element(const char* name, const double* x) {
    // Groups with a quaternion have it first.
    constexpr bool kHasQuaternion = Group::kAmbientSize > Group::kTangentSize;
    constexpr bool kHasScale = kHasQuaternion && Group::kAmbientSize == 8;
    Finite(name, x, Group::kAmbientSize);
    if (kHasQuaternion) Quaternion(name, x);
    if (kHasScale) Scale(name, x[Group::kAmbientSize - 1]);
    return *this;
  }
  template <typename Matrix>
  FactorData& FiniteMatrix(const char* name, const Matrix& matrix) {
    return Finite(name, matrix.data(), static_cast<int>(matrix.size()));
  }
  // An error of another check, unless empty.
  FactorData& Add(const std::string& error);

  // Returns true if there is no error. Otherwise writes it to `error`, or logs
  // it if `error` is null.
  bool IsValid(std::string* error) const;

 private:
  FactorData& Quaternion(const char* name, const double* q);
  FactorData& Scale(const char* name, double scale);
  void Fail(const char* name, int index, double value, const char* advice);

  const char* factor_;
  std::string error_;
};

}  // namespace ceres::internal

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_INTERNAL_FACTOR_DATA_H_
