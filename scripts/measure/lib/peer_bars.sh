# shellcheck shell=bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Sourced by measure.sh peer for --bars: prints a table of the promises
# against the peer, and whether each is kept. Ratios are ratios of medians of
# alternating runs; above 1 means that we are faster.

# verdict LABEL THREADS RATIO at_least|at_most BAR
verdict() {
  awk -v label="$1" -v threads="$2" -v ratio="$3" -v sense="$4" -v bar="$5" 'BEGIN {
    # 0: a run has failed.
    met = ratio > 0 && (sense == "at_least" ? ratio >= bar : ratio <= bar)
    printf "| %-46s | %7s | %s %5.2f | %6.2f | %s |\n", label, threads,
      sense == "at_least" ? ">=" : "<=", bar, ratio, met ? "met" : "**missed**" }'
}

# quotient FILE_ABOVE FILE_BELOW NAME...: of the sums of the medians of NAMEs.
quotient() {
  local above=$1 below=$2 name
  shift 2
  for name in "$@"; do
    echo "$(median "$above" "$name") $(median "$below" "$name")"
  done | awk '{ a += $1; b += $2 } END { print (b > 0 ? a / b : 0) }'
}

# check_cost NAME: prints a line if our final cost is above the peer's.
check_cost() {
  awk -v name="$1" '$1 == "final_cost" { cost[FILENAME] = $2 } END {
    for (file in cost) if (file ~ /ours$/) ours = cost[file]; else peer = cost[file]
    if (ours > peer * (1 + 1e-6)) printf "  %s: our cost %.9g is above %.9g\n", name, ours, peer }' \
    "$scratch/$1.peer" "$scratch/$1.ours"
}

# solve_bar LABEL NAME BAR THREADS DRIVER FLAGS...
solve_bar() {
  local label=$1 name=$2 bar=$3 count=$4 driver=$5
  shift 5
  run_pairs "$name" "$driver" "$@" --num_threads="$count"
  verdict "$label" "$count" "$(quotient "$scratch/$name.peer" "$scratch/$name.ours" solve_seconds)" at_least "$bar"
  check_cost "$name"
}

# The bar for COUNT threads, of "BAR_OF_ONE BAR_OF_MORE".
bar_of() { [[ $1 == 1 ]] && echo "$2" || echo "$3"; }

# unpack FOLDER NAME EXTENSION: prints the path of the unpacked file; fails if there is none.
unpack() {
  [[ -f $data/$1/$2.$3.xz ]] || { echo "No $data/$1/$2.$3.xz: left out." >&2; return 1; }
  unpacked "$1/$2.$3"
}

bal_problems="problem-16-22106-pre problem-21-11315-pre problem-49-7776-pre"
steps=${iterations%% *}
ba_flags=(--preconditioner=schur_jacobi --num_iterations="$steps")

bars_bal() {
  local problem solver count file
  for problem in $bal_problems; do
    file=$(unpack bal "$problem" txt) || continue
    for solver in $solvers; do
      for count in $threads; do
        local bars="3.5 4.5"
        [[ $solver != iterative_schur ]] || bars="3 4"
        # shellcheck disable=SC2086
        solve_bar "$problem $solver" "bal.$problem.$solver.$count" "$(bar_of "$count" $bars)" "$count" \
          bundle_adjustment_driver --input="$file" --linear_solver="$solver" "${ba_flags[@]}"
      done
    done
  done
}

# 400 cameras, 480 k observations; written once, so that both read the same.
scene_file() {
  local file=$scratch/scene.txt
  [[ -f $file ]] || "$build_dir/bin/bundle_adjustment_driver" --generate=400,92000,1 --write="$file"
  echo "$file"
}

bars_scene() {
  local file solver count
  file=$(scene_file)
  for solver in sparse_schur iterative_schur; do
    for count in $threads; do
      local bars="3.5 4.5"
      [[ $solver != iterative_schur ]] || bars="10 20"
      # shellcheck disable=SC2086
      solve_bar "scene of 480 k, $solver" "scene.$solver.$count" "$(bar_of "$count" $bars)" "$count" \
        bundle_adjustment_driver --input="$file" --linear_solver="$solver" "${ba_flags[@]}"
    done
  done
}

# Prints the runs of bars_scene, or short runs if bars_scene has not run.
scene_runs() {
  local name=scene.$1.$2
  [[ -f $scratch/$name.ours ]] || {
    name=setup.$1.$2
    [[ -f $scratch/$name.ours ]] || run_pairs "$name" bundle_adjustment_driver --input="$(scene_file)" \
      --linear_solver="$1" --preconditioner=schur_jacobi --num_iterations=2 --num_threads="$2"
  }
  echo "$scratch/$name"
}

bars_memory() {
  local solver count runs
  for solver in sparse_schur iterative_schur; do
    for count in $threads; do
      runs=$(scene_runs "$solver" "$count")
      verdict "scene of 480 k, $solver, memory" "$count" "$(quotient "$runs.ours" "$runs.peer" peak_rss_kib)" at_most 0.7
    done
  done
}

bars_setup() {
  local solver count runs
  for solver in sparse_schur iterative_schur; do
    for count in $threads; do
      runs=$(scene_runs "$solver" "$count")
      verdict "adding 480 k, preprocessing, $solver" "$count" \
        "$(quotient "$runs.peer" "$runs.ours" build_seconds preprocess_seconds)" at_least 3
    done
  done
}

bars_pose_graphs() {
  local graph count file
  for graph in sphere2500 M3500 city10000; do
    file=$(unpack pose_graph "$graph" g2o) || continue
    for count in $threads; do
      solve_bar "$graph, sparse_normal_cholesky" "bars.$graph.$count" "$(bar_of "$count" 5 6.5)" "$count" \
        pose_graph_driver --input="$file"
    done
  done
}

bars_small() {
  local count fit name
  for fit in curve_fit powell; do
    for count in $threads; do
      name=bars.$fit.$count
      run_pairs "$name" curve_fit_driver --problem="$fit" --num_threads="$count"
      verdict "$fit, Problem and Solve" "$count" \
        "$(quotient "$scratch/$name.peer" "$scratch/$name.ours" whole_microseconds)" at_least "$(bar_of "$count" 4 6)"
    done
  done
}

# own_pairs NAME COUNT_A COUNT_B FLAGS...: ours alone at two numbers of threads.
own_pairs() {
  local name=$1 a=$2 b=$3
  shift 3
  : >"$scratch/$name.$a"
  : >"$scratch/$name.$b"
  for ((pair = 0; pair < pairs; ++pair)); do
    timed "$scratch/$name.$a" "$build_dir/bin/bundle_adjustment_driver" "$@" --num_threads="$a" 2>/dev/null
    timed "$scratch/$name.$b" "$build_dir/bin/bundle_adjustment_driver" "$@" --num_threads="$b" 2>/dev/null
  done
}

bars_threads() {
  local problem solver count file name
  for problem in $bal_problems; do
    file=$(unpack bal "$problem" txt) || continue
    for solver in $solvers; do
      name=threads.$problem.$solver
      local flags=(--input="$file" --linear_solver="$solver" "${ba_flags[@]}")
      own_pairs "$name" 1 2 "${flags[@]}"
      verdict "$problem $solver, 2 over 1" 2 "$(quotient "$scratch/$name.1" "$scratch/$name.2" solve_seconds)" at_least 1.6
    done
    # The first solver: time of many threads on two cpus over the time of two threads.
    name=threads.$problem.many
    for count in 4 8 16; do
      own_pairs "$name" 2 "$count" --input="$file" --linear_solver="${solvers%% *}" "${ba_flags[@]}"
      verdict "$problem ${solvers%% *}, time over 2" "$count" \
        "$(quotient "$scratch/$name.$count" "$scratch/$name.2" solve_seconds)" at_most 1.05
    done
  done
}

print_bars() {
  local section
  printf '| %-46s | threads | %-8s | ratio  | |\n|---|---|---|---|---|\n' "case ($steps iterations, $pairs pairs)" bar
  for section in $1; do
    "bars_$section"
  done
  if [[ -f $scratch/disturbed ]]; then
    echo "In $(wc -l <"$scratch/disturbed") runs that count two threads had less than two cores: measure again."
  fi
}
