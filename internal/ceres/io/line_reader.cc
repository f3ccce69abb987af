// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/line_reader.h"

#include <cmath>

#include "Eigen/Core"
#include "ceres/io/text_file.h"

namespace ceres::internal {

bool LineReader::NextLine() {
  if (!error_.empty() || position_ >= text_.size()) return false;
  ++line_;
  std::size_t end = position_;
  while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r') ++end;
  content_ = text_.substr(position_, end - position_);
  const bool is_pair =
      end + 1 < text_.size() && text_[end] == '\r' && text_[end + 1] == '\n';
  position_ = end + (is_pair ? 2 : 1);

  tokens_.clear();
  next_ = 0;
  for (std::size_t i = 0; i < content_.size();) {
    if (io::IsSpace(content_[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < content_.size() && !io::IsSpace(content_[i]) &&
           !(content_[i] == '#' && comments_ == Comments::kAnywhere)) {
      ++i;
    }
    if (content_[begin] == '#' &&
        (comments_ == Comments::kAnywhere || tokens_.empty())) {
      content_ = content_.substr(0, begin);
      break;
    }
    tokens_.push_back(content_.substr(begin, i - begin));
  }
  return true;
}

std::string_view LineReader::RestOfLine() const {
  if (next_ == tokens_.size()) return {};
  const char* begin = tokens_[next_].data();
  const char* end = tokens_.back().data() + tokens_.back().size();
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view LineReader::NextToken() {
  return next_ < tokens_.size() ? tokens_[next_++] : std::string_view();
}

std::size_t LineReader::NextPosition() const {
  return next_ < tokens_.size() ? tokens_[next_].data() - text_.data()
                                : text_.size();
}

std::size_t LineReader::LastEnd() const {
  return next_ == 0 ? 0
                    : tokens_[next_ - 1].data() + tokens_[next_ - 1].size() -
                          text_.data();
}

bool LineReader::ReadId(const char* what, std::uint64_t* id) {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  if (io::ParseId(token, id)) return true;
  return Expected(std::string(what) + ", an integer in [0, 2^64)", token);
}

bool LineReader::ReadInteger(const char* what, std::int64_t lower,
                             std::int64_t upper, std::int64_t* value) {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  if (io::ParseInteger(token, value) && *value >= lower && *value <= upper) {
    return true;
  }
  return Expected(std::string(what) + ", an integer in [" +
                      std::to_string(lower) + ", " + std::to_string(upper) +
                      "]",
                  token);
}

bool LineReader::ReadNumbers(const char* what, int count, double* values) {
  if (!error_.empty()) return false;
  for (int i = 0; i < count; ++i) {
    const std::string_view token = NextToken();
    if (!io::ParseFiniteDouble(token, &values[i])) {
      return Expected(std::string(what) + ", a finite number", token);
    }
  }
  return true;
}

bool LineReader::ReadQuaternion(double* quaternion) {
  // Shorter ones are zero, or a mistake.
  constexpr double kSmallest = 1e-3;
  if (!ReadNumbers("a number of a quaternion", 4, quaternion)) return false;
  Eigen::Map<Eigen::Vector4d> q(quaternion);
  const double length = q.norm();
  if (!(length >= kSmallest) || !std::isfinite(length)) {
    return Fail("expected a quaternion, found one of length " +
                std::to_string(length));
  }
  q.normalize();
  return true;
}

bool LineReader::ExpectEnd() {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  return token.empty() || Expected("the end of the line", token);
}

bool LineReader::FailInLine(int line, const std::string& message) {
  if (error_.empty()) {
    error_ = name_ + ":" + std::to_string(line) + ": " + message;
  }
  return false;
}

bool LineReader::Expected(const std::string& what, std::string_view found) {
  return Fail("expected " + what +
              (found.empty() ? ", but the line ends"
                             : ", found " + io::QuoteToken(found)));
}

}  // namespace ceres::internal
