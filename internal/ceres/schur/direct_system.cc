// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/direct_system.h"

#include <algorithm>
#include <cstdint>

#include "Eigen/Core"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/kernels/front_layout.h"
#include "ceres/linear/dense_cholesky.h"
#include "ceres/linear/front_cholesky.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {
namespace {

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Writes the elements of block row i of the upper triangle, zeros included.
// place: (row, column) -> where the element goes.
template <typename Place>
void CopyRow(const BlockSymmetricStructure& s, const double* values, int i,
             const Place& place) {
  const int row_end = s.block_offset[i + 1];
  if (s.first_entry[i + 1] - s.first_entry[i] < s.num_blocks() - i) {
    // A factorization has filled what no product reaches.
    for (int row = s.block_offset[i]; row < row_end; ++row) {
      for (int column = row_end; column < s.size(); ++column) {
        *place(row, column) = 0.0;
      }
    }
  }
  for (int k = s.first_entry[i]; k < s.first_entry[i + 1]; ++k) {
    const int j = s.entry_column[k];
    const double* value = values + s.value_offset[k];
    for (int row = s.block_offset[i]; row < row_end; ++row) {
      for (int column = s.block_offset[j]; column < s.block_offset[j + 1];
           ++column) {
        *place(row, column) = *value++;
      }
    }
  }
}

// Factors a dense matrix A; refines the solution with A kept in double
// precision where that is asked for (Golub and Van Loan, Matrix
// Computations, 3.5.3).
class FullDenseSystem final : public DirectSystem {
 public:
  FullDenseSystem(const SchurSolverOptions& options, int size)
      : DirectSystem(size),
        size_(size),
        num_refinements_(options.max_num_refinement_iterations),
        cholesky_(
            options.mixed_precision
                ? DenseCholesky::CreateSinglePrecision(options.dense_library)
                : DenseCholesky::Create(options.dense_library)),
        keeps_copy_(num_refinements_ > 0 && cholesky_->IsInPlace()) {
    const size_t n = size;
    matrix_.Resize(n * n);
    if (keeps_copy_) kept_.Resize(n * n);
    // The lower triangle is never written, only copied along.
    std::fill_n(matrix_.data(), n * n, 0.0);
  }

 private:
  using MatrixMap = Eigen::Map<RowMajorMatrix>;
  using VectorMap = Eigen::Map<Eigen::VectorXd>;
  using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

  void Assemble(SystemSource* source) override {
    source->AssembleDense(matrix_.data());
    if (keeps_copy_) {
      std::copy_n(matrix_.data(), matrix_.size(), kept_.data());
    }
  }

  LinearSolverTermination FactorizeAndSolve(const Execution& /*execution*/,
                                            const double* rhs, double* z,
                                            std::string* message) override {
    const LinearSolverTermination termination =
        cholesky_->Factorize(size_, matrix_.data(), message);
    if (termination == LinearSolverTermination::kSuccess) {
      cholesky_->Solve(rhs, z);
      for (int k = 0; k < num_refinements_; ++k) Refine(rhs, z);
    }
    return termination;
  }

  // z += A^-1 (rhs - A z), the residual in double precision.
  void Refine(const double* rhs, double* z) {
    double* matrix = keeps_copy_ ? kept_.data() : matrix_.data();
    Eigen::VectorXd correction = ConstVectorMap(rhs, size_);
    correction.noalias() -=
        MatrixMap(matrix, size_, size_).selfadjointView<Eigen::Upper>() *
        VectorMap(z, size_);
    cholesky_->Solve(correction.data(), correction.data());
    VectorMap(z, size_) += correction;
  }

  const int size_;
  const int num_refinements_;
  std::unique_ptr<DenseCholesky> cholesky_;
  const bool keeps_copy_;
  AlignedBuffer matrix_;
  AlignedBuffer kept_;
};

// The same in panels, by all threads, where A need not be kept.
class FrontDenseSystem final : public DirectSystem {
 public:
  explicit FrontDenseSystem(int size) : DirectSystem(size), cholesky_(size) {}

 private:
  void Assemble(SystemSource* source) override {
    source->AssembleFront(cholesky_.matrix());
  }

  LinearSolverTermination FactorizeAndSolve(const Execution& execution,
                                            const double* rhs, double* z,
                                            std::string* message) override {
    const LinearSolverTermination termination =
        cholesky_.Factorize(execution, message);
    if (termination == LinearSolverTermination::kSuccess) {
      cholesky_.Solve(rhs, z);
    }
    return termination;
  }

  FrontCholesky<double> cholesky_;
};

class SparseSystem final : public DirectSystem {
 public:
  SparseSystem(const SchurSolverOptions& options,
               const BlockSymmetricStructure& pattern,
               SolveWorkspace* workspace)
      : DirectSystem(pattern.size()),
        cholesky_(SparseCholesky::Create(options.sparse, pattern,
                                         options.elimination_group.empty()
                                             ? nullptr
                                             : &options.elimination_group,
                                         workspace)),
        memory_(ReadsBlocksInFillFronts() ? workspace : nullptr,
                WorkspaceRegion::kBlockValues) {
    memory_.Reserve(pattern.num_values());
  }

  bool ReadsBlocksInFillFronts() const override {
    return cholesky_->ReadsValuesInFillFronts();
  }

 private:
  void Assemble(SystemSource* source) override {
    values_ = source->Blocks(&memory_);
  }

  LinearSolverTermination FactorizeAndSolve(const Execution& execution,
                                            const double* rhs, double* z,
                                            std::string* message) override {
    return cholesky_->FactorizeAndSolve(execution, values_, rhs, z, message);
  }

  std::unique_ptr<SparseCholesky> cholesky_;
  WorkspaceArray memory_;
  const double* values_ = nullptr;  // of the last Assemble
};

}  // namespace

template <typename Place>
void BlockSource::Copy(const Place& place) {
  const BlockSymmetricStructure& s = pattern();
  memory_.Reserve(s.num_values());
  const double* const values = Blocks(&memory_);
  ParallelFor(execution(), 0, s.num_blocks(),
              [&](int block_row) { CopyRow(s, values, block_row, place); });
}

void BlockSource::AssembleDense(double* matrix) {
  const int n = pattern().size();
  Copy([matrix, n](int row, int column) {
    return matrix + std::int64_t{row} * n + column;
  });
}

// Row r of the upper triangle is column r of the front.
void BlockSource::AssembleFront(double* front) {
  const int n = pattern().size();
  Copy([front, n](int row, int column) {
    return front + kernels::PivotPosition<double>(n, column, row);
  });
}

LinearSolverSummary DirectSystem::Solve(SystemSource* source, double* z) {
  Assemble(source);
  source->AssembleRhs(rhs_.data());
  // A factorization is not interrupted.
  CheckStop(source->execution());
  LinearSolverSummary summary;
  summary.num_iterations = 1;
  summary.termination =
      FactorizeAndSolve(source->execution(), rhs_.data(), z, &summary.message);
  return summary;
}

std::unique_ptr<DirectSystem> CreateDirectSystem(
    const SchurSolverOptions& options, const BlockSymmetricStructure& pattern,
    SolveWorkspace* workspace) {
  if (options.method == SchurSolverOptions::Method::kSparse) {
    return std::make_unique<SparseSystem>(options, pattern, workspace);
  }
  if (options.dense_library == EIGEN && !options.mixed_precision &&
      options.max_num_refinement_iterations == 0) {
    return std::make_unique<FrontDenseSystem>(pattern.size());
  }
  return std::make_unique<FullDenseSystem>(options, pattern.size());
}

}  // namespace ceres::internal
