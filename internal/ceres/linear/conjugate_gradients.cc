// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/conjugate_gradients.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ceres/base/clock.h"
#include "ceres/execution/loops.h"
#include "ceres/linear/conjugate_gradients_iteration.h"

namespace ceres::internal {
namespace {

constexpr int kGrain = kMinConjugateGradientsPiece;

using TwoSums = ConjugateGradientsIteration::TwoSums;

TwoSums Add(TwoSums a, TwoSums b) {
  return {a.first + b.first, a.second + b.second};
}

struct StepSums {
  TwoSums progress;
  double rho = 0.0;  // r'z
};

StepSums Add(StepSums a, StepSums b) {
  return {Add(a.progress, b.progress), a.rho + b.rho};
}

// Sums term(i) over the range in four interleaved chains, so that an addition
// need not wait for the addition before it. The order of the additions depends
// only on the length of the range.
template <typename Sums, typename Term>
Sums SumOfTerms(IndexRange range, const Term& term) {
  constexpr int kChains = 4;
  Sums sums[kChains] = {};
  int i = range.begin;
  for (; i + kChains <= range.end; i += kChains) {
    for (int k = 0; k < kChains; ++k) sums[k] = Add(sums[k], term(i + k));
  }
  for (; i < range.end; ++i) sums[0] = Add(sums[0], term(i));
  return Add(Add(sums[0], sums[1]), Add(sums[2], sums[3]));
}

template <typename Term>
TwoSums ParallelSum(const Execution& execution, int n, const Term& term) {
  return ParallelReduce(
      execution, 0, n, TwoSums(),
      [&term](IndexRange range) { return SumOfTerms<TwoSums>(range, term); },
      [](TwoSums a, TwoSums b) { return Add(a, b); }, kGrain);
}

bool IsZeroOrNotFinite(double x) { return x == 0.0 || !std::isfinite(x); }

std::string WithValue(const char* text, double value) {
  return text + std::to_string(value) + ".";
}

enum class Products { kRounded, kExact };

// Returns the staged form of `a`, or null if it has none or if the
// preconditioner does not have the same row blocks.
const StagedProduct* FindStaged(const LinearOperator& a,
                                const LinearOperator* preconditioner) {
  const StagedProduct* staged = a.staged();
  if (staged == nullptr || preconditioner == nullptr) return nullptr;
  const BlockwiseProduct* blockwise = preconditioner->blockwise();
  return blockwise != nullptr && blockwise->row_blocks() == staged->row_blocks()
             ? staged
             : nullptr;
}

// The iteration in the memory of one process.
class Iteration final : public ConjugateGradientsIteration {
 public:
  Iteration(const Execution& execution, const LinearOperator& a,
            const LinearOperator* preconditioner, const double* b, double* x,
            Products products, double* scratch)
      : execution_(execution),
        a_(a),
        products_(products),
        preconditioner_(preconditioner),
        staged_(FindStaged(a, preconditioner)),
        n_(a.size()),
        b_(b),
        x_(x),
        r_(scratch),
        p_(r_ + n_),
        q_(p_ + n_),
        z_(preconditioner == nullptr ? r_ : q_ + n_) {}

  TwoSums SquaredNorms() override {
    const double *b = b_, *x = x_;
    return ParallelSum(execution_, n_, [=](int i) {
      return TwoSums{b[i] * b[i], x[i] * x[i]};
    });
  }

  void SetToZero() override { std::fill_n(x_, n_, 0.0); }

  void TakeRightHandSideAsResidual() override {
    const double* b = b_;
    double* r = r_;
    ParallelFor(
        execution_, 0, n_, [=](int i) { r[i] = b[i]; }, kGrain);
  }

  void ComputeResidual() override {
    rho_is_known_ = false;
    a_.Apply(x_, q_);
    const double *b = b_, *q = q_;
    double* r = r_;
    ParallelFor(
        execution_, 0, n_, [=](int i) { r[i] = b[i] - q[i]; }, kGrain);
  }

  TwoSums Progress() override {
    const double *b = b_, *r = r_, *x = x_;
    return ParallelSum(execution_, n_, [=](int i) {
      return TwoSums{x[i] * (b[i] + r[i]), r[i] * r[i]};
    });
  }

  double Precondition() override {
    if (rho_is_known_) return rho_;
    if (preconditioner_ != nullptr) preconditioner_->Apply(r_, z_);
    const double *r = r_, *z = z_;
    return ParallelSum(execution_, n_,
                       [=](int i) {
                         return TwoSums{r[i] * z[i], 0.0};
                       })
        .first;
  }

  void UpdateDirection(double beta) override {
    const double* z = z_;
    double* p = p_;
    // In the first iteration p is not initialized.
    if (beta == 0.0) {
      ParallelFor(
          execution_, 0, n_, [=](int i) { p[i] = z[i]; }, kGrain);
    } else {
      ParallelFor(
          execution_, 0, n_, [=](int i) { p[i] = z[i] + beta * p[i]; }, kGrain);
    }
  }

  // If A is staged, StepAndProgress computes the last stage of A p.
  double Curvature() override {
    if (staged_ != nullptr) {
      return products_ == Products::kRounded ? staged_->BeginRounded(p_)
                                             : staged_->Begin(p_);
    }
    if (products_ == Products::kRounded) {
      a_.ApplyRounded(p_, q_);
    } else {
      a_.Apply(p_, q_);
    }
    const double *p = p_, *q = q_;
    return ParallelSum(execution_, n_,
                       [=](int i) {
                         return TwoSums{p[i] * q[i], 0.0};
                       })
        .first;
  }

  void Step(double alpha) override {
    const double* p = p_;
    double* x = x_;
    ParallelFor(
        execution_, 0, n_, [=](int i) { x[i] += alpha * p[i]; }, kGrain);
  }

  TwoSums StepAndProgress(double alpha) override {
    if (staged_ != nullptr) return FinishStage(alpha);
    const double *b = b_, *p = p_, *q = q_;
    double *r = r_, *x = x_;
    return ParallelSum(execution_, n_, [=](int i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      return TwoSums{x[i] * (b[i] + r[i]), r[i] * r[i]};
    });
  }

  bool rounds() const override { return products_ == Products::kRounded; }

 private:
  // StepAndProgress for a staged A. One loop computes the last stage of A p, x,
  // r, z, and the sums, rho included.
  TwoSums FinishStage(double alpha) {
    const std::vector<int>& row = staged_->row_blocks();
    const BlockwiseProduct& m_inverse = *preconditioner_->blockwise();
    const double *b = b_, *p = p_;
    double *q = q_, *r = r_, *x = x_, *z = z_;
    const StepSums sums = ParallelReduce(
        execution_, 0, static_cast<int>(row.size()) - 1, StepSums(),
        [&, alpha, b, p, q, r, x, z](IndexRange blocks) {
          const IndexRange rows = {row[blocks.begin], row[blocks.end]};
          staged_->Finish(blocks.begin, blocks.end, q);
          for (int i = rows.begin; i < rows.end; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
          }
          m_inverse.ApplyToBlocks(blocks.begin, blocks.end, r, z);
          return SumOfTerms<StepSums>(rows, [=](int i) {
            return StepSums{{x[i] * (b[i] + r[i]), r[i] * r[i]}, r[i] * z[i]};
          });
        },
        [](const StepSums& first, const StepSums& second) {
          return Add(first, second);
        },
        kMinRowBlocksPerPiece);
    rho_ = sums.rho;
    rho_is_known_ = true;
    return sums.progress;
  }

  const Execution& execution_;
  const LinearOperator& a_;
  const Products products_;
  const LinearOperator* preconditioner_;
  const StagedProduct* staged_;  // or null
  const int n_;
  const double* b_;
  double* x_;
  double* r_;
  double* p_;
  double* q_;
  double* z_;
  bool rho_is_known_ = false;  // whether rho_ and z_ belong to r_
  double rho_ = 0.0;
};

// The vectors r, p, q and z.
constexpr int kNumVectors = 4;

}  // namespace

void SquaredScale::Apply(const double* x, double* y) const {
  const double* s = scale_;
  ParallelFor(
      execution_, 0, size_, [=](int j) { y[j] = s[j] * s[j] * x[j]; },
      kMinVectorPiece);
}

LinearSolverSummary ConjugateGradients(const ConjugateGradientsOptions& options,
                                       const Execution& execution,
                                       const LinearOperator& a,
                                       const LinearOperator* preconditioner,
                                       const double* b, double* x,
                                       ConjugateGradientsScratch* scratch) {
  scratch->buffer.Resize(static_cast<size_t>(kNumVectors) * a.size());
  const bool is_inexact = std::max(options.q_tolerance, options.r_tolerance) >=
                          kLeastRoundedTolerance;
  Iteration iteration(execution, a, preconditioner, b, x,
                      is_inexact ? Products::kRounded : Products::kExact,
                      scratch->buffer.data());
  return RunConjugateGradients(options, execution, &iteration);
}

LinearSolverSummary RunConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    ConjugateGradientsIteration* run) {
  ConjugateGradientsIteration& iteration = *run;
  LinearSolverSummary summary;
  const auto finish = [&summary](LinearSolverTermination termination,
                                 std::string message = std::string()) {
    summary.termination = termination;
    summary.message = std::move(message);
    return summary;
  };

  const TwoSums norms = iteration.SquaredNorms();
  if (norms.first == 0.0) {
    iteration.SetToZero();
    return finish(LinearSolverTermination::kSuccess);
  }
  if (norms.second == 0.0) {
    iteration.TakeRightHandSideAsResidual();
  } else {
    iteration.ComputeResidual();
  }
  // The bound is at least 0, so an exact solution ends the iteration: its zero
  // residual gives no further direction.
  const double residual_bound =
      std::max(0.0, options.r_tolerance) * std::sqrt(norms.first);
  TwoSums progress = iteration.Progress();
  if (std::sqrt(progress.second) <= residual_bound) {
    return finish(LinearSolverTermination::kSuccess);
  }

  double last_q = -0.5 * progress.first;
  double last_rho = 1.0;
  // An iteration takes one product with A, one application of the
  // preconditioner, and five passes over vectors. If A is staged, most passes
  // are one loop.
  for (int i = 1;; ++i) {
    CheckStop(execution);
    const double rho = iteration.Precondition();
    if (IsZeroOrNotFinite(rho)) {
      return finish(
          LinearSolverTermination::kFailure,
          WithValue("Conjugate gradients broke down: r'M^-1 r is ", rho));
    }
    const double beta = i == 1 ? 0.0 : rho / last_rho;
    if (i > 1 && IsZeroOrNotFinite(beta)) {
      return finish(
          LinearSolverTermination::kFailure,
          WithValue("Conjugate gradients broke down: beta is ", beta));
    }
    last_rho = rho;
    iteration.UpdateDirection(beta);

    const double curvature = iteration.Curvature();
    if (!(curvature > 0.0) || !std::isfinite(curvature)) {
      summary.num_iterations = i - 1;
      return finish(
          std::isfinite(curvature) ? LinearSolverTermination::kNoConvergence
                                   : LinearSolverTermination::kFailure,
          WithValue("Conjugate gradients stopped: the matrix is not positive "
                    "definite to working precision, p'Ap is ",
                    curvature));
    }
    const double alpha = rho / curvature;
    if (!std::isfinite(alpha)) {
      return finish(
          LinearSolverTermination::kFailure,
          WithValue("Conjugate gradients broke down: alpha is ", alpha));
    }

    // The updated residual accumulates rounding errors. It is computed from x
    // again every kResidualResetPeriod iterations.
    if (i % kResidualResetPeriod == 0) {
      iteration.Step(alpha);
      iteration.ComputeResidual();
      progress = iteration.Progress();
    } else {
      progress = iteration.StepAndProgress(alpha);
      if (iteration.rounds() && std::sqrt(progress.second) <= residual_bound) {
        iteration.ComputeResidual();
        progress = iteration.Progress();
      }
    }
    summary.num_iterations = i;

    // Nash and Sofer, "Assessing a search direction within a truncated Newton
    // method", Operations Research Letters 9, 1990.
    const double q = -0.5 * progress.first;
    // If x starts at zero, Q is negative after the first step. While Q is not
    // negative, the ratio has no meaning.
    const bool little_progress = options.q_tolerance > 0.0 && q < 0.0 &&
                                 i * (q - last_q) / q < options.q_tolerance;
    last_q = q;
    if (progress.second == 0.0) {
      return finish(LinearSolverTermination::kSuccess);
    }
    if (i >= options.min_iterations &&
        (little_progress || std::sqrt(progress.second) <= residual_bound)) {
      return finish(LinearSolverTermination::kSuccess);
    }
    if (i >= options.max_iterations) {
      return finish(LinearSolverTermination::kNoConvergence,
                    "Conjugate gradients used up the iterations allowed.");
    }
    if (options.deadline != std::chrono::steady_clock::time_point::max() &&
        parallel::detail::SteadyNow() >= options.deadline) {
      return finish(LinearSolverTermination::kNoConvergence,
                    "Conjugate gradients used up the time allowed.");
    }
  }
}

}  // namespace ceres::internal
