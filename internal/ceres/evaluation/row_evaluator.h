// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
#define CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/kernels/row_block_sums.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// What all evaluations of a program's rows have in common. Immutable.
struct RowPlan {
  // Both must outlive the plan. merged_column: the structure's column block of
  // each of the program's.
  RowPlan(const Program& program, const BlockJacobianStructure& structure,
          const std::vector<int>& merged_column, bool apply_loss_function);

  const LossFunction* loss(int row) const {
    return apply_loss_function ? program.loss_function(row) : nullptr;
  }

  const Program& program;
  const BlockJacobianStructure& structure;
  const bool apply_loss_function;
  // Whether a cell may not be direct.
  const bool has_indirect_cells;
  // Whether there is one row chunk only, and nothing is left to be done to what
  // the cost functions write: see direct_rows.h. There are no runs then.
  const bool is_direct;

  // Of a row without indirect cells, where the Jacobian of each argument goes
  // in its row block: the eliminated argument's cell comes first, then those of
  // the others in their order. Null: held constant.
  void PlaceJacobians(int row, double* row_block, double** jacobians) const;

  // The cell of an argument of the program, or its part of a cell that belongs
  // to several (merged_columns.h). Small: there is one for each argument of the
  // problem, which has its sizes and its manifold.
  struct Cell {
    static constexpr int kNone = -1;
    int position = kNone;  // of its first double in the row block
    int stride = 0;        // from row to row
    // How it is filled: if not kDirect, from a Jacobian in ambient coordinates
    // elsewhere.
    enum class Fill : std::uint8_t {
      kDirect,      // by the cost function, or it is not there at all
      kScalar,      // copied, 1 column
      kTriple,      // copied, 3 columns
      kCopy,        // copied
      kAngle,       // times a PlusJacobian that is kept, 1 x 1
      kQuaternion,  // the same, 4 x 3
      // A quaternion, as above, and columns that are copied.
      kQuaternionFirst,
      kManifold,  // by the manifold
    };
    Fill fill = Fill::kDirect;
  };
  // By argument; empty where all are direct, whose place the structure tells.
  std::vector<Cell> cells;

  // Rows [begin, end), whose row blocks have one shape. Those of a
  // regular run have two varying arguments each, whose cells are direct and lie
  // alike in all their row blocks. Those of a run that is indirect have as many
  // arguments each, none of whose cells is direct, filled alike and lying alike
  // in all their row blocks: poses in parts.
  struct Run {
    int begin = 0;
    int end = 0;
    bool is_regular = false;
    bool is_indirect = false;
    int num_residuals = 0;
    int row_block_size = 0;
    // By argument: which of the row's cells is its own, and where that begins.
    int cell[2] = {};
    int position[2] = {};
    kernels::RowBlockShape shape = kernels::RowBlockShape::kOther;
    // Of an indirect run: how many arguments a row has; where in the Jacobians
    // in ambient coordinates, one behind the other, each double of the cells is
    // copied from (0: it is not, and is overwritten); and the arguments that
    // are on manifolds.
    int num_arguments = 0;
    std::vector<int> source;
    std::vector<int> on_manifold;
    bool has_angles_only = true;  // of those
  };
  std::vector<Run> runs;
  // The run of a row.
  const Run& run(int row) const;

  // The most doubles that the Jacobians of one row without direct cells have in
  // ambient coordinates.
  std::int64_t max_ambient_size = 0;
  // The most doubles of one Jacobian in tangent coordinates that belongs to a
  // manifold and shares its cell.
  std::int64_t max_tangent_size = 0;

 private:
  void FindRuns(bool has_merged_columns);
  Run RunOf(int row, bool has_merged_columns) const;
  bool HasIndirectCells(int row) const;
  bool HaveSameCells(int row, int other) const;
  bool MayFollow(const Run& run, int first, int row,
                 bool has_merged_columns) const;
  void DescribeIndirectRun(int row, Run* run) const;
  void FindCells(const std::vector<int>& merged_column);
};

// Evaluates single row blocks of a program: calls the cost function, checks
// what it wrote, goes to tangent coordinates and applies the loss function, all
// in the row block itself where no manifold is in the way and no cell is
// shared. For one thread at a time.
class RowEvaluator {
 public:
  // Both must outlive it. plus_jacobians: of the state that EvaluateRowBlock is
  // given.
  RowEvaluator(const RowPlan& plan, const PlusJacobians& plus_jacobians);

  // Cost and residuals, after the loss function, of one row at a state. A null
  // `residuals` means that they are not wanted. False on failure; see message.
  bool EvaluateCost(const double* state, int row, double* residuals,
                    double* cost);

  // The same, and the whole row block of the row: residuals and Jacobian.
  enum class CheckCells { kNow, kLater };  // kLater: see IsValid
  bool EvaluateRowBlock(const double* state, int row, CheckCells check,
                        double* row_block, double* cost);

  // The rows [begin, end), all of one regular run: their costs are added to
  // *cost. `residuals`: null, or where those of the first row go.
  bool EvaluateCosts(const double* state, const RowPlan::Run& run, int begin,
                     int end, StopPoller* poller, double* residuals,
                     double* cost);

  // The same, and all row blocks, the first of which is given. Cells are
  // checked later.
  bool EvaluateRowBlocks(const double* state, const RowPlan::Run& run,
                         int begin, int end, StopPoller* poller,
                         double* row_blocks, double* cost);
  // The same for an indirect run.
  bool EvaluateIndirectRowBlocks(const double* state, const RowPlan::Run& run,
                                 int begin, int end, StopPoller* poller,
                                 double* row_blocks, double* cost);
  // Whether the cells of a row block are finite and were all written, for rows
  // that were to be checked later. Most are known to be, because the squares of
  // all cells that were added to the column norms are. May evaluate the row
  // again. False: see message.
  bool IsValid(const double* state, int row, double* row_block);

  // Whether the outputs of a row that somebody else has evaluated, whose cells
  // are all direct, are valid: what its cost function wrote, if it did not
  // refuse to. False: see message.
  enum class Outputs { kWritten, kRefused };
  bool JudgeResiduals(const double* state, int row, Outputs outputs,
                      const double* residuals);
  bool JudgeRowBlock(const double* state, int row, Outputs outputs,
                     double* row_block);

  // Why the last evaluation failed, for the user.
  std::string& message() { return message_; }
  int failed_row() const { return failed_row_; }

 private:
  static constexpr char kRefusal[] = "its cost function returned false";

  // One row whose cost function is being called.
  struct Call {
    int row;
    const double* residuals;
    bool with_jacobians;
  };

  void GatherParameters(const double* state, int row);
  void GatherParameters(const double* state, const int* arguments,
                        int num_arguments);
  void GatherParameters(const double* state, const RowPlan::Run& run,
                        const int* columns);
  bool CostOf(const Call& call, double squared_norm, double* residuals,
              double* cost);
  bool FinishRowBlock(const Call& call, CheckCells check, double* row_block,
                      double* cost);
  bool CellsAreValid(const Call& call, double* row_block);
  void CorrectRowBlock(const LossCorrection& correction, int row,
                       double* row_block);
  std::int64_t GatherJacobians(int row, double* row_block,
                               bool* has_direct_cells);
  bool ToTangentCoordinates(const Call& call, double* row_block);
  template <int kRows>
  bool FillCells(const Call& call, double* row_block);
  bool FillManifoldParts(const Call& call, const RowPlan::Run& run,
                         double* row_block);
  bool FillCell(const Call& call, int k, const double* plus, double* row_block);
  bool EvaluateLoss(const Call& call, double squared_norm, double rho[3]);
  bool OutputsAreValid(const Call& call, const double* row_block);
  bool Fail(const Call& call, const std::string& what);

  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;
  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;
  AlignedBuffer unwanted_residuals_;
  // Jacobians in ambient coordinates of the arguments without direct cell, and
  // one in tangent coordinates.
  AlignedBuffer ambient_;
  AlignedBuffer tangent_;
  std::string message_;
  int failed_row_ = -1;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
