// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace.h"

#include "ceres/parallel/trace/trace_log.h"
#include "ceres/parallel/trace_output/trace_json.h"
#include "ceres/parallel/trace_output/trace_timeline.h"

namespace ceres::parallel {

Trace::Trace(const TraceOptions& options) : options_(options) {}

Trace::~Trace() { Stop(); }

void Trace::Start() {
  session_ = detail::TraceSession::Start(options_.max_events_per_thread);
}

void Trace::Stop() {
  if (session_ != nullptr) session_->Stop();
}

bool Trace::IsRunning() const {
  return session_ != nullptr && session_->IsRunning();
}

std::size_t Trace::NumEvents() const {
  std::size_t count = 0;
  if (session_ == nullptr) return count;
  for (const detail::TraceLog* log : session_->Logs()) count += log->size();
  return count;
}

std::size_t Trace::NumDropped() const {
  std::size_t count = 0;
  if (session_ == nullptr) return count;
  for (const detail::TraceLog* log : session_->Logs()) count += log->dropped();
  return count;
}

void Trace::WriteJson(std::ostream& out) const {
  detail::WriteTimeline(session_ != nullptr ? detail::MakeTimeline(*session_)
                                            : detail::TraceTimeline(),
                        out);
}

}  // namespace ceres::parallel
