// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_LINUX)

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#if __has_include(<linux/membarrier.h>)
#define CERES_HAVE_MEMBARRIER
#include <linux/membarrier.h>
#endif

namespace ceres::platform {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "a futex is a plain word");

namespace {

// 32-bit systems whose std::time_t has 64 bits have a call of their own.
#if defined(SYS_futex_time64)
constexpr long kFutex = sizeof(std::time_t) > sizeof(long)
                            ? static_cast<long>(SYS_futex_time64)
                            : static_cast<long>(SYS_futex);
#else
constexpr long kFutex = SYS_futex;
#endif

#if !defined(__GLIBC__)
constexpr std::size_t kUsualStack = 8 << 20;
#endif

#if !defined(__GLIBC__) && !defined(__ANDROID__)
// musl gives a thread 128 kB of stack by default, and Eigen places arrays of
// that size on the stack. Threads that start after the program was loaded have
// the usual size, workers and the program's own threads alike.
[[maybe_unused]] const bool stacks_are_large = [] {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool are_large =
      pthread_attr_setstacksize(&attributes, kUsualStack) == 0 &&
      pthread_setattr_default_np(&attributes) == 0;
  pthread_attr_destroy(&attributes);
  return are_large;
}();
#endif

}  // namespace

#if !defined(__GLIBC__)

// Whether the object lies in a segment of the program or of a library.
bool IsDestroyedByExit(const void* object) {
  auto address = reinterpret_cast<std::uintptr_t>(object);
  const auto contains = [](dl_phdr_info* module, std::size_t, void* wanted) {
    for (int k = 0; k < module->dlpi_phnum; ++k) {
      const auto& segment = module->dlpi_phdr[k];
      const std::uintptr_t offset = *static_cast<std::uintptr_t*>(wanted) -
                                    module->dlpi_addr - segment.p_vaddr;
      if (segment.p_type == PT_LOAD && offset < segment.p_memsz) return 1;
    }
    return 0;
  };
  return ::dl_iterate_phdr(contains, &address) != 0;
}

#endif

void WaitOnWord(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                std::chrono::nanoseconds timeout) {
  constexpr std::int64_t kSecond = 1000000000;
  timespec time{};
  const bool has_timeout = timeout.count() >= 0;
  if (has_timeout) {
    time.tv_sec = static_cast<std::time_t>(timeout.count() / kSecond);
    time.tv_nsec =
        static_cast<decltype(time.tv_nsec)>(timeout.count() % kSecond);
  }
  syscall(kFutex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAIT_PRIVATE,
          expected, has_timeout ? &time : nullptr, nullptr, 0);
}

void WakeAllOnWord(std::atomic<std::uint32_t>* word) {
  syscall(kFutex, reinterpret_cast<std::uint32_t*>(word), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

// The kernel refuses what is shorter than its own sets.
bool GetAffinity(Thread thread, unsigned long* words, std::size_t num_words) {
  return pthread_getaffinity_np(thread, num_words * sizeof(*words),
                                reinterpret_cast<cpu_set_t*>(words)) == 0;
}

bool SetAffinity(Thread thread, const unsigned long* words,
                 std::size_t num_words) {
  return pthread_setaffinity_np(thread, num_words * sizeof(*words),
                                reinterpret_cast<const cpu_set_t*>(words)) == 0;
}

double JobCpuQuota() { return 0.0; }

#if defined(CERES_HAVE_MEMBARRIER)
bool RegisterForInterrupts() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
                 0) == 0;
}
bool InterruptAllThreads() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else
bool RegisterForInterrupts() { return false; }
bool InterruptAllThreads() { return false; }
#endif

void NameThisThread(const char* name) {
  pthread_setname_np(pthread_self(), name);
}

std::string NameOfThisThread() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

StackBounds StackOfThisThread() {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    bounds.begin = reinterpret_cast<std::uintptr_t>(begin);
    bounds.end = bounds.begin + size;
  }
  pthread_attr_destroy(&attributes);
#if !defined(__GLIBC__)
  // musl knows of the main thread's stack only what is in use so far.
  if (bounds.end != 0 && syscall(SYS_gettid) == getpid()) {
    rlimit limit{};
    const bool is_limited =
        getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const std::uintptr_t limited =
        is_limited ? static_cast<std::uintptr_t>(limit.rlim_cur) : kUsualStack;
    bounds.begin =
        bounds.end - std::clamp(limited, bounds.end - bounds.begin, bounds.end);
  }
#endif
  return bounds;
}

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)

bool CallOnOwnStack(std::size_t, void (*)(void*), void*) { return false; }

#else

namespace {

struct StackCall {
  void (*f)(void* context);
  void* context;
  ucontext_t caller;
};

// makecontext passes numbers of type int only.
void RunStackCall(unsigned low, unsigned high) {
  const std::uint64_t address = std::uint64_t{high} << 32 | low;
  auto* const call =
      reinterpret_cast<StackCall*>(static_cast<std::uintptr_t>(address));
  call->f(call->context);
}

}  // namespace

bool CallOnOwnStack(std::size_t size, void (*f)(void* context), void* context) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = MapMemory(size + page);
  if (memory == nullptr) return false;
  StackCall call{f, context, {}};
  ucontext_t callee;
  // The lowest page stays without access: an overflow ends the process.
  if (mprotect(memory, page, PROT_NONE) != 0 || getcontext(&callee) != 0) {
    UnmapMemory(memory, size + page);
    return false;
  }
  callee.uc_stack.ss_sp = static_cast<char*>(memory) + page;
  callee.uc_stack.ss_size = size;
  callee.uc_link = &call.caller;
  const std::uint64_t address{reinterpret_cast<std::uintptr_t>(&call)};
  makecontext(&callee, reinterpret_cast<void (*)()>(&RunStackCall), 2,
              static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
  swapcontext(&call.caller, &callee);
  UnmapMemory(memory, size + page);
  return true;
}

#endif

void* MapMemory(std::size_t bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void UnmapMemory(void* memory, std::size_t bytes) { munmap(memory, bytes); }

void AdviseHugePages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_HUGEPAGE);
}

void AdviseSmallPages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_NOHUGEPAGE);
}

bool PopulatePages([[maybe_unused]] void* memory,
                   [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  return madvise(memory, bytes, MADV_POPULATE_WRITE) == 0;
#else
  return false;
#endif
}

void DropPages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_DONTNEED);
}

double ThreadSeconds() {
  std::timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * time.tv_nsec;
}

}  // namespace ceres::platform

#endif
