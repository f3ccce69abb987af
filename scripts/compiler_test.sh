#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Compiles a part of the library with each compiler: one source that includes every public header, a program with cost
# functions, and the largest sources of each layer. Warnings are errors. Prints a row for each compiler.
# Nothing is linked or run: scripts/test.sh does this with the compiler of the build.
# Usage: scripts/compiler_test.sh [--sources=N] [COMPILER...]
#   --sources=N   sources of each layer (1)
#   COMPILER      g++-11 g++-12 clang++-14 clang++-15 clang++-16 if none is named; those that are not installed are skipped
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

sources=1
compilers=()
for argument in "$@"; do
  case $argument in
    --sources=*) sources=${argument#*=} ;;
    -*) echo "unknown argument '$argument'; known: --sources=N" >&2; exit 2 ;;
    *) compilers+=("$argument") ;;
  esac
done
[ ${#compilers[@]} -gt 0 ] || compilers=(g++-11 g++-12 clang++-14 clang++-15 clang++-16)

root=$PWD
scratch=$root/build/compilers
mkdir -p "$scratch"
read -r -a eigen_flags <<<"$(pkg-config --cflags eigen3)"
[ -n "$(ccache --get-config base_dir 2>/dev/null)" ] || export CCACHE_BASEDIR=$root

# Every public header; that of Ceres::distributed needs MPI.
(cd include && find ceres -name '*.h' ! -path '*/internal/*' ! -path '*/detail/*' ! -name distributed.h | sort) |
  sed 's/.*/#include "&"/' >"$scratch/all_headers.cc"

# objects LAYER...: the objects of the largest sources of each layer, as Ninja names them.
objects() {
  local layer
  for layer in "$@"; do
    find "internal/ceres/$layer" -name '*.cc' ! -name '*_test.cc' ! -name '*_benchmark.cc' ! -name '*_test_utils.cc' \
      ! -name 'random_*.cc' ! -name 'platform_*.cc' -printf '%s %P\n' | sort -rn | awk -v n="$sources" -v layer="$layer" \
      'NR <= n {print "internal/ceres/CMakeFiles/vesta_" layer ".dir/" layer "/" $2 ".o"}'
  done
}
mapfile -t layers < <(grep -Eo '^[a-z]+:' internal/ceres/layers.txt | tr -d : | grep -v '^distributed$')
mapfile -t all_objects < <(objects "${layers[@]}")

# compile COMPILER
compile() {
  local compiler=$1 build=$scratch/$1 source
  cmake -G Ninja -S . -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS=-Werror -DBUILD_TESTING=OFF \
    -DBUILD_EXAMPLES=OFF -DBUILD_BENCHMARKS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  for source in "$scratch/all_headers.cc" tests/package/curve_fit.cc tests/package/parallel_headers.cc; do
    "$compiler" -std=c++17 -Wall -Wextra -Werror -O1 -c "$source" -o "$build/object.o" -Iinclude -I"$build/include" \
      "${eigen_flags[@]}"
  done
  cmake --build "$build" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-1}" --target "${all_objects[@]}"
}

failed=0
for compiler in "${compilers[@]}"; do
  if ! command -v "$compiler" >/dev/null; then
    printf '%-12s skipped: not installed\n' "$compiler"
    continue
  fi
  # A function called in a condition would not stop at errors.
  set +e
  (set -e; compile "$compiler") >"$scratch/$compiler.log" 2>&1
  status=$?
  set -e
  result="passed: every public header, ${#all_objects[@]} sources of ${#layers[@]} layers"
  if [ $status -ne 0 ]; then
    result="FAILED, see $scratch/$compiler.log"
    failed=1
    tail -25 "$scratch/$compiler.log"
  fi
  printf '%-12s %s: %s\n' "$compiler" "$("$compiler" -dumpfullversion 2>/dev/null || "$compiler" -dumpversion)" "$result"
done
exit $failed
