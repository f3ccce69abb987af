// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_NULL_SPACE_H_
#define CERES_INTERNAL_DIAGNOSIS_NULL_SPACE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/diagnosis/gauge.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// A vector with few entries: (column, value) by columns of the whole Jacobian,
// ascending, in scaled coordinates. The largest |value| is 1.
using SparseVector = std::vector<std::pair<int, double>>;

struct NullVector {
  SparseVector entries;
  // Set if the vector is a motion of space.
  std::optional<GaugeKind> gauge;
};

struct WeakVector {
  double ratio;
  SparseVector entries;
};

// The directions of a part that its rows leave undetermined, or nearly so.
struct NullSpace {
  // A basis of the null space: directions of single column blocks, motions of
  // space, and others, whose entries are few.
  std::vector<NullVector> null_vectors;
  // Orthonormal; ratios ascend.
  std::vector<WeakVector> weak;
  // Singular values divided by the largest one: the largest of a null vector,
  // and the smallest of other directions, or 1.
  double largest_null_ratio = 0.0;
  double smallest_ratio = 1.0;
  // False: no gap tells null vectors and weak ones apart.
  bool has_gap = true;
  // False: there are more null or weak vectors than were looked for.
  bool is_complete = true;
  // Columns of the whole, one for each null vector that is not of a single
  // column block: without them J has the same range and no such null vector.
  std::vector<int> pivots;
  // The dimension of the space that the gauge motions move: 1, 2 or 3. 0 if
  // there are no gauge motions.
  int gauge_dimension = 0;
};

// The number of values that are null, of ascending singular values divided by
// the largest one. Rounding errors of the Jacobian and of its decomposition are
// some eps. Values well below 1e-14 are null, those above 1e-13 are not;
// between, the widest gap decides. has_gap: whether it is wide.
int CountNullValues(const std::vector<double>& ratios, bool* has_gap);

// part: with scaled columns. column_norms, blocks: of the whole. Throws
// Stopped. Returns false, with a message, if memory is lacking.
[[nodiscard]] bool FindNullSpace(const Execution& execution,
                                 const JacobianPart& part,
                                 const std::vector<double>& column_norms,
                                 const std::vector<MovableBlock>& blocks,
                                 double weak_ratio, NullSpace* result,
                                 std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_NULL_SPACE_H_
