# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Blocks that an update eliminates anew, beside all blocks of the problem, from docs/snippets/incremental.out."""

import re

from _style import pyplot, read_output, save

rows = [tuple(map(int, match.groups())) for line in read_output("incremental")
        if (match := re.match(r"pose (\d+): (\d+) of (\d+) blocks", line))]
poses, anew, blocks = zip(*rows)

figure, axes = pyplot.subplots(figsize=(7, 2.8))
axes.bar(poses, blocks, width=30, color="0.85", label="a batch solve eliminates all blocks")
axes.bar(poses, anew, width=30, label="the update eliminates these")
axes.set(xlabel="pose", ylabel="blocks", xticks=poses)
axes.legend(fontsize=8)
save(figure, __file__)
