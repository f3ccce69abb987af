# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A loop within a loop: the worker that has no more indices of the outer loop joins the inner one."""

import _style
import _timeline

OUTER, INNER = _style.COLORS[0], _style.COLORS[2]
_style.save(_timeline.draw(
    ["caller", "worker 1", "worker 2"],
    [("caller", 0, 2, "outer 0, 1", OUTER), ("caller", 2, 3, "outer 2", OUTER), ("caller", 3, 6, "inner 0 .. 99", INNER),
     ("caller", 6, 7, "outer 2", OUTER),
     ("worker 1", 0.3, 3.3, "outer 3, 4", OUTER), ("worker 1", 3.5, 6, "inner 100 .. 179", INNER),
     ("worker 2", 0.3, 4.0, "outer 5", OUTER), ("worker 2", 4.2, 6, "inner 180 .. 239", INNER)],
    [("caller", 3.0, "worker 1", 3.5, ""), ("caller", 3.0, "worker 2", 4.2, "")],
    "ParallelFor within the body of ParallelFor"), __file__)
