// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// One line of a .g2o file: a tag that says what it is, then ids and numbers.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_G2O_RECORD_H_
#define VESTA_EXAMPLES_SLAM_COMMON_G2O_RECORD_H_

#include <string>
#include <string_view>

#include "Eigen/Cholesky"
#include "Eigen/Core"

namespace ceres::examples {

// Hands out the fields of a line from left to right. Functions return false on
// failure; after the first one all further reads fail, and error() says which
// file, which line, what was expected and what was found.
class G2oRecord {
 public:
  // Refers to its arguments. `name` is the file's, for messages; lines count
  // from 1.
  G2oRecord(std::string_view line, int line_number, const std::string& name);

  // The first field; empty for a blank line.
  std::string_view tag() const { return tag_; }

  // The id of a pose: an integer in [0, 2^31). `what` names it in messages.
  [[nodiscard]] bool ReadId(const char* what, int* id);

  // Finite numbers.
  [[nodiscard]] bool ReadNumber(const char* what, double* value);
  [[nodiscard]] bool ReadNumbers(const char* what, int count, double* values);

  // The upper triangle of a symmetric positive definite matrix, by rows.
  template <int kSize>
  [[nodiscard]] bool ReadInformation(
      Eigen::Matrix<double, kSize, kSize>* information) {
    for (int row = 0; row < kSize; ++row) {
      for (int col = row; col < kSize; ++col) {
        if (!ReadNumber("an entry of the information matrix",
                        &(*information)(row, col))) {
          return false;
        }
        (*information)(col, row) = (*information)(row, col);
      }
    }
    // Anything else is the inverse of no covariance, and the error of the edge
    // no sum of squares.
    if (information->llt().info() == Eigen::Success) return true;
    return Fail(
        "expected a positive definite information matrix, found one that has "
        "no Cholesky factor");
  }

  [[nodiscard]] bool ExpectEnd();

  // Records a failure that the caller found. Returns false.
  bool Fail(const std::string& message);

  const std::string& error() const { return error_; }

 private:
  std::string_view NextToken();
  bool Expected(const std::string& what, std::string_view found);

  std::string_view rest_;
  int line_number_;
  const std::string& name_;
  std::string_view tag_;
  std::string error_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_G2O_RECORD_H_
