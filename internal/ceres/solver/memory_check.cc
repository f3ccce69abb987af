// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/memory_check.h"

#include <algorithm>

#include "ceres/base/format.h"
#include "ceres/base/memory_shortage.h"
#include "ceres/base/number.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/solver/storage_choice.h"

namespace ceres::internal {
namespace {

constexpr double kGigabyte = 1e9;

struct Needs {
  double num_values = 0.0;      // of the linear solver
  int largest_block = -1;       // of those whose squares count
  double columns_of_row = 0.0;  // the most of a row block, if they count
  const char* advice = "";
};

// part n_b^2 of the column blocks [begin, end).
void AddSquares(const BlockJacobianStructure& s, int begin, int end,
                double part, Needs* needs) {
  for (int b = begin; b < end; ++b) {
    const double size = s.column_size(b);
    needs->num_values += part * size * size;
    if (needs->largest_block < 0 ||
        s.column_size(needs->largest_block) < s.column_size(b)) {
      needs->largest_block = b;
    }
  }
}

// The columns of one row block are coupled in pairs.
void AddLargestRow(const BlockJacobianStructure& s, Needs* needs) {
  const double columns = s.num_columns();
  if (0.5 * columns * columns * sizeof(double) <= kBytesAtHand) return;
  double largest = 0.0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    double sum = 0.0;
    for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
      const int column = s.cell_column[k];
      if (column >= s.num_eliminated) sum += s.column_size(column);
    }
    largest = std::max(largest, sum);
  }
  const double num_values = 0.5 * largest * largest;
  if (num_values <= needs->num_values) return;
  needs->num_values = num_values;
  needs->columns_of_row = largest;
  needs->largest_block = -1;
}

constexpr char kUseCgnr[] =
    "Set linear_solver_type = CGNR and preconditioner_type = IDENTITY, or "
    "split the parameter or residual block.";

Needs NeedsOf(const LinearMethod& method, const BlockJacobianStructure& s) {
  const double columns = s.num_columns();
  const int num_blocks = s.num_column_blocks();
  const double remaining = columns - s.column_offset[s.num_eliminated];
  Needs needs;
  switch (method.type) {
    case DENSE_QR:
      needs.num_values = (s.num_rows() + columns) * (columns + 1.0);
      needs.advice = "Set linear_solver_type = SPARSE_NORMAL_CHOLESKY or CGNR.";
      break;
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
      AddSquares(s, 0, s.num_eliminated, 0.5, &needs);
      needs.num_values += remaining * remaining;
      needs.advice =
          method.type == DENSE_SCHUR
              ? "Set linear_solver_type = SPARSE_SCHUR or ITERATIVE_SCHUR."
              : "Set linear_solver_type = SPARSE_NORMAL_CHOLESKY or CGNR.";
      break;
    case CGNR:
    case ITERATIVE_SCHUR:
      AddSquares(s, 0, s.num_eliminated, 0.5, &needs);
      if (method.system.preconditioner != IDENTITY &&
          method.system.preconditioner != SUBSET) {
        AddSquares(s, s.num_eliminated, num_blocks, 1.0, &needs);
      }
      needs.advice = method.type == CGNR
                         ? "Set preconditioner_type = IDENTITY, or split the "
                           "parameter block."
                         : kUseCgnr;
      break;
    default:
      AddSquares(s, 0, num_blocks, 0.5, &needs);
      AddLargestRow(s, &needs);
      needs.advice = kUseCgnr;
  }
  return needs;
}

// The residuals that touch each column block.
std::vector<double> ResidualsOfColumns(const Program& program) {
  std::vector<double> residuals(program.num_column_blocks(), 0.0);
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    for (int k = program.first_argument()[row];
         k < program.first_argument()[row + 1]; ++k) {
      const int column = program.arguments()[k];
      if (column < 0) continue;
      residuals[column] +=
          program.row_offset()[row + 1] - program.row_offset()[row];
    }
  }
  return residuals;
}

}  // namespace

double BytesOfMatrices(const LinearMethod& method,
                       const BlockJacobianStructure& structure) {
  return BytesOfJacobian(structure, method.storage) +
         NeedsOf(method, structure).num_values * sizeof(double);
}

std::string FindMemoryError(const LinearMethod& method,
                            const BlockJacobianStructure& structure,
                            const Program& program,
                            const std::vector<int>& merged_columns,
                            double bytes) {
  const double of_jacobian = BytesOfJacobian(structure, method.storage);
  const Needs needs = NeedsOf(method, structure);
  const double of_solver = needs.num_values * sizeof(double);
  if (bytes <= 0.0 || of_jacobian + of_solver <= bytes) return "";
  if (of_jacobian > bytes) {
    return Format(
        "The Jacobian takes %.3g GB, and this process can have %.3g GB. Use "
        "fewer residuals or parameters at a time, or a Schur solver with "
        "Solver::Options::jacobian_storage = AUTO.",
        of_jacobian / kGigabyte, bytes / kGigabyte);
  }
  std::string error =
      Format("linear_solver_type = %s", LinearSolverTypeToString(method.type));
  if (method.type == CGNR || method.type == ITERATIVE_SCHUR) {
    error += Format(" with preconditioner_type = %s",
                    PreconditionerTypeToString(method.system.preconditioner));
  }
  error += Format(
      " needs at least %.3g GB for dense matrices, beside %.3g GB for the "
      "Jacobian, and this process can have %.3g GB. ",
      of_solver / kGigabyte, of_jacobian / kGigabyte, bytes / kGigabyte);
  if (needs.largest_block >= 0) {
    const int column = merged_columns.empty()
                           ? needs.largest_block
                           : merged_columns[needs.largest_block];
    const ParameterBlock& block = *program.parameter_blocks()[column];
    error += Format(
        "The largest block has %s: ParameterBlock %d (at "
        "%p, size %d). ",
        CountOf(structure.column_size(needs.largest_block), "column").c_str(),
        block.index(), static_cast<void*>(block.user_state()), block.size());
  }
  if (needs.columns_of_row > 0.0) {
    error += Format("One residual block depends on %.0f columns. ",
                    needs.columns_of_row);
  }
  return error + needs.advice;
}

std::string FindInnerMemoryError(const Program& program,
                                 const std::vector<std::vector<int>>& groups,
                                 double max_bytes) {
  const std::vector<double> residuals = ResidualsOfColumns(program);
  double largest = 0.0;
  int largest_column = -1;
  for (const std::vector<int>& group : groups) {
    for (const int column : group) {
      const double n = program.tangent_size(column);
      const double m = residuals[column];
      const double bytes = ((m + n) * (n + 1.0) + m * n) * sizeof(double);
      if (bytes > largest) {
        largest = bytes;
        largest_column = column;
      }
    }
  }
  double limit = max_bytes;
  if (max_bytes > 0.0 ? largest <= max_bytes
                      : !ExceedsMemory(largest, &limit)) {
    return "";
  }
  const ParameterBlock& block = *program.parameter_blocks()[largest_column];
  return Format(
      "use_inner_iterations needs at least %.3g GB for dense matrices, and "
      "this "
      "process can have %.3g GB. The largest block: ParameterBlock %d (at %p, "
      "size %d). Leave the block out of inner_iteration_ordering, or split it.",
      largest / kGigabyte, limit / kGigabyte, block.index(),
      static_cast<void*>(block.user_state()), block.size());
}

}  // namespace ceres::internal
