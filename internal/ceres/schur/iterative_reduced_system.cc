// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/iterative_reduced_system.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/logging/logging.h"
#include "ceres/schur/cluster_preconditioner.h"
#include "ceres/schur/power_series.h"
#include "ceres/schur/schur_preconditioner.h"
#include "ceres/schur/schur_product.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;

// How many products with S a solve takes, one for each iteration of conjugate
// gradients.
double ExpectedProducts(const SchurSolverOptions& options) {
  const double tolerance = options.expected_q_tolerance > 0.0
                               ? options.expected_q_tolerance
                               : kDefaultTolerance;
  const double least = std::max(1, options.min_iterations);
  const double most = std::max<double>(least, options.max_iterations);
  return std::clamp(
      kProductsAtToleranceOne * std::pow(tolerance, kProductsExponent), least,
      most);
}

// The cost of the products with U of a whole solve, and the least cost of
// forming S, without a plan of S: its places of products alone may be too many.
struct PointCosts {
  double implicit = 0.0;
  double forming = 0.0;
};
PointCosts CountPoints(const Execution& execution,
                       const BlockJacobianStructure& s, double num_products) {
  constexpr int kPointsPerPiece = 1024;
  const int num_remaining = s.num_column_blocks() - s.num_eliminated;
  PointCosts costs = ParallelReduce(
      execution, 0, s.num_eliminated, PointCosts(),
      [&](IndexRange points) {
        PointCosts sum;
        std::vector<int> last_point(num_remaining, -1);
        for (int p = points.begin; p < points.end; ++p) {
          double widths = 0.0;
          const int begin = s.first_cell[s.eliminated_first_row[p]];
          const int end = s.first_cell[s.eliminated_first_row[p + 1]];
          for (int cell = begin; cell < end; ++cell) {
            const int column = s.cell_column[cell];
            if (column < s.num_eliminated) continue;
            // A camera may see a point more than once.
            int& last = last_point[column - s.num_eliminated];
            if (last == p) continue;
            last = p;
            widths += s.column_size(column);
          }
          sum.implicit += kReadUCost * s.column_size(p) * widths;
          sum.forming += kAddProductCost * 0.5 * widths * widths;
        }
        return sum;
      },
      [](const PointCosts& a, const PointCosts& b) {
        return PointCosts{a.implicit + b.implicit, a.forming + b.forming};
      },
      // Not more work for clearing than for counting.
      std::max(kPointsPerPiece, num_remaining));
  costs.implicit *= num_products;
  return costs;
}

bool IsExplicitCheaper(const SchurPlan& plan_of_s, const PointCosts& costs,
                       double num_products) {
  const double size = static_cast<double>(plan_of_s.pattern().num_values());
  const double explicit_cost =
      costs.forming +
      kAddPartialSumCost *
          static_cast<double>(plan_of_s.merged_chunks().sums_size()) +
      num_products * kReadSCost * size;
  const double bound = static_cast<double>(
      std::max(kMaxSmallPartialSums,
               kMaxExplicitGrowth * plan_of_s.structure().num_values()));
  return size <= bound && explicit_cost <= costs.implicit;
}

bool UsesPowerSeries(const SchurSolverOptions& options) {
  return options.use_spse_initialization ||
         options.preconditioner == SCHUR_POWER_SERIES_EXPANSION;
}

// Null for IDENTITY and for the power series, which the system has apart.
std::unique_ptr<SchurPreconditioner> CreatePreconditioner(
    const SchurSolverOptions& options, const Execution& execution,
    const SchurPlan& plan) {
  switch (options.preconditioner) {
    case IDENTITY:
    case SCHUR_POWER_SERIES_EXPANSION:
      return nullptr;
    case JACOBI:
      return std::make_unique<BlockJacobiPreconditioner>(
          execution, plan, SchurEliminator::Diagonal::kRemaining);
    case SCHUR_JACOBI:
      return std::make_unique<BlockJacobiPreconditioner>(
          execution, plan, SchurEliminator::Diagonal::kSchurComplement);
    case CLUSTER_JACOBI:
    case CLUSTER_TRIDIAGONAL:
      return CreateClusterPreconditioner(options.preconditioner,
                                         options.visibility_clustering,
                                         options.sparse, execution, plan);
    default:
      break;
  }
  VESTA_FATAL() << "PreconditionerType " << options.preconditioner
                << " is not one for a Schur complement.";
  return nullptr;
}

class ConjugateGradientsSystem final : public IterativeReducedSystem {
 public:
  ConjugateGradientsSystem(const SchurSolverOptions& options,
                           const Execution& execution, const SchurPlan& plan)
      : options_(options),
        plan_(plan),
        operator_(execution, plan),
        preconditioner_(CreatePreconditioner(options, execution, plan)) {
    if (UsesPowerSeries(options)) {
      power_series_ = std::make_unique<PowerSeriesPreconditioner>(
          execution, plan, operator_, options.max_num_spse_iterations);
    }
    rhs_.Resize(plan.pattern().size());
  }

  LinearSolverSummary Solve(const LinearSolver::SolveOptions& options,
                            SchurEliminator* eliminator, double* z) override {
    eliminator->AssembleRhs(rhs_.data());
    LinearSolverSummary summary;
    for (SchurPreconditioner* preconditioner :
         {preconditioner_.get(),
          static_cast<SchurPreconditioner*>(power_series_.get())}) {
      if (preconditioner == nullptr) continue;
      summary.termination =
          preconditioner->Update(*eliminator, &summary.message);
      if (summary.termination != LinearSolverTermination::kSuccess) {
        return summary;
      }
    }
    operator_.Update(*eliminator);
    if (options_.use_spse_initialization) {
      power_series_->Expand(options_.spse_tolerance, rhs_.data(), z);
    } else {
      std::fill_n(z, plan_.pattern().size(), 0.0);
    }
    std::optional<SquaredScale> scale;
    const LinearOperator* preconditioner = preconditioner_.get();
    if (options_.preconditioner == SCHUR_POWER_SERIES_EXPANSION) {
      preconditioner = power_series_.get();
    } else if (options_.preconditioner == IDENTITY &&
               options.column_scale != nullptr) {
      const BlockJacobianStructure& s = plan_.structure();
      scale.emplace(eliminator->execution(),
                    options.column_scale + s.column_offset[s.num_eliminated],
                    plan_.pattern().size());
      preconditioner = &*scale;
    }
    ConjugateGradientsOptions cg;
    cg.min_iterations = options_.min_iterations;
    cg.max_iterations = options_.max_iterations;
    cg.q_tolerance = options.q_tolerance;
    cg.r_tolerance = options.r_tolerance;
    cg.deadline = options.deadline;
    return ConjugateGradients(cg, eliminator->execution(), operator_,
                              preconditioner, rhs_.data(), z, &scratch_);
  }

 private:
  const SchurSolverOptions options_;
  const SchurPlan& plan_;
  SchurProductOperator operator_;
  std::unique_ptr<SchurPreconditioner> preconditioner_;
  std::unique_ptr<PowerSeriesPreconditioner> power_series_;
  ConjugateGradientsScratch scratch_;
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<SchurPlan> MakeIterativePlan(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure) {
  const bool reads_diagonal_of_c =
      options.preconditioner == JACOBI || UsesPowerSeries(options);
  const auto plan_of_s = [&] {
    return std::make_unique<SchurPlan>(
        execution, structure, ReducedMatrix::kSchurComplement,
        reads_diagonal_of_c ? PointDiagonal::kSplit : PointDiagonal::kFused,
        FormationFor(options.reads_from_source), SchurPlaces::kNotInBatches);
  };
  if (options.explicit_schur_complement) return plan_of_s();
  const double num_products = ExpectedProducts(options);
  const PointCosts costs = CountPoints(execution, structure, num_products);
  if (costs.forming <= costs.implicit) {
    auto plan = plan_of_s();
    if (IsExplicitCheaper(*plan, costs, num_products)) return plan;
  }
  return std::make_unique<SchurPlan>(
      execution, structure, ReducedMatrix::kRemainingBlocks,
      options.preconditioner == SCHUR_JACOBI ? PointDiagonal::kSplit
                                             : PointDiagonal::kNone);
}

std::unique_ptr<IterativeReducedSystem> CreateIterativeReducedSystem(
    const SchurSolverOptions& options, const Execution& execution,
    const SchurPlan& plan) {
  return std::make_unique<ConjugateGradientsSystem>(options, execution, plan);
}

}  // namespace ceres::internal
