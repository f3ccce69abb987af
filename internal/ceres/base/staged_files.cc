// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/staged_files.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

// Other processes and other solves may write to the same target.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return Format("%s.%d-%u.tmp", path.c_str(), static_cast<int>(getpid()),
                counter.fetch_add(1));
}

std::string Reason(const char* attempt, const std::string& path, int error) {
  return Format("Cannot %s %s: %s", attempt, path.c_str(),
                std::generic_category().message(error).c_str());
}

}  // namespace

StagedFiles::~StagedFiles() {
  for (const auto& [temporary, target] : staged_) {
    std::remove(temporary.c_str());
  }
}

bool StagedFiles::Write(const std::string& path,
                        const std::function<void(std::FILE*)>& write,
                        std::string* error) {
  const std::string temporary = TemporaryName(path);
  std::FILE* file = std::fopen(temporary.c_str(), "wx");
  if (file == nullptr) {
    *error = Reason("create", path, errno);
    return false;
  }
  staged_.emplace_back(temporary, path);
  errno = 0;
  write(file);
  bool complete = std::fflush(file) == 0 && std::ferror(file) == 0;
  int reason = errno;
  // Some file systems find out at the end only.
  if (std::fclose(file) != 0 && complete) {
    complete = false;
    reason = errno;
  }
  if (!complete) *error = Reason("write", path, reason);
  return complete;
}

bool StagedFiles::Publish(std::string* error) {
  while (!staged_.empty()) {
    const auto& [temporary, target] = staged_.front();
    if (std::rename(temporary.c_str(), target.c_str()) != 0) {
      *error = Reason("write", target, errno);
      return false;
    }
    staged_.erase(staged_.begin());
  }
  return true;
}

}  // namespace ceres::internal
