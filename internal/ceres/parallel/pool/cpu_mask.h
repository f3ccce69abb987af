// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_
#define CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_

#include <array>
#include <cstddef>
#include <optional>
#include <thread>

// On which CPUs a thread may run, and on which it runs. On systems that do not
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
  void Remove(const CpuMask& others);
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

// The CPU on which the calling thread runs now; -1: not known. Takes about two
// nanoseconds.
int CurrentCpu();

// Removes the CPUs in `taken` from the affinity mask of a thread, if other CPUs
// remain. If the thread sleeps, or has not begun to run, it will run on one of
// the others. Returns the previous mask, which the caller has to restore, or
// nothing if the mask was not changed. Takes 4 us for a sleeping thread, 13 us
// for a new one. Limitation: Linux treats a restored mask as a choice of the
// user, so the thread does not follow if CPUs come online later, or if its
// cpuset grows or moves.
std::optional<CpuMask> ExcludeCpus(const CpuMask& taken, ThreadHandle thread);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_
