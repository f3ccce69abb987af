// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_DIRECT_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_DIRECT_SYSTEM_H_

#include <memory>
#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The source of a linear system: it provides a symmetric positive definite
// matrix in blocks, and a right hand side. Each source serves each
// DirectSystem.
class SystemSource {
 public:
  virtual ~SystemSource() = default;

  virtual const Execution& execution() const = 0;
  virtual const BlockSymmetricStructure& pattern() const = 0;
  // Returns the values of the blocks of pattern(): writes them to the memory,
  // for which pattern().num_values() doubles are reserved, or returns where
  // they are.
  virtual const double* Blocks(WorkspaceArray* memory) = 0;
  // Writes the upper triangle, row-major, and whole diagonal blocks. Elements
  // below the diagonal blocks are not written.
  virtual void AssembleDense(double* matrix) = 0;
  // Writes the lower triangle as the pivot rows of one front
  // (kernels/front_layout.h).
  virtual void AssembleFront(double* front) = 0;
  // After the matrix, in one of the three forms.
  virtual void AssembleRhs(double* rhs) = 0;
};

// A source whose matrix is stored in blocks, which dense forms copy.
class BlockSource : public SystemSource {
 public:
  void AssembleDense(double* matrix) final;
  void AssembleFront(double* front) final;

 private:
  template <typename Place>
  void Copy(const Place& place);

  // For dense forms, unless blocks are elsewhere.
  WorkspaceArray memory_{nullptr, WorkspaceRegion::kBlockValues};
};

// Factors and solves systems of one pattern. Owns the matrix and the factor, or
// registers regions of a workspace for them. Not thread-safe.
class DirectSystem {
 public:
  virtual ~DirectSystem() = default;
  DirectSystem(const DirectSystem&) = delete;
  DirectSystem& operator=(const DirectSystem&) = delete;

  // In phase kAssemble of the workspace. z: pattern().size() values. Does not
  // set the model cost change of the summary.
  [[nodiscard]] LinearSolverSummary Solve(SystemSource* source, double* z);

  // Whether the region kBlockValues of the workspace can hold the blocks.
  virtual bool ReadsBlocksInFillFronts() const { return false; }

 protected:
  explicit DirectSystem(int size) : rhs_(size) {}

 private:
  virtual void Assemble(SystemSource* source) = 0;
  virtual LinearSolverTermination FactorizeAndSolve(const Execution& execution,
                                                    const double* rhs,
                                                    double* z,
                                                    std::string* message) = 0;

  AlignedBuffer rhs_;
};

// By the method of the options, kDense or kSparse; with its library and in its
// precision. `pattern` and `workspace` (null: none) must outlive the system;
// pattern: of at least one block.
std::unique_ptr<DirectSystem> CreateDirectSystem(
    const SchurSolverOptions& options, const BlockSymmetricStructure& pattern,
    SolveWorkspace* workspace);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_DIRECT_SYSTEM_H_
