// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled, not run: a program that counts on the headers to include glog's, as
// those of Ceres 2.2 do. Our own sources are compiled with VESTA_NO_GLOG.

#undef VESTA_NO_GLOG
#include "ceres/rotation.h"

#if CERES_VERSION_MINOR == 2
void CheckRotation(const double* angle_axis) {
  CHECK(angle_axis != nullptr) << "no rotation";
  CHECK_NOTNULL(angle_axis);
  double matrix[9];
  ceres::AngleAxisToRotationMatrix(angle_axis, matrix);
  DCHECK_GE(matrix[0], -1.0);
  LOG_IF(WARNING, matrix[0] < 0.0) << matrix[0];
  VLOG(2) << "rotated";
}
#elif defined(CHECK) || defined(LOG)
#error "ceres/rotation.h includes glog's headers, which those of 2.3 do not."
#endif
