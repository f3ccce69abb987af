// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_THIS_THREAD_H_
#define CERES_PUBLIC_PARALLEL_THIS_THREAD_H_

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

class ThreadPool;

// Functions about the calling thread. They may be called in any thread.
namespace this_thread {

// The pool whose work the thread does: as one of its workers, or because it
// runs a task of the pool that it waits for, or a piece of a shared loop. Null
// outside of all pools. A loop that no other thread helps is a plain loop of
// its caller and not work of a pool; whether a thread helps depends on the
// length of the loop and on time. The body of a loop should therefore name the
// pool of the tasks and loops that it starts.
CERES_PARALLEL_EXPORT ThreadPool* Pool();

// The index of the thread among the workers of its pool, from 0; -1 if the
// thread is not a worker. Two workers that work at the same time have different
// indices, unless the pool was made smaller and larger again in between.
CERES_PARALLEL_EXPORT int WorkerIndex();

}  // namespace this_thread
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_THIS_THREAD_H_
