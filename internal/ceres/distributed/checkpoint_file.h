// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_CHECKPOINT_FILE_H_
#define CERES_INTERNAL_DISTRIBUTED_CHECKPOINT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ceres::internal {

// What a checkpoint file says about itself.
struct CheckpointLabel {
  static constexpr int kManifest = -1;
  std::int32_t rank = kManifest;  // of a slice
  std::int32_t num_ranks = 0;
  std::int64_t iteration = 0;
  std::uint64_t structure = 0;  // a hash of the problem of the rank
  std::uint64_t start = 0;      // a hash of its start values
};

// A checkpoint is a set of files: one slice for each rank, and a manifest,
// which names the slices that belong together (rank_checkpoints.h). A file is
//
//     magic, version, label, size of the contents, checksum, contents
//
// in the bytes of the machine. The checksum covers the label and the contents.

// Writes the file under a temporary name, waits until the disk has it, and
// renames it: after a crash the file is the old one or the new one. Returns an
// empty string, or the error with the path.
std::string WriteCheckpointFile(const std::string& path,
                                const CheckpointLabel& label,
                                const std::vector<char>& contents);

// Returns an empty string, or the error with the path: the file cannot be read,
// is no checkpoint, is of another version, or is damaged.
std::string ReadCheckpointFile(const std::string& path, CheckpointLabel* label,
                               std::vector<char>* contents);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_CHECKPOINT_FILE_H_
