// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Bundle adjustment of COLMAP models.

#ifndef VESTA_EXAMPLES_COLMAP_PROBLEM_H_
#define VESTA_EXAMPLES_COLMAP_PROBLEM_H_

#include "ceres/io/colmap.h"
#include "ceres/loss_function.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem.h"

namespace ceres::examples {

// Adds a residual block for each view of a point, projection minus key point in
// pixels, on the model in place: it must outlive the problem. Parameter blocks
// are world_to_camera (7) of images, positions of points (3), and parameters of
// cameras, whose principal points are held, as COLMAP does by default. The
// problem takes the loss function over; null: squares.
void BuildColmapProblem(LossFunction* loss, io::ColmapModel* model,
                        Problem* problem);

// Points are eliminated first.
void OrderColmapBlocks(io::ColmapModel* model,
                       ParameterBlockOrdering* ordering);

// Sets the errors of points to their mean distances from key points in pixels.
void UpdateColmapErrors(io::ColmapModel* model);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_COLMAP_PROBLEM_H_
