// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_SINGLE_THREADED_BLAS_H_
#define CERES_INTERNAL_LINEAR_SINGLE_THREADED_BLAS_H_

namespace ceres::internal {

// While an object of this class exists, BLAS, LAPACK and OpenMP regions of
// libraries run in the thread that calls them. So a solve runs num_threads
// threads, and its results do not depend on the number of CPUs.
//
// Objects may be nested and may exist in several threads. The destructor of the
// last one restores the setting of the host. OpenBLAS has one setting for the
// process: meanwhile other users of BLAS in the host get one thread, too. Does
// nothing for a BLAS that is not OpenBLAS.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int openmp_levels_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_SINGLE_THREADED_BLAS_H_
