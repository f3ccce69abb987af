// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/cgnr_over_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/distributed/added_time.h"
#include "ceres/distributed/leaf_normal.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/linear/conjugate_gradients_iteration.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {
namespace {

// By column block of the reduced system, +1: the places of a vector; with
// diagonal blocks, of a part of a vector and a diagonal block.
std::vector<std::int64_t> Places(const SharedLayout& layout, bool has_blocks) {
  std::vector<std::int64_t> first = {0};
  for (int i = 0; i < layout.num_blocks(); ++i) {
    const std::int64_t width =
        layout.block_offset[i + 1] - layout.block_offset[i];
    first.push_back(first.back() + width + (has_blocks ? width * width : 0));
  }
  return first;
}

// The normal equations of all leaves, in rank vectors. Collective.
class NormalOverRanks final {
 public:
  NormalOverRanks(const RankParts& parts, PreconditionerType preconditioner)
      : parts_(parts),
        vector_sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                    RemainingOf(*parts.leaves), Places(*parts.layout, false),
                    parts.execution),
        update_sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                    RemainingOf(*parts.leaves),
                    Places(*parts.layout, preconditioner == JACOBI),
                    parts.execution),
        rhs_(size()) {
    for (const auto& leaf : *parts.leaves) {
      leaves_.push_back(std::make_unique<LeafNormal>(parts.execution, *leaf));
    }
    if (preconditioner == JACOBI) {
      blocks_.emplace(parts.execution, parts.columns->program().delta_offset());
    }
  }

  int size() const { return parts_.columns->program().num_delta(); }
  const double* right_hand_side() const { return rhs_.data(); }

  // Throws what Agreement::Settle throws.
  void Update(const double* damping, const double* column_scale) {
    column_scale_ = column_scale;
    const Fault mine = RunPart([&] {
      update_sum_.SumLocal([&](int k, double* values) {
        CheckStop(parts_.execution);
        leaves_[k]->Update(damping, rhs_.data(), blocks_ ? &*blocks_ : nullptr);
        leaves_[k]->CopyRemaining(values);
      });
      return Fault();
    });
    (void)parts_.agreement->Settle(Phase::kReducedSystem, mine);
    std::vector<double> sums(update_sum_.size());
    update_sum_.Combine(Phase::kReducedSystem, TreeSum::Destination::kAll,
                        sums.data());
    const std::vector<std::int64_t> first =
        Places(*parts_.layout, blocks_.has_value());
    ForEachRemaining([&](int number, int column, int begin, int width) {
      const double* const sum = sums.data() + first[number];
      std::copy_n(sum, width, rhs_.data() + begin);
      if (blocks_)
        std::copy_n(sum + width, width * width, blocks_->block(column));
    });
    if (blocks_) blocks_->InvertOrReplace();
  }

  // y = (J'J + D'D) x
  void Apply(const double* x, double* y) {
    const Fault mine = RunPart([&] {
      vector_sum_.SumLocal([&](int k, double* values) {
        CheckStop(parts_.execution);
        leaves_[k]->Apply(x, y, values);
      });
      return Fault();
    });
    (void)parts_.agreement->Settle(Phase::kStep, mine);
    remaining_.resize(vector_sum_.size());
    vector_sum_.Combine(Phase::kStep, TreeSum::Destination::kAll,
                        remaining_.data());
    ForEachRemaining([&](int number, int /*column*/, int begin, int width) {
      std::copy_n(remaining_.data() + parts_.layout->block_offset[number],
                  width, y + begin);
    });
  }

  // z = M^-1 r. Not collective.
  void Precondition(const double* r, double* z) const {
    if (blocks_) {
      blocks_->Apply(r, z);
      return;
    }
    for (int j = 0; j < size(); ++j) {
      const double scale = column_scale_ != nullptr ? column_scale_[j] : 1.0;
      z[j] = scale * scale * r[j];
    }
  }

  // The sums over all columns of x_i * y_i, for each pair of vectors.
  template <int kNumPairs>
  void Dots(const std::pair<const double*, const double*> (&pairs)[kNumPairs],
            double* dots) const {
    const std::vector<int>& offset = parts_.columns->program().delta_offset();
    std::vector<double> of_leaves;
    for (int k = 0; k < parts_.columns->num_leaves(); ++k) {
      for (const auto& [x, y] : pairs) {
        of_leaves.push_back(
            parts_.columns->DotOfLeaf(parts_.execution, offset, k, x, y));
      }
    }
    parts_.agreement->Sums(Phase::kStep, kNumPairs, of_leaves.data(), dots);
  }

 private:
  // Calls f(number, column, first scalar column, width) for the blocks of the
  // reduced system on this rank.
  template <typename F>
  void ForEachRemaining(F&& f) {
    const std::vector<int>& offset = parts_.columns->program().delta_offset();
    int column = parts_.columns->RemainingColumns().begin;
    for (const int number : parts_.layout->local_numbers) {
      f(number, column, offset[column], offset[column + 1] - offset[column]);
      ++column;
    }
  }

  const RankParts& parts_;
  TreeSum vector_sum_;
  TreeSum update_sum_;
  std::vector<std::unique_ptr<LeafNormal>> leaves_;
  std::vector<double> rhs_;
  std::vector<double> remaining_;
  std::optional<BlockDiagonalInverse> blocks_;  // JACOBI
  const double* column_scale_ = nullptr;
};

// The vectors of one run. rho is summed together with the progress.
class RankIteration final : public ConjugateGradientsIteration {
 public:
  RankIteration(const Execution& execution, NormalOverRanks* normal, double* x,
                double* scratch)
      : execution_(execution),
        normal_(*normal),
        n_(normal->size()),
        b_(normal->right_hand_side()),
        x_(x),
        r_(scratch),
        p_(r_ + n_),
        q_(p_ + n_),
        z_(q_ + n_) {}
  static constexpr int kNumVectors = 4;

  TwoSums SquaredNorms() override {
    double sums[2];
    normal_.Dots({{b_, b_}, {x_, x_}}, sums);
    return {sums[0], sums[1]};
  }
  void SetToZero() override { std::fill_n(x_, n_, 0.0); }
  void TakeRightHandSideAsResidual() override { std::copy_n(b_, n_, r_); }
  void ComputeResidual() override {
    normal_.Apply(x_, q_);
    Axpby(execution_, n_, 1.0, b_, -1.0, q_, r_);
  }
  TwoSums Progress() override {
    normal_.Precondition(r_, z_);
    double sums[4];
    normal_.Dots({{x_, b_}, {x_, r_}, {r_, r_}, {r_, z_}}, sums);
    rho_ = sums[3];
    return {sums[0] + sums[1], sums[2]};
  }
  // Every residual is followed by a call of Progress.
  double Precondition() override { return rho_; }
  void UpdateDirection(double beta) override {
    if (beta == 0.0) {
      std::copy_n(z_, n_, p_);
    } else {
      Axpby(execution_, n_, 1.0, z_, beta, p_, p_);
    }
  }
  double Curvature() override {
    normal_.Apply(p_, q_);
    double dot = 0.0;
    normal_.Dots({{p_, q_}}, &dot);
    return dot;
  }
  void Step(double alpha) override {
    Axpby(execution_, n_, 1.0, x_, alpha, p_, x_);
  }
  TwoSums StepAndProgress(double alpha) override {
    Step(alpha);
    Axpby(execution_, n_, 1.0, r_, -alpha, q_, r_);
    return Progress();
  }

 private:
  const Execution& execution_;
  NormalOverRanks& normal_;
  const int n_;
  const double* const b_;
  double* const x_;
  double* const r_;
  double* const p_;
  double* const q_;
  double* const z_;
  double rho_ = 0.0;
};

class CgnrOverRanks final : public SolverOverRanks {
 public:
  CgnrOverRanks(const distributed::Options& options, const RankParts& parts)
      : SolverOverRanks(parts), normal_(parts_, options.preconditioner_type) {
    cg_.min_iterations = options.min_linear_solver_iterations;
    cg_.max_iterations = options.max_linear_solver_iterations;
    scratch_.resize(std::size_t{RankIteration::kNumVectors} * normal_.size());
  }

  LinearSolverSummary Solve(const BlockJacobian& /*jacobian*/,
                            const SolveOptions& options,
                            double* step) override {
    const AddedTime time(&reduced_seconds_);
    normal_.Update(options.damping, options.column_scale);
    std::fill_n(step, normal_.size(), 0.0);
    ConjugateGradientsOptions cg = cg_;
    cg.q_tolerance = options.q_tolerance;
    cg.r_tolerance = options.r_tolerance;
    // The limit of time is checked by the stop signal, on all ranks together.
    Execution execution = parts_.execution;
    execution.stop = nullptr;
    RankIteration iteration(execution, &normal_, step, scratch_.data());
    LinearSolverSummary summary =
        RunConjugateGradients(cg, execution, &iteration);
    if (summary.termination == LinearSolverTermination::kFailure) {
      return summary;
    }
    std::vector<double> decreases;
    const Fault mine = RunPart([&] {
      for (const auto& leaf : *parts_.leaves) {
        decreases.push_back(leaf->ModelCostChange(step));
      }
      return Fault();
    });
    decreases.resize(parts_.leaves->size(), 0.0);
    (void)parts_.agreement->Settle(Phase::kStep, mine, decreases.data(),
                                   &summary.model_cost_change);
    return summary;
  }

 private:
  NormalOverRanks normal_;
  ConjugateGradientsOptions cg_;
  std::vector<double> scratch_;
};

}  // namespace

std::unique_ptr<SolverOverRanks> CreateCgnrOverRanks(
    const distributed::Options& options, const RankParts& parts) {
  auto solver = std::make_unique<CgnrOverRanks>(options, parts);
  solver->set_description(
      Format("none: linear_solver_type is CGNR. Each iteration of conjugate "
             "gradients sums a vector of size %d over the leaves",
             parts.layout->size()));
  return solver;
}

}  // namespace ceres::internal
