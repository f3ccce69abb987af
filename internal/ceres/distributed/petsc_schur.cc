// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/petsc_support.h"

#ifdef VESTA_HAVE_PETSC

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/distributed/added_time.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/reduced_choice.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"

namespace ceres::internal {
namespace {

using distributed::ReducedSolver;

// S is stored by rows, both triangles (MATAIJ), so that all preconditioners can
// read it. A rank has whole block rows: about those of its chunk of the sum
// (tree_sum.h), so that it keeps most of the upper triangle. PETSc sends the
// rest to the owners of the rows.
class PetscSchur final : public SchurOverRanks {
 public:
  PetscSchur(const distributed::Options& options, ReducedSolver solver,
             const BlockSymmetricStructure& pattern, const RankParts& parts)
      : SchurOverRanks(parts),
        solver_(solver),
        tolerance_(options.linear_solver_type == ITERATIVE_SCHUR
                       ? options.eta
                       : kExactResidual),
        max_iterations_(options.linear_solver_type == ITERATIVE_SCHUR
                            ? options.max_linear_solver_iterations
                            : kMaxExactIterations),
        pattern_(pattern),
        rhs_sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                 Entries(/*of_rhs=*/true), Places(/*of_rhs=*/true),
                 parts.execution),
        sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
             Entries(/*of_rhs=*/false), Places(/*of_rhs=*/false),
             parts.execution),
        rhs_(parts.layout->size()) {
    InitializePetsc();
    ChooseRows();
    CreateMatrix();
    CreateSolver();
  }

  ~PetscSchur() override {
    KSPDestroy(&ksp_);
    VecDestroy(&z_);
    VecDestroy(&b_);
    MatDestroy(&matrix_);
  }

 private:
  // Returns the blocks of each leaf: those of the right hand side, or of S.
  std::vector<std::vector<int>> Entries(bool of_rhs) const {
    const int num_entries = static_cast<int>(pattern_.entry_column.size());
    std::vector<std::vector<int>> result;
    for (const auto& leaf : *parts_.leaves) {
      std::vector<int>& entries =
          result.emplace_back(SystemEntriesOf(*leaf, pattern_));
      const auto first_rhs =
          std::lower_bound(entries.begin(), entries.end(), num_entries);
      if (of_rhs) {
        entries.assign(leaf->remaining().begin(), leaf->remaining().end());
      } else {
        entries.erase(first_rhs, entries.end());
      }
    }
    return result;
  }

  std::vector<std::int64_t> Places(bool of_rhs) const {
    return of_rhs ? std::vector<std::int64_t>(pattern_.block_offset.begin(),
                                              pattern_.block_offset.end())
                  : pattern_.value_offset;
  }

  void Check(PetscErrorCode code, const char* what) const {
    CheckPetsc(parts_.ranks, code, what);
  }

  // The block rows of each rank, and their scalar rows.
  void ChooseRows() {
    for (const int entry : sum_.chunk_first_entry()) {
      const auto row = std::lower_bound(pattern_.first_entry.begin(),
                                        pattern_.first_entry.end(), entry);
      first_block_.push_back(
          static_cast<int>(row - pattern_.first_entry.begin()));
      first_row_.push_back(pattern_.block_offset[first_block_.back()]);
    }
  }

  int width(int block) const {
    return pattern_.block_offset[block + 1] - pattern_.block_offset[block];
  }

  // Preallocates exactly: the elements of each local row in local columns and
  // in others.
  void CreateMatrix() {
    const int rank = parts_.ranks->rank();
    const int begin = first_block_[rank];
    const int end = first_block_[rank + 1];
    std::vector<PetscInt> local(end - begin, 0);
    std::vector<PetscInt> other(end - begin, 0);
    const auto count = [&](int row, int column) {
      if (row < begin || row >= end) return;
      const bool is_local = column >= begin && column < end;
      (is_local ? local : other)[row - begin] += width(column);
    };
    for (int i = 0; i < pattern_.num_blocks(); ++i) {
      for (int k = pattern_.first_entry[i]; k < pattern_.first_entry[i + 1];
           ++k) {
        const int j = pattern_.entry_column[k];
        count(i, j);
        if (i != j) count(j, i);
      }
    }
    std::vector<PetscInt> local_of_row;
    std::vector<PetscInt> other_of_row;
    std::vector<PetscInt> widths;
    for (int i = begin; i < end; ++i) {
      local_of_row.insert(local_of_row.end(), width(i), local[i - begin]);
      other_of_row.insert(other_of_row.end(), width(i), other[i - begin]);
      widths.push_back(width(i));
    }
    const MPI_Comm comm = parts_.ranks->comm();
    const PetscInt num_rows = first_row_[rank + 1] - first_row_[rank];
    Check(
        MatCreateAIJ(comm, num_rows, num_rows, pattern_.size(), pattern_.size(),
                     0, local_of_row.data(), 0, other_of_row.data(), &matrix_),
        "MatCreateAIJ");
    Check(MatSetOption(matrix_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE),
          "MatSetOption");
    Check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE), "MatSetOption");
    Check(MatSetVariableBlockSizes(
              matrix_, static_cast<PetscInt>(widths.size()), widths.data()),
          "MatSetVariableBlockSizes");
    Check(MatCreateVecs(matrix_, &z_, &b_), "MatCreateVecs");
  }

  void CreateSolver() {
    Check(KSPCreate(parts_.ranks->comm(), &ksp_), "KSPCreate");
    PC preconditioner = nullptr;
    Check(KSPGetPC(ksp_, &preconditioner), "KSPGetPC");
    if (solver_ == ReducedSolver::PETSC_MUMPS) {
      Check(KSPSetType(ksp_, KSPPREONLY), "KSPSetType");
      Check(PCSetType(preconditioner, PCCHOLESKY), "PCSetType");
      Check(PCFactorSetMatSolverType(preconditioner, MATSOLVERMUMPS),
            "PCFactorSetMatSolverType");
      return;
    }
    Check(KSPSetType(ksp_, KSPCG), "KSPSetType");
    Check(
        KSPSetTolerances(ksp_, tolerance_, 0.0, PETSC_DEFAULT, max_iterations_),
        "KSPSetTolerances");
    Check(PCSetType(preconditioner, solver_ == ReducedSolver::PETSC_CG_GAMG
                                        ? PCGAMG
                                        : PCVPBJACOBI),
          "PCSetType");
  }

  Fault EliminateLeaves(const SolveOptions& options) override {
    Fault fault;
    leaf_rhs_.assign(parts_.leaves->size(), {});
    sum_.SumLocal([&](int k, double* values) {
      LeafSystem& leaf = *(*parts_.leaves)[k];
      leaf_rhs_[k].resize(leaf.num_remaining());
      if (fault.kind != Fault::kNone) return;
      if (!leaf.Eliminate(options.damping, &fault.message)) {
        fault.kind = Fault::kRejected;
        return;
      }
      if (leaf.num_remaining() == 0) return;
      leaf.eliminator().AssembleBlocks(values);
      leaf.eliminator().AssembleRhs(leaf_rhs_[k].data());
    });
    return fault;
  }

  // Inserts the blocks of this rank's chunk, and their transposes.
  void FillMatrix() {
    const std::vector<double>& chunk = sum_.CombineChunk(Phase::kReducedSystem);
    std::vector<PetscInt> rows;
    std::vector<PetscInt> columns;
    std::vector<double> transposed;
    const double* values = chunk.data();
    int i = 0;
    for (int k = sum_.chunk_begin(); k < sum_.chunk_end(); ++k) {
      while (pattern_.first_entry[i + 1] <= k) ++i;
      const int j = pattern_.entry_column[k];
      Number(i, &rows);
      Number(j, &columns);
      Insert(rows, columns, values);
      if (i != j) {
        transposed.resize(rows.size() * columns.size());
        for (std::size_t r = 0; r < rows.size(); ++r) {
          for (std::size_t c = 0; c < columns.size(); ++c) {
            transposed[c * rows.size() + r] = values[r * columns.size() + c];
          }
        }
        Insert(columns, rows, transposed.data());
      }
      values += rows.size() * columns.size();
    }
    Check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin");
    Check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd");
  }
  void Number(int block, std::vector<PetscInt>* rows) const {
    rows->clear();
    for (int r = 0; r < width(block); ++r) {
      rows->push_back(pattern_.block_offset[block] + r);
    }
  }
  void Insert(const std::vector<PetscInt>& rows,
              const std::vector<PetscInt>& columns, const double* values) {
    Check(MatSetValues(matrix_, static_cast<PetscInt>(rows.size()), rows.data(),
                       static_cast<PetscInt>(columns.size()), columns.data(),
                       values, INSERT_VALUES),
          "MatSetValues");
  }

  LinearSolverSummary SolveReduced(const SolveOptions& /*options*/,
                                   double* z) override {
    const AddedTime time(&reduced_seconds_);
    FillMatrix();
    rhs_sum_.SumLocal([&](int k, double* values) {
      std::copy(leaf_rhs_[k].begin(), leaf_rhs_[k].end(), values);
    });
    rhs_sum_.Combine(Phase::kReducedSystem, TreeSum::Destination::kAll,
                     rhs_.data());
    const int rank = parts_.ranks->rank();
    double* b = nullptr;
    Check(VecGetArray(b_, &b), "VecGetArray");
    std::copy(rhs_.begin() + first_row_[rank],
              rhs_.begin() + first_row_[rank + 1], b);
    Check(VecRestoreArray(b_, &b), "VecRestoreArray");
    Check(KSPSetOperators(ksp_, matrix_, matrix_), "KSPSetOperators");
    Check(KSPSolve(ksp_, b_, z_), "KSPSolve");
    LinearSolverSummary summary = ResultOfKsp(parts_.ranks, ksp_);
    const double* local = nullptr;
    Check(VecGetArrayRead(z_, &local), "VecGetArrayRead");
    parts_.ranks->GatherDoubles(Phase::kStep, local, first_row_, z);
    Check(VecRestoreArrayRead(z_, &local), "VecRestoreArrayRead");
    return summary;
  }

  const ReducedSolver solver_;
  const double tolerance_;
  const int max_iterations_;
  const BlockSymmetricStructure pattern_;
  TreeSum rhs_sum_;
  TreeSum sum_;
  std::vector<double> rhs_;                    // on all ranks
  std::vector<std::vector<double>> leaf_rhs_;  // by local leaf
  // By rank, +1.
  std::vector<int> first_block_;
  std::vector<std::int64_t> first_row_;
  Mat matrix_ = nullptr;
  Vec b_ = nullptr;
  Vec z_ = nullptr;
  KSP ksp_ = nullptr;
};

}  // namespace

std::unique_ptr<SchurOverRanks> CreatePetscSchur(
    const distributed::Options& options, ReducedSolver solver,
    const BlockSymmetricStructure& pattern, const RankParts& parts) {
  return std::make_unique<PetscSchur>(options, solver, pattern, parts);
}

}  // namespace ceres::internal

#endif  // VESTA_HAVE_PETSC
