# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Finds the x for which the residual 10 - x is smallest."""

import vesta

result = vesta.least_squares(lambda x: 10.0 - x, [0.5])
print(result.x, result.success)
