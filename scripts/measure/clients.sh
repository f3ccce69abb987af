# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the programs of tests/clients twice, against this project's installed package and against Debian's libceres-dev,
# runs both in alternation, compares what they print by the rules of tests/clients/figures.txt, and prints both times.
# The exit status is 1 if a result differs. The programs, their outputs and the package are below build/clients.
#
#   scripts/measure.sh clients [--prefix=DIR] [--runs=5] [--jobs=N] [--vesta-only]
#
# --prefix=DIR   a folder where the project is installed; without it the library is built and installed below build/clients
# --runs=N       runs of each program; the time is the median of the wall time
# --jobs=N       parallel compilations; all CPUs without it
# --vesta-only   does not build or run the peer; figures are only compared with their limits

prefix=""
runs=5
jobs=$(nproc)
peer=yes
for argument in "$@"; do
  case "$argument" in
    --prefix=*) prefix=${argument#*=} ;;
    --runs=*) runs=${argument#*=} ;;
    --jobs=*) jobs=${argument#*=} ;;
    --vesta-only) peer="" ;;
    *) usage ;;
  esac
done

programs="incremental_sfm sliding_window_vio pose_graph_node calibration_tool c_program"
out=$PWD/build/clients
mkdir -p "$out"

if [[ -z $peer ]]; then
  echo "The peer is not compared (--vesta-only)."
elif ! dpkg -s libceres-dev >/dev/null 2>&1; then
  echo "libceres-dev is missing: run scripts/install_dependencies.sh --with-peer, or give --vesta-only." >&2
  exit 1
fi

generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi

# quietly LOG COMMAND...: shows the output only if the command fails.
quietly() {
  local log=$out/$1
  shift
  "$@" >"$log" 2>&1 || { tail -50 "$log" >&2; echo "failed: $*" >&2; exit 1; }
}

if [[ -z $prefix ]]; then
  prefix=$out/prefix
  echo "Building and installing the library into $prefix"
  # As deep as build/release is, so that the paths of headers are the same to a compiler cache.
  library=$PWD/build/clients-library
  quietly library.log cmake -S . -B "$library" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DBUILD_EXAMPLES=OFF -DBUILD_BENCHMARKS=OFF
  quietly library.log cmake --build "$library" --parallel "$jobs"
  quietly library.log cmake --install "$library" --prefix "$prefix"
fi
prefix=$(realpath "$prefix")

# build NAME FLAGS...: the programs, in $out/NAME.
build() {
  local name=$1
  shift
  echo "Building the programs in $out/$name"
  quietly "$name.log" cmake -S tests/clients -B "$out/$name" "${generator[@]}" "${launcher[@]}" \
    -DCMAKE_BUILD_TYPE=Release "$@"
  grep -h "Ceres .* in " "$out/$name.log"
  quietly "$name.log" cmake --build "$out/$name" --parallel "$jobs"
}
build ours -DCMAKE_PREFIX_PATH="$prefix"
grep -q "^Ceres_DIR:[A-Z]*=$prefix" "$out/ours/CMakeCache.txt" ||
  { echo "Ours was not found in $prefix" >&2; exit 1; }
[[ -z $peer ]] || build peer

# timed NAME PROGRAM: runs it once and appends its wall time, in milliseconds.
timed() {
  local started=$EPOCHREALTIME
  "$out/$1/$2" >"$out/$1.$2.out" || { echo "$2 of $1 ended with $?" >&2; exit 1; }
  awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { print (b - a) * 1000 }' >>"$out/$1.$2.times"
}

differs=0
rm -f "$out"/*.times
for program in $programs; do
  for ((run = 0; run < runs; ++run)); do
    timed ours "$program"
    [[ -z $peer ]] || timed peer "$program"
  done
  outputs=("$out/ours.$program.out")
  [[ -z $peer ]] || outputs+=("$out/peer.$program.out")
  python3 tests/clients/check_figures.py tests/clients/figures.txt "$program" "${outputs[@]}" || differs=1
done

echo "wall time of a program, median of $runs runs in alternation"
for program in $programs; do
  ours=$(median "$out/ours.$program.times")
  if [[ -n $peer ]]; then
    awk -v n="$program" -v o="$ours" -v p="$(median "$out/peer.$program.times")" \
      'BEGIN { printf "  %-20s ours %8.1f ms   peer %8.1f ms   peer / ours %6.2f\n", n, o, p, p / o }'
  else
    awk -v n="$program" -v o="$ours" 'BEGIN { printf "  %-20s ours %8.1f ms\n", n, o }'
  fi
done
if [[ $differs != 0 ]]; then echo "Results differ: see above." >&2; fi
exit "$differs"
