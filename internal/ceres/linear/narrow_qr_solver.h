// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_
#define CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/narrow_qr.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// DENSE_QR for Jacobians with few columns, such as those of curve fits. It
// stores [r J; D] by rows and treats a row as one vector; the other solvers of
// DENSE_QR store it by columns. Not thread-safe.
class NarrowQrSolver final : public LinearSolver {
 public:
  // Whether the structure has at least one column and few enough.
  static bool Suits(const BlockJacobianStructure& structure);

  explicit NarrowQrSolver(const BlockJacobianStructure& structure);

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options, double* step) override;

 private:
  void FindPlaces();
  void FillIn(const BlockJacobian& jacobian, const double* damping);
  int FirstDependentColumn() const;
  double SolveTriangular(const double* damping, double* step) const;

  const BlockJacobianStructure& structure_;
  AlignedBuffer values_;
  kernels::NarrowMatrix matrix_;
  // The place in the row blocks of each value of the dense rows
  // (kernels::NarrowSource). Empty: the row blocks are the rows.
  std::vector<int64_t> places_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_
