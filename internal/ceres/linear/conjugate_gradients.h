// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
#define CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_

#include <chrono>
#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/linear/linear_tuning.h"

namespace ceres::internal {

// A product y = A x in two stages. The caller runs the second stage (Finish)
// block of rows by block of rows, in one loop with its own operations on these
// rows. For one product at a time.
class StagedProduct {
 public:
  virtual ~StagedProduct() = default;
  // The first row of each block, +1.
  virtual const std::vector<int>& row_blocks() const = 0;
  // The first stage. Returns x'Ax. BeginRounded: see
  // LinearOperator::ApplyRounded.
  virtual double Begin(const double* x) const = 0;
  virtual double BeginRounded(const double* x) const = 0;
  // The second stage for the blocks of rows [begin, end). y is the whole
  // vector. Thread-safe.
  virtual void Finish(int begin, int end, double* y) const = 0;
};

// A product with a block diagonal matrix.
class BlockwiseProduct {
 public:
  virtual ~BlockwiseProduct() = default;
  // The first row of each block, +1.
  virtual const std::vector<int>& row_blocks() const = 0;
  // The rows of blocks [begin, end) of y = A x, from the same rows of x.
  // Thread-safe.
  virtual void ApplyToBlocks(int begin, int end, const double* x,
                             double* y) const = 0;
};

// A symmetric positive (semi)definite linear operator: y = A x, overwriting y.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual void Apply(const double* x, double* y) const = 0;
  // y = B x for a symmetric B with |x'Bx - x'Ax| <= 0.01 x'Ax for every x, if
  // that takes less time than Apply.
  virtual void ApplyRounded(const double* x, double* y) const { Apply(x, y); }
  virtual int size() const = 0;
  // Other forms of the product, or null.
  virtual const StagedProduct* staged() const { return nullptr; }
  virtual const BlockwiseProduct* blockwise() const { return nullptr; }
};

// y = s^2 x. Conjugate gradients preconditioned by it are those without
// preconditioner in the scaled variables x / s. `scale` must outlive this.
class SquaredScale final : public LinearOperator {
 public:
  SquaredScale(const Execution& execution, const double* scale, int size)
      : execution_(execution), scale_(scale), size_(size) {}
  void Apply(const double* x, double* y) const override;
  int size() const override { return size_; }

 private:
  const Execution& execution_;
  const double* scale_;
  int size_;
};

// Iterations of a search after which r = b - A x is computed again.
inline constexpr int kResidualResetPeriod = 10;

struct ConjugateGradientsOptions {
  int min_iterations = 0;
  int max_iterations = 500;
  double q_tolerance = 0.0;  // see LinearSolver::SolveOptions
  double r_tolerance = -1.0;
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
};

// Memory of a search; resized on first use, then reused.
struct ConjugateGradientsScratch {
  AlignedBuffer buffer;
};
// Preconditioned conjugate gradients for A x = b (Hestenes and Stiefel, Journal
// of Research of the National Bureau of Standards 49, 1952). x: in, the start;
// out, the solution. preconditioner: an approximation of A^-1, or null.
//
// If A is staged and the preconditioner is blockwise with the same blocks, an
// iteration is the first stage and one loop over the blocks. Otherwise it is a
// product and several loops over vectors.
//
// If a tolerance is kLeastRoundedTolerance or more, directions and step lengths
// are computed by A rounded (ApplyRounded). The residual r = b - A x is
// computed by A every kResidualResetPeriod iterations, and before a search
// ends because the residual is small (residual replacement: van der Vorst and
// Ye, SIAM J. Sci. Comput. 22, 2000).
[[nodiscard]] LinearSolverSummary ConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    const LinearOperator& a, const LinearOperator* preconditioner,
    const double* b, double* x, ConjugateGradientsScratch* scratch);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
