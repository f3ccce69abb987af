// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_WINDOWS)

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0602
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <sys/stat.h>
#include <windows.h>
#if defined(__MINGW32__)
#include <pthread.h>
#endif

#include <algorithm>
#include <climits>
#include <utility>

#include "ceres/base/file_sync.h"

namespace ceres::platform {

void WaitOnWord(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                std::chrono::nanoseconds timeout) {
  // Milliseconds, rounded up. Waits that are cut short return without a wake.
  DWORD milliseconds = INFINITE;
  if (timeout.count() >= 0) {
    constexpr std::int64_t kLongest = 1'000'000'000;
    milliseconds = static_cast<DWORD>(std::min<std::int64_t>(
        (timeout.count() + 999'999) / 1'000'000, kLongest));
  }
  ::WaitOnAddress(reinterpret_cast<volatile void*>(word), &expected,
                  sizeof(expected), milliseconds);
}

void WakeAllOnWord(std::atomic<std::uint32_t>* word) {
  ::WakeByAddressAll(word);
}

Thread ThisThread() {
#if defined(__MINGW32__)
  return pthread_self();
#else
  return ::GetCurrentThread();
#endif
}

namespace {

constexpr std::size_t kMaskWords = sizeof(KAFFINITY) / sizeof(unsigned long);
constexpr int kWordBits = 8 * sizeof(unsigned long);

// One processor group of at most 64 CPUs.
bool IsOneGroup() { return ::GetActiveProcessorGroupCount() == 1; }

}  // namespace

bool GetAffinity(Thread, unsigned long* words, std::size_t num_words) {
  GROUP_AFFINITY affinity = {};
  if (!IsOneGroup() || num_words < kMaskWords ||
      !::GetThreadGroupAffinity(::GetCurrentThread(), &affinity)) {
    return false;
  }
  std::fill_n(words, num_words, 0UL);
  for (std::size_t w = 0; w < kMaskWords; ++w) {
    words[w] = static_cast<unsigned long>(affinity.Mask >>
                                          (static_cast<int>(w) * kWordBits));
  }
  return true;
}

bool SetAffinity(Thread, const unsigned long* words, std::size_t num_words) {
  if (!IsOneGroup() || num_words < kMaskWords) return false;
  KAFFINITY mask = 0;
  for (std::size_t w = 0; w < kMaskWords; ++w) {
    mask |= static_cast<KAFFINITY>(words[w])
            << (static_cast<int>(w) * kWordBits);
  }
  return ::SetThreadAffinityMask(::GetCurrentThread(), mask) != 0;
}

double JobCpuQuota() {
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate = {};
  if (!::QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation,
                                   &rate, sizeof(rate), nullptr)) {
    return 0.0;
  }
  constexpr DWORD kHardCap =
      JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  if ((rate.ControlFlags & kHardCap) != kHardCap) return 0.0;
  SYSTEM_INFO info = {};
  ::GetSystemInfo(&info);
  // In hundredths of a per cent of all CPUs.
  return rate.CpuRate / 1e4 * info.dwNumberOfProcessors;
}

// FlushProcessWriteBuffers would do, but Wine 8 accepts the call and does
// nothing.
bool RegisterForInterrupts() { return false; }
bool InterruptAllThreads() { return false; }

namespace {

// Windows 10 1607 and later.
template <typename Function>
Function KernelFunction(const char* name) {
  const HMODULE kernel = ::GetModuleHandleA("kernel32.dll");
  return kernel == nullptr ? nullptr
                           : reinterpret_cast<Function>(reinterpret_cast<void*>(
                                 ::GetProcAddress(kernel, name)));
}

}  // namespace

void NameThisThread(const char* name) {
  using SetDescription = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  static const auto set =
      KernelFunction<SetDescription>("SetThreadDescription");
  if (set == nullptr) return;
  const std::string narrow(name);
  const std::wstring wide(narrow.begin(), narrow.end());
  set(::GetCurrentThread(), wide.c_str());
}

std::string NameOfThisThread() {
  using GetDescription = HRESULT(WINAPI*)(HANDLE, PWSTR*);
  static const auto get =
      KernelFunction<GetDescription>("GetThreadDescription");
  PWSTR wide = nullptr;
  if (get == nullptr || FAILED(get(::GetCurrentThread(), &wide))) return "";
  std::string name;
  for (const wchar_t* c = wide; *c != 0; ++c) {
    name += *c < 128 ? static_cast<char>(*c) : '?';
  }
  ::LocalFree(wide);
  return name;
}

#if defined(CERES_HAS_EMULATED_THREAD_LOCALS)

namespace {

struct ExitCall {
  void (*destroy)(void* object);
  void* object;
  ExitCall* older;
};

pthread_key_t exit_calls;

void RunExitCalls(void* newest) {
  for (auto* call = static_cast<ExitCall*>(newest); call != nullptr;) {
    call->destroy(call->object);
    delete std::exchange(call, call->older);
  }
}

// Before any thread-local object exists: the keys of a thread are destroyed in
// the order in which they were made.
__attribute__((constructor(101))) void MakeExitKey() {
  pthread_key_create(&exit_calls, &RunExitCalls);
}

}  // namespace

void CallAtThreadExit(void (*destroy)(void* object), void* object) {
  auto* const older = static_cast<ExitCall*>(pthread_getspecific(exit_calls));
  pthread_setspecific(exit_calls, new ExitCall{destroy, object, older});
}

bool IsDestroyedByExit(const void* object) {
  HMODULE module = nullptr;
  return ::GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                  GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              static_cast<LPCSTR>(object), &module) != 0;
}

#endif

StackBounds StackOfThisThread() {
  ULONG_PTR low = 0;
  ULONG_PTR high = 0;
  ::GetCurrentThreadStackLimits(&low, &high);
  StackBounds bounds;
  bounds.begin = static_cast<std::uintptr_t>(low);
  bounds.end = static_cast<std::uintptr_t>(high);
  return bounds;
}

void AtFork(void (*)(), void (*)(), void (*)()) {}

bool CallOnOwnStack(std::size_t, void (*)(void*), void*) { return false; }
void AdviseHugePages(void*, std::size_t) {}

int ProcessId() { return static_cast<int>(::GetCurrentProcessId()); }

double MemoryLimit() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof(status);
  return ::GlobalMemoryStatusEx(&status)
             ? static_cast<double>(status.ullTotalPhys)
             : 0.0;
}

std::FILE* CreateNewFile(const std::string& path) {
  const int file =
      ::_open(path.c_str(), _O_CREAT | _O_EXCL | _O_WRONLY | _O_BINARY,
              _S_IREAD | _S_IWRITE);
  return file < 0 ? nullptr : ::_fdopen(file, "wb");
}

bool SyncFile(std::FILE* file) {
  return std::fflush(file) == 0 && ::_commit(::_fileno(file)) == 0;
}

bool SyncFolder(const std::string& /*folder*/) { return true; }

bool IsTerminal(std::FILE* stream) { return ::_isatty(::_fileno(stream)) != 0; }

std::size_t TerminalWidth(std::FILE* stream) {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  const auto handle =
      reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(stream)));
  if (!::GetConsoleScreenBufferInfo(handle, &info)) return 0;
  return static_cast<std::size_t>(info.dwSize.X);
}

// Windows has no list of all symbols of a process.
void* FindSymbol(const char*) { return nullptr; }

}  // namespace ceres::platform

#endif
