// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_FITS_FIT_GROUP_H_
#define CERES_INTERNAL_FITS_FIT_GROUP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ceres/fits/fit_job.h"
#include "ceres/fits/function_columns.h"
#include "ceres/fits/lane_evaluator.h"
#include "ceres/fits/lane_steps.h"
#include "ceres/lanes/lane_numbers.h"

namespace ceres::internal::fits {

// The fits in the lanes of one thread. Each round evaluates the trial point of
// every lane, and decides in each lane by itself: accept the point or damp
// more, end the fit and take the next one, compute the next step. A round thus
// does the same work in all lanes, whatever the state of their fits.
class FitGroup {
 public:
  explicit FitGroup(FitJob* job);

  // Claims and computes fits until there are none.
  void Run();

 private:
  // The lane's fit, or -1.
  bool IsActive(int lane) const { return fits_[lane] >= 0; }

  LaneFits View();
  void Load(int lane);
  bool LoadParameters(std::int64_t fit, int lane);
  std::int64_t LoadSamples(std::int64_t fit, int lane);
  bool LoadColumn(std::int64_t fit, int lane, int c, std::int64_t size);
  bool HasNan(int lane, int c, std::int64_t size) const;
  std::int64_t RemoveMissing(std::int64_t fit, int lane, std::int64_t size);
  void GrowSamples(std::int64_t size);
  const FitColumn& Column(int c) const;
  std::int64_t FirstIndex(const FitColumn& column, std::int64_t fit) const;
  void EndFits(bool limits_steps);
  void End(int lane, FitStatus status);
  void Stop();
  void WriteResult(int lane, FitStatus status);
  bool InvertMatrix(int lane);
  void WriteCovariance(int lane, double* covariance);

  // J'J at the best point.
  double MatrixEntry(int lane, int i, int j) const {
    return products_[i < j ? j * padded_size_ + i : i * padded_size_ + j][lane];
  }
  FitJob& job_;
  const int size_;
  const int padded_size_;
  const bool is_bounded_;
  LaneEvaluator evaluator_;
  LaneSamples samples_;
  std::optional<FunctionColumns> function_columns_;

  std::array<std::int64_t, kLanes> fits_;
  std::array<int, kLanes> iterations_{};
  // The samples of shared columns that the lane has, from the first one.
  std::array<std::int64_t, kLanes> num_shared_{};

  // See LaneFits.
  LaneArray x_, trial_x_, products_, trial_products_;
  LaneArray is_fixed_, lower_, upper_, scale_, is_free_, step_, workspace_;
  LaneNumbers costs_, trial_costs_, is_fresh_, damping_, growth_, is_solved_;
  LaneNumbers model_decrease_, outcome_;

  // Of the covariance of one fit: the parameters that are not fixed, Cholesky's
  // root, its inverse, and one over the norms of the columns of J.
  std::vector<int> varying_;
  std::vector<double> root_, inverse_, factor_;
};

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_FIT_GROUP_H_
