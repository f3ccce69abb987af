# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Rays of the images, seen from above, from docs/snippets/triangulation.out."""

import math

from _style import pyplot, read_output, save

# The cameras of the program: i = -2 to 2, turned by 0.1 i about y, at 0.5 i metres, 800 pixels focal length.
FOCAL_LENGTH = 800.0
lines = read_output("triangulation")
truth, estimate = ([float(line.split()[k]) for line in lines[1:4]] for k in (1, 2))
errors = [float(line.split()[2]) for line in lines if line.startswith("camera")]

figure, axes = pyplot.subplots()
for index, error in enumerate(errors):
    i = index - 2
    cosine, sine = math.cos(0.1 * i), math.sin(0.1 * i)

    def to_world(x, z):
        """Camera to world: R^T (p - t), with t = (-0.5 i, 0, 0)."""
        x += 0.5 * i
        return cosine * x - sine * z, sine * x + cosine * z

    px = cosine * estimate[0] + sine * estimate[2] - 0.5 * i
    pz = -sine * estimate[0] + cosine * estimate[2]
    slope = px / pz + error / FOCAL_LENGTH
    start, end = to_world(0, 0), to_world(8 * slope, 8)
    is_wrong = abs(error) > 10
    axes.plot(*zip(start, end), color="#d55e00" if is_wrong else "#0072b2", linewidth=1)
    axes.plot(*start, "ks", markersize=4)
axes.plot(truth[0], truth[2], "o", color="#009e73", label="true point")
axes.plot(estimate[0], estimate[2], "x", color="black", label="estimate")
axes.set(xlabel="x in metres", ylabel="z in metres", ylim=(-0.5, 8))
axes.legend()
save(figure, __file__)
