// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/plain_run_protocol.h"

#include <cstdint>
#include <string>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "ceres/parallel/testing/protocol_mutants.h"
#include "gtest/gtest.h"

// A thread that runs two loops, one after the other, and two threads that try
// to stop them, in every interleaving. A thread that stops a loop runs the
// indices that are left itself, before it answers.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksRule;
using detail::NoMutation;
using detail::PlainRunRule;

constexpr int kIndices = 2;

// In the stack frame of the owner.
struct ModelLoop {
  ModelPlain<std::int64_t> n;      // Written by the owner before the loop.
  ModelPlain<std::int64_t> split;  // Written by the stopper: its first index.
  ModelPlain<int> runs[kIndices];  // How often each index has been run.
};

void RunIndices(ModelLoop& loop, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) loop.runs[i] = loop.runs[i] + 1;
}

template <typename Mutation, int kStoppers, int kLoops>
struct PlainRunModel {
  static constexpr int kThreads = 1 + kStoppers;

  void Run(int thread) {
    if (thread > 0) {
      TryToStop(/*notes_first=*/thread == 2);
    } else {
      for (int k = 0; k < kLoops; ++k) RunLoop();
    }
  }
  void Check() {}

  void RunLoop() {
    ModelLoop loop;
    loop.n = kIndices;
    loop.split = kIndices;
    std::int64_t done = 0;
    std::int64_t end = 1;
    run.Begin(&loop, end);
    while (true) {
      RunIndices(loop, done, end);
      done = end;
      if (done == kIndices) break;
      ++end;
      if (!run.Claim(end) && run.Await(&ModelAtomics::Pause)) break;
    }
    if (!run.End() && run.Await(&ModelAtomics::Pause)) {
      run.Clear();
      const std::int64_t split = loop.split;
      ModelCheck(done <= split, "an index of the owner was taken");
      RunIndices(loop, done, split);
    }
    for (const auto& index : loop.runs) {
      ModelCheck(index == 1, "an index was not run once");
    }
  }

  void TryToStop(bool notes_first) {
    const std::uint64_t seen = run.Look();
    if (seen == 0) return;
    if (notes_first) run.NoteSeen();
    run.Stop(seen, [](ModelLoop& loop, std::int64_t first) {
      if (first == loop.n) return false;
      loop.split = first;
      RunIndices(loop, first, kIndices);
      return true;
    });
  }

  detail::BasicPlainRun<ModelLoop, ModelAtomics, Mutation> run;
};

TEST(PlainRunProtocol, EachIndexIsRunOnceInEveryExecution) {
  ExpectAllEndWell<PlainRunModel<NoMutation, 1, 2>>(100);
}
TEST(PlainRunProtocol, OneOfTwoThreadsStopsTheLoopInEveryExecution) {
  ExpectAllEndWell<PlainRunModel<NoMutation, 2, 1>>(1000);
}

template <PlainRunRule kRule, int kStoppers, int kLoops>
std::string ViolationWithout() {
  return ViolationOf<PlainRunModel<BreaksRule<kRule>, kStoppers, kLoops>>();
}

constexpr ProtocolMutant kMutants[] = {
    {"BeginningMustBeARelease",
     &ViolationWithout<PlainRunRule::kBeginsWithRelease, 1, 1>, nullptr},
    {"EndingMustBeAnAcquire",
     &ViolationWithout<PlainRunRule::kEndsWithAcquire, 1, 1>, nullptr},
    {"TheAnswerMustBeARelease",
     &ViolationWithout<PlainRunRule::kAnswersWithRelease, 1, 1>, nullptr},
    {"AwaitingMustBeAnAcquire",
     &ViolationWithout<PlainRunRule::kAwaitsWithAcquire, 1, 1>, nullptr},
    {"TheOwnerMustFence", &ViolationWithout<PlainRunRule::kOwnerFences, 1, 1>,
     nullptr},
    {"TheStopperMustFence",
     &ViolationWithout<PlainRunRule::kStopperFences, 1, 1>, nullptr},
    {"TheRunMustBeLookedAtAgain",
     &ViolationWithout<PlainRunRule::kLooksAgain, 1, 1>, nullptr},
    {"OneThreadMustAskAtATime",
     &ViolationWithout<PlainRunRule::kStopsAlone, 2, 1>, nullptr},
    {"TheOwnerMustAwaitTheAnswer",
     &ViolationWithout<PlainRunRule::kAwaitsAnswer, 1, 1>, nullptr},
};

using PlainRunMutants = ProtocolMutants;
TEST_P(PlainRunMutants, AreFound) { ExpectViolation(); }
INSTANTIATE_TEST_SUITE_P(Rules, PlainRunMutants, ::testing::ValuesIn(kMutants),
                         MutantName);

}  // namespace
}  // namespace ceres::parallel::testing_internal
