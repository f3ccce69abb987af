// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PLATFORM_H_
#define CERES_INTERNAL_BASE_PLATFORM_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "ceres/parallel/detail/export.h"

// All calls of the operating system beyond the standard library. What a system
// lacks has no effect, or returns that it is not known. All functions are
// thread-safe.
//
//   platform_linux.cc      Linux, with any C library
//   platform_macos.cc      macOS 10.12 or later
//   platform_windows.cc    Windows 8 or later, with MinGW-w64 or MSVC
//   platform_posix.cc      what all systems but Windows share
//   platform_exit.cc       what all systems but glibc's and macOS share
//   platform_portable.cc   what another system has: the standard library only
//
// -DCERES_SYSTEM_PORTABLE compiles for another system. That is how Linux tests
// the fallbacks. Exactly one of the four is 1:
#if defined(CERES_SYSTEM_PORTABLE)
#define CERES_SYSTEM_OTHER 1
#elif defined(__linux__)
#define CERES_SYSTEM_LINUX 1
#elif defined(__APPLE__)
#define CERES_SYSTEM_MACOS 1
#elif defined(_WIN32)
#define CERES_SYSTEM_WINDOWS 1
#else
#define CERES_SYSTEM_OTHER 1
#endif
// Processes, fork() and signals are those of POSIX.
#if defined(__unix__) || defined(__APPLE__)
#define CERES_SYSTEM_POSIX 1
#endif

namespace ceres::platform {

// --- Waiting until a word changes ---

// Sleeps until a wake on the same address, if *word has the value `expected`,
// or until the timeout has passed. Negative: no timeout. May return without a
// wake. With respect to a wake, comparing and falling asleep are one step.
void WaitOnWord(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                std::chrono::nanoseconds timeout);
// Wakes all threads that sleep on `word`. The memory may have another meaning
// by now.
void WakeAllOnWord(std::atomic<std::uint32_t>* word);

// --- CPUs ---

using Thread = std::thread::native_handle_type;
Thread ThisThread();

// The CPUs on which a thread may run: bit k of word w stands for CPU
// w * (bits of a word) + k. Returns false if the system does not tell, or
// refuses. On Windows, `thread` must be the calling thread, and masks are of
// the CPUs of its processor group.
bool GetAffinity(Thread thread, unsigned long* words, std::size_t num_words);
bool SetAffinity(Thread thread, const unsigned long* words,
                 std::size_t num_words);

// The share of CPUs that the process's job has (Windows), in CPUs; 0: no limit.
// Control groups of Linux: parallel/sync/cgroup.h.
double JobCpuQuota();

// --- Fences ---

// Prepares InterruptAllThreads; returns false if the system has no such call.
bool RegisterForInterrupts();
// Has every running thread of the process execute a full fence. Returns false
// if that failed.
bool InterruptAllThreads();

// --- Threads ---

// Names longer than this are refused by Linux.
inline constexpr std::size_t kMaxThreadName = 15;
void NameThisThread(const char* name);
// Empty: not known.
std::string NameOfThisThread();

// The stack of the calling thread; stacks grow downwards. 0, 0: not known.
struct StackBounds {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
StackBounds StackOfThisThread();

// Calls f(context) in the calling thread, on a stack of its own with this size,
// which is mapped for the call. f must not throw. Returns false, and has not
// called f, if there is no memory, or the system cannot: it can with glibc, but
// not under AddressSanitizer or ThreadSanitizer, which follow stacks.
bool CallOnOwnStack(std::size_t size, void (*f)(void* context), void* context);

#if defined(__MINGW32__) && defined(__GNUC__) && !defined(__clang__)
// GCC's emulation of thread-local storage on Windows frees the memory of a
// thread before it calls destructors (GCC bug 58142). So the objects lie on the
// heap, and their destructors are called by a key that is older than the
// emulation's, in the reverse order of construction. They are not called for
// the main thread, nor by exit().
#define CERES_HAS_EMULATED_THREAD_LOCALS
void CallAtThreadExit(void (*destroy)(void* object), void* object);
#endif

// For an object that is being destroyed: whether exit() does that, because the
// object has static storage. Where exit() first destroys the thread-local
// objects of its thread, they tell this for every kind of storage, and the
// function returns false.
#if defined(CERES_HAS_EMULATED_THREAD_LOCALS) || \
    (defined(CERES_SYSTEM_LINUX) && !defined(__GLIBC__))
bool IsDestroyedByExit(const void* object);
#else
inline bool IsDestroyedByExit(const void*) { return false; }
#endif

// Whether exit() is among the callers of the calling thread: it runs a
// destructor or a function that was registered by std::atexit. Where the stack
// of exit() cannot be unwound (musl has no unwind tables), exit() is known from
// the time when it has destroyed what was made after a call of ExpectExit().
bool IsInExit();
#if (defined(__GLIBC__) || defined(__APPLE__)) && !defined(CERES_SYSTEM_OTHER)
#define CERES_EXIT_CAN_BE_UNWOUND
inline void ExpectExit() {}
#else
void ExpectExit();
#endif

// The thread-local object of type T of the calling thread, made on first use.
// For types with a destructor.
template <typename T>
T& ObjectOfThisThread() {
#if defined(CERES_HAS_EMULATED_THREAD_LOCALS)
  static thread_local T* object = nullptr;
  if (object == nullptr) {
    object = new T;
    CallAtThreadExit([](void* end) { delete static_cast<T*>(end); }, object);
  }
  return *object;
#else
  static thread_local T object;
  return object;
#endif
}

// Calls the functions at every fork() from now on: `before` and `in_parent` in
// the calling process, `in_child` in the new one.
void AtFork(void (*before)(), void (*in_parent)(), void (*in_child)());

// --- Memory ---

// Whether the functions below map memory. If not, do not call them.
#if defined(CERES_SYSTEM_LINUX)
inline constexpr bool kMapsMemory = true;
#else
inline constexpr bool kMapsMemory = false;
#endif
// Maps zeros. Null: no memory.
void* MapMemory(std::size_t bytes);
void UnmapMemory(void* memory, std::size_t bytes);
// Advice: the kernel should use huge pages for this memory, or should not. Has
// no effect on systems without such advice; the memory need not be mapped.
void AdviseHugePages(void* memory, std::size_t bytes);
void AdviseSmallPages(void* memory, std::size_t bytes);
// Backs mapped memory with pages; false if the system cannot.
bool PopulatePages(void* memory, std::size_t bytes);
// Returns pages to the system. Their values are lost.
void DropPages(void* memory, std::size_t bytes);
// The time that this thread has run so far, the kernel's work for it included.
double ThreadSeconds();
// The most memory that this process can have, in bytes: that of the machine, or
// less if the process or its control group has a limit. 0: not known.
CERES_PARALLEL_EXPORT double MemoryLimit();

// --- Processes, files, terminals, libraries ---

int ProcessId();
// Opens a file that must not exist, for writing. Null: errno says why.
std::FILE* CreateNewFile(const std::string& path);
CERES_PARALLEL_EXPORT bool IsTerminal(std::FILE* stream);
// In columns; 0: not known.
CERES_PARALLEL_EXPORT std::size_t TerminalWidth(std::FILE* stream);
// A function of the process by name; null if there is none.
CERES_PARALLEL_EXPORT void* FindSymbol(const char* name);

}  // namespace ceres::platform

#endif  // CERES_INTERNAL_BASE_PLATFORM_H_
