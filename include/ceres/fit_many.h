// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FIT_MANY_H_
#define CERES_PUBLIC_FIT_MANY_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/executor.h"
#include "ceres/traced.h"

namespace ceres {

// A column of numbers for many fits. The memory is the caller's.
//
// Value i of fit f is values[f * fit_stride + i * sample_stride]. If FitData
// has offsets, it is values[(offsets[f] + i) * sample_stride], unless
// fit_stride is 0. A fit_stride of 0 shares the values between all fits.
class FitColumn {
 public:
  // No column.
  FitColumn() = default;
  // Strides count numbers, and may be negative or 0.
  FitColumn(const double* values, std::int64_t fit_stride,
            std::int64_t sample_stride = 1)
      : FitColumn(values, Type::kDouble, fit_stride, sample_stride) {}
  FitColumn(const float* values, std::int64_t fit_stride,
            std::int64_t sample_stride = 1)
      : FitColumn(values, Type::kFloat, fit_stride, sample_stride) {}
  FitColumn(const bool* values, std::int64_t fit_stride,
            std::int64_t sample_stride = 1)
      : FitColumn(values, Type::kBool, fit_stride, sample_stride) {}

  // Whether there is no column.
  bool empty() const { return values_ == nullptr; }
  // The distances between two fits and between two samples, in numbers.
  std::int64_t fit_stride() const { return fit_stride_; }
  std::int64_t sample_stride() const { return sample_stride_; }

  // The number at an index, which strides are part of.
  double At(std::int64_t index) const {
    switch (type_) {
      case Type::kDouble:
        return static_cast<const double*>(values_)[index];
      case Type::kFloat:
        return static_cast<double>(static_cast<const float*>(values_)[index]);
      case Type::kBool:
        break;
    }
    return static_cast<const bool*>(values_)[index] ? 1.0 : 0.0;
  }

  // Copies `count` samples from an index on, to every stride-th number.
  void Copy(std::int64_t first, std::int64_t count, std::int64_t stride,
            double* to) const {
    if (type_ == Type::kDouble) {
      const double* from = static_cast<const double*>(values_) + first;
      for (std::int64_t i = 0; i < count; ++i) {
        to[i * stride] = from[i * sample_stride_];
      }
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      to[i * stride] = At(first + i * sample_stride_);
    }
  }

 private:
  enum class Type { kDouble, kFloat, kBool };
  FitColumn(const void* values, Type type, std::int64_t fit_stride,
            std::int64_t sample_stride)
      : values_(values),
        type_(type),
        fit_stride_(fit_stride),
        sample_stride_(sample_stride) {}

  const void* values_ = nullptr;
  Type type_ = Type::kDouble;
  std::int64_t fit_stride_ = 0;
  std::int64_t sample_stride_ = 1;
};

// The measurements of many fits.
struct FitData {
  // The number of fits.
  std::int64_t num_fits = 0;
  // The number of samples of each fit, if offsets is null.
  std::int64_t num_samples = 0;
  // If not null: fit f has offsets[f + 1] - offsets[f] samples. num_fits + 1
  // numbers that do not decrease.
  const std::int64_t* offsets = nullptr;
  // What the functor finds in `sample`, in this order.
  std::vector<FitColumn> columns;
  // Factors of the residuals of a sample: one over its standard deviation.
  FitColumn weights;
  // Samples where it is 0 are left out.
  FitColumn mask;
};

// The unknowns of many fits. The memory is the caller's.
struct FitParameters {
  // The number of parameters of a fit.
  int size = 0;
  // [num_fits][size]: on entry where the fits start, on return their results.
  // Starts outside of the bounds are moved to the nearest bound. A fit with
  // status kFailed or kNotRun keeps its start.
  double* values = nullptr;
  // Bounds of the parameters, or null. Those of fit f begin at f *
  // bounds_stride: 0 for the same bounds in all fits.
  const double* lower = nullptr;
  const double* upper = nullptr;
  std::int64_t bounds_stride = 0;
  // [size], or null: parameters that stay as they are, in all fits.
  const bool* fixed = nullptr;
};

// How a fit ended.
enum class FitStatus : std::int8_t {
  // Not begun: FitMany was stopped before.
  kNotRun = 0,
  // A tolerance of the options is met.
  kConverged = 1,
  // The best parameters so far are returned.
  kMaxIterations = 2,
  kStopped = 3,
  // The residuals or derivatives at the start are not finite, the functor
  // returned false there, the bounds exclude each other, or there is no sample.
  kFailed = 4,
};

// The memory that FitMany writes the results of each fit to. FitMany does not
// compute results whose pointer is null. The caller owns the memory.
struct FitResults {
  // [num_fits]: 1/2 sum rho(|r|^2); NaN for kFailed and kNotRun.
  double* costs = nullptr;
  // [num_fits][size][size]: the inverse of J'J at the result, see
  // FitManyOptions::scale_covariance. Zero for fixed parameters, infinite where
  // the samples do not determine the parameters, NaN for kFailed and kNotRun.
  double* covariances = nullptr;
  // [num_fits].
  FitStatus* statuses = nullptr;
  // [num_fits]: steps tried.
  std::int32_t* iterations = nullptr;
};

// The options of FitMany.
struct FitManyOptions {
  // The limit on steps tried.
  int max_num_iterations = 100;
  // A fit has converged if a step has lowered the cost by less than this part,
  // and was not expected to lower it by more.
  double function_tolerance = 1e-10;
  // Or if the cosine of the angle between the residuals and each column of J is
  // less.
  double gradient_tolerance = 1e-10;
  // Or if a step is shorter than this part of the parameters, in the norm
  // |J diag(x)|.
  double parameter_tolerance = 1e-15;
  // The inverse of the initial damping.
  double initial_trust_region_radius = 1e4;

  // The loss rho(s) of s = |r|^2, r being the weighted residuals of a sample.
  // rho(0) = 0, rho'(0) = 1. Recorded and differentiated like the functor.
  // Empty: s. See FitLoss.
  std::function<Traced(const Traced& s)> loss;

  // Leave out samples with a NaN in a column, in the weights or in the mask.
  // Otherwise such a fit fails.
  bool skip_nan = false;

  // Multiplies covariances by 2 cost / (residuals - free parameters), the
  // variance of the noise. Leave it out if the weights are one over known
  // standard deviations.
  bool scale_covariance = true;

  // The number of threads, of `executor` or, if it is null, of
  // parallel::ThreadPool::Default(). No result depends on it.
  int num_threads = 1;
  parallel::Executor* executor = nullptr;

  // Stops all fits: by a call, or by a deadline. Checked before each step.
  parallel::CancellationToken cancellation_token;

  // Called about a hundred times with the number of fits that have ended and
  // the number of all, by any of the threads, but by one at a time.
  std::function<void(std::int64_t ended, std::int64_t all)> progress;
};

// The numbers of fits by status.
struct FitManySummary {
  // How many fits ended with each FitStatus.
  std::int64_t num_converged = 0;
  std::int64_t num_max_iterations = 0;
  std::int64_t num_stopped = 0;
  std::int64_t num_failed = 0;
  std::int64_t num_not_run = 0;
};

// Loss functions for FitManyOptions. The scale `a` has the unit of |r| and is
// positive. ceres/loss_function.h has the formulas; Arctan has a^2 as its
// scale.
struct CERES_EXPORT FitLoss {
  // Each returns the loss of its name.
  static std::function<Traced(const Traced&)> Huber(double a);
  static std::function<Traced(const Traced&)> SoftLOne(double a);
  static std::function<Traced(const Traced&)> Cauchy(double a);
  static std::function<Traced(const Traced&)> Arctan(double a);
  static std::function<Traced(const Traced&)> Tukey(double a);
};

// What FitMany computes for a sample.
struct FitModel {
  // The number of residuals of a sample.
  int num_residuals = 1;
  // Writes the residuals. Returns false if they cannot be computed. Called from
  // several threads.
  std::function<bool(const Traced* parameters, const Traced* sample,
                     Traced* residuals)>
      residuals;
};

// The samples of one fit, for FitFunction.
struct FitSamples {
  // The number of samples.
  std::int64_t size = 0;
  // columns[c * size + i]: FitData::columns[c] of sample i. Samples that are
  // left out are not there.
  const double* columns = nullptr;
};

// A model that cannot be recorded: code of another library, or of another
// language. Its functions are called from several threads, for one fit at a
// time.
struct FitFunction {
  // The number of residuals of a sample.
  int num_residuals = 1;
  // Writes residuals[i * num_residuals + k], k < num_residuals, of all samples
  // i. Returns false if they cannot be computed.
  std::function<bool(const FitSamples& samples, const double* parameters,
                     double* residuals)>
      residuals;
  // Writes jacobian[(i * num_residuals + k) * size + j], the derivatives of the
  // residuals by parameter j < size. Empty: central differences with steps of
  // 1e-6 times the parameter, longer ones where they would change the residuals
  // by rounding only. They stay within bounds that are a 1e-5th of the
  // parameter or more apart.
  std::function<bool(const FitSamples& samples, const double* parameters,
                     double* jacobian)>
      jacobian;
};

// Minimizes 1/2 sum_i rho(|w_i r(x, d_i)|^2) over x for many independent sets
// of samples d_i, for example the pixels of an image series. An extension: see
// docs/solving/many_fits.md.
//
// The functor computes the residuals of one sample:
//
//   struct Decay {
//     static constexpr int kNumResiduals = 1;  // 1 if it is left out.
//     template <typename T, typename D>
//     bool operator()(const T* p, const D* sample, T* residual) const {
//       residual[0] = p[0] * exp(-sample[0] / p[1]) - sample[1];
//       return true;
//     }
//   };
//   FitMany(Decay(), options, data, parameters, results);
//
// T and D are Traced (ceres/traced.h): the functor is called a few times, not
// once per sample. It must give the same results for the same arguments, and
// not read data that change. It may branch on T and D; each combination of
// outcomes is recorded once per thread. A branch that samples take about as
// often as not is cheaper as Select.
//
// Method: Levenberg-Marquardt as in ceres/tiny_solver.h, with columns scaled by
// the largest diagonal of J'J so far, so that the units of parameters do not
// matter. With bounds, parameters at a bound that the gradient points out of
// are held, and a step that meets a bound is computed again with the parameter
// on the bound: a projected Newton method, D. P. Bertsekas, SIAM J. Control and
// Optimization 20, 1982. With a loss, J'J has the curvature of the loss as far
// as it is positive: Triggs et al., "Bundle Adjustment", 2000, section 4.3; for
// several residuals in a sample, its slope alone.
//
// Eight fits are computed at a time, each in a SIMD lane; a lane whose fit has
// ended takes the next one. The instruction set is chosen at run time.
//
// Determinism: the bits of a fit depend on its own data, parameters and
// options only: not on other fits, their number or order, or on threads. AVX2,
// AVX-512 and NEON give the same bits, except for functions that traced.h
// leaves to the C library. Processors without fused multiply-add differ in the
// last digits.
//
// A fit that fails does not disturb others. Memory: for each thread eight fits,
// and the program.
//
// Errors: checks that pointers and sizes are there and consistent. Exceptions
// of the functor and of callbacks reach the caller; fits that have not ended
// then are unchanged.
//
// Thread safety: calls may run at the same time for different results.
CERES_EXPORT FitManySummary FitMany(const FitModel& model,
                                    const FitManyOptions& options,
                                    const FitData& data,
                                    const FitParameters& parameters,
                                    const FitResults& results);

// The same for a function that cannot be recorded. Its samples are computed one
// fit at a time, and the steps in lanes. A residual that is not finite is as
// one that cannot be computed: the step is rejected, or the fit fails at its
// start.
CERES_EXPORT FitManySummary FitMany(const FitFunction& function,
                                    const FitManyOptions& options,
                                    const FitData& data,
                                    const FitParameters& parameters,
                                    const FitResults& results);

namespace internal::fits {

template <typename Functor, typename = void>
struct NumResidualsOf : std::integral_constant<int, 1> {};
template <typename Functor>
struct NumResidualsOf<Functor, std::void_t<decltype(Functor::kNumResiduals)>>
    : std::integral_constant<int, Functor::kNumResiduals> {};

}  // namespace internal::fits

// Fits the model to each set of samples; see the beginning of this header.
template <typename Functor>
FitManySummary FitMany(const Functor& functor, const FitManyOptions& options,
                       const FitData& data, const FitParameters& parameters,
                       const FitResults& results) {
  FitModel model;
  model.num_residuals = internal::fits::NumResidualsOf<Functor>::value;
  model.residuals = [&functor](const Traced* p, const Traced* sample,
                               Traced* residuals) {
    return static_cast<bool>(functor(p, sample, residuals));
  };
  return FitMany(model, options, data, parameters, results);
}

// With a functor that has no state: FitMany<Decay>(options, ...).
template <typename Functor>
FitManySummary FitMany(const FitManyOptions& options, const FitData& data,
                       const FitParameters& parameters,
                       const FitResults& results) {
  return FitMany(Functor(), options, data, parameters, results);
}

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_FIT_MANY_H_
