// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/text_file.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

#include "ceres/base/huge_pages.h"
#include "ceres/base/number.h"
#include "ceres/base/staged_files.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool WriteInPlace(const std::string& contents, const std::string& path,
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
  // The byte after the size of the file is for the read that finds the end.
  // Pipes have no size, and files may grow: then the buffer grows as data
  // comes.
  std::error_code code;
  const std::uintmax_t file_size = fs::file_size(path, code);
  const size_t first_size =
      code ? size_t{1} << 20 : static_cast<size_t>(file_size) + 1;
  *contents = std::string();
  contents->reserve(first_size);
  internal::PreferHugePages(contents->data(), first_size);
  contents->resize(first_size);
  size_t size = 0;
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
  return WriteFiles({{path, contents}}, error);
}

bool WriteFiles(const std::vector<std::pair<std::string, std::string>>& files,
                std::string* error) {
  internal::StagedFiles staged;
  for (const auto& [path, contents] : files) {
    std::error_code code;
    // Devices and pipes are written in place.
    if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
      if (!WriteInPlace(contents, path, error)) return false;
      continue;
    }
    // A link keeps pointing to the file.
    fs::path target = fs::weakly_canonical(path, code);
    if (code) target = path;
    const auto write = [&text = contents](std::FILE* file) {
      std::fwrite(text.data(), 1, text.size(), file);
    };
    if (!staged.Write(target.string(), write, error)) return false;
  }
  return staged.Publish(error);
}

bool StartText(const std::string& name, std::string_view* text,
               std::string* error) {
  struct Magic {
    std::string_view bytes;
    const char* what;
  };
  using namespace std::string_view_literals;  // NOLINT
  // UTF-32 before UTF-16, whose mark its own begins with. Text without a mark
  // begins with a character of ASCII, of which each has a zero byte.
  static constexpr Magic kRefused[] = {
      {"\xff\xfe\0\0"sv, "UTF-32 text"}, {"\0\0\xfe\xff"sv, "UTF-32 text"},
      {"\xff\xfe"sv, "UTF-16 text"},     {"\xfe\xff"sv, "UTF-16 text"},
      {"\x1f\x8b"sv, "a gzip file"},     {"BZh"sv, "a bzip2 file"},
      {"\xfd\x37zXZ\0"sv, "an xz file"}, {"\x28\xb5\x2f\xfd"sv, "a zstd file"},
      {"PK\x03\x04"sv, "a zip file"}};
  const char* found = nullptr;
  for (const Magic& magic : kRefused) {
    if (found == nullptr &&
        text->substr(0, magic.bytes.size()) == magic.bytes) {
      found = magic.what;
    }
  }
  if (found == nullptr && text->size() >= 2 &&
      ((*text)[0] == '\0') != ((*text)[1] == '\0')) {
    found = "UTF-16 text";
  }
  if (found != nullptr) {
    *error = name + ":1: expected plain text in UTF-8 or ASCII, found " +
             found + ": convert or decompress it first";
    return false;
  }
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text->substr(0, kMark.size()) == kMark) {
    text->remove_prefix(kMark.size());
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

bool ParseId(std::string_view token, uint64_t* value) {
  const char* end = token.data() + token.size();
  const auto [stop, code] = std::from_chars(token.data(), end, *value);
  return code == std::errc() && stop == end;
}

bool ParseFiniteDouble(std::string_view token, double* value) {
  // ReadDouble knows no leading plus.
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') {
    token.remove_prefix(1);
  }
  return internal::ReadDouble(token, value);
}

std::string QuoteToken(std::string_view token) {
  constexpr size_t kMaxLength = 40;
  std::string quoted = "\"";
  for (const char c : token.substr(0, kMaxLength))
    quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (token.size() > kMaxLength ? "...\"" : "\"");
}

}  // namespace ceres::io
