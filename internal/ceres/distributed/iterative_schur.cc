// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <memory>

#include "ceres/distributed/implicit_schur.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/linear/conjugate_gradients.h"

namespace ceres::internal {
namespace {

// All ranks run the same conjugate gradients on the whole reduced system, in
// vectors that all of them have.
class IterativeSchur final : public ImplicitSchur {
 public:
  IterativeSchur(const SchurSolverOptions& options, double tolerance,
                 const RankParts& parts)
      : ImplicitSchur(options, parts), tolerance_(tolerance), product_(this) {}

  void Multiply(const double* x, double* y) override {
    MultiplyLeaves(x);
    vector_sum().Combine(Phase::kStep, TreeSum::Destination::kAll, y);
  }

 private:
  // y = S x. Collective; throws what Agreement::Settle throws.
  class Product final : public LinearOperator {
   public:
    explicit Product(IterativeSchur* solver) : solver_(*solver) {}
    void Apply(const double* x, double* y) const override {
      solver_.Multiply(x, y);
    }
    int size() const override { return solver_.parts_.layout->size(); }

   private:
    IterativeSchur& solver_;
  };

  LinearSolverSummary RunKrylov(const SolveOptions& options,
                                double* z) override {
    ConjugateGradientsOptions cg;
    cg.min_iterations = options_.min_iterations;
    cg.max_iterations = options_.max_iterations;
    cg.q_tolerance = tolerance_ < 0.0 ? options.q_tolerance : 0.0;
    cg.r_tolerance = tolerance_ < 0.0 ? options.r_tolerance : tolerance_;
    // The limit of time is checked by the stop signal, on all ranks together.
    Execution execution = parts_.execution;
    execution.stop = nullptr;
    return ConjugateGradients(cg, execution, product_, preconditioner(),
                              right_hand_side().data(), z, &scratch_);
  }

  const double tolerance_;
  const Product product_;
  ConjugateGradientsScratch scratch_;
};

}  // namespace

std::unique_ptr<ImplicitSchur> CreateIterativeSchur(
    const SchurSolverOptions& options, double tolerance,
    const RankParts& parts) {
  return std::make_unique<IterativeSchur>(options, tolerance, parts);
}

}  // namespace ceres::internal
