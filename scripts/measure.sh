#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Measures, and compares with other libraries. Usage: scripts/measure.sh NAME [ARGUMENTS], or NAME --help.
#
#   bits                 costs and hashes of the results of every data set
#   bounded_problems     iterations on random problems with bounds, beside the peer
#   clients              programs of users, beside the peer
#   compile_time         of users' programs, beside the peer
#   distributed          Ceres::distributed
#   factor_instructions  factors with closed forms, beside automatic derivatives
#   gtsam                incremental solves, beside GTSAM
#   instructions         of small operations and whole solves
#   peer                 whole solves, beside the peer
#   python               the Python package, beside C++ and SciPy
#   robust_graphs        false loop closures in pose graphs
#   runtime              Ceres::parallel, beside its peers
#
# The peer is Debian's libceres-dev. Run times are to be trusted on a machine that does nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-}
part=scripts/measure/$name.sh
help_file=$([[ -n $name && -f $part ]] && echo "$part" || echo "$0")
source scripts/help.sh

usage() {
  echo "$help_text" >&2
  exit 2
}
[[ $help_file == "$part" ]] || usage
shift

# BLAS threads underneath solver threads would measure the BLAS.
export OPENBLAS_NUM_THREADS=1
data=${VESTA_SHARED:-../shared}/data
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

need_data() { [[ -d $data ]] || { echo "No $data: nothing to measure." >&2; exit 1; }; }

need_peer() {
  dpkg -s libceres-dev >/dev/null 2>&1 ||
    { echo "The peer is missing: run scripts/install_dependencies.sh --with-peer" >&2; exit 1; }
}

# build FOLDER TARGET...: without output, unless the build fails.
build() {
  local folder=$1
  shift
  { [[ -f $folder/CMakeCache.txt ]] || cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release; } >"$scratch/build.log" 2>&1 &&
    cmake --build "$folder" -j "$(nproc)" --target "$@" >"$scratch/build.log" 2>&1 ||
    { tail -50 "$scratch/build.log" >&2; exit 1; }
}

# unpacked FILE: unpacks a file of the data, with or without .xz, and prints its path.
unpacked() {
  local file=${1%.xz}
  xz -dc "$data/$file.xz" >"$scratch/$(basename "$file")"
  echo "$scratch/$(basename "$file")"
}

need_valgrind() {
  command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
}

# instructions PROGRAM FLAGS...: how many it executes.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected :/ { print $NF }'
}

# median FILE [NAME]: of the numbers of FILE, or of the values that its lines "NAME value" give.
median() {
  awk -v name="${2:-}" 'name == "" { print $1 } name != "" && $1 == name { print $2 }' "$1" | sort -g |
    awk '{ v[NR] = $1 } END { m = int((NR + 1) / 2); print NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'
}

source "$part"
