// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_COVARIANCE_H_
#define CERES_PUBLIC_COVARIANCE_H_

#include <memory>
#include <utility>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/types.h"

namespace ceres {

class Problem;

namespace internal {
class CovarianceImpl;
}

// The covariance of the parameters of a solved problem, to first order.
//
// If the residuals are f(x) = y - g(x) with independent noise of variance one,
// and x* is the minimum, then
//
//   C(x*) = (J' J)^-1,    J = df/dx at x*,
//
// is the covariance of x* (Bishop, Pattern Recognition and Machine Learning,
// 3.3; Triggs et al., Bundle Adjustment - A Modern Synthesis, 2000, section 9).
// Residuals of another covariance S are first whitened by S^-1/2: scale them in
// the cost function. J is the Jacobian of the whole problem at the user's
// values, in tangent coordinates of the varying parameter blocks; constant
// blocks have no column and covariance zero. On a manifold the ambient
// covariance of blocks a and b is P_a C_ab P_b', with P the PlusJacobian.
//
//   Covariance covariance(Covariance::Options());
//   if (!covariance.Compute({{x, x}, {x, y}}, &problem)) ...  // says why in
//   log double c_xy[3 * 2]; covariance.GetCovarianceBlock(x, y, c_xy);
//
// Where J does not determine all coordinates (gauge freedom, a block without
// residuals) the inverse does not exist. Hold enough blocks constant, add a
// prior, or use DENSE_SVD and null_space_rank, which gives the pseudo-inverse:
// the covariance under the gauge in which the coordinates without information
// do not move.
//
// How it is computed (SPARSE_QR). A multifrontal QR factorization with one
// front for one or a few parameter blocks (Duff and Reid 1983; Davis, Algorithm
// 915, ACM Trans. Math. Softw. 38, 2011), J P = Q R, is our own for every
// sparse_linear_algebra_library_type, which chooses the library that finds the
// ordering P. J' J is never formed: rank is judged, and R is as accurate, as by
// any Householder QR, relative errors eps cond(J) in R where the normal
// equations would have eps cond(J)^2. Then a block C_ab needs R only on the
// paths of a and b to the roots of the elimination tree: of a bundle adjustment
// problem, the covariances of the cameras are found without the points. The
// price against a Cholesky factorization of J'J is twice the arithmetic or
// more.
//
// SPARSE_CHOLESKY, which Ceres does not have, takes that factorization, J'J =
// LL', then the blocks of C in the pattern of L by Takahashi's equations
// (Erisman and Tinney, Communications of the ACM 18, 1975), others by solves:
// the covariances of all parameter blocks with themselves cost two or three
// factorizations, where SPARSE_QR walks a path to the root for each. Relative
// errors of C are about eps / p, with p the smallest pivot, a pivot being the
// part of a column's squared norm that the columns eliminated before it do not
// explain. Where p is less than min_reciprocal_condition_number, or than 1e-10,
// SPARSE_QR takes over, so that rank is judged as there.
//
// Results have the same bits for every number of threads. Thread safety: const
// functions may run concurrently.
class CERES_EXPORT Covariance {
 public:
  struct CERES_EXPORT Options {
    // For SPARSE_QR: SUITE_SPARSE or EIGEN_SPARSE, where the build has them, or
    // NATIVE_SPARSE, in every build; it finds the order of elimination. Compute
    // fails with another. SPARSE_CHOLESKY uses none.
#if !defined(CERES_NO_SUITESPARSE)
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        SUITE_SPARSE;
#else
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        EIGEN_SPARSE;
#endif

    // SPARSE_QR: fast, and Compute fails unless J has full rank.
    // SPARSE_CHOLESKY: the same, many times faster where J'J is not too badly
    // conditioned.
    // DENSE_SVD: J = U S V', C = V S^-2 V'. Time O(m n^2) and memory O(m n) for
    // m residuals and n coordinates: for small problems, and for those without
    // full rank.
    CovarianceAlgorithmType algorithm_type = SPARSE_QR;

    // SPARSE_QR: a column of J whose part orthogonal to the columns before it,
    // in the order of elimination, has at most this norm is dependent.
    // Negative: 20 (m + n) eps sqrt(max diag J'J), eps = 2^-52. In the unit of
    // J.
    double column_pivot_threshold = -1;

    // DENSE_SVD: a singular value s is too small if
    // s < sqrt(min_reciprocal_condition_number) s_max: the bound is for the
    // reciprocal condition number of J'J. SPARSE_CHOLESKY: for the smallest
    // relative pivot, at least 1e-10; below it SPARSE_QR takes over.
    double min_reciprocal_condition_number = 1e-14;

    // DENSE_SVD: how many of the directions of least singular value are left
    // out of the inverse. Of those that stay none may be too small, or Compute
    // fails. Negative: all that are too small are left out. Not used by
    // SPARSE_QR.
    int null_space_rank = 0;

    // At least 1.
    int num_threads = 1;

    // Whether J is that of the residuals after the loss functions, as the
    // solver sees them, or before. See Triggs et al., section 3.3.
    bool apply_loss_function = true;
  };

  explicit Covariance(const Options& options);
  Covariance(Covariance&&) noexcept;
  Covariance& operator=(Covariance&&) noexcept;
  ~Covariance();

  // Computes the listed blocks of C; (a, b) also serves (b, a). The problem is
  // not needed afterwards, and what was computed before is forgotten.
  //
  // False, with the reason in the log: the residuals cannot be evaluated, J has
  // not the rank that the options ask for, options out of range. Checks that
  // no pair is listed twice and that all blocks are of the problem. An
  // exception of user code propagates.
  bool Compute(const std::vector<std::pair<const double*, const double*>>&
                   covariance_blocks,
               Problem* problem);

  // The same for all pairs of the listed blocks, none of which is listed twice.
  bool Compute(const std::vector<const double*>& parameter_blocks,
               Problem* problem);

  // C_ab, dense and ROW-major: the sizes of the two blocks, in ambient or in
  // tangent coordinates. False, and nothing is written, if the pair was not
  // among those to compute; zeros if one of them is constant.
  // Checks that the last Compute succeeded and that its problem had the blocks.
  bool GetCovarianceBlock(const double* parameter_block1,
                          const double* parameter_block2,
                          double* covariance_block) const;
  bool GetCovarianceBlockInTangentSpace(const double* parameter_block1,
                                        const double* parameter_block2,
                                        double* covariance_block) const;

  // All C_ab of the listed blocks as one ROW-major matrix, the blocks in the
  // order of the list. As above; false if any pair is missing.
  bool GetCovarianceMatrix(const std::vector<const double*>& parameter_blocks,
                           double* covariance_matrix) const;
  bool GetCovarianceMatrixInTangentSpace(
      const std::vector<const double*>& parameter_blocks,
      double* covariance_matrix) const;

 private:
  std::unique_ptr<internal::CovarianceImpl> impl_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_COVARIANCE_H_
