#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Configures a preset (once) and builds it. Usage: scripts/build.sh PRESET [TARGET...]
# PRESET is a name of CMakePresets.json; without targets everything is built, into build/PRESET.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

[ $# -ge 1 ] || { echo "$help_text" >&2; exit 2; }
preset=$1
shift
build="build/$preset"

if [ ! -f "$build/CMakeCache.txt" ]; then
  generator=()
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake --preset "$preset" "${generator[@]}"
elif [ CMakePresets.json -nt "$build/CMakeCache.txt" ]; then
  cmake --preset "$preset"
fi

# A compiler that works through our templates takes up to 1.5 GB.
memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
jobs=$((memory_gb * 2 / 3))
[ "$jobs" -lt "$(nproc)" ] || jobs=$(nproc)
[ "$jobs" -ge 1 ] || jobs=1
echo "Building $build with $jobs jobs"
cmake --build "$build" --parallel "$jobs" ${1:+--target "$@"}
