#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Draws docs/pictures/report.png: the upper part of the report that scripts/demo.sh writes. For developers; needs Chromium and
# pngquant (apt-get install chromium pngquant). Usage: docs/tools/draw_report_picture.sh
set -euo pipefail
source "$(dirname "$0")/../../scripts/help.sh"
cd "$(dirname "$0")/../.."

scripts/demo.sh
picture=docs/pictures/report.png
chromium --headless=new --no-sandbox --hide-scrollbars --blink-settings=preferredColorScheme=1 --virtual-time-budget=3000 \
  --force-device-scale-factor=0.75 --window-size=1200,1750 --screenshot="$picture" "file://$PWD/build/demo/report.html"
pngquant --force --output "$picture" 48 "$picture"
