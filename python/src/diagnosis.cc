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
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "problem.h"
#include "running.h"

namespace vesta::python {
namespace {

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
                                  bool compute_redundancy, int num_threads,
                                  double max_time) {
  ceres::DiagnosisOptions options;
  options.apply_loss_function = apply_loss_function;
  options.weak_ratio = weak_ratio;
  options.compute_redundancy = compute_redundancy;
  options.num_threads = num_threads;
  options.max_time_in_seconds = max_time;
  return options;
}

nb::object Answer(const ceres::DiagnosisOptions& options,
                  ceres::Problem* problem) {
  std::string text;
  std::string json;
  {
    const WithoutGil released;
    const ceres::Diagnosis diagnosis = ceres::Diagnose(options, problem);
    text = diagnosis.ToString();
    json = diagnosis.ToJson();
  }
  FlushLog();
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

// Row i has the values [starts[i], starts[i + 1]), in ascending columns. lower
// and upper: bounds of the distances to the present values. names: of columns.
nb::object DiagnoseLinear(nb::handle starts, nb::handle columns,
                          nb::handle values, nb::handle residuals,
                          nb::handle lower, nb::handle upper,
                          const std::vector<std::string>& names,
                          double weak_ratio, bool compute_redundancy,
                          int num_threads, double max_time) {
  const IndexArray begins = ReadableIndices(starts, "starts");
  const IndexArray indices = ReadableIndices(columns, "columns");
  const DoubleArray j = ReadableArray(values, "values");
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
  for (int64_t i = 0; i < f.size; ++i) {
    const int64_t begin = begins.data[i];
    blocks.clear();
    for (int64_t k = begin; k < begins.data[i + 1]; ++k) {
      blocks.push_back(&x[static_cast<size_t>(indices.data[k])]);
    }
    if (blocks.empty()) continue;
    problem.AddResidualBlock(
        new LinearRow(f.data[i], j.data + begin, begins.data[i + 1] - begin),
        nullptr, blocks);
  }
  ceres::DiagnosisOptions options =
      ToOptions(true, weak_ratio, compute_redundancy, num_threads, max_time);
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
         double weak_ratio, bool compute_redundancy, int num_threads,
         double max_time) {
        const Problem::Use use(&problem);
        ceres::DiagnosisOptions options =
            ToOptions(apply_loss_function, weak_ratio, compute_redundancy,
                      num_threads, max_time);
        options.parameter_block_name = BlockNames(names);
        return Answer(options, &problem.get());
      },
      nb::arg("problem"), nb::arg("names"), nb::arg("apply_loss_function"),
      nb::arg("weak_ratio"), nb::arg("compute_redundancy"),
      nb::arg("num_threads"), nb::arg("max_time"),
      "See vesta.Problem.diagnose.");
  module.def("_diagnose_linear", &DiagnoseLinear, nb::arg("starts"),
             nb::arg("columns"), nb::arg("values"), nb::arg("residuals"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("names"),
             nb::arg("weak_ratio"), nb::arg("compute_redundancy"),
             nb::arg("num_threads"), nb::arg("max_time"),
             "The diagnosis of residuals + J x.");
}

}  // namespace vesta::python
