// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "compiled_model.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace vesta::python {
namespace {

using ceres::FitSamples;

using OfSample = double (*)(double, const double*);
using OfRow = double (*)(const double*, const double*);
using OfArray = void (*)(int64_t, const double*, const double*, double*);
using SampleDerivatives = void (*)(double, const double*, double*);
using RowDerivatives = void (*)(const double*, const double*, double*);

// Calls a function of sizeof...(I) numbers.
template <size_t... I>
double CallWith(void* function, const double* numbers,
                std::index_sequence<I...>) {
  using Function = double (*)(decltype(static_cast<void>(I), 0.0)...);
  return reinterpret_cast<Function>(function)(numbers[I]...);
}
template <size_t kSize>
double Call(void* function, const double* numbers) {
  return CallWith(function, numbers, std::make_index_sequence<kSize>());
}
using Caller = double (*)(void*, const double*);
template <size_t... I>
std::array<Caller, sizeof...(I)> MakeCallers(std::index_sequence<I...>) {
  return {&Call<I>...};
}

struct Compiled {
  std::string kind;
  void* address = nullptr;
};

Compiled CompiledOf(const nb::tuple& description, int first) {
  return {nb::cast<std::string>(description[first]),
          reinterpret_cast<void*>(nb::cast<uintptr_t>(description[first + 1]))};
}

// Copies the columns of sample i.
void CopyRow(const FitSamples& samples, int64_t i, int num_inputs,
             double* row) {
  for (int c = 0; c < num_inputs; ++c) {
    row[c] = samples.columns[c * samples.size + i];
  }
}

// Writes f for all samples.
using Values =
    std::function<void(const FitSamples&, const double*, double* out)>;

Values ValuesOf(const Compiled& f, int num_inputs, int num_parameters) {
  if (f.kind == "array") {
    return [g = reinterpret_cast<OfArray>(f.address)](
               const FitSamples& samples, const double* p, double* out) {
      g(samples.size, samples.columns, p, out);
    };
  }
  if (f.kind == "sample") {
    return [g = reinterpret_cast<OfSample>(f.address)](
               const FitSamples& samples, const double* p, double* out) {
      for (int64_t i = 0; i < samples.size; ++i) {
        out[i] = g(samples.columns[i], p);
      }
    };
  }
  if (f.kind == "row") {
    return [g = reinterpret_cast<OfRow>(f.address), num_inputs](
               const FitSamples& samples, const double* p, double* out) {
      std::vector<double> row(num_inputs);
      for (int64_t i = 0; i < samples.size; ++i) {
        CopyRow(samples, i, num_inputs, row.data());
        out[i] = g(row.data(), p);
      }
    };
  }
  const int size = num_inputs + num_parameters;
  if (size > kMostNumbers) {
    RaiseRuntimeError("fit_many: a function of too many numbers.");
  }
  static const std::array<Caller, kMostNumbers + 1> callers =
      MakeCallers(std::make_index_sequence<kMostNumbers + 1>());
  return
      [address = f.address, call = callers[size], num_inputs, num_parameters](
          const FitSamples& samples, const double* p, double* out) {
        std::array<double, kMostNumbers> numbers{};
        std::copy_n(p, num_parameters, numbers.data() + num_inputs);
        for (int64_t i = 0; i < samples.size; ++i) {
          CopyRow(samples, i, num_inputs, numbers.data());
          out[i] = call(address, numbers.data());
        }
      };
}

Values DerivativesOf(const Compiled& f, int num_inputs, int num_parameters) {
  if (f.kind == "sample") {
    return [g = reinterpret_cast<SampleDerivatives>(f.address), num_parameters](
               const FitSamples& samples, const double* p, double* out) {
      for (int64_t i = 0; i < samples.size; ++i) {
        g(samples.columns[i], p, out + i * num_parameters);
      }
    };
  }
  if (f.kind == "row") {
    return [g = reinterpret_cast<RowDerivatives>(f.address), num_inputs,
            num_parameters](const FitSamples& samples, const double* p,
                            double* out) {
      std::vector<double> row(num_inputs);
      for (int64_t i = 0; i < samples.size; ++i) {
        CopyRow(samples, i, num_inputs, row.data());
        g(row.data(), p, out + i * num_parameters);
      }
    };
  }
  return ValuesOf(f, num_inputs, num_parameters);
}

}  // namespace

ceres::FitFunction CompiledModel(const nb::tuple& description, int num_inputs,
                                 int num_parameters) {
  ceres::FitFunction function;
  const Compiled f = CompiledOf(description, 0);
  function.residuals = [values = ValuesOf(f, num_inputs, num_parameters),
                        num_inputs](const FitSamples& samples, const double* p,
                                    double* residuals) {
    values(samples, p, residuals);
    const double* const y = samples.columns + num_inputs * samples.size;
    for (int64_t i = 0; i < samples.size; ++i) residuals[i] -= y[i];
    return true;
  };
  const Compiled derivatives = CompiledOf(description, 2);
  if (derivatives.address != nullptr) {
    function.jacobian =
        [write = DerivativesOf(derivatives, num_inputs, num_parameters)](
            const FitSamples& samples, const double* p, double* jacobian) {
          write(samples, p, jacobian);
          return true;
        };
  }
  return function;
}

}  // namespace vesta::python
