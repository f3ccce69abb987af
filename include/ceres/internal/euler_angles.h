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

#include <type_traits>

namespace ceres {
namespace internal {

// The inner axis.
namespace axis {
struct X : std::integral_constant<int, 0> {};
struct Y : std::integral_constant<int, 1> {};
struct Z : std::integral_constant<int, 2> {};
}  // namespace axis

// The parity of the permutation (i, j, k).
struct Even;
struct Odd;

// Whether the last axis is again the first one.
struct ProperEuler;
struct TaitBryan;

// Whether the axes are fixed in space or in the body.
struct Extrinsic;
struct Intrinsic;

template <typename InnerAxisType, typename ParityType,
          typename AngleConventionType, typename FrameConventionType>
struct EulerSystem {
  static constexpr bool kIsParityOdd = std::is_same_v<ParityType, Odd>;
  static constexpr bool kIsProperEuler =
      std::is_same_v<AngleConventionType, ProperEuler>;
  static constexpr bool kIsIntrinsic =
      std::is_same_v<FrameConventionType, Intrinsic>;

  // i, j, k.
  static constexpr int kAxes[3] = {
      InnerAxisType::value,
      (InnerAxisType::value + (kIsParityOdd ? 2 : 1)) % 3,
      (InnerAxisType::value + (kIsParityOdd ? 1 : 2)) % 3,
  };
};

}  // namespace internal

// Named by the sequence in which the rotations are applied, about axes fixed in
// space.
using ExtrinsicXYZ =
    internal::EulerSystem<internal::axis::X, internal::Even,
                          internal::TaitBryan, internal::Extrinsic>;
using ExtrinsicXYX =
    internal::EulerSystem<internal::axis::X, internal::Even,
                          internal::ProperEuler, internal::Extrinsic>;
using ExtrinsicXZY =
    internal::EulerSystem<internal::axis::X, internal::Odd, internal::TaitBryan,
                          internal::Extrinsic>;
using ExtrinsicXZX =
    internal::EulerSystem<internal::axis::X, internal::Odd,
                          internal::ProperEuler, internal::Extrinsic>;
using ExtrinsicYZX =
    internal::EulerSystem<internal::axis::Y, internal::Even,
                          internal::TaitBryan, internal::Extrinsic>;
using ExtrinsicYZY =
    internal::EulerSystem<internal::axis::Y, internal::Even,
                          internal::ProperEuler, internal::Extrinsic>;
using ExtrinsicYXZ =
    internal::EulerSystem<internal::axis::Y, internal::Odd, internal::TaitBryan,
                          internal::Extrinsic>;
using ExtrinsicYXY =
    internal::EulerSystem<internal::axis::Y, internal::Odd,
                          internal::ProperEuler, internal::Extrinsic>;
using ExtrinsicZXY =
    internal::EulerSystem<internal::axis::Z, internal::Even,
                          internal::TaitBryan, internal::Extrinsic>;
using ExtrinsicZXZ =
    internal::EulerSystem<internal::axis::Z, internal::Even,
                          internal::ProperEuler, internal::Extrinsic>;
using ExtrinsicZYX =
    internal::EulerSystem<internal::axis::Z, internal::Odd, internal::TaitBryan,
                          internal::Extrinsic>;
using ExtrinsicZYZ =
    internal::EulerSystem<internal::axis::Z, internal::Odd,
                          internal::ProperEuler, internal::Extrinsic>;

// Named by the sequence in which the rotations are applied, about axes fixed in
// the body.
using IntrinsicZYX =
    internal::EulerSystem<internal::axis::X, internal::Even,
                          internal::TaitBryan, internal::Intrinsic>;
using IntrinsicXYX =
    internal::EulerSystem<internal::axis::X, internal::Even,
                          internal::ProperEuler, internal::Intrinsic>;
using IntrinsicYZX =
    internal::EulerSystem<internal::axis::X, internal::Odd, internal::TaitBryan,
                          internal::Intrinsic>;
using IntrinsicXZX =
    internal::EulerSystem<internal::axis::X, internal::Odd,
                          internal::ProperEuler, internal::Intrinsic>;
using IntrinsicXZY =
    internal::EulerSystem<internal::axis::Y, internal::Even,
                          internal::TaitBryan, internal::Intrinsic>;
using IntrinsicYZY =
    internal::EulerSystem<internal::axis::Y, internal::Even,
                          internal::ProperEuler, internal::Intrinsic>;
using IntrinsicZXY =
    internal::EulerSystem<internal::axis::Y, internal::Odd, internal::TaitBryan,
                          internal::Intrinsic>;
using IntrinsicYXY =
    internal::EulerSystem<internal::axis::Y, internal::Odd,
                          internal::ProperEuler, internal::Intrinsic>;
using IntrinsicYXZ =
    internal::EulerSystem<internal::axis::Z, internal::Even,
                          internal::TaitBryan, internal::Intrinsic>;
using IntrinsicZXZ =
    internal::EulerSystem<internal::axis::Z, internal::Even,
                          internal::ProperEuler, internal::Intrinsic>;
using IntrinsicXYZ =
    internal::EulerSystem<internal::axis::Z, internal::Odd, internal::TaitBryan,
                          internal::Intrinsic>;
using IntrinsicZYZ =
    internal::EulerSystem<internal::axis::Z, internal::Odd,
                          internal::ProperEuler, internal::Intrinsic>;

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_EULER_ANGLES_H_
