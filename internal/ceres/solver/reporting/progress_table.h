// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_PROGRESS_TABLE_H_
#define CERES_INTERNAL_SOLVER_REPORTING_PROGRESS_TABLE_H_

#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres::internal {

// Prints one line per iteration, with the columns that belong to the type of
// minimizer, to stdout or to the log at verbosity 1.
class ProgressTable final : public IterationCallback {
 public:
  ProgressTable(MinimizerType minimizer_type, bool to_stdout);

  // Whether the options and the verbosity of the log let any line be printed.
  // If not, no table should be created: formatting takes time.
  static bool IsWanted(LoggingType logging_type, bool to_stdout);

  CallbackReturnType operator()(const IterationSummary& summary) override;

 private:
  const bool to_stdout_;
  const MinimizerType minimizer_type_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_PROGRESS_TABLE_H_
