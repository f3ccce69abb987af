// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_
#define CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_

// For tests of who deletes what.

namespace ceres::internal {

// Counts its living instances in *num_living. Base class of test functors.
class CountsInstances {
 public:
  CountsInstances() = default;
  explicit CountsInstances(int* num_living) : num_living_(num_living) {
    ++*num_living_;
  }
  ~CountsInstances() {
    if (num_living_ != nullptr) --*num_living_;
  }
  CountsInstances(const CountsInstances&) = delete;
  CountsInstances& operator=(const CountsInstances&) = delete;

 private:
  int* num_living_ = nullptr;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_FUNCTOR_COUNTER_H_
