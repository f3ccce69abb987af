// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/iterative_reduced_system.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ceres/linear/conjugate_gradients.h"
#include "ceres/schur/block_diagonal_preconditioner.h"
#include "ceres/schur/schur_product.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;

// What one double costs, in nanoseconds of one thread as measured by
// schur_benchmark: read from memory as part of U, read as part of S, added to
// in a copy of S, and cleared and summed up from a copy.
constexpr double kReadU = 0.5;
constexpr double kReadS = 0.3;
constexpr double kAddProduct = 0.15;
constexpr double kSumCopy = 0.4;
constexpr double kExpectedIterations = 25.0;
// An explicit S may take this many times the memory of the Jacobian.
constexpr int64_t kMaxExplicitGrowth = 1;

// What the products with U of a whole solve cost, and what forming S costs at
// least, without a plan of S: its places of products alone may be too many.
struct PointCosts {
  double implicit = 0.0;
  double forming = 0.0;
};
PointCosts CountPoints(const SchurPlan& plan_of_c) {
  const BlockJacobianStructure& s = plan_of_c.structure();
  PointCosts costs;
  for (int p = 0; p < plan_of_c.num_points(); ++p) {
    const int begin = plan_of_c.first_slot()[p];
    const int end = plan_of_c.first_slot()[p + 1];
    double widths = 0.0;
    for (int slot = begin; slot < end; ++slot) {
      widths += s.column_size(plan_of_c.slot_column()[slot]);
    }
    costs.implicit += kReadU * s.column_size(p) * widths;
    costs.forming += kAddProduct * 0.5 * widths * widths;
  }
  costs.implicit *= kExpectedIterations;
  return costs;
}

bool IsExplicitCheaper(const SchurPlan& plan_of_s, const PointCosts& costs) {
  const double size = static_cast<double>(plan_of_s.pattern().num_values());
  const double explicit_cost =
      costs.forming + kSumCopy * static_cast<double>(plan_of_s.copies_size()) +
      kExpectedIterations * kReadS * size;
  const double bound = static_cast<double>(
      std::max(SchurPlan::kMaxSmallCopies,
               kMaxExplicitGrowth * plan_of_s.structure().num_values()));
  return size <= bound && explicit_cost <= costs.implicit;
}

// y = s^2 x: the identity in the variables x / s.
class ScalePreconditioner final : public LinearOperator {
 public:
  ScalePreconditioner(const double* scale, int size)
      : scale_(scale), size_(size) {}
  void Apply(const double* x, double* y) const override {
    for (int i = 0; i < size_; ++i) y[i] = scale_[i] * scale_[i] * x[i];
  }
  int size() const override { return size_; }

 private:
  const double* scale_;
  int size_;
};

class IterativeReducedSystem final : public ReducedSystem {
 public:
  IterativeReducedSystem(const NormalEquationsOptions& options,
                         const Execution& execution, const SchurPlan& plan)
      : options_(options),
        plan_(plan),
        operator_(execution, plan),
        block_diagonal_(execution, options.preconditioner == IDENTITY
                                       ? std::vector<int>{0}
                                       : plan.pattern().block_offset) {
    rhs_.Resize(plan.pattern().size());
  }

  LinearSolverSummary Solve(const SchurEliminator& eliminator,
                            const LinearSolver::SolveOptions& options,
                            double* z) override {
    eliminator.AssembleRhs(rhs_.data());
    operator_.Update(eliminator);
    if (options_.preconditioner == IDENTITY) {
      if (options.column_scale == nullptr) {
        return Iterate(eliminator.execution(), options, nullptr, z);
      }
      const int first =
          plan_.structure().column_offset[plan_.structure().num_eliminated];
      const ScalePreconditioner scale(options.column_scale + first,
                                      plan_.pattern().size());
      return Iterate(eliminator.execution(), options, &scale, z);
    }
    eliminator.AssembleDiagonal(
        options_.preconditioner == JACOBI
            ? SchurEliminator::Diagonal::kRemaining
            : SchurEliminator::Diagonal::kSchurComplement,
        block_diagonal_.offsets().data(), block_diagonal_.blocks());
    const int failed = block_diagonal_.Invert();
    if (failed >= 0) return NotPositiveDefinite(failed);
    return Iterate(eliminator.execution(), options, &block_diagonal_, z);
  }

 private:
  LinearSolverSummary Iterate(const Execution& execution,
                              const LinearSolver::SolveOptions& options,
                              const LinearOperator* preconditioner, double* z) {
    ConjugateGradientsOptions cg;
    cg.min_iterations = options_.min_iterations;
    cg.max_iterations = options_.max_iterations;
    cg.q_tolerance = options.q_tolerance;
    cg.r_tolerance = options.r_tolerance;
    cg.deadline = options.deadline;
    std::fill_n(z, plan_.pattern().size(), 0.0);
    return ConjugateGradients(cg, execution, operator_, preconditioner,
                              rhs_.data(), z, &scratch_);
  }

  LinearSolverSummary NotPositiveDefinite(int block) const {
    const BlockJacobianStructure& s = plan_.structure();
    const int column_block = s.num_eliminated + block;
    LinearSolverSummary summary;
    summary.termination = LinearSolverTermination::kFailure;
    summary.message =
        "The preconditioner's diagonal block of column block " +
        std::to_string(column_block) + " (" +
        std::to_string(s.column_size(column_block)) + " columns, from column " +
        std::to_string(s.column_offset[column_block]) +
        " on) is not positive definite: its residuals do not determine it, and "
        "the damping is too small to.";
    return summary;
  }

  const NormalEquationsOptions options_;
  const SchurPlan& plan_;
  SchurProductOperator operator_;
  BlockDiagonalPreconditioner block_diagonal_;
  ConjugateGradientsScratch scratch_;
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<SchurPlan> MakeIterativePlan(
    const Execution& execution, const BlockJacobianStructure& structure,
    PreconditionerType preconditioner, SchurProductChoice choice) {
  const auto plan_of_s = [&] {
    return std::make_unique<SchurPlan>(
        execution, structure, ReducedMatrix::kSchurComplement,
        preconditioner == JACOBI ? PointDiagonal::kSplit
                                 : PointDiagonal::kFused);
  };
  if (choice == SchurProductChoice::kExplicitOnly) return plan_of_s();
  auto plan_of_c = std::make_unique<SchurPlan>(
      execution, structure, ReducedMatrix::kRemainingBlocks,
      preconditioner == SCHUR_JACOBI ? PointDiagonal::kSplit
                                     : PointDiagonal::kNone);
  const PointCosts costs = CountPoints(*plan_of_c);
  if (costs.forming > costs.implicit) return plan_of_c;
  auto plan = plan_of_s();
  if (IsExplicitCheaper(*plan, costs)) return plan;
  return plan_of_c;
}

std::unique_ptr<ReducedSystem> CreateIterativeReducedSystem(
    const NormalEquationsOptions& options, const Execution& execution,
    const SchurPlan& plan) {
  CHECK(options.preconditioner == IDENTITY ||
        options.preconditioner == JACOBI ||
        options.preconditioner == SCHUR_JACOBI)
      << "The preconditioner must be IDENTITY, JACOBI or SCHUR_JACOBI, but is "
         "PreconditionerType "
      << options.preconditioner << ".";
  return std::make_unique<IterativeReducedSystem>(options, execution, plan);
}

}  // namespace ceres::internal
