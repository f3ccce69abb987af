// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace/trace_log.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "ceres/base/platform.h"

namespace ceres::parallel::detail {

TraceSwitch trace_switch;

namespace {

// The state that all traces share. Never destroyed: threads may trace while the
// process exits.
struct Traces {
  std::mutex mutex;  // Held across fork(), so that the child finds it in order.
  std::shared_ptr<TraceSession> running;
  std::uint32_t last_number = 0;
};

Traces& AllTraces() {
  static Traces* const traces = [] {
    platform::AtFork([] { AllTraces().mutex.lock(); },
                     [] { AllTraces().mutex.unlock(); },
                     [] {
                       // Other threads' logs end here.
                       trace_switch.running.store(0, std::memory_order_relaxed);
                       AllTraces().running.reset();
                       AllTraces().mutex.unlock();
                     });
    return new Traces;
  }();
  return *traces;
}

// Registers the fork handlers when the program is loaded, so that no thread
// registers them while another thread forks.
[[maybe_unused]] const Traces& traces_at_load = AllTraces();

// Has no constructor or destructor, so that an access needs no initialization
// check.
struct ThisThread {
  std::uint32_t number;  // Of the trace that `log` belongs to.
  bool has_ended;
  TraceLog* log;
};
thread_local ThisThread this_thread_log = {0, false, nullptr};

struct LogOwner {
  ~LogOwner() { this_thread_log = {0, true, nullptr}; }
  std::shared_ptr<TraceSession> session;
};

std::string NameOfThisThread() {
  const std::string name = platform::NameOfThisThread();
  return name.empty() ? "thread" : name;
}

}  // namespace

TraceLog::~TraceLog() {
  for (Chunk* chunk = first_; chunk != nullptr;) {
    delete std::exchange(chunk, chunk->next);
  }
}

// Sets end_, up to which the caller may append without another call. A record
// takes at least one word, so `capacity - size` words never hold more records
// than are allowed.
bool TraceLog::MakeRoom() noexcept {
  const std::size_t size = size_.load(std::memory_order_relaxed);
  if (size >= capacity_) return false;
  constexpr std::size_t kUsable = kChunkWords - TraceRecordCoder::kMaxWords;
  if (last_ == nullptr || next_ >= last_->words.data() + kUsable) {
    auto* const chunk = new (std::nothrow) Chunk;
    if (chunk == nullptr) return false;
    chunk->next = nullptr;
    if (last_ != nullptr) *next_ = TraceRecordCoder::kNoRecord;
    (last_ == nullptr ? first_ : last_->next) = chunk;
    last_ = chunk;
    next_ = chunk->words.data();
  }
  const auto room =
      static_cast<std::size_t>(last_->words.data() + kUsable - next_);
  end_ = next_ + std::min(room, capacity_ - size);
  return true;
}

TraceSession::TraceSession(std::uint32_t number,
                           std::size_t max_events_per_thread)
    : number_(number), max_events_per_thread_(max_events_per_thread) {}

std::shared_ptr<TraceSession> TraceSession::Start(
    std::size_t max_events_per_thread) {
  Traces& traces = AllTraces();
  std::shared_ptr<TraceSession> session;
  {
    const std::lock_guard<std::mutex> lock(traces.mutex);
    if (traces.running != nullptr) {
      throw std::logic_error(
          "Trace::Start: a trace is running in this process; stop it first");
    }
    if (++traces.last_number == 0) ++traces.last_number;
    session.reset(new TraceSession(traces.last_number, max_events_per_thread));
    session->AddLog();
    traces.running = session;
    // This thread has its log. From the store on, other threads add theirs.
    platform::ObjectOfThisThread<LogOwner>().session = session;
    this_thread_log = {session->number_, false, session->logs_[0].get()};
    trace_switch.running.store(session->number_, std::memory_order_relaxed);
  }
  return session;
}

void TraceSession::Stop() {
  Traces& traces = AllTraces();
  std::shared_ptr<TraceSession> ended;  // Destroyed after unlocking.
  const std::lock_guard<std::mutex> lock(traces.mutex);
  if (traces.running.get() != this) return;
  trace_switch.running.store(0, std::memory_order_relaxed);
  stop_ = base::Now();
  stop_time_ = Clock::now();
  ended = std::move(traces.running);
  traces.running = nullptr;
}

bool TraceSession::IsRunning() const {
  return trace_switch.running.load(std::memory_order_relaxed) == number_;
}

TraceSession::Span TraceSession::span() const {
  const std::lock_guard<std::mutex> lock(AllTraces().mutex);
  const bool stopped = stop_ != 0;
  Span span;
  span.start = start_;
  span.stop = stopped ? stop_ : base::Now();
  const Clock::time_point stop_time = stopped ? stop_time_ : Clock::now();
  const double elapsed =
      std::chrono::duration<double, std::nano>(stop_time - start_time_).count();
  // Over a short time the tick length that the process calibrated is more
  // accurate.
  constexpr double kLong = 10e6;
  span.nanoseconds_per_tick =
      elapsed > kLong && span.stop > span.start
          ? elapsed / static_cast<double>(span.stop - span.start)
          : static_cast<double>(base::NanosecondsPerTick());
  return span;
}

std::vector<const TraceLog*> TraceSession::Logs() const {
  const std::lock_guard<std::mutex> lock(AllTraces().mutex);
  std::vector<const TraceLog*> logs;
  for (const auto& log : logs_) logs.push_back(log.get());
  return logs;
}

// The caller holds the mutex.
TraceLog* TraceSession::AddLog() {
  auto log = std::make_unique<TraceLog>(max_events_per_thread_, start_);
  log->thread_name = NameOfThisThread();
  log->thread_id = logs_.size() + 1;
  logs_.push_back(std::move(log));
  return logs_.back().get();
}

// Returns the calling thread's log in the trace with this number, or null if
// the trace does not run or memory is short.
TraceLog* AttachToTrace(std::uint32_t running) noexcept {
  ThisThread& self = this_thread_log;
  if (self.has_ended) return nullptr;
  Traces& traces = AllTraces();
  std::shared_ptr<TraceSession> last;  // Destroyed after unlocking.
  const std::lock_guard<std::mutex> lock(traces.mutex);
  const std::shared_ptr<TraceSession>& session = traces.running;
  if (session == nullptr || session->number_ != running) return nullptr;
  try {
    self.log = session->AddLog();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  self.number = running;
  last =
      std::exchange(platform::ObjectOfThisThread<LogOwner>().session, session);
  return self.log;
}

namespace {

void Record(const TraceRecord& record) noexcept {
  const std::uint32_t running =
      trace_switch.running.load(std::memory_order_relaxed);
  if (running == 0) return;
  TraceLog* log = this_thread_log.log;
  if (this_thread_log.number != running) log = AttachToTrace(running);
  if (log != nullptr) log->Append(record);
}

// Records a slice and returns its end.
base::Ticks RecordSlice(TraceKind kind, base::Ticks begin, base::Ticks end,
                        std::uint64_t id, std::uint64_t other) noexcept {
  const base::Ticks duration = std::max<base::Ticks>(0, end - begin);
  Record({kind, begin, id, other, static_cast<std::uint64_t>(duration)});
  return end;
}

// Returns the log of this thread in the running trace, or null if no trace runs
// or this thread has no log in it yet.
inline TraceLog* RunningLog() {
  const bool runs = this_thread_log.number ==
                    trace_switch.running.load(std::memory_order_relaxed);
  return runs ? this_thread_log.log : nullptr;
}

}  // namespace

std::int64_t TraceTicks() { return base::Now(); }

std::int64_t RecordTraceSlice(TraceKind kind, std::int64_t begin,
                              std::uint64_t id, std::uint64_t other) noexcept {
  return RecordSlice(kind, begin, base::Now(), id, other);
}

std::int64_t RecordTraceTask(std::int64_t begin, std::uint64_t id,
                             std::uint64_t set) noexcept {
  const base::Ticks end = base::Now();
  TraceLog* const log = RunningLog();
  if (log != nullptr && log->AppendShortTask(begin, end, id, set)) return end;
  return RecordSlice(TraceKind::kTask, begin, end, id, set);
}

void RecordTraceMoment(TraceKind kind, std::uint64_t id, std::uint64_t other,
                       const char* name, std::int64_t at) noexcept {
  Record({kind, at, id, other, TraceId(name)});
}

void RecordTraceSpawn(std::uint64_t id, std::uint64_t set, const char* name,
                      std::int64_t at) noexcept {
  TraceLog* const log = RunningLog();
  if (log == nullptr || !log->AppendShortSpawn(at, id, set, TraceId(name))) {
    RecordTraceMoment(TraceKind::kSpawn, id, set, name, at);
  }
}

}  // namespace ceres::parallel::detail
