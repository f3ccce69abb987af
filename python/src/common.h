// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the sources of the extension module share: errors, arrays, and the
// functions that add classes to the module.

#ifndef VESTA_PYTHON_COMMON_H_
#define VESTA_PYTHON_COMMON_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vesta::python {

namespace nb = nanobind;

// Raise a Python exception. The message says which argument is wrong and what
// is expected.
[[noreturn]] void RaiseTypeError(const std::string& message);
[[noreturn]] void RaiseValueError(const std::string& message);
[[noreturn]] void RaiseRuntimeError(const std::string& message);

// The name of the type of an object, for messages.
std::string TypeName(nb::handle object);

// The memory of an array of doubles, C-contiguous, of any number of dimensions.
struct DoubleArray {
  double* data = nullptr;
  int64_t size = 0;
  std::vector<int64_t> shape;

  // The length of a row: the product of all dimensions but the first.
  int64_t row_size() const { return shape.empty() ? 1 : RowSize(); }
  int64_t num_rows() const { return shape.empty() ? 1 : shape[0]; }

 private:
  int64_t RowSize() const;
};

// The memory of `object`, which is written in place. Raises an exception that
// names `argument` unless the object is a writable, C-contiguous array of
// float64.
DoubleArray WritableArray(nb::handle object, const std::string& argument);

// As WritableArray, and read-only memory is allowed.
DoubleArray ReadableArray(nb::handle object, const std::string& argument);

// A contiguous array of int64, read only.
struct IndexArray {
  const int64_t* data = nullptr;
  int64_t size = 0;
};
IndexArray ReadableIndices(nb::handle object, const std::string& argument);

// An array of float64 with strides in bytes, of the expected shape, read only.
struct StridedArray {
  const char* data = nullptr;
  int64_t strides[3] = {0, 0, 0};
};
StridedArray ReadableStrided(nb::handle object,
                             const std::vector<int64_t>& shape,
                             const std::string& argument);

// numpy.empty(shape) of float64, and its memory.
nb::object NewArray(const std::vector<int64_t>& shape, double** data);

// Sends the messages that the library has logged to the logger "vesta".
void FlushLog();

// Each adds one group of classes and functions to the module.
void BindEnums(nb::module_& module);
void BindOptions(nb::module_& module);
void BindSummary(nb::module_& module);
void BindLosses(nb::module_& module);
void BindManifolds(nb::module_& module);
void BindCostFunctions(nb::module_& module);
void BindReadyMadeCosts(nb::module_& module);
void BindProblem(nb::module_& module);
void BindConstraints(nb::module_& module);
void BindSolve(nb::module_& module);
void BindCovariance(nb::module_& module);
void BindDiagnosis(nb::module_& module);
void BindFileFormats(nb::module_& module);
void BindPoseGraphs(nb::module_& module);
void BindDuals(nb::module_& module);
void BindFits(nb::module_& module);
void BindManyFits(nb::module_& module);
void BindRunning(nb::module_& module);
void BindLogging(nb::module_& module);
void BindRuntime(nb::module_& module);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_COMMON_H_
