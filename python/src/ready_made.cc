// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ready_made.h"

#include <vector>

namespace vesta::python {

using ceres::BatchColumns;

BatchColumns CopyRows(nb::handle array, int64_t columns,
                      const std::string& argument) {
  const DoubleArray rows = ReadableArray(array, argument);
  if (rows.row_size() != columns || rows.shape.empty()) {
    RaiseValueError(argument + ": expected an array with rows of " +
                    std::to_string(columns) + " numbers, got rows of " +
                    std::to_string(rows.row_size()) + ".");
  }
  if (columns == 0) RaiseValueError(argument + ": the rows are empty.");
  return BatchColumns::Own(
      std::vector<double>(rows.data, rows.data + rows.size),
      static_cast<int>(columns));
}

BatchColumns CopyRowsOrOne(nb::handle array, int64_t columns, int64_t num_rows,
                           const std::string& argument) {
  BatchColumns rows = CopyRows(array, columns, argument);
  if (rows.num_rows() == num_rows) return rows;
  if (rows.num_rows() != 1) {
    RaiseValueError(argument + ": expected 1 or " + std::to_string(num_rows) +
                    " rows, got " + std::to_string(rows.num_rows()) + ".");
  }
  const double* const row = rows.Row(0, nullptr);
  return BatchColumns::Shared(std::vector<double>(row, row + columns),
                              num_rows);
}

void BindReadyMadeCosts(nb::module_& module) {
  BindReprojectionCosts(module);
  BindLandmarkCosts(module);
  BindPoseCosts(module);
}

}  // namespace vesta::python
