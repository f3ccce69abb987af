// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_MINIMIZER_TUNING_H_
#define CERES_INTERNAL_MINIMIZER_MINIMIZER_TUNING_H_

// The constants of this module that were chosen by measurement. Each has a
// meaning, a unit, and the command that shows its effect.

namespace ceres::internal {

// --- Prediction of accepted steps (acceptance_predictor.h) -------------------
// Measure: times of `bundle_adjustment_driver` and of
// `curve_fit_driver --problem=powell`.

// Accepted steps in a row, before the first step is predicted to be accepted.
inline constexpr int kInitialAcceptedSteps = 2;
// A wrong prediction multiplies the number of accepted steps by this factor.
inline constexpr int kAcceptedStepsGrowth = 4;
// The largest number of accepted steps.
inline constexpr int kMaxAcceptedSteps = 1 << 20;

// --- Scales from column norms ------------------------------------------------
// Measure: iterations and costs of `scripts/measure.sh bounded_problems`, and
// `more_garbow_hillstrom_test --gtest_filter=*Evaluations*`.

// The squared scale of the trust region of problems with bounds
// (trust_region_step.cc), and that of line searches (column_scaling.h), shrinks
// at most by this factor in an iteration.
inline constexpr double kScaleDecay = 0.5;

// --- Problems with bounds ----------------------------------------------------
// Measure: iterations and costs of `scripts/measure.sh bounded_problems`.

// The active set is held from the first step on that decreases the cost by a
// smaller part (trust_region_step.cc).
inline constexpr double kSmallRelativeDecrease = 1e-3;
// Extrapolation (parallel_tangents.h): a sequence of steps is slow if a step
// decreases the cost by at least this part of what the step before did.
inline constexpr double kSlowSequence = 0.5;
// Smallest and largest extrapolation, in sums of two steps.
inline constexpr double kMinExtrapolation = 0.5;
inline constexpr double kMaxExtrapolation = 64.0;

// The parts of the way to a bound that a step goes if the Jacobian cannot be
// evaluated at the bound (trust_region_candidate.cc). Zero: close to the bound,
// too, rounding may hide the distance from the function.
inline constexpr double kPartsOfWayToBound[] = {0.99, 0.0};
// The distances from a bound that an initial point is moved to if it cannot be
// evaluated at the bound, in parts of a scale (trust_region_candidate.cc).
inline constexpr double kDistancesFromBounds[] = {1e-6, 1e-3, 0.1};

// --- Convergence in any unit (trust_region_convergence.cc) -------------------
// Measure: counts of `metamorphic_*_test`, and iterations beside the peer
// (`scripts/measure.sh bounded_problems --bounds=false`).

// A tolerance test ends a solve if the decrease that is still in sight is
// negligible. Residual norms are compared:
//   decrease <= max(PartOfResiduals |r|, PartOfInitial |r_0|, Rounding T)
// where T is the norm of SizesOfTerms. The factors of a test are times its
// tolerance, or times the square root of its tolerance.
inline constexpr double kGradientPartOfResiduals = 1e4;  // x gradient_tolerance
inline constexpr double kGradientPartOfInitial = 10.0;   // x gradient_tolerance
inline constexpr double kStepPartOfResiduals = 10.0;  // x sqrt(par._tolerance)
inline constexpr double kStepPartOfInitial = 100.0;   // x parameter_tolerance
inline constexpr double kCostPartOfResiduals = 10.0;  // x sqrt(func._tolerance)
inline constexpr double kRoundingOfTerms = 2e-15;
// The rounding that explains why no step is accepted. More than the other: a
// residual may have larger terms than its parameters show.
inline constexpr double kRoundingOfRejected = 1e-13;
// The cost test does not end a solve while steps that the model predicts this
// well are shortened by the trust region: the region still grows.
inline constexpr double kQualityOfGrowth = 0.75;
// Jacobi scaling (jacobi_scale.h) scales a column of a smaller norm to this
// norm, whatever its unit. The square root of the default of min_lm_diagonal.
inline constexpr double kSmallColumnNorm = 1e-3;

// --- Line searches -----------------------------------------------------------
// Measure: `more_garbow_hillstrom_test --gtest_filter=*Evaluations*`, and
// counts of `line_search_units_test`.

// The first step along a gradient sees mostly large curvature. BFGS and LBFGS
// begin with this multiple of the inverse curvature along that step.
inline constexpr double kFirstInverseCurvature = 100.0;
// The first step size that a search along a quasi-Newton direction tries is at
// least this part of the full step.
inline constexpr double kShortestFirstTrial = 0.1;
// As kStepPartOfResiduals above, x sqrt(par._tolerance). It is smaller, because
// steps along gradients are short far from a minimum, too.
inline constexpr double kSearchPartOfResiduals = 1.0;

// --- Parallel loops and small vectors ----------------------------------------
// Measure: times of `bundle_adjustment_driver --num_threads=4`, and
// instructions of `curve_fit_driver --problem=powell` under callgrind.

// Columns whose damping one task computes: about 2 us.
inline constexpr int kMinDampingColumns = 512;
// Column blocks that one task measures: about 2 us.
inline constexpr int kMinBlocksToMeasure = 256;
// Vectors of fewer values are subtracted and added up by a plain loop.
inline constexpr int kMinVectorLoopSize = 8;
// IterationSummary objects that a solve allocates at once.
inline constexpr int kReservedIterations = 16;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_MINIMIZER_TUNING_H_
