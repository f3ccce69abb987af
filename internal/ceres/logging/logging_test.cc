// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/logging/logging.h"

#include <string>
#include <thread>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/log_sink.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#ifdef VESTA_LOG_WITH_GLOG
#include "glog/logging.h"
#endif

namespace ceres::internal {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// An entry that outlives the call of the sink.
struct Received {
  LogSeverity severity;
  std::string file;
  int line;
  std::string text;
};

class LogSinkTest : public testing::Test {
 protected:
  ~LogSinkTest() override {
    SetLogSink(nullptr);
    SetMinLogSeverity(LogSeverity::kInfo);
    SetLogVerbosity(0);
  }

  void Receive() {
    SetLogSink([this](const LogEntry& entry) {
      received_.push_back(
          {entry.severity, entry.file, entry.line, std::string(entry.text)});
    });
  }

  std::vector<Received> received_;
};

TEST_F(LogSinkTest, SinkReceivesSeverityPlaceAndText) {
  Receive();
  VESTA_LOG(kWarning) << "x = " << 3;
  const int line = __LINE__ - 1;
  ASSERT_EQ(received_.size(), 1);
  EXPECT_EQ(received_[0].severity, LogSeverity::kWarning);
  EXPECT_EQ(received_[0].file, "logging_test.cc");
  EXPECT_EQ(received_[0].line, line);
  EXPECT_EQ(received_[0].text, "x = 3");
}

TEST_F(LogSinkTest, NothingIsWrittenToStderrWhileThereIsASink) {
  Receive();
  testing::internal::CaptureStderr();
  VESTA_LOG(kError) << "for the sink";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  SetLogSink(nullptr);
  testing::internal::CaptureStderr();
  VESTA_LOG(kError) << "for stderr";
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, HasSubstr("logging_test.cc:"));
  EXPECT_THAT(written, HasSubstr("for stderr\n"));
  EXPECT_EQ(received_.size(), 1);
}

TEST_F(LogSinkTest, MessagesBelowTheMinimumSeverityAreDropped) {
  Receive();
  SetMinLogSeverity(LogSeverity::kError);
  VESTA_LOG(kInfo) << "a";
  VESTA_LOG(kWarning) << "b";
  VESTA_LOG(kError) << "c";
  ASSERT_EQ(received_.size(), 1);
  EXPECT_EQ(received_[0].text, "c");
}

TEST_F(LogSinkTest, VerbosityIncludesLowerLevels) {
  EXPECT_FALSE(IsLogVerbose(1));
  SetLogVerbosity(2);
  EXPECT_TRUE(IsLogVerbose(1));
  EXPECT_TRUE(IsLogVerbose(2));
  EXPECT_FALSE(IsLogVerbose(3));
}

TEST_F(LogSinkTest, MessagesOfManyThreadsAllArriveWhole) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 200;
  Receive();
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < kMessages; ++i) VESTA_LOG(kInfo) << t << " " << i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(received_.size(), kThreads * kMessages);
  std::vector<int> next(kThreads, 0);
  for (const Received& message : received_) {
    const int t = message.text[0] - '0';
    EXPECT_EQ(message.text,
              std::to_string(t) + " " + std::to_string(next[t]++));
  }
}

TEST_F(LogSinkTest, MessageLoggedByASinkGoesToStderr) {
  SetLogSink([](const LogEntry&) { VESTA_LOG(kWarning) << "from the sink"; });
  testing::internal::CaptureStderr();
  VESTA_LOG(kWarning) << "to the sink";
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, HasSubstr("from the sink"));
  EXPECT_THAT(written, Not(HasSubstr("to the sink")));
}

TEST_F(LogSinkTest, SinkThatSetsASinkIsRefused) {
  const auto set_in_sink = [] {
    SetLogSink([](const LogEntry&) { SetLogSink(nullptr); });
    VESTA_LOG(kWarning) << "to the sink";
  };
  EXPECT_DEATH(set_in_sink(), "must not call SetLogSink");
}

TEST_F(LogSinkTest, FatalMessageReachesSinkAndStderr) {
  const auto fail = [] {
    SetLogSink([](const LogEntry& entry) {
      std::fprintf(stderr, "sink: %s ", LogSeverityToString(entry.severity));
    });
    SetMinLogSeverity(LogSeverity::kFatal);
    VESTA_FATAL() << "the reason";
  };
  EXPECT_DEATH(fail(), AllOf(HasSubstr("sink: FATAL "),
                             ContainsRegex("logging_test.cc:.*the reason")));
}

TEST(Check, EvaluatesItsArgumentsOnce) {
  int a = 0;
  int b = 1;
  VESTA_CHECK(++a == 1) << "not evaluated " << ++b;
  VESTA_CHECK_EQ(++a, 2) << "not evaluated " << ++b;
  EXPECT_EQ(a, 2);
  EXPECT_EQ(b, 1);
}

TEST(Check, FailureNamesConditionValuesAndReason) {
  const int size = 3;
  EXPECT_DEATH(VESTA_CHECK(size < 0) << "The size " << size << " is wrong",
               "Check failed: size < 0. The size 3 is wrong");
  EXPECT_DEATH(VESTA_CHECK_EQ(size, 4) << "Sizes differ",
               "Check failed: size == 4 \\(3 and 4\\). Sizes differ");
  EXPECT_DEATH(VESTA_CHECK_NE(size, 3), "size != 3 \\(3 and 3\\)");
  EXPECT_DEATH(VESTA_CHECK_LT(size, 3), "size < 3 \\(3 and 3\\)");
  EXPECT_DEATH(VESTA_CHECK_LE(size, 2), "size <= 2 \\(3 and 2\\)");
  EXPECT_DEATH(VESTA_CHECK_GT(size, 3), "size > 3 \\(3 and 3\\)");
  EXPECT_DEATH(VESTA_CHECK_GE(size, 4), "size >= 4 \\(3 and 4\\)");
}

#ifdef VESTA_LOG_WITH_GLOG
TEST_F(LogSinkTest, GlogHasSeverityAndPlaceOfAMessage) {
  class Collector final : public google::LogSink {
   public:
    void send(google::LogSeverity severity, const char* /*full_filename*/,
              const char* base_filename, int line, const tm* /*time*/,
              const char* message, size_t length) override {
      severity_ = severity;
      place_ = std::string(base_filename) + ":" + std::to_string(line);
      text_ = std::string(message, length);
    }
    google::LogSeverity severity_ = google::GLOG_INFO;
    std::string place_, text_;
  };
  Collector collector;
  google::AddLogSink(&collector);
  VESTA_LOG(kError) << "the text";
  const int line = __LINE__ - 1;
  google::RemoveLogSink(&collector);
  EXPECT_EQ(collector.severity_, google::GLOG_ERROR);
  EXPECT_EQ(collector.place_, "logging_test.cc:" + std::to_string(line));
  EXPECT_EQ(collector.text_, "the text");
}

TEST_F(LogSinkTest, FlagOfGlogSetsTheVerbosity) {
  FLAGS_v = 1;
  EXPECT_TRUE(IsLogVerbose(1));
  EXPECT_FALSE(IsLogVerbose(2));
  FLAGS_v = 0;
  EXPECT_FALSE(IsLogVerbose(1));
}
#endif

}  // namespace
}  // namespace ceres::internal
