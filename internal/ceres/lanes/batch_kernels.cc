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

// Tiles of kPanelLanes numbers and rows are transposed in registers. What is
// left is moved in pairs. All functions begin with number `first` and return
// the first one that they have not moved.
using Targets = double* const*;
using Sources = const double* const*;

// Results of a sample: number i is at sample + places[i].
struct Results {
  const double* sample;
  const std::uint32_t* places;

  HWY_INLINE const double* At(int i) const { return sample + places[i]; }
};

HWY_INLINE int GatherTiles(Sources from, int size, double* HWY_RESTRICT to) {
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
        hn::Store(tile[k], d, to + (i + k) * kNumberStride + lane);
      }
    }
  }
  return i;
}

HWY_INLINE int ScatterTiles(const Results& results, int size, Targets to) {
  const PanelTag d;
  int i = 0;
  for (; i + kPanelLanes <= size; i += kPanelLanes) {
    for (int lane = 0; lane < kLanes; lane += kPanelLanes) {
      PanelVec tile[kPanelLanes];
      for (int k = 0; k < kPanelLanes; ++k) {
        tile[k] = hn::Load(d, results.At(i + k) + lane);
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

HWY_INLINE int GatherPairs(Sources, int first, int, double*) { return first; }
HWY_INLINE int ScatterPairs(const Results&, int first, int, Targets) {
  return first;
}

#else

HWY_INLINE int GatherPairs(Sources from, int first, int size,
                           double* HWY_RESTRICT to) {
  const hn::FixedTag<double, 2> d;
  int i = first;
  for (; i + 2 <= size; i += 2) {
    for (int lane = 0; lane < kLanes; lane += 2) {
      const auto a = hn::LoadU(d, from[lane] + i);
      const auto b = hn::LoadU(d, from[lane + 1] + i);
      double* const target = to + i * kNumberStride + lane;
      hn::Store(hn::InterleaveLower(d, a, b), d, target);
      hn::Store(hn::InterleaveUpper(d, a, b), d, target + kNumberStride);
    }
  }
  return i;
}

HWY_INLINE int ScatterPairs(const Results& results, int first, int size,
                            Targets to) {
  const hn::FixedTag<double, 2> d;
  int i = first;
  for (; i + 2 <= size; i += 2) {
    for (int lane = 0; lane < kLanes; lane += 2) {
      const auto a = hn::Load(d, results.At(i) + lane);
      const auto b = hn::Load(d, results.At(i + 1) + lane);
      hn::StoreU(hn::InterleaveLower(d, a, b), d, to[lane] + i);
      hn::StoreU(hn::InterleaveUpper(d, a, b), d, to[lane + 1] + i);
    }
  }
  return i;
}

#endif

// With masks, what is left is one more tile.
#if HWY_TARGET <= HWY_AVX3

HWY_INLINE int ScatterRest(const Results& results, int first, int size,
                           Targets to) {
  const PanelTag d;
  constexpr int kLeast = 3;
  const int count = size - first;
  if (count < kLeast) return ScatterPairs(results, first, size, to);
  const auto mask = hn::FirstN(d, count);
  PanelVec tile[kPanelLanes];
  for (int k = 0; k < kPanelLanes; ++k) {
    tile[k] = hn::Load(d, results.At(first + (k < count ? k : 0)));
  }
  TransposeLanes(tile);
  for (int k = 0; k < kPanelLanes; ++k) {
    hn::BlendedStore(tile[k], mask, d, to[k] + first);
  }
  return size;
}

#else

HWY_INLINE int ScatterRest(const Results& results, int first, int size,
                           Targets to) {
  return ScatterPairs(results, first, size, to);
}

#endif

void GatherRowsInLanes(const RowPointers& from, int size, int num_samples,
                       double* HWY_RESTRICT to) {
  for (int row = 0; row < num_samples * kLanes; row += kLanes) {
    const Sources sources = from.data() + row;
    double* const target = to + row;
    const int tiles_end = GatherTiles(sources, size, target);
    for (int i = GatherPairs(sources, tiles_end, size, target); i < size; ++i) {
      for (int lane = 0; lane < kLanes; ++lane) {
        target[i * kNumberStride + lane] = sources[lane][i];
      }
    }
  }
}

// The bits of lanes where a number is not zero, or NaN.
HWY_INLINE int BitsOfNonzeros(const double* numbers) {
  const PanelTag d;
  int bits = 0;
  for (int lane = 0; lane < kLanes; lane += kPanelLanes) {
    std::uint8_t part[8] = {};  // StoreMaskBits may write so many.
    hn::StoreMaskBits(d, hn::Eq(hn::Load(d, numbers + lane), hn::Zero(d)),
                      part);
    bits |= part[0] << lane;
  }
  return ~bits & 0xff;
}

void ClearMisfitsInLanes(
    const std::vector<std::pair<std::uint32_t, bool>>& guards,
    const double* memory, int num_samples, RowBits* fits) {
  for (const auto& [place, outcome] : guards) {
    for (int s = 0; s < num_samples; ++s) {
      const int bits = BitsOfNonzeros(memory + place + s * kLanes);
      (*fits)[s] &= static_cast<std::uint8_t>(outcome ? bits : ~bits);
    }
  }
}

// Sets the bits of rows that have a number which is not finite: the sum of 0
// times each is not zero.
template <int kVectors>
HWY_INLINE void FindNotFinite(const std::uint32_t* HWY_RESTRICT results,
                              int size, int num_samples,
                              const double* HWY_RESTRICT memory,
                              RowBits* not_finite) {
  const PanelTag d;
  static_assert(kBlockRows % (kVectors * kPanelLanes) == 0, "");
  HWY_ALIGN double sums[kBlockRows];
  for (int row = 0; row < num_samples * kLanes; row += kVectors * kPanelLanes) {
    PanelVec sum[kVectors];
    for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
    for (int i = 0; i < size; ++i) {
      const double* const numbers = memory + results[i] + row;
      for (int v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(hn::Load(d, numbers + v * kPanelLanes), hn::Zero(d),
                            sum[v]);
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(sum[v], d, sums + row + v * kPanelLanes);
    }
  }
  for (int s = 0; s < num_samples; ++s) {
    (*not_finite)[s] |=
        static_cast<std::uint8_t>(BitsOfNonzeros(sums + s * kLanes));
  }
}

void ScatterRowsInLanes(const std::uint32_t* HWY_RESTRICT places, int size,
                        int num_samples, const double* memory,
                        const RowTargets& targets, RowBits* not_finite) {
  if (num_samples <= kBatchSamples / 2) {
    FindNotFinite<2>(places, size, num_samples, memory, not_finite);
  } else {
    FindNotFinite<kBatchSamples>(places, size, num_samples, memory, not_finite);
  }
  for (int s = 0; s < num_samples; ++s) {
    const int fits = (*targets.fits)[s];
    if (fits == 0) continue;
    double* to[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      to[lane] = (fits >> lane) % 2 == 0
                     ? targets.unused
                     : targets.base +
                           targets.indices[s * kLanes + lane] * targets.stride;
    }
    const Results results = {memory + s * kLanes, places};
    const int tiles_end = ScatterTiles(results, size, to);
    for (int i = ScatterRest(results, tiles_end, size, to); i < size; ++i) {
      for (int lane = 0; lane < kLanes; ++lane) {
        to[lane][i] = results.At(i)[lane];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::lanes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::lanes {

HWY_EXPORT(GatherRowsInLanes);
HWY_EXPORT(ClearMisfitsInLanes);
HWY_EXPORT(ScatterRowsInLanes);

void GatherRows(const RowPointers& from, int size, int num_samples,
                double* to) {
  HWY_DYNAMIC_DISPATCH(GatherRowsInLanes)(from, size, num_samples, to);
}

void ClearMisfits(const std::vector<std::pair<std::uint32_t, bool>>& guards,
                  const double* memory, int num_samples, RowBits* fits) {
  HWY_DYNAMIC_DISPATCH(ClearMisfitsInLanes)(guards, memory, num_samples, fits);
}

void ScatterRows(const std::uint32_t* results, int size, int num_samples,
                 const double* memory, const RowTargets& targets,
                 RowBits* not_finite) {
  HWY_DYNAMIC_DISPATCH(ScatterRowsInLanes)
  (results, size, num_samples, memory, targets, not_finite);
}

}  // namespace ceres::internal::lanes
#endif  // HWY_ONCE
