// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_
#define CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_

#include <array>
#include <cstddef>
#include <optional>
#include <thread>

// On which cpus a thread may run, and on which it does. Where the system does
// not tell, nobody knows and nothing moves.

namespace ceres::parallel::detail {

using ThreadHandle = std::thread::native_handle_type;

// The calling thread.
ThreadHandle ThisThread();

// A set of cpus. Allocates nothing, so that a thread's first steps need no heap
// of its own.
class CpuMask {
 public:
  // The most that Linux can be built for. Masks lie on the stacks of threads
  // that wake others.
  static constexpr int kMaxCpus = 1 << 13;

  CpuMask() = default;
  static std::optional<CpuMask> Of(ThreadHandle thread);

  int Count() const;
  bool Has(int cpu) const;
  // The k-th cpu of the set, 0 <= k < Count().
  int At(int k) const;
  // 0 <= cpu < kMaxCpus.
  void Add(int cpu) { WordOf(cpu) |= BitOf(cpu); }
  void Remove(const CpuMask& others);
  // False if the system refuses.
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

// The cpu that the calling thread runs on at this moment; -1: not known. Some
// two nanoseconds.
int CurrentCpu();

// Keeps a thread away from the cpus in `taken`, if others are in its mask: if
// it sleeps, or has not begun to run, it will run on one of the others. Returns
// the mask that it had, which it has to get back then, else nothing. 4 us for a
// sleeping thread, 13 for a new one. Linux takes what is given back for a
// choice of the user's: such a thread does not follow if cpus come online
// later, or if its cpuset grows or moves.
std::optional<CpuMask> ExcludeCpus(const CpuMask& taken, ThreadHandle thread);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_CPU_MASK_H_
