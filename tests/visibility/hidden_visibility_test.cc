// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A program and shared libraries with hidden symbols that use one shared
// runtime: what the runtime's headers keep for a thread, or for the process, is
// there once.

#include <dlfcn.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/parallel/trace.h"
#include "gtest/gtest.h"
#include "hidden_work.h"

namespace {

namespace detail = ceres::parallel::detail;
using ceres::parallel::TaskCancelled;
using ceres::parallel::ThreadPool;
using ceres::parallel::Trace;

// Linked with the program, or loaded by it.
class HiddenVisibility : public ::testing::TestWithParam<const char*> {
 protected:
  HiddenVisibility() {
    if (*GetParam() == '\0') {
      work_ = GetHiddenWork();
      return;
    }
    void* const library = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      ADD_FAILURE() << dlerror();
      return;
    }
    work_ = reinterpret_cast<decltype(&GetHiddenWork)>(
        dlsym(library, "GetHiddenWork"))();
  }
  void SetUp() override { ASSERT_NE(work_, nullptr); }

  const HiddenWork& work() const { return *work_; }

 private:
  const HiddenWork* work_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Libraries, HiddenVisibility,
                         ::testing::Values("", HIDDEN_PLUGIN),
                         [](const ::testing::TestParamInfo<const char*>& info) {
                           return std::string(*info.param == '\0' ? "Linked"
                                                                  : "Loaded");
                         });

TEST_P(HiddenVisibility, TheTaskOfATaskGoesToItsPool) {
  for (const int workers : {0, 2}) {
    ThreadPool pool(workers);
    EXPECT_EQ(work().pool_of_async(pool), &pool);
  }
}

int most_participations = 0;

void CountParticipations() {
  int count = 0;
  for (const detail::Participation* p = detail::current_participation;
       p != nullptr; p = p->outer) {
    ++count;
  }
  most_participations = std::max(most_participations, count);
}

// A fork that does not find the one around it begins anew, at 20 times the
// cost.
TEST_P(HiddenVisibility, ForksFindTheForksAroundThem) {
  ThreadPool pool(0);
  most_participations = 0;
  work().fork(pool, 8, &CountParticipations);
  EXPECT_EQ(most_participations, 1);
}

TEST_P(HiddenVisibility, SpansAreRecorded) {
  Trace trace;
  trace.Start();
  work().span();
  trace.Stop();
  std::ostringstream json;
  trace.WriteJson(json);
  EXPECT_NE(json.str().find("hidden span"), std::string::npos);
}

TEST_P(HiddenVisibility, ExceptionsKeepTheirTypes) {
  EXPECT_THROW(work().throw_cancelled(), TaskCancelled);
}

}  // namespace
