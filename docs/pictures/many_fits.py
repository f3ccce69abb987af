# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""How FitMany puts eight fits at a time into the lanes of a register."""

from _style import COLORS, pyplot, save

FITS, SAMPLES, LANES = 24, 6, 8

figure, axes = pyplot.subplots(figsize=(7, 2.4))
for fit in range(FITS):
    for sample in range(SAMPLES):
        color = COLORS[fit // LANES]
        axes.add_patch(pyplot.Rectangle((fit + 0.08, sample + 0.08), 0.84, 0.84, color=color, alpha=0.3))
axes.add_patch(pyplot.Rectangle((0, 2), LANES, 1, fill=False, color=COLORS[1], linewidth=2.5))
axes.text(LANES / 2, 2.5, "one instruction", ha="center", va="center", color=COLORS[6])
for group in range(FITS // LANES):
    axes.text(LANES * (group + 0.5), -0.35, f"fits {LANES * group} to {LANES * group + LANES - 1}", ha="center", fontsize=9)
axes.text(-0.3, SAMPLES / 2, "samples", rotation=90, ha="right", va="center")
axes.set(xlim=(-1.2, FITS + 0.2), ylim=(SAMPLES + 0.1, -1))
axes.axis("off")
save(figure, __file__)
