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
#include "ceres/autodiff_cost_function.h"
#include "common.h"

namespace vesta::python {

// A functor beside its cost function: one piece of memory instead of two.
template <typename F, int kNumResiduals, int... kSizes>
struct HeldAutoDiffCost {
  explicit HeldAutoDiffCost(const F& f)
      : functor(f), cost(&functor, ceres::DO_NOT_TAKE_OWNERSHIP) {}
  F functor;
  ceres::AutoDiffCostFunction<F, kNumResiduals, kSizes...> cost;
};

// A batch of the functor F with num_rows rows. `functor(row)` makes the functor
// of a row. `alive` is the object that functors refer to.
template <typename F, int kNumResiduals, int... kSizes, typename Make>
std::shared_ptr<CostBatch> MakeBatch(int64_t num_rows, nb::object alive,
                                     Make functor) {
  auto batch = std::make_shared<CostBatch>();
  batch->num_rows = num_rows;
  batch->num_residuals = kNumResiduals;
  batch->sizes = {kSizes...};
  batch->alive = std::move(alive);
  using Held = HeldAutoDiffCost<F, kNumResiduals, kSizes...>;
  batch->new_storage = StorageMaker<Held>(
      [functor](int64_t row, std::deque<Held>* rows) -> ceres::CostFunction& {
        return rows->emplace_back(functor(row)).cost;
      });
  return batch;
}

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

// Each adds some of the functions that make batches.
void BindReprojectionCosts(nb::module_& module);
void BindRigCosts(nb::module_& module);
void BindLandmarkCosts(nb::module_& module);
void BindPoseCosts(nb::module_& module);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_READY_MADE_H_
