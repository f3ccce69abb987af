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

// Solves independent problems, thousands of small ones say, each as Solve does
// with num_threads = 1, options.num_threads of them at a time. An extension:
// see docs/solving/extensions.md.
//
// Summary i, and the parameters of problem i, have the bits of
// Solve(options, problems[i], ...). The threads are those of options.executor,
// or else of parallel::ThreadPool::Default(); the problems' contexts are not
// used. Limits of time hold for each problem from its own start;
// options.cancellation_token ends all.
//
// Problems may share what is const while they are solved: cost functions, loss
// functions, manifolds, constant parameters. They must not share varying
// parameters, and are solved at the same time: callbacks that are shared,
// options.callbacks among them, must be thread-safe.
//
// The first exception of user code reaches the caller, when no solve runs any
// more. Problems not begun by then are as they were, and their summaries say
// that Solve was not called.
//
// summaries is resized. Checks that no problem is null or there twice, and that
// summaries is not null.
CERES_EXPORT void SolveMany(const Solver::Options& options,
                            const std::vector<Problem*>& problems,
                            std::vector<Solver::Summary>* summaries);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SOLVE_MANY_H_
