// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_SOLVER_TUNING_H_
#define CERES_INTERNAL_SOLVER_SOLVER_TUNING_H_

namespace ceres::internal {

// The tuned constants of this layer. They change the time of a solve, not its
// result, with exceptions: kMaxInnerIterationSets, and
// the three constants of kept elimination orders.
//
// To measure a constant again: change its value, build, run the command, and
// compare what it prints.
//
// clang-format off
//
//   constant                command
//   ----------------------  ------------------------------------------------
//   kMaxSerialParameters    curve_fit_driver --num_threads=4
//                             (its line solve_microseconds)
//   kMaxInnerIterationSets  none: see Solver::Summary::FullReport for the sets
//                             of a problem, "Inner iteration ordering"
//   kMaxOperationsRatio,    preprocessing_benchmark city10000.g2o
//   kOperationsPer..,         --benchmark_filter=SolveGrowingGraph
//   kFactorizationsPer..
//   kMaxPreconditionerBlock merged_columns_benchmark
//   all others              bundle_adjustment_driver --generate=500,200000,1
//                             --num_iterations=0 --num_threads=2
//                             (its line preprocess_seconds)
//
// clang-format on

// The largest problem that is solved without thread pool, in doubles of all
// parameter blocks. A dense factorization of 64 columns takes 10 us, which is
// less than the start of a pool.
constexpr int kMaxSerialParameters = 64;

// Parameter or residual blocks of the problem per piece of a parallel loop.
constexpr int kProblemBlocksPerPiece = 512;

// How many blocks before its use a block is fetched into the cache, and how
// many blocks before its use the memory that it points at.
constexpr int kPrefetchBlock = 24;
constexpr int kPrefetchArguments = 12;

// Column numbers per piece where a list of them is renumbered.
constexpr int kColumnNumbersPerPiece = 4096;

// Row blocks per piece where their eliminated columns are looked for.
constexpr int kRowsPerPiece = 1024;

// Columns per piece where medians are computed, and where rows are numbered.
constexpr int kMediansPerPiece = 256;
constexpr int kNumberedColumnsPerPiece = 512;

// Rows are sorted in at most kMaxSortParts parts of at least kMinRowsOfSortPart
// rows each. A part needs a counter (4 bytes) for each column.
constexpr int kMaxSortParts = 8;
constexpr int kMinRowsOfSortPart = 8192;

// Integers per vector register, which a median is found with.
constexpr int kMedianLanes = 8;

// The largest set, in values, whose median is found by comparing each pair.
constexpr int kMaxValuesToCompare = 4 * kMedianLanes;

// Inner iterations minimize over at most this many independent sets. They cover
// all graphs of parameter blocks that are not nearly complete.
constexpr int kMaxInnerIterationSets = 32;

// An elimination order that is kept is replaced by a computed one if its
// predicted operations per column differ by this ratio from those of the last
// computed order, and if the differences of all solves since then, times the
// factorizations of a solve, exceed what a new order costs. The cost of an
// order is in operations per block, and includes the symbolic factorization in
// vain.
constexpr double kMaxOperationsRatio = 1.1;
constexpr double kOperationsPerOrderedBlock = 2e4;
constexpr double kFactorizationsPerSolve = 5.0;

// The most columns of merged parameter blocks for ITERATIVE_SCHUR
// (linear_solver_factory.h): a camera in parts has 6 to 16. The factorization
// of a diagonal block takes the cube, which exceeds the products of a few
// iterations beyond 32.
constexpr int kMaxPreconditionerBlock = 16;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_SOLVER_TUNING_H_
