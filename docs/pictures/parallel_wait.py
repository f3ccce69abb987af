# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A task waits for a future: its thread runs other tasks meanwhile, so a wait keeps no thread from work."""

import _style
import _timeline

TASK, OTHER = _style.COLORS[0], _style.COLORS[4]
_style.save(_timeline.draw(
    ["worker 1", "worker 2"],
    [("worker 1", 0, 2, "task A", TASK), ("worker 1", 2, 3.4, "task C", OTHER), ("worker 1", 3.4, 4.6, "task D", OTHER),
     ("worker 1", 4.6, 6.5, "task A goes on", TASK), ("worker 2", 0.8, 4.4, "task B", _style.COLORS[2])],
    [("worker 1", 0.5, "worker 2", 0.8, "Async"), ("worker 2", 4.4, "worker 1", 4.6, "result")],
    "Task A calls future.get() for the result of B", figsize=(7, 2.1)), __file__)
