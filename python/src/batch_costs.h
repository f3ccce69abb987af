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

// The storage of rows that also know the points near the current one, where
// constraints ask for derivatives. Row i has the parameter blocks points(i).
std::unique_ptr<CostStorage> MakeMovableRows(
    std::shared_ptr<PythonBatch> batch,
    std::function<std::vector<double*>(int64_t)> points);

// A batch of rows of one residual that depend on single numbers, row i on
// starts[i + 1] - starts[i] ones; see PythonBatch.
std::shared_ptr<CostBatch> MakeSparseBatch(nanobind::object evaluate,
                                           std::vector<int64_t> starts);

// A batch whose rows the compiled function at `address` computes, without the
// GIL, from several threads at once. `data` has one row per residual block.
std::shared_ptr<CostBatch> MakeCompiledBatch(
    uintptr_t address, int num_residuals, std::vector<int> sizes,
    nanobind::object data, bool has_jacobian, nanobind::object alive);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_BATCH_COSTS_H_
