// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_POSIX)

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "ceres/base/file_sync.h"

namespace ceres::platform {

Thread ThisThread() { return pthread_self(); }

void AtFork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  pthread_atfork(before, in_parent, in_child);
}

#if !defined(CERES_SYSTEM_OTHER)
double MemoryLimit() {
  double limit = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                 static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit of_process = {};
  if (getrlimit(RLIMIT_AS, &of_process) == 0 &&
      of_process.rlim_cur != RLIM_INFINITY) {
    limit = std::min(limit, static_cast<double>(of_process.rlim_cur));
  }
  // Linux: the control group that a container sees as the root. The files hold
  // "max" or a huge number if there is no limit.
  for (const char* const path :
       {"/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    double of_group = 0.0;
    if (std::ifstream(path) >> of_group) limit = std::min(limit, of_group);
  }
  return limit;
}
#endif

int ProcessId() { return static_cast<int>(getpid()); }

std::FILE* CreateNewFile(const std::string& path) {
  return std::fopen(path.c_str(), "wx");
}

bool SyncFile(std::FILE* file) {
  return std::fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool SyncFolder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (file < 0) return false;
  const bool is_synced = fsync(file) == 0;
  close(file);
  return is_synced;
}

bool IsTerminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::size_t TerminalWidth(std::FILE* stream) {
  winsize size = {};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void* FindSymbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace ceres::platform

#endif
