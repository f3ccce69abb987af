// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// DenseCholesky::CreateSinglePrecision.

#include "Eigen/Core"
#include "ceres/kernels/cholesky_kernels.h"
#include "ceres/linear/dense_cholesky.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/single_threaded_blas.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// L L' in float, in place of a column-major lower triangle.
// EIGEN: our own kernel, because Eigen compiled for any CPU uses the narrowest
// vectors.
struct NativeFactor {
  static bool Factorize(Eigen::MatrixXf* a) {
    return kernels::CholeskyFactorize(static_cast<int>(a->rows()), a->data()) ==
           kernels::kPositiveDefinite;
  }
  static void Solve(const Eigen::MatrixXf& a, Eigen::VectorXf* x) {
    kernels::CholeskySolve(static_cast<int>(a.rows()), a.data(), x->data());
  }
};

#ifndef CERES_NO_LAPACK

struct LapackFactor {
  static bool Factorize(Eigen::MatrixXf* a) {
    const SingleThreadedBlas single_threaded;
    const int n = static_cast<int>(a->rows());
    int info = 0;
    spotrf_("L", &n, a->data(), &n, &info);
    CHECK_GE(info, 0) << "spotrf refuses argument " << -info;
    return info == 0;
  }
  static void Solve(const Eigen::MatrixXf& a, Eigen::VectorXf* x) {
    const SingleThreadedBlas single_threaded;
    const int n = static_cast<int>(a.rows());
    const int num_right_hand_sides = 1;
    int info = 0;
    spotrs_("L", &n, &num_right_hand_sides, a.data(), &n, x->data(), &n, &info);
    CHECK_EQ(info, 0) << "spotrs refuses argument " << -info;
  }
};

#endif  // CERES_NO_LAPACK

template <typename Factor>
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
    // LAPACK lets NaN pass as a pivot, and infinity, which a value too large
    // for float has become.
    if (n == 0 ||
        (Factor::Factorize(&matrix_) && matrix_.diagonal().allFinite())) {
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
    if (n == 0) return;
    vector_ = Eigen::Map<const Eigen::VectorXd>(b, n).cast<float>();
    Factor::Solve(matrix_, &vector_);
    Eigen::Map<Eigen::VectorXd>(x, n) = vector_.cast<double>();
  }

 private:
  Eigen::MatrixXf matrix_;
  Eigen::VectorXf vector_;
};

}  // namespace

std::unique_ptr<DenseCholesky> DenseCholesky::CreateSinglePrecision(
    DenseLinearAlgebraLibraryType type) {
#ifndef CERES_NO_LAPACK
  if (type == LAPACK) {
    return std::make_unique<SinglePrecisionCholesky<LapackFactor>>();
  }
#endif
  CHECK_EQ(type, EIGEN) << "This dense linear algebra library is not part of "
                           "this build; use EIGEN.";
  return std::make_unique<SinglePrecisionCholesky<NativeFactor>>();
}

}  // namespace ceres::internal
