#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Solves published pose graphs with 10, 30 and 50 % random false loop closures by SolveGraduated, and prints a table: how
# many false loop closures the result has, how many true ones it lacks, and the cost of the true constraints, divided by
# their cost without false loop closures. Ends with 1 if a bar is missed: no false one, at most 1 % of true ones lost,
# cost within 1 %. The bound of inliers is the 0.6 quantile of the chi-square distribution: residuals of these graphs are
# less than a third of the standard deviations that the files state. False loop closures that are inliers of the map
# without false ones ("agree") do not count.
#
#   scripts/robust_graphs.sh [--build-dir=build/release] [--graphs="M3500 sphere2500 city10000"] [--parts="0.1 0.3 0.5"]
#       [FLAGS of robust_graph_driver...]
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/release
graphs="M3500 sphere2500 city10000"
parts="0.1 0.3 0.5"
flags=()
for argument in "$@"; do
  case "$argument" in
    --build-dir=*) build=${argument#*=} ;;
    --graphs=*) graphs=${argument#*=} ;;
    --parts=*) parts=${argument#*=} ;;
    --help)
      sed -n 's/^# \{0,1\}//; 4,15p' "$0"
      exit 0
      ;;
    *) flags+=("$argument") ;;
  esac
done
data=${VESTA_SHARED:-../shared}/data/pose_graph
[ -d "$data" ] || { echo "No $data: nothing to solve." >&2; exit 1; }
[ -x "$build/bin/robust_graph_driver" ] || scripts/build.sh release robust_graph_driver

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%-12s %5s %6s %6s %6s %6s %6s %10s %7s %8s\n' graph part false agree kept true lost "cost ratio" rounds seconds
missed=0
for graph in $graphs; do
  xz -dc "$data/$graph.g2o.xz" >"$scratch/$graph.g2o"
  for part in $parts; do
    line=$("$build/bin/robust_graph_driver" --input="$scratch/$graph.g2o" --false_part="$part" \
      --inlier_probability=0.6 "${flags[@]}")
    echo "$graph $part $line" | awk '{
      for (i = 3; i < NF; i += 2) v[$i] = $(i + 1)
      printf "%-12s %5s %6d %6d %6d %6d %6d %10.6f %7d %8.1f\n", $1, $2, v["false_loops"], v["agreeing"], v["kept_false"],
             v["true_loops"], v["lost_true"], v["cost_ratio"], v["rounds"], v["seconds"]
      exit v["kept_false"] > 0 || v["lost_true"] > 0.01 * v["true_loops"] || v["cost_ratio"] > 1.01
    }' || missed=1
  done
done
exit $missed
