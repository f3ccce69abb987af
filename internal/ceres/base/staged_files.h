// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_STAGED_FILES_H_
#define CERES_INTERNAL_BASE_STAGED_FILES_H_

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/export.h"

namespace ceres::internal {

// Writes several files, all or none. Each file is written under a temporary
// name in the directory of its target, and renamed when all are complete. The
// destructor removes files that were not published. Not thread-safe.
class CERES_PARALLEL_EXPORT StagedFiles {
 public:
  StagedFiles() = default;
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // Calls `write` with the temporary file for `path`. `write` need not check
  // for errors. On failure returns false, and `error` names the path and the
  // reason.
  [[nodiscard]] bool Write(const std::string& path,
                           const std::function<void(std::FILE*)>& write,
                           std::string* error);

  // Renames all files to their targets, replacing existing files. On failure
  // returns false, and `error` names the path and the reason; files that were
  // renamed before the failure remain.
  [[nodiscard]] bool Publish(std::string* error);

 private:
  // Pairs of temporary name and target.
  std::vector<std::pair<std::string, std::string>> staged_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_STAGED_FILES_H_
