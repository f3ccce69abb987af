// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/cancellation.h"

#include <chrono>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Clock = CancellationToken::Clock;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST(CancellationToken, OneWithoutASourceNeverCancels) {
  const CancellationToken token;
  EXPECT_FALSE(token.CanCancel());
  EXPECT_FALSE(token.IsCancelled());
  EXPECT_EQ(token.Check(), Status::kCompleted);
  EXPECT_EQ(token.Deadline(), Clock::time_point::max());
}

TEST(CancellationToken, SaysGoOnUntilItsSourceCancels) {
  CancellationSource source;
  const CancellationToken token = source.token();
  EXPECT_TRUE(token.CanCancel());
  EXPECT_FALSE(token.IsCancelled());
  EXPECT_EQ(token.Check(), Status::kCompleted);
  EXPECT_EQ(token.Deadline(), Clock::time_point::max());
  for (int times = 0; times < 2; ++times) {
    source.Cancel();
    EXPECT_TRUE(token.IsCancelled());
    EXPECT_EQ(token.Check(), Status::kCancelled);
    EXPECT_TRUE(source.token().IsCancelled());
  }
}

TEST(CancellationToken, CopiesSeeTheSameCancellation) {
  CancellationSource source;
  const CancellationToken token = source.token();
  const CancellationToken copy = token;
  CancellationToken assigned;
  assigned = token;
  CancellationSource other = source;
  other.Cancel();
  EXPECT_TRUE(token.IsCancelled());
  EXPECT_TRUE(copy.IsCancelled());
  EXPECT_TRUE(assigned.IsCancelled());
  // The copied source has cancelled for both.
  EXPECT_TRUE(source.token().IsCancelled());
}

TEST(CancellationToken, OutlivesItsSourceAndStaysAsItWas) {
  CancellationToken going_on;
  CancellationToken cancelled;
  CancellationToken late;
  CancellationToken with_deadline;
  const Clock::time_point deadline = Clock::now() + hours(1);
  {
    const CancellationSource silent;
    going_on = silent.token();
    CancellationSource source;
    source.Cancel();
    cancelled = source.token();
    late = CancellationSource(milliseconds(0)).token();
    with_deadline = CancellationSource(deadline).token();
  }
  EXPECT_TRUE(going_on.CanCancel());
  EXPECT_EQ(going_on.Check(), Status::kCompleted);
  EXPECT_EQ(cancelled.Check(), Status::kCancelled);
  EXPECT_EQ(late.Check(), Status::kDeadlineExceeded);
  EXPECT_EQ(with_deadline.Check(), Status::kCompleted);
  EXPECT_EQ(with_deadline.Deadline(), deadline);
}

TEST(CancellationSource, ADeadlineCancelsByItselfWhenItPasses) {
  FakeClock clock;
  const Clock::time_point start = FakeClock::now();
  const CancellationSource source(milliseconds(20));
  const CancellationToken token = source.token();
  EXPECT_GE(token.Deadline(), start + milliseconds(20));
  clock.Advance(milliseconds(19));
  EXPECT_EQ(token.Check(), Status::kCompleted);
  clock.Advance(milliseconds(1));
  EXPECT_TRUE(token.IsCancelled());
  EXPECT_EQ(token.Check(), Status::kDeadlineExceeded);
}

TEST(CancellationSource, ATimeoutThatIsNotPositiveCancelsAtOnce) {
  for (const int timeout : {0, -1, -1000000}) {
    const CancellationToken token =
        CancellationSource(milliseconds(timeout)).token();
    EXPECT_EQ(token.Check(), Status::kDeadlineExceeded);
  }
  EXPECT_EQ(CancellationSource(Clock::now() - hours(1)).token().Check(),
            Status::kDeadlineExceeded);
  EXPECT_EQ(CancellationSource(Clock::time_point::min()).token().Check(),
            Status::kDeadlineExceeded);
}

TEST(CancellationSource, ATimeoutBeyondAllTimeIsNoDeadline) {
  const CancellationToken token = CancellationSource(hours::max()).token();
  EXPECT_EQ(token.Deadline(), Clock::time_point::max());
  EXPECT_EQ(token.Check(), Status::kCompleted);
}

TEST(CancellationSource, CancelComesBeforeADeadlineThatHasPassed) {
  CancellationSource source(milliseconds(0));
  EXPECT_EQ(source.token().Check(), Status::kDeadlineExceeded);
  source.Cancel();
  EXPECT_EQ(source.token().Check(), Status::kCancelled);
}

// A parent, a child, its child, and a sibling of the child. Each is cancelled
// in turn: those below it see that, and no others.
TEST(CancellationSource, CancellationGoesDownATree) {
  const bool is_below[4][4] = {{true, true, true, true},
                               {false, true, true, false},
                               {false, false, true, false},
                               {false, false, false, true}};
  for (int cancelled = 0; cancelled < 4; ++cancelled) {
    std::vector<CancellationSource> tree(1);
    for (const int parent : {0, 1, 0}) tree.emplace_back(tree[parent].token());
    for (const CancellationSource& source : tree) {
      EXPECT_FALSE(source.token().IsCancelled());
    }
    tree[cancelled].Cancel();
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(tree[k].token().Check(), is_below[cancelled][k]
                                             ? Status::kCancelled
                                             : Status::kCompleted)
          << k << " below " << cancelled;
    }
  }
}

TEST(CancellationSource, AChildOfACancelledParentIsBornCancelled) {
  CancellationSource parent;
  parent.Cancel();
  EXPECT_EQ(CancellationSource(parent.token()).token().Check(),
            Status::kCancelled);
  EXPECT_EQ(CancellationSource(hours(1), parent.token()).token().Check(),
            Status::kCancelled);
  // A parent that was cancelled is heard before the child's own deadline.
  EXPECT_EQ(CancellationSource(milliseconds(0), parent.token()).token().Check(),
            Status::kCancelled);
}

TEST(CancellationSource, AChildOfATokenWithoutASourceIsLikeOneWithoutAParent) {
  CancellationSource source{CancellationToken()};
  EXPECT_TRUE(source.token().CanCancel());
  EXPECT_EQ(source.token().Check(), Status::kCompleted);
  EXPECT_EQ(source.token().Deadline(), Clock::time_point::max());
  source.Cancel();
  EXPECT_EQ(source.token().Check(), Status::kCancelled);
}

// It is the earliest deadline at any place in the chain. Sources above a
// deadline do not see it.
TEST(CancellationSource, TheDeadlineIsTheEarliestOfTheChain) {
  const Clock::time_point early = Clock::now() + hours(1);
  const Clock::time_point late = early + hours(1);
  constexpr auto kNone = Clock::time_point::max();
  const std::vector<std::vector<Clock::time_point>> chains = {
      {early, late, kNone},  {early, kNone, late}, {late, early, kNone},
      {kNone, early, late},  {late, kNone, early}, {kNone, late, early},
      {kNone, kNone, early}, {early, kNone, kNone}};
  for (const auto& deadlines : chains) {
    CancellationToken token;
    Clock::time_point earliest = kNone;
    for (const Clock::time_point deadline : deadlines) {
      token = CancellationSource(deadline, token).token();
      if (deadline < earliest) earliest = deadline;
      EXPECT_EQ(token.Deadline(), earliest);
      EXPECT_EQ(token.Check(), Status::kCompleted);
    }
    EXPECT_EQ(token.Deadline(), early);
  }
}

TEST(CancellationSource, AChildOfAnExpiredDeadlineHasExpired) {
  const CancellationSource expired(milliseconds(0));
  CancellationSource child(expired.token());
  EXPECT_EQ(child.token().Check(), Status::kDeadlineExceeded);
  EXPECT_EQ(child.token().Deadline(), expired.token().Deadline());
  const CancellationSource long_lived(hours(1), expired.token());
  EXPECT_EQ(long_lived.token().Check(), Status::kDeadlineExceeded);
  const CancellationSource grandchild(long_lived.token());
  EXPECT_EQ(grandchild.token().Check(), Status::kDeadlineExceeded);
}

TEST(CancellationSource, AChildsDeadlineIsNotItsParents) {
  const CancellationSource parent(hours(1));
  const CancellationSource child(milliseconds(0), parent.token());
  EXPECT_EQ(child.token().Check(), Status::kDeadlineExceeded);
  EXPECT_EQ(parent.token().Check(), Status::kCompleted);
}

TEST(CancellationSource, AChildsTokenHearsAParentWhoseTokensAreGone) {
  CancellationToken token;
  {
    CancellationSource parent;
    {
      const CancellationSource child(parent.token());
      token = child.token();
    }
    EXPECT_EQ(token.Check(), Status::kCompleted);
    parent.Cancel();
  }
  EXPECT_EQ(token.Check(), Status::kCancelled);
}

}  // namespace
}  // namespace ceres::parallel
