// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/agreement.h"

#include <exception>

#include "ceres/base/format.h"
#include "ceres/execution/stop_signal.h"

namespace ceres::internal {

Fault RunPart(const std::function<Fault()>& part) {
  try {
    return part();
  } catch (const Stopped&) {
    return {Fault::kStopped, ""};
  } catch (const std::exception& error) {
    return {Fault::kThrown,
            Format("an exception was thrown: %s", error.what())};
  } catch (...) {
    return {Fault::kThrown,
            "an exception was thrown that is no std::exception"};
  }
}

Agreement::Agreement(RankGroup* ranks, const LeafTree& tree,
                     const std::vector<int>& local_leaves)
    : ranks_(ranks), tree_(tree), local_leaves_(local_leaves) {
  std::vector<std::int64_t> next(ranks->size() + 1, 0);
  for (int leaf = 0; leaf < tree.num_leaves(); ++leaf) {
    ++next[tree.owner(leaf) + 1];
  }
  first_ = {0};
  one_each_ = {0};
  for (int r = 0; r < ranks->size(); ++r) {
    first_.push_back(first_.back() + 1 + next[r + 1]);
    one_each_.push_back(r + 1);
  }
  std::vector<std::int64_t> place(first_.begin(), first_.end() - 1);
  for (int leaf = 0; leaf < tree.num_leaves(); ++leaf) {
    place_of_leaf_.push_back(++place[tree.owner(leaf)]);
  }
}

Fault Agreement::Settle(Phase phase, const Fault& mine,
                        const double* leaf_values, double* sum) {
  const std::size_t num_values =
      leaf_values != nullptr ? local_leaves_.size() : 0;
  std::vector<double> send = {static_cast<double>(mine.kind)};
  if (leaf_values != nullptr) {
    send.insert(send.end(), leaf_values, leaf_values + num_values);
  }
  const std::vector<std::int64_t>& first =
      leaf_values != nullptr ? first_ : one_each_;
  std::vector<double> all(first.back());
  ranks_->GatherDoubles(phase, send.data(), first, all.data());
  std::vector<double> kinds;
  for (int r = 0; r < ranks_->size(); ++r) kinds.push_back(all[first[r]]);
  Fault worst = Worst(phase, mine, kinds);
  if (worst.kind == Fault::kNone && leaf_values != nullptr) {
    std::vector<double> values;
    for (const std::int64_t place : place_of_leaf_) {
      values.push_back(all[place]);
    }
    *sum = tree_.Sum(values.data());
  }
  return worst;
}

double Agreement::Sum(Phase phase, const double* leaf_values) {
  double sum = 0.0;
  (void)Settle(phase, Fault(), leaf_values, &sum);
  return sum;
}

void Agreement::Sums(Phase phase, int num_sums, const double* leaf_values,
                     double* sums) {
  std::vector<std::int64_t> first;
  for (std::size_t r = 0; r < first_.size(); ++r) {
    // Without the kinds of faults.
    first.push_back((first_[r] - static_cast<std::int64_t>(r)) * num_sums);
  }
  std::vector<double> all(first.back());
  ranks_->GatherDoubles(phase, leaf_values, first, all.data());
  std::vector<double> values(tree_.num_leaves());
  for (int s = 0; s < num_sums; ++s) {
    for (int leaf = 0; leaf < tree_.num_leaves(); ++leaf) {
      const std::int64_t place = place_of_leaf_[leaf] - tree_.owner(leaf) - 1;
      values[leaf] = all[place * num_sums + s];
    }
    sums[s] = tree_.Sum(values.data());
  }
}

Fault Agreement::Worst(Phase phase, const Fault& mine,
                       const std::vector<double>& kinds) {
  int worst_rank = 0;
  for (int r = 1; r < ranks_->size(); ++r) {
    if (kinds[r] > kinds[worst_rank]) worst_rank = r;
  }
  Fault worst;
  worst.kind = static_cast<Fault::Kind>(static_cast<int>(kinds[worst_rank]));
  if (worst.kind == Fault::kNone) return worst;
  worst.message = mine.message;
  ranks_->Broadcast(phase, worst_rank, &worst.message);
  worst.message = Format("Rank %d: ", worst_rank) + worst.message;
  if (worst.kind == Fault::kStopped) {
    stopped_rank_ = worst_rank;
    throw Stopped{};
  }
  if (worst.kind == Fault::kThrown) throw RankFailure{worst.message};
  return worst;
}

}  // namespace ceres::internal
