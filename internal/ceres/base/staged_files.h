// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_STAGED_FILES_H_
#define CERES_INTERNAL_BASE_STAGED_FILES_H_

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ceres::internal {

// Files that are written whole or not at all: each under a name of its own
// beside its target, and renamed once all are complete. What was not published
// disappears with the object.
class StagedFiles {
 public:
  StagedFiles() = default;
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // Calls `write`, which need not look for errors, with the file that will be
  // `path`. False: `error` names the path and the reason.
  [[nodiscard]] bool Write(const std::string& path,
                           const std::function<void(std::FILE*)>& write,
                           std::string* error);

  // Gives all files their names, over files of the same names. False: as above;
  // the files before the one that failed have theirs.
  [[nodiscard]] bool Publish(std::string* error);

 private:
  // Temporary name, target.
  std::vector<std::pair<std::string, std::string>> staged_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_STAGED_FILES_H_
