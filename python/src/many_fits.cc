// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// FitMany for Python. A model arrives as a list of operations, which
// vesta/_fit_many/tracer.py records, or as addresses of compiled functions.

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/fit_many.h"
#include "ceres/parallel/cancellation.h"
#include "common.h"
#include "compiled_model.h"
#include "interrupt_guard.h"
#include "running.h"

namespace vesta::python {
namespace {

using ceres::FitColumn;
using ceres::Traced;
using ceres::internal::lanes::Operation;

// The operations that differ from internal::lanes::Operation: inputs, and
// functions that ceres/traced.h puts together.
enum class StepKind { kConstant, kParameter, kData, kOperation, kPower };

struct Step {
  StepKind kind = StepKind::kConstant;
  Operation operation = Operation::kAdd;
  double value = 0.0;
  int arguments[3] = {0, 0, 0};
};

const std::pair<const char*, Operation> kOperations[] = {
    {"add", Operation::kAdd},           {"subtract", Operation::kSubtract},
    {"multiply", Operation::kMultiply}, {"divide", Operation::kDivide},
    {"negative", Operation::kNegate},   {"absolute", Operation::kAbs},
    {"sqrt", Operation::kSqrt},         {"exp", Operation::kExp},
    {"log", Operation::kLog},           {"sin", Operation::kSin},
    {"cos", Operation::kCos},           {"arctan2", Operation::kAtan2},
    {"erf", Operation::kErf},           {"erfc", Operation::kErfc},
    {"log1p", Operation::kLog1p},       {"arctan", Operation::kAtan},
    {"less", Operation::kLess},         {"less_equal", Operation::kLessOrEqual},
    {"equal", Operation::kEqual},       {"where", Operation::kSelect},
    {"expm1", Operation::kExpm1},       {"tan", Operation::kTan},
    {"arcsin", Operation::kAsin},       {"arccos", Operation::kAcos},
    {"sinh", Operation::kSinh},         {"cosh", Operation::kCosh},
    {"tanh", Operation::kTanh},         {"floor", Operation::kFloor},
    {"ceil", Operation::kCeil},         {"cbrt", Operation::kCbrt},
    {"copysign", Operation::kCopySign},
};

Operation OperationOf(const std::string& name) {
  for (const auto& [known, operation] : kOperations) {
    if (name == known) return operation;
  }
  RaiseRuntimeError("fit_many: unknown operation '" + name + "'.");
}

// A recorded function: each step is a tuple of a name and of a number or the
// indices of earlier steps. The last step is the result.
class Recorded {
 public:
  explicit Recorded(const nb::list& steps) {
    for (nb::handle handle : steps) {
      const nb::tuple from = nb::cast<nb::tuple>(handle);
      const std::string name = nb::cast<std::string>(from[0]);
      Step step;
      if (name == "constant") {
        step.value = nb::cast<double>(from[1]);
        steps_.push_back(step);
        continue;
      }
      if (name == "parameter") {
        step.kind = StepKind::kParameter;
      } else if (name == "data") {
        step.kind = StepKind::kData;
      } else if (name == "power") {
        step.kind = StepKind::kPower;
      } else {
        step.kind = StepKind::kOperation;
        step.operation = OperationOf(name);
      }
      for (size_t i = 1; i < nb::len(from); ++i) {
        step.arguments[i - 1] = nb::cast<int>(from[i]);
      }
      steps_.push_back(step);
    }
  }

  Traced operator()(const Traced* parameters, const Traced* data) const {
    std::vector<Traced> values;
    values.reserve(steps_.size());
    for (const Step& step : steps_) {
      const int* const arguments = step.arguments;
      switch (step.kind) {
        case StepKind::kConstant:
          values.push_back(step.value);
          break;
        case StepKind::kParameter:
          values.push_back(parameters[arguments[0]]);
          break;
        case StepKind::kData:
          values.push_back(data[arguments[0]]);
          break;
        case StepKind::kPower:
          values.push_back(pow(values[arguments[0]], values[arguments[1]]));
          break;
        case StepKind::kOperation:
          values.push_back(ceres::internal::lanes::Record(
              step.operation, values[arguments[0]], values[arguments[1]],
              values[arguments[2]]));
          break;
      }
    }
    return values.back();
  }

 private:
  std::vector<Step> steps_;
};

// A column of an array of one dimension, which all fits share, or of two.
FitColumn ColumnOf(nb::handle object) {
  using Array = nb::ndarray<nb::ro, nb::device::cpu>;
  if (object.is_none()) return FitColumn();
  const Array array = nb::cast<Array>(object);
  const int last = static_cast<int>(array.ndim()) - 1;
  const int64_t fit_stride = last == 0 ? 0 : array.stride(0);
  const int64_t sample_stride = array.stride(last);
  const void* const data = array.data();
  if (array.dtype() == nb::dtype<double>()) {
    return {static_cast<const double*>(data), fit_stride, sample_stride};
  }
  if (array.dtype() == nb::dtype<float>()) {
    return {static_cast<const float*>(data), fit_stride, sample_stride};
  }
  return {static_cast<const bool*>(data), fit_stride, sample_stride};
}

std::function<Traced(const Traced&)> LossOf(nb::handle loss, double scale) {
  if (loss.is_none()) return nullptr;
  if (!nb::isinstance<nb::str>(loss)) {
    return [recorded = Recorded(nb::cast<nb::list>(loss)),
            scale](const Traced& s) {
      const Traced scaled = s / (scale * scale);
      return scale * scale * recorded(&scaled, nullptr);
    };
  }
  const std::string name = nb::cast<std::string>(loss);
  if (name == "huber") return ceres::FitLoss::Huber(scale);
  if (name == "soft_l1") return ceres::FitLoss::SoftLOne(scale);
  if (name == "cauchy") return ceres::FitLoss::Cauchy(scale);
  if (name == "arctan") return ceres::FitLoss::Arctan(scale);
  return ceres::FitLoss::Tukey(scale);
}

// A model for FitMany, less the last column, the measurement.
using RunFits =
    std::function<void(const ceres::FitManyOptions&, const ceres::FitData&,
                       const ceres::FitParameters&, const ceres::FitResults&)>;

RunFits FitsOf(nb::handle model, int num_inputs, int num_parameters) {
  if (nb::isinstance<nb::tuple>(model)) {
    return
        [function = CompiledModel(nb::borrow<nb::tuple>(model), num_inputs,
                                  num_parameters)](const auto&... arguments) {
          ceres::FitMany(function, arguments...);
        };
  }
  ceres::FitModel recorded;
  recorded.residuals = [steps = Recorded(nb::cast<nb::list>(model)),
                        num_inputs](const Traced* p, const Traced* sample,
                                    Traced* residual) {
    residual[0] = steps(p, sample) - sample[num_inputs];
    return true;
  };
  return [recorded](const auto&... arguments) {
    ceres::FitMany(recorded, arguments...);
  };
}

// Reads the memory of an array of float64, or null for None.
const double* Values(nb::handle object, const char* name) {
  return object.is_none() ? nullptr : ReadableArray(object, name).data;
}

ceres::FitManyOptions OptionsOf(const nb::dict& arguments) {
  ceres::FitManyOptions options;
  options.max_num_iterations = nb::cast<int>(arguments["max_iterations"]);
  options.function_tolerance = nb::cast<double>(arguments["ftol"]);
  options.gradient_tolerance = nb::cast<double>(arguments["gtol"]);
  options.parameter_tolerance = nb::cast<double>(arguments["xtol"]);
  options.loss = LossOf(nb::object(arguments["loss"]),
                        nb::cast<double>(arguments["f_scale"]));
  options.skip_nan = true;
  options.scale_covariance = !nb::cast<bool>(arguments["absolute_sigma"]);
  options.num_threads = nb::cast<int>(arguments["num_threads"]);
  return options;
}

// The arrays of `arguments` are checked by vesta/_fit_many. Writes parameters,
// costs, covariances (or None), statuses and iterations. The model: a list of
// steps, or a tuple of compiled functions (see CompiledModel).
void FitManyFromPython(const nb::object& model, const nb::dict& arguments) {
  const auto get = [&arguments](const char* name) {
    return nb::object(arguments[name]);
  };
  ceres::FitData data;
  data.num_fits = nb::cast<int64_t>(get("num_fits"));
  data.num_samples = nb::cast<int64_t>(get("num_samples"));
  for (nb::handle column : nb::cast<nb::list>(get("columns"))) {
    data.columns.push_back(ColumnOf(column));
  }
  data.weights = ColumnOf(get("weights"));
  data.mask = ColumnOf(get("mask"));

  const nb::object fixed = get("fixed");
  const auto flags = nb::cast<std::vector<bool>>(fixed);
  const std::unique_ptr<bool[]> is_fixed(new bool[flags.size()]);
  for (size_t i = 0; i < flags.size(); ++i) is_fixed[i] = flags[i];
  ceres::FitParameters parameters;
  parameters.size = static_cast<int>(flags.size());
  parameters.values = WritableArray(get("parameters"), "parameters").data;
  parameters.lower = Values(get("lower"), "lower");
  parameters.upper = Values(get("upper"), "upper");
  parameters.bounds_stride = nb::cast<int64_t>(get("bounds_stride"));
  parameters.fixed = is_fixed.get();

  using Bytes = nb::ndarray<int8_t, nb::c_contig, nb::device::cpu>;
  using Integers = nb::ndarray<int32_t, nb::c_contig, nb::device::cpu>;
  ceres::FitResults results;
  results.costs = WritableArray(get("costs"), "costs").data;
  if (!get("covariances").is_none()) {
    results.covariances = WritableArray(get("covariances"), "covariances").data;
  }
  results.statuses = reinterpret_cast<ceres::FitStatus*>(
      nb::cast<Bytes>(get("statuses")).data());
  results.iterations = nb::cast<Integers>(get("iterations")).data();

  ceres::FitManyOptions options = OptionsOf(arguments);
  ceres::parallel::CancellationToken token;
  if (!get("token").is_none()) {
    token = nb::cast<ceres::parallel::CancellationToken>(get("token"));
  }
  const double timeout = nb::cast<double>(get("timeout"));
  ceres::parallel::CancellationSource timer(
      std::chrono::duration<double>(timeout), token);
  ceres::parallel::CancellationSource source(timer.token());
  options.cancellation_token = source.token();
  const nb::object progress = get("progress");
  options.progress = [&progress, &source](int64_t ended, int64_t all) {
    if (InterpreterExits()) return source.Cancel();
    if (progress.is_none()) return;
    const nb::gil_scoped_acquire gil;
    progress(ended, all);
  };

  const RunFits run =
      FitsOf(model, static_cast<int>(data.columns.size()) - 1, parameters.size);
  bool interrupted = false;
  {
    const InterruptGuard guard(&source);
    const WithoutGil released;
    run(options, data, parameters, results);
    interrupted = guard.interrupted();
  }
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void BindManyFits(nb::module_& module) {
  module.def("_fit_many", &FitManyFromPython, nb::arg("model"),
             nb::arg("arguments"));
  nb::list names;
  for (const auto& [name, operation] : kOperations) names.append(name);
  module.attr("_fit_operations") = names;
}

}  // namespace vesta::python
