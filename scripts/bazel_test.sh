#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds and tests Vesta with Bazel as the external repository of another workspace, and the runtime in this one. Holds the
# generated headers against CMake's. Nothing is downloaded: Bazel is Debian's bazel-bootstrap, dependencies are packages of the
# distribution, tests/bazel/offline stands for what Bazel would fetch. CMAKE_BUILD_PARALLEL_LEVEL is the number of jobs (1).
# Usage: scripts/bazel_test.sh [--ci]
#   --ci   the runtime alone, as an external repository: two of its tests, an example, and a program of the other workspace
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

ci=false
case "${1:-}" in
  "") ;;
  --ci) ci=true ;;
  *) echo "unknown argument '$1'; known: --ci" >&2; exit 2 ;;
esac
scripts/install_dependencies.sh --with-bazel

root=$PWD
scratch=$root/build/bazel
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-1}
mkdir -p "$scratch"

# Both workspaces share objects through ccache: paths in the commands of the compiler are relative.
compiler_cache=()
if [ -x /usr/lib/ccache/gcc ]; then
  export CC=/usr/lib/ccache/gcc
  compiler_cache=(--action_env="CCACHE_DIR=$(ccache --get-config cache_dir)")
fi
# --force_pic: one object serves static and shared libraries.
options=(--jobs="$jobs" --compilation_mode=opt --force_pic --spawn_strategy=local --test_output=errors --noshow_progress
  --symlink_prefix="$scratch/bazel-" "${compiler_cache[@]}")
for folder in tests/bazel/offline/*; do
  options+=(--override_repository="$(basename "$folder")=$root/$folder")
done

# Usage: run_bazel COMMAND ARGUMENT...
run_bazel() {
  local command=$1
  shift
  bazel --output_user_root="$scratch/root" --max_idle_secs=60 "$command" "${options[@]}" "$@"
}

# Usage: part NAME COMMAND...
part() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "== $name: $((SECONDS - start)) s"
}

# Holds the generated headers against those of CMake, for the same options. Usage: compare_headers ON|OFF FLAG...
compare_headers() {
  local value=$1
  shift
  run_bazel build "$@" //:configured_headers
  cmake -G Ninja -S . -B "$scratch/cmake_$value" -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DBUILD_BENCHMARKS=OFF \
    -DSUITESPARSE="$value" -DLAPACK="$value" -DEIGENMETIS="$value" >"$scratch/cmake.log"
  local header
  for header in config.h export.h; do
    diff "$scratch/bazel-bin/generated/ceres/internal/$header" "$scratch/cmake_$value/include/ceres/internal/$header"
  done
}

# Runs a command in the workspace that docs/building.md shows, where Vesta is @vesta, with the programs of tests/package.
consume() {
  rm -rf "$scratch/consumer"
  cp -r docs/snippets/projects/bazel "$scratch/consumer"
  cp docs/snippets/first_solve.cc "$scratch/consumer/main.cc"
  cp -r tests/bazel/consumer "$scratch/consumer/tests"
  cp tests/package/*.cc "$scratch/consumer/tests"
  (cd "$scratch/consumer" && run_bazel test --override_repository=vesta="$root" "$@")
}

part "headers, default flags" compare_headers OFF
part "headers, all flags" compare_headers ON --//:suitesparse --//:lapack --//:metis
if $ci; then
  part "targets" run_bazel build --nobuild //...
  part "another workspace" consume //tests:loops @vesta//:parallel_for_test @vesta//:task_group_test @vesta//examples:parallel_loops
else
  part "targets" run_bazel build --nobuild //...
  part "runtime" run_bazel build //:parallel
  part "another workspace" consume //...
  part "examples and tests of the external repository" consume @vesta//examples/... @vesta//:parallel_tests @vesta//:ceres_tests
fi
