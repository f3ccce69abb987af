# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A task graph: a node runs when all nodes before it have run, on any thread."""

import _style
import _timeline

COLORS = _style.COLORS
_style.save(_timeline.draw(
    ["caller", "worker 1"],
    [("caller", 0, 1.4, "read", COLORS[0]), ("caller", 1.4, 4.0, "left", COLORS[2]), ("caller", 4.2, 6.0, "join", COLORS[1]),
     ("worker 1", 1.6, 3.4, "right", COLORS[2]), ("worker 1", 3.4, 5.2, "log", COLORS[4])],
    [("caller", 1.4, "worker 1", 1.6, ""), ("worker 1", 3.4, "caller", 4.2, "")],
    "read before left, right; both before join; log after right", figsize=(7, 2.1)), __file__)
