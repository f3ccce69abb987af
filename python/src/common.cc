// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "common.h"

#include <cstring>
#include <memory>

#include "python_text.h"

namespace vesta::python {
namespace {

// A buffer of a Python object, released at the end.
class Buffer {
 public:
  Buffer(nb::handle object, const std::string& argument, const char* expected) {
    if (PyObject_GetBuffer(object.ptr(), &view_,
                           PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
      PyErr_Clear();
      RaiseTypeError(argument + ": expected " + expected + ", got " +
                     TypeName(object) + ".");
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  const Py_buffer& view() const { return view_; }

  // Returns whether the items are of the type with one of these format codes
  // in native byte order.
  bool HasFormat(const char* codes, int itemsize) const {
    const char* format = view_.format == nullptr ? "B" : view_.format;
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    return std::strlen(format) == 1 && std::strchr(codes, *format) != nullptr &&
           view_.itemsize == itemsize;
  }

  bool IsContiguous() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }

 private:
  Py_buffer view_;
};

std::string ShapeText(const Py_ssize_t* shape, int ndim) {
  std::string text = "(";
  for (int i = 0; i < ndim; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (ndim == 1 ? ",)" : ")");
}

const char kDoubles[] = "a NumPy array of float64";

DoubleArray ContiguousDoubles(nb::handle object, const std::string& argument,
                              bool writable) {
  const Buffer buffer(object, argument, kDoubles);
  const Py_buffer& view = buffer.view();
  if (!buffer.HasFormat("d", sizeof(double))) {
    RaiseTypeError(argument +
                   ": expected an array of float64, got items of "
                   "format '" +
                   (view.format ? view.format : "B") +
                   "'. Convert it with numpy.asarray(..., dtype=float) and "
                   "keep the result.");
  }
  if (writable && view.readonly) {
    RaiseValueError(argument +
                    ": the array is read-only. The solver writes "
                    "parameters in place; pass a copy that can be written.");
  }
  if (!buffer.IsContiguous()) {
    RaiseValueError(argument +
                    ": expected a C-contiguous array, got strides "
                    "that are not (shape " +
                    ShapeText(view.shape, view.ndim) +
                    "). Pass numpy.ascontiguousarray(...) and keep it.");
  }
  if (reinterpret_cast<uintptr_t>(view.buf) % alignof(double) != 0) {
    RaiseValueError(argument + ": the array is not aligned for float64.");
  }
  DoubleArray array;
  array.data = static_cast<double*>(view.buf);
  array.size = view.len / static_cast<int64_t>(sizeof(double));
  array.shape.assign(view.shape, view.shape + view.ndim);
  return array;
}

}  // namespace

void RaiseTypeError(const std::string& message) {
  throw nb::type_error(PythonText(message).c_str());
}

void RaiseValueError(const std::string& message) {
  throw nb::value_error(PythonText(message).c_str());
}

void RaiseRuntimeError(const std::string& message) {
  PyErr_SetString(PyExc_RuntimeError, PythonText(message).c_str());
  throw nb::python_error();
}

std::string TypeName(nb::handle object) {
  return nb::type_name(
             nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))))
      .c_str();
}

int64_t DoubleArray::RowSize() const {
  int64_t product = 1;
  for (size_t i = 1; i < shape.size(); ++i) product *= shape[i];
  return product;
}

DoubleArray WritableArray(nb::handle object, const std::string& argument) {
  return ContiguousDoubles(object, argument, true);
}

DoubleArray ReadableArray(nb::handle object, const std::string& argument) {
  return ContiguousDoubles(object, argument, false);
}

IndexArray ReadableIndices(nb::handle object, const std::string& argument) {
  const Buffer buffer(object, argument, "a NumPy array of int64");
  if (!buffer.HasFormat("lq", sizeof(int64_t)) || !buffer.IsContiguous() ||
      buffer.view().ndim != 1) {
    RaiseTypeError(argument +
                   ": expected a contiguous array of int64 with "
                   "one dimension.");
  }
  return {static_cast<const int64_t*>(buffer.view().buf),
          buffer.view().shape[0]};
}

StridedArray ReadableStrided(nb::handle object,
                             const std::vector<int64_t>& shape,
                             const std::string& argument) {
  const Buffer buffer(object, argument, kDoubles);
  const Py_buffer& view = buffer.view();
  const std::vector<Py_ssize_t> expected(shape.begin(), shape.end());
  const int ndim = static_cast<int>(shape.size());
  if (!buffer.HasFormat("d", sizeof(double)) || view.ndim != ndim ||
      !std::equal(expected.begin(), expected.end(), view.shape)) {
    RaiseValueError(argument + ": expected float64 of shape " +
                    ShapeText(expected.data(), ndim) + ", got format '" +
                    (view.format ? view.format : "B") + "' of shape " +
                    ShapeText(view.shape, view.ndim) + ".");
  }
  StridedArray array;
  array.data = static_cast<const char*>(view.buf);
  for (int i = 0; i < ndim; ++i) array.strides[i] = view.strides[i];
  return array;
}

nb::object NewArray(const std::vector<int64_t>& shape, double** data) {
  nb::list dimensions;
  for (const int64_t n : shape) dimensions.append(n);
  nb::object array =
      nb::module_::import_("numpy").attr("empty")(nb::tuple(dimensions));
  *data = ContiguousDoubles(array, "a new array", true).data;
  return array;
}

}  // namespace vesta::python
