// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// For the test macos_syntax: what macOS's <pthread.h> declares and Linux's does
// not, or declares with other parameters.

#include_next <pthread.h>

#include <cstddef>

extern "C" {
void* pthread_get_stackaddr_np(pthread_t thread);
std::size_t pthread_get_stacksize_np(pthread_t thread);
int vesta_pthread_setname_np(const char* name);
}
#define pthread_setname_np(name) vesta_pthread_setname_np(name)
