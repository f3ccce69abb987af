// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fits/lane_steps.h"

#include <limits>

#include "ceres/kernels/highway_targets.h"
#include "ceres/lanes/lane_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/fits/lane_steps.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::fits {

using lanes::kLanes;
using lanes::PaddedSize;

namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

HWY_INLINE Vec Number(double x) { return hn::Set(Tag(), x); }

// The fits of one vector of lanes.
class VectorOfFits {
 public:
  VectorOfFits(const LaneFits& fits, int lane)
      : fits_(fits),
        size_(fits.size),
        lane_(lane),
        padded_size_(PaddedSize(fits.size + 1)) {}

  void Judge() {
    const Mask is_fresh = IsTrue(fits_.is_fresh, 0);
    const Mask is_solved = hn::AndNot(is_fresh, IsTrue(fits_.is_solved, 0));
    const Vec cost = Get(fits_.cost, 0), trial_cost = Get(fits_.trial_cost, 0);
    const Vec decrease = Get(fits_.model_decrease, 0);
    const Vec change = hn::Sub(cost, trial_cost);
    const Vec gain = hn::Div(change, decrease);
    const Vec least = hn::Mul(cost, Number(fits_.function_tolerance));
    const Mask is_finite = IsTrialFinite();
    // Rounding may raise the cost of the best point.
    const Mask is_flat =
        hn::And(is_solved, hn::And(hn::Le(hn::Abs(change), least),
                                   hn::Le(hn::Abs(decrease), least)));
    const Mask is_better = hn::And(
        hn::AndNot(is_fresh, is_finite),
        hn::And(hn::Gt(change, Number(0.0)), hn::Gt(gain, Number(0.0))));
    const Mask is_accepted = hn::Or(is_better, hn::And(is_fresh, is_finite));
    Accept(is_accepted);
    AdaptDamping(is_fresh, is_better, gain);
    const Mask is_optimal = hn::And(is_accepted, FindFreeAndOptimal());
    Vec outcome =
        hn::IfThenElse(hn::Or(is_flat, is_optimal),
                       Number(LaneFits::kConverged), Number(LaneFits::kGoOn));
    outcome = hn::IfThenElse(hn::AndNot(is_finite, is_fresh),
                             Number(LaneFits::kFailed), outcome);
    Put(outcome, fits_.outcome, 0);
    Put(hn::IfThenElse(is_finite, Number(0.0), Get(fits_.is_fresh, 0)),
        fits_.is_fresh, 0);
  }

  void MakeTrial() {
    const Mask is_fresh = IsTrue(fits_.is_fresh, 0);
    for (int i = 0; i < size_; ++i) {
      Put(Number(0.0), fits_.step, i);
      Put(hn::IfThenZeroElse(is_fresh, Get(fits_.is_free, i)), fits_.is_free,
          i);
    }
    // A lane without a step across a bound gets the same step each time.
    do {
      SolveStep();
    } while (fits_.lower != nullptr && EndStepsAtBounds());
    MoveTrial(is_fresh);
  }

 private:
  Vec Get(const double* from, int i) const {
    return hn::Load(Tag(), from + i * kLanes + lane_);
  }
  void Put(Vec x, double* to, int i) const {
    hn::Store(x, Tag(), to + i * kLanes + lane_);
  }
  Mask IsTrue(const double* from, int i) const {
    return hn::Ne(Get(from, i), Number(0.0));
  }
  // J'J and J'r at the best point.
  Vec Matrix(int i, int j) const {
    return Get(fits_.products,
               i < j ? j * padded_size_ + i : i * padded_size_ + j);
  }
  Vec Gradient(int i) const {
    return Get(fits_.products, size_ * padded_size_ + i);
  }
  // L below the diagonal, D on it.
  Vec Factor(int i, int j) const { return Get(fits_.workspace, i * size_ + j); }

  Mask IsTrialFinite() const {
    Vec sum = Get(fits_.trial_cost, 0);
    for (int i = 0; i < size_; ++i) {
      sum = hn::Add(sum, Get(fits_.trial_products, i * padded_size_ + i));
    }
    return hn::Lt(hn::Abs(sum),
                  Number(std::numeric_limits<double>::infinity()));
  }

  void Replace(Mask mask, const double* from, double* to, int i) const {
    Put(hn::IfThenElse(mask, Get(from, i), Get(to, i)), to, i);
  }

  void Accept(Mask mask) const {
    for (int i = 0; i < size_; ++i) Replace(mask, fits_.trial_x, fits_.x, i);
    for (int i = 0; i <= size_; ++i) {
      for (int j = 0; j <= i; ++j) {
        Replace(mask, fits_.trial_products, fits_.products,
                i * padded_size_ + j);
      }
    }
    Replace(mask, fits_.trial_cost, fits_.cost, 0);
    for (int i = 0; i < size_; ++i) {
      const Vec scale = Get(fits_.scale, i);
      Put(hn::IfThenElse(mask, hn::Max(scale, Matrix(i, i)), scale),
          fits_.scale, i);
    }
  }

  // Nielsen's rule.
  void AdaptDamping(Mask is_fresh, Mask is_better, Vec gain) const {
    const Vec t = hn::Sub(hn::Add(gain, gain), Number(1.0));
    const Vec factor = hn::Max(Number(1.0 / 3.0),
                               hn::Sub(Number(1.0), hn::Mul(hn::Mul(t, t), t)));
    const Vec growth = Get(fits_.growth, 0);
    const Vec damping = Get(fits_.damping, 0);
    const Vec adapted =
        hn::Mul(damping, hn::IfThenElse(is_better, factor, growth));
    const Vec next_growth =
        hn::IfThenElse(is_better, Number(2.0), hn::Add(growth, growth));
    Put(hn::IfThenElse(is_fresh, damping, adapted), fits_.damping, 0);
    Put(hn::IfThenElse(is_fresh, growth, next_growth), fits_.growth, 0);
  }

  // A parameter is held if it is fixed, has no influence, or is at a bound and
  // would leave. Returns where the residuals are orthogonal to the columns of J
  // of all other parameters.
  Mask FindFreeAndOptimal() const {
    const Vec zero = Number(0.0);
    const Vec least =
        hn::Mul(Get(fits_.products, size_ * padded_size_ + size_),
                Number(fits_.gradient_tolerance * fits_.gradient_tolerance));
    Mask is_optimal = hn::Eq(zero, zero);
    for (int i = 0; i < size_; ++i) {
      const Vec slope = Gradient(i), square = Matrix(i, i);
      Mask is_free =
          hn::And(hn::Gt(square, zero), hn::Not(IsTrue(fits_.is_fixed, i)));
      if (fits_.lower != nullptr) {
        const Vec x = Get(fits_.x, i);
        const Mask is_low =
            hn::And(hn::Gt(slope, zero), hn::Le(x, Get(fits_.lower, i)));
        const Mask is_high =
            hn::And(hn::Lt(slope, zero), hn::Ge(x, Get(fits_.upper, i)));
        is_free = hn::AndNot(hn::Or(is_low, is_high), is_free);
      }
      Put(hn::IfThenElseZero(is_free, Number(1.0)), fits_.is_free, i);
      const Mask is_small =
          hn::Le(hn::Mul(slope, slope), hn::Mul(least, square));
      is_optimal = hn::And(is_optimal, hn::Or(is_small, hn::Not(is_free)));
    }
    return is_optimal;
  }

  // Solves (J'J + damping D) step = -J'r for the free part of the step, by
  // Cholesky's factorization L D L' without square roots.
  void SolveStep() const {
    Put(Factorize(), fits_.is_solved, 0);
    double* const x = fits_.workspace + size_ * size_ * kLanes;
    for (int i = 0; i < size_; ++i) {
      Vec sum = RightHandSide(i);
      for (int j = 0; j < i; ++j) {
        sum = hn::NegMulAdd(Factor(i, j), Get(x, j), sum);
      }
      Put(sum, x, i);
    }
    for (int i = size_ - 1; i >= 0; --i) {
      Vec sum = hn::Div(Get(x, i), Factor(i, i));
      for (int j = i + 1; j < size_; ++j) {
        sum = hn::NegMulAdd(Factor(j, i), Get(x, j), sum);
      }
      Put(sum, x, i);
    }
    for (int i = 0; i < size_; ++i) Put(Get(x, i), fits_.step, i);
    Put(Decrease(), fits_.model_decrease, 0);
  }

  // Returns 1 where all pivots are positive. Rows of given steps are those of
  // the identity.
  Vec Factorize() const {
    constexpr double kLeastPivot = 1e-15;
    const Vec one = Number(1.0);
    const Vec damping = Get(fits_.damping, 0);
    Vec ok = one;
    for (int i = 0; i < size_; ++i) {
      const Mask is_free = IsTrue(fits_.is_free, i);
      const Vec diagonal = hn::IfThenElse(
          is_free, hn::MulAdd(damping, Get(fits_.scale, i), Matrix(i, i)), one);
      Vec pivot = diagonal;
      for (int j = 0; j < i; ++j) {
        // Multiplied by the pivot, until it is divided by it.
        Vec sum = hn::IfThenElseZero(hn::And(is_free, IsTrue(fits_.is_free, j)),
                                     Matrix(i, j));
        for (int k = 0; k < j; ++k) {
          sum = hn::NegMulAdd(Factor(i, k), Scaled(j, k), sum);
        }
        const Vec factor = hn::Div(sum, Factor(j, j));
        Put(factor, fits_.workspace, i * size_ + j);
        // L D above the diagonal.
        Put(sum, fits_.workspace, j * size_ + i);
        pivot = hn::NegMulAdd(factor, sum, pivot);
      }
      const Mask is_good =
          hn::Gt(pivot, hn::Mul(diagonal, Number(kLeastPivot)));
      ok = hn::IfThenElseZero(is_good, ok);
      Put(hn::IfThenElse(is_good, pivot, one), fits_.workspace, i * size_ + i);
    }
    return ok;
  }
  Vec Scaled(int i, int j) const { return Factor(j, i); }

  Vec RightHandSide(int i) const {
    Vec sum = hn::Neg(Gradient(i));
    if (fits_.lower != nullptr) {
      for (int j = 0; j < size_; ++j) {
        const Vec given =
            hn::IfThenZeroElse(IsTrue(fits_.is_free, j), Get(fits_.step, j));
        sum = hn::NegMulAdd(Matrix(i, j), given, sum);
      }
    }
    return hn::IfThenElse(IsTrue(fits_.is_free, i), sum, Get(fits_.step, i));
  }

  // -g's - 1/2 s'J'J s.
  Vec Decrease() const {
    Vec total = Number(0.0);
    for (int i = 0; i < size_; ++i) {
      const Vec s = Get(fits_.step, i);
      Vec sum = hn::Mul(Matrix(i, i), hn::Mul(s, Number(0.5)));
      for (int j = 0; j < i; ++j) {
        sum = hn::MulAdd(Matrix(i, j), Get(fits_.step, j), sum);
      }
      total = hn::NegMulAdd(s, hn::Add(sum, Gradient(i)), total);
    }
    return total;
  }

  // Ends steps across a bound there, as given parts of the next solution.
  // Returns whether there were any. A step that is not a number is rejected
  // later.
  bool EndStepsAtBounds() const {
    Mask is_any = hn::Lt(Number(0.0), Number(0.0));
    for (int i = 0; i < size_; ++i) {
      const Vec x = Get(fits_.x, i), step = Get(fits_.step, i);
      const Vec next = hn::Add(x, step);
      const Vec low = Get(fits_.lower, i), high = Get(fits_.upper, i);
      const Mask is_low = hn::Lt(next, low);
      const Mask is_out =
          hn::And(IsTrue(fits_.is_free, i), hn::Or(is_low, hn::Gt(next, high)));
      const Vec bound = hn::IfThenElse(is_low, low, high);
      Put(hn::IfThenElse(is_out, hn::Sub(bound, x), step), fits_.step, i);
      Put(hn::IfThenZeroElse(is_out, Get(fits_.is_free, i)), fits_.is_free, i);
      is_any = hn::Or(is_any, is_out);
    }
    return !hn::AllFalse(Tag(), is_any);
  }

  // The trial point of parameter i. A given step ends at the bound in spite of
  // rounding.
  Vec NextPoint(int i, Mask is_given) const {
    const Vec x = Get(fits_.x, i), step = Get(fits_.step, i);
    Vec next = hn::Add(x, step);
    if (fits_.lower == nullptr) return next;
    const Vec zero = Number(0.0);
    const Vec low = Get(fits_.lower, i), high = Get(fits_.upper, i);
    const Mask is_low =
        hn::Or(hn::Lt(next, low), hn::And(is_given, hn::Lt(step, zero)));
    const Mask is_high =
        hn::Or(hn::Gt(next, high), hn::And(is_given, hn::Gt(step, zero)));
    next = hn::IfThenElse(hn::And(is_low, IsTrue(fits_.step, i)), low, next);
    return hn::IfThenElse(hn::And(is_high, IsTrue(fits_.step, i)), high, next);
  }

  // Sets the trial points. A fit has converged if its step is short, or if the
  // step is nearly that of Gauss and Newton, and their model cannot fall by a
  // part that counts.
  void MoveTrial(Mask is_fresh) const {
    const Mask is_solved = IsTrue(fits_.is_solved, 0);
    Vec step_square = Number(0.0), x_square = Number(0.0);
    Mask is_any_given = hn::Lt(step_square, x_square);
    for (int i = 0; i < size_; ++i) {
      const Vec x = Get(fits_.x, i), scale = Get(fits_.scale, i);
      const Mask is_given =
          hn::AndNot(IsTrue(fits_.is_free, i), IsTrue(fits_.step, i));
      is_any_given = hn::Or(is_any_given, is_given);
      const Vec next = hn::IfThenElse(is_solved, NextPoint(i, is_given), x);
      Put(hn::IfThenElse(is_fresh, Get(fits_.trial_x, i), next), fits_.trial_x,
          i);
      const Vec step = hn::Sub(next, x);
      step_square = hn::MulAdd(scale, hn::Mul(step, step), step_square);
      x_square = hn::MulAdd(scale, hn::Mul(x, x), x_square);
    }
    const Mask is_short = hn::Le(
        step_square, hn::Mul(x_square, Number(fits_.parameter_tolerance *
                                              fits_.parameter_tolerance)));
    // The model falls by 1/2 s'J'J s + e, where e = damping s'D s.
    const Vec decrease = Get(fits_.model_decrease, 0);
    const Vec e = hn::Mul(Get(fits_.damping, 0), step_square);
    constexpr double kDampedPart = 6.0;
    const Mask is_newton = hn::AndNot(
        is_any_given, hn::Le(hn::Mul(e, Number(kDampedPart)), decrease));
    const Mask is_flat = hn::And(
        is_newton, hn::Le(decrease, hn::Mul(Get(fits_.cost, 0),
                                            Number(fits_.function_tolerance))));
    const Mask has_ended =
        hn::And(hn::AndNot(is_fresh, is_solved), hn::Or(is_short, is_flat));
    Put(hn::IfThenElseZero(has_ended, Number(LaneFits::kConverged)),
        fits_.outcome, 0);
  }

  const LaneFits& fits_;
  const int size_;
  const int lane_;
  const int padded_size_;
};

constexpr int kVectorSize = static_cast<int>(hn::MaxLanes(Tag()));

void JudgeTrialsInLanes(const LaneFits& fits) {
  for (int v = 0; v < kLanes; v += kVectorSize) VectorOfFits(fits, v).Judge();
}

void MakeTrialsInLanes(const LaneFits& fits) {
  for (int v = 0; v < kLanes; v += kVectorSize) {
    VectorOfFits(fits, v).MakeTrial();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::fits
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::fits {

HWY_EXPORT(JudgeTrialsInLanes);
HWY_EXPORT(MakeTrialsInLanes);

void JudgeTrials(const LaneFits& fits) {
  HWY_DYNAMIC_DISPATCH(JudgeTrialsInLanes)(fits);
}

void MakeTrials(const LaneFits& fits) {
  HWY_DYNAMIC_DISPATCH(MakeTrialsInLanes)(fits);
}

}  // namespace ceres::internal::fits
#endif  // HWY_ONCE
