# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds runtime_benchmark with every peer that the machine has, and judges the
# runtime by its bars. Takes more than 5 minutes. Run it on a machine
# that does nothing else: disturbed measurements are repeated, for at most 75
# seconds a case.
#
#   scripts/measure.sh runtime [--bars[=CASE]]
#
# cargo, if it is installed, downloads rayon from crates.io. VESTA_WITHOUT_RAYON=1
# leaves rayon out.

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

# Real-time scheduling, if the system allows it: other processes disturb less.
run=()
if chrt -f 5 true 2>/dev/null; then run=(chrt -f 5); fi
"${run[@]}" "$build/bin/runtime_benchmark" "${@:---bars}"
