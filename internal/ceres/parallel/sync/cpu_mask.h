// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_CPU_MASK_H_
#define CERES_INTERNAL_PARALLEL_SYNC_CPU_MASK_H_

#include <array>
#include <cstddef>
#include <optional>
#include <thread>

// On which CPUs a thread may run. On systems that do not
// tell, masks are unknown and changes have no effect.

namespace ceres::parallel::detail {

using ThreadHandle = std::thread::native_handle_type;

// The calling thread.
ThreadHandle ThisThread();

// A set of CPUs. Does not allocate: a thread that has just started needs no
// heap for it.
class CpuMask {
 public:
  // The largest number that Linux can be built for.
  static constexpr int kMaxCpus = 1 << 13;

  CpuMask() = default;
  static std::optional<CpuMask> Of(ThreadHandle thread);

  int Count() const;
  bool Has(int cpu) const;
  // The k-th CPU of the set, 0 <= k < Count().
  int At(int k) const;
  // 0 <= cpu < kMaxCpus.
  void Add(int cpu) { WordOf(cpu) |= BitOf(cpu); }
  // Returns false if the system refuses.
  bool ApplyTo(ThreadHandle thread) const;

  bool operator==(const CpuMask& other) const { return words_ == other.words_; }

 private:
  using Word = unsigned long;
  static constexpr int kWordBits = 8 * sizeof(Word);

  static Word BitOf(int cpu) { return Word{1} << (cpu % kWordBits); }
  Word& WordOf(int cpu) {
    return words_[static_cast<std::size_t>(cpu / kWordBits)];
  }

  std::array<Word, kMaxCpus / kWordBits> words_ = {};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_CPU_MASK_H_
