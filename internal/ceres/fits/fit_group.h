// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_FITS_FIT_GROUP_H_
#define CERES_INTERNAL_FITS_FIT_GROUP_H_

#include <array>
#include <cstdint>

#include "ceres/fits/fit_job.h"
#include "ceres/fits/lane_evaluator.h"
#include "ceres/fits/lane_numbers.h"

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

  void Load(int lane);
  std::int64_t LoadSamples(std::int64_t fit, int lane);
  bool LoadParameters(std::int64_t fit, int lane);
  void Judge(int lane);
  void JudgeStart(int lane);
  void Accept(int lane);
  bool IsFinite(int lane) const;
  bool IsOptimal(int lane) const;
  bool IsHeld(int lane, int parameter) const;
  void ComputeSteps();
  bool MoveStepsToBounds();
  void MoveOrEnd(int lane);
  void GrowSamples(std::int64_t size);
  void End(int lane, FitStatus status);
  void WriteResult(int lane, FitStatus status);
  void Stop();
  void WriteCovariance(int lane, double* covariance) const;

  double MatrixEntry(int lane, int i, int j) const {
    return products_[i < j ? j * padded_size_ + i : i * padded_size_ + j]
                    [lane];
  }
  double GradientEntry(int lane, int i) const {
    return products_[size_ * padded_size_ + i][lane];
  }

  FitJob& job_;
  const int size_;
  const int padded_size_;
  const bool is_bounded_;
  LaneEvaluator evaluator_;
  LaneSamples samples_;

  std::array<std::int64_t, kLanes> fits_;
  std::array<bool, kLanes> is_fresh_{};  // Its start has not been evaluated.
  std::array<int, kLanes> iterations_{};

  // The best point of each lane and the products there; the trial point.
  LaneArray x_, trial_x_;
  LaneArray products_, trial_products_;
  LaneNumbers costs_, trial_costs_;

  // Of the step. lower_ and upper_ are empty without bounds.
  LaneArray scale_, is_free_, step_, lower_, upper_, workspace_;
  LaneNumbers damping_, growth_, is_solved_, model_decrease_;
};

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_FIT_GROUP_H_
