# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Forward-mode derivatives of functions of NumPy arrays.

A `DualArray` is an array of values with, for each variable c that it depends
on, an array of derivatives d value / d x_c of the same shape. NumPy's
functions take dual arrays like arrays (`__array_ufunc__`,
`__array_function__`). Only the columns c that can differ from zero are stored,
so that code which uses a few coordinates at a time pays for these alone.

The rules of differentiation are those of any textbook of calculus. For the
forward mode see Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from . import functions, linear_algebra, sampling, ufuncs  # They fill the tables of rules.
from .dual_array import DualArray
from .variables import jacobian, variables

__all__ = ["DualArray", "jacobian", "variables"]
