# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The map of docs/snippets/relaxation_map.out."""

import numpy as np
from _style import pyplot, read_output, save

rows = [[float(value) for value in line.split()] for line in read_output("relaxation_map")[1:]]
values = np.array(rows)
figure, axes = pyplot.subplots()
image = axes.imshow(np.ma.masked_equal(values, 0.0), vmin=30, vmax=150)
axes.grid(False)
axes.set(xlabel="column", ylabel="row")
figure.colorbar(image, label="T2 in ms")
save(figure, __file__)
