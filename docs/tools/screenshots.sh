#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Takes pictures of pages of the built site, as wide as a desktop and as a phone, into build/docs/screenshots. For developers;
# needs Chromium (apt-get install chromium). Usage: docs/tools/screenshots.sh PAGE...   for example parallel/start
# HEIGHT is the height in pixels (2400).
set -euo pipefail
source "$(dirname "$0")/../../scripts/help.sh"
cd "$(dirname "$0")/../.."

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "There is no Chromium. Install it: apt-get install chromium" >&2; exit 1; }
[ $# -ge 1 ] || { echo "$help_text" >&2; exit 2; }
out=build/docs/screenshots
mkdir -p "$out"
for page in "$@"; do
  html=$PWD/build/docs/html/$page.html
  [ -f "$html" ] || { echo "There is no $html. Build the site: scripts/docs.sh" >&2; exit 1; }
  for width in 1440 390; do
    picture=$out/${page//\//-}-$width.png
    # A window is at least 500 pixels wide. A frame has the width that it is given.
    frame=$(mktemp --suffix .html)
    printf '<body style="margin:0"><iframe src="file://%s" style="border:0;width:%dpx;height:%dpx"></iframe>' \
      "$html" "$width" "${HEIGHT:-2400}" > "$frame"
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
      --virtual-time-budget=5000 --window-size="$((width < 500 ? 500 : width)),${HEIGHT:-2400}" \
      --screenshot="$picture" "file://$frame" > /dev/null 2>&1
    rm -f "$frame"
    # What is beside the frame.
    build/docs/venv/bin/python -c 'import sys; from PIL import Image
path, width = sys.argv[1], int(sys.argv[2])
picture = Image.open(path); picture.crop((0, 0, width, picture.height)).save(path)' "$picture" "$width"
    echo "$picture"
  done
done
