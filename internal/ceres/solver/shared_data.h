// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests only: finds the published data sets that lie beside the checkout,
// never in it. A test that needs one is skipped where the folder is absent.

#ifndef CERES_INTERNAL_SOLVER_SHARED_DATA_H_
#define CERES_INTERNAL_SOLVER_SHARED_DATA_H_

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace ceres::internal {

// The folder "data" of the environment variable VESTA_SHARED or else of
// ../shared, as seen from the source folder that the build names.
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

// What a command writes; nothing if it fails.
inline std::optional<std::string> CommandOutput(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    output.append(buffer, count);
  }
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
}

// The contents of a data set such as "bal/problem-16-22106-pre.txt", which may
// lie there with the suffix .xz and is then decompressed by xz. Nothing where
// the file or xz is missing.
inline std::optional<std::string> ReadSharedData(const std::string& name) {
  const std::filesystem::path path = SharedDataFolder() / name;
  std::error_code code;
  if (std::filesystem::is_regular_file(path, code)) {
    return CommandOutput("cat '" + path.string() + "'");
  }
  const std::string compressed = path.string() + ".xz";
  if (std::filesystem::is_regular_file(compressed, code)) {
    return CommandOutput("xz -dc '" + compressed + "'");
  }
  return std::nullopt;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_SHARED_DATA_H_
