// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/cgnr_solver.h"

#include <memory>
#include <utility>
#include <vector>

#include "ceres/linear/column_sums.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/logging/logging.h"
#include "ceres/normal/normal_operator.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {
namespace {

class CgnrSolver final : public LinearSolver {
 public:
  CgnrSolver(const CgnrOptions& options, const Execution& execution,
             const BlockJacobianStructure& structure,
             std::unique_ptr<NormalPreconditioner> preconditioner)
      : options_(options),
        execution_(execution),
        size_(structure.num_columns()),
        normal_(execution, structure),
        diagonal_(execution, structure),
        given_(std::move(preconditioner)),
        right_hand_side_(size_) {
    if (given_ == nullptr && options.preconditioner == JACOBI) {
      blocks_ = std::make_unique<BlockDiagonalInverse>(execution,
                                                       structure.column_offset);
    }
  }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    diagonal_.Compute(jacobian, options.damping, right_hand_side_.data(),
                      blocks_.get());
    const SquaredScale scale(execution_, options.column_scale, size_);
    const LinearOperator* preconditioner = given_.get();
    LinearSolverSummary summary;
    if (given_ != nullptr) {
      summary.termination =
          given_->Update(jacobian, options.damping, &summary.message);
      if (summary.termination != LinearSolverTermination::kSuccess) {
        return summary;
      }
    } else if (blocks_ != nullptr) {
      blocks_->InvertOrReplace();
      preconditioner = blocks_.get();
    } else if (options.column_scale != nullptr) {
      preconditioner = &scale;
    }
    normal_.Bind(jacobian, options.damping);

    ConjugateGradientsOptions cg;
    cg.min_iterations = options_.min_iterations;
    cg.max_iterations = options_.max_iterations;
    cg.q_tolerance = options.q_tolerance;
    cg.r_tolerance = options.r_tolerance;
    cg.deadline = options.deadline;
    SetZero(execution_, size_, step);
    summary = ConjugateGradients(cg, execution_, normal_, preconditioner,
                                 right_hand_side_.data(), step, &scratch_);
    if (summary.termination != LinearSolverTermination::kFailure) {
      summary.model_cost_change = ModelCostChange(execution_, jacobian, step);
    }
    return summary;
  }

 private:
  const CgnrOptions options_;
  const Execution execution_;
  const int size_;
  NormalOperator normal_;
  NormalDiagonal diagonal_;
  std::unique_ptr<BlockDiagonalInverse> blocks_;  // JACOBI only
  std::unique_ptr<NormalPreconditioner> given_;
  AlignedBuffer right_hand_side_;
  ConjugateGradientsScratch scratch_;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateCgnrSolver(
    const CgnrOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure,
    std::unique_ptr<NormalPreconditioner> preconditioner) {
  VESTA_CHECK(preconditioner != nullptr || options.preconditioner == IDENTITY ||
              options.preconditioner == JACOBI)
      << "CGNR has the preconditioners IDENTITY and JACOBI.";
  return std::make_unique<CgnrSolver>(options, execution, structure,
                                      std::move(preconditioner));
}

}  // namespace ceres::internal
