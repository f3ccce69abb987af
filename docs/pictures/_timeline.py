# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Schematic timelines: what each thread does when. Times are chosen for the picture, not measured."""

import _style


def draw(threads, bars, arrows=(), title="", figsize=(7, 2.6)):
    """bars: (thread, begin, end, text, color). arrows: (from thread, time, to thread, time, text)."""
    figure, axes = _style.pyplot.subplots(figsize=figsize)
    for thread, begin, end, text, color in bars:
        y = len(threads) - 1 - threads.index(thread)
        axes.barh(y, end - begin, left=begin, height=0.62, color=color, edgecolor="white")
        axes.text((begin + end) / 2, y, text, ha="center", va="center", color="white", fontsize=8.5)
    for source, begin, target, end, text in arrows:
        y = [len(threads) - 1 - threads.index(thread) for thread in (source, target)]
        axes.annotate("", (end, y[1]), (begin, y[0]), arrowprops={"arrowstyle": "->", "color": "#444444"})
        axes.text((begin + end) / 2 + 0.08, (y[0] + y[1]) / 2, text, fontsize=8, color="#444444", va="center")
    axes.set_yticks(range(len(threads)), list(reversed(threads)))
    axes.set_xticks([])
    axes.set_xlabel("time")
    axes.grid(visible=False)
    axes.set_title(title, fontsize=10, loc="left")
    return figure
