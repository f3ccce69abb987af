#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds runtime_benchmark with every peer that the machine has, and judges the
# runtime by its bars. Takes some 5 minutes, and up to ten more where others
# disturb it; wants the machine for itself.
#
#   scripts/runtime_benchmark.sh [--bars[=CASE] | GOOGLE_BENCHMARK_FLAGS...]
#
# rayon is downloaded from crates.io if cargo is there; VESTA_WITHOUT_RAYON=1
# leaves it out.

set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help)
    sed -n 's/^# \{0,1\}//; 5,12p' "$0"
    exit 2
    ;;
esac

PATH=$PATH:$HOME/.cargo/bin
rayon=OFF
if [[ -z ${VESTA_WITHOUT_RAYON:-} ]] && command -v cargo >/dev/null; then rayon=ON; fi

build=${BUILD_DIR:-build/runtime-benchmark}
mkdir -p "$build"
log=$build/runtime_benchmark.log
if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF \
  -DVESTA_BENCHMARK_RAYON=$rayon && cmake --build "$build" -j "$(nproc)" --target runtime_benchmark; } >"$log" 2>&1; then
  tail -50 "$log" >&2
  exit 1
fi

# Other processes disturb less where we may ask the system for it.
run=()
if chrt -f 5 true 2>/dev/null; then run=(chrt -f 5); fi
exec "${run[@]}" "$build/bin/runtime_benchmark" "${@:---bars}"
