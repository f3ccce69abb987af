// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_TUNING_H_
#define CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_TUNING_H_

// The constants of the constrained minimizer that were chosen by measurement.
// Measure: `constrained_problems_test --gtest_output=json` has the evaluations
// of each problem.

namespace ceres::internal {

// --- Penalties, relative to the curvature of the cost (kappa) ----------------
inline constexpr double kInitialPenalty = 1e2;
inline constexpr double kPenaltyGrowth = 10.0;
// Up to this limit penalties grow whenever the defect decreases slowly: by less
// than the factor kFastDefectDecrease.
inline constexpr double kLargestFastPenalty = 1e6;
inline constexpr double kFastDefectDecrease = 0.1;
inline constexpr double kLargestPenalty = 1e12;
// The curvature of the cost counts at least as this part of the largest.
inline constexpr double kSmallCurvature = 1e-3;

// A weight is chosen anew if the square of the gradient's norm has grown or
// decreased by these factors; at most so often.
inline constexpr double kGrowthOfGradient = 20.0;
inline constexpr double kDecreaseOfGradient = 1e4;
inline constexpr int kMaxChoices = 20;
// A gradient is tiny if the constraint's violation is this multiple of its
// norm.
inline constexpr double kTinyGradient = 1e4;
// The length of the move from a point with a tiny gradient.
inline constexpr double kLengthOfMove = 1e-2;
inline constexpr int kMaxTriesToMove = 3;
inline constexpr double kGoldenRatio = 1.618033988749895;

// They grow to that limit at once as long as the curvature of the constraints
// along the last step changes L by less than this part of its decrease. The
// step has this quality, and its damping is below a part of its decrease.
inline constexpr double kNegligibleCurvature = 0.1;
inline constexpr double kQualityOfFlat = 0.75;
inline constexpr double kNegligibleDamping = 0.1;

// They also grow, before a step is tried, if the model's step leaves more than
// this part of the violation.
inline constexpr double kSteering = 0.6;

// They also grow after a step to a violation of more than this multiple of the
// largest one so far: the cost pays for the curvature of the constraints.
inline constexpr double kLargeGrowth = 2.0;

// They grow if lambda^2 / (2 rho), of all constraints, is more than this
// multiple of the cost. Multipliers that are so large are not taken: at a
// solution this sum is about the cost of the constraints divided by kappa.
inline constexpr double kLargestShift = 1e3;

// --- Multipliers -------------------------------------------------------------
// The radius of the step that gives the first multipliers.
inline constexpr double kRadiusOfEstimate = 1e-3;
// Steps give multipliers if the rows of constraints outweigh their damping this
// many times.
inline constexpr double kSmallestWeightForMultipliers = 10.0;
// Multipliers change if the defect is below this part of that of the last
// change.
inline constexpr double kDefectDecrease = 0.9;
// They also change if the predicted decrease of L is below this part of that of
// the last change.
inline constexpr double kPromiseDecrease = 0.5;
// A point is nearly stationary if the predicted decrease of L is below this
// part of the penalty of its defect.
inline constexpr double kStationaryPart = 0.1;
// From one such point to the next the defect must decrease to this part.
inline constexpr double kStationaryDecrease = 0.25;

// --- Steps -------------------------------------------------------------------
// A step is corrected if the values of constraints differ from the linear
// model's by less than this part of the step, squared.
inline constexpr double kSmallCurvatureOfConstraints = 0.25;
// A step is good if its decrease of L is the predicted one but for this part.
inline constexpr double kErrorOfGoodStep = 0.1;
// The radius grows as often after good steps in a row, at most so often.
inline constexpr int kMaxGrowth = 3;
// A rejected step is shortened to a part between these.
inline constexpr double kShortestPart = 0.1;
inline constexpr double kLongestPart = 0.5;
// A step leads mostly to the constraints if this part of its square is along
// their gradients.
inline constexpr double kNormalPart = 0.5;
// Linear solves for one step.
inline constexpr int kMaxModelSolves = 20;
// Linear solves for the negative curvature of the constraints. None if it is
// below a part of the curvature of the cost along the step; then until the
// square of the residual is below a part of the first one's, or until the model
// is not convex.
inline constexpr int kMaxCurvatureSolves = 10;
inline constexpr double kNegligibleNegative = 0.02;
inline constexpr double kCurvatureResidual = 1e-6;
inline constexpr double kSmallestConvexity = 1e-3;
// Bisections of a segment, and the slope at its end that needs none.
inline constexpr int kMaxBisections = 40;
inline constexpr double kFlatSlope = 1e-9;
// What rounding hides of L, and of its model.
inline constexpr double kRoundingOfLagrangian = 1e-11;
// Rounding of a constraint's distance from its bounds, relative to the largest
// coordinate of the point.
inline constexpr double kRoundingOfPoint = 1e-15;
// A violation can be this multiple of it.
inline constexpr double kRoundingOfValue = 10.0;
// A violation that grows by less than this factor has not grown.
inline constexpr double kSameViolation = 1.001;
inline constexpr double kRoundingOfModel = 1e-14;

// --- Ends --------------------------------------------------------------------
// Parts of the cost, times function_tolerance, that the predicted decrease and
// the complementarity may have.
inline constexpr double kNegligibleDecrease = 0.1;
inline constexpr double kNegligibleComplementarity = 0.1;
// The cost and the weighted violation of the start count with this part in the
// scales of constraints.
inline constexpr double kPartOfInitialSize = 1e-2;
// A violation that is this multiple of rounding can be removed. The radius
// of the step to the constraints, and its penalty.
inline constexpr double kLargeBesideRounding = 2e4;
inline constexpr double kRadiusToConstraints = 1e-3;
inline constexpr double kPenaltyToConstraints = 1e14;
// The cost counts at least as this part of the initial one.
inline constexpr double kPartOfInitialCost = 1e-8;
// A violation can be stationary from this kappa on, if the cosines of its
// gradient are below the limit.
inline constexpr double kPenaltyOfInfeasible = 1e6;
inline constexpr double kStationaryViolation = 1e-3;
// It has not decreased below this part when the penalties were raised.
inline constexpr double kStalledViolation = 0.9;
// It is above this part of the largest violation of such points.
inline constexpr double kSmallViolation = 1e-4;
// It is at least this multiple of constraint_tolerance.
inline constexpr double kClearViolation = 100.0;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINED_TUNING_H_
