// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the sources of readers and writers share. Arrays are bytes in the order
// of the machine, which vesta/io.py turns into NumPy arrays.

#ifndef VESTA_PYTHON_FILE_FORMATS_H_
#define VESTA_PYTHON_FILE_FORMATS_H_

#include <nanobind/nanobind.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/io/pose_graph.h"
#include "common.h"

namespace vesta::python {

template <typename T>
nb::bytes ToBytes(const std::vector<T>& values) {
  return nb::bytes(values.data(), values.size() * sizeof(T));
}

// Appends the numbers of an array.
template <typename T, typename Array>
void Append(const Array& from, std::vector<T>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

template <typename T>
std::vector<T> FromBytes(const nb::bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

inline std::string_view View(const nb::bytes& bytes) {
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] inline void RaiseOSError(const std::string& message) {
  PyErr_SetString(PyExc_OSError, message.c_str());
  throw nb::python_error();
}

void BindColmap(nb::module_& module);

// A pose graph as vesta/io.py passes it.
ceres::io::PoseGraph GraphFromDict(const nb::dict& dict);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_FILE_FORMATS_H_
