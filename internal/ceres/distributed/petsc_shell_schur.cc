// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/petsc_support.h"

#ifdef VESTA_HAVE_PETSC

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "ceres/distributed/implicit_schur.h"

namespace ceres::internal {
namespace {

// PETSc's conjugate gradients on a shell matrix: S is not formed. Each rank has
// the rows of its chunk of the sum over leaves. For a product, all ranks gather
// the vector, multiply their leaves, and add up the rows of their chunks.
class PetscShellSchur final : public ImplicitSchur {
 public:
  PetscShellSchur(const SchurSolverOptions& options, double tolerance,
                  const RankParts& parts)
      : ImplicitSchur(options, parts), x_(parts.layout->size()) {
    InitializePetsc();
    for (const int block : vector_sum().chunk_first_entry()) {
      first_row_.push_back(parts.layout->block_offset[block]);
    }
    CreateMatrix();
    CreateSolver(tolerance);
  }

  void Multiply(const double* x, double* y) override {
    FillRows(x, b_);
    exception_ = nullptr;
    CheckResult(MatMult(matrix_, b_, z_), "MatMult");
    GatherRows(z_, y);
  }

  ~PetscShellSchur() override {
    KSPDestroy(&ksp_);
    VecDestroy(&z_);
    VecDestroy(&b_);
    MatDestroy(&matrix_);
  }

 private:
  void Check(PetscErrorCode code, const char* what) const {
    CheckPetsc(parts_.ranks, code, what);
  }
  PetscInt num_rows() const {
    const int rank = parts_.ranks->rank();
    return static_cast<PetscInt>(first_row_[rank + 1] - first_row_[rank]);
  }

  void CreateMatrix() {
    const PetscInt size = parts_.layout->size();
    Check(MatCreateShell(parts_.ranks->comm(), num_rows(), num_rows(), size,
                         size, this, &matrix_),
          "MatCreateShell");
    Check(MatShellSetOperation(matrix_, MATOP_MULT,
                               reinterpret_cast<void (*)(void)>(MultiplyRows)),
          "MatShellSetOperation");
    Check(MatCreateVecs(matrix_, &z_, &b_), "MatCreateVecs");
  }

  void CreateSolver(double tolerance) {
    Check(KSPCreate(parts_.ranks->comm(), &ksp_), "KSPCreate");
    Check(KSPSetType(ksp_, KSPCG), "KSPSetType");
    Check(KSPSetTolerances(ksp_, tolerance, 0.0, PETSC_DEFAULT,
                           options_.max_iterations),
          "KSPSetTolerances");
    Check(KSPSetOperators(ksp_, matrix_, matrix_), "KSPSetOperators");
    PC shell = nullptr;
    Check(KSPGetPC(ksp_, &shell), "KSPGetPC");
    Check(PCSetType(shell, PCSHELL), "PCSetType");
    Check(PCShellSetContext(shell, this), "PCShellSetContext");
    Check(PCShellSetApply(shell, Precondition), "PCShellSetApply");
  }

  // Calls f(x, y), the local rows. Exceptions cannot pass through PETSc: the
  // first one is kept, and an error ends KSPSolve. All ranks throw together.
  template <typename F>
  PetscErrorCode WithRows(Vec x, Vec y, F&& f) {
    const double* from = nullptr;
    double* to = nullptr;
    Check(VecGetArrayRead(x, &from), "VecGetArrayRead");
    Check(VecGetArrayWrite(y, &to), "VecGetArrayWrite");
    try {
      f(from, to);
    } catch (...) {
      exception_ = std::current_exception();
    }
    Check(VecRestoreArrayWrite(y, &to), "VecRestoreArrayWrite");
    Check(VecRestoreArrayRead(x, &from), "VecRestoreArrayRead");
    return exception_ ? PETSC_ERR_USER : 0;
  }

  static PetscErrorCode MultiplyRows(Mat matrix, Vec x, Vec y) {
    void* context = nullptr;
    MatShellGetContext(matrix, &context);
    PetscShellSchur& solver = *static_cast<PetscShellSchur*>(context);
    return solver.WithRows(x, y, [&](const double* from, double* to) {
      solver.parts_.ranks->GatherDoubles(Phase::kStep, from, solver.first_row_,
                                         solver.x_.data());
      solver.MultiplyLeaves(solver.x_.data());
      const std::vector<double>& chunk =
          solver.vector_sum().CombineChunk(Phase::kStep);
      std::copy(chunk.begin(), chunk.end(), to);
    });
  }

  static PetscErrorCode Precondition(PC shell, Vec x, Vec y) {
    void* context = nullptr;
    PCShellGetContext(shell, &context);
    PetscShellSchur& solver = *static_cast<PetscShellSchur*>(context);
    return solver.WithRows(x, y, [&](const double* from, double* to) {
      const BlockDiagonalInverse* inverse = solver.preconditioner();
      if (inverse == nullptr) {
        std::copy_n(from, solver.num_rows(), to);
        return;
      }
      const std::vector<int>& offset = solver.parts_.layout->block_offset;
      const int begin = solver.vector_sum().chunk_begin();
      for (int b = begin; b < solver.vector_sum().chunk_end(); ++b) {
        const int row = offset[b] - offset[begin];
        inverse->ApplyBlock(b, from + row, to + row);
      }
    });
  }

  // Copies the rows of this rank from a vector that all ranks have.
  void FillRows(const double* all, Vec rows) {
    double* to = nullptr;
    Check(VecGetArrayWrite(rows, &to), "VecGetArrayWrite");
    std::copy_n(all + first_row_[parts_.ranks->rank()], num_rows(), to);
    Check(VecRestoreArrayWrite(rows, &to), "VecRestoreArrayWrite");
  }
  // Gathers the rows of all ranks.
  void GatherRows(Vec rows, double* all) {
    const double* from = nullptr;
    Check(VecGetArrayRead(rows, &from), "VecGetArrayRead");
    parts_.ranks->GatherDoubles(Phase::kStep, from, first_row_, all);
    Check(VecRestoreArrayRead(rows, &from), "VecRestoreArrayRead");
  }
  // Throws the exception that ended a function of PETSc.
  void CheckResult(PetscErrorCode code, const char* what) const {
    if (exception_) std::rethrow_exception(exception_);
    Check(code, what);
  }

  LinearSolverSummary RunKrylov(const SolveOptions& /*options*/,
                                double* z) override {
    FillRows(right_hand_side().data(), b_);
    exception_ = nullptr;
    CheckResult(KSPSolve(ksp_, b_, z_), "KSPSolve");
    GatherRows(z_, z);
    return ResultOfKsp(parts_.ranks, ksp_);
  }

  std::vector<std::int64_t> first_row_;  // by rank, +1
  std::vector<double> x_;                // of a product, all rows
  std::exception_ptr exception_;
  Mat matrix_ = nullptr;
  Vec b_ = nullptr;
  Vec z_ = nullptr;
  KSP ksp_ = nullptr;
};

}  // namespace

std::unique_ptr<ImplicitSchur> CreatePetscShellSchur(
    const SchurSolverOptions& options, double tolerance,
    const RankParts& parts) {
  return std::make_unique<PetscShellSchur>(options, tolerance, parts);
}

}  // namespace ceres::internal

#endif  // VESTA_HAVE_PETSC
