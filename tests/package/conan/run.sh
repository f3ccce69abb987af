#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Builds the Conan package and a program that uses it, without a network except for Conan itself, which comes from PyPI into
# FOLDER: dependencies are packages of the distribution, wrapped by the recipe beside this file.
# Usage: tests/package/conan/run.sh FOLDER [ARGUMENT OF conan create...]   the program is FOLDER/curve_fit
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift

venv=$folder/venv
[ -x "$venv/bin/conan" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'conan>=2.1,<3'; }
PATH=$venv/bin:$PATH
export CONAN_HOME=$folder/home
conan profile detect --force
conan remote disable '*'

while read -r package version; do
  conan create "$here" --name="$package" --version="$version"
done <<<"eigen 3.4.0
glog 0.6.0
highway 1.0.3
metis 5.1.0
openblas 0.3.21"

# Other builds of this project have the objects in the compiler cache: with Ninja and without options that change nothing (-m64)
# the commands are the same.
conan create "$here/../../../packaging/conan" -s compiler.cppstd=17 \
  -c tools.build:jobs="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" \
  -c tools.cmake.cmaketoolchain:generator=Ninja \
  -c tools.cmake.cmake_layout:test_folder="$folder/test" \
  -c tools.cmake.cmaketoolchain:enabled_blocks='["generic_system", "compilers", "fpic", "cppstd", "cmake_flags_init", "find_paths", "variables"]' \
  "$@"
program=$(find "$folder/test" -name curve_fit -type f -perm -u+x)
cp "$program" "$folder/curve_fit"
