// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_SEGMENTS_H_
#define CERES_INTERNAL_KERNELS_FRONT_SEGMENTS_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/front_layout.h"

namespace ceres::internal::kernels {

// A segment: consecutive rows of a child's update matrix, within one panel,
// that go to ascending rows of one panel of the parent's front. One permutation
// of lanes moves a column of a segment.
struct FrontSegment {
  int first_row;  // of the child's update matrix
  int16_t length;
  uint16_t lanes;  // bit mask of the lanes of the parent's panel
  // By lane of the parent's panel that is in the mask: the lane of the child's
  // panel. Arbitrary for other lanes.
  uint8_t source[16];
};

// Appends the segments of n rows. position: as in FrontMap.
template <typename T>
void AppendFrontSegments(const int* position, int n, int parent_width,
                         std::vector<FrontSegment>* segments) {
  constexpr int h = kFrontPanel<T>;
  int last_panel = -1;
  for (int i = 0; i < n; ++i) {
    const int p = position[i];
    const bool is_pivot = p < parent_width;
    const int row = is_pivot ? p : p - parent_width;
    const int panel =
        row / h + (is_pivot ? 0 : NumFrontPanels<T>(parent_width));
    if (i % h == 0 || panel != last_panel) {
      FrontSegment& next = segments->emplace_back();
      next = {};
      next.first_row = i;
    }
    last_panel = panel;
    FrontSegment& s = segments->back();
    ++s.length;
    s.lanes = static_cast<uint16_t>(s.lanes | 1u << row % h);
    s.source[row % h] = static_cast<uint8_t>(i % h);
  }
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_SEGMENTS_H_
