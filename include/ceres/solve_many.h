// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_SOLVE_MANY_H_
#define CERES_PUBLIC_SOLVE_MANY_H_

#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"
#include "ceres/solver.h"

namespace ceres {

// Solves independent problems, for example thousands of small ones. Each is
// solved as Solve does with num_threads = 1; options.num_threads problems are
// solved at the same time. An extension: see docs/solving/extensions.md.
//
// Summary i, and the parameters of problem i, have the bits of Solve(options,
// problems[i], ...). The threads are those of options.executor; if it is null,
// those of parallel::ThreadPool::Default(). The problems' contexts are not
// used. A time limit holds for each problem from its own start.
// options.cancellation_token ends all solves.
//
// Problems may share objects that are const during the solves: cost functions,
// loss functions, manifolds, constant parameters. They must not share varying
// parameters. Callbacks that they share, options.callbacks among them, must be
// thread-safe.
//
// The first exception of user code reaches the caller when all running solves
// have ended. Problems that were not begun by then are unchanged, and their
// summaries say that Solve was not called.
//
// summaries is resized. Checks that summaries is not null, and that no problem
// is null or listed twice.
CERES_EXPORT void SolveMany(const Solver::Options& options,
                            const std::vector<Problem*>& problems,
                            std::vector<Solver::Summary>* summaries);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SOLVE_MANY_H_
