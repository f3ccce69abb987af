# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

# Cross-compiles for 64-bit ARM with Debian's g++-aarch64-linux-gnu and packages of the architecture arm64; runs tests under
# qemu-user. scripts/platform_test.sh arm64 uses it; docs/platforms.md has the commands.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Debian's multi-arch folders: /usr/lib/aarch64-linux-gnu, and headers that all architectures share.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/cmake)

# QEMU_CPU (an environment variable of qemu) selects another processor, for example max,sve=on.
find_program(QEMU_AARCH64_PROGRAM NAMES qemu-aarch64-static qemu-aarch64)
mark_as_advanced(QEMU_AARCH64_PROGRAM)
if(QEMU_AARCH64_PROGRAM)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_AARCH64_PROGRAM}")
endif()
