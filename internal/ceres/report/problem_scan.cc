// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/problem_scan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/cost_function.h"
#include "ceres/evaluation/cost_function_call.h"
#include "ceres/internal/eigen.h"
#include "ceres/loss_function.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace {

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Scanner {
 public:
  Scanner(Problem* problem, ScanContents contents)
      : problem_(*problem),
        impl_(*problem->mutable_impl()),
        has_jacobians_(contents == ScanContents::kResidualsAndJacobians) {}

  ProblemScan Run() {
    if (has_jacobians_) PrepareColumns();
    const std::vector<ResidualBlock*>& blocks = impl_.residual_blocks();
    for (ResidualBlock* block : blocks) {
      if (!Evaluate(block)) {
        scan_ = ProblemScan();
        scan_.failed_block = block->index();
        scan_.error =
            Format("Residual block %d%s cannot be evaluated: %s.",
                   block->index(), NameOfRow(*block->cost_function()).c_str(),
                   WhyItFails(*block).c_str());
        return scan_;
      }
    }
    return std::move(scan_);
  }

 private:
  void PrepareColumns() {
    scan_.first_column.push_back(0);
    for (const ParameterBlock* block : impl_.parameter_blocks()) {
      scan_.first_column.push_back(
          scan_.first_column.back() +
          (block->IsConstant() ? 0 : block->tangent_size()));
    }
    const int num_columns = scan_.first_column.back();
    scan_.squared_column_norm.assign(num_columns, 0.0);
  }

  bool Evaluate(ResidualBlock* block) {
    residuals_.resize(block->num_residuals());
    double cost = 0.0;
    double** jacobians = has_jacobians_ ? PlaceJacobians(*block) : nullptr;
    const auto start = parallel::detail::SteadyNow();
    const bool ok =
        scan_.cost.empty()
            ? problem_.EvaluateResidualBlock(block, false, &cost,
                                             residuals_.data(), jacobians)
            : problem_.EvaluateResidualBlockAssumingParametersUnchanged(
                  block, false, &cost, residuals_.data(), jacobians);
    if (!ok) return false;
    const double seconds =
        std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
            .count();
    scan_.seconds += seconds;
    scan_.longest_seconds = std::max(scan_.longest_seconds, seconds);
    const double squared_norm = 2.0 * cost;
    double rho[3] = {squared_norm, 1.0, 0.0};
    if (block->has_loss_function()) {
      block->loss_function()->Evaluate(squared_norm, rho);
    }
    if (!std::isfinite(squared_norm) || !std::isfinite(rho[0]) ||
        !std::isfinite(rho[1])) {
      return false;
    }
    scan_.squared_norm.push_back(squared_norm);
    scan_.cost.push_back(0.5 * rho[0]);
    scan_.weight.push_back(rho[1]);
    if (has_jacobians_) AddJacobians(*block, rho[1]);
    return true;
  }

  // What is wrong with a residual block that could not be evaluated. Calls its
  // cost function again.
  std::string WhyItFails(const ResidualBlock& block) {
    const CostFunction& cost_function = *block.cost_function();
    std::vector<const double*> parameters;
    std::vector<std::vector<double>> values;
    jacobians_.clear();
    for (int i = 0; i < block.num_parameter_blocks(); ++i) {
      const ParameterBlock& argument = *block.parameter_blocks()[i];
      parameters.push_back(argument.user_state());
      values.emplace_back(
          static_cast<std::size_t>(block.num_residuals()) * argument.size(),
          kImpossibleValue);
      jacobians_.push_back(argument.IsConstant() ? nullptr
                                                 : values.back().data());
    }
    residuals_.assign(block.num_residuals(), kImpossibleValue);
    double** jacobians = has_jacobians_ ? jacobians_.data() : nullptr;
    const CostFunctionCall call = {block.index(), &cost_function,
                                   parameters.data(), residuals_.data(),
                                   jacobians};
    if (!cost_function.Evaluate(parameters.data(), residuals_.data(),
                                jacobians)) {
      return DescribeRefusal(call);
    }
    std::string invalid = FindInvalidOutput(call);
    if (!invalid.empty()) return invalid;
    if (!block.has_loss_function()) return "the cost is not finite";
    double rho[3];
    block.loss_function()->Evaluate(
        ConstVectorRef(residuals_.data(), block.num_residuals()).squaredNorm(),
        rho);
    invalid = FindInvalidLoss(rho);
    return invalid.empty() ? "a manifold failed" : invalid;
  }

  // Pointers into values_, null for constant blocks.
  double** PlaceJacobians(const ResidualBlock& block) {
    const int num_blocks = block.num_parameter_blocks();
    std::size_t size = 0;
    for (int i = 0; i < num_blocks; ++i) {
      size += static_cast<std::size_t>(block.num_residuals()) *
              block.parameter_blocks()[i]->tangent_size();
    }
    values_.resize(std::max<std::size_t>(size, 1));
    jacobians_.assign(num_blocks, nullptr);
    double* next = values_.data();
    for (int i = 0; i < num_blocks; ++i) {
      const ParameterBlock& parameters = *block.parameter_blocks()[i];
      if (parameters.IsConstant()) continue;
      jacobians_[i] = next;
      next += static_cast<std::size_t>(block.num_residuals()) *
              parameters.tangent_size();
    }
    return jacobians_.data();
  }

  void AddJacobians(const ResidualBlock& block, double weight) {
    for (int i = 0; i < block.num_parameter_blocks(); ++i) {
      if (jacobians_[i] == nullptr) continue;
      const ParameterBlock& parameters = *block.parameter_blocks()[i];
      const Eigen::Map<const RowMajorMatrix> jacobian(
          jacobians_[i], block.num_residuals(), parameters.tangent_size());
      const int column = scan_.first_column[parameters.index()];
      for (int c = 0; c < jacobian.cols(); ++c) {
        scan_.squared_column_norm[column + c] +=
            weight * jacobian.col(c).squaredNorm();
      }
    }
  }

  Problem& problem_;
  ProblemImpl& impl_;
  const bool has_jacobians_;
  ProblemScan scan_;
  std::vector<double> residuals_;
  std::vector<double> values_;
  std::vector<double*> jacobians_;
};

}  // namespace

ProblemScan ScanProblem(Problem* problem, ScanContents contents) {
  return Scanner(problem, contents).Run();
}

}  // namespace ceres::internal
