#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds a colcon workspace of this checkout and a package that depends on ceres-solver, and runs its program. Colcon comes
# from PyPI into FOLDER.
# Usage: tests/package/colcon/run.sh FOLDER [CMAKE ARGUMENT...]   the program is FOLDER/install/consumer/lib/consumer/app
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
mkdir -p "$1/src"
folder=$(cd "$1" && pwd)
shift

venv=$folder/venv
[ -x "$venv/bin/colcon" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet colcon-common-extensions==0.3.0; }

cd "$folder"
# Folders of Python and of packages in the checkout are not packages of the workspace.
touch venv/COLCON_IGNORE
ln -sfn "$root" src/vesta
rm -rf src/consumer install/consumer build/consumer
cp -r "$here/consumer" src/consumer
"$venv/bin/colcon" --log-base "$folder/log" list --base-paths src --names-only | sort >packages
diff packages - <<<$'ceres-solver\nconsumer'
"$venv/bin/colcon" --log-base "$folder/log" build --base-paths src --packages-up-to consumer --event-handlers console_cohesion+ \
  --cmake-args -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DBUILD_BENCHMARKS=OFF \
  -DVESTA_PROGRAM="$root/tests/package/curve_fit.cc" "$@"
grep "^Ceres_DIR:.*$folder/install/" build/consumer/CMakeCache.txt
