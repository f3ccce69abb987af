// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_file.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

namespace ceres::examples {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Cuts a text into tokens and tokens into numbers. After the first failure all
// further reads fail and the first message stays.
class TokenReader {
 public:
  TokenReader(std::string_view text, const std::string& name)
      : text_(text), name_(name) {}

  // An integer in [lower, upper]. `what` names it in the message.
  bool ReadInt(const char* what, int64_t lower, int64_t upper, int* value) {
    std::string_view token;
    if (!NextToken(what, &token)) return false;
    int64_t number = 0;
    const char* end = token.data() + token.size();
    const auto [stop, code] = std::from_chars(token.data(), end, number);
    if (code == std::errc::invalid_argument || stop != end) {
      return Fail(std::string("expected ") + what + ", an integer, found " +
                  Quote(token));
    }
    if (code == std::errc::result_out_of_range || number < lower ||
        number > upper) {
      return Fail(std::string("expected ") + what + " in [" +
                  std::to_string(lower) + ", " + std::to_string(upper) +
                  "], found " + Quote(token));
    }
    *value = static_cast<int>(number);
    return true;
  }

  // A finite double.
  bool ReadDouble(const char* what, double* value) {
    std::string_view token;
    if (!NextToken(what, &token)) return false;
    const char* begin = token.data();
    const char* end = begin + token.size();
    // from_chars knows no leading plus.
    if (*begin == '+' && token.size() > 1 && begin[1] != '-') ++begin;
    const auto [stop, code] = std::from_chars(begin, end, *value);
    // A number too small for a double is as good as zero; strtod rounds it so.
    if (code == std::errc::result_out_of_range) {
      *value = std::strtod(std::string(begin, end).c_str(), nullptr);
    }
    if (code == std::errc::invalid_argument || stop != end ||
        !std::isfinite(*value)) {
      return Fail(std::string("expected ") + what +
                  ", a finite number, found " + Quote(token));
    }
    return true;
  }

  bool ExpectEnd() {
    SkipSpace();
    if (position_ == text_.size()) return true;
    std::string_view token;
    if (!NextToken("the end of the file", &token)) return false;
    return Fail("expected the end of the file, found " + Quote(token));
  }

  // Fails at the token read last.
  bool Fail(const std::string& message) {
    if (error_.empty()) {
      error_ =
          name_ + ": token " + std::to_string(num_tokens_) + ": " + message;
    }
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  void SkipSpace() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  }

  bool NextToken(const char* what, std::string_view* token) {
    if (!error_.empty()) return false;
    SkipSpace();
    ++num_tokens_;
    const size_t begin = position_;
    while (position_ < text_.size() && !IsSpace(text_[position_])) ++position_;
    *token = text_.substr(begin, position_ - begin);
    if (!token->empty()) return true;
    return Fail(std::string("expected ") + what + ", but the file ends here");
  }

  // A binary file is one long token: show its beginning, printable.
  static std::string Quote(std::string_view token) {
    constexpr size_t kMaxLength = 40;
    std::string quoted = "\"";
    for (const char c : token.substr(0, kMaxLength))
      quoted += c >= ' ' && c <= '~' ? c : '?';
    return quoted + (token.size() > kMaxLength ? "...\"" : "\"");
  }

  std::string_view text_;
  const std::string& name_;
  size_t position_ = 0;
  int64_t num_tokens_ = 0;
  std::string error_;
};

// Reads the three counts and refuses those that the text cannot hold, before
// memory is reserved for them: a number takes at least two characters.
bool ReadHeader(size_t text_size, TokenReader* reader, int* num_cameras,
                int* num_points, int* num_observations) {
  constexpr int kMax = std::numeric_limits<int>::max();
  if (!reader->ReadInt("the number of cameras", 1, kMax, num_cameras) ||
      !reader->ReadInt("the number of points", 1, kMax, num_points) ||
      !reader->ReadInt("the number of observations", 1, kMax,
                       num_observations)) {
    return false;
  }
  const double num_tokens =
      3.0 + 4.0 * *num_observations + 9.0 * *num_cameras + 3.0 * *num_points;
  const double max_tokens = 0.5 * (static_cast<double>(text_size) + 1.0);
  if (num_tokens <= max_tokens) return true;
  return reader->Fail("expected " +
                      std::to_string(static_cast<int64_t>(num_tokens)) +
                      " tokens for the counts read so far (4 per observation, "
                      "9 per camera, 3 per "
                      "point), but the file has only " +
                      std::to_string(text_size) +
                      " bytes: it is truncated, or a count is wrong");
}

bool ReadBody(TokenReader* reader, int num_cameras, int num_points,
              int num_observations, BalProblem* problem) {
  problem->camera_index.resize(num_observations);
  problem->point_index.resize(num_observations);
  problem->observations.resize(2 * static_cast<size_t>(num_observations));
  for (int i = 0; i < num_observations; ++i) {
    double* pixel = &problem->observations[2 * static_cast<size_t>(i)];
    if (!reader->ReadInt("a camera index", 0, num_cameras - 1,
                         &problem->camera_index[i]) ||
        !reader->ReadInt("a point index", 0, num_points - 1,
                         &problem->point_index[i]) ||
        !reader->ReadDouble("an observed x", &pixel[0]) ||
        !reader->ReadDouble("an observed y", &pixel[1])) {
      return false;
    }
  }
  problem->cameras.resize(static_cast<size_t>(num_cameras) *
                          kAngleAxisCameraSize);
  for (double& value : problem->cameras) {
    if (!reader->ReadDouble("a camera parameter", &value)) return false;
  }
  problem->points.resize(static_cast<size_t>(num_points) * kPointSize);
  for (double& value : problem->points) {
    if (!reader->ReadDouble("a point coordinate", &value)) return false;
  }
  return reader->ExpectEnd();
}

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
  const std::string temporary =
      target.string() + ".tmp." + std::to_string(getpid());
  if (!WriteAll(contents, temporary, error)) {
    std::remove(temporary.c_str());
    return false;
  }
  if (std::rename(temporary.c_str(), target.c_str()) != 0) {
    *error =
        path + ": cannot move " + temporary + " there: " + std::strerror(errno);
    std::remove(temporary.c_str());
    return false;
  }
  return true;
}

template <typename Number>
void Append(Number number, char after, std::string* text) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  text->append(buffer, result.ptr);
  text->push_back(after);
}

void AppendVertex(const double position[3], const char* color,
                  std::string* text) {
  for (int k = 0; k < 3; ++k) Append(position[k], ' ', text);
  text->append(color);
  text->push_back('\n');
}

}  // namespace

bool ParseBal(std::string_view text, const std::string& name,
              BalProblem* problem, std::string* error) {
  TokenReader reader(text, name);
  int num_cameras = 0;
  int num_points = 0;
  int num_observations = 0;
  BalProblem parsed;
  if (!ReadHeader(text.size(), &reader, &num_cameras, &num_points,
                  &num_observations) ||
      !ReadBody(&reader, num_cameras, num_points, num_observations, &parsed)) {
    *error = reader.error();
    return false;
  }
  *problem = std::move(parsed);
  return true;
}

bool ReadBal(const std::string& path, BalProblem* problem, std::string* error) {
  std::string text;
  return ReadFile(path, &text, error) && ParseBal(text, path, problem, error);
}

bool WriteBal(const BalProblem& problem, const std::string& path,
              std::string* error) {
  if (problem.camera_size != kAngleAxisCameraSize) {
    BalProblem angle_axis = problem;
    UseAngleAxis(&angle_axis);
    return WriteBal(angle_axis, path, error);
  }
  std::string text;
  Append(problem.num_cameras(), ' ', &text);
  Append(problem.num_points(), ' ', &text);
  Append(problem.num_observations(), '\n', &text);
  for (int i = 0; i < problem.num_observations(); ++i) {
    Append(problem.camera_index[i], ' ', &text);
    Append(problem.point_index[i], ' ', &text);
    Append(problem.observations[2 * static_cast<size_t>(i)], ' ', &text);
    Append(problem.observations[2 * static_cast<size_t>(i) + 1], '\n', &text);
  }
  for (const double value : problem.cameras) Append(value, '\n', &text);
  for (const double value : problem.points) Append(value, '\n', &text);
  return WriteFile(text, path, error);
}

bool WritePly(const BalProblem& problem, const std::string& path,
              std::string* error) {
  std::string text =
      "ply\nformat ascii 1.0\nelement vertex " +
      std::to_string(static_cast<int64_t>(problem.num_cameras()) +
                     problem.num_points()) +
      "\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar "
      "blue\nend_header\n";
  for (int i = 0; i < problem.num_cameras(); ++i) {
    double center[3];
    CameraCenter(problem, i, center);
    AppendVertex(center, "0 255 0", &text);
  }
  for (int i = 0; i < problem.num_points(); ++i) {
    AppendVertex(problem.point(i), "255 255 255", &text);
  }
  return WriteFile(text, path, error);
}

}  // namespace ceres::examples
