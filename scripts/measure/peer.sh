# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the drivers of benchmarks/ twice, against Debian's libceres-dev and
# against this project, runs both in alternation, and prints medians and their
# ratios (peer / ours: above 1 means that we are faster or smaller).
#
#   scripts/measure.sh peer [--pairs=5] [--iterations="20 8"]
#       [--solvers="dense_schur sparse_schur iterative_schur"] [--threads="1 2"]
#       [--input=BAL_FILE | --generate=CAMERAS,POINTS,SEED]
#       [--build-dir=build/release] [--peer-dir=build/peer] [--skip-build] [--skip-curve-fit] [--skip-autodiff]
#       [--skip-bundle-adjustment] [--skip-covariance] [--skip-pose-graphs]
#       [--build-peer-only[=DRIVER]]
#       [--bars[="bal scene memory setup pose_graphs small threads"]]
#
# --build-peer-only builds all drivers, or one, against the peer, and ends.
# --bars prints the table of promises against the peer instead, with the first
# number of iterations. Its sections can be chosen; "threads" compares our own
# numbers of threads. Run it on a machine that does nothing else.
#
# The problem is problem-16-22106 of ../shared/data, or a generated scene of
# about its size if that folder is missing. It converges within 9 iterations.
# Later steps differ by rounding, so that at 20 iterations the two libraries may
# accept other steps. At 8 iterations both do exactly the same work.

pairs=5
iterations="20 8"
solvers="dense_schur sparse_schur iterative_schur"
threads="1 2"
problem=""
build_dir=build/release
skip_build=""
build_peer_only=""
skip_curve_fit=""
skip_autodiff=""
skip_bundle_adjustment=""
skip_covariance=""
skip_pose_graphs=""
bars=""
peer_bin=build/peer
for argument in "$@"; do
  case "$argument" in
    --pairs=*) pairs=${argument#*=} ;;
    --iterations=*) iterations=${argument#*=} ;;
    --solvers=*) solvers=${argument#*=} ;;
    --threads=*) threads=${argument#*=} ;;
    --input=* | --generate=*) problem=$argument ;;
    --build-dir=*) build_dir=${argument#*=} ;;
    --bars) bars="bal scene memory setup pose_graphs small threads" ;;
    --bars=*) bars=${argument#*=} ;;
    --peer-dir=*) peer_bin=${argument#*=} ;;
    --skip-build) skip_build=yes ;;
    --build-peer-only) build_peer_only=all ;;
    --build-peer-only=*) build_peer_only=${argument#*=} ;;
    --skip-curve-fit) skip_curve_fit=yes ;;
    --skip-autodiff) skip_autodiff=yes ;;
    --skip-bundle-adjustment) skip_bundle_adjustment=yes ;;
    --skip-covariance) skip_covariance=yes ;;
    --skip-pose-graphs) skip_pose_graphs=yes ;;
    *) usage ;;
  esac
done

wait_for_cores=$build_dir/bin/wait_for_two_cores
drivers="bundle_adjustment_driver covariance_driver curve_fit_driver pose_graph_driver"

# build_peer [DRIVER]: all drivers and autodiff_benchmark, or one driver.
build_peer() {
  local only=${1:-all}
  need_peer
  mkdir -p "$peer_bin"
  # The readers of files are ours, and what they use; all other headers of ceres/ are the peer's.
  local readers=$scratch/readers io=internal/ceres/io base=internal/ceres/base
  mkdir -p "$readers/include/ceres" "$readers/internal/ceres"
  ln -sfn "$PWD/include/ceres/io" "$PWD/include/ceres/parallel" "$readers/include/ceres/"
  ln -sfn "$PWD/$io" "$PWD/$base" "$readers/internal/ceres/"
  local flags=(-std=c++17 -O3 -DNDEBUG -Iexamples "-I$readers/include" "-I$readers/internal" -isystem /usr/include/eigen3)
  local files=($io/text_file.cc $base/{staged_files,format,platform_linux,platform_posix,platform_portable}.cc)
  local bal=("${files[@]}" $io/{token_reader,bal}.cc examples/{bal_problem,generate_scene}.cc)
  local graphs=("${files[@]}" $io/{line_reader,g2o,g2o_numbers,g2o_reader,g2o_records,initialize_vertices,pose_graph}.cc
    examples/slam/pose_graph_2d/pose_graph_2d_problem.cc examples/slam/pose_graph_3d/pose_graph_3d_problem.cc)
  for driver in $drivers; do
    [[ $only == all || $only == "$driver" ]] || continue
    echo "Building $driver against the peer"
    local sources=("${bal[@]}")
    [[ $driver != pose_graph_driver ]] || sources=("${graphs[@]}")
    g++ "${flags[@]}" "benchmarks/$driver.cc" "${sources[@]}" -o "$peer_bin/$driver" \
      -lceres -lgflags -lglog -lpthread
  done
  [[ $only == all ]] || return 0
  echo "Building autodiff_benchmark against the peer"
  g++ "${flags[@]}" internal/ceres/modelling/autodiff_benchmark.cc -o "$peer_bin/autodiff_benchmark" \
    -lceres -lglog -lbenchmark -lpthread
}

build_ours() {
  echo "Building the drivers against this project in $build_dir"
  # shellcheck disable=SC2086
  build "$build_dir" $drivers autodiff_benchmark wait_for_two_cores
}

find_problem() {
  [[ -z $problem ]] || return 0
  if [[ -f $data/bal/problem-16-22106-pre.txt.xz ]]; then
    problem=--input=$(unpacked bal/problem-16-22106-pre.txt)
  else
    echo "No $data: comparing on a generated scene."
    problem=--generate=16,22000,1
  fi
}

# timed FILE PROGRAM FLAGS...: appends what the program prints. Two virtual CPUs may share a core for seconds. If they share
# one before or after the run, the run is repeated, at most twice.
timed() {
  local file=$1 attempt
  shift
  for attempt in 1 2 3; do
    local cores=free
    if [[ " $* " == *" --num_threads=1 "* || ! -x $wait_for_cores ]]; then
      "$@" >"$scratch/run"
    else
      "$wait_for_cores" 5 || cores=shared
      "$@" >"$scratch/run"
      "$wait_for_cores" 0 || cores=shared
    fi
    [[ $cores == shared ]] || break
    [[ $attempt -lt 3 ]] || echo "$file" >>"$scratch/disturbed"
  done
  cat "$scratch/run" >>"$file"
}

# run_pairs NAME DRIVER FLAGS...: leaves $scratch/NAME.peer and $scratch/NAME.ours.
run_pairs() {
  local name=$1 driver=$2
  shift 2
  : >"$scratch/$name.peer"
  : >"$scratch/$name.ours"
  for ((pair = 0; pair < pairs; ++pair)); do
    timed "$scratch/$name.peer" "$peer_bin/$driver" "$@"
    timed "$scratch/$name.ours" "$build_dir/bin/$driver" "$@"
  done
}

# row LABEL NAME KEY SCALE UNIT: a line with both medians and their ratio.
row() {
  local peer ours
  peer=$(median "$scratch/$2.peer" "$3")
  ours=$(median "$scratch/$2.ours" "$3")
  awk -v label="$1" -v p="$peer" -v o="$ours" -v scale="$4" -v unit="$5" 'BEGIN {
    printf "  %-22s peer %10.3f   ours %10.3f %-4s  ratio %6.2f\n", label, p * scale, o * scale, unit, (o > 0 ? p / o : 0) }'
}

# same LABEL NAME KEY: values side by side, which should agree.
same() {
  printf '  %-22s peer %s   ours %s\n' "$1" \
    "$(awk -v k="$3" '$1 == k { print $2; exit }' "$scratch/$2.peer")" \
    "$(awk -v k="$3" '$1 == k { print $2; exit }' "$scratch/$2.ours")"
}

# One function of a Google Benchmark binary, as a line "nanoseconds TIME".
benchmark_time() {
  "$1" --benchmark_filter="$2" --benchmark_min_time=0.2 --benchmark_format=csv 2>/dev/null |
    awk -F, '/^"BM_/ { print "nanoseconds", $4 }'
}

if [[ -n $build_peer_only ]]; then
  build_peer "$build_peer_only"
  exit 0
fi
if [[ -z $skip_build ]]; then
  build_peer
  build_ours
fi

if [[ -n $bars ]]; then
  # shellcheck source=scripts/measure/lib/peer_bars.sh
  source scripts/measure/lib/peer_bars.sh
  print_bars "$bars"
  exit 0
fi
find_problem

compare_bundle_adjustment() {
  local solver=$1 count=$2 steps=$3
  local name=ba.$solver.$count.$steps
  run_pairs "$name" bundle_adjustment_driver "$problem" --linear_solver="$solver" \
    --preconditioner=schur_jacobi --num_threads="$count" --num_iterations="$steps"
  echo "$solver, $count thread(s), $steps iterations"
  row "build time" "$name" build_seconds 1000 ms
  row "solve time" "$name" solve_seconds 1000 ms
  row "peak memory" "$name" peak_rss_kib 0.0009765625 MiB
  same "iterations" "$name" iterations
  same "successful steps" "$name" successful_steps
  same "final cost" "$name" final_cost
}

if [[ -z $skip_bundle_adjustment ]]; then
  echo "Bundle adjustment: ${problem##*/}, tolerances off, medians of $pairs alternating pairs"
  for steps in $iterations; do
    for solver in $solvers; do
      for count in $threads; do
        compare_bundle_adjustment "$solver" "$count" "$steps"
      done
    done
  done
fi

compare_covariance() {
  local blocks=$1 count=$2
  local name=covariance.$blocks.$count
  run_pairs "$name" covariance_driver --input="$scratch/problem-49-1800-shrink.txt" --blocks="$blocks" \
    --num_threads="$count"
  echo "sparse_qr, blocks=$blocks, $count thread(s)"
  row "compute time" "$name" compute_seconds 1000 ms
  same "standard deviations" "$name" standard_deviations
}

covariance_data=$data/bal/problem-49-1800-shrink.txt.xz
if [[ -z $skip_covariance && -f $covariance_data ]]; then
  unpacked bal/problem-49-1800-shrink.txt >/dev/null
  echo "Covariance: problem-49-1800-shrink, medians of $pairs alternating pairs"
  for blocks in pairs cameras all; do
    for count in $threads; do
      compare_covariance "$blocks" "$count"
    done
  done
elif [[ -z $skip_covariance ]]; then
  echo "No $covariance_data: no comparison of covariances."
fi

compare_pose_graph() {
  local graph=$1 count=$2
  local name=pose_graph.$graph.$count
  run_pairs "$name" pose_graph_driver --input="$scratch/$graph.g2o" --num_threads="$count"
  echo "$graph, $count thread(s)"
  row "build time" "$name" build_seconds 1000 ms
  row "solve time" "$name" solve_seconds 1000 ms
  row "peak memory" "$name" peak_rss_kib 0.0009765625 MiB
  same "iterations" "$name" iterations
  same "final cost" "$name" final_cost
}

pose_graph_data=$data/pose_graph
if [[ -z $skip_pose_graphs && -d $pose_graph_data ]]; then
  echo "Pose graphs: SPARSE_NORMAL_CHOLESKY, default tolerances, medians of $pairs alternating pairs"
  for graph in sphere2500 M3500 city10000; do
    unpacked "pose_graph/$graph.g2o" >/dev/null
    for count in $threads; do
      compare_pose_graph "$graph" "$count"
    done
  done
elif [[ -z $skip_pose_graphs ]]; then
  echo "No $pose_graph_data: no comparison of pose graphs."
fi

if [[ -z $skip_curve_fit ]]; then
  echo "Curve fit: 67 samples, DENSE_QR, medians of $pairs alternating pairs"
  for count in 1 4; do
    name=curve.$count
    run_pairs "$name" curve_fit_driver --num_threads="$count"
    echo "dense_qr, $count thread(s)"
    row "build time" "$name" build_microseconds 1 us
    row "solve time" "$name" solve_microseconds 1 us
    same "iterations" "$name" iterations
    same "final cost" "$name" final_cost
  done
  awk -v one="$(median "$scratch/curve.1.ours" solve_microseconds)" \
    -v four="$(median "$scratch/curve.4.ours" solve_microseconds)" \
    'BEGIN { printf "  ours at 4 threads / at 1: %.2f\n", four / one }'
fi

# The functor in a file of its own, called through AutoDiffCostFunction::Evaluate.
compare_autodiff() {
  local label=$1 filter=$2 name=autodiff.$3
  for ((pair = 0; pair < pairs; ++pair)); do
    benchmark_time "$peer_bin/autodiff_benchmark" "$filter" >>"$scratch/$name.peer"
    benchmark_time "$build_dir/bin/autodiff_benchmark" "$filter" >>"$scratch/$name.ours"
  done
  row "$label" "$name" nanoseconds 1 ns
}

if [[ -z $skip_autodiff ]]; then
  echo "Automatic derivatives: reprojection error, 2 residuals, blocks of 9 and 3, medians of $pairs alternating pairs"
  compare_autodiff "residuals" BM_ReprojectionError/residuals residuals
  compare_autodiff "and both Jacobians" BM_ReprojectionError/jacobians jacobians
fi
