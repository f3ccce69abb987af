#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs random programs of everything that the parallel runtime offers under ThreadSanitizer, then under AddressSanitizer
# and UndefinedBehaviorSanitizer, MINUTES each (default: 10), in builds of their own. A part of the time goes to processes
# that call exit() at a random point. Fails if a sanitizer reports anything, if anything is lost, if an exit code is
# wrong, or if nothing ends for a minute or two; then it prints what every thread does.
# VESTA_STRESS_SEED=N begins elsewhere; by default every run begins somewhere else, and says where.
# Usage: scripts/stress.sh [MINUTES]
set -euo pipefail
cd "$(dirname "$0")/.."

minutes="${1:-10}"
export VESTA_STRESS_SEED="${VESTA_STRESS_SEED:-$(date +%s)}"
echo "Seed ${VESTA_STRESS_SEED}, ${minutes} minutes under each of tsan and asan-ubsan, after building."

for preset in tsan asan-ubsan; do
  scripts/build.sh "${preset}" random_program_stress_test random_exit
  # The tests of the first program run one after the other; under tsan the one that forks is skipped.
  count=4
  if [[ "${preset}" == tsan ]]; then count=3; fi
  export VESTA_STRESS_SECONDS=$((minutes * 60 / count))
  "build/${preset}/bin/random_program_stress_test"
  "build/${preset}/bin/random_exit"
done
