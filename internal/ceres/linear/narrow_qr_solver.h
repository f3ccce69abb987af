// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_
#define CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/narrow_qr.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// DENSE_QR for the few parameters of a curve fit: see DenseQrSolver, of which
// it differs in that [r J; D] lies row by row, each of which is a vector.
class NarrowQrSolver final : public LinearSolver {
 public:
  // Whether the structure has few columns enough, and one at all.
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
  // Where in the row blocks each value of the dense rows is found: see
  // kernels::NarrowSource. Empty: the row blocks are the rows.
  std::vector<int64_t> places_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_NARROW_QR_SOLVER_H_
