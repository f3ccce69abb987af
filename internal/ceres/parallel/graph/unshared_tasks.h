// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GRAPH_UNSHARED_TASKS_H_
#define CERES_INTERNAL_PARALLEL_GRAPH_UNSHARED_TASKS_H_

namespace ceres::parallel::detail {

// Tasks that could run, and that only their thread knows, because handing them
// over would take longer than running them.
//
// The thread shares them before it waits: what it waits for may depend on one
// of them. Only the thread itself accesses an object of this class, which lies
// in the frame of the function that runs the tasks.
class UnsharedTasks {
 public:
  UnsharedTasks(const UnsharedTasks&) = delete;
  UnsharedTasks& operator=(const UnsharedTasks&) = delete;

  // Call it before the calling thread waits.
  static void ShareAllOfThread() {
    for (UnsharedTasks* tasks = innermost_; tasks != nullptr;
         tasks = tasks->outer_) {
      tasks->share_all_(tasks);
    }
  }

  // For the child of a fork, where the tasks belong to the parent.
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
