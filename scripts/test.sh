#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Installs the dependencies, builds release, runs all tests. A second run builds only what changed.
# Usage: scripts/test.sh [ARGUMENTS OF CTEST], for example scripts/test.sh -R jet
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
scripts/build.sh release
ctest --preset release --parallel "$(nproc)" --no-tests=error --timeout 300 --label-exclude '^timing$' "$@"
# Tests that need real time (idle CPUs, wake-ups) run alone. A failure is repeated once before it counts.
ctest --preset release --no-tests=ignore --timeout 300 --label-regex '^timing$' --repeat until-pass:2 "$@"
