#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Compiles users' programs with the headers of Debian's libceres-dev and with
# ours, in alternation, and prints medians of the compiler's CPU time and their
# ratio (peer / ours: above 1 means that ours compile faster).
#
#   scripts/compile_time.sh [--pairs=9] [--build-dir=build/release] [--compiler=g++]
#
# The build folder must be configured; of it only the generated headers are used.

set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

pairs=9
build_dir=build/release
compiler=g++
for argument in "$@"; do
  case "$argument" in
    --pairs=*) pairs=${argument#*=} ;;
    --build-dir=*) build_dir=${argument#*=} ;;
    --compiler=*) compiler=${argument#*=} ;;
    *)
      echo "$help_text"
      exit 2
      ;;
  esac
done
if [[ ! -d $build_dir/include/ceres/internal ]]; then
  echo "No generated headers in $build_dir: configure it, or give --build-dir=" >&2
  exit 1
fi
if [[ ! -d /usr/include/ceres ]]; then
  echo "The peer is missing: run scripts/install_dependencies.sh --with-peer" >&2
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compile NAME SOURCE FLAGS...: appends user + system seconds to $scratch/NAME.
compile() {
  local name=$1 source=$2
  shift 2
  local TIMEFORMAT='%U %S'
  { time "$compiler" -std=c++17 -O2 "$@" -isystem /usr/include/eigen3 -c "$source" -o "$scratch/object.o"; } \
    2>"$scratch/time"
  awk '{ print $1 + $2 }' "$scratch/time" >>"$scratch/$name"
}

median() {
  sort -g "$1" | awk '{ v[NR] = $1 } END { m = int((NR + 1) / 2); print NR % 2 ? v[m] : (v[m] + v[m + 1]) / 2 }'
}

echo "Compiler's CPU seconds, -O2, medians of $pairs alternating pairs"
for program in helloworld curve_fitting powell; do
  rm -f "$scratch/peer" "$scratch/ours"
  for ((pair = 0; pair < pairs; ++pair)); do
    compile peer "examples/$program.cc" -Iexamples
    compile ours "examples/$program.cc" -Iexamples -Iinclude "-I$build_dir/include"
  done
  awk -v name="$program" -v peer="$(median "$scratch/peer")" -v ours="$(median "$scratch/ours")" \
    'BEGIN { printf "  %-16s peer %6.2f   ours %6.2f   ratio %5.2f\n", name, peer, ours, peer / ours }'
done
