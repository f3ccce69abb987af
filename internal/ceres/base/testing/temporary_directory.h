// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_TEMPORARY_DIRECTORY_H_
#define CERES_INTERNAL_BASE_TESTING_TEMPORARY_DIRECTORY_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ceres/base/platform.h"
#include "gtest/gtest.h"

namespace ceres::internal {

// For tests: an empty directory for the running test. The destructor removes
// it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() { std::filesystem::create_directories(path_); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string path() const { return path_.string(); }
  std::string File(const std::string& name) const {
    return (path_ / name).string();
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  int CountFiles() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  const std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("vesta_test_") + std::to_string(platform::ProcessId()) +
       "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_TESTING_TEMPORARY_DIRECTORY_H_
