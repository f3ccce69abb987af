// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
#define CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_

#include <chrono>
#include <vector>

#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// A product y = A x in two stages: the last one, which computes the rows of y
// in blocks, is left to the caller, who does in the same loop what else there
// is to do to these rows. For one product at a time.
class StagedProduct {
 public:
  virtual ~StagedProduct() = default;
  // The first row of each block, +1.
  virtual const std::vector<int>& row_blocks() const = 0;
  // All but the last stage. Returns x'Ax.
  virtual double Begin(const double* x) const = 0;
  virtual double BeginRounded(const double* x) const = 0;  // see LinearOperator
  // The rows of the blocks [begin, end) of y, which points to the first row of
  // all. May run in several threads.
  virtual void Finish(int begin, int end, double* y) const = 0;
};

// A product with a block diagonal matrix.
class BlockwiseProduct {
 public:
  virtual ~BlockwiseProduct() = default;
  virtual const std::vector<int>& row_blocks() const = 0;
  // The same for y = A x, which needs the same rows of x.
  virtual void ApplyToBlocks(int begin, int end, const double* x,
                             double* y) const = 0;
};

// A symmetric positive (semi)definite linear operator: y = A x, overwriting y.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual void Apply(const double* x, double* y) const = 0;
  // The same for a symmetric matrix so close to A that x'Ax is the same to a
  // hundredth, for every x, where that takes less time.
  virtual void ApplyRounded(const double* x, double* y) const { Apply(x, y); }
  virtual int size() const = 0;
  // Other ways to the same product, or null.
  virtual const StagedProduct* staged() const { return nullptr; }
  virtual const BlockwiseProduct* blockwise() const { return nullptr; }
};

struct ConjugateGradientsOptions {
  int min_iterations = 0;
  int max_iterations = 500;
  double q_tolerance = 0.0;  // see LinearSolver::SolveOptions
  double r_tolerance = -1.0;
  int residual_reset_period =
      10;  // recompute r = b - A x every so many iterations
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
};

// Preconditioned conjugate gradients for A x = b, from the x given (in and
// out). `preconditioner` applies an approximation of A^-1 (null: identity).
// `scratch` is resized on first use and then reused.
//
// Where A is staged and the preconditioner blockwise, with the same blocks, an
// iteration is the first stage and a single loop behind it, else a product and
// some loops over vectors.
//
// A search that may end at a tolerance of kLeastRoundedTolerance or more finds
// its way by A rounded (ApplyRounded): directions, and how far to go along
// each. Where it has come to is measured by A itself: the residual is computed
// afresh every residual_reset_period iterations, and before a search ends
// because it is small. (Residual replacement: van der Vorst and Ye, SIAM J.
// Sci. Comput. 22, 2000.)
inline constexpr double kLeastRoundedTolerance = 1e-4;
struct ConjugateGradientsScratch {
  AlignedBuffer buffer;
};
[[nodiscard]] LinearSolverSummary ConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    const LinearOperator& a, const LinearOperator* preconditioner,
    const double* b, double* x, ConjugateGradientsScratch* scratch);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
