// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_EXECUTOR_H_
#define CERES_PUBLIC_PARALLEL_EXECUTOR_H_

#include <cstdint>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

// A request to join a parallel region (a loop, a fork, or a set of tasks) and
// to help with its work. A value of eight bytes: copy it, keep it, drop it, use
// it late or twice, from any thread.
//
// The work stays with the thread that owns the region, and is done without help
// if no thread accepts. Accepting after the region has ended, or when it has
// all the participants that it may have, does nothing. An invitation refers to
// no memory that could have been freed.
class Invitation {
 public:
  constexpr Invitation() = default;
  constexpr explicit Invitation(std::uint64_t handle) : handle_(handle) {}

  // Helps until the region has no unclaimed work. Returns whether this thread
  // took part. Never throws: what the work throws goes to the thread that waits
  // for the region.
  bool Accept() const noexcept;
  void operator()() const noexcept { Accept(); }

  constexpr std::uint64_t handle() const { return handle_; }

 private:
  std::uint64_t handle_ = 0;
};

// A host that lends threads to loops, tasks and graphs: a ThreadPool, or an
// application's own threads, so that a process has one set of threads and not
// two. See examples/parallel/executor.cc.
//
// An implementation
//  - answers both functions from any thread, at any time, also from inside an
//    Accept() that it runs;
//  - calls Accept() of an invitation at any time, on any thread, once, or
//  never.
//    Progress never depends on a host, only speed does;
//  - may call Accept() inside Invite(), which makes the loop or task run in the
//    calling thread;
//  - holds no lock of its own during Accept(): what runs there may call
//    Invite();
//  - outlives the loops and tasks that were given it. Invitations may outlive
//    the host.
class CERES_PARALLEL_EXPORT Executor {
 public:
  virtual ~Executor() = default;

  // How many threads could be at work in one loop, the caller included. At
  // least 1; with 1 no loop invites anybody.
  virtual int MaxConcurrency() const = 0;

  // Takes an invitation. False, or an exception: it will not be accepted, and
  // further invitations are of no use now. A detached task whose invitation is
  // refused never runs; all other work is then done by the thread that waits
  // for it.
  virtual bool Invite(Invitation invitation) = 0;
};

// Runs every loop in the calling thread, in order, and tasks in the thread that
// waits for them: for debugging. A detached task never runs.
class CERES_PARALLEL_EXPORT SerialExecutor final : public Executor {
 public:
  int MaxConcurrency() const override { return 1; }
  bool Invite(Invitation) override { return false; }
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_EXECUTOR_H_
