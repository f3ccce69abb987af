// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_FAKE_MANIFOLD_H_
#define CERES_INTERNAL_MODELLING_FAKE_MANIFOLD_H_

#include "ceres/manifold.h"

namespace ceres::internal {

// A manifold for tests. Its functions succeed or fail as they are told, count
// their calls, and write nothing.
class FakeManifold : public Manifold {
 public:
  FakeManifold(int ambient_size, int tangent_size, bool succeeds)
      : succeeds_(succeeds),
        ambient_size_(ambient_size),
        tangent_size_(tangent_size) {}
  int AmbientSize() const override { return ambient_size_; }
  int TangentSize() const override { return tangent_size_; }
  bool Plus(const double*, const double*, double*) const override {
    return Call();
  }
  bool PlusJacobian(const double*, double*) const override { return Call(); }
  bool Minus(const double*, const double*, double*) const override {
    return Call();
  }
  bool MinusJacobian(const double*, double*) const override { return Call(); }

  void set_succeeds(bool succeeds) { succeeds_ = succeeds; }
  int num_calls() const { return num_calls_; }

 private:
  bool Call() const {
    ++num_calls_;
    return succeeds_;
  }

  bool succeeds_;
  const int ambient_size_, tangent_size_;
  mutable int num_calls_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_FAKE_MANIFOLD_H_
