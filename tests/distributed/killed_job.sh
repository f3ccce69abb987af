#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# A job with checkpoints is killed (SIGKILL on one rank), and started again. Its result has the bits of a job that is not
# killed. Usage: killed_job.sh MPIRUN PROGRAM
set -euo pipefail
run() { "$1" --oversubscribe --allow-run-as-root --bind-to none -n 3 "$2" "$3" "$4"; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expected=$(run "$1" "$2" "$folder/whole" 0 | grep '^result')
if run "$1" "$2" "$folder/killed" 5 > "$folder/log" 2>&1; then
  echo "The job that kills a rank has succeeded." >&2
  exit 1
fi
again=$(run "$1" "$2" "$folder/killed" 0)
result=$(grep '^result' <<< "$again")
grep -E '^continued from iteration [2-5]$' <<< "$again"
[ "$result" = "$expected" ] || { echo "expected: $expected"; echo "found:    $result"; exit 1; } >&2
echo "Same bits after SIGKILL: $result"
