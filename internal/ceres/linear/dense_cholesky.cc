// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "Eigen/Core"
#include "ceres/linear/front_cholesky.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/single_threaded_blas.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// EIGEN, the choice that needs no other library: our own kernels, because Eigen
// compiled for any CPU uses the narrowest vectors.
template <typename T>
class NativeDenseCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    if (!cholesky_ || cholesky_->size() != n) cholesky_.emplace(n);
    T* const matrix = cholesky_->matrix();
    for (int j = 0; j < n; ++j) {
      const double* const column = a + int64_t{j} * n;
      for (int i = j; i < n; ++i) {
        matrix[cholesky_->Position(i, j)] = static_cast<T>(column[i]);
      }
    }
    return cholesky_->Factorize(Execution(), message);
  }

  void Solve(const double* b, double* x) override { cholesky_->Solve(b, x); }

 private:
  std::optional<FrontCholesky<T>> cholesky_;
};

#ifndef CERES_NO_LAPACK

constexpr auto Potrf(double /*of*/) { return &dpotrf_; }
constexpr auto Potrf(float /*of*/) { return &spotrf_; }
constexpr auto Potrs(double /*of*/) { return &dpotrs_; }
constexpr auto Potrs(float /*of*/) { return &spotrs_; }

// Factors a column-major lower triangle in place. Factorize returns -1, or the
// first pivot that is not a positive number.
struct Lapack {
  template <typename T>
  static int Factorize(int n, T* a) {
    if (n == 0) return -1;
    const SingleThreadedBlas single_threaded;
    int info = 0;
    Potrf(T())("L", &n, a, &n, &info);
    VESTA_CHECK_GE(info, 0) << "potrf refuses argument " << -info;
    if (info > 0) return info - 1;
    // OpenBLAS lets NaN and infinity pass as a pivot.
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(a[int64_t{i} * n + i])) return i;
    }
    return -1;
  }
  template <typename T>
  static void Solve(int n, const T* a, T* x) {
    if (n == 0) return;
    const SingleThreadedBlas single_threaded;
    const int num_right_hand_sides = 1;
    int info = 0;
    Potrs(T())("L", &n, &num_right_hand_sides, a, &n, x, &n, &info);
    VESTA_CHECK_EQ(info, 0) << "potrs refuses argument " << -info;
  }
};

class LapackCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    n_ = n;
    a_ = a;
    const int failed = Lapack::Factorize(n, a);
    if (failed < 0) return LinearSolverTermination::kSuccess;
    return NotPositiveDefinite(failed, n, a[int64_t{failed} * n + failed],
                               message);
  }

  bool IsInPlace() const override { return true; }

  void Solve(const double* b, double* x) override {
    if (x != b) std::copy_n(b, n_, x);
    Lapack::Solve(n_, a_, x);
  }

 private:
  int n_ = 0;
  const double* a_ = nullptr;
};

class LapackSingleCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    matrix_.resize(n, n);
    vector_.resize(n);
    const Eigen::Map<const Eigen::MatrixXd> matrix(a, n, n);
    for (int j = 0; j < n; ++j) {
      matrix_.col(j).tail(n - j) = matrix.col(j).tail(n - j).cast<float>();
    }
    const int failed = Lapack::Factorize(n, matrix_.data());
    if (failed < 0) return LinearSolverTermination::kSuccess;
    return NotPositiveDefinite(failed, n, matrix_(failed, failed), message);
  }

  void Solve(const double* b, double* x) override {
    const Eigen::Index n = vector_.size();
    vector_ = Eigen::Map<const Eigen::VectorXd>(b, n).cast<float>();
    Lapack::Solve(static_cast<int>(n), matrix_.data(), vector_.data());
    Eigen::Map<Eigen::VectorXd>(x, n) = vector_.cast<double>();
  }

 private:
  Eigen::MatrixXf matrix_;
  Eigen::VectorXf vector_;
};

#endif  // CERES_NO_LAPACK

void CheckLibrary(DenseLinearAlgebraLibraryType type) {
  VESTA_CHECK_EQ(type, EIGEN)
      << "This dense linear algebra library is not part of "
         "this build; use EIGEN.";
}

}  // namespace

std::unique_ptr<DenseCholesky> DenseCholesky::Create(
    DenseLinearAlgebraLibraryType type) {
#ifndef CERES_NO_LAPACK
  if (type == LAPACK) return std::make_unique<LapackCholesky>();
#endif
  CheckLibrary(type);
  return std::make_unique<NativeDenseCholesky<double>>();
}

std::unique_ptr<DenseCholesky> DenseCholesky::CreateSinglePrecision(
    DenseLinearAlgebraLibraryType type) {
#ifndef CERES_NO_LAPACK
  if (type == LAPACK) return std::make_unique<LapackSingleCholesky>();
#endif
  CheckLibrary(type);
  return std::make_unique<NativeDenseCholesky<float>>();
}

}  // namespace ceres::internal
