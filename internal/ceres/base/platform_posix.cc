// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_POSIX)

#include <dlfcn.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ceres::platform {

Thread ThisThread() { return pthread_self(); }

void AtFork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  pthread_atfork(before, in_parent, in_child);
}

int ProcessId() { return static_cast<int>(getpid()); }

std::FILE* CreateNewFile(const std::string& path) {
  return std::fopen(path.c_str(), "wx");
}

bool IsTerminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::size_t TerminalWidth(std::FILE* stream) {
  winsize size = {};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void* FindSymbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace ceres::platform

#endif
