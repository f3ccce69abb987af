// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARTICIPANT_H_
#define CERES_PUBLIC_PARALLEL_PARTICIPANT_H_

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The number of a participant of a loop, from 0. One thread at a time has the
// number, so it can be the index of scratch memory. The caller of the loop is
// 0. Converts to int, but not from int, so that a body (Participant, int) is
// not mistaken for a body of two integers.
class Participant {
 public:
  // The participant with this number.
  constexpr explicit Participant(int index) : index_(index) {}

  // The number.
  constexpr int index() const { return index_; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator int() const { return index_; }

 private:
  int index_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARTICIPANT_H_
