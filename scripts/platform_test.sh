#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the library and its tests for another platform, runs them in an emulator, and prints a table. Installs what it needs
# (Debian 12).
# Usage: scripts/platform_test.sh PLATFORM [--ci | LAYER... | TEST...]
#   PLATFORM  arm64     g++-aarch64-linux-gnu, qemu-user
#             windows   MinGW-w64, wine64
#             portable  this machine, without any call of its system beyond POSIX and the standard library
#             musl      the clang and the C++ library of zig, static programs; run on this machine
#             macos     the same compiler, with Apple's headers; builds the libraries and links a program, runs nothing
#   --ci      some tests of the runtime, about four minutes without a compiler cache
#   LAYER     layers of internal/ceres/layers.txt, or `program`, which links and runs the first program of the documentation;
#             without any, all
#   TEST      names of single tests, for example solver_test
# Variables: JOBS (default: all cores), QEMU_CPU (for example max,sve=on),
#            ZIG_VERSION (default 0.13.0, which has Clang 18; 0.12.1 has Clang 17; the folder of the build is named after it)
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

platform=${1:-}
shift || true
jobs=${JOBS:-$(nproc)}
build=build/$platform${ZIG_VERSION:+-zig-$ZIG_VERSION}
options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DVESTA_LOGGING=builtin -DSUITESPARSE=OFF
  -DLAPACK=OFF -DEIGENMETIS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_BENCHMARKS=OFF)
ci_tests=(region_test thread_pool_test parallel_for_test future_test task_graph_test locks_across_waits_test)

# Installs what is missing of the packages. Usage: install PACKAGE...
install() {
  local missing=() package root=() status architecture
  for package in "$@"; do
    # Without a name of an architecture, the package for this machine.
    [[ "$package" == *:* ]] && architecture=${package#*:} || architecture=$(dpkg --print-architecture)
    status=$(dpkg-query -W -f='${Architecture} ${db:Status-Status}\n' "$package" 2>/dev/null || true)
    grep -Eq "^(all|$architecture) installed$" <<<"$status" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  [[ "${missing[*]}" != *:arm64* ]] || "${root[@]}" dpkg --add-architecture arm64
  "${root[@]}" apt-get update -q
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Zig has the headers and libraries of other systems, and comes from PyPI. Usage: use_zig TARGET SYSTEM
use_zig() {
  local kind tool tools="$PWD/$build/tools"
  install cmake ninja-build python3-venv libeigen3-dev libhwy-dev googletest
  [ -x "$build/zig/bin/python" ] || python3 -m venv "$build/zig"
  "$build/zig/bin/python" -m pip install -q --disable-pip-version-check "ziglang==${ZIG_VERSION:-0.13.0}"
  mkdir -p "$tools"
  for tool in "cc -target $1" "c++ -target $1" ar ranlib; do
    printf '#!/bin/sh\nexec "%s" -m ziglang %s "$@"\n' "$PWD/$build/zig/bin/python" "$tool" >"$tools/${tool%% *}"
    chmod +x "$tools/${tool%% *}"
  done
  options+=("-DCMAKE_C_COMPILER=$tools/cc" "-DCMAKE_CXX_COMPILER=$tools/c++" "-DCMAKE_AR=$tools/ar" "-DCMAKE_RANLIB=$tools/ranlib"
    "-DCMAKE_SYSTEM_NAME=$2" "-DCMAKE_FIND_ROOT_PATH=$tools" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
  for kind in LIBRARY INCLUDE PACKAGE; do options+=("-DCMAKE_FIND_ROOT_PATH_MODE_$kind=ONLY"); done
}

# Only headers of Highway are there. Without CUSTOM_BLAS they are enough.
use_headers_of_highway() {
  mkdir -p "$build/headers"
  ln -sfn /usr/include/hwy "$build/headers/hwy"
  options+=(-DCUSTOM_BLAS=OFF -DEigen3_DIR=/usr/share/eigen3/cmake "-DHighway_INCLUDE_DIR=$PWD/$build/headers")
}

case "$platform" in
  arm64)
    install cmake ninja-build python3 libeigen3-dev g++-aarch64-linux-gnu qemu-user-static libhwy-dev:arm64 \
      libgtest-dev:arm64 libgmock-dev:arm64
    options+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/linux-aarch64.cmake")
    # A death test starts its program anew, which qemu-user can do only where the kernel knows it (binfmt_misc). Else it forks.
    [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || export GTEST_DEATH_TEST_STYLE=fast
    ;;
  windows)
    install cmake ninja-build python3 libeigen3-dev libhwy-dev googletest g++-mingw-w64-x86-64-posix wine64
    use_headers_of_highway
    options+=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/windows-x86_64.cmake")
    export WINEPREFIX="$PWD/$build/wine" WINEDEBUG=-all
    ;;
  portable)
    scripts/install_dependencies.sh
    options+=(-DCMAKE_CXX_FLAGS=-DCERES_SYSTEM_PORTABLE -DBUILD_EXAMPLES=ON)
    ;;
  musl)
    use_zig x86_64-linux-musl Linux
    use_headers_of_highway
    ;;
  macos)
    use_zig aarch64-macos Darwin
    use_headers_of_highway
    # What changes names of libraries when they are installed, which is not done here.
    options+=(-DCMAKE_INSTALL_NAME_TOOL=/bin/true)
    ;;
  *) echo "$help_text" >&2; exit 2 ;;
esac

[ -f "$build/CMakeCache.txt" ] || cmake -S . -B "$build" -G Ninja "${options[@]}"
if [ "$platform" = macos ]; then
  cmake --build "$build" --parallel "$jobs" --target snippet_first_solve
  echo "Linked, not run: $build/bin/snippet_first_solve"
  exit
fi

table=""
failed=0
# Builds targets and runs tests, and adds a row to the table. Usage: run NAME "TARGETS" CTEST_ARGUMENTS...
run() {
  local name=$1 targets=$2 log row
  shift 2
  log="$build/$name.log"
  # shellcheck disable=SC2086
  cmake --build "$build" --parallel "$jobs" --target $targets
  ctest --test-dir "$build" --output-on-failure --timeout 600 --label-exclude '^timing$' --no-tests=error "$@" | tee "$log" ||
    failed=1
  row=$(sed -n 's/.*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\2 \1/p' "$log")
  table+=$(printf '%-12s %-14s %8s %8s' "$platform" "$name" "${row% *}" "${row#* }")$'\n'
}

# Builds and runs single tests. Usage: run_tests NAME TEST...
run_tests() {
  local name=$1
  shift
  run "$name" "$*" -R "^($(IFS='|'; echo "$*"))\$"
}

if [ "${1:-}" = --ci ]; then
  run_tests ci "${ci_tests[@]}"
else
  tests=()
  layers=("$@")
  [ ${#layers[@]} -gt 0 ] || mapfile -t layers < <(sed -n 's/^\([a-z]*\):.*/\1/p' internal/ceres/layers.txt; echo program)
  for layer in "${layers[@]}"; do
    if [ "$layer" = program ]; then
      run program snippet_first_solve -R '^docs_first_solve$'
      continue
    fi
    if [[ "$layer" == *_test ]]; then
      tests+=("$layer")
      continue
    fi
    grep -rq . --include='*_test.cc' "internal/ceres/$layer" || continue
    run "$layer" "${layer}_tests" -L "^$layer\$"
  done
  if [ ${#tests[@]} -gt 0 ]; then
    run_tests tests "${tests[@]}"
  fi
fi
printf '\n%-12s %-14s %8s %8s\n%s' platform layer tests failed "$table"
exit "$failed"
