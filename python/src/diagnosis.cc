// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Diagnoses, as text and JSON, of problems and of the linear models at results
// of least_squares.

#include "ceres/diagnosis.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/parallel/cancellation.h"
#include "interrupt_guard.h"
#include "problem.h"
#include "python_text.h"
#include "running.h"
#include "scene.h"

namespace vesta::python {
namespace {

using ceres::parallel::CancellationSource;

// The names of the blocks in the memory of arrays: that of the array, and for
// arrays with several rows the row in brackets.
class BlockNames {
 public:
  // names: pairs of an array, which outlives this, and its name.
  explicit BlockNames(nb::handle names) {
    for (nb::handle pair : names) {
      const DoubleArray array = ReadableArray(pair[0], "names");
      arrays_[array.data] = {nb::cast<std::string>(pair[1]), array.size,
                             array.shape.size() > 1 ? array.row_size() : 0};
    }
  }

  std::string operator()(const double* block) const {
    auto after = arrays_.upper_bound(block);
    if (after == arrays_.begin()) return "";
    const auto& [data, array] = *--after;
    const int64_t place = block - data;
    if (place >= array.size) return "";
    if (array.row_size == 0) return array.name;
    return array.name + "[" + std::to_string(place / array.row_size) + "]";
  }

 private:
  struct Array {
    std::string name;
    int64_t size;
    int64_t row_size;  // 0: the array is one block
  };
  std::map<const double*, Array, std::less<>> arrays_;
};

ceres::DiagnosisOptions ToOptions(bool apply_loss_function, double weak_ratio,
                                  bool compute_redundancy,
                                  double variance_factor, int num_threads,
                                  double max_time) {
  ceres::DiagnosisOptions options;
  options.apply_loss_function = apply_loss_function;
  options.weak_ratio = weak_ratio;
  options.compute_redundancy = compute_redundancy;
  options.variance_factor = variance_factor;
  options.num_threads = num_threads;
  options.max_time_in_seconds = max_time;
  return options;
}

nb::object Answer(ceres::DiagnosisOptions options, ceres::Problem* problem) {
  CancellationSource source;
  options.cancellation_token = source.token();
  std::string text;
  std::string json;
  bool interrupted = false;
  {
    const InterruptGuard guard(&source);
    const WithoutGil released;
    const ceres::Diagnosis diagnosis = ceres::Diagnose(options, problem);
    text = PythonText(diagnosis.ToString());
    json = PythonText(diagnosis.ToJson());
    interrupted = guard.interrupted();
  }
  FlushLog();
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return nb::make_tuple(text, json);
}

// r = f + j x of one residual, for x in blocks of one number.
class LinearRow : public ceres::CostFunction {
 public:
  LinearRow(double f, const double* j, int64_t n) : f_(f), j_(j) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->assign(static_cast<size_t>(n), 1);
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    residuals[0] = f_;
    for (size_t k = 0; k < parameter_block_sizes().size(); ++k) {
      residuals[0] += j_[k] * parameters[k][0];
      if (jacobians != nullptr && jacobians[k] != nullptr) {
        jacobians[k][0] = j_[k];
      }
    }
    return true;
  }

 private:
  const double f_;
  const double* const j_;
};

// A CSR matrix: row i has the values [starts[i], starts[i + 1]), in ascending
// columns.
struct Rows {
  // tuple: the arrays, which outlive this.
  explicit Rows(const nb::tuple& tuple)
      : starts(ReadableIndices(tuple[0], "starts")),
        columns(ReadableIndices(tuple[1], "columns")),
        values(ReadableArray(tuple[2], "values")) {}

  int64_t size() const { return starts.size - 1; }

  // Row i of r = f + j x, and its blocks of x. Null: the row is empty.
  LinearRow* Row(int64_t i, double f, std::vector<double>* x,
                 std::vector<double*>* blocks) const {
    const int64_t begin = starts.data[i];
    const int64_t end = starts.data[i + 1];
    blocks->clear();
    for (int64_t k = begin; k < end; ++k) {
      blocks->push_back(&(*x)[static_cast<size_t>(columns.data[k])]);
    }
    return blocks->empty() ? nullptr
                           : new LinearRow(f, values.data + begin, end - begin);
  }

  IndexArray starts;
  IndexArray columns;
  DoubleArray values;
};

// limits: the gradients of active constraints, which `limit_names` names. lower
// and upper: bounds of the distances to the present values. names: of columns.
nb::object DiagnoseLinear(const nb::tuple& jacobian, nb::handle residuals,
                          const nb::tuple& limits,
                          const std::vector<std::string>& limit_names,
                          nb::handle lower, nb::handle upper,
                          const std::vector<std::string>& names,
                          double weak_ratio, bool compute_redundancy,
                          double variance_factor, int num_threads) {
  const Rows rows(jacobian);
  const Rows limit_rows(limits);
  const DoubleArray f = ReadableArray(residuals, "residuals");
  const DoubleArray low = ReadableArray(lower, "lower");
  const DoubleArray high = ReadableArray(upper, "upper");
  std::vector<double> x(names.size(), 0.0);
  ceres::Problem problem;
  for (size_t k = 0; k < x.size(); ++k) {
    problem.AddParameterBlock(&x[k], 1);
    if (std::isfinite(low.data[k])) {
      problem.SetParameterLowerBound(&x[k], 0, low.data[k]);
    }
    if (std::isfinite(high.data[k])) {
      problem.SetParameterUpperBound(&x[k], 0, high.data[k]);
    }
  }
  std::vector<double*> blocks;
  for (int64_t i = 0; i < rows.size(); ++i) {
    LinearRow* const row = rows.Row(i, f.data[i], &x, &blocks);
    if (row != nullptr) problem.AddResidualBlock(row, nullptr, blocks);
  }
  for (int64_t i = 0; i < limit_rows.size(); ++i) {
    LinearRow* const row = limit_rows.Row(i, 0.0, &x, &blocks);
    if (row == nullptr) continue;
    problem.SetConstraintName(problem.AddEqualityConstraint(row, blocks),
                              limit_names[static_cast<size_t>(i)]);
  }
  ceres::DiagnosisOptions options =
      ToOptions(true, weak_ratio, compute_redundancy, variance_factor,
                num_threads, std::numeric_limits<double>::infinity());
  options.parameter_block_name = [&](const double* block) {
    return names[static_cast<size_t>(block - x.data())];
  };
  return Answer(options, &problem);
}

}  // namespace

void BindDiagnosis(nb::module_& module) {
  module.def(
      "_diagnose",
      [](Problem& problem, nb::handle names, bool apply_loss_function,
         double weak_ratio, bool compute_redundancy, double variance_factor,
         int num_threads, double max_time, nb::handle scene) {
        const Problem::Use use(&problem);
        ceres::DiagnosisOptions options =
            ToOptions(apply_loss_function, weak_ratio, compute_redundancy,
                      variance_factor, num_threads, max_time);
        options.parameter_block_name = BlockNames(names);
        options.scene = ToSceneFunction(scene);
        return Answer(options, &problem.get());
      },
      nb::arg("problem"), nb::arg("names"), nb::arg("apply_loss_function"),
      nb::arg("weak_ratio"), nb::arg("compute_redundancy"),
      nb::arg("variance_factor"), nb::arg("num_threads"), nb::arg("max_time"),
      nb::arg("scene").none(), "See vesta.Problem.diagnose.");
  module.def("_diagnose_linear", &DiagnoseLinear, nb::arg("jacobian"),
             nb::arg("residuals"), nb::arg("limits"), nb::arg("limit_names"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("names"),
             nb::arg("weak_ratio"), nb::arg("compute_redundancy"),
             nb::arg("variance_factor"), nb::arg("num_threads"),
             "The diagnosis of residuals + J x.");
}

}  // namespace vesta::python
