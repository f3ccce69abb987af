// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_BATCH_COLUMNS_H_
#define CERES_PUBLIC_BATCH_COLUMNS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/internal/check.h"

namespace ceres {

// The data of a batch of residual blocks: a row of numbers for each residual
// block, for example its measurement. Columns come from one or more tables,
// which stand side by side:
//
//   // u, v, sigma: pixels in the user's memory, and one sigma for all rows.
//   BatchColumns::Join({BatchColumns(pixels, num_rows, 2),
//                       BatchColumns::Shared({0.5}, num_rows)});
//
// A table is either the user's memory, which must stay as it is while the batch
// is in use, or memory that is moved in. Copies share it. Thread safety:
// immutable.
class BatchColumns {
 public:
  // Number c of row i is values[i * stride + c].
  struct Table {
    // Number 0 of row 0.
    const double* values;
    // From a row to the next one. Zero: all rows share the numbers.
    std::int64_t stride;
    // The numbers of a row.
    int num_columns;
  };

  // No columns, for functors that use no data.
  explicit BatchColumns(std::int64_t num_rows) : num_rows_(num_rows) {}

  // The user's memory: row i is values[i * num_columns], ..., values[i *
  // num_columns + num_columns - 1].
  BatchColumns(const double* values, std::int64_t num_rows, int num_columns)
      : BatchColumns(values, num_rows, num_columns, num_columns) {}

  // The same with rows that begin `stride` numbers after one another, as in a
  // wider table or in an array of structs of doubles.
  BatchColumns(const double* values, std::int64_t num_rows, int num_columns,
               std::int64_t stride)
      : num_rows_(num_rows), num_columns_(num_columns) {
    internal::CheckThat(num_rows >= 0 && num_columns >= 0,
                        "BatchColumns: a size is negative.");
    internal::CheckThat(values != nullptr || num_rows == 0 || num_columns == 0,
                        "BatchColumns: the pointer to the values is null.");
    tables_.push_back({values, stride, num_columns});
  }

  // The user's memory, one array of num_rows numbers for each column.
  BatchColumns(const std::vector<const double*>& columns, std::int64_t num_rows)
      : num_rows_(num_rows), num_columns_(static_cast<int>(columns.size())) {
    for (int i = 0; i < num_columns_; ++i) {
      internal::CheckThat(columns[i] != nullptr || num_rows == 0,
                          "BatchColumns: column ", i, " is null.");
      tables_.push_back({columns[i], 1, 1});
    }
  }

  // Takes over the rows, which stand one after the other.
  static BatchColumns Own(std::vector<double> rows, int num_columns) {
    const auto size = static_cast<std::int64_t>(rows.size());
    internal::CheckThat(num_columns >= 1 && size % num_columns == 0,
                        "BatchColumns: ", static_cast<long long>(size),
                        " numbers are no rows of ", num_columns, ".");
    return Own(std::move(rows), size / num_columns, num_columns, num_columns);
  }

  // One row of numbers that all num_rows rows share. They take the time of
  // constants of the functor.
  static BatchColumns Shared(std::vector<double> numbers,
                             std::int64_t num_rows) {
    const auto num_columns = static_cast<int>(numbers.size());
    return Own(std::move(numbers), num_rows, num_columns, 0);
  }

  // The columns of all parts, from left to right. The parts have the same
  // number of rows.
  static BatchColumns Join(const std::vector<BatchColumns>& parts) {
    internal::CheckThat(!parts.empty(), "BatchColumns: nothing to join.");
    BatchColumns result(parts[0].num_rows());
    for (const BatchColumns& part : parts) {
      internal::CheckThat(
          part.num_rows() == result.num_rows(), "BatchColumns: parts of ",
          static_cast<long long>(result.num_rows()), " and ",
          static_cast<long long>(part.num_rows()), " rows cannot be joined.");
      result.num_columns_ += part.num_columns_;
      result.tables_.insert(result.tables_.end(), part.tables_.begin(),
                            part.tables_.end());
      result.owned_.insert(result.owned_.end(), part.owned_.begin(),
                           part.owned_.end());
    }
    return result;
  }

  // The number of rows.
  std::int64_t num_rows() const { return num_rows_; }
  // The number of columns.
  int num_columns() const { return num_columns_; }
  // The tables that the columns come from, from left to right.
  const std::vector<Table>& tables() const { return tables_; }

  // The columns of all tables whose numbers differ by row.
  BatchColumns WithoutShared() const {
    BatchColumns result = *this;
    result.tables_.clear();
    result.num_columns_ = 0;
    for (const Table& table : tables_) {
      if (table.stride == 0) continue;
      result.tables_.push_back(table);
      result.num_columns_ += table.num_columns;
    }
    return result;
  }

  // The numbers of a row: where they are if they stand one after the other.
  // Otherwise they are copied to `copy`, which has room for num_columns().
  const double* Row(std::int64_t row, double* copy) const {
    if (tables_.size() == 1) return tables_[0].values + row * tables_[0].stride;
    double* to = copy;
    for (const Table& table : tables_) {
      to =
          std::copy_n(table.values + row * table.stride, table.num_columns, to);
    }
    return copy;
  }

 private:
  static BatchColumns Own(std::vector<double> values, std::int64_t num_rows,
                          int num_columns, std::int64_t stride) {
    auto owned = std::make_shared<const std::vector<double>>(std::move(values));
    BatchColumns result(owned->data(), num_rows, num_columns, stride);
    result.owned_.push_back(std::move(owned));
    return result;
  }

  std::int64_t num_rows_ = 0;
  int num_columns_ = 0;
  std::vector<Table> tables_;
  std::vector<std::shared_ptr<const std::vector<double>>> owned_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_BATCH_COLUMNS_H_
