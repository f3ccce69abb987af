#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs clang-tidy 14 with .clang-tidy over our sources, by the compile commands of a preset's build (release unless the
# environment variable PRESET names another). Usage: scripts/tidy.sh [REGULAR EXPRESSION OF FILES]
set -euo pipefail
cd "$(dirname "$0")/.."

build="build/${PRESET:-release}"
[ -f "$build/compile_commands.json" ] || cmake --preset "${PRESET:-release}" >/dev/null
run-clang-tidy-14 -quiet -p "$build" "${1:-$PWD/(internal|examples|tests|benchmarks)/}"
