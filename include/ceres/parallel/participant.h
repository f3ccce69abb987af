// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARTICIPANT_H_
#define CERES_PUBLIC_PARALLEL_PARTICIPANT_H_

namespace ceres::parallel {

// The participant of a loop that calls the body: a number from 0, held by one
// thread at a time, so it can be the index of scratch memory. The caller of the
// loop is 0. Converts to int, but not from int, so that a body (Participant,
// int) is never mistaken for a body of two integers.
class Participant {
 public:
  constexpr explicit Participant(int index) : index_(index) {}

  constexpr int index() const { return index_; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator int() const { return index_; }

 private:
  int index_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARTICIPANT_H_
