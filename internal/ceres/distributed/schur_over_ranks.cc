// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/schur_over_ranks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/distributed/added_time.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/implicit_schur.h"

namespace ceres::internal {
namespace {

using distributed::ReducedSolver;

// The largest matrix that is gathered, in doubles: 1 GB.
constexpr std::int64_t kMaxGatheredValues = std::int64_t{1} << 27;

// Completes a choice that was made before the pattern of S was known.
ReducedChoice ChooseByPattern(const distributed::Options& options,
                              const ReducedChoice& before,
                              const BlockSymmetricStructure& pattern) {
  if (before.solver != ReducedSolver::AUTOMATIC) return before;
  // The dense factorization stores all elements.
  const std::int64_t num_values =
      options.linear_solver_type == DENSE_SCHUR
          ? std::int64_t{pattern.size()} * pattern.size()
          : pattern.num_values();
  if (num_values <= kMaxGatheredValues) {
    return {ReducedSolver::GATHERED, "the matrix has at most 1 GB"};
  }
  if (options.linear_solver_type == DENSE_SCHUR) {
    return {ReducedSolver::GATHERED,
            "linear_solver_type is DENSE_SCHUR, which no other one supports"};
  }
  if (!distributed::HasPetsc()) {
    return {ReducedSolver::GATHERED, "this library was built without PETSc"};
  }
  return {ReducedSolver::PETSC_MUMPS, "the matrix has more than 1 GB"};
}

const char* NameOf(ReducedSolver solver) {
  switch (solver) {
    case ReducedSolver::GATHERED:
      return "gathered and factored on rank 0";
    case ReducedSolver::PETSC_CG_BLOCK_JACOBI:
      return "distributed by block rows, PETSc's conjugate gradients with "
             "diagonal blocks";
    case ReducedSolver::PETSC_CG_GAMG:
      return "distributed by block rows, PETSc's conjugate gradients with "
             "algebraic multigrid";
    case ReducedSolver::PETSC_MUMPS:
      return "distributed by block rows, factored by MUMPS through PETSc";
    case ReducedSolver::PETSC_CG_SHELL:
      return "PETSc's conjugate gradients with products that do not form the "
             "matrix";
    case ReducedSolver::AUTOMATIC:
    case ReducedSolver::REPLICATED_CG:
      break;
  }
  return "conjugate gradients on all ranks";
}

const char* NameOf(PreconditionerType preconditioner) {
  switch (preconditioner) {
    case JACOBI:
      return "diagonal blocks without the eliminated blocks (JACOBI)";
    case SCHUR_JACOBI:
      return "diagonal blocks of the matrix (SCHUR_JACOBI)";
    default:
      return "nothing";
  }
}

// The solvers that do not form S.
std::unique_ptr<SolverOverRanks> CreateImplicit(
    const distributed::Options& options, const ReducedChoice& choice,
    const SchurSolverOptions& leaf, const RankParts& parts) {
  const bool is_exact = options.linear_solver_type == SPARSE_SCHUR;
  std::unique_ptr<ImplicitSchur> solver;
  if (choice.solver == ReducedSolver::PETSC_CG_SHELL) {
    solver = CreatePetscShellSchur(
        leaf, is_exact ? kExactResidual : options.eta, parts);
  } else {
    solver =
        CreateIterativeSchur(leaf, is_exact ? kExactResidual : -1.0, parts);
  }
  solver->set_description(Format(
      "%s, because %s: preconditioned by %s, and each iteration sums a vector "
      "of size %d over the leaves",
      NameOf(choice.solver), choice.reason.c_str(), NameOf(leaf.preconditioner),
      parts.layout->size()));
  return solver;
}

}  // namespace

SchurOverRanks::SchurOverRanks(const RankParts& parts)
    : SolverOverRanks(parts), z_(parts.layout->size()) {}

LinearSolverSummary SchurOverRanks::Solve(const BlockJacobian& /*jacobian*/,
                                          const SolveOptions& options,
                                          double* step) {
  LinearSolverSummary summary;
  const Fault mine = RunPart([&] {
    const AddedTime time(&elimination_seconds_);
    return EliminateLeaves(options);
  });
  Fault worst = parts_.agreement->Settle(Phase::kReducedSystem, mine);
  if (worst.kind != Fault::kNone) {
    summary.termination = LinearSolverTermination::kFailure;
    summary.message = std::move(worst.message);
    return summary;
  }
  summary.termination = LinearSolverTermination::kSuccess;
  summary.num_iterations = 1;
  if (!z_.empty()) summary = SolveReduced(options, z_.data());
  if (summary.termination != LinearSolverTermination::kSuccess &&
      summary.termination != LinearSolverTermination::kNoConvergence) {
    return summary;
  }
  return BackSubstitute(std::move(summary), step);
}

LinearSolverSummary SchurOverRanks::BackSubstitute(LinearSolverSummary summary,
                                                   double* step) {
  const std::vector<int>& offset = parts_.columns->program().delta_offset();
  int column = parts_.columns->RemainingColumns().begin;
  for (const int number : parts_.layout->local_numbers) {
    std::copy_n(z_.data() + parts_.layout->block_offset[number],
                offset[column + 1] - offset[column], step + offset[column]);
    ++column;
  }
  std::vector<double> decreases(parts_.leaves->size(), 0.0);
  const Fault mine = RunPart([&] {
    const AddedTime time(&elimination_seconds_);
    for (std::size_t k = 0; k < decreases.size(); ++k) {
      decreases[k] = (*parts_.leaves)[k]->BackSubstitute(step);
    }
    return Fault();
  });
  (void)parts_.agreement->Settle(Phase::kStep, mine, decreases.data(),
                                 &summary.model_cost_change);
  return summary;
}

std::unique_ptr<SolverOverRanks> CreateSchurOverRanks(
    const distributed::Options& options, const ReducedChoice& before,
    const RankParts& parts) {
  const SchurSolverOptions leaf = LeafOptions(options, before);
  if (before.is_implicit()) return CreateImplicit(options, before, leaf, parts);
  BlockSymmetricStructure pattern =
      UnionOfPatterns(parts.ranks, *parts.layout, *parts.leaves);
  const std::string size =
      CountOf(pattern.size(), "column") + ", " +
      CountOf(static_cast<std::int64_t>(pattern.entry_column.size()), "block") +
      Format(", %.3g MB", 8e-6 * static_cast<double>(pattern.num_values()));
  const ReducedChoice choice = ChooseByPattern(options, before, pattern);
  std::unique_ptr<SchurOverRanks> solver;
  if (choice.solver == ReducedSolver::GATHERED || pattern.size() == 0) {
    solver = CreateGatheredSchur(leaf, pattern, parts);
  } else {
    solver = CreatePetscSchur(options, choice.solver, pattern, parts);
  }
  solver->set_description(Format("%s, because %s (%s)", NameOf(choice.solver),
                                 choice.reason.c_str(), size.c_str()));
  return solver;
}

}  // namespace ceres::internal
