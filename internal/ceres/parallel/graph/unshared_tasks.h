// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GRAPH_UNSHARED_TASKS_H_
#define CERES_INTERNAL_PARALLEL_GRAPH_UNSHARED_TASKS_H_

namespace ceres::parallel::detail {

// Tasks that could run, and that the thread keeps to itself because they are so
// short that handing them over costs more than running them.
//
// Before the thread waits for anything, it shares them: what it waits for may
// need one of them, directly or not. Only the thread itself touches any of
// this; an object lies in the frame of the function that runs the tasks.
class UnsharedTasks {
 public:
  UnsharedTasks(const UnsharedTasks&) = delete;
  UnsharedTasks& operator=(const UnsharedTasks&) = delete;

  // Of the calling thread, when it is going to wait.
  static void ShareAllOfThread() {
    for (UnsharedTasks* tasks = innermost_; tasks != nullptr;
         tasks = tasks->outer_) {
      tasks->share_all_(tasks);
    }
  }

  // Without sharing them: in the child of a fork they are the parent's.
  static void ForgetAllOfThread() { innermost_ = nullptr; }

 protected:
  explicit UnsharedTasks(void (*share_all)(UnsharedTasks* tasks))
      : share_all_(share_all), outer_(innermost_) {
    innermost_ = this;
  }
  ~UnsharedTasks() { innermost_ = outer_; }

 private:
  static inline thread_local UnsharedTasks* innermost_ = nullptr;

  void (*share_all_)(UnsharedTasks* tasks);
  UnsharedTasks* outer_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_GRAPH_UNSHARED_TASKS_H_
