// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/single_threaded_blas.h"

#include <mutex>

#include "ceres/base/platform.h"

namespace ceres::internal {
namespace {

using SetNumber = void (*)(int);
using GetNumber = int (*)();

// A function of the process by name, or null. Asked at run time because the
// BLAS in use may be exchanged without linking anew.
template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(platform::FindSymbol(name));
}

struct ThreadControls {
  SetNumber set_blas_threads = Find<SetNumber>("openblas_set_num_threads");
  GetNumber get_blas_threads = Find<GetNumber>("openblas_get_num_threads");
  // With no active level allowed, an OpenMP region runs in its caller, also
  // where it asks for a number of threads, as CHOLMOD's do.
  SetNumber set_openmp_levels = Find<SetNumber>("omp_set_max_active_levels");
  GetNumber get_openmp_levels = Find<GetNumber>("omp_get_max_active_levels");

  bool has_blas() const { return set_blas_threads && get_blas_threads; }
  bool has_openmp() const { return set_openmp_levels && get_openmp_levels; }
};

const ThreadControls& Controls() {
  static const ThreadControls controls;
  return controls;
}

std::mutex mutex;
int num_alive = 0;             // guarded by mutex
int blas_threads_of_host = 1;  // guarded by mutex; valid if num_alive > 0

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const ThreadControls& controls = Controls();
  if (controls.has_openmp()) {
    // Belongs to the calling thread.
    openmp_levels_ = controls.get_openmp_levels();
    if (openmp_levels_ != 0) controls.set_openmp_levels(0);
  }
  if (controls.has_blas()) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (num_alive++ == 0) {
      blas_threads_of_host = controls.get_blas_threads();
      if (blas_threads_of_host != 1) controls.set_blas_threads(1);
    }
  }
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const ThreadControls& controls = Controls();
  if (controls.has_blas()) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (--num_alive == 0 && blas_threads_of_host != 1) {
      controls.set_blas_threads(blas_threads_of_host);
    }
  }
  if (controls.has_openmp() && openmp_levels_ != 0) {
    controls.set_openmp_levels(openmp_levels_);
  }
}

}  // namespace ceres::internal
