// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the sources of ready-made cost functions share.

#ifndef VESTA_PYTHON_READY_MADE_H_
#define VESTA_PYTHON_READY_MADE_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <string>
#include <utility>

#include "batch.h"
#include "ceres/batch_columns.h"
#include "common.h"

namespace vesta::python {

// A copy of the rows of a 2-D array with `columns` columns.
ceres::BatchColumns CopyRows(nb::handle array, int64_t columns,
                             const std::string& argument);

// The same for num_rows rows, or one row that all of them share.
ceres::BatchColumns CopyRowsOrOne(nb::handle array, int64_t columns,
                                  int64_t num_rows,
                                  const std::string& argument);

// A CostBatch of Rows(arguments...).
template <typename Rows, typename... Arguments>
std::shared_ptr<CostBatch> MakeBatch(Arguments&&... arguments) {
  auto batch = std::make_shared<CostBatch>();
  batch->rows = std::make_shared<Rows>(std::forward<Arguments>(arguments)...);
  return batch;
}

// Each adds some of the functions that make batches.
void BindReprojectionCosts(nb::module_& module);
void BindLandmarkCosts(nb::module_& module);
void BindPoseCosts(nb::module_& module);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_READY_MADE_H_
