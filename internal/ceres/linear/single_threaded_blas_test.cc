// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/single_threaded_blas.h"

#include <thread>

#include "ceres/internal/config.h"
#include "gtest/gtest.h"

#ifdef VESTA_LAPACK_IS_OPENBLAS
extern "C" {
void openblas_set_num_threads(int num_threads);
int openblas_get_num_threads();
}
#endif

namespace ceres::internal {
namespace {

#ifdef VESTA_LAPACK_IS_OPENBLAS

TEST(SingleThreadedBlas, HoldsOpenBlasToOneThreadAndPutsTheHostsSettingBack) {
  openblas_set_num_threads(3);
  const int set_by_host = openblas_get_num_threads();
  {
    const SingleThreadedBlas outer;
    EXPECT_EQ(openblas_get_num_threads(), 1);
    {
      const SingleThreadedBlas inner;
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), set_by_host);
}

TEST(SingleThreadedBlas, TheLastOfSeveralThreadsPutsTheSettingBack) {
  openblas_set_num_threads(2);
  const int set_by_host = openblas_get_num_threads();
  const auto hold_often = [] {
    for (int i = 0; i < 1000; ++i) {
      const SingleThreadedBlas single_threaded;
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
  };
  std::thread other(hold_often);
  hold_often();
  other.join();
  EXPECT_EQ(openblas_get_num_threads(), set_by_host);
}

#else

TEST(SingleThreadedBlas, DoesNotCrashWithoutOpenBlas) {
  const SingleThreadedBlas outer;
  const SingleThreadedBlas inner;
}

#endif

}  // namespace
}  // namespace ceres::internal
