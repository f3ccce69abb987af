// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "shared_data.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace ceres::internal {
namespace {

// Returns what a command writes to stdout, or nothing if it fails.
std::optional<std::string> CommandOutput(const std::string& command) {
#if defined(__unix__) || defined(__APPLE__)
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  char buffer[1 << 16];
  while (const std::size_t count =
             std::fread(buffer, 1, sizeof(buffer), pipe)) {
    output.append(buffer, count);
  }
  if (pclose(pipe) != 0) return std::nullopt;
  return output;
#else
  static_cast<void>(command);
  return std::nullopt;
#endif
}

}  // namespace

std::filesystem::path SharedDataFolder() {
  if (const char* shared = std::getenv("VESTA_SHARED"); shared != nullptr) {
    return std::filesystem::path(shared) / "data";
  }
  return std::filesystem::path(VESTA_SOURCE_DIR) / ".." / "shared" / "data";
}

std::optional<std::string> ReadSharedData(const std::string& name) {
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
