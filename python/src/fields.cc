// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "fields.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace vesta::python {

void RaiseFieldError(const std::string& field, const std::string& expected,
                     nb::handle value) {
  RaiseTypeError(field + ": expected " + expected + ", got " +
                 nb::repr(value).c_str() + ".");
}

bool ToBool(nb::handle value, const std::string& field) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  // numpy.bool_ is no bool.
  if (TypeName(value).find("numpy.bool") != std::string::npos) {
    return PyObject_IsTrue(value.ptr()) == 1;
  }
  RaiseFieldError(field, "a bool", value);
}

int ToInt(nb::handle value, const std::string& field) {
  if (PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    const Py_ssize_t number = PyNumber_AsSsize_t(value.ptr(), nullptr);
    if (PyErr_Occurred()) throw nb::python_error();
    if (number >= std::numeric_limits<int>::min() &&
        number <= std::numeric_limits<int>::max()) {
      return static_cast<int>(number);
    }
    RaiseFieldError(field, "an int of 32 bits", value);
  }
  RaiseFieldError(field, "an int", value);
}

double ToDouble(nb::handle value, const std::string& field) {
  if (PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr()) ||
      PyObject_HasAttrString(value.ptr(), "__float__")) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!PyErr_Occurred()) return number;
    PyErr_Clear();
  }
  RaiseFieldError(field, "a float", value);
}

bool EqualsIgnoringCase(const std::string& a, const char* b) {
  const std::string other = b;
  return std::equal(a.begin(), a.end(), other.begin(), other.end(),
                    [](unsigned char x, unsigned char y) {
                      return std::tolower(x) == std::tolower(y);
                    });
}

}  // namespace vesta::python
