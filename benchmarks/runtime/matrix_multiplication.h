// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_MATRIX_MULTIPLICATION_H_
#define VESTA_BENCHMARKS_RUNTIME_MATRIX_MULTIPLICATION_H_

#include "bars.h"

// C = A B as a task graph: a task for each row of A, B and C that fills it, and
// after all of them a task for each row of C that computes it.

namespace vesta_benchmarks {

void RegisterMatrixMultiplication();
void JudgeMatrixMultiplication(BarTable& table);

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_MATRIX_MULTIPLICATION_H_
