#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Runs the programs of docs/snippets that are built and writes what they print to docs/snippets/NAME.out. Look at `git diff`
# after it. Usage: docs/tools/update_snippet_outputs.sh [NAME...]   all that are built without names.
# BUILD is the build folder (build/release).
set -euo pipefail
source "$(dirname "$0")/../../scripts/help.sh"
cd "$(dirname "$0")/../.."
bin=${BUILD:-build/release}/bin

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for source in docs/snippets/*.cc; do
    name=$(basename "$source" .cc)
    if [ -x "$bin/snippet_$name" ]; then names+=("$name"); else echo "$name is not built: skipped"; fi
  done
fi
for name in "${names[@]}"; do
  cmake "-DPROGRAM=$bin/snippet_$name" "-DEXPECTED=docs/snippets/$name.out" -DUPDATE=ON -P docs/tools/compare_output.cmake
done
