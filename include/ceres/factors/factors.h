// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Parts that estimators of motion have in common: groups, their manifolds, and
// cost functions ("factors"). All are header-only. Every header of this folder
// follows these conventions:
//
// - A pose is that of a body in the world: it maps points from the frame of the
//   body to the world, x p = R p + t, and t is the position of the body.
// - Quaternions follow Hamilton and have unit norm. SO3, SE3 and Sim3 store
// them
//   as [w, x, y, z], the order of ceres/rotation.h and QuaternionManifold.
//   EigenSO3, EigenSE3 and EigenSim3 store them as [x, y, z, w], the order of
//   Eigen::Quaternion and EigenQuaternionManifold. Tangents do not depend on
//   the order.
// - An element and a tangent have the rotation first, then the translation,
// then
//   the scale: [q, t, s] and [w, v, lambda] for Sim3, [angle, t] and [w, v] for
//   SE2.
// - Perturbations are on the right, in the frame of the body: Plus(x, delta) =
//   x Exp(delta), Minus(y, x) = Log(x^-1 y). Give the block of x the
//   GroupManifold of its group, for example an SE3Manifold.
// - Angles are in radians, matrices of functions on arrays are row-major.
// - A factor divides its error by the standard deviation, or multiplies it by
// the
//   square root information W, W^T W = S^-1 for a covariance S of the error
//   (ceres/factors/square_root_information.h).
// - Factor<...>::Create(..., error) returns a cost function, which a Problem
//   owns. Data that are not valid (values that are not finite, standard
//   deviations that are not positive, quaternions without unit norm) are an
//   error: Create returns null, and `error` says which value is wrong and what
//   to do, or the log if `error` is null or omitted. Null pointers are a failed
//   CHECK. The factor is also a functor of T, for cost functions of your own;
//   its constructor CHECKs the standard deviations.
//
// Derivatives are automatic, or in closed form where this takes less than a
// third of the instructions. Closed forms are derivatives along the manifold: a
// block of a pose without its manifold has no derivative along the norm of the
// quaternion.
//
// Sola, Deray and Atchuthan, "A micro Lie theory for state estimation in
// robotics", 2018, has the same conventions except for the order of tangents.

#ifndef CERES_PUBLIC_FACTORS_FACTORS_H_
#define CERES_PUBLIC_FACTORS_FACTORS_H_

#include "ceres/factors/alignment_factors.h"
#include "ceres/factors/camera_models.h"
#include "ceres/factors/imu_factor.h"
#include "ceres/factors/imu_preintegration.h"
#include "ceres/factors/landmark.h"
#include "ceres/factors/lie_group.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/pseudorange.h"
#include "ceres/factors/range_bearing.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/factors/reprojection.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"

#endif  // CERES_PUBLIC_FACTORS_FACTORS_H_
