#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Sets help_text to the comment at the head of the script that sources this file, or of $help_file: from the line behind the
# licence to the last line of the comment. Source it before the script leaves its working directory:
# source "$(dirname "$0")/help.sh"
help_text=$(awk '!/^#/ { exit } begun { sub(/^# ?/, ""); print } /^#$/ { begun = 1 }' "${help_file:-$0}")
