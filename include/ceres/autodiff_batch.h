// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_BATCH_H_
#define CERES_PUBLIC_AUTODIFF_BATCH_H_

// Many residual blocks of one functor, computed in SIMD lanes. An extension:
// see docs/modelling/batches.md.

#include <cstddef>
#include <utility>
#include <vector>

#include "ceres/batch_columns.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/internal/traced_batch.h"
#include "ceres/internal/traced_jet.h"
#include "ceres/residual_batch.h"
#include "ceres/types.h"

namespace ceres {

// A residual block for each row of a table of data. All have kNumResiduals
// residuals, and parameter blocks of sizes Ns.... The functor takes one pointer
// per block, the row of its data, and the residuals:
//
//   struct Line {
//     template <typename T, typename D>
//     bool operator()(const T* line, const D* data, T* residuals) const {
//       residuals[0] = line[0] * data[0] + line[1] - data[1];
//       return true;
//     }
//   };
//   // Rows x, y.
//   AutoDiffBatch<Line, 1, 2> batch(BatchColumns(values, num_rows, 2));
//
// The functor is not called for each row. It is called a few times with numbers
// that record what is computed (ceres/traced.h), and the record becomes a
// program that computes the rows and their derivatives in SIMD lanes. So the
// functor must compute the same for the same arguments, without side effects.
// It may call what Traced and its Jets have: arithmetic, comparisons, the
// functions of ceres/traced.h, of ceres/rotation.h, and of Eigen.
//
// A comparison, as in `if (x < y)`, makes a record valid for rows with the same
// outcome. Each combination of outcomes that occurs is recorded once, when it
// first occurs. Rows of a combination beyond the 64th are computed one at a
// time, which is slow. Select(x < y, a, b) computes both sides and needs no
// record of its own.
//
// Results: the formulas of the derivatives are those of AutoDiffCostFunction. A
// row has the bits of the residual block that AutoDiffCostFunction makes of the
// functor if it calls no functions but sqrt, abs, floor, ceil, copysign and
// those of the C library (ceres/traced.h lists them), and if that code is
// compiled without contraction of a b + c. Other functions differ by the errors
// that ceres/traced.h states. The bits of a row depend on its own arguments
// only: not on other rows, their number, threads, or the time of the call.
//
// Failure: a row fails if the functor returns false, or if a result is not
// finite. Evaluate returns the index of the first such row. CHECKs that the
// functor reads no column that the data do not have (64 columns beyond the last
// one are recognized).
//
// Thread safety: Evaluate may be called from several threads. Each thread keeps
// some 30 kB of memory.
template <typename Functor, int kNumResiduals, int... Ns>
class AutoDiffBatch final : public internal::TracedBatch {
  static_assert(kNumResiduals > 0,
                "AutoDiffBatch needs a fixed number of residuals.");

 public:
  // A functor without state.
  explicit AutoDiffBatch(BatchColumns data)
      : AutoDiffBatch(Functor(), std::move(data)) {}

  // A functor with state, which is copied.
  AutoDiffBatch(Functor functor, BatchColumns data)
      : TracedBatch(kNumResiduals, {Ns...}, std::move(data)),
        functor_(std::move(functor)) {}

  // The functor that rows are computed by.
  const Functor& functor() const { return functor_; }

 private:
  using Dims = internal::StaticParameterDims<Ns...>;
  static constexpr int kNumParameters = Dims::kNumParameters;

  using JetT = Jet<Traced, kNumParameters>;

  template <std::size_t... kBlocks>
  bool Call(const JetT* parameters, const Traced* data, JetT* residuals,
            std::index_sequence<kBlocks...>) const {
    return static_cast<bool>(
        functor_(parameters + Dims::OffsetOf(static_cast<int>(kBlocks))...,
                 data, residuals));
  }

  bool Record(const Traced* parameters, const Traced* data, Traced* residuals,
              Traced* derivatives) const override {
    std::vector<JetT> x;
    for (int i = 0; i < kNumParameters; ++i) x.emplace_back(parameters[i], i);
    std::vector<JetT> y;
    for (int r = 0; r < kNumResiduals; ++r) y.emplace_back(residuals[r]);
    if (!Call(x.data(), data, y.data(),
              std::make_index_sequence<sizeof...(Ns)>())) {
      return false;
    }
    for (int r = 0; r < kNumResiduals; ++r) {
      residuals[r] = y[r].a;
      for (int i = 0; i < kNumParameters; ++i) {
        derivatives[r * kNumParameters + i] = y[r].v[i];
      }
    }
    return true;
  }

  const Functor functor_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_AUTODIFF_BATCH_H_
