#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Counts the instructions of small operations and of whole solves, with one thread, by valgrind. Counts do not depend on
# what else the machine does: compare two builds by them where times are too noisy.
#
#   scripts/build.sh release instruction_driver curve_fit_driver bundle_adjustment_driver pose_graph_driver
#   scripts/instruction_counts.sh [BUILD_DIR] >counts.txt        (default: build/release; takes some 10 minutes)
#
# Prints a name and a number of instructions per line. Data sets that are not there are left out. INSTRUCTION_DRIVER names
# another instruction_driver than BUILD_DIR's.

set -euo pipefail
source "$(dirname "$0")/help.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build/release}
data=${VESTA_SHARED:-$here/../shared}/data
case "$build" in
  -h | --help)
    echo "$help_text"
    exit 2
    ;;
esac
command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
export OPENBLAS_NUM_THREADS=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

driver=${INSTRUCTION_DRIVER:-$build/bin/instruction_driver}

# instructions PROGRAM FLAGS...
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
    awk '/Collected :/ { print $NF }'
}

# of_one NAME REPETITIONS COMMAND...: instructions of one repetition. The command takes their number as its last word.
of_one() {
  local name=$1 few=$2 many=$((3 * $2))
  shift 2
  awk -v name="$name" -v a="$(instructions "$@$few")" -v b="$(instructions "$@$many")" -v n="$((many - few))" \
    'BEGIN { printf "%-24s %.1f\n", name, (b - a) / n }'
}

# The operations alone.
for name in loop_16 loop_128 loop_1024 fork task graph_of_100_nodes; do
  of_one $name 20000 "$driver" $name ""
done
of_one empty_solve 200 "$driver" empty_solve ""
of_one curve_fit 200 "$build/bin/curve_fit_driver" --problem=curve_fit --repetitions=

# whole NAME COMMAND...: instructions of a process, reading the problem included.
whole() {
  local name=$1
  shift
  printf '%-24s %s\n' "$name" "$(instructions "$@")"
}

if [[ -f $data/bal/problem-16-22106-pre.txt.xz ]]; then
  xz -dc "$data/bal/problem-16-22106-pre.txt.xz" >"$scratch/p16.txt"
  whole p16_sparse_schur "$build/bin/bundle_adjustment_driver" --input="$scratch/p16.txt" --linear_solver=sparse_schur \
    --num_iterations=8
fi
if [[ -f $data/pose_graph/sphere2500.g2o.xz ]]; then
  xz -dc "$data/pose_graph/sphere2500.g2o.xz" >"$scratch/sphere2500.g2o"
  whole sphere2500 "$build/bin/pose_graph_driver" --input="$scratch/sphere2500.g2o"
fi
