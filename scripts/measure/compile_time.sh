# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Compiles users' programs with the headers of Debian's libceres-dev and with
# ours, in alternation, and prints medians of the compiler's CPU time and their
# ratio (peer / ours: above 1 means that ours compile faster).
#
#   scripts/measure.sh compile_time [--pairs=9] [--build-dir=build/release] [--compiler=g++]
#
# The build folder must be configured; of it only the generated headers are used.

pairs=9
build_dir=build/release
compiler=g++
for argument in "$@"; do
  case "$argument" in
    --pairs=*) pairs=${argument#*=} ;;
    --build-dir=*) build_dir=${argument#*=} ;;
    --compiler=*) compiler=${argument#*=} ;;
    *) usage ;;
  esac
done
if [[ ! -d $build_dir/include/ceres/internal ]]; then
  echo "No generated headers in $build_dir: configure it, or give --build-dir=" >&2
  exit 1
fi
need_peer

# compile NAME SOURCE FLAGS...: appends user + system seconds to $scratch/NAME.
compile() {
  local name=$1 source=$2
  shift 2
  local TIMEFORMAT='%U %S'
  { time "$compiler" -std=c++17 -O2 "$@" -isystem /usr/include/eigen3 -c "$source" -o "$scratch/object.o"; } \
    2>"$scratch/time"
  awk '{ print $1 + $2 }' "$scratch/time" >>"$scratch/$name"
}

echo "Compiler's CPU seconds, -O2, medians of $pairs alternating pairs"
for program in helloworld robust_curve_fitting powell; do
  rm -f "$scratch/peer" "$scratch/ours"
  for ((pair = 0; pair < pairs; ++pair)); do
    compile peer "examples/$program.cc" -Iexamples
    compile ours "examples/$program.cc" -Iexamples -Iinclude "-I$build_dir/include"
  done
  awk -v name="$program" -v peer="$(median "$scratch/peer")" -v ours="$(median "$scratch/ours")" \
    'BEGIN { printf "  %-16s peer %6.2f   ours %6.2f   ratio %5.2f\n", name, peer, ours, peer / ours }'
done
