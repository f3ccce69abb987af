// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Arrays with derivatives, the values of vesta.autodiff.
//
// Functions of a few samples cost what Python does between NumPy's loops.
// Arithmetic and elementwise functions are therefore computed here, without
// arrays of NumPy in between. What rearranges or reduces arrays is Python.

#ifndef VESTA_PYTHON_DUAL_H_
#define VESTA_PYTHON_DUAL_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common.h"

namespace vesta::python {

// A view of doubles, and what keeps their memory alive.
struct DoubleView {
  static constexpr int kMaxDimensions = 9;

  const double* data = nullptr;
  int ndim = 0;
  int64_t shape[kMaxDimensions] = {};
  int64_t strides[kMaxDimensions] = {};  // in items
  std::shared_ptr<const void> memory;

  int64_t size() const;
  // An array of NumPy that shares the memory.
  nb::object ToArray() const;
};

// Reads an array of float64 of any strides. False: it is something else.
bool ViewOf(nb::handle array, DoubleView* view);

// Uninitialized memory, which may be that of arrays that are gone.
std::shared_ptr<double> NewDoubles(int64_t count);
// Releases the memory of arrays that are gone, but for 8 MiB. Called when the
// last solve ends.
void ReleaseFreeBlocks();

using DualColumns = std::vector<int64_t>;

// An array of values with, for each variable c that it may depend on, the
// derivatives d value / d x_c.
struct Dual {
  DoubleView value;
  DoubleView derivative;  // one more dimension, the first: the columns
  std::shared_ptr<const DualColumns> columns;  // ascending
  // Many of the derivatives are zero: Python selects again after indexing.
  bool is_sparse = false;
  // >= 0: the last axis of `value` is the variables from this one on.
  // Derivatives are not stored; `_all` of the Python class computes them.
  int64_t first_variable = -1;
  nb::object value_array;  // the array of `value`, once Python has asked for it
  nb::object derivative_array;
};

// The dual number of an object, or none.
const Dual* DualOf(nb::handle object);
// A new DualArray of Python.
nb::object NewDual(Dual dual);
// The DualArray of an object; derivatives are stored.
nb::object ToDual(nb::handle object);
// The vector of all variables.
nb::object VectorOfVariables(nb::handle values);
// One dual number for each variable, in order.
nb::list ScalarVariables(const double* values, int64_t count);
// Writes d dual / d x_c for the variables 0 <= c < num_columns, by columns: the
// entry of item i of the array in C order is at c * size + i.
void CopyDerivatives(const Dual& dual, int64_t num_columns, double* to);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_DUAL_H_
