// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_KEPT_PREPROCESSING_H_
#define CERES_INTERNAL_PROBLEM_KEPT_PREPROCESSING_H_

namespace ceres::internal {

class ParameterBlock;

// Data that a solve leaves with the problem for the next solve
// (Solver::Options::keep_preprocessing). The solver defines the contents.
class KeptPreprocessing {
 public:
  virtual ~KeptPreprocessing() = default;

  // The block is going to be destroyed. Its address may become that of another
  // block.
  virtual void NoteRemoved(const ParameterBlock* block) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_KEPT_PREPROCESSING_H_
