// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/batch_kernels.h"

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/lanes/batch_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After these, once per instruction set.
#include "ceres/kernels/lane_transposes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using kernels::HWY_NAMESPACE::kPanelLanes;
using kernels::HWY_NAMESPACE::PanelTag;
using kernels::HWY_NAMESPACE::PanelVec;
using kernels::HWY_NAMESPACE::TransposeLanes;

static_assert(kLanes % kPanelLanes == 0, "");

// Tiles of kPanelLanes numbers and lanes are transposed in registers, the rest
// in pairs. The first functions return how many numbers they have moved.

HWY_INLINE int GatherTiles(const LanePointers& from, int size,
                           std::ptrdiff_t stride, double* HWY_RESTRICT to) {
  const PanelTag d;
  int i = 0;
  for (; i + kPanelLanes <= size; i += kPanelLanes) {
    for (int lane = 0; lane < kLanes; lane += kPanelLanes) {
      PanelVec tile[kPanelLanes];
      for (int k = 0; k < kPanelLanes; ++k) {
        tile[k] = hn::LoadU(d, from[lane + k] + i);
      }
      TransposeLanes(tile);
      for (int k = 0; k < kPanelLanes; ++k) {
        hn::Store(tile[k], d, to + (i + k) * stride + lane);
      }
    }
  }
  return i;
}

HWY_INLINE int ScatterTiles(const double* const* HWY_RESTRICT rows, int size,
                            const LaneTargets& to) {
  const PanelTag d;
  int i = 0;
  for (; i + kPanelLanes <= size; i += kPanelLanes) {
    for (int lane = 0; lane < kLanes; lane += kPanelLanes) {
      PanelVec tile[kPanelLanes];
      for (int k = 0; k < kPanelLanes; ++k) {
        tile[k] = hn::Load(d, rows[i + k] + lane);
      }
      TransposeLanes(tile);
      for (int k = 0; k < kPanelLanes; ++k) {
        hn::StoreU(tile[k], d, to[lane + k] + i);
      }
    }
  }
  return i;
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE int GatherPairs(const LanePointers&, int first, int, std::ptrdiff_t,
                           double*) {
  return first;
}
HWY_INLINE int ScatterPairs(const double* const*, int first, int,
                            const LaneTargets&) {
  return first;
}

#else

HWY_INLINE int GatherPairs(const LanePointers& from, int first, int size,
                           std::ptrdiff_t stride, double* HWY_RESTRICT to) {
  const hn::FixedTag<double, 2> d;
  int i = first;
  for (; i + 2 <= size; i += 2) {
    for (int lane = 0; lane < kLanes; lane += 2) {
      const auto a = hn::LoadU(d, from[lane] + i);
      const auto b = hn::LoadU(d, from[lane + 1] + i);
      double* const target = to + i * stride + lane;
      hn::Store(hn::InterleaveLower(d, a, b), d, target);
      hn::Store(hn::InterleaveUpper(d, a, b), d, target + stride);
    }
  }
  return i;
}

HWY_INLINE int ScatterPairs(const double* const* HWY_RESTRICT rows, int first,
                            int size, const LaneTargets& to) {
  const hn::FixedTag<double, 2> d;
  int i = first;
  for (; i + 2 <= size; i += 2) {
    for (int lane = 0; lane < kLanes; lane += 2) {
      const auto a = hn::Load(d, rows[i] + lane);
      const auto b = hn::Load(d, rows[i + 1] + lane);
      hn::StoreU(hn::InterleaveLower(d, a, b), d, to[lane] + i);
      hn::StoreU(hn::InterleaveUpper(d, a, b), d, to[lane + 1] + i);
    }
  }
  return i;
}

#endif

void GatherInLanes(const LanePointers& from, int size, std::ptrdiff_t stride,
                   double* HWY_RESTRICT to) {
  const int tiles_end = GatherTiles(from, size, stride, to);
  for (int i = GatherPairs(from, tiles_end, size, stride, to); i < size; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      to[i * stride + lane] = from[lane][i];
    }
  }
}

HWY_INLINE void AddZeros(const double* const* HWY_RESTRICT rows, int size,
                         double* HWY_RESTRICT zeros) {
  const PanelTag d;
  for (int lane = 0; lane < kLanes; lane += kPanelLanes) {
    // Two sums: one would wait for each addition.
    PanelVec even = hn::Load(d, zeros + lane), odd = hn::Zero(d);
    int i = 0;
    for (; i + 2 <= size; i += 2) {
      even = hn::MulAdd(hn::Load(d, rows[i] + lane), hn::Zero(d), even);
      odd = hn::MulAdd(hn::Load(d, rows[i + 1] + lane), hn::Zero(d), odd);
    }
    if (i < size) {
      even = hn::MulAdd(hn::Load(d, rows[i] + lane), hn::Zero(d), even);
    }
    hn::Store(hn::Add(even, odd), d, zeros + lane);
  }
}

void ScatterInLanes(const ResultRow* HWY_RESTRICT results, int size,
                    const double* memory, int sample, const LaneTargets& to,
                    double* HWY_RESTRICT zeros) {
  constexpr int kChunk = 64;
  LaneTargets targets = to;
  for (int first = 0; first < size; first += kChunk) {
    const int count = size - first < kChunk ? size - first : kChunk;
    const double* rows[kChunk];
    for (int i = 0; i < count; ++i) {
      const ResultRow& result = results[first + i];
      rows[i] = memory + result.offset +
                static_cast<std::ptrdiff_t>(sample) * result.stride;
    }
    AddZeros(rows, count, zeros);
    const int tiles_end = ScatterTiles(rows, count, targets);
    for (int i = ScatterPairs(rows, tiles_end, count, targets); i < count;
         ++i) {
      for (int lane = 0; lane < kLanes; ++lane) {
        targets[lane][i] = rows[i][lane];
      }
    }
    for (double*& target : targets) target += count;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::lanes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::lanes {

HWY_EXPORT(GatherInLanes);
HWY_EXPORT(ScatterInLanes);

void GatherLanes(const LanePointers& from, int size, std::ptrdiff_t stride,
                 double* to) {
  HWY_DYNAMIC_DISPATCH(GatherInLanes)(from, size, stride, to);
}

void ScatterLanes(const ResultRow* results, int size, const double* memory,
                  int sample, const LaneTargets& to, double* zeros) {
  HWY_DYNAMIC_DISPATCH(ScatterInLanes)
  (results, size, memory, sample, to, zeros);
}

}  // namespace ceres::internal::lanes
#endif  // HWY_ONCE
