// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_RANK_CHECKPOINTS_H_
#define CERES_INTERNAL_DISTRIBUTED_RANK_CHECKPOINTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ceres/distributed/checkpoint_file.h"
#include "ceres/distributed/rank_problem.h"
#include "ceres/minimizer/checkpoints.h"

namespace ceres::internal {

// The checkpoints of a distributed solve. Files, for Options::checkpoint_path =
// PATH:
//
// clang-format off
//     PATH                 manifest, of rank 0: which of the two sets is complete
//     PATH.R-of-N.a, .b    the slice of rank R, of two sets
// clang-format on
//
// Sets are written in turns: first all slices of the set that the manifest does
// not name, then, when all ranks have written, the manifest. A job that dies at
// any time leaves a manifest that names a complete set, or no manifest.
//
// A slice has hashes of the structure and of the start values of its rank's
// problem. The manifest has the options.
class RankCheckpoints final : public Checkpoints {
 public:
  // problem: after PrepareLeaves; must outlive this. Its parameters have their
  // start values.
  explicit RankCheckpoints(RankProblem* problem);

  // Reads the set that the manifest names, if there is one. Returns an empty
  // string, or the error, on all ranks. Collective.
  std::string Read();

  StateArchive* saved() override { return saved_ ? &*saved_ : nullptr; }
  // The iteration of what Read found, or -1.
  int saved_iteration() const {
    return saved_ ? static_cast<int>(last_iteration_) : -1;
  }
  std::optional<Termination> AfterIteration(
      int iteration,
      const std::function<void(StateArchive*)>& transfer) override;

 private:
  std::string ReadManifest();
  std::string ReadSlice();
  std::string SlicePath(int set) const;
  std::string CompareOptions(StateArchive* manifest) const;
  std::vector<std::uint64_t> OptionValues() const;
  // Writes a set. Returns an empty string, or the error. Collective.
  std::string Write(const std::vector<char>& state, std::int64_t iteration);

  RankProblem& problem_;
  CheckpointLabel label_;  // of this rank
  std::optional<StateArchive> saved_;
  std::int64_t last_iteration_ = -1;  // of the newest set
  int set_ = 1;                       // that the manifest names
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_RANK_CHECKPOINTS_H_
