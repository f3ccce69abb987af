#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# The bars of many fits in one call, as ratios of medians of wall-clock times in alternation: NUM_FITS fits of a sum of two
# exponentials and a constant (5 parameters, 50 samples, noise of 1 %, starts 20 % off, up or down).
#   FitMany, and vesta.fit_many, on THREADS threads
#   a C++ loop over TinySolver on as many threads: at least 8 times slower
#   a Python loop over SciPy's curve_fit, over some of the fits: at least 100 times slower
# and the part of fits whose costs agree to 1e-8: at least 0.999. Ends with 1 if a bar is missed.
# Needs scripts/python.sh --wheel-only before. Usage: scripts/many_fits.sh [NUM_FITS [THREADS [ROUNDS]]]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

num_fits=${1:-100000}
threads=${2:-2}
rounds=${3:-5}
python=${VESTA_PYTHON:-build/python/venv/bin/python}
[ -x "$python" ] || { echo "run scripts/python.sh --wheel-only first" >&2; exit 1; }
"$python" -c "import scipy" 2>/dev/null ||
  "$python" -m pip install --quiet --disable-pip-version-check scipy
driver=build/release/bin/many_fits_driver
[ -x "$driver" ] || scripts/build.sh release many_fits_driver

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run_python=("$python" python/benchmarks/many_fits.py)
"${run_python[@]}" write "$scratch/fits" "$num_fits"
"$driver" "$num_fits" "$threads" "$rounds" "$scratch/fits" | tee "$scratch/driver"
"${run_python[@]}" compare "$scratch/fits" "$num_fits" "$threads" "$rounds" "$scratch/driver"
