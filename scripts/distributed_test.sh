#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds Ceres::distributed and runs its tests (ctest -L distributed) on this machine, for at most 8 minutes. Configures
# build/release with VESTA_DISTRIBUTED=ON, and OFF again at its end. Usage: scripts/distributed_test.sh
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh --with-distributed
cmake --preset release -DVESTA_DISTRIBUTED=ON
trap 'cmake --preset release -DVESTA_DISTRIBUTED=OFF' EXIT
cmake --build build/release --target distributed_tests distributed_bundle_adjuster

# Nothing outside of the component needs MPI.
for library in build/release/internal/ceres/libceres.a build/release/internal/ceres/libceres_parallel.a; do
  if nm -C --undefined-only "$library" 2>/dev/null | grep -E ' U (MPI_|Petsc)'; then
    echo "$library needs MPI or PETSc" >&2
    exit 1
  fi
done
timeout 8m ctest --preset release -L '^distributed$' --output-on-failure --no-tests=error

# The same cost on 1 and 3 ranks, from the example.
costs=()
for ranks in 1 3; do
  costs+=("$(mpirun --oversubscribe --allow-run-as-root --bind-to none -n "$ranks" \
    build/release/bin/distributed_bundle_adjuster --generate=10,500,1 --num_iterations=5 --json | grep '"final_cost"')")
done
[ "${costs[0]}" = "${costs[1]}" ] || { echo "final costs differ: ${costs[*]}" >&2; exit 1; }
echo "The example has the same cost on 1 and 3 ranks: ${costs[0]}"
