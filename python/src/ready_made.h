// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the sources of ready-made cost functions share.

#ifndef VESTA_PYTHON_READY_MADE_H_
#define VESTA_PYTHON_READY_MADE_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch.h"
#include "ceres/autodiff_batch.h"
#include "common.h"

namespace vesta::python {

// The rows of a 2-D array with `columns` columns.
struct Rows {
  const double* data;
  int64_t count;
  int64_t columns;
  const double* operator[](int64_t row) const { return data + row * columns; }
};
inline Rows ReadRows(nb::handle array, int64_t columns,
                     const std::string& argument) {
  const DoubleArray rows = ReadableArray(array, argument);
  if (rows.row_size() != columns || rows.shape.empty()) {
    RaiseValueError(argument + ": expected an array with rows of " +
                    std::to_string(columns) + " numbers, got rows of " +
                    std::to_string(rows.row_size()) + ".");
  }
  return {rows.data, rows.num_rows(), columns};
}

// The rows of `array`, one per row of the batch, or a single one for all.
struct RowsOrOne : Rows {
  const double* operator[](int64_t row) const {
    return data + (count == 1 ? 0 : row) * columns;
  }
};
inline RowsOrOne ReadRowsOrOne(nb::handle array, int64_t columns,
                               int64_t num_rows, const std::string& argument) {
  const Rows rows = ReadRows(array, columns, argument);
  if (rows.count != 1 && rows.count != num_rows) {
    RaiseValueError(argument + ": expected 1 or " + std::to_string(num_rows) +
                    " rows, got " + std::to_string(rows.count) + ".");
  }
  return RowsOrOne{rows};
}

// kSize numbers of a row, which an AutoDiffBatch reads from its data, or which
// are the same for all rows.
template <int kSize>
class RowNumbers {
 public:
  // The numbers of all rows.
  explicit RowNumbers(const double* values) {
    std::copy_n(values, kSize, values_);
  }
  // Columns `first`, ..., first + kSize - 1 of the data.
  explicit RowNumbers(int first) : first_(first) {}

  // Number i of a row.
  template <typename D>
  D Get(const D* data, int i) const {
    return first_ < 0 ? D(values_[i]) : data[first_ + i];
  }

 private:
  double values_[kSize] = {};
  int first_ = -1;
};

// Makes the data of a batch: copies of rows of arrays, side by side.
class RowData {
 public:
  explicit RowData(int64_t num_rows) : num_rows_(num_rows) {}

  template <int kSize>
  RowNumbers<kSize> Add(const Rows& rows) {
    if (rows.count == 1) return RowNumbers<kSize>(rows.data);
    const int first = num_columns_;
    parts_.push_back(rows);
    num_columns_ += kSize;
    return RowNumbers<kSize>(first);
  }

  ceres::BatchColumns Copy() const {
    if (num_columns_ == 0) return ceres::BatchColumns(num_rows_);
    std::vector<double> values(static_cast<size_t>(num_rows_ * num_columns_));
    double* to = values.data();
    for (int64_t i = 0; i < num_rows_; ++i) {
      for (const Rows& rows : parts_) {
        to = std::copy_n(rows[i], rows.columns, to);
      }
    }
    return ceres::BatchColumns::Own(std::move(values), num_columns_);
  }

 private:
  const int64_t num_rows_;
  int num_columns_ = 0;
  std::vector<Rows> parts_;
};

// A batch of the functor, evaluated in SIMD lanes.
template <int kNumResiduals, int... kSizes, typename F>
std::shared_ptr<CostBatch> MakeBatch(const F& functor, const RowData& data) {
  auto batch = std::make_shared<CostBatch>();
  batch->rows =
      std::make_shared<ceres::AutoDiffBatch<F, kNumResiduals, kSizes...>>(
          functor, data.Copy());
  return batch;
}

// Each adds some of the functions that make batches.
void BindReprojectionCosts(nb::module_& module);
void BindRigCosts(nb::module_& module);
void BindLandmarkCosts(nb::module_& module);
void BindPoseCosts(nb::module_& module);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_READY_MADE_H_
