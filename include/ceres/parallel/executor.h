// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_EXECUTOR_H_
#define CERES_PUBLIC_PARALLEL_EXECUTOR_H_

#include <cstdint>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

class ThreadPool;

// A request to join a parallel region (a loop, a fork, or a set of tasks) and
// to help with its work. A value of eight bytes that may be copied, stored,
// dropped, and used late or more than once, from any thread.
//
// The work stays with the thread that owns the region. If no thread accepts,
// that thread does the work alone. Accept() does nothing after the region has
// ended, or when the region has all the participants that it may have. An
// invitation never refers to freed memory.
class CERES_PARALLEL_EXPORT Invitation {
 public:
  // An invitation to nothing. Accept() returns false.
  constexpr Invitation() = default;
  // The invitation with this handle(), for executors that store handles.
  constexpr explicit Invitation(std::uint64_t handle) : handle_(handle) {}

  // Helps until the region has no unclaimed work. Returns whether this thread
  // took part. Never throws: exceptions of the work go to the thread that waits
  // for the region.
  bool Accept() const noexcept;
  // Calls Accept().
  void operator()() const noexcept { Accept(); }

  // The value of the invitation as a number.
  constexpr std::uint64_t handle() const { return handle_; }

 private:
  std::uint64_t handle_ = 0;
};

// The interface through which loops, tasks and graphs get threads: a
// ThreadPool, or an adapter for an application's own threads, so that a process
// needs only one set of threads. See examples/parallel/executor.cc.
//
// Rules for an implementation:
// - Both functions may be called from any thread, at any time, also inside an
//   Accept() that the executor runs.
// - It may call Accept() of an invitation at any time, on any thread, once or
//   never. Only speed depends on it, never progress.
// - It may call Accept() inside Invite(). The loop or task then runs in the
//   calling thread.
// - It holds no lock of its own during Accept(), because the work may call
//   Invite().
// - It outlives the loops and tasks that use it. Invitations may outlive the
//   executor.
class CERES_PARALLEL_EXPORT Executor {
 public:
  virtual ~Executor() = default;

  // The number of threads that can work in one loop, the caller included; >= 1.
  // If it is 1, loops do not call Invite().
  virtual int MaxConcurrency() const = 0;

  // Takes an invitation. If it returns false or throws, the invitation will not
  // be accepted, and further invitations are useless for now. The work is then
  // done by the thread that waits for it: a detached task by the thread that
  // calls Detach, before Detach returns, and the task of a future that is
  // dropped by the thread that drops it. A task whose invitation is taken, but
  // never accepted, runs only if a thread waits for it.
  virtual bool Invite(Invitation invitation) = 0;

  // Returns this object if it is a ThreadPool, else null. Only ThreadPool
  // overrides it. (A dynamic_cast would need run-time type information, which
  // an application may compile without.)
  virtual ThreadPool* AsThreadPool() { return nullptr; }
};

// Runs every loop in the calling thread, in order, and each task in the thread
// that waits for it. For debugging. A detached task runs inside Detach.
class CERES_PARALLEL_EXPORT SerialExecutor final : public Executor {
 public:
  int MaxConcurrency() const override { return 1; }
  bool Invite(Invitation) override { return false; }
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_EXECUTOR_H_
