// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_AGREEMENT_H_
#define CERES_INTERNAL_DISTRIBUTED_AGREEMENT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ceres/distributed/leaf_tree.h"
#include "ceres/distributed/rank_group.h"

namespace ceres::internal {

// Why a rank cannot complete a part of the computation. A larger kind takes
// precedence over a smaller one of another rank.
struct Fault {
  enum Kind {
    kNone,
    kRejected,  // the evaluation or the elimination failed
    kStopped,   // the stop signal of the rank is set: it threw Stopped
    kThrown,    // user code or an allocation threw
  };
  Kind kind = kNone;
  std::string message;
};

// What all ranks throw if one has the fault kThrown.
struct RankFailure {
  std::string message;
};

// Calls `part` and returns its fault. An exception becomes a fault.
Fault RunPart(const std::function<Fault()>& part);

// Lets all ranks go on in the same way after each has computed its part. Every
// function but the constructor is collective.
class Agreement {
 public:
  // `ranks` and `tree` must outlive this.
  Agreement(RankGroup* ranks, const LeafTree& tree,
            const std::vector<int>& local_leaves);

  // The worst fault of all ranks; its message names the rank. Throws Stopped or
  // RankFailure on all ranks if the kind is kStopped or kThrown.
  Fault Settle(Phase phase, const Fault& mine) {
    return Settle(phase, mine, nullptr, nullptr);
  }
  // Also sums one value of each local leaf over all leaves. The sum is not
  // written if the fault is not kNone.
  Fault Settle(Phase phase, const Fault& mine, const double* leaf_values,
               double* sum);
  double Sum(Phase phase, const double* leaf_values);
  // Sums `num_sums` values of each local leaf at once: value s of local leaf k
  // is leaf_values[k * num_sums + s].
  void Sums(Phase phase, int num_sums, const double* leaf_values, double* sums);

  // The first rank that reported kStopped, -1: none.
  int stopped_rank() const { return stopped_rank_; }

 private:
  Fault Worst(Phase phase, const Fault& mine, const std::vector<double>& kinds);

  RankGroup* const ranks_;
  const LeafTree& tree_;
  const std::vector<int> local_leaves_;
  // By rank, +1: the start of its values if each sends a kind, then the values
  // of its leaves; and the place of each leaf.
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> place_of_leaf_;
  std::vector<std::int64_t> one_each_;
  int stopped_rank_ = -1;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_AGREEMENT_H_
