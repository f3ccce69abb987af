// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <utility>
#include <vector>

#include "ceres/logging/logging.h"
#include "ceres/sparse/block_symmetric.h"
#include "ceres/sparse/sparse_cholesky_backends.h"

namespace ceres::internal {
namespace {

// Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, chapter
// 12.
class RefiningCholesky final : public SparseCholesky {
 public:
  RefiningCholesky(std::unique_ptr<SparseCholesky> cholesky, int num_iterations,
                   const BlockSymmetricStructure& structure)
      : cholesky_(std::move(cholesky)),
        num_iterations_(num_iterations),
        product_(structure),
        residual_(structure.size()),
        correction_(structure.size()) {}

  LinearSolverTermination Factorize(const Execution& execution,
                                    const double* values,
                                    std::string* message) override {
    execution_ = execution;
    values_ = values;
    return cholesky_->Factorize(execution, values, message);
  }

  LinearSolverTermination Solve(const double* b, double* x,
                                std::string* message) override {
    // b may be x.
    right_hand_side_.assign(b, b + residual_.size());
    LinearSolverTermination termination = cholesky_->Solve(b, x, message);
    for (int i = 0; i < num_iterations_ &&
                    termination == LinearSolverTermination::kSuccess;
         ++i) {
      product_.Apply(execution_, values_, x, residual_.data());
      for (size_t k = 0; k < residual_.size(); ++k) {
        residual_[k] = right_hand_side_[k] - residual_[k];
      }
      termination =
          cholesky_->Solve(residual_.data(), correction_.data(), message);
      for (size_t k = 0; k < residual_.size(); ++k) x[k] += correction_[k];
    }
    return termination;
  }

 private:
  std::unique_ptr<SparseCholesky> cholesky_;
  int num_iterations_;
  BlockSymmetricProduct product_;
  Execution execution_;
  const double* values_ = nullptr;
  std::vector<double> right_hand_side_;
  std::vector<double> residual_;
  std::vector<double> correction_;
};

std::unique_ptr<SparseCholesky> CreateBackend(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group,
    SolveWorkspace* workspace) {
#ifndef CERES_NO_SUITESPARSE
  if (options.library == SUITE_SPARSE) {
    return CreateCholmodCholesky(options, structure, group);
  }
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  if (options.library == EIGEN_SPARSE) {
    return CreateEigenSparseCholesky(options, structure, group);
  }
#endif
  if (options.library == NATIVE_SPARSE) {
    return CreateNativeCholesky(options, structure, group, workspace);
  }
  VESTA_FATAL()
      << "This sparse linear algebra library is not part of this build: "
      << (options.library == SUITE_SPARSE   ? "SUITE_SPARSE"
          : options.library == EIGEN_SPARSE ? "EIGEN_SPARSE"
                                            : "neither SUITE_SPARSE nor "
                                              "EIGEN_SPARSE");
  return nullptr;
}

}  // namespace

std::unique_ptr<SparseCholesky> CreateRefiningCholesky(
    std::unique_ptr<SparseCholesky> cholesky, int num_iterations,
    const BlockSymmetricStructure& structure) {
  return std::make_unique<RefiningCholesky>(std::move(cholesky), num_iterations,
                                            structure);
}

LinearSolverTermination SparseCholesky::FactorizeAndSolve(
    const Execution& execution, const double* values, const double* b,
    double* x, std::string* message) {
  const LinearSolverTermination termination =
      Factorize(execution, values, message);
  return termination == LinearSolverTermination::kSuccess ? Solve(b, x, message)
                                                          : termination;
}

std::unique_ptr<SparseCholesky> SparseCholesky::Create(
    const Options& options, const BlockSymmetricStructure& structure,
    const std::vector<int>* group, SolveWorkspace* workspace) {
  VESTA_CHECK(group == nullptr ||
              static_cast<int>(group->size()) == structure.num_blocks())
      << "One elimination group per block.";
  VESTA_CHECK(group == nullptr || options.elimination_order == nullptr)
      << "An elimination order and elimination groups exclude each other.";
  std::unique_ptr<SparseCholesky> cholesky =
      CreateBackend(options, structure, group, workspace);
  if (options.num_refinement_iterations == 0) return cholesky;
  return CreateRefiningCholesky(std::move(cholesky),
                                options.num_refinement_iterations, structure);
}

}  // namespace ceres::internal
