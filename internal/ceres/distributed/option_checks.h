// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_OPTION_CHECKS_H_
#define CERES_INTERNAL_DISTRIBUTED_OPTION_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/rank_group.h"

namespace ceres::internal {

// Whether the options work over ranks. Otherwise `error` names the option. Not
// collective.
[[nodiscard]] bool CheckOptions(const distributed::Options& options,
                                std::string* error);

// An option that must be the same on all ranks, and a hash of its value.
struct OptionHash {
  const char* name;
  std::uint64_t hash;
};
std::vector<OptionHash> HashOptions(const distributed::Options& options);

// The first exchange of a call: all ranks learn whether one has an error, and
// whether they all make the same call. operation: the name of the function.
// my_error: empty if this rank can go on. Returns an empty string or, on all
// ranks, the same message. Collective.
std::string CompareCalls(RankGroup* ranks, const char* operation,
                         const std::vector<OptionHash>& options,
                         const std::string& my_error);

// Returns an empty string, or the error of the first rank that has one, which
// the message names. Collective.
std::string FirstError(RankGroup* ranks, const std::string& my_error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_OPTION_CHECKS_H_
