// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/memory_check.h"

#include "ceres/base/format.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

struct Needs {
  double num_values = 0.0;  // of the linear solver
  int largest_block = -1;   // of those whose squares count
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

constexpr char kUseCgnr[] =
    "Set linear_solver_type = CGNR and preconditioner_type = IDENTITY, or "
    "split "
    "the parameter block.";

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
      needs.advice = kUseCgnr;
  }
  return needs;
}

double BytesOfJacobian(const BlockJacobianStructure& structure) {
  return static_cast<double>(structure.num_values()) * sizeof(double);
}

}  // namespace

double BytesOfMatrices(const LinearMethod& method,
                       const BlockJacobianStructure& structure) {
  return BytesOfJacobian(structure) +
         NeedsOf(method, structure).num_values * sizeof(double);
}

std::string FindMemoryError(const LinearMethod& method,
                            const BlockJacobianStructure& structure,
                            const Program& program,
                            const std::vector<int>& merged_columns,
                            double bytes) {
  constexpr double kGigabyte = 1e9;
  const double of_jacobian = BytesOfJacobian(structure);
  const Needs needs = NeedsOf(method, structure);
  const double of_solver = needs.num_values * sizeof(double);
  if (bytes <= 0.0 || of_jacobian + of_solver <= bytes) return "";
  if (of_jacobian > bytes) {
    return Format(
        "The Jacobian takes %.3g GB, and this process can have %.3g GB. Use "
        "fewer residuals or parameters at a time.",
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
        "The largest block has %d columns: ParameterBlock %d (at "
        "%p, size %d). ",
        structure.column_size(needs.largest_block), block.index(),
        static_cast<void*>(block.user_state()), block.size());
  }
  return error + needs.advice;
}

}  // namespace ceres::internal
