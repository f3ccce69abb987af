// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_cholesky.h"

#include <algorithm>
#include <cmath>

#include "ceres/kernels/cholesky_kernels.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/panel_cholesky.h"
#include "ceres/linear/single_threaded_blas.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// EIGEN, the choice that needs no other library: our own kernel, because Eigen
// compiled for any CPU uses the narrowest vectors.
class NativeDenseCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    n_ = n;
    a_ = a;
    const int failed = kernels::CholeskyFactorize(n, a);
    if (failed == kernels::kPositiveDefinite)
      return LinearSolverTermination::kSuccess;
    return NotPositiveDefinite(failed, n, a[int64_t{failed} * n + failed],
                               message);
  }

  void Solve(const double* b, double* x) override {
    if (x != b) std::copy_n(b, n_, x);
    kernels::CholeskySolve(n_, a_, x);
  }

 private:
  int n_ = 0;
  const double* a_ = nullptr;
};

#ifndef CERES_NO_LAPACK

class LapackDenseCholesky final : public DenseCholesky {
 public:
  LinearSolverTermination Factorize(int n, double* a,
                                    std::string* message) override {
    n_ = n;
    a_ = a;
    if (n == 0) return LinearSolverTermination::kSuccess;
    const SingleThreadedBlas single_threaded;
    int info = 0;
    dpotrf_("L", &n, a, &n, &info);
    CHECK_GE(info, 0) << "dpotrf refuses argument " << -info;
    // OpenBLAS lets NaN pass as a pivot.
    int failed = info - 1;
    if (info == 0) {
      failed = 0;
      while (failed < n && std::isfinite(a[int64_t{failed} * n + failed])) {
        ++failed;
      }
      if (failed == n) return LinearSolverTermination::kSuccess;
    }
    return NotPositiveDefinite(failed, n, a[int64_t{failed} * n + failed],
                               message);
  }

  void Solve(const double* b, double* x) override {
    if (x != b) std::copy_n(b, n_, x);
    if (n_ == 0) return;
    const SingleThreadedBlas single_threaded;
    const int num_right_hand_sides = 1;
    int info = 0;
    dpotrs_("L", &n_, &num_right_hand_sides, a_, &n_, x, &n_, &info);
    CHECK_EQ(info, 0) << "dpotrs refuses argument " << -info;
  }

 private:
  int n_ = 0;
  const double* a_ = nullptr;
};

#endif  // CERES_NO_LAPACK

}  // namespace

std::unique_ptr<DenseCholesky> DenseCholesky::Create(
    DenseLinearAlgebraLibraryType type) {
#ifndef CERES_NO_LAPACK
  if (type == LAPACK) return std::make_unique<LapackDenseCholesky>();
#endif
  CHECK_EQ(type, EIGEN) << "This dense linear algebra library is not part of "
                           "this build; use EIGEN.";
  return std::make_unique<NativeDenseCholesky>();
}

}  // namespace ceres::internal
