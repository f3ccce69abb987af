// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/cost_function.h"

#include <nanobind/stl/vector.h>
#include <nanobind/trampoline.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "ceres/types.h"
#include "common.h"

namespace vesta::python {
namespace {

using ceres::CostFunction;

// The method of one call of evaluate(parameters, residuals, jacobians), and its
// arrays.
struct CallArrays {
  PyObject* self = nullptr;
  nb::object method;
  // The method is that of pyceres, whose matrices are flat.
  bool flat = false;
  nb::list parameters;
  nb::object residuals;
  nb::list jacobians;
  std::vector<double*> parameter_data;
  double* residual_data = nullptr;
  std::vector<double*> jacobian_data;
};

// The result of evaluate: None stands for True. Numbers and booleans of NumPy,
// which comparisons of arrays give, count as bool.
bool IsSuccess(nb::handle answer) {
  if (answer.is_none()) return true;
  if (PyLong_Check(answer.ptr()) == 0 && !nb::hasattr(answer, "dtype")) {
    RaiseTypeError(
        "evaluate: expected a result True, False, None or a number, got " +
        TypeName(answer) + ".");
  }
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

// A cost function that Python defines: a subclass with
// evaluate(parameters, residuals, jacobians).
//
// Each object has one set of arrays, which its calls use one after the other.
// A call that begins while another has the arrays (Python switches threads
// inside of evaluate) makes arrays of its own.
class PythonCost : public CostFunction {
 public:
  NB_TRAMPOLINE(CostFunction, 1);

  void SetSizes(int num_residuals, const std::vector<int>& sizes) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
    arrays_ready_ = false;
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const nb::gil_scoped_acquire gil;
    // Atomic, because free-threaded Python has no GIL.
    if (busy_.exchange(true)) {
      CallArrays own = MakeArrays();
      return Call(&own, parameters, residuals, jacobians);
    }
    struct Busy {
      ~Busy() { flag = false; }
      std::atomic<bool>& flag;
    } const busy{busy_};
    if (!arrays_ready_) {
      arrays_ = MakeArrays();
      arrays_ready_ = true;
    }
    return Call(&arrays_, parameters, residuals, jacobians);
  }

 private:
  CallArrays MakeArrays() const {
    // This object is part of the Python object, which outlives the calls.
    const nb::object self = nb::find(static_cast<const CostFunction*>(this));
    CallArrays arrays;
    arrays.self = self.ptr();
    arrays.flat = nb::hasattr(self, "Evaluate");
    arrays.method = nb::steal(
        PyUnicode_InternFromString(arrays.flat ? "Evaluate" : "evaluate"));
    for (const int size : parameter_block_sizes()) {
      double* data;
      arrays.parameters.append(NewArray({size}, &data));
      arrays.parameter_data.push_back(data);
      const int m = num_residuals();
      arrays.jacobians.append(
          arrays.flat ? NewArray({static_cast<int64_t>(m) * size}, &data)
                      : NewArray({m, size}, &data));
      arrays.jacobian_data.push_back(data);
    }
    arrays.residuals = NewArray({num_residuals()}, &arrays.residual_data);
    return arrays;
  }

  // The list of Jacobians with None for those that are not wanted.
  nb::object WantedJacobians(const CallArrays& arrays,
                             double** jacobians) const {
    if (jacobians == nullptr) return nb::none();
    const size_t n = arrays.jacobian_data.size();
    if (std::find(jacobians, jacobians + n, nullptr) == jacobians + n) {
      return arrays.jacobians;
    }
    nb::list wanted;
    for (size_t i = 0; i < n; ++i) {
      if (jacobians[i] == nullptr) {
        wanted.append(nb::none());
      } else {
        wanted.append(nb::handle(arrays.jacobians[i]));
      }
    }
    return wanted;
  }

  bool Call(CallArrays* arrays, double const* const* parameters,
            double* residuals, double** jacobians) const {
    const auto& sizes = parameter_block_sizes();
    for (size_t i = 0; i < sizes.size(); ++i) {
      std::copy_n(parameters[i], sizes[i], arrays->parameter_data[i]);
    }
    // Entries that are not written are found by the solver.
    std::copy_n(residuals, num_residuals(), arrays->residual_data);
    for (size_t i = 0; jacobians != nullptr && i < sizes.size(); ++i) {
      if (jacobians[i] == nullptr) continue;
      std::fill_n(arrays->jacobian_data[i], num_residuals() * sizes[i],
                  ceres::kImpossibleValue);
    }
    const nb::object wanted = WantedJacobians(*arrays, jacobians);
    PyObject* const arguments[4] = {arrays->self, arrays->parameters.ptr(),
                                    arrays->residuals.ptr(), wanted.ptr()};
    const nb::object answer = nb::steal(
        PyObject_VectorcallMethod(arrays->method.ptr(), arguments, 4, nullptr));
    if (!answer.is_valid()) throw nb::python_error();
    if (!IsSuccess(answer)) return false;
    std::copy_n(arrays->residual_data, num_residuals(), residuals);
    for (size_t i = 0; jacobians != nullptr && i < sizes.size(); ++i) {
      if (jacobians[i] == nullptr) continue;
      std::copy_n(arrays->jacobian_data[i], num_residuals() * sizes[i],
                  jacobians[i]);
    }
    return true;
  }

  // Of the call that has set busy_.
  mutable CallArrays arrays_;
  mutable bool arrays_ready_ = false;
  mutable std::atomic<bool> busy_{false};
};

PythonCost& AsPythonCost(CostFunction& cost) {
  auto* const python = dynamic_cast<PythonCost*>(&cost);
  if (python == nullptr) {
    RaiseTypeError("Sizes can be set for subclasses of CostFunction only.");
  }
  return *python;
}

void CheckSizes(int num_residuals, const std::vector<int>& sizes) {
  if (num_residuals <= 0) {
    RaiseValueError("num_residuals: expected a number > 0.");
  }
  for (const int size : sizes) {
    if (size <= 0) {
      RaiseValueError("parameter_block_sizes: expected numbers > 0.");
    }
  }
}

// residuals, [jacobians] = cost(*parameters).
nb::object CallCost(const CostFunction& cost, const nb::args& parameters) {
  const auto& sizes = cost.parameter_block_sizes();
  if (parameters.size() != sizes.size()) {
    RaiseTypeError("expected " + std::to_string(sizes.size()) +
                   " parameter blocks, got " +
                   std::to_string(parameters.size()) + ".");
  }
  std::vector<const double*> pointers;
  std::vector<nb::object> alive;
  for (size_t i = 0; i < sizes.size(); ++i) {
    alive.push_back(nb::module_::import_("numpy").attr("ascontiguousarray")(
        parameters[i], nb::arg("dtype") = "float64"));
    const std::string name = "parameters[" + std::to_string(i) + "]";
    const DoubleArray array = ReadableArray(alive.back(), name);
    if (array.size != sizes[i]) {
      RaiseValueError(name + ": expected " + std::to_string(sizes[i]) +
                      " numbers, got " + std::to_string(array.size) + ".");
    }
    pointers.push_back(array.data);
  }
  double* residual_data;
  const nb::object residuals = NewArray({cost.num_residuals()}, &residual_data);
  nb::list jacobians;
  std::vector<double*> jacobian_data;
  for (const int size : sizes) {
    double* data;
    jacobians.append(NewArray({cost.num_residuals(), size}, &data));
    jacobian_data.push_back(data);
  }
  if (!cost.Evaluate(pointers.data(), residual_data, jacobian_data.data())) {
    RaiseValueError("The cost function cannot be evaluated at this point.");
  }
  return nb::make_tuple(residuals, jacobians);
}

}  // namespace

void BindCostFunctions(nb::module_& module) {
  nb::class_<CostFunction, PythonCost>(
      module, "CostFunction",
      "A vector-valued function of parameter blocks. A subclass gives its "
      "sizes to the constructor and defines evaluate(parameters, residuals, "
      "jacobians): parameters is a list of arrays; residuals is an array to "
      "write; jacobians is None, or a list of matrices to write of shape "
      "(num_residuals, size), None for constant blocks. The arrays are valid "
      "during the call only. The result False says that the function cannot "
      "be evaluated. A method Evaluate, if there is one, is called instead; "
      "its matrices are flat arrays, as in pyceres.")
      .def(
          "__init__",
          [](CostFunction* self, int num_residuals,
             const std::vector<int>& sizes) {
            const bool sizes_follow = num_residuals == 0 && sizes.empty();
            if (!sizes_follow) CheckSizes(num_residuals, sizes);
            auto* const cost = new (static_cast<void*>(self)) PythonCost();
            if (!sizes_follow) cost->SetSizes(num_residuals, sizes);
          },
          nb::arg("num_residuals") = 0,
          nb::arg("parameter_block_sizes") = std::vector<int>(),
          nb::sig("def __init__(self, num_residuals: int = 0, "
                  "parameter_block_sizes: typing.Sequence[int] = []) -> None"))
      .def(
          "set_num_residuals",
          [](CostFunction& self, int num_residuals) {
            CheckSizes(num_residuals, {});
            const auto& sizes = self.parameter_block_sizes();
            AsPythonCost(self).SetSizes(
                num_residuals, std::vector<int>(sizes.begin(), sizes.end()));
          },
          nb::arg("num_residuals"), "Before the cost function is used.")
      .def(
          "set_parameter_block_sizes",
          [](CostFunction& self, const std::vector<int>& sizes) {
            CheckSizes(1, sizes);
            AsPythonCost(self).SetSizes(self.num_residuals(), sizes);
          },
          nb::arg("sizes"), "Before the cost function is used.")
      .def("num_residuals", &CostFunction::num_residuals,
           "The number of residuals.")
      .def(
          "parameter_block_sizes",
          [](const CostFunction& self) {
            const auto& sizes = self.parameter_block_sizes();
            return std::vector<int>(sizes.begin(), sizes.end());
          },
          "The sizes of the parameter blocks.")
      .def(
          "num_parameter_blocks",
          [](const CostFunction& self) {
            return self.parameter_block_sizes().size();
          },
          "The number of parameter blocks.")
      .def("__call__", &CallCost, nb::arg("parameters"),
           "The residuals and the list of Jacobians at a point.",
           nb::sig("def __call__(self, *parameters: "
                   "numpy.typing.ArrayLike) -> tuple[typing.Any, "
                   "list[typing.Any]]"));
}

}  // namespace vesta::python
