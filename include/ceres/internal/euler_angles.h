// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The 24 systems of Euler angles as types, after Shoemake, "Euler Angle
// Conversion", Graphics Gems IV, 1994.
//
// Every system is described by its extrinsic form, three rotations about fixed
// axes, the first of which is the inner axis i:
//
//   Tait-Bryan:   about i, then j, then k,     R = R_k R_j R_i,
//   proper Euler: about i, then j, then i,     R = R_i R_j R_i.
//
// (i, j, k) is an even permutation of (x, y, z), a right-handed basis, or an
// odd one, a left-handed basis. An intrinsic system, whose axes turn with the
// body, equals the extrinsic one with the order of its rotations reversed.

#ifndef CERES_PUBLIC_INTERNAL_EULER_ANGLES_H_
#define CERES_PUBLIC_INTERNAL_EULER_ANGLES_H_

#include "ceres/parallel/detail/language.h"

namespace ceres {
namespace internal {

// The system whose rotations are about the axes that the digits of kSequence
// name from left to right, 1 for x, 2 for y, 3 for z. The axes are fixed in
// space if kSequence is positive, and in the body if it is negative.
template <int kSequence>
struct EulerSystem {
  static constexpr bool kIsIntrinsic = kSequence < 0;

  // i, j, k of the extrinsic form.
  static constexpr int kInner =
      (kIsIntrinsic ? -kSequence % 10 : kSequence / 100) - 1;
  static constexpr int kMiddle =
      (kIsIntrinsic ? -kSequence : kSequence) / 10 % 10 - 1;
  static constexpr int kOther = 3 - kInner - kMiddle;

  // Whether the last axis is the first one again.
  static constexpr bool kIsProper = kSequence / 100 == kSequence % 10;

  // 1 if (i, j, k) is right-handed, else -1.
  static constexpr int kHandedness = (kMiddle - kInner + 3) % 3 == 1 ? 1 : -1;
};

}  // namespace internal

// Named by the sequence in which the rotations are applied, about axes fixed in
// space.
using ExtrinsicXYZ = internal::EulerSystem<123>;
using ExtrinsicXYX = internal::EulerSystem<121>;
using ExtrinsicXZY = internal::EulerSystem<132>;
using ExtrinsicXZX = internal::EulerSystem<131>;
using ExtrinsicYZX = internal::EulerSystem<231>;
using ExtrinsicYZY = internal::EulerSystem<232>;
using ExtrinsicYXZ = internal::EulerSystem<213>;
using ExtrinsicYXY = internal::EulerSystem<212>;
using ExtrinsicZXY = internal::EulerSystem<312>;
using ExtrinsicZXZ = internal::EulerSystem<313>;
using ExtrinsicZYX = internal::EulerSystem<321>;
using ExtrinsicZYZ = internal::EulerSystem<323>;

// Named by the sequence in which the rotations are applied, about axes fixed in
// the body.
using IntrinsicXYZ = internal::EulerSystem<-123>;
using IntrinsicXYX = internal::EulerSystem<-121>;
using IntrinsicXZY = internal::EulerSystem<-132>;
using IntrinsicXZX = internal::EulerSystem<-131>;
using IntrinsicYZX = internal::EulerSystem<-231>;
using IntrinsicYZY = internal::EulerSystem<-232>;
using IntrinsicYXZ = internal::EulerSystem<-213>;
using IntrinsicYXY = internal::EulerSystem<-212>;
using IntrinsicZXY = internal::EulerSystem<-312>;
using IntrinsicZXZ = internal::EulerSystem<-313>;
using IntrinsicZYX = internal::EulerSystem<-321>;
using IntrinsicZYZ = internal::EulerSystem<-323>;

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_EULER_ANGLES_H_
