# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Distance after each round, from docs/snippets/point_to_plane_icp.out."""

from _style import pyplot, read_output, save

rows = [line.split() for line in read_output("point_to_plane_icp") if line.split()[0].isdigit()]
figure, axes = pyplot.subplots()
axes.semilogy([int(row[0]) for row in rows], [float(row[2]) for row in rows], "o-")
axes.axhline(2.0, linestyle="--", color="grey")
axes.set(xlabel="round", ylabel="rms distance in mm", xticks=range(len(rows)))
save(figure, __file__)
