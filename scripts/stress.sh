#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs random programs of everything that the parallel runtime offers: in the preset release, under ThreadSanitizer, and
# under AddressSanitizer with UndefinedBehaviorSanitizer, in builds of their own. The programs run on pools that are
# resized, made and destroyed; in children of forks; while allocations and starts of threads fail and affinity masks change;
# and in processes that call exit() at a random point. Fails if a sanitizer reports anything, if anything is lost, if an
# exit code is wrong, or if nothing ends for a minute or two; then it prints what every thread does.
#
# Usage: scripts/stress.sh [--seconds N | --minutes N] [PRESET...]
# N is the time for each preset, after building; by default 10 minutes. Every test takes 2 seconds at least.
# Presets: release, tsan, asan-ubsan; by default all of them.
# VESTA_STRESS_SEED=N sets the first seed. Without it, every run has another first seed, and prints it.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

usage() {
  echo "$help_text" >&2
  exit 2
}

seconds=600
while [[ "${1:-}" == --* ]]; do
  [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || usage
  case "$1" in
    --seconds) seconds=$2 ;;
    --minutes) seconds=$((60 * $2)) ;;
    *) usage ;;
  esac
  shift 2
done
for preset in "$@"; do
  case "${preset}" in
    release | tsan | asan-ubsan) ;;
    *) usage ;;
  esac
done
if [[ $# -eq 0 ]]; then set -- release tsan asan-ubsan; fi
export VESTA_STRESS_SEED="${VESTA_STRESS_SEED:-$(date +%s)}"
echo "Seed ${VESTA_STRESS_SEED}, ${seconds} s in each of $*, after building."

programs=(random_program_stress_test random_failures_stress_test random_exit)
for preset in "$@"; do
  scripts/build.sh "${preset}" "${programs[@]}"
  bin="${PWD}/build/${preset}/bin"
  # Each test takes VESTA_STRESS_SECONDS. random_exit is one; the tests of the other programs run one after the other.
  count=1
  for program in "${programs[@]:0:2}"; do
    count=$((count + $("${bin}/${program}" --gtest_list_tests | grep -c '^  ')))
  done
  export VESTA_STRESS_SECONDS=$((seconds / count > 2 ? seconds / count : 2))
  for program in "${programs[@]}"; do
    echo "${preset}: ${program}"
    "${bin}/${program}"
  done
done
