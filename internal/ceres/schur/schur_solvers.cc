// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_solvers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ceres/execution/stop_signal.h"
#include "ceres/schur/direct_system.h"
#include "ceres/schur/iterative_reduced_system.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {
namespace {

using Method = SchurSolverOptions::Method;

// S is formed without keeping U.
std::unique_ptr<SchurPlan> MakePlan(const SchurSolverOptions& options,
                                    const Execution& execution,
                                    const BlockJacobianStructure& structure) {
  if (options.method == Method::kIterative) {
    return MakeIterativePlan(options, execution, structure);
  }
  return std::make_unique<SchurPlan>(
      execution, structure, ReducedMatrix::kSchurComplement,
      kernels::PointDiagonal::kFused, FormationFor(options.reads_from_source),
      SchurPlaces::kNotInBatches);
}

// The implicit product reads U.
SchurEliminator::KeepU KeepUFor(const SchurPlan& plan) {
  return plan.matrix() == ReducedMatrix::kRemainingBlocks
             ? SchurEliminator::KeepU::kYes
             : SchurEliminator::KeepU::kNo;
}

// Eliminate, solve what remains, put back.
class SchurSolver final : public LinearSolver {
 public:
  SchurSolver(const SchurSolverOptions& options, const Execution& execution,
              const BlockJacobianStructure& structure,
              SolveWorkspace* workspace)
      : workspace_(workspace),
        plan_(MakePlan(options, execution, structure)),
        eliminator_(execution, *plan_, KeepUFor(*plan_), workspace) {
    if (plan_->pattern().size() == 0) return;
    if (options.method == Method::kIterative) {
      iterative_ = CreateIterativeReducedSystem(options, execution, *plan_);
    } else {
      direct_ = CreateDirectSystem(options, plan_->pattern(), workspace);
    }
  }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    LinearSolverSummary summary;
    EnterPhase(workspace_, SolvePhase::kEliminate);
    if (!eliminator_.Eliminate(jacobian, options.damping, &summary.message)) {
      summary.termination = LinearSolverTermination::kFailure;
      return summary;
    }
    summary.termination = LinearSolverTermination::kSuccess;
    summary.num_iterations = 1;
    EnterPhase(workspace_, SolvePhase::kAssemble);
    const BlockJacobianStructure& s = plan_->structure();
    double* const z = step + s.column_offset[s.num_eliminated];
    if (direct_ != nullptr) {
      summary = direct_->Solve(&eliminator_, z);
    } else if (iterative_ != nullptr) {
      CheckStop(eliminator_.execution());
      summary = iterative_->Solve(options, &eliminator_, z);
    }
    if (summary.termination == LinearSolverTermination::kSuccess ||
        summary.termination == LinearSolverTermination::kNoConvergence) {
      EnterPhase(workspace_, SolvePhase::kBackSubstitute);
      summary.model_cost_change = eliminator_.BackSubstitute(step);
    }
    return summary;
  }

 private:
  SolveWorkspace* const workspace_;  // or null
  std::unique_ptr<SchurPlan> plan_;
  SchurEliminator eliminator_;
  // One of both. Both are null: nothing remains.
  std::unique_ptr<DirectSystem> direct_;
  std::unique_ptr<IterativeReducedSystem> iterative_;
};

// One size where all are alike.
class CommonSize {
 public:
  void Add(int size) {
    if (size_ == kNone) size_ = size;
    if (size_ != size) size_ = kMixed;
  }
  std::string ToString() const {
    return size_ > 0 ? std::to_string(size_) : "d";
  }

 private:
  static constexpr int kNone = -1;
  static constexpr int kMixed = -2;
  int size_ = kNone;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateSchurSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure, SolveWorkspace* workspace) {
  return std::make_unique<SchurSolver>(options, execution, structure,
                                       workspace);
}

std::string SchurStructureName(const BlockJacobianStructure& structure) {
  CommonSize row_size;
  CommonSize e_size;
  CommonSize f_size;
  // If offsets are not listed, all rows are alike.
  const int num_rows = structure.first_cell.is_list()
                           ? structure.eliminated_first_row.back()
                           : std::min(structure.eliminated_first_row.back(), 1);
  for (int row = 0; row < num_rows; ++row) {
    const int first = structure.first_cell[row];
    row_size.Add(structure.row_size(row));
    e_size.Add(structure.column_size(structure.cell_column[first]));
    for (int c = first + 1; c < structure.first_cell[row + 1]; ++c) {
      f_size.Add(structure.column_size(structure.cell_column[c]));
    }
  }
  return row_size.ToString() + "," + e_size.ToString() + "," +
         f_size.ToString();
}

}  // namespace ceres::internal
