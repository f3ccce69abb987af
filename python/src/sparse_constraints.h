// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_SPARSE_CONSTRAINTS_H_
#define VESTA_PYTHON_SPARSE_CONSTRAINTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "batch.h"

namespace vesta::python {

// The cost functions of the rows of a sparse batch (MakeSparseBatch) that also
// know the points near the current one, where constraints ask for derivatives.
// Row i has the numbers points(i), of the array `values`, which has `size`
// ones.
//
// There, derivatives are right to first order in the distance. For this,
// evaluate.second_derivatives() returns a pair of arrays: where the entries of
// each row begin, and the entries, a square row-major matrix of the second
// derivatives of each row. Without entries, they are zero. It is called once
// for a point, by a thread without the GIL.
RowMaker MovableSparseRows(
    std::shared_ptr<PythonBatch> batch, const double* values, int64_t size,
    std::function<void(int64_t, std::vector<double*>*)> points);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_SPARSE_CONSTRAINTS_H_
