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
// If the residuals have another covariance S, whiten them: multiply them by
// S^-1/2 in the cost function. J is the Jacobian of the whole problem at the
// user's values, in tangent coordinates of the varying parameter blocks.
// A constant block has no column and covariance zero, and so has a block that
// neither a residual block nor an active constraint uses, and a block or a
// coordinate whose lower bound equals its upper bound. A zero therefore does
// not say that such a block is known. On a manifold the ambient covariance of
// blocks a and b is P_a C_ab P_b', with P the PlusJacobian.
//
//   Covariance covariance(Covariance::Options{});
//   if (!covariance.Compute({{x, x}, {x, y}}, &problem)) {
//     // The log says why.
//   }
//   double c_xy[3 * 2];
//   covariance.GetCovarianceBlock(x, y, c_xy);
//
// With constraints (Problem::AddEqualityConstraint), C is the block of the
// inverse of the KKT matrix [J'J A'; A 0], where A are the derivatives of the
// active constraints: equalities, inequalities whose multiplier is not zero,
// and inequalities that are violated. Solve writes multipliers that are not
// zero for those that it counts as active. A may have dependent rows. C exists
// if no direction v has J v = 0 and A v = 0. Every algorithm type works;
// SPARSE_CHOLESKY becomes SPARSE_QR if a constraint is active. Source: Bjorck,
// Numerical Methods for Least Squares Problems, SIAM 1996, 5.1.2. Compute fails
// and names a constraint that cannot be evaluated. An extension: see
// docs/solving/constraints.md.
//
// The inverse does not exist if J does not determine all coordinates (gauge
// freedom, fewer residuals than coordinates). In this case hold enough blocks
// constant, add a prior, or use DENSE_SVD and null_space_rank. DENSE_SVD gives
// the pseudo-inverse: the covariance under the gauge in which the coordinates
// without information do not move.
//
// SPARSE_QR computes the multifrontal QR factorization J P = Q R (Duff and Reid
// 1983; Davis, Algorithm 915, ACM Trans. Math. Softw. 38, 2011). A front has
// one or a few parameter blocks. The factorization is Vesta's own for every
// sparse_linear_algebra_library_type; the type chooses the library that finds
// the ordering P. J'J is not formed, so rank and R are as accurate as with any
// Householder QR: the relative error of R is eps cond(J), while that of the
// normal equations is eps cond(J)^2. A block C_ab needs R only on the paths of
// a and b to the roots of the elimination tree. For example, the covariances of
// the cameras of a bundle adjustment problem do not need the points. A QR
// factorization takes at least twice the arithmetic of a Cholesky factorization
// of J'J.
//
// SPARSE_CHOLESKY, which Ceres does not have, computes J'J = LL'. Takahashi's
// equations (Erisman and Tinney, Communications of the ACM 18, 1975) give the
// blocks of C in the pattern of L; other blocks need solves. The covariances of
// all parameter blocks with themselves take the time of two or three
// factorizations, while SPARSE_QR walks a path to the root for each block. The
// relative error of C is about eps / p, where p is the smallest pivot. A pivot
// is the part of a column's squared norm that the columns eliminated before it
// do not explain. If p is less than min_reciprocal_condition_number or 1e-10,
// the computation is repeated with SPARSE_QR, which also decides on the rank.
//
// Results have the same bits for every number of threads. Thread safety: const
// functions may run concurrently.
class CERES_EXPORT Covariance {
 public:
  // The options of a computation.
  struct CERES_EXPORT Options {
#if !defined(CERES_NO_SUITESPARSE)
    // SPARSE_QR: the library that finds the order of elimination. SUITE_SPARSE
    // or EIGEN_SPARSE if the build has them, or NATIVE_SPARSE, in every build.
    // Compute fails with another one. SPARSE_CHOLESKY ignores it. It changes
    // the time of the ordering only: there is seldom a reason to set it.
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        SUITE_SPARSE;
#else
    SparseLinearAlgebraLibraryType sparse_linear_algebra_library_type =
        EIGEN_SPARSE;
#endif

    // - SPARSE_QR: fast. Compute fails unless J has full rank.
    // - SPARSE_CHOLESKY: the same result for problems that are not badly
    //   conditioned. Choose it for all blocks of a large problem: 15 times as
    //   fast on a bundle adjustment (docs/solving/extensions.md).
    // - DENSE_SVD: J = U S V', C = V S^-2 V'. Time O(m n^2) and memory O(m n)
    //   for m residuals and n coordinates: for small problems, and for problems
    //   without full rank.
    CovarianceAlgorithmType algorithm_type = SPARSE_QR;

    // SPARSE_QR: a column of J is dependent if its part orthogonal to the
    // columns before it, in the order of elimination, has at most this norm.
    // Negative: 20 (m + n) eps sqrt(max diag J'J), eps = 2^-52. In the unit of
    // J. Set it if Compute takes a weakly determined problem for deficient
    // (smaller), or a deficient one for determined (larger).
    double column_pivot_threshold = -1;

    // DENSE_SVD: a singular value s is too small if s <
    // sqrt(min_reciprocal_condition_number) s_max, so the bound applies to the
    // reciprocal condition number of J'J. SPARSE_CHOLESKY: the smallest
    // relative pivot, at least 1e-10; below it SPARSE_QR is used. Raise it to
    // 1e-8 to have eight digits of SPARSE_CHOLESKY, at the time of SPARSE_QR
    // where they would be fewer.
    double min_reciprocal_condition_number = 1e-14;

    // DENSE_SVD: the number of singular values, of min(m, n), that are left out
    // of the inverse: the least ones. Compute fails if one of the others is too
    // small. Negative: leave out all that are too small. With m < n, the
    // inverse is the pseudo-inverse, whatever the number is. SPARSE_QR ignores
    // it. Set it to the degrees of freedom of the gauge, 7 for a bundle of
    // images alone, so that another deficiency is still found.
    int null_space_rank = 0;

    // The number of threads; >= 1. Raise it for large problems.
    int num_threads = 1;

    // True: J is the Jacobian of the residuals after the loss functions, as in
    // a solve: outliers tell nothing. False: before them, as if all residuals
    // were good. See Triggs et al., section 3.3.
    bool apply_loss_function = true;
  };

  // Copies the options.
  explicit Covariance(const Options& options);

  // A Covariance that was moved from may only be assigned to or destroyed.
  Covariance(Covariance&&) noexcept;
  Covariance& operator=(Covariance&&) noexcept;
  ~Covariance();

  // Computes the listed blocks of C; (a, b) also serves (b, a). The problem is
  // not needed afterwards. Results of an earlier call are lost.
  //
  // Returns false and logs the reason if the residuals cannot be evaluated, if
  // J does not have the rank that the options require, or if an option is out
  // of range. If J lacks rank, the message names directions that the residuals
  // do not determine, as Diagnose does (ceres/diagnosis.h). DENSE_SVD logs it
  // as a warning if it leaves out more directions than null_space_rank says.
  //
  // Checks that no pair is listed twice and that all blocks are in the problem.
  // Exceptions of user code reach the caller, except during the diagnosis.
  bool Compute(const std::vector<std::pair<const double*, const double*>>&
                   covariance_blocks,
               Problem* problem);

  // Computes the blocks of all pairs of the listed parameter blocks. No block
  // may be listed twice.
  bool Compute(const std::vector<const double*>& parameter_blocks,
               Problem* problem);

  // Writes C_ab as a dense ROW-major matrix with the sizes of the two blocks,
  // in ambient or in tangent coordinates. Returns false and writes nothing if
  // the pair was not computed. Writes zeros if one of the blocks is constant.
  // Checks that the last Compute succeeded and that its problem had the blocks.
  bool GetCovarianceBlock(const double* parameter_block1,
                          const double* parameter_block2,
                          double* covariance_block) const;
  bool GetCovarianceBlockInTangentSpace(const double* parameter_block1,
                                        const double* parameter_block2,
                                        double* covariance_block) const;

  // Writes all C_ab of the listed blocks as one dense ROW-major matrix, with
  // the blocks in the order of the list, in ambient or in tangent coordinates.
  // Returns false if any pair was not computed. Checks as GetCovarianceBlock
  // does.
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
