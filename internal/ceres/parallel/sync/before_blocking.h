// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_BEFORE_BLOCKING_H_
#define CERES_INTERNAL_PARALLEL_SYNC_BEFORE_BLOCKING_H_

namespace ceres::parallel::detail {

// Something that a thread must do before it waits, because what it waits for
// may depend on it: sharing tasks that only this thread knows.
//
// An object lies in a stack frame and registers itself with its thread while it
// exists. Only the thread itself accesses it.
class BeforeBlocking {
 public:
  BeforeBlocking(const BeforeBlocking&) = delete;
  BeforeBlocking& operator=(const BeforeBlocking&) = delete;

  // Call it before the calling thread waits: calls the function of each object
  // of the thread.
  static void RunAll() {
    for (BeforeBlocking* object = innermost_; object != nullptr;
         object = object->outer_) {
      object->function_(object);
    }
  }

  // For the child of a fork, where the work of the objects belongs to the
  // parent.
  static void ForgetAll() { innermost_ = nullptr; }

 protected:
  explicit BeforeBlocking(void (*function)(BeforeBlocking* object))
      : function_(function), outer_(innermost_) {
    innermost_ = this;
  }
  ~BeforeBlocking() { innermost_ = outer_; }

 private:
  static inline thread_local BeforeBlocking* innermost_ = nullptr;

  void (*function_)(BeforeBlocking* object);
  BeforeBlocking* outer_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_BEFORE_BLOCKING_H_
