#!/usr/bin/env bash
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
#
# Prints the first three results of the built site's search for each word. For developers; needs Chromium.
# Usage: docs/tools/search_trial.sh WORD...
set -euo pipefail
source "$(dirname "$0")/../../scripts/help.sh"
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] || { echo "$help_text" >&2; exit 2; }
browser=$(command -v chromium || command -v google-chrome) || { echo "There is no Chromium." >&2; exit 1; }
for word in "$@"; do
  query=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1]))' "$word")
  results=$("$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=8000 --dump-dom \
    "file://$PWD/build/docs/html/search.html?q=$query" 2>/dev/null |
    python3 -c 'import re, sys
items = re.findall(r"<li[^>]*>\s*<a href=\"([^\"]*)\"[^>]*>(.*?)</a>", sys.stdin.read().split("id=\"search-results\"")[-1], re.S)
print(" | ".join(re.sub(r"<[^>]*>|\?highlight=[^ ]*", "", text) + " (" + link.split("?")[0] + ")" for link, text in items[:3]))')
  echo "$word: $results"
done
