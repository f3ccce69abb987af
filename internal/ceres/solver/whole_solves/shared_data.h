// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests: reads the published data sets, which are in a folder beside the
// checkout. A test that needs a data set is skipped if the folder is absent.

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SHARED_DATA_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SHARED_DATA_H_

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "ceres/base/platform.h"

namespace ceres::internal {

// Returns the folder "data" of the folder that the environment variable
// VESTA_SHARED names; if it is not set, of ../shared beside the source folder
// of the build.
inline std::filesystem::path SharedDataFolder() {
  if (const char* shared = std::getenv("VESTA_SHARED"); shared != nullptr) {
    return std::filesystem::path(shared) / "data";
  }
#if defined(VESTA_SHARED_DIR)
  return std::filesystem::path(VESTA_SHARED_DIR) / "data";
#elif defined(VESTA_SOURCE_DIR)
  return std::filesystem::path(VESTA_SOURCE_DIR) / ".." / "shared" / "data";
#else
  return std::filesystem::path("..") / "shared" / "data";
#endif
}

// Returns what a command writes to stdout, or nothing if it fails.
inline std::optional<std::string> CommandOutput(const std::string& command) {
#if defined(CERES_SYSTEM_POSIX)
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    output.append(buffer, count);
  }
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
#else
  static_cast<void>(command);
  return std::nullopt;
#endif
}

// Returns the contents of a data set, for example
// "bal/problem-16-22106-pre.txt". If there is a file with the suffix .xz
// instead, decompresses it by the program xz. Returns nothing if the file or xz
// is missing.
inline std::optional<std::string> ReadSharedData(const std::string& name) {
  const std::filesystem::path path = SharedDataFolder() / name;
  std::error_code code;
  if (std::filesystem::is_regular_file(path, code)) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  const std::string compressed = path.string() + ".xz";
  if (std::filesystem::is_regular_file(compressed, code)) {
    return CommandOutput("xz -dc '" + compressed + "'");
  }
  return std::nullopt;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SHARED_DATA_H_
