#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the files of a release from the last commit: the source archive, and from the unpacked archive the Python wheel, the
# Debian packages and the site. Checks each: programs are built and run with the archive and with the packages, Python's tests
# and an empty virtual environment import the wheel, the links of the site are followed. Writes them, the section of
# CHANGELOG.md and SHA256SUMS to build/release-files. Publishes nothing. docs/versions.md says what to do before and after.
# Usage: scripts/release.sh [--snapshot]
#   --snapshot  also if changes are not committed (they are left out), or without a section of CHANGELOG.md for the version
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
if ! grep -q "^## ${version//./\\.}\( \|$\)" CHANGELOG.md; then
  ((snapshot)) || { echo "CHANGELOG.md has no section '## $version'. Without one: scripts/release.sh --snapshot" >&2; exit 1; }
  section=Unreleased
fi
if [ -n "$(git status --porcelain)" ] && ! ((snapshot)); then
  echo "There are changes that are not committed: git status" >&2
  exit 1
fi
python3 tests/packaging/check_packaging.py

# Prints how long the command took. Usage: part NAME COMMAND...
part() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "== $name: $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
}

# Imports the wheel where nothing else is installed but what it asks for, and fits with it.
try_wheel() {
  python3 -m venv "$trees/venv"
  "$trees/venv/bin/pip" install --quiet --disable-pip-version-check "$files"/*.whl
  (cd "$trees" && "$trees/venv/bin/python" -c 'import numpy, vesta
x = numpy.arange(5.0)
parameters, _ = vesta.curve_fit(lambda x, a, b: a * x + b, x, 2 * x + 1)
assert numpy.allclose(parameters, [2, 1]), parameters')
}

# Asks apt whether the dependencies can be had. Changes nothing.
try_debs() { apt-get install --simulate -q "$files"/*.deb >/dev/null; }

files=$PWD/build/release-files
trees=$PWD/build/release-trees
rm -rf "$files" "$trees"
mkdir -p "$files" "$trees"
name=vesta-$version
git archive --format=tar.gz --prefix="$name/" -o "$files/$name.tar.gz" HEAD
tar -xzf "$files/$name.tar.gz" -C "$trees"
tree=$trees/$name

part "Python" "$tree/scripts/python.sh" --ci
cp "$tree"/build/python/dist/*.whl "$files"
part "wheel alone" try_wheel

part "packages" "$tree/scripts/package_test.sh" static deb fetch_content
cp "$tree"/build/package/deb/packages/*.deb "$files"
part "apt" try_debs

part "site" "$tree/scripts/docs.sh" --check
tar -czf "$files/$name-site.tar.gz" -C "$tree/build/docs" --transform "s,^html,$name-site," html

awk -v title="## $section" '/^## / {inside = index($0, title) == 1} inside' CHANGELOG.md >"$files/changes.md"
(cd "$files" && sha256sum -- * >SHA256SUMS && sha256sum --quiet --check SHA256SUMS)
rm -rf "$trees"
ls -l "$files"
echo "All files of $name are in $files, after $((SECONDS / 60)) minutes."
