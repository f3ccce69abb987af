// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_SINGLE_THREADED_BLAS_H_
#define CERES_INTERNAL_LINEAR_SINGLE_THREADED_BLAS_H_

namespace ceres::internal {

// While one lives, BLAS, LAPACK and OpenMP regions of libraries run in the
// thread that calls them: num_threads is the number of threads at work, and
// results must not depend on the number of cpus that a library finds.
//
// What the host had set is put back when the last one dies. They may be nested
// and live in several threads at once; the setting of OpenBLAS is one for the
// process, so other users of BLAS in the host are held to one thread meanwhile.
// Does nothing for a BLAS that is not OpenBLAS.
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
