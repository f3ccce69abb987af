// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/rank_checkpoints.h"

#include <cstring>
#include <filesystem>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/distributed/hashing.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// Options that a job may change when it is started again.
bool MayChange(const char* option) {
  for (const char* const name :
       {"max_num_iterations", "max_solver_time_in_seconds",
        "communication_timeout_in_seconds", "checkpoint_path",
        "checkpoint_period"}) {
    if (std::strcmp(option, name) == 0) return true;
  }
  return false;
}

std::uint64_t HashOfStructure(const RankProblem& problem) {
  Hash hash;
  const SharedLayout& layout = problem.layout();
  hash.AddValue(layout.tree.num_leaves()).AddValue(layout.size());
  for (const int number : layout.local_numbers) {
    hash.AddValue(number).AddValue(layout.home_leaf[number]);
  }
  for (const LocalLeaf& leaf : problem.local_leaves()) {
    hash.AddValue(leaf.number).AddValue(leaf.residual_blocks.size());
    for (const ResidualBlock* row : leaf.residual_blocks) {
      hash.AddValue(row->num_residuals());
      for (int a = 0; a < row->num_parameter_blocks(); ++a) {
        const ParameterBlock& block = *row->parameter_blocks()[a];
        hash.AddValue(block.index()).AddValue(block.tangent_size());
        hash.AddValue(block.IsConstant());
      }
    }
  }
  return hash.value();
}

std::uint64_t HashOfStart(const ProblemImpl& problem) {
  Hash hash;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    hash.Add(block->user_state(), block->size() * sizeof(double));
  }
  return hash.value();
}

}  // namespace

RankCheckpoints::RankCheckpoints(RankProblem* problem) : problem_(*problem) {
  label_.rank = problem->ranks().rank();
  label_.num_ranks = problem->ranks().size();
  label_.structure = HashOfStructure(*problem);
  label_.start = HashOfStart(problem->problem());
}

std::string RankCheckpoints::SlicePath(int set) const {
  return Format("%s.%d-of-%d.%c", problem_.options().checkpoint_path.c_str(),
                label_.rank, label_.num_ranks, set == 0 ? 'a' : 'b');
}

// The hashes of the options that must not change.
std::vector<std::uint64_t> RankCheckpoints::OptionValues() const {
  std::vector<std::uint64_t> values;
  for (const OptionHash& option : HashOptions(problem_.options())) {
    values.push_back(MayChange(option.name) ? 0 : option.hash);
  }
  return values;
}

std::string RankCheckpoints::CompareOptions(StateArchive* manifest) const {
  std::vector<std::uint64_t> stored;
  manifest->List(&stored);
  const std::vector<std::uint64_t> mine = OptionValues();
  const std::vector<OptionHash> options = HashOptions(problem_.options());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (i < stored.size() && stored[i] == mine[i]) continue;
    return Format(
        "The checkpoint %s was written with another Options::%s. Set it to the "
        "same value, or remove the checkpoint.",
        problem_.options().checkpoint_path.c_str(), options[i].name);
  }
  return "";
}

// On the root.
std::string RankCheckpoints::ReadManifest() {
  const std::string& path = problem_.options().checkpoint_path;
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return "";
  CheckpointLabel label;
  std::vector<char> contents;
  std::string error = ReadCheckpointFile(path, &label, &contents);
  if (!error.empty()) return error;
  StateArchive manifest(std::move(contents));
  error = CompareOptions(&manifest);
  if (!error.empty()) return error;
  manifest.Value(&set_);
  if (label.rank != CheckpointLabel::kManifest || !manifest.is_complete()) {
    return Format(
        "%s is a slice of a checkpoint, not its manifest. Set checkpoint_path "
        "to the path that the job had.",
        path.c_str());
  }
  if (label.num_ranks != label_.num_ranks) {
    return Format(
        "The checkpoint %s was written by %s, and this job has %d. Use "
        "as many, or remove the checkpoint.",
        path.c_str(), CountOf(label.num_ranks, "rank").c_str(),
        label_.num_ranks);
  }
  last_iteration_ = label.iteration;
  return "";
}

std::string RankCheckpoints::ReadSlice() {
  const std::string path = SlicePath(set_);
  CheckpointLabel label;
  std::vector<char> contents;
  std::string error = ReadCheckpointFile(path, &label, &contents);
  if (!error.empty()) return error;
  const char* difference = nullptr;
  if (label.rank != label_.rank || label.num_ranks != label_.num_ranks) {
    difference = "is of another rank";
  } else if (label.iteration != last_iteration_) {
    difference = "is of another iteration than its manifest";
  } else if (label.structure != label_.structure) {
    difference =
        "is of another problem: residual blocks, leaves or shared blocks "
        "differ";
  } else if (label.start != label_.start) {
    difference =
        "is of another problem: the start values of its parameters differ";
  }
  if (difference != nullptr) {
    return Format("The checkpoint %s %s. Remove it, or use another path.",
                  path.c_str(), difference);
  }
  saved_.emplace(std::move(contents));
  return "";
}

std::string RankCheckpoints::Read() {
  RankGroup& ranks = problem_.ranks();
  std::string error = ranks.is_root() ? ReadManifest() : "";
  error = FirstError(&ranks, error);
  if (!error.empty()) return error;
  double place[] = {static_cast<double>(last_iteration_),
                    static_cast<double>(set_)};
  ranks.Broadcast(Phase::kSetup, RankGroup::kRoot, 2, place);
  last_iteration_ = static_cast<std::int64_t>(place[0]);
  set_ = static_cast<int>(place[1]);
  if (last_iteration_ < 0) return "";
  return FirstError(&ranks, ReadSlice());
}

std::string RankCheckpoints::Write(const std::vector<char>& state,
                                   std::int64_t iteration) {
  RankGroup& ranks = problem_.ranks();
  CheckpointLabel label = label_;
  label.iteration = iteration;
  const int set = 1 - set_;
  std::string error =
      FirstError(&ranks, WriteCheckpointFile(SlicePath(set), label, state));
  if (!error.empty()) return error;
  if (ranks.is_root()) {
    label.rank = CheckpointLabel::kManifest;
    StateArchive manifest;
    std::vector<std::uint64_t> options = OptionValues();
    manifest.List(&options);
    int value = set;
    manifest.Value(&value);
    error = WriteCheckpointFile(problem_.options().checkpoint_path, label,
                                manifest.bytes());
  }
  error = FirstError(&ranks, error);
  if (error.empty()) set_ = set;
  return error;
}

std::optional<Termination> RankCheckpoints::AfterIteration(
    int iteration, const std::function<void(StateArchive*)>& transfer) {
  const bool is_first = last_iteration_ < 0;
  if (!is_first &&
      iteration < last_iteration_ + problem_.options().checkpoint_period) {
    return std::nullopt;
  }
  StateArchive archive;
  transfer(&archive);
  std::string error = Write(archive.bytes(), iteration);
  if (!error.empty() && is_first) {
    return Termination{FAILURE, "No checkpoint can be written. " + error};
  }
  if (!error.empty() && problem_.ranks().is_root()) {
    VESTA_LOG(kWarning) << "The checkpoint of iteration " << iteration
                        << " was not written; the solve goes on, and the "
                           "checkpoint of iteration "
                        << last_iteration_ << " stays. " << error;
  }
  if (error.empty()) last_iteration_ = iteration;
  return std::nullopt;
}

}  // namespace ceres::internal
