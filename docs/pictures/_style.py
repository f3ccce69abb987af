# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What all pictures share: colours, sizes, and output with the same bytes on every run."""

import pathlib

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402  (after the choice of the output)

FOLDER = pathlib.Path(__file__).resolve().parent
SNIPPETS = FOLDER.parent / "snippets"

# Distinguishable for readers who see few colours (Okabe and Ito 2008).
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]

pyplot.rcParams.update({
    "axes.prop_cycle": matplotlib.cycler(color=COLORS),
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "figure.figsize": (7, 3.2),
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "vesta",
})


def read_output(name):
    """The lines of docs/snippets/NAME.out."""
    return (SNIPPETS / f"{name}.out").read_text(encoding="utf-8").splitlines()


def save(figure, script):
    """Writes the figure beside the script, as NAME.svg. Usage: save(figure, __file__)"""
    figure.savefig(pathlib.Path(script).with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
