// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/clock.h"

#include <chrono>
#include <limits>

#include "ceres/base/testing/fake_clock.h"
#include "gtest/gtest.h"

namespace ceres::base {
namespace {

using SteadyClock = std::chrono::steady_clock;
using parallel::FakeClock;
using parallel::detail::SteadyNow;
using std::chrono::microseconds;
using std::chrono::milliseconds;

ClockPair At(Ticks ticks, microseconds time) {
  return {ticks, SteadyClock::time_point(time)};
}

// Puts back what a test changes for the whole process.
class ClockTest : public ::testing::Test {
 protected:
  ~ClockTest() override {
    clock_source = ClockSource::kCounter;
    nanoseconds_per_tick = 0.0f;
  }
};

TEST_F(ClockTest, ATickIsTheTimeBetweenTwoReadingsByItsTicks) {
  const auto length =
      TickLength(At(5000, microseconds(100)), At(35000, microseconds(110)));
  ASSERT_TRUE(length.has_value());
  EXPECT_FLOAT_EQ(*length, 1.0f / 3.0f);
}

TEST_F(ClockTest, ACounterThatWasSetBackHasNoTick) {
  EXPECT_FALSE(TickLength(At(1000, microseconds(0)), At(999, microseconds(50)))
                   .has_value());
  EXPECT_FALSE(TickLength(At(1000, microseconds(0)),
                          At(-(Ticks{1} << 60), microseconds(50)))
                   .has_value());
}

TEST_F(ClockTest, ACounterThatStandsStillHasNoTick) {
  EXPECT_FALSE(TickLength(At(1000, microseconds(0)), At(1000, microseconds(50)))
                   .has_value());
}

TEST_F(ClockTest, ARateThatNoCounterHasIsRefused) {
  // 10 kHz, and 100 GHz.
  EXPECT_FALSE(TickLength(At(0, milliseconds(0)), At(10000, milliseconds(1000)))
                   .has_value());
  EXPECT_FALSE(
      TickLength(At(0, microseconds(0)), At(100'000'000, microseconds(1000)))
          .has_value());
}

// A virtual machine that was restored: the counter is behind its value at load
// time.
TEST_F(ClockTest, CalibrationEndsAndTakesTheSteadyClockWhenTheCounterIsBehind) {
  const ClockPair loaded = {Now() + (Ticks{1} << 50),
                            SteadyClock::now() - milliseconds(1)};
  EXPECT_EQ(CalibrateClockSince(loaded), 1.0f);
  EXPECT_EQ(clock_source.load(), ClockSource::kSteady);
  EXPECT_EQ(NanosecondsPerTick(), 1.0f);
  const Ticks before = Now();
  const SteadyClock::time_point steady = SteadyClock::now();
  EXPECT_GE(before, 0);
  EXPECT_LE(before, steady.time_since_epoch().count());
  EXPECT_GE(Now(), before);
}

TEST_F(ClockTest, AnIntervalIsNeverNegative) {
  EXPECT_EQ(Nanoseconds(0), 0.0f);
  EXPECT_EQ(Nanoseconds(-1), 0.0f);
  EXPECT_EQ(Nanoseconds(-kMaxSkew + 1), 0.0f);
  EXPECT_GT(Nanoseconds(1000), 0.0f);
}

// So a thread that spins for a time does not spin until the counter has caught
// up.
TEST_F(ClockTest, AnIntervalOverACounterThatWasSetBackIsLongerThanAnySpin) {
  EXPECT_EQ(Nanoseconds(-kMaxSkew), kIntervalWhenSetBack);
  EXPECT_EQ(Nanoseconds(std::numeric_limits<Ticks>::min()),
            kIntervalWhenSetBack);
}

TEST_F(ClockTest, AFakeClockStandsStillUntilItIsAdvanced) {
  FakeClock clock;
  const SteadyClock::time_point start = SteadyNow();
  const Ticks ticks = Now();
  EXPECT_LT(SteadyNow() - start, microseconds(1));
  clock.Advance(milliseconds(5));
  EXPECT_GE(SteadyNow() - start, milliseconds(5));
  EXPECT_GE(Nanoseconds(Now() - ticks), 5e6f);
  EXPECT_LT(Nanoseconds(Now() - ticks), 5.001e6f);
}

TEST_F(ClockTest, WhatAReadingTakesIsMeasured) {
  for (const int reading : {1, 20, 40, 1000}) {
    const FakeClock clock{std::chrono::nanoseconds(reading)};
    EXPECT_FLOAT_EQ(nanoseconds_per_reading, static_cast<float>(reading));
    // In other units: ticks of a quarter of a nanosecond.
    EXPECT_FLOAT_EQ(MeasureReading(0.25f), 0.25f * static_cast<float>(reading));
  }
}

TEST_F(ClockTest, CalibrationMeasuresWhatAReadingTakes) {
  nanoseconds_per_reading = -1.0f;
  CalibrateClock();
  EXPECT_GE(nanoseconds_per_reading, 0.0f);
  // A reading of the steady clock is measured, too.
  nanoseconds_per_reading = -1.0f;
  CalibrateClockSince({Now() + (Ticks{1} << 50), SteadyClock::now()});
  EXPECT_EQ(clock_source.load(), ClockSource::kSteady);
  EXPECT_GE(nanoseconds_per_reading, 0.0f);
}

TEST_F(ClockTest, TheTrueClocksComeBackAfterAFakeOne) {
  const float reading = (NanosecondsPerTick(), nanoseconds_per_reading.load());
  const SteadyClock::time_point before = SteadyNow();
  { const FakeClock clock{milliseconds(1)}; }
  EXPECT_GE(SteadyNow(), before);
  EXPECT_EQ(nanoseconds_per_reading, reading);
  EXPECT_EQ(clock_source.load(), ClockSource::kCounter);
}

}  // namespace
}  // namespace ceres::base
