// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_THIS_THREAD_H_
#define CERES_PUBLIC_PARALLEL_THIS_THREAD_H_

namespace ceres::parallel {

class ThreadPool;

// What the calling thread is. All functions may be called anywhere.
namespace this_thread {

// The pool whose work the thread does: as one of its workers, or because it
// runs a task of the pool that it waits for, or a piece of a loop that is
// shared. Null outside of all pools. As long as nobody helps with a loop, which
// depends on its length and on time, it is a plain loop to its caller, who does
// no pool's work in it. So bodies of loops name the pool of what they start.
ThreadPool* Pool();

// Which worker of its pool the thread is, from 0; -1 if it is none. Two workers
// that are at work at once have different indices, unless the pool was made
// smaller and larger again in between.
int WorkerIndex();

}  // namespace this_thread
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_THIS_THREAD_H_
