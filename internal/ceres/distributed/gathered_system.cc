// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/gathered_system.h"

#include <algorithm>

#include "ceres/kernels/front_layout.h"

namespace ceres::internal {
namespace {

// A dense system from the blocks of its upper triangle.
class BlockSource final : public DenseSource {
 public:
  BlockSource(const Execution& execution,
              const BlockSymmetricStructure& pattern, const double* values)
      : execution_(execution), pattern_(pattern), values_(values) {}

  const Execution& execution() const override { return execution_; }

  void AssembleDense(double* matrix) const override {
    const std::int64_t n = pattern_.size();
    std::fill_n(matrix, n * n, 0.0);
    ForEachElement([&](int row, int column, double value) {
      matrix[row * n + column] = value;
    });
  }

  // The front has the lower triangle: the transposed blocks.
  void AssembleFront(double* front) const override {
    const int n = pattern_.size();
    std::fill_n(front, kernels::FrontColumnsSize<double>(n, 0), 0.0);
    ForEachElement([&](int row, int column, double value) {
      front[kernels::PivotPosition<double>(n, column, row)] = value;
    });
  }

  void AssembleRhs(double* rhs) const override {
    std::copy_n(values_ + pattern_.num_values(), pattern_.size(), rhs);
  }

 private:
  template <typename F>
  void ForEachElement(const F& f) const {
    const std::vector<int>& offset = pattern_.block_offset;
    for (int i = 0; i < pattern_.num_blocks(); ++i) {
      for (int k = pattern_.first_entry[i]; k < pattern_.first_entry[i + 1];
           ++k) {
        const int j = pattern_.entry_column[k];
        const double* value = values_ + pattern_.value_offset[k];
        for (int row = offset[i]; row < offset[i + 1]; ++row) {
          for (int column = offset[j]; column < offset[j + 1]; ++column) {
            f(row, column, *value++);
          }
        }
      }
    }
  }

  const Execution& execution_;
  const BlockSymmetricStructure& pattern_;
  const double* const values_;
};

}  // namespace

GatheredSystem::GatheredSystem(const SchurSolverOptions& options,
                               const Execution& execution,
                               const BlockSymmetricStructure& pattern,
                               SolveWorkspace* workspace)
    : execution_(execution), pattern_(pattern), workspace_(workspace) {
  bool shares_values = false;
  if (options.method == SchurSolverOptions::Method::kDense) {
    dense_ = CreateDenseSystem(options, pattern.size());
  } else {
    sparse_ =
        SparseCholesky::Create(options.sparse, pattern, nullptr, workspace);
    shares_values = sparse_->ReadsValuesInFillFronts();
    rhs_.resize(pattern.size());
  }
  values_.emplace(shares_values ? workspace : nullptr,
                  WorkspaceRegion::kBlockValues);
  values_->Reserve(pattern.num_values() + pattern.size());
}

double* GatheredSystem::values() {
  EnterPhase(workspace_, SolvePhase::kAssemble);
  return values_->data();
}

LinearSolverSummary GatheredSystem::Solve(double* z) {
  const double* const values = values_->data();
  if (dense_ != nullptr) {
    return dense_->Solve(BlockSource(execution_, pattern_, values), z);
  }
  // The factorization overwrites the region of the values.
  std::copy_n(values + pattern_.num_values(), pattern_.size(), rhs_.begin());
  LinearSolverSummary summary;
  summary.num_iterations = 1;
  summary.termination = sparse_->FactorizeAndSolve(
      execution_, values, rhs_.data(), z, &summary.message);
  return summary;
}

}  // namespace ceres::internal
