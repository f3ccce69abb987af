# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Measures Ceres::distributed on this machine, and prints a table: what, figure, bar.
#
#   scripts/measure.sh distributed [--pairs=3] [--sections="time memory large peer"] [--build-dir=build/release]
#
#   time     480 000 observations: 2 ranks x 1 thread against 1 rank x 2 threads, in alternation; median of the ratios
#   memory   the peak that a solve adds to a rank, against that of one rank
#   large    2.4 million observations at 4 ranks: it ends with the cost of one rank
#   peer     one process of Debian's Ceres on the same scene, with as many threads as ranks (libceres-dev; skipped without)
#
# Run it on a machine that does nothing else: the load is printed beside the figures.

pairs=3
sections="time memory large peer"
build_dir=build/release
for argument in "$@"; do
  case "$argument" in
    --pairs=*) pairs=${argument#*=} ;;
    --sections=*) sections=${argument#*=} ;;
    --build-dir=*) build_dir=${argument#*=} ;;
    *) usage ;;
  esac
done
out=$build_dir/distributed_bars
mkdir -p "$out"

row() { printf '%-62s %-34s %s\n' "$1" "$2" "$3"; }
load() { cut -d ' ' -f 1 /proc/loadavg; }

# scene NAME CAMERAS,POINTS,SEED: writes the scene once, and prints its path.
scene() {
  local file=$out/$1.txt
  [[ -f $file ]] || "$build_dir/bin/bundle_adjuster" --generate="$2" --num_iterations=0 --final_bal="$file" > "$out/log"
  echo "$file"
}

# solve RANKS THREADS FILE: the summary as JSON.
solve() {
  mpirun --oversubscribe --allow-run-as-root --bind-to none -n "$1" "$build_dir/bin/distributed_bundle_adjuster" \
    --num_threads="$2" --input="$3" --num_iterations=5 --json --memory 2> "$out/memory"
}
# member NAME: a number of the JSON at the input.
member() { python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"; }
divide() { python3 -c "print(f'{$1 / $2:.3f}')"; }

section_time() {
  local file ratios=() pair ranks threads
  file=$(scene 480k 400,92000,1)
  for ((pair = 0; pair < pairs; ++pair)); do
    ranks=$(solve 2 1 "$file" | member minimizer_time_in_seconds)
    threads=$(solve 1 2 "$file" | member minimizer_time_in_seconds)
    ratios+=("$(divide "$ranks" "$threads")")
    row "480 k, pair $pair: 2 ranks x 1 thread, 1 rank x 2 threads" "$ranks s, $threads s" "load $(load)"
  done
  row "480 k: 2 ranks x 1 thread / 1 rank x 2 threads" "$(printf '%s\n' "${ratios[@]}" | sort -g | sed -n "$(((pairs + 1) / 2))p")" \
    "at most 1.15"
}

# added RANKS FILE: by rank, the MB that the solve adds at its peak.
added() {
  solve "$1" 1 "$2" > "$out/json"
  awk '/^memory/ { print $5 - $3 }' "$out/memory"
}

section_memory() {
  local file one ranks largest
  file=$(scene 480k 400,92000,1)
  one=$(added 1 "$file")
  row "480 k: a solve of one rank adds" "$one MB" ""
  for ranks in 2 4; do
    largest=$(added "$ranks" "$file" | sort -g | tail -1)
    row "480 k, $ranks ranks: a solve adds to the largest rank" "$largest MB, $(divide "$largest" "$one") of one rank" \
      "at most $(python3 -c "print(f'{1 / $ranks + 0.10:.2f}')")"
  done
}

section_large() {
  local file one four
  file=$(scene 2400k 2000,460000,1)
  four=$(solve 4 1 "$file" | tee "$out/large.json" | member final_cost)
  row "2.4 million, 4 ranks: $(member num_residual_blocks < "$out/large.json") residual blocks" \
    "$(member minimizer_time_in_seconds < "$out/large.json") s, cost $four" "load $(load)"
  one=$(solve 1 2 "$file" | member final_cost)
  row "2.4 million: the cost of 1 rank" "$one" "the same bits"
  [[ $four == "$one" ]]
}

# The peer's time and cost. The scene is not normalized: the ranks do not normalize it either.
peer() {
  build/peer/bundle_adjustment_driver --input="$2" --linear_solver=sparse_schur --normalize=false --num_threads="$1" \
    --num_iterations=5 > "$out/peer"
}
value() { awk -v name="$1" '$1 == name { print $2 }' "$out/peer"; }

section_peer() {
  local file ranks pair ours theirs ratios
  if ! dpkg -s libceres-dev > /dev/null 2>&1; then
    row "one process of Ceres" "skipped" "libceres-dev is absent: scripts/install_dependencies.sh --with-peer"
    return
  fi
  [[ -x build/peer/bundle_adjustment_driver ]] || scripts/measure.sh peer --build-peer-only=bundle_adjustment_driver
  file=$(scene 480k 400,92000,1)
  for ranks in 1 2; do
    ratios=()
    for ((pair = 0; pair < pairs; ++pair)); do
      solve "$ranks" 1 "$file" > "$out/json"
      peer "$ranks" "$file"
      ours=$(member total_time_in_seconds < "$out/json")
      theirs=$(value solve_seconds)
      ratios+=("$(divide "$theirs" "$ours")")
    done
    row "480 k, $ranks ranks x 1 thread: final cost" "$(member final_cost < "$out/json")" ""
    row "480 k, Ceres, 1 process x $ranks threads: final cost" "$(value final_cost)" "the same to 1e-6"
    python3 -c "import sys; sys.exit(abs($(member final_cost < "$out/json") / $(value final_cost) - 1) > 1e-6)"
    row "480 k, Ceres / ours: solve" "$(printf '%s\n' "${ratios[@]}" | sort -g | sed -n "$(((pairs + 1) / 2))p") ($theirs s, $ours s)" \
      "load $(load)"
  done
}

row "what" "figure" "bar"
for section in $sections; do "section_$section"; done
