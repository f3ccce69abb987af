# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Records what every data set ends at: one line for each data set, linear solver and number of threads, with the number
# of iterations, the final cost (17 digits) and a hash of all parameters. Two builds agree to the bit if and only if their
# records are equal. Usage: scripts/measure.sh bits [BUILD_DIR] >record.txt; diff before.txt after.txt

build=${1:-build/release}
need_data

# record LABEL PROGRAM ARGUMENTS...: one line for each number of threads.
record() {
  local label=$1 threads values
  shift
  for threads in 1 2 4; do
    values=$("$@" --num_threads="$threads" 2>"$scratch/errors" |
      awk '$1 ~ /^(iterations|final_cost|parameters)$/ { printf " %s", $2 }') ||
      values=" failed: $(tail -1 "$scratch/errors" | sed "s|$scratch/||g")"
    echo "$label threads=$threads$values"
  done
}

for archive in "$data"/bal/problem-*.xz; do
  file=$(unpacked "${archive#"$data"/}")
  for solver in dense_schur sparse_schur iterative_schur cgnr; do
    record "$(basename "$file" .txt) $solver" "$build/bin/bundle_adjustment_driver" --input="$file" \
      --linear_solver="$solver" --preconditioner="$([ $solver = cgnr ] && echo jacobi || echo schur_jacobi)" \
      --num_iterations=8
  done
done
file=$(unpacked bal/problem-49-1800-shrink.txt)
for solver in sparse_normal_cholesky dense_normal_cholesky; do
  record "$(basename "$file" .txt) $solver" "$build/bin/bundle_adjustment_driver" --input="$file" \
    --linear_solver=$solver --num_iterations=8
done
for preconditioner in cluster_jacobi cluster_tridiagonal schur_power_series_expansion; do
  record "$(basename "$file" .txt) iterative_schur/$preconditioner" "$build/bin/bundle_adjustment_driver" --input="$file" \
    --linear_solver=iterative_schur --preconditioner=$preconditioner --num_iterations=8
done
for archive in "$data"/pose_graph/*.xz; do
  file=$(unpacked "${archive#"$data"/}")
  for library in native_sparse suite_sparse eigen_sparse; do
    record "$(basename "$file" .g2o) $library" "$build/bin/pose_graph_driver" --input="$file" --num_iterations=15 \
      --sparse_linear_algebra_library=$library
  done
done
