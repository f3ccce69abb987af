# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Counts the instructions of small operations and of whole solves, with one thread, by valgrind. Counts do not depend on
# what else the machine does: compare two builds by them where times are too noisy.
#
#   scripts/build.sh release instruction_driver curve_fit_driver bundle_adjustment_driver pose_graph_driver
#   scripts/measure.sh instructions [BUILD_DIR] >counts.txt        (default: build/release; takes some 10 minutes)
#
# Prints a name and a number of instructions per line. Data sets that are not there are left out. INSTRUCTION_DRIVER names
# another instruction_driver than BUILD_DIR's.

build=${1:-build/release}
need_valgrind
driver=${INSTRUCTION_DRIVER:-$build/bin/instruction_driver}

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
  whole p16_sparse_schur "$build/bin/bundle_adjustment_driver" --linear_solver=sparse_schur --num_iterations=8 \
    --input="$(unpacked bal/problem-16-22106-pre.txt)"
fi
if [[ -f $data/pose_graph/sphere2500.g2o.xz ]]; then
  whole sphere2500 "$build/bin/pose_graph_driver" --input="$(unpacked pose_graph/sphere2500.g2o)"
fi
