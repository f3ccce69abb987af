// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_C_API_H_
#define CERES_PUBLIC_C_API_H_

// Nonlinear least squares from C: minimizes over x
//
//   1/2 sum_i rho_i(|f_i(x_i1, x_i2, ...)|^2)
//
// with functions f_i and rho_i that are C callbacks. A deliberately small part
// of the C++ interface; see ceres/problem.h for what it means in full. Link
// with the C++ linker.
//
// Mistakes in calls (null where a value is needed, sizes that are not positive)
// abort the process with a message, as in C++.
//
// Thread safety: a problem is used by one thread at a time. Callbacks are
// called by the thread that calls ceres_solve.

#include "ceres/internal/c_names.h"
#include "ceres/internal/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does nothing: there is nothing to prepare. glog, if the library uses it,
// belongs to the program, and writes to stderr until the program initializes
// it.
CERES_EXPORT void ceres_init(void);

// Computes the residuals of one residual block and, where they are asked for,
// their derivatives.
//
//   user_data     as given when the residual block was added
//   parameters    the values of the parameter blocks, an array for each; not to
//                 be written to
//   residuals     num_residuals values to write
//   jacobians     null, or an array for each parameter block, itself null for a
//                 block that is not asked for: num_residuals rows of the
//                 block's size, row-major, to write;
//                 jacobians[i][r * parameter_block_sizes[i] + c] is the
//                 derivative of residual r by coordinate c of block i
//
// Returns 0 if the residuals cannot be computed at these parameters: the solver
// then tries others, or fails if they are the initial ones. Else nonzero.
typedef int (*ceres_cost_function_t)(void* user_data, double** parameters,
                                     double* residuals, double** jacobians);

// Writes out = {rho(s), rho'(s), rho''(s)} at s = squared_norm >= 0.
typedef void (*ceres_loss_function_t)(void* user_data, double squared_norm,
                                      double out[3]);

// The loss functions of ceres/loss_function.h, which says what they compute:
// make the data with one of these, give it to
// ceres_problem_add_residual_block together with ceres_stock_loss_function, and
// free it when the problem is gone. It may serve many residual blocks.
CERES_EXPORT void* ceres_create_huber_loss_function_data(double a);
CERES_EXPORT void* ceres_create_softl1_loss_function_data(double a);
CERES_EXPORT void* ceres_create_cauchy_loss_function_data(double a);
CERES_EXPORT void* ceres_create_arctan_loss_function_data(double a);
CERES_EXPORT void* ceres_create_tolerant_loss_function_data(double a, double b);

// Null is ignored.
CERES_EXPORT void ceres_free_stock_loss_function_data(void* loss_function_data);

// A ceres_loss_function_t whose user data is one of the above.
CERES_EXPORT void ceres_stock_loss_function(void* user_data,
                                            double squared_norm, double out[3]);

// A problem and, within it, a residual block.
struct ceres_problem_s;
typedef struct ceres_problem_s ceres_problem_t;
struct ceres_residual_block_id_s;
typedef struct ceres_residual_block_id_s ceres_residual_block_id_t;

// Makes a problem without residual blocks, to be given to ceres_free_problem.
CERES_EXPORT ceres_problem_t* ceres_create_problem(void);

// Null is ignored.
CERES_EXPORT void ceres_free_problem(ceres_problem_t* problem);

// Adds a residual block of num_residuals residuals that depend on
// num_parameter_blocks parameter blocks. parameters[i] is the address of the
// i-th, of parameter_block_sizes[i] values; it holds the initial value and,
// once solved, the solution. The same address is the same block, also between
// calls.
//
// loss_function may be null: rho(s) = s.
//
// Both arrays are copied. The caller keeps the parameter blocks and the data of
// both functions; they must exist as long as the problem. The result belongs to
// the problem.
CERES_EXPORT ceres_residual_block_id_t* ceres_problem_add_residual_block(
    ceres_problem_t* problem, ceres_cost_function_t cost_function,
    void* cost_function_data, ceres_loss_function_t loss_function,
    void* loss_function_data, int num_residuals, int num_parameter_blocks,
    int* parameter_block_sizes, double** parameters);

// Minimizes with at most 100 iterations of Levenberg-Marquardt, DENSE_QR and
// one thread. Prints the progress and a full report to standard output. If the
// solve fails, the parameters keep their initial values.
CERES_EXPORT void ceres_solve(ceres_problem_t* problem);

#ifdef __cplusplus
}
#endif

#endif  // CERES_PUBLIC_C_API_H_
