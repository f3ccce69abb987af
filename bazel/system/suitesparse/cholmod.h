// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The header of the system's SuiteSparse, which distributions put in a folder.
#include <suitesparse/cholmod.h>
