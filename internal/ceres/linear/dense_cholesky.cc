// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_cholesky.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Core"
#include "ceres/kernels/cholesky_kernels.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/panel_cholesky.h"
#include "ceres/linear/single_threaded_blas.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// A library factors a column-major lower triangle in place. Factorize returns
// -1, or the first pivot that is not a positive number.

// EIGEN, the choice that needs no other library: our own kernel, because Eigen
// compiled for any CPU uses the narrowest vectors.
struct Native {
  template <typename T>
  static int Factorize(int n, T* a) {
    static_assert(kernels::kPositiveDefinite == -1, "");
    return kernels::CholeskyFactorize(n, a);
  }
  template <typename T>
  static void Solve(int n, const T* a, T* x) {
    kernels::CholeskySolve(n, a, x);
  }
};

#ifndef CERES_NO_LAPACK

constexpr auto Potrf(double /*of*/) { return &dpotrf_; }
constexpr auto Potrf(float /*of*/) { return &spotrf_; }
constexpr auto Potrs(double /*of*/) { return &dpotrs_; }
constexpr auto Potrs(float /*of*/) { return &spotrs_; }

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

#endif  // CERES_NO_LAPACK

template <typename Library>
class DoublePrecisionCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    n_ = n;
    a_ = a;
    const int failed = Library::Factorize(n, a);
    if (failed < 0) return LinearSolverTermination::kSuccess;
    return NotPositiveDefinite(failed, n, a[int64_t{failed} * n + failed],
                               message);
  }

  void Solve(const double* b, double* x) override {
    if (x != b) std::copy_n(b, n_, x);
    Library::Solve(n_, a_, x);
  }

 private:
  int n_ = 0;
  const double* a_ = nullptr;
};

template <typename Library>
class SinglePrecisionCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    matrix_.resize(n, n);
    vector_.resize(n);
    const Eigen::Map<const Eigen::MatrixXd> matrix(a, n, n);
    for (int j = 0; j < n; ++j) {
      matrix_.col(j).tail(n - j) = matrix.col(j).tail(n - j).cast<float>();
    }
    if (Library::Factorize(n, matrix_.data()) < 0) {
      return LinearSolverTermination::kSuccess;
    }
    *message =
        "Dense Cholesky factorization failed: the matrix is not positive "
        "definite to single precision. Switch "
        "Solver::Options::use_mixed_precision_solves off.";
    return LinearSolverTermination::kFailure;
  }

  void Solve(const double* b, double* x) override {
    const Eigen::Index n = vector_.size();
    vector_ = Eigen::Map<const Eigen::VectorXd>(b, n).cast<float>();
    Library::Solve(static_cast<int>(n), matrix_.data(), vector_.data());
    Eigen::Map<Eigen::VectorXd>(x, n) = vector_.cast<double>();
  }

 private:
  Eigen::MatrixXf matrix_;
  Eigen::VectorXf vector_;
};

template <template <typename> class Cholesky>
std::unique_ptr<DenseCholesky> CreateFor(DenseLinearAlgebraLibraryType type) {
#ifndef CERES_NO_LAPACK
  if (type == LAPACK) return std::make_unique<Cholesky<Lapack>>();
#endif
  VESTA_CHECK_EQ(type, EIGEN)
      << "This dense linear algebra library is not part of "
         "this build; use EIGEN.";
  return std::make_unique<Cholesky<Native>>();
}

}  // namespace

std::unique_ptr<DenseCholesky> DenseCholesky::Create(
    DenseLinearAlgebraLibraryType type) {
  return CreateFor<DoublePrecisionCholesky>(type);
}

std::unique_ptr<DenseCholesky> DenseCholesky::CreateSinglePrecision(
    DenseLinearAlgebraLibraryType type) {
  return CreateFor<SinglePrecisionCholesky>(type);
}

}  // namespace ceres::internal
