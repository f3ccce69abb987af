// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_
#define CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_

// Matrices W with W^T W = S^-1 for a covariance S. Factors multiply their
// errors e by W: |W e|^2 = e^T S^-1 e, and W e has unit covariance
// ("whitening").

#include <cmath>
#include <string>

#include "Eigen/Core"
#include "ceres/internal/check.h"

namespace ceres {
namespace internal {

// The lower triangular L with L L^T = S. Returns the index of the first pivot
// that is not positive, or N.
template <int N>
int FactorCovariance(const Eigen::Matrix<double, N, N>& S,
                     Eigen::Matrix<double, N, N>* L) {
  L->setZero();
  for (int j = 0; j < N; ++j) {
    double pivot = S(j, j);
    for (int k = 0; k < j; ++k) {
      pivot -= (*L)(j, k) * (*L)(j, k);
    }
    // Rounding errors of the subtraction are not a pivot.
    if (!(pivot > 1e-14 * S(j, j)) || !std::isfinite(pivot)) return j;
    (*L)(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < N; ++i) {
      double sum = S(i, j);
      for (int k = 0; k < j; ++k) {
        sum -= (*L)(i, k) * (*L)(j, k);
      }
      (*L)(i, j) = sum / (*L)(j, j);
    }
  }
  return N;
}

template <int N>
bool FactorSymmetric(const char* name, const Eigen::Matrix<double, N, N>& S,
                     Eigen::Matrix<double, N, N>* L, std::string* error) {
  if (!((S - S.transpose()).cwiseAbs().maxCoeff() <=
        1e-9 * S.cwiseAbs().maxCoeff())) {
    *error = std::string("The ") + name +
             " is not symmetric, or not finite. Pass (S + S^T) / 2, and look "
             "for NaN in S.";
    return false;
  }
  const int failed = FactorCovariance<N>(S, L);
  if (failed < N) {
    *error = std::string("The ") + name + " is not positive definite: row " +
             std::to_string(failed) +
             " depends on the rows above it. Add variance to the diagonal "
             "element, or leave out the coordinate.";
    return false;
  }
  return true;
}

}  // namespace internal

namespace factors {

// W for a covariance S: the inverse of its lower Cholesky factor. Returns false
// and says why in `error` if S is not symmetric and positive definite.
template <int N>
[[nodiscard]] bool SquareRootInformationFromCovariance(
    const Eigen::Matrix<double, N, N>& covariance,
    Eigen::Matrix<double, N, N>* square_root_information, std::string* error) {
  Eigen::Matrix<double, N, N> L;
  if (!internal::FactorSymmetric<N>("covariance", covariance, &L, error)) {
    return false;
  }
  // Forward substitution, column by column.
  Eigen::Matrix<double, N, N>& W = *square_root_information;
  W.setZero();
  for (int col = 0; col < N; ++col) {
    for (int i = col; i < N; ++i) {
      double sum = i == col ? 1.0 : 0.0;
      for (int k = col; k < i; ++k) {
        sum -= L(i, k) * W(k, col);
      }
      W(i, col) = sum / L(i, i);
    }
  }
  return true;
}

// W for an information matrix S^-1: its upper Cholesky factor. Returns false
// and says why in `error` if the matrix is not symmetric and positive definite.
template <int N>
[[nodiscard]] bool SquareRootInformationFromInformation(
    const Eigen::Matrix<double, N, N>& information,
    Eigen::Matrix<double, N, N>* square_root_information, std::string* error) {
  Eigen::Matrix<double, N, N> L;
  if (!internal::FactorSymmetric<N>("information matrix", information, &L,
                                    error)) {
    return false;
  }
  *square_root_information = L.transpose();
  return true;
}

// W for independent errors with the given standard deviations. Checks that they
// are positive.
template <int N>
Eigen::Matrix<double, N, N> SquareRootInformationFromSigmas(
    const Eigen::Matrix<double, N, 1>& sigmas) {
  internal::CheckThat((sigmas.array() > 0.0).all(),
                      "SquareRootInformationFromSigmas: a standard deviation "
                      "is not positive. Pass positive numbers.");
  return sigmas.cwiseInverse().asDiagonal();
}

}  // namespace factors

namespace internal {

// residuals = W error.
template <typename T, typename Matrix>
inline void Whiten(const Matrix& W, const T* error, T* residuals) {
  for (int i = 0; i < W.rows(); ++i) {
    T sum = T(W(i, 0)) * error[0];
    for (int j = 1; j < W.cols(); ++j) {
      sum += T(W(i, j)) * error[j];
    }
    residuals[i] = sum;
  }
}

// The reciprocal of a standard deviation, which is checked.
inline double InverseSigma(double sigma) {
  CheckThat(sigma > 0.0,
            "The standard deviation of a factor is not positive. Pass a "
            "positive number.");
  return 1.0 / sigma;
}

}  // namespace internal
}  // namespace ceres

#endif  // CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_
