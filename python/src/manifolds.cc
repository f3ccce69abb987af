// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "ceres/line_manifold.h"
#include "ceres/manifold.h"
#include "ceres/sphere_manifold.h"
#include "common.h"

namespace vesta::python {
namespace {

using ceres::Manifold;

// A manifold that Python defines: a subclass with ambient_size, tangent_size,
// plus, plus_jacobian, minus and minus_jacobian.
class PythonManifold : public Manifold {
 public:
  NB_TRAMPOLINE(Manifold, 6);

  int AmbientSize() const override { return Size("ambient_size"); }
  int TangentSize() const override { return Size("tangent_size"); }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return Call("plus", {{x, AmbientSize()}, {delta, TangentSize()}},
                {AmbientSize()}, x_plus_delta);
  }
  bool PlusJacobian(const double* x, double* jacobian) const override {
    return Call("plus_jacobian", {{x, AmbientSize()}},
                {AmbientSize(), TangentSize()}, jacobian);
  }
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    return Call("minus", {{y, AmbientSize()}, {x, AmbientSize()}},
                {TangentSize()}, y_minus_x);
  }
  bool MinusJacobian(const double* x, double* jacobian) const override {
    return Call("minus_jacobian", {{x, AmbientSize()}},
                {TangentSize(), AmbientSize()}, jacobian);
  }

 private:
  struct Vector {
    const double* data;
    int size;
  };

  nb::object Self() const {
    return nb::find(static_cast<const Manifold*>(this));
  }

  int Size(const char* method) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<int>(Self().attr(method)());
  }

  // Calls a method with copies of the arguments and copies the result, which
  // None stands for if the function cannot be computed.
  bool Call(const char* method, const std::vector<Vector>& arguments,
            const std::vector<int64_t>& shape, double* result) const {
    const nb::gil_scoped_acquire gil;
    nb::list arrays;
    for (const Vector& argument : arguments) {
      double* data;
      arrays.append(NewArray({argument.size}, &data));
      std::copy_n(argument.data, argument.size, data);
    }
    const nb::object value = Self().attr(method)(*nb::tuple(arrays));
    if (value.is_none()) return false;
    const nb::object array = nb::module_::import_("numpy").attr(
        "ascontiguousarray")(value, nb::arg("dtype") = "float64");
    const DoubleArray doubles = ReadableArray(array, method);
    const int64_t expected = std::accumulate(
        shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
    if (doubles.size != expected) {
      RaiseValueError(std::string("Manifold.") + method + ": expected " +
                      std::to_string(expected) + " numbers, got " +
                      std::to_string(doubles.size) + ".");
    }
    std::copy_n(doubles.data, expected, result);
    return true;
  }
};

// The product of manifolds whose sizes are known at run time.
class RuntimeProductManifold final : public Manifold {
 public:
  explicit RuntimeProductManifold(std::vector<const Manifold*> factors)
      : factors_(std::move(factors)) {
    for (const Manifold* factor : factors_) {
      ambient_size_ += factor->AmbientSize();
      tangent_size_ += factor->TangentSize();
    }
  }

  int AmbientSize() const override { return ambient_size_; }
  int TangentSize() const override { return tangent_size_; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    for (const Manifold* factor : factors_) {
      if (!factor->Plus(x, delta, x_plus_delta)) return false;
      x += factor->AmbientSize();
      x_plus_delta += factor->AmbientSize();
      delta += factor->TangentSize();
    }
    return true;
  }
  bool PlusJacobian(const double* x, double* jacobian) const override {
    return BlockDiagonal(x, jacobian, tangent_size_, &Manifold::PlusJacobian,
                         true);
  }
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    for (const Manifold* factor : factors_) {
      if (!factor->Minus(y, x, y_minus_x)) return false;
      x += factor->AmbientSize();
      y += factor->AmbientSize();
      y_minus_x += factor->TangentSize();
    }
    return true;
  }
  bool MinusJacobian(const double* x, double* jacobian) const override {
    return BlockDiagonal(x, jacobian, ambient_size_, &Manifold::MinusJacobian,
                         false);
  }

 private:
  // Writes the Jacobians of the factors as diagonal blocks. Rows are ambient
  // coordinates if `ambient_rows`, tangent ones otherwise.
  bool BlockDiagonal(const double* x, double* jacobian, int stride,
                     bool (Manifold::*function)(const double*, double*) const,
                     bool ambient_rows) const {
    std::fill_n(jacobian, ambient_size_ * tangent_size_, 0.0);
    int row = 0;
    int column = 0;
    for (const Manifold* factor : factors_) {
      const int rows =
          ambient_rows ? factor->AmbientSize() : factor->TangentSize();
      const int columns =
          ambient_rows ? factor->TangentSize() : factor->AmbientSize();
      std::vector<double> block(static_cast<size_t>(rows) * columns);
      if (!(factor->*function)(x, block.data())) return false;
      for (int r = 0; r < rows; ++r) {
        std::copy_n(block.data() + r * columns, columns,
                    jacobian + (row + r) * stride + column);
      }
      row += rows;
      column += columns;
      x += factor->AmbientSize();
    }
    return true;
  }

  std::vector<const Manifold*> factors_;
  int ambient_size_ = 0;
  int tangent_size_ = 0;
};

nb::object Numbers(const std::vector<int64_t>& shape, double** data) {
  return NewArray(shape, data);
}

const double* Point(nb::handle object, const char* name, int size) {
  const DoubleArray array = ReadableArray(object, name);
  if (array.size != size) {
    RaiseValueError(std::string(name) + ": expected " + std::to_string(size) +
                    " numbers, got " + std::to_string(array.size) + ".");
  }
  return array.data;
}

[[noreturn]] void NotComputed(const char* what) {
  RaiseValueError(std::string("Manifold.") + what +
                  " cannot be computed at "
                  "this point.");
}

// A subclass that does not define a method inherits the one of the base class,
// which would call the method of the subclass.
void CheckDefines(const Manifold& manifold, const char* method) {
  if (dynamic_cast<const PythonManifold*>(&manifold) == nullptr) return;
  RaiseTypeError(std::string("A subclass of Manifold must define ") + method +
                 ".");
}

void BindBase(nb::module_& module) {
  nb::class_<Manifold, PythonManifold>(
      module, "Manifold",
      "A manifold. A subclass defines ambient_size(), tangent_size(), plus(x, "
      "delta), plus_jacobian(x), minus(y, x) and minus_jacobian(x), which "
      "return arrays, or None where they cannot be computed.")
      .def(nb::init<>())
      .def(
          "ambient_size",
          [](const Manifold& m) {
            CheckDefines(m, "ambient_size()");
            return m.AmbientSize();
          },
          "The number of coordinates of a point.")
      .def(
          "tangent_size",
          [](const Manifold& m) {
            CheckDefines(m, "tangent_size()");
            return m.TangentSize();
          },
          "The number of degrees of freedom.")
      .def(
          "plus",
          [](const Manifold& m, nb::handle x, nb::handle delta) {
            CheckDefines(m, "plus(x, delta)");
            double* out;
            nb::object result = Numbers({m.AmbientSize()}, &out);
            if (!m.Plus(Point(x, "x", m.AmbientSize()),
                        Point(delta, "delta", m.TangentSize()), out)) {
              NotComputed("plus");
            }
            return result;
          },
          nb::arg("x"), nb::arg("delta"), "x moved along delta.")
      .def(
          "minus",
          [](const Manifold& m, nb::handle y, nb::handle x) {
            CheckDefines(m, "minus(y, x)");
            double* out;
            nb::object result = Numbers({m.TangentSize()}, &out);
            if (!m.Minus(Point(y, "y", m.AmbientSize()),
                         Point(x, "x", m.AmbientSize()), out)) {
              NotComputed("minus");
            }
            return result;
          },
          nb::arg("y"), nb::arg("x"), "The tangent from x to y.")
      .def(
          "plus_jacobian",
          [](const Manifold& m, nb::handle x) {
            CheckDefines(m, "plus_jacobian(x)");
            double* out;
            nb::object result =
                Numbers({m.AmbientSize(), m.TangentSize()}, &out);
            if (!m.PlusJacobian(Point(x, "x", m.AmbientSize()), out)) {
              NotComputed("plus_jacobian");
            }
            return result;
          },
          nb::arg("x"), "d plus(x, delta) / d delta at 0.")
      .def(
          "minus_jacobian",
          [](const Manifold& m, nb::handle x) {
            CheckDefines(m, "minus_jacobian(x)");
            double* out;
            nb::object result =
                Numbers({m.TangentSize(), m.AmbientSize()}, &out);
            if (!m.MinusJacobian(Point(x, "x", m.AmbientSize()), out)) {
              NotComputed("minus_jacobian");
            }
            return result;
          },
          nb::arg("x"), "d minus(y, x) / d y at y = x.");
}

}  // namespace

void BindManifolds(nb::module_& module) {
  BindBase(module);
  using Euclidean = ceres::EuclideanManifold<ceres::DYNAMIC>;
  nb::class_<Euclidean, Manifold>(module, "EuclideanManifold",
                                  "plus(x, delta) = x + delta.")
      .def(
          "__init__",
          [](Euclidean* self, int size) {
            if (size < 0) RaiseValueError("size: expected a number >= 0.");
            new (self) Euclidean(size);
          },
          nb::arg("size"));
  nb::class_<ceres::SubsetManifold, Manifold>(module, "SubsetManifold",
                                              "Some coordinates are constant.")
      .def(
          "__init__",
          [](ceres::SubsetManifold* self, int size,
             const std::vector<int>& constant) {
            std::vector<int> sorted = constant;
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) !=
                    sorted.end() ||
                (!sorted.empty() &&
                 (sorted.front() < 0 || sorted.back() >= size))) {
              RaiseValueError(
                  "constant_parameters: expected different "
                  "indices from 0 to size - 1.");
            }
            new (self) ceres::SubsetManifold(size, constant);
          },
          nb::arg("size"), nb::arg("constant_parameters"));
  nb::class_<ceres::QuaternionManifold, Manifold>(
      module, "QuaternionManifold", "Unit quaternions w, x, y, z.")
      .def(nb::init<>());
  nb::class_<ceres::EigenQuaternionManifold, Manifold>(
      module, "EigenQuaternionManifold", "Unit quaternions x, y, z, w.")
      .def(nb::init<>());
  using Sphere = ceres::SphereManifold<ceres::DYNAMIC>;
  nb::class_<Sphere, Manifold>(module, "SphereManifold",
                               "Points of one norm: directions.")
      .def(
          "__init__",
          [](Sphere* self, int size) {
            if (size < 2) RaiseValueError("size: expected a number >= 2.");
            new (self) Sphere(size);
          },
          nb::arg("size"));
  using Line = ceres::LineManifold<ceres::DYNAMIC>;
  nb::class_<Line, Manifold>(
      module, "LineManifold",
      "Lines in space of `size` dimensions: a point, then a direction.")
      .def(
          "__init__",
          [](Line* self, int size) {
            if (size < 2) RaiseValueError("size: expected a number >= 2.");
            new (self) Line(size);
          },
          nb::arg("size"));
  nb::class_<RuntimeProductManifold, Manifold>(
      module, "ProductManifold", "The product of manifolds, in order.")
      .def(
          "__init__",
          [](RuntimeProductManifold* self, const nb::args& factors) {
            std::vector<const Manifold*> pointers;
            for (nb::handle factor : factors) {
              const Manifold* manifold = nullptr;
              if (!nb::try_cast<const Manifold*>(factor, manifold) ||
                  manifold == nullptr) {
                RaiseTypeError("factors: expected manifolds, got " +
                               TypeName(factor) + ".");
              }
              pointers.push_back(manifold);
            }
            new (self) RuntimeProductManifold(std::move(pointers));
          },
          nb::arg("factors"), nb::keep_alive<1, 2>(),
          nb::sig("def __init__(self, *factors: Manifold) -> None"));
}

}  // namespace vesta::python
