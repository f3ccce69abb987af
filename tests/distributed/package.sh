#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Installs a build, builds consumers of it (package/CMakeLists.txt) and runs them. Nothing but the component needs MPI or
# PETSc: no other header names them, and a program of Ceres::ceres does not load them. Usage: package.sh BUILD_FOLDER MPIRUN
set -euo pipefail
build=$1
mpirun=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*" >&2; exit 1; }

cmake --install "$build" --prefix "$folder/prefix" --component dev > "$folder/log" || { cat "$folder/log" >&2; exit 1; }
cmake -S "$(dirname "$0")/package" -B "$folder/app" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_PREFIX_PATH=$folder/prefix" > "$folder/log" ||
  { cat "$folder/log" >&2; exit 1; }
cmake --build "$folder/app"
"$folder/app/in_one_process"
"$mpirun" --oversubscribe --allow-run-as-root --bind-to none -n 2 "$folder/app/over_ranks"

headers=$(grep -rliE '(mpi|petsc[a-z]*|metis)\.h' "$folder/prefix/include" || true)
[ "$headers" = "$folder/prefix/include/ceres/distributed.h" ] || fail "headers that name MPI, PETSc or METIS: $headers"
! grep -qiE 'petsc[a-z]*\.h' "$headers" || fail "ceres/distributed.h includes PETSc"
! ldd "$folder/app/in_one_process" | grep -iE 'libmpi|petsc' || fail "a program of Ceres::ceres loads MPI or PETSc"
[[ $(ldd "$folder/app/over_ranks") == *libmpi* ]] || fail "a program of Ceres::distributed does not load MPI"
for library in "$folder"/prefix/lib*/libceres.a "$folder"/prefix/lib*/*/libceres.a; do
  [ -f "$library" ] || continue
  ! nm -C --undefined-only "$library" 2> /dev/null | grep -E ' U (MPI_|Petsc)' || fail "$library needs MPI or PETSc"
done
echo "find_package(Ceres COMPONENTS distributed) works; only its header and its library need MPI"
