# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Feeds pose graphs of ../shared/data pose by pose to IncrementalSolver and to
# GTSAM's ISAM2 (the PyPI wheel, installed into a scratch environment), in
# alternation, and prints CPU times and their ratios (GTSAM / ours: above 1
# means that we are faster).
#
#   scripts/measure.sh gtsam [--graphs="M3500 parking-garage sphere2500 city10000"] [--pairs=1]
#       [--skips="10 1"] [--resolve-every=0] [--build-dir=build/release] [--environment=build/gtsam] [--skip-build]
#
# Both have their default options: relinearization threshold 0.1, update
# (wildfire) tolerance 0.001. ISAM2 relinearizes in every 10th update by
# default; --skips also runs it with relinearizeSkip 1. We relinearize in every
# update. An update of ISAM2 is update() and calculateEstimate() of the new
# pose. Polished cost: of a batch solve by Vesta from either last estimate.
#
# --resolve-every=k also times a plain Solve from the same values at every k-th
# pose of the last graph, and multiplies by k.

graphs="M3500 parking-garage sphere2500 city10000"
pairs=1
skips="10 1"
resolve_every=0
build_dir=build/release
environment=build/gtsam
skip_build=""
for argument in "$@"; do
  case "$argument" in
    --graphs=*) graphs=${argument#*=} ;;
    --pairs=*) pairs=${argument#*=} ;;
    --skips=*) skips=${argument#*=} ;;
    --resolve-every=*) resolve_every=${argument#*=} ;;
    --build-dir=*) build_dir=${argument#*=} ;;
    --environment=*) environment=${argument#*=} ;;
    --skip-build) skip_build=yes ;;
    *) usage ;;
  esac
done

need_data

if ! "$environment/bin/python" -c 'import gtsam' 2>/dev/null; then
  python3 -m venv "$environment"
  "$environment/bin/pip" --quiet install gtsam numpy
fi
if [[ -z $skip_build ]]; then
  build "$build_dir" incremental_driver
fi
driver=$build_dir/bin/incremental_driver

# row LABEL THEIRS OURS: milliseconds and their ratio.
row() {
  awk -v label="$1" -v theirs="$2" -v ours="$3" 'BEGIN {
    printf "  %-24s GTSAM %12.3f   ours %12.3f ms   ratio %7.2f\n", label, 1000 * theirs, 1000 * ours, theirs / ours }'
}

"$environment/bin/python" -c 'import importlib.metadata as m; print("GTSAM", m.version("gtsam"))'
for graph in $graphs; do
  unpacked "pose_graph/$graph.g2o" >/dev/null
  input=--input=$scratch/$graph.g2o
  for ((pair = 0; pair < pairs; ++pair)); do
    "$driver" "$input" --write_estimate="$scratch/ours.estimate" >>"$scratch/$graph.ours"
    for skip in $skips; do
      "$environment/bin/python" benchmarks/incremental_gtsam.py "$input" --relinearize_skip="$skip" \
        --write_estimate="$scratch/$skip.estimate" >>"$scratch/$graph.$skip"
    done
  done
  echo "$graph, $(median "$scratch/$graph.ours" updates) updates, medians of $pairs run(s)"
  echo "  cost of the last estimate: ours $(median "$scratch/$graph.ours" cost)," \
    "polished $(median "$scratch/$graph.ours" polished_cost)"
  for skip in $skips; do
    "$driver" "$input" --estimate="$scratch/$skip.estimate" >"$scratch/polished"
    echo "  relinearizeSkip $skip: cost $(median "$scratch/polished" cost), polished $(median "$scratch/polished" polished_cost)"
    for name in total largest median; do
      row "$name" "$(median "$scratch/$graph.$skip" ${name}_seconds)" "$(median "$scratch/$graph.ours" ${name}_seconds)"
    done
  done
  if [[ $resolve_every != 0 && $graph == "${graphs##* }" ]]; then
    "$driver" "$input" --resolve_every="$resolve_every" >"$scratch/resolve"
    awk -v every="$resolve_every" '
      $1 == "total_seconds" { ours = $2 }
      $1 == "resolve_seconds" { solves = $2 }
      END { printf "  Solve at every pose, from each %d-th: %.1f s, ours %.1f s, ratio %.1f\n", every, solves, ours, solves / ours }
    ' "$scratch/resolve"
  fi
done
