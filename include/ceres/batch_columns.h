// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_BATCH_COLUMNS_H_
#define CERES_PUBLIC_BATCH_COLUMNS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/internal/check.h"

namespace ceres {

// The data of a batch of residual blocks: a table with a row for each residual
// block, for example its measurement.
//
// The table is either the user's memory, which must stay as it is while the
// batch is in use, or memory that is moved in. Copies share it. Thread safety:
// immutable.
class BatchColumns {
 public:
  // A table without columns, for functors that use no data.
  explicit BatchColumns(std::int64_t num_rows) : num_rows_(num_rows) {}

  // The user's memory: row i is values[i * num_columns], ..., values[i *
  // num_columns + num_columns - 1].
  BatchColumns(const double* values, std::int64_t num_rows, int num_columns)
      : num_rows_(num_rows), num_columns_(num_columns), values_(values) {
    internal::CheckThat(num_rows >= 0 && num_columns >= 0,
                        "BatchColumns: a size is negative.");
    internal::CheckThat(values != nullptr || num_rows == 0 || num_columns == 0,
                        "BatchColumns: the pointer to the values is null.");
  }

  // The user's memory, one array of num_rows numbers for each column.
  BatchColumns(std::vector<const double*> columns, std::int64_t num_rows)
      : num_rows_(num_rows),
        num_columns_(static_cast<int>(columns.size())),
        columns_(std::move(columns)) {
    for (int i = 0; i < num_columns_; ++i) {
      internal::CheckThat(columns_[i] != nullptr || num_rows == 0,
                          "BatchColumns: column ", i, " is null.");
    }
  }

  // Takes over the rows, which stand one after the other.
  static BatchColumns Own(std::vector<double> rows, int num_columns) {
    const auto size = static_cast<std::int64_t>(rows.size());
    internal::CheckThat(num_columns >= 1 && size % num_columns == 0,
                        "BatchColumns: ", static_cast<long long>(size),
                        " numbers are no rows of ", num_columns, ".");
    auto owned = std::make_shared<const std::vector<double>>(std::move(rows));
    BatchColumns result(owned->data(), size / num_columns, num_columns);
    result.owned_ = std::move(owned);
    return result;
  }

  // The number of rows.
  std::int64_t num_rows() const { return num_rows_; }
  // The number of columns.
  int num_columns() const { return num_columns_; }

  // Whether the numbers of a row stand one after the other.
  bool is_row_major() const { return columns_.empty(); }
  // The first number of a row. Needs is_row_major().
  const double* row(std::int64_t row) const {
    return values_ + row * num_columns_;
  }
  // The number in a row and a column.
  double at(std::int64_t row, int column) const {
    return is_row_major() ? this->row(row)[column] : columns_[column][row];
  }
  // The arrays of the columns. Empty if is_row_major().
  const std::vector<const double*>& columns() const { return columns_; }

 private:
  std::int64_t num_rows_ = 0;
  int num_columns_ = 0;
  const double* values_ = nullptr;
  std::vector<const double*> columns_;
  std::shared_ptr<const std::vector<double>> owned_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_BATCH_COLUMNS_H_
