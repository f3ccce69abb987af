// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_H_

// All headers of the runtime. docs/parallel explains the runtime, and
// examples/parallel has a program for each feature.

// Threads.
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"

// Loops, reductions and scans.
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_scan.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/range_2d.h"
#include "ceres/parallel/strided_range.h"

// Forks, tasks and graphs.
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/promise.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/when.h"

// Cancellation and status.
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/participant.h"
#include "ceres/parallel/status.h"

// Traces.
#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_summary.h"

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_H_
