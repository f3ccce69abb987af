# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# The bars of the Python package, as ratios of medians of CPU times that are measured in alternation in one run:
#   bundle adjustment of problem-16-22106 beside the C++ program, through vesta.costs and through add_batch
#   least_squares on 10^4 points and 10 parameters beside SciPy
#   a million residual blocks: memory beside a C++ program
#   residual blocks in Python beside pyceres's wheel
# Needs scripts/python.sh --wheel-only before, and ../shared/data.
# Usage: scripts/measure.sh python [ROUNDS]

rounds=${1:-5}
out=$PWD/build/python
python=$out/venv/bin/python
[[ -x $python ]] || { echo "run scripts/python.sh --wheel-only first" >&2; exit 1; }
"$python" -m pip install --quiet --disable-pip-version-check pyceres jax scipy

# The C++ programs, with the library that is part of the wheel.
library=$out/wheel/vesta/internal/ceres
[[ -f $library/libceres.a ]] || { echo "no $library/libceres.a: run scripts/python.sh --wheel-only" >&2; exit 1; }
includes=(-Iinclude "-I$out/wheel/vesta/include" -Iexamples -I/usr/include/eigen3)
libraries=("$library/libceres.a" "$library/libceres_parallel.a" -lhwy -lpthread)
g++ -O3 -DNDEBUG -std=c++17 "${includes[@]}" python/benchmarks/bundle_adjustment.cc \
  examples/{bal_problem,bal_file}.cc "${libraries[@]}" -o "$out/bundle_adjustment"
g++ -O3 -DNDEBUG -std=c++17 "${includes[@]}" python/benchmarks/million_blocks.cc "${libraries[@]}" -o "$out/million_blocks"

problem=$out/problem-16-22106-pre.txt
xz -dkc "$data/bal/problem-16-22106-pre.txt.xz" > "$problem"
cd "$out"
"$python" ../../python/benchmarks/compare.py "$rounds" "$out" "$problem"
