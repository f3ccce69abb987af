# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Solves the same random problems with bounds with Debian's libceres-dev and
# with this project, and prints how many iterations each takes (the median, the
# 90th and 99th percentile, the largest) and whose final costs are lower.
#
#   scripts/measure.sh bounded_problems [--build-dir=build/release]
#       [--peer-dir=build/peer] [FLAGS of bounded_problems_driver...]
#
# --bounds=false leaves the bounds out.

build_dir=build/release
peer_dir=build/peer
flags=()
for argument in "$@"; do
  case "$argument" in
    --build-dir=*) build_dir=${argument#*=} ;;
    --peer-dir=*) peer_dir=${argument#*=} ;;
    *) flags+=("$argument") ;;
  esac
done

need_peer
mkdir -p "$peer_dir"
g++ -std=c++17 -O2 -DNDEBUG -Iinternal -isystem /usr/include/eigen3 benchmarks/bounded_problems_driver.cc \
  internal/ceres/solver/whole_solves/random_bounded_problem.cc -o "$peer_dir/bounded_problems_driver" \
  -lceres -lgflags -lglog -lpthread
build "$build_dir" bounded_problems_driver

"$peer_dir/bounded_problems_driver" "${flags[@]}" >"$scratch/peer"
"$build_dir/bin/bounded_problems_driver" "${flags[@]}" >"$scratch/ours"

# iterations NAME: one row of the table.
iterations() {
  sort -n -k 2 "$scratch/$1" | awk -v name="$1" '
    { v[NR] = $2; iterations += $2; evaluations += $3; slow += $2 >= 100 }
    END {
      printf "%-5s %6d %6d %6d %6d %8.1f %8.1f %12.1f\n", name, v[int(NR * 0.5) + 1], v[int(NR * 0.9) + 1],
             v[int(NR * 0.99) + 1], v[NR], 100 * slow / NR, iterations / NR, evaluations / NR
    }'
}

printf '%-5s %6s %6s %6s %6s %8s %8s %12s\n' "" median p90 p99 max ">= 100 %" mean evaluations
iterations peer
iterations ours
paste "$scratch/ours" "$scratch/peer" | awk '
  { tolerance = 1e-6 * $10 + 1e-12; lower += $5 < $10 - tolerance; higher += $5 > $10 + tolerance }
  $2 == $7 { ++equal }
  END { printf "as many iterations in %.1f %%; our final cost is lower in %.1f %%, higher in %.1f %% of %d problems\n", 100 * equal / NR, 100 * lower / NR, 100 * higher / NR, NR }'
