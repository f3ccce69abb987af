// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// With s the scale and y = x / s, Branch, Coleman and Li measure the distance
// of y_j from the bound that the negative gradient points to:
//
//   w_j = |bound_j - x_j| / s_j,   1 if there is no such bound.
//
// The trust region is a ball in z = y / sqrt(w), that is x = d z with
// d = s sqrt(w). A Newton step for the optimality conditions w g = 0 minimizes
//
//   phi(z) = g'(d z) + 1/2 |R d z|^2 + 1/2 z'C z,   C_j = s_j |g_j|, or 0.
//
// A minimizer that leaves the box is replaced by the best of three steps: cut
// at the bound, reflected at the bound, and along the gradient. All stay away
// from bounds by a small part of the way.

#include <algorithm>
#include <cmath>
#include <limits>

#include "trial_steps.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Ellipsoid final : public TrialSteps {
 public:
  explicit Ellipsoid(const FitBox& box) : box_(box) {}

  void Set(const ReducedModel& model, const VectorXd& x,
           const VectorXd& scale) override {
    model_ = &model;
    x_ = &x;
    const VectorXd& g = model.gradient;
    const Index n = x.size();
    d_ = scale;
    curvature_.setZero(n);
    optimality_ = 0.0;
    for (Index j = 0; j < n; ++j) {
      const double room = g[j] < 0.0   ? box_.upper[j] - x[j]
                          : g[j] > 0.0 ? x[j] - box_.lower[j]
                                       : kInfinity;
      const bool limited = std::isfinite(room);
      optimality_ =
          std::max(optimality_, std::abs(g[j] * (limited ? room : 1)));
      if (!limited) continue;
      d_[j] = std::sqrt(room * scale[j]);
      curvature_[j] = std::abs(g[j]) * scale[j];
    }
    if (!box_.bounded) {
      ball_.Set(model.r * d_.asDiagonal(), model.q);
    } else {
      Eigen::MatrixXd b(2 * n, n);
      b << model.r * d_.asDiagonal(),
          Eigen::MatrixXd(curvature_.cwiseSqrt().asDiagonal());
      VectorXd q(2 * n);
      q << model.q, VectorXd::Zero(n);
      ball_.Set(b, q);
    }
    const double size = model.q.norm();
    const double part = size > 0.0 ? promise() / size : 0.0;
    theta_ = std::max(0.995, 1.0 - part * part);
  }

  TrialStep Compute(double radius) override {
    TrialStep step;
    const VectorXd z = ball_.Minimize(radius, &step.inside);
    const double way = Way(*x_, d_.cwiseProduct(z));
    Take(z, &step);
    // Strictly inside, or nearly so.
    if (way > 1.0) return step;
    step.inside = false;
    Take(theta_ * way * z, &step);
    TakeIfBetter(Reflected(z, way, radius), &step);
    TakeIfBetter(AlongGradient(radius), &step);
    return step;
  }

  VectorXd Move(const VectorXd& x, const TrialStep& step) const override {
    VectorXd moved = x + step.p;
    if (!box_.bounded) return moved;
    for (Index j = 0; j < x.size(); ++j) {
      if (moved[j] <= box_.lower[j]) {
        moved[j] = std::nextafter(box_.lower[j], box_.upper[j]);
      }
      if (moved[j] >= box_.upper[j]) {
        moved[j] = std::nextafter(box_.upper[j], box_.lower[j]);
      }
    }
    return moved;
  }

  double Norm(const VectorXd& x) const override {
    return x.cwiseQuotient(d_).norm();
  }
  double optimality() const override { return optimality_; }
  double promise() const override { return ball_.LargestDecrease(); }

 private:
  // The largest t for which x + t p is in the box.
  double Way(const VectorXd& x, const VectorXd& p) const {
    double way = kInfinity;
    if (!box_.bounded) return way;
    for (Index j = 0; j < x.size(); ++j) way = std::min(way, WayOf(x, p, j));
    return way;
  }

  double WayOf(const VectorXd& x, const VectorXd& p, Index j) const {
    if (p[j] == 0.0) return kInfinity;
    const double room = (p[j] > 0.0 ? box_.upper[j] : box_.lower[j]) - x[j];
    return std::max(0.0, room / p[j]);
  }

  double Phi(const VectorXd& z, double* barrier) const {
    *barrier = 0.5 * z.cwiseAbs2().dot(curvature_);
    return model_->Change(d_.cwiseProduct(z)) + *barrier;
  }

  void Take(const VectorXd& z, TrialStep* step) const {
    step->predicted = -Phi(z, &step->barrier);
    step->p = d_.cwiseProduct(z);
    step->norm = z.norm();
  }

  void TakeIfBetter(const VectorXd& z, TrialStep* step) const {
    double barrier;
    if (z.size() > 0 && -Phi(z, &barrier) > step->predicted) Take(z, step);
  }

  // The t in [low, high] at which phi(from + t r) is least.
  double LeastAlong(const VectorXd& from, const VectorXd& r, double low,
                    double high) const {
    const VectorXd jr = model_->r * d_.cwiseProduct(r);
    const VectorXd jf = model_->r * d_.cwiseProduct(from);
    const double slope = model_->gradient.dot(d_.cwiseProduct(r)) + jr.dot(jf) +
                         r.cwiseProduct(curvature_).dot(from);
    const double curvature = jr.squaredNorm() + r.cwiseAbs2().dot(curvature_);
    if (curvature > 0.0) {
      return std::min(std::max(-slope / curvature, low), high);
    }
    return slope < 0.0 ? high : low;
  }

  // z goes to the first bound, and on with the component reversed that hit it.
  VectorXd Reflected(const VectorXd& z, double way, double radius) const {
    const VectorXd hit = way * z;
    const VectorXd p = d_.cwiseProduct(z);
    VectorXd r = z;
    for (Index j = 0; j < z.size(); ++j) {
      if (WayOf(*x_, p, j) <= way) r[j] = -r[j];
    }
    // |hit + t r| = radius
    const double rr = r.squaredNorm();
    const double hr = hit.dot(r);
    const double room = radius * radius - hit.squaredNorm();
    if (!(rr > 0.0) || !(room > 0.0)) return VectorXd();
    const double to_sphere = (std::sqrt(hr * hr + rr * room) - hr) / rr;
    const double to_bound = Way(*x_ + d_.cwiseProduct(hit), d_.cwiseProduct(r));
    const double low = (1.0 - theta_) * way;
    const double high = std::min(to_sphere, theta_ * to_bound);
    if (!(low < high)) return VectorXd();
    return hit + LeastAlong(hit, r, low, high) * r;
  }

  VectorXd AlongGradient(double radius) const {
    const VectorXd r = -d_.cwiseProduct(model_->gradient);
    const double norm = r.norm();
    if (!(norm > 0.0)) return VectorXd();
    const double high =
        std::min(radius / norm, theta_ * Way(*x_, d_.cwiseProduct(r)));
    return LeastAlong(VectorXd::Zero(r.size()), r, 0.0, high) * r;
  }

  const FitBox& box_;
  const ReducedModel* model_ = nullptr;
  const VectorXd* x_ = nullptr;
  VectorXd d_;
  VectorXd curvature_;
  BallProblem ball_;
  double optimality_ = 0.0;
  double theta_ = 0.0;
};

}  // namespace

std::unique_ptr<TrialSteps> EllipsoidSteps(const FitBox& box) {
  return std::make_unique<Ellipsoid>(box);
}

}  // namespace vesta::python
