# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Solves published pose graphs with 10, 30 and 50 % random false loop closures by SolveGraduated with its defaults, and
# prints a table: how many false loop closures the result has ("kept"), how many of them agree with the map without false
# ones ("agree": no test of residuals can tell them from true ones), how many true ones it lacks ("lost"), and the cost
# of the true constraints, divided by their cost without false loop closures. "left out": the most loop closures that a
# round left out to limit fill. Ends with 1 if a bar is missed: no false one that does not agree, at most 1 % of true ones
# lost, cost within 1 %.
#
#   scripts/measure.sh robust_graphs [--build-dir=build/release] [--graphs="M3500 sphere2500 city10000"] [--parts="0.1 0.3 0.5"]
#       [--seeds="1"] [FLAGS of robust_graph_driver...]
build=build/release
graphs="M3500 sphere2500 city10000"
parts="0.1 0.3 0.5"
seeds=1
flags=()
for argument in "$@"; do
  case "$argument" in
    --build-dir=*) build=${argument#*=} ;;
    --graphs=*) graphs=${argument#*=} ;;
    --parts=*) parts=${argument#*=} ;;
    --seeds=*) seeds=${argument#*=} ;;
    *) flags+=("$argument") ;;
  esac
done
need_data
[ -x "$build/bin/robust_graph_driver" ] || scripts/build.sh release robust_graph_driver

printf '%-10s %5s %4s %6s %5s %5s %6s %5s %10s %7s %9s %6s %8s\n' graph part seed false kept agree true lost "cost ratio" \
  factor "left out" rounds seconds
missed=0
for graph in $graphs; do
  file=$(unpacked "pose_graph/$graph.g2o")
  for part in $parts; do
    for seed in $seeds; do
      line=$("$build/bin/robust_graph_driver" --input="$file" --false_part="$part" --seed="$seed" \
        "${flags[@]}")
      echo "$graph $part $seed $line" | awk '{
        for (i = 4; i < NF; i += 2) v[$i] = $(i + 1)
        printf "%-10s %5s %4d %6d %5d %5d %6d %5d %10.6f %7.4f %9d %6d %8.1f\n", $1, $2, $3, v["false_loops"],
               v["kept_false"], v["kept_false"] - v["distinguishable"], v["true_loops"], v["lost_true"], v["cost_ratio"],
               v["variance_factor"], v["left_out"], v["rounds"], v["seconds"]
        exit v["distinguishable"] > 0 || v["lost_true"] > 0.01 * v["true_loops"] || v["cost_ratio"] > 1.01
      }' || missed=1
    done
  done
done
exit $missed
