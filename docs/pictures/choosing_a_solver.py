# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Times of linear solvers, from the table of docs/solving/choosing_a_solver.md."""

import re

from _style import FOLDER, pyplot, save

page = (FOLDER.parent / "solving" / "choosing_a_solver.md").read_text(encoding="utf-8")
table = re.search(r"\| `--linear_solver` .*?\n\n", page, re.S)[0].strip().splitlines()
scenes = [cell.strip() for cell in table[0].strip("|").split("|")[2:]]
rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table[2:]]
names = [f"{solver.upper()}\n{preconditioner.upper()}" if preconditioner else solver.upper() for solver, preconditioner, *_ in rows]

figure, axes = pyplot.subplots(figsize=(7, 4.6))
for k, scene in enumerate(scenes):
    axes.barh([i + 0.27 * (k - 1) for i in range(len(rows))], [float(row[2 + k]) for row in rows], height=0.25, label=scene)
axes.axvline(1, color="black", linewidth=0.8)
axes.set(yticks=range(len(names)), xlabel="time, relative to SPARSE_SCHUR", xscale="log", xticks=[0.5, 1, 2, 5, 10],
         xticklabels=["0.5", "1", "2", "5", "10"])
axes.set_yticklabels(names, fontsize=7)
axes.minorticks_off()
axes.invert_yaxis()
axes.grid(axis="y", visible=False)
axes.legend(fontsize=8)
save(figure, __file__)
