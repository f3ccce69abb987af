// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "nist_data.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "ceres/io/text_file.h"

namespace ceres::examples {
namespace {

constexpr std::string_view kSumLabel = "Residual Sum of Squares:";
constexpr std::string_view kDataLabel = "Data:";

bool StartsWith(std::string_view line, std::string_view label) {
  return line.substr(0, label.size()) == label;
}

std::vector<std::string_view> Tokens(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (size_t begin = 0; begin < line.size();) {
    if (io::IsSpace(line[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < line.size() && !io::IsSpace(line[end])) ++end;
    tokens.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return tokens;
}

// Reads a file line by line.
class NistParser {
 public:
  NistParser(std::string_view text, const std::string& name)
      : text_(text), name_(name) {}

  bool Parse() {
    for (std::string_view line; NextLine(&line);) {
      if (!(in_data_ ? ParseRow(line) : ParseHeaderLine(line))) return false;
    }
    if (data_.certified.empty()) {
      return Fail(
          "expected starting values, \"b1 = ...\", before the file ends");
    }
    if (!have_sum_) {
      return Fail("expected \"" + std::string(kSumLabel) +
                  "\" before the file ends");
    }
    if (data_.rows.empty()) {
      return Fail(
          "expected observations, after \"Data: y x\", before the file "
          "ends");
    }
    return true;
  }

  NistData* data() { return &data_; }
  const std::string& error() const { return error_; }

 private:
  bool NextLine(std::string_view* line) {
    if (text_.empty()) return false;
    const size_t end = std::min(text_.find('\n'), text_.size());
    *line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_number_;
    return true;
  }

  bool ParseHeaderLine(std::string_view line) {
    const std::vector<std::string_view> tokens = Tokens(line);
    if (tokens.size() >= 2 && tokens[0][0] == 'b' && tokens[1] == "=") {
      return ParseStart(tokens);
    }
    if (StartsWith(line, kSumLabel)) {
      have_sum_ = true;
      const std::vector<std::string_view> rest =
          Tokens(line.substr(kSumLabel.size()));
      return rest.size() == 1
                 ? ParseNumber(rest[0], &data_.certified_sum_of_squares)
                 : Fail("expected one number after \"" +
                        std::string(kSumLabel) + "\"");
    }
    // The first "Data:" tells what the columns are, the last one starts them.
    in_data_ = StartsWith(line, kDataLabel) &&
               line.find("Response") == std::string_view::npos;
    if (in_data_) num_columns_ = tokens.size() - 1;
    return !in_data_ || num_columns_ >= 2 ||
           Fail("expected the names of two columns or more after \"Data:\"");
  }

  // "bN = start1 start2 certified deviation".
  bool ParseStart(const std::vector<std::string_view>& tokens) {
    const std::string label = "b" + std::to_string(data_.certified.size() + 1);
    if (tokens[0] != label || tokens.size() != 6) {
      return Fail("expected \"" + label +
                  " = start1 start2 certified deviation\"");
    }
    double values[4];
    for (int i = 0; i < 4; ++i) {
      if (!ParseNumber(tokens[2 + i], &values[i])) return false;
    }
    data_.starts[0].push_back(values[0]);
    data_.starts[1].push_back(values[1]);
    data_.certified.push_back(values[2]);
    return true;
  }

  bool ParseRow(std::string_view line) {
    const std::vector<std::string_view> tokens = Tokens(line);
    if (tokens.empty()) return true;
    if (tokens.size() != num_columns_) {
      return Fail("expected " + std::to_string(num_columns_) +
                  " numbers, as many as \"Data:\" names columns, found " +
                  std::to_string(tokens.size()));
    }
    std::vector<double> row(num_columns_);
    for (size_t i = 0; i < num_columns_; ++i) {
      if (!ParseNumber(tokens[i], &row[i])) return false;
    }
    data_.rows.push_back(std::move(row));
    return true;
  }

  bool ParseNumber(std::string_view token, double* value) {
    return io::ParseFiniteDouble(token, value) ||
           Fail("expected a finite number, found " + io::QuoteToken(token));
  }

  bool Fail(const std::string& message) {
    error_ = name_ + ": line " + std::to_string(line_number_) + ": " + message;
    return false;
  }

  std::string_view text_;
  const std::string& name_;
  int line_number_ = 0;
  bool in_data_ = false;
  bool have_sum_ = false;
  size_t num_columns_ = 0;
  NistData data_;
  std::string error_;
};

}  // namespace

bool ParseNist(std::string_view text, const std::string& name, NistData* data,
               std::string* error) {
  NistParser parser(text, name);
  if (!parser.Parse()) {
    *error = parser.error();
    return false;
  }
  *data = std::move(*parser.data());
  return true;
}

bool ReadNist(const std::string& folder, const std::string& name,
              NistData* data, std::string* error) {
  const std::string path = folder + "/" + name + ".dat";
  std::string text;
  if (!io::ReadFile(path, &text, error) ||
      !ParseNist(text, path, data, error)) {
    return false;
  }
  // The file says 1.20196866396E-0, which contradicts its own sum of squares;
  // the same digits with the point one place further left agree with it.
  if (name == "Roszman1") data->certified[0] = 2.0196866396e-1;
  return true;
}

double MatchingDigits(double value, double certified) {
  constexpr double kMaxDigits = 11.0;
  if (value == certified) return kMaxDigits;
  const double error = std::abs(value - certified) / std::abs(certified);
  return std::isfinite(error) ? std::min(kMaxDigits, -std::log10(error)) : 0.0;
}

double MatchingDigits(const std::vector<double>& values,
                      const std::vector<double>& certified) {
  double digits = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < certified.size(); ++i) {
    digits = std::min(digits, MatchingDigits(values[i], certified[i]));
  }
  return digits;
}

}  // namespace ceres::examples
