#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Installs the dependencies, builds the bundle adjuster, generates a scene (a drive around a block of streets, seen by 60
# cameras, with noise and outliers), adjusts it, and writes a report to look at. Usage: scripts/demo.sh [FLAGS OF bundle_adjuster]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
scripts/build.sh release bundle_adjuster

out=build/demo
mkdir -p "$out"
build/release/bin/bundle_adjuster --generate=60,20000,1 --robustify --num_iterations=100 --function_tolerance=1e-6 \
  --initial_ply="$out/before.ply" --final_ply="$out/after.ply" --report="$out/report.html" "$@"

echo
echo "The report, for any browser: $PWD/$out/report.html"
echo "The scene as points and cameras, for MeshLab, CloudCompare or Blender:"
echo "  before the adjustment: $PWD/$out/before.ply"
echo "  after the adjustment:  $PWD/$out/after.ply"
