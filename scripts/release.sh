#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the files of a release from the last commit and checks each: the source archive (a program is built from it), the Python
# wheel (tests), the Debian packages (a program is built with them), the site (links). Writes them, the section of
# CHANGELOG.md and SHA256SUMS to build/release-files. Publishes nothing. Takes about an hour without a compiler cache.
# Usage: scripts/release.sh [--snapshot]
#   --snapshot  also with changes that are not committed, or without a section of CHANGELOG.md for the version
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

snapshot=0
case "${1:-}" in
  "") ;;
  --snapshot) snapshot=1 ;;
  *) echo "$help_text" >&2; exit 2 ;;
esac

version=$(sed -n 's/^project(Ceres VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
section=$version
if ! grep -q "^## $version\b" CHANGELOG.md; then
  ((snapshot)) || { echo "CHANGELOG.md has no section '## $version'." >&2; exit 1; }
  section=Unreleased
fi
if [ -n "$(git status --porcelain)" ] && ! ((snapshot)); then
  echo "There are changes that are not committed: git status" >&2
  exit 1
fi
python3 tests/packaging/check_packaging.py

root=$PWD
files=$root/build/release-files
rm -rf "$files"
mkdir -p "$files"

name=vesta-$version
git archive --format=tar.gz --prefix="$name/" -o "$files/$name.tar.gz" HEAD
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
tar -xzf "$files/$name.tar.gz" -C "$tree"
cmake -G Ninja -S "$tree/$name/tests/package/fetch_content" -B "$tree/build" -DCMAKE_BUILD_TYPE=Release -DVESTA_SOURCE="$tree/$name"
cmake --build "$tree/build" --target app_of_runtime
"$tree/build/app_of_runtime"

scripts/python.sh --ci
cp build/python/dist/*.whl "$files"

scripts/package_test.sh deb
cp build/package/deb/packages/*.deb "$files"

scripts/docs.sh --check
tar -czf "$files/$name-site.tar.gz" -C build/docs --transform "s,^html,$name-site," html

awk -v title="## $section" '/^## / {inside = index($0, title) == 1} inside' CHANGELOG.md >"$files/changes.md"
(cd "$files" && sha256sum -- * >SHA256SUMS && sha256sum --quiet --check SHA256SUMS)
ls -l "$files"
