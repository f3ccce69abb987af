#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Installs what the build needs, on Debian 12. Ubuntu 24.04 has packages of the same names; the script is not tested there.
# Installs only what is missing, so a second run takes no time. Usage: scripts/install_dependencies.sh [--with-NAME...]
#   --with-peer  also libceres-dev, the peer that scripts/measure.sh peer measures
#   --with-dev   also clang-format and clang-tidy
#   --with-distributed  also what VESTA_DISTRIBUTED=ON needs: MPI, PETSc
#   --with-docs  also what scripts/docs.sh needs beside the packages of docs/requirements.txt
#   --with-packaging  also what scripts/package_test.sh needs
#   --with-bazel  also what scripts/bazel_test.sh needs
#   --with-python  also what scripts/python.sh needs beside packages of PyPI
set -euo pipefail
source "$(dirname "$0")/help.sh"

packages=(
  cmake ninja-build g++ ccache python3 xz-utils
  libeigen3-dev libgoogle-glog-dev libgflags-dev libhwy-dev libopenblas-dev libmetis-dev libsuitesparse-dev
  libgtest-dev libgmock-dev libbenchmark-dev libtbb-dev
)
for argument in "$@"; do
  case "$argument" in
    --with-peer) packages+=(libceres-dev) ;;
    --with-dev) packages+=(clang-14 clang-format-14 clang-tidy-14 clang-tools-14) ;;
    --with-bazel) packages+=(bazel-bootstrap) ;;
    --with-docs) packages+=(doxygen python3-venv) ;;
    --with-python) packages+=(python3-venv python3-dev) ;;
    --with-distributed) packages+=(libopenmpi-dev openmpi-bin petsc-dev pkg-config) ;;
    --with-packaging) packages+=(pkg-config dpkg-dev binutils python3-venv) ;;
    *) echo "unknown argument '$argument'" >&2; echo "$help_text" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is neither Debian nor Ubuntu. Install what corresponds to: ${packages[*]}" >&2
  exit 0
fi

# A package may be there for other architectures, too.
missing=()
installed="^(all|$(dpkg --print-architecture)) installed$"
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Architecture} ${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -Eq "$installed" <<<"$status" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "Dependencies: all ${#packages[@]} packages are installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Not root and no sudo. Install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "Dependencies: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
