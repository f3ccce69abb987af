#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Sets help_text to the comment at the head of the script that sources this file, or of $help_file: from the line behind the
# licence to the last line of the comment. If --help or -h is among the script's arguments, prints it and ends the script.
# Source it before the script does anything and before it leaves its working directory: source "$(dirname "$0")/help.sh"
help_text=$(awk '!/^#/ { exit } begun { sub(/^# ?/, ""); print } /^#$/ { begun = 1 }' "${help_file:-$0}")
for help_argument in "$@"; do
  case "$help_argument" in -h | --help) echo "$help_text"; exit ;; esac
done
