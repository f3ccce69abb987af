#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs clang-tidy 14 with .clang-tidy over our sources, by the compile commands of a preset (release unless the environment
# variable PRESET names another).
#   scripts/tidy.sh [REGULAR EXPRESSION OF FILES]
#   scripts/tidy.sh --latest MINUTES    the sources that the last 30 commits changed, latest first, for MINUTES at most
# Ends with 1 if clang-tidy finds anything.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

# clang-tidy cannot read precompiled headers of GCC, and has no omp.h. Nothing is built in this folder.
no_openmp=-extra-arg=-fno-openmp
build=build/tidy
cmake --preset "${PRESET:-release}" -B "$build" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
if [ "${1:-}" = --latest ]; then
  [ $# -eq 2 ] || { echo "$help_text" >&2; exit 2; }
  # Each file starts only if there is time left.
  git log --format= --name-only -n 30 -- '*.cc' | awk '!seen[$0]++' |
    while read -r file; do
      if grep -q "\"file\": \".*/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
    done |
    xargs -n 1 -P "$(nproc)" bash -c '[ "$(date +%s)" -ge "$0" ] ||
      clang-tidy-14 -quiet -warnings-as-errors="*" -p "$1" "$2" "$3"' $(($(date +%s) + 60 * $2)) "$build" $no_openmp
  exit
fi
run-clang-tidy-14 -quiet $no_openmp -p "$build" "${1:-$PWD/(internal|examples|tests|benchmarks)/}"
