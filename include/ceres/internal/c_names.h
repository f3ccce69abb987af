// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_C_NAMES_H_
#define CERES_PUBLIC_INTERNAL_C_NAMES_H_

// C has no namespaces. In a build with the inline namespace v, the symbol of
// the C function ceres_f is ceres_f_v. Programs write ceres_f in any case.

#include "ceres/internal/config.h"

#ifdef VESTA_INLINE_NAMESPACE

#define VESTA_PASTE(name, suffix) name##_##suffix
#define VESTA_PASTE_EXPANDED(name, suffix) VESTA_PASTE(name, suffix)
#define VESTA_C_NAME(name) VESTA_PASTE_EXPANDED(name, VESTA_INLINE_NAMESPACE)

#define ceres_init VESTA_C_NAME(ceres_init)
#define ceres_create_huber_loss_function_data \
  VESTA_C_NAME(ceres_create_huber_loss_function_data)
#define ceres_create_softl1_loss_function_data \
  VESTA_C_NAME(ceres_create_softl1_loss_function_data)
#define ceres_create_cauchy_loss_function_data \
  VESTA_C_NAME(ceres_create_cauchy_loss_function_data)
#define ceres_create_arctan_loss_function_data \
  VESTA_C_NAME(ceres_create_arctan_loss_function_data)
#define ceres_create_tolerant_loss_function_data \
  VESTA_C_NAME(ceres_create_tolerant_loss_function_data)
#define ceres_free_stock_loss_function_data \
  VESTA_C_NAME(ceres_free_stock_loss_function_data)
#define ceres_stock_loss_function VESTA_C_NAME(ceres_stock_loss_function)
#define ceres_problem_s VESTA_C_NAME(ceres_problem_s)
#define ceres_residual_block_id_s VESTA_C_NAME(ceres_residual_block_id_s)
#define ceres_create_problem VESTA_C_NAME(ceres_create_problem)
#define ceres_free_problem VESTA_C_NAME(ceres_free_problem)
#define ceres_problem_add_residual_block \
  VESTA_C_NAME(ceres_problem_add_residual_block)
#define ceres_solve VESTA_C_NAME(ceres_solve)

#endif  // VESTA_INLINE_NAMESPACE

#endif  // CERES_PUBLIC_INTERNAL_C_NAMES_H_
