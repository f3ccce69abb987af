#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Formats our C++ sources with clang-format 14, or with --check only says which are not formatted.
# Usage: scripts/format.sh [--check]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run --Werror); fi
git ls-files -z '*.h' '*.cc' | xargs -0 -r clang-format-14 "${mode[@]}"
