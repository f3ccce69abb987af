// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_BATCH_COSTS_H_
#define VESTA_PYTHON_BATCH_COSTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "batch.h"

namespace vesta::python {

// A batch that the Python function `evaluate` computes; see PythonBatch.
std::shared_ptr<CostBatch> MakePythonBatch(nanobind::object evaluate,
                                           int64_t num_rows, int num_residuals,
                                           std::vector<int> sizes);

// A batch whose rows the compiled function at `address` computes, without the
// GIL, from several threads at once. `data` has one row per residual block.
std::shared_ptr<CostBatch> MakeCompiledBatch(
    uintptr_t address, int num_residuals, std::vector<int> sizes,
    nanobind::object data, bool has_jacobian, nanobind::object alive);

// For Problem::AddResidualBatch: the same rows, which others use, too.
std::unique_ptr<ceres::ResidualBatch> ShareRows(
    std::shared_ptr<const ceres::ResidualBatch> rows);

// A row as a cost function.
std::unique_ptr<ceres::CostFunction> SingleRow(
    std::shared_ptr<const ceres::ResidualBatch> rows, int64_t row);

// Rows as cost functions of constraints. Those of Python also know the points
// near the current one, where derivatives of constraints are asked for. Row i
// has the parameter blocks points(i).
RowMaker ConstraintRows(const CostBatch& costs,
                        std::function<std::vector<double*>(int64_t)> points);

// Rows of one residual that depend on single numbers, row i on starts[i + 1] -
// starts[i] ones; see PythonBatch. `starts` is an array of indices.
std::shared_ptr<PythonBatch> MakeSparseBatch(nanobind::object evaluate,
                                             nanobind::handle starts);
RowMaker SparseRows(std::shared_ptr<PythonBatch> sparse);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_BATCH_COSTS_H_
