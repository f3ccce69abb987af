# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Counts the instructions of an evaluation of each factor that has closed forms, with all its Jacobians, by valgrind: with closed
# forms, and with automatic derivatives. The ratio must be at least 3.
#
#   scripts/build.sh release factor_driver
#   scripts/measure.sh factor_instructions [BUILD_DIR]        (default: build/release; takes some two minutes)

build=${1:-build/release}
driver=$build/bin/factor_driver
need_valgrind

printf '%-16s %12s %12s %6s\n' factor "closed form" automatic ratio
for factor in $("$driver"); do
  counts=()
  for way in closed_form automatic; do
    counts+=("$(instructions "$driver" "$factor" $way 200)" "$(instructions "$driver" "$factor" $way 600)")
  done
  awk -v name="$factor" -v a="${counts[0]}" -v b="${counts[1]}" -v c="${counts[2]}" -v d="${counts[3]}" \
    'BEGIN { printf "%-16s %12.0f %12.0f %6.1f\n", name, (b - a) / 400, (d - c) / 400, (d - c) / (b - a) }'
done
