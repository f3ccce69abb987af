// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "text_file.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <system_error>

namespace ceres::examples {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool WriteAll(const std::string& contents, const std::string& path,
              std::string* error) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    *error = path + ": cannot open it for writing: " + std::strerror(errno);
    return false;
  }
  bool written =
      std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  const int write_errno = errno;
  // A full disk may show only when buffers are flushed.
  const bool closed = std::fclose(file) == 0;
  if (written && closed) return true;
  *error = path +
           ": cannot write it: " + std::strerror(written ? errno : write_errno);
  return false;
}

}  // namespace

bool ReadFile(const std::string& path, std::string* contents,
              std::string* error) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) {
    *error = path + ": cannot open it for reading: " + std::strerror(errno);
    return false;
  }
  // Pipes have no size, so the buffer grows as data comes.
  size_t size = 0;
  contents->resize(1 << 20);
  while (true) {
    const size_t count =
        std::fread(&(*contents)[size], 1, contents->size() - size, file.get());
    size += count;
    if (count == 0) break;
    if (size == contents->size()) contents->resize(2 * size);
  }
  if (std::ferror(file.get()) != 0) {
    *error = path + ": cannot read it: " + std::strerror(errno);
    return false;
  }
  contents->resize(size);
  return true;
}

bool WriteFile(const std::string& contents, const std::string& path,
               std::string* error) {
  namespace fs = std::filesystem;
  std::error_code code;
  // Devices and pipes are written in place; a link keeps pointing to the file.
  if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
    return WriteAll(contents, path, error);
  }
  fs::path target = fs::weakly_canonical(path, code);
  if (code) target = path;
  // Another process may write the same file.
  const std::string temporary =
      target.string() + ".tmp." + std::to_string(std::random_device()());
  if (!WriteAll(contents, temporary, error)) {
    std::remove(temporary.c_str());
    return false;
  }
  fs::rename(temporary, target, code);
  if (code) {
    *error = path + ": cannot move " + temporary + " there: " + code.message();
    std::remove(temporary.c_str());
    return false;
  }
  return true;
}

bool ParseInteger(std::string_view token, int64_t* value) {
  const char* end = token.data() + token.size();
  const auto [stop, code] = std::from_chars(token.data(), end, *value);
  if (code == std::errc::invalid_argument || stop != end) return false;
  if (code == std::errc::result_out_of_range) {
    *value = token.front() == '-' ? std::numeric_limits<int64_t>::min()
                                  : std::numeric_limits<int64_t>::max();
  }
  return true;
}

bool ParseFiniteDouble(std::string_view token, double* value) {
  const char* begin = token.data();
  const char* end = begin + token.size();
  // from_chars knows no leading plus.
  if (token.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
  const auto [stop, code] = std::from_chars(begin, end, *value);
  // A number too small for a double is as good as zero; strtod rounds it so.
  if (code == std::errc::result_out_of_range) {
    *value = std::strtod(std::string(begin, end).c_str(), nullptr);
  }
  return code != std::errc::invalid_argument && stop == end &&
         std::isfinite(*value);
}

std::string QuoteToken(std::string_view token) {
  constexpr size_t kMaxLength = 40;
  std::string quoted = "\"";
  for (const char c : token.substr(0, kMaxLength))
    quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (token.size() > kMaxLength ? "...\"" : "\"");
}

}  // namespace ceres::examples
