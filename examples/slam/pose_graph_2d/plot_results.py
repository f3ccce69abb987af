#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws what pose_graph_2d writes: plot_results.py [poses_original.txt] [poses_optimized.txt]"""

import sys

import matplotlib.pyplot as plt
import numpy as np

paths = sys.argv[1:3] if len(sys.argv) >= 3 else ["poses_original.txt", "poses_optimized.txt"]
figure, axes = plt.subplots(1, 2, sharex=True, sharey=True)
for path, title, ax in zip(paths, ["Original", "Optimized"], axes):
    # Lines "id x y yaw".
    poses = np.loadtxt(path, ndmin=2)
    ax.plot(poses[:, 1], poses[:, 2], linewidth=0.5)
    ax.set_title(title)
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
plt.show()
