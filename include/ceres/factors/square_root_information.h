// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_
#define CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_

// Matrices W with W^T W = S^-1 for a covariance S. Factors multiply their
// errors e by W: |W e|^2 = e^T S^-1 e, and W e has unit covariance
// ("whitening").

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "Eigen/Core"
#include "ceres/internal/check.h"
#include "ceres/internal/factor_data.h"

namespace ceres {
namespace internal {

// What the factorization may have as a pivot.
enum class Pivots { kPositive, kPositiveOrZero };

// The lower triangular L with L L^T = S. Returns the index of the first pivot
// that is not allowed, or N. A pivot of zero has a column of zeros.
template <int N>
int FactorCovariance(const Eigen::Matrix<double, N, N>& S, Pivots pivots,
                     Eigen::Matrix<double, N, N>* L) {
  L->setZero();
  for (int j = 0; j < N; ++j) {
    double pivot = S(j, j);
    for (int k = 0; k < j; ++k) {
      pivot -= (*L)(j, k) * (*L)(j, k);
    }
    // Rounding errors of the subtraction are not a pivot.
    const bool is_positive = pivot > 1e-14 * S(j, j);
    if (pivots == Pivots::kPositive && !is_positive) return j;
    if (!(pivot >= -1e-9 * std::max(S(j, j), 0.0))) return j;
    if (!is_positive) {
      for (int i = j + 1; i < N; ++i) {
        const double rest = S(i, j) - L->row(i).dot(L->row(j));
        if (!(std::abs(rest) <= 1e-7 * std::sqrt(S(i, i) * S(j, j)))) return j;
      }
      continue;
    }
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
                     Pivots pivots, Eigen::Matrix<double, N, N>* L,
                     std::string* error) {
  if (!S.allFinite()) {
    *error = std::string("The ") + name +
             " has elements that are not finite. Look for the cause.";
    return false;
  }
  if (!((S - S.transpose()).cwiseAbs().maxCoeff() <=
        1e-9 * S.cwiseAbs().maxCoeff())) {
    *error =
        std::string("The ") + name + " is not symmetric. Pass (S + S^T) / 2.";
    return false;
  }
  const int failed = FactorCovariance<N>(S, pivots, L);
  if (failed == N) return true;
  *error = std::string("The ") + name + " is not positive ";
  if (pivots == Pivots::kPositive) {
    *error += "definite: row " + std::to_string(failed) +
              " depends on the rows above it. Add variance to the diagonal "
              "element, or leave out the coordinate.";
  } else {
    *error += "semidefinite, which row " + std::to_string(failed) +
              " shows. Look for a wrong sign or a wrong order of coordinates.";
  }
  return false;
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
  if (!internal::FactorSymmetric<N>("covariance", covariance,
                                    internal::Pivots::kPositive, &L, error)) {
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
// and says why in `error` if the matrix is not symmetric and positive
// semidefinite. A coordinate without information has no effect: a row of W is
// zero.
template <int N>
[[nodiscard]] bool SquareRootInformationFromInformation(
    const Eigen::Matrix<double, N, N>& information,
    Eigen::Matrix<double, N, N>* square_root_information, std::string* error) {
  Eigen::Matrix<double, N, N> L;
  if (!internal::FactorSymmetric<N>("information matrix", information,
                                    internal::Pivots::kPositiveOrZero, &L,
                                    error)) {
    return false;
  }
  *square_root_information = L.transpose();
  return true;
}

// W for independent errors with the given standard deviations. If one is not
// positive and finite, `error` says so, or the log if it is null, and W has NaN
// in all elements: no factor is created from it.
template <int N>
Eigen::Matrix<double, N, N> SquareRootInformationFromSigmas(
    const Eigen::Matrix<double, N, 1>& sigmas, std::string* error = nullptr) {
  internal::FactorData data("SquareRootInformationFromSigmas");
  for (int i = 0; i < N; ++i) data.Sigma("a standard deviation", sigmas[i]);
  if (!data.IsValid(error)) {
    return Eigen::Matrix<double, N, N>::Constant(
        std::numeric_limits<double>::quiet_NaN());
  }
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

// The reciprocal of a standard deviation. CHECKs that it is positive: factors
// check before, in Create, and return an error.
inline double InverseSigma(double sigma) {
  CheckThat(sigma > 0.0,
            "The standard deviation of a factor is not positive. Pass a "
            "positive number.");
  return 1.0 / sigma;
}

}  // namespace internal
}  // namespace ceres

#endif  // CERES_PUBLIC_FACTORS_SQUARE_ROOT_INFORMATION_H_
