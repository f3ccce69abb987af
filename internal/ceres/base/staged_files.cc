// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/staged_files.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "ceres/base/format.h"
#include "ceres/base/platform.h"

namespace ceres::internal {
namespace {

// Other processes and other solves may write to the same target.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return Format("%s.%d-%u.tmp", path.c_str(), platform::ProcessId(),
                counter.fetch_add(1));
}

std::string Reason(const char* attempt, const std::string& path,
                   const std::error_code& error) {
  return Format("Cannot %s %s: %s", attempt, path.c_str(),
                error.message().c_str());
}

std::string Reason(const char* attempt, const std::string& path, int error) {
  return Reason(attempt, path, std::error_code(error, std::generic_category()));
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
  std::FILE* file = platform::CreateNewFile(temporary);
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
    // Replaces the target, also where std::rename would refuse.
    std::error_code code;
    std::filesystem::rename(temporary, target, code);
    if (code) {
      *error = Reason("write", target, code);
      return false;
    }
    staged_.erase(staged_.begin());
  }
  return true;
}

}  // namespace ceres::internal
