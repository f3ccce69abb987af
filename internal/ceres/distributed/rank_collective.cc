// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/rank_collective.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/distributed/added_time.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/local_collective.h"

namespace ceres::internal {
namespace {

// The entries of column sums: for each block, gradient and column norms.
std::vector<std::int64_t> FirstSums(const SharedLayout& layout) {
  std::vector<std::int64_t> first;
  for (const int offset : layout.block_offset) {
    first.push_back(2 * std::int64_t{offset});
  }
  return first;
}

// How severe it is that a rank ends. 0: it goes on.
double Severity(const std::optional<Termination>& termination) {
  if (!termination) return 0.0;
  switch (termination->type) {
    case FAILURE:
    case INFEASIBLE:  // no distributed problem has constraints
      return 5.0;
    case USER_FAILURE:
      return 4.0;
    case USER_SUCCESS:
      return 3.0;
    case CONVERGENCE:
      return 2.0;
    case NO_CONVERGENCE:
      return 1.0;
  }
  return 5.0;
}

TerminationType TypeOf(double severity) {
  constexpr TerminationType kTypes[] = {NO_CONVERGENCE, CONVERGENCE,
                                        USER_SUCCESS, USER_FAILURE, FAILURE};
  return kTypes[static_cast<int>(severity) - 1];
}

}  // namespace

RankCollective::RankCollective(const RankParts& parts,
                               const MinimizerOptions& options,
                               StopSignal* stop,
                               std::chrono::steady_clock::time_point start)
    : parts_(parts),
      options_(options),
      stop_(stop),
      start_(start),
      column_sums_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
                   RemainingOf(*parts.leaves), FirstSums(*parts.layout),
                   parts.execution),
      sums_(column_sums_.size()) {
  const Program& program = parts.columns->program();
  has_bounds_ = !All(!program.has_bounds());
  is_euclidean_ = All(IsEuclidean(program));
}

void RankCollective::CallEvaluationCallback(const double* state,
                                            bool with_jacobian) {
  if (parts_.evaluation_callback == nullptr) return;
  const Program& program = parts_.columns->program();
  program.WriteUserMemory(state);
  const std::vector<double> point(state, state + program.num_state());
  const bool is_new = last_state_ != point || point.empty();
  last_state_ = point;
  parts_.evaluation_callback->PrepareForEvaluation(with_jacobian, is_new);
}

Evaluator::Result RankCollective::Evaluate(
    const double* state, bool with_jacobian,
    const std::function<Evaluator::Result(LeafSystem*, double*)>& evaluate,
    double* cost) {
  EnterPhase(parts_.workspace, SolvePhase::kEvaluate);
  LeafValues costs(parts_.leaves->size(), 0.0);
  const Fault mine = RunPart([&] {
    const AddedTime watch(&evaluation_seconds_);
    CallEvaluationCallback(state, with_jacobian);
    for (std::size_t k = 0; k < costs.size(); ++k) {
      Evaluator::Result result = evaluate((*parts_.leaves)[k].get(), &costs[k]);
      if (!result) return Fault{Fault::kRejected, std::move(result.message)};
    }
    return Fault();
  });
  double sum = 0.0;
  Fault worst =
      parts_.agreement->Settle(Phase::kEvaluation, mine, costs.data(), &sum);
  if (worst.kind != Fault::kNone) return {false, std::move(worst.message)};
  *cost = sum;
  return {};
}

Evaluator::Result RankCollective::EvaluateCost(const double* state,
                                               double* cost) {
  return Evaluate(
      state, false,
      [&](LeafSystem* leaf, double* leaf_cost) {
        return leaf->EvaluateCost(state, leaf_cost);
      },
      cost);
}

Evaluator::Result RankCollective::EvaluateJacobian(
    const double* state, bool /*new_evaluation_point*/, double* cost,
    double* gradient, double* squared_column_norms) {
  Evaluator::Result result = Evaluate(
      state, true,
      [&](LeafSystem* leaf, double* leaf_cost) {
        return leaf->EvaluateJacobian(state, leaf_cost, gradient,
                                      squared_column_norms);
      },
      cost);
  if (!result) return result;
  column_sums_.SumLocal([&](int k, double* values) {
    (*parts_.leaves)[k]->CopyRemainingSums(values);
  });
  column_sums_.Combine(Phase::kEvaluation, TreeSum::Destination::kAll,
                       sums_.data());
  const std::vector<int>& offset = parts_.columns->program().delta_offset();
  int column = parts_.columns->RemainingColumns().begin;
  for (const int number : parts_.layout->local_numbers) {
    const int size = offset[column + 1] - offset[column];
    const double* const sums =
        sums_.data() + 2 * std::int64_t{parts_.layout->block_offset[number]};
    std::copy_n(sums, size, gradient + offset[column]);
    std::copy_n(sums + size, size, squared_column_norms + offset[column]);
    ++column;
  }
  return result;
}

double RankCollective::Dot(const std::vector<int>& offset, const double* x,
                           const double* y) {
  LeafValues dots;
  for (int k = 0; k < parts_.columns->num_leaves(); ++k) {
    dots.push_back(
        parts_.columns->DotOfLeaf(parts_.execution, offset, k, x, y));
  }
  return parts_.agreement->Sum(Phase::kDecision, dots.data());
}

double RankCollective::NormOfPoint(const double* x) {
  return std::sqrt(Dot(parts_.columns->program().state_offset(), x, x));
}

double RankCollective::Distance(const double* x, const double* y,
                                double* difference) {
  Axpby(parts_.execution, parts_.columns->program().num_state(), 1.0, x, -1.0,
        y, difference);
  return NormOfPoint(difference);
}

double RankCollective::NormOfStep(const double* x) {
  return std::sqrt(DotOfSteps(x, x));
}

double RankCollective::DotOfSteps(const double* x, const double* y) {
  return Dot(parts_.columns->program().delta_offset(), x, y);
}

double RankCollective::SumOverLeaves(
    const std::function<double(LeafSystem*)>& value_of) {
  LeafValues values(parts_.leaves->size(), 0.0);
  const Fault mine = RunPart([&] {
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = value_of((*parts_.leaves)[k].get());
    }
    return Fault();
  });
  double sum = 0.0;
  (void)parts_.agreement->Settle(Phase::kDecision, mine, values.data(), &sum);
  return sum;
}

double RankCollective::DotOfProducts(const double* x, const double* y) {
  return SumOverLeaves(
      [&](LeafSystem* leaf) { return leaf->DotOfProducts(x, y); });
}

double RankCollective::NormOfProduct(const double* x) {
  return std::sqrt(DotOfProducts(x, x));
}

std::array<double, 3> RankCollective::DotsOfProducts(const double* x,
                                                     const double* y) {
  return {DotOfProducts(x, x), DotOfProducts(x, y), DotOfProducts(y, y)};
}

double RankCollective::ModelCostChange(const double* step) {
  return SumOverLeaves(
      [&](LeafSystem* leaf) { return leaf->ModelCostChange(step); });
}

double RankCollective::Largest(double value) {
  double largest = value;
  for (const double other : parts_.ranks->Gather(Phase::kDecision, value)) {
    largest = std::max(largest, other);
  }
  return largest;
}

std::optional<Termination> RankCollective::Agree(
    const std::function<std::optional<Termination>()>& local) {
  // The deadline counts once the start has been evaluated.
  stop_->LetDeadlineCount();
  std::optional<Termination> termination;
  const Fault mine = RunPart([&] {
    termination = local();
    if (!termination) stop_->Check();
    return Fault();
  });
  (void)parts_.agreement->Settle(Phase::kDecision, mine);
  const std::vector<double> severities =
      parts_.ranks->Gather(Phase::kDecision, Severity(termination));
  const auto worst = std::max_element(severities.begin(), severities.end());
  if (*worst == 0.0) return std::nullopt;
  const int rank = static_cast<int>(worst - severities.begin());
  Termination agreed = {TypeOf(*worst),
                        termination ? termination->message : ""};
  parts_.ranks->Broadcast(Phase::kDecision, rank, &agreed.message);
  const bool is_same_on_all = std::count(severities.begin(), severities.end(),
                                         *worst) == parts_.ranks->size();
  if (!is_same_on_all)
    agreed.message = Format("Rank %d: ", rank) + agreed.message;
  return agreed;
}

Termination RankCollective::DescribeStop(int iteration) {
  const int rank = parts_.agreement->stopped_rank();
  std::string message;
  if (parts_.ranks->rank() == rank) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
            .count();
    message =
        internal::DescribeStop(options_, *stop_, iteration, seconds).message;
  }
  parts_.ranks->Broadcast(Phase::kDecision, rank, &message);
  return {NO_CONVERGENCE, Format("Rank %d: ", rank) + message};
}

}  // namespace ceres::internal
