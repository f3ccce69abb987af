// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_GAUGE_H_
#define CERES_INTERNAL_DIAGNOSIS_GAUGE_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/diagnosis/tall_matrices.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/manifold.h"

namespace ceres::internal {

// A column block, for the readings of its values.
struct MovableBlock {
  const double* values;
  int size;
  const Manifold* manifold;  // Null: tangent coordinates are the values.
};

enum class GaugeKind { kTranslation, kRotation, kScale };

// A motion of all things in space that the residuals do not notice.
struct GaugeMotion {
  GaugeKind kind;
  Eigen::VectorXd direction;  // In tangent coordinates.
};

struct Gauge {
  // 1: of a line, 2: of the plane, 3: of space, 0: there is no motion.
  int dimension = 0;
  std::vector<GaugeMotion> motions;
  // J D^-1 (D direction), a column for each motion, is products coefficients.
  RowMajorMatrix products;
  Eigen::MatrixXd coefficients;
};

// Finds the similarities of space, or of the plane, to which the residuals are
// blind: translations, rotations and scale, to first order. No reading of the
// blocks is known. So all combinations of the usual ones (motion_readings.h),
// one for each kind of block, are tried on some rows; a combination counts only
// if J g = 0 holds for the motions g on all rows. So a wrong reading can hide a
// gauge, but cannot invent one.
//
// jacobian: J D^-1, D = diag(column_scale); the residuals in it are ignored.
Gauge FindGauge(const Execution& execution, const BlockJacobian& jacobian,
                const CellsByColumn& cells, const double* column_scale,
                const std::vector<MovableBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_GAUGE_H_
