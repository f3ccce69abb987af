// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_TRACE_RECORD_H_
#define CERES_INTERNAL_PARALLEL_TRACE_TRACE_RECORD_H_

#include <cstdint>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"

// The record of an event, and how a log packs it into words of 64 bits.
//
// The first access to memory is the most expensive part of a record, besides
// the clock: a page fault takes 1.1 us or more, which is 9 ns for 32 bytes. So
// events that come in long sequences take one word, if they differ little from
// the event before them in the same log:
//  - a spawn into the same set, of the same name, soon after the last one;
//  - a task of the same set, or a piece of the same loop, that began when the
//    last one ended (NextTraceTask), and was short.
//
// All other records take four words. Nothing is rounded: an event that does not
// fit the short form has the long one.
//
// clang-format off
//   short  form (4 bits)  ticks (16)            what (44)
//   long   kLong (4)      kind (4) value (56)   begin   id   other
// clang-format on

namespace ceres::parallel::detail {

struct TraceRecord {
  TraceKind kind;
  base::Ticks begin;
  std::uint64_t id;
  std::uint64_t other;
  std::uint64_t value;  // Duration in ticks, or the address of a name.
};

// Packs and unpacks records. Its members are what short forms leave out. They
// change in the same way while a log is written and while it is read, from its
// first record.
class TraceRecordCoder {
 public:
  static constexpr int kMaxWords = 4;
  // No record begins with this word.
  static constexpr std::uint64_t kNoRecord = 0;

  // The word of a task, a piece, or a spawn. Returns kNoRecord, without any
  // effect, if the event does not have the short form.
  std::uint64_t ShortTask(base::Ticks begin, std::uint64_t ticks,
                          std::uint64_t id, std::uint64_t set) {
    return ShortSlice(kShortTask, begin, ticks, set, OfAddress(id));
  }
  std::uint64_t ShortPiece(base::Ticks begin, std::uint64_t ticks,
                           std::uint64_t region, std::uint64_t blocks) {
    return ShortSlice(kShortPiece, begin, ticks, region, blocks);
  }
  std::uint64_t ShortSpawn(base::Ticks at, std::uint64_t id, std::uint64_t set,
                           std::uint64_t name) {
    // Large if the event was before the last one.
    const auto ticks = static_cast<std::uint64_t>(at - spawned_);
    const std::uint64_t what = OfAddress(id);
    if (set != set_ || name != name_) return kNoRecord;
    if (ticks >= kTicks || what >= kWhats) return kNoRecord;
    spawned_ = at;
    return Word(kShortSpawn, ticks, what);
  }

  // Returns the end of the words.
  std::uint64_t* Encode(const TraceRecord& record, std::uint64_t* words) {
    words[0] = Short(record);
    if (words[0] != kNoRecord) return words + 1;
    words[0] = kLong + kForms * (static_cast<std::uint64_t>(record.kind) +
                                 kKinds * record.value);
    words[1] = static_cast<std::uint64_t>(record.begin);
    words[2] = record.id;
    words[3] = record.other;
    Remember(record);
    return words + kMaxWords;
  }

  // The inverse of the function above.
  const std::uint64_t* Decode(const std::uint64_t* words, TraceRecord* record) {
    const std::uint64_t word = words[0];
    const std::uint64_t ticks = word / kForms % kTicks;
    const std::uint64_t what = word / (kForms * kTicks);
    switch (static_cast<Form>(word % kForms)) {
      case kShortTask:
        *record = {TraceKind::kTask, slice_end_, what * kAlignment, owner_,
                   ticks};
        break;
      case kShortPiece:
        *record = {TraceKind::kPiece, slice_end_, owner_, what, ticks};
        break;
      case kShortSpawn:
        *record = {TraceKind::kSpawn,
                   spawned_ + static_cast<base::Ticks>(ticks),
                   what * kAlignment, set_, name_};
        break;
      case kLong:
        *record = {static_cast<TraceKind>(word / kForms % kKinds),
                   static_cast<base::Ticks>(words[1]), words[2], words[3],
                   word / (kForms * kKinds)};
        words += kMaxWords - 1;
        break;
    }
    Remember(*record);
    return words + 1;
  }

 private:
  enum Form : std::uint64_t {
    kLong = 1,
    kShortTask,
    kShortPiece,
    kShortSpawn,
  };
  static constexpr std::uint64_t kForms = std::uint64_t{1} << 4;
  static constexpr std::uint64_t kTicks = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kWhats = std::uint64_t{1} << 44;
  static constexpr std::uint64_t kKinds = std::uint64_t{1} << 4;
  static_assert(static_cast<std::uint64_t>(TraceKind::kWakeArrived) < kKinds);
  static constexpr std::uint64_t kAlignment = 16;  // Of tasks.

  static std::uint64_t Word(Form form, std::uint64_t ticks,
                            std::uint64_t what) {
    return form + kForms * (ticks + kTicks * what);
  }

  // At least kWhats if the address is not aligned: the low bits are on top.
  static std::uint64_t OfAddress(std::uint64_t id) {
    return id / kAlignment | id << 60;
  }

  std::uint64_t ShortSlice(Form form, base::Ticks begin, std::uint64_t ticks,
                           std::uint64_t owner, std::uint64_t what) {
    if (begin != slice_end_ || owner != owner_) return kNoRecord;
    if (ticks >= kTicks || what >= kWhats) return kNoRecord;
    slice_end_ = begin + static_cast<base::Ticks>(ticks);
    return Word(form, ticks, what);
  }

  std::uint64_t Short(const TraceRecord& r) {
    switch (r.kind) {
      case TraceKind::kTask:
        return ShortTask(r.begin, r.value, r.id, r.other);
      case TraceKind::kPiece:
        return ShortPiece(r.begin, r.value, r.id, r.other);
      case TraceKind::kSpawn:
        return ShortSpawn(r.begin, r.id, r.other, r.value);
      default:
        return kNoRecord;
    }
  }

  void Remember(const TraceRecord& record) {
    switch (record.kind) {
      case TraceKind::kTask:
      case TraceKind::kPiece:
        slice_end_ = record.begin + static_cast<base::Ticks>(record.value);
        owner_ = record.kind == TraceKind::kTask ? record.other : record.id;
        break;
      case TraceKind::kSpawn:
        spawned_ = record.begin;
        set_ = record.other;
        name_ = record.value;
        break;
      default:
        break;
    }
  }

  // The end of the last task or piece, and its set or loop.
  base::Ticks slice_end_ = 0;
  std::uint64_t owner_ = 0;
  // The time, set and name of the last spawn.
  base::Ticks spawned_ = 0;
  std::uint64_t set_ = 0;
  std::uint64_t name_ = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_TRACE_RECORD_H_
