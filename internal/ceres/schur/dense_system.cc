// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/dense_system.h"

#include <algorithm>
#include <string>
#include <utility>

#include "Eigen/Core"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/dense_cholesky.h"
#include "ceres/linear/panel_cholesky.h"

namespace ceres::internal {
namespace {

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

LinearSolverSummary Ended(LinearSolverTermination termination,
                          std::string message) {
  LinearSolverSummary summary;
  summary.termination = termination;
  summary.num_iterations = 1;
  summary.message = std::move(message);
  return summary;
}

// Factors a dense matrix A; refines the solution with A kept in double
// precision where that is asked for (Golub and Van Loan, Matrix
// Computations, 3.5.3).
class FullDenseSystem final : public DenseSystem {
 public:
  FullDenseSystem(const SchurSolverOptions& options, int size)
      : size_(size),
        num_refinements_(options.max_num_refinement_iterations),
        cholesky_(
            options.mixed_precision
                ? DenseCholesky::CreateSinglePrecision(options.dense_library)
                : DenseCholesky::Create(options.dense_library)),
        // A factorization in single precision leaves the matrix as it is.
        keeps_copy_(num_refinements_ > 0 && !options.mixed_precision) {
    const size_t n = size;
    matrix_.Resize(n * n);
    if (keeps_copy_) kept_.Resize(n * n);
    rhs_.Resize(n);
    // The lower triangle is never written, only copied along.
    std::fill_n(matrix_.data(), n * n, 0.0);
  }

  LinearSolverSummary Solve(const DenseSource& source, double* z) override {
    source.AssembleDense(matrix_.data());
    source.AssembleRhs(rhs_.data());
    if (keeps_copy_) {
      std::copy_n(matrix_.data(), matrix_.size(), kept_.data());
    }
    std::string message;
    const LinearSolverTermination termination =
        cholesky_->Factorize(size_, matrix_.data(), &message);
    if (termination == LinearSolverTermination::kSuccess) {
      cholesky_->Solve(rhs_.data(), z);
      for (int k = 0; k < num_refinements_; ++k) Refine(z);
    }
    return Ended(termination, std::move(message));
  }

 private:
  using MatrixMap = Eigen::Map<RowMajorMatrix>;
  using VectorMap = Eigen::Map<Eigen::VectorXd>;

  // z += A^-1 (rhs - A z), the residual in double precision.
  void Refine(double* z) {
    double* matrix = keeps_copy_ ? kept_.data() : matrix_.data();
    Eigen::VectorXd correction = VectorMap(rhs_.data(), size_);
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
  AlignedBuffer rhs_;
};

// The same in panels, by all threads, where A need not be kept.
class PanelDenseSystem final : public DenseSystem {
 public:
  explicit PanelDenseSystem(int size) : cholesky_(size), rhs_(size) {}

  LinearSolverSummary Solve(const DenseSource& source, double* z) override {
    source.AssembleFront(cholesky_.matrix());
    source.AssembleRhs(rhs_.data());
    std::string message;
    const LinearSolverTermination termination =
        cholesky_.Factorize(source.execution(), &message);
    if (termination == LinearSolverTermination::kSuccess) {
      cholesky_.Solve(rhs_.data(), z);
    }
    return Ended(termination, std::move(message));
  }

 private:
  PanelCholesky cholesky_;
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<DenseSystem> CreateDenseSystem(
    const SchurSolverOptions& options, int size) {
  if (options.dense_library == EIGEN && !options.mixed_precision &&
      options.max_num_refinement_iterations == 0) {
    return std::make_unique<PanelDenseSystem>(size);
  }
  return std::make_unique<FullDenseSystem>(options, size);
}

}  // namespace ceres::internal
