#!/usr/bin/env python3
# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Draws what pose_graph_3d writes: plot_results.py [poses_original.txt] [poses_optimized.txt]"""

import sys

import matplotlib.pyplot as plt
import numpy as np

paths = sys.argv[1:3] if len(sys.argv) >= 3 else ["poses_original.txt", "poses_optimized.txt"]
figure = plt.figure()
for i, (path, title) in enumerate(zip(paths, ["Original", "Optimized"])):
    # Lines "id x y z qx qy qz qw".
    poses = np.loadtxt(path, ndmin=2)
    ax = figure.add_subplot(1, 2, i + 1, projection="3d")
    ax.plot(poses[:, 1], poses[:, 2], poses[:, 3], linewidth=0.5)
    ax.set_title(title)
    ax.set_box_aspect(np.maximum(np.ptp(poses[:, 1:4], axis=0), 1e-3))
plt.show()
