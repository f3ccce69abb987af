#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the documentation site from nothing into build/docs/html, warnings as errors. The site needs no network to be read.
# Usage: scripts/docs.sh [--check | --undocumented]
#   --check         also checks the spelling of all files, tests the tools, and checks the links and resources of the site
#   --undocumented  instead prints the public names without documentation, by header
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

mode=${1:-}
case "$mode" in
  "" | --check | --undocumented) ;;
  *) echo "unknown argument '$mode'; known: --check --undocumented" >&2; exit 2 ;;
esac

build=build/docs
mkdir -p "$build"
# All runs write into one folder: a second run waits for the first. The lock ends with the process.
exec {lock}>"$build/lock"
flock --nonblock "$lock" || { echo "Another run builds the site. Waiting for it."; flock "$lock"; }
export PYTHONDONTWRITEBYTECODE=1
scripts/install_dependencies.sh --with-docs

read_headers() {
  if [ -f "$build/doxygen/done" ] &&
    [ -z "$(find include docs/Doxyfile docs/tools/doxygen_filter.py docs/tools/clean_xml.py \
      -newer "$build/doxygen/done" -print -quit)" ]; then
    return
  fi
  rm -rf "$build/doxygen"
  mkdir -p "$build/doxygen"
  (cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $build/doxygen"; echo "WARN_LOGFILE = $build/doxygen/warnings.txt") | doxygen -
  if [ -s "$build/doxygen/warnings.txt" ]; then
    cat "$build/doxygen/warnings.txt" >&2
    echo "Doxygen reports the above. Correct the comments of these headers." >&2
    exit 1
  fi
  python3 docs/tools/clean_xml.py "$build/doxygen/xml"
  touch "$build/doxygen/done"
}

if [ "$mode" = --undocumented ]; then
  rm -rf "$build/doxygen"
  read_headers
  python3 docs/tools/undocumented.py "$build/doxygen/xml" || true
  exit
fi

venv=$build/venv
if ! cmp -s docs/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$venv/requirements.txt"
fi

python3 docs/tools/check_pages.py .
if [ "$mode" = --check ]; then
  "$venv/bin/codespell" -- *.md benchmarks bazel cmake docs examples include internal packaging python scripts tests
  "$venv/bin/python" -m pytest -q -p no:cacheprovider docs/tools
fi
read_headers
"$venv/bin/python" docs/tools/draw_pictures.py
"$venv/bin/python" docs/tools/notebooks.py join
# Sphinx caches pages with the links between them. If a page was added or removed, it must read all pages again.
find docs -name '*.md' | sort > "$build/pages.txt.new"
if [ "$mode" = --check ] || ! cmp -s "$build/pages.txt.new" "$build/pages.txt"; then rm -rf "$build/doctrees"; fi
mv "$build/pages.txt.new" "$build/pages.txt"
rm -rf "$build/html"
"$venv/bin/sphinx-build" -W --keep-going -q -j auto -b html -d "$build/doctrees" docs "$build/html"
if [ "$mode" = --check ]; then
  python3 docs/tools/check_site.py "$build/html"
  python3 docs/tools/undocumented.py --count "$build/doxygen/xml"
fi
echo "The site is $build/html/index.html"
