// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_DIRECTION_WRITER_H_
#define CERES_INTERNAL_DIAGNOSIS_DIRECTION_WRITER_H_

#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/null_space.h"

namespace ceres::internal {

// Writes directions for the user: in tangent coordinates, with names and
// sentences.
class DirectionWriter {
 public:
  // All must outlive this. Names go to `result`.
  DirectionWriter(const DiagnosisOptions& options,
                  const DiagnosedProblem& problem, Diagnosis* result)
      : options_(options), problem_(problem), result_(result) {}

  Direction::Entry EntryOf(const DiagnosedCoordinate& at, double value,
                           double effect) const;

  // A direction that has entries only, from coordinates that are scaled by the
  // norms of columns.
  Direction EntriesOf(const std::vector<double>& norms,
                      const SparseVector& entries) const;

  // The whole direction.
  Direction ToDirection(const std::vector<double>& norms,
                        const SparseVector& entries, DirectionKind kind,
                        const char* motion, double ratio = 0.0) const;

  // Asks for names, and writes sentences.
  void Finish(const char* motion, Direction* direction) const;

 private:
  const DiagnosisOptions& options_;
  const DiagnosedProblem& problem_;
  Diagnosis* const result_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_DIRECTION_WRITER_H_
