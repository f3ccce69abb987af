// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/front_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/front_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

template <int kStrips, typename T>
HWY_INLINE void EliminateFromTiles(const Columns<T>& a, int first, int last,
                                   int p) {
  constexpr int h = kFrontStrip<T>;
  T* const rows = a.strip(p);
  ForColumnBlocks<T>(first, last, [&](int c, auto count) {
    const T* const pivots = a.pivot_row(c);
    Tile<T, count.kValue, kStrips> tile;
    tile.Load(rows + c * h, a.stride);
    SubtractProduct(rows, a.stride, pivots, c, &tile);
    tile.Solve(pivots + c * h);
    tile.Store(rows + c * h, a.stride);
  });
}

template <typename T>
void EliminateStrips(int width, int first, int last, int p, int last_strip,
                     T* front) {
  const Columns<T> a(width, front);
  constexpr int kStrips = kTileStrips<T>;
  for (; p + kStrips <= last_strip; p += kStrips) {
    EliminateFromTiles<kStrips>(a, first, last, p);
  }
  if constexpr (kStrips > 2) {
    if (p + 2 <= last_strip) EliminateFromTiles<2>(a, first, last, p), p += 2;
  }
  for (; p < last_strip; ++p) EliminateFromTiles<1>(a, first, last, p);
}

// Factors kCount columns of a strip, from the row of the first pivot down. The
// products of earlier columns are subtracted already. `diagonal` points to the
// first pivot, whose value is `pivot`. Lanes above the diagonal are undefined.
//
// Each pivot depends on the pivot before it. This chain sets the time, so it
// has scalar operations only: the next pivot is computed as a scalar besides
// the vector, instead of storing the vector and loading the pivot from it. In
// double precision, l (l / pivot) is subtracted from later columns, which keeps
// the square root out of the chain as well. In single precision this would make
// more steps of nearly singular problems fail. The loop over pivots is a
// recursion, which the compiler unrolls: loops of 7, 6, 5, ... iterations would
// end in mispredicted branches.
template <int kCount, typename T>
HWY_INLINE int FactorizeDiagonal(T pivot, T* column, T* diagonal) {
  constexpr int h = kFrontStrip<T>;
  constexpr bool kBySquareRoots = sizeof(T) < sizeof(double);
  // Also false for NaN.
  if (!(pivot > T(0)) || !std::isfinite(pivot)) return 0;
  const T inverse = T(1) / std::sqrt(pivot);
  // The product that is subtracted from later columns is (x / root) (x / root)'
  // or x (x / pivot)'.
  const T scale = kBySquareRoots ? inverse : T(1) / pivot;
  T next_pivot = T(0);
  if constexpr (kCount > 1) {
    const T l = diagonal[1] * scale;
    next_pivot = diagonal[h + 1] - l * (kBySquareRoots ? l : diagonal[1]);
  }
  Rows<T, kStripVectors<T>> x;
  x.Load(column, 0);
  if constexpr (kBySquareRoots) x.Scale(inverse);
  for (int later = 1; later < kCount; ++later) {
    Rows<T, kStripVectors<T>> y;
    y.Load(column + later * h, 0);
    y.SubtractScaled(diagonal[later] * scale, x);
    y.Store(column + later * h, 0);
  }
  if constexpr (!kBySquareRoots) x.Scale(inverse);
  x.Store(column, 0);
  diagonal[0] = inverse;
  if constexpr (kCount > 1) {
    const int bad =
        FactorizeDiagonal<kCount - 1>(next_pivot, column + h, diagonal + h + 1);
    return bad == kAllPivotsPositive ? bad : bad + 1;
  }
  return kAllPivotsPositive;
}

template <typename T>
int Pivots(int width, int first, int last, T* front) {
  constexpr int h = kFrontStrip<T>;
  const Columns<T> a(width, front);
  int failed = kAllPivotsPositive;
  for (int row = first; row < last; row += h) {
    const int p = row / h;
    EliminateFromTiles<1>(a, first, row, p);
    ForColumnBlocks<T>(row, std::min(row + h, last), [&](int c, auto count) {
      if (failed != kAllPivotsPositive) return;
      T* const pivots = a.pivot_row(c);
      T* const column = a.strip(p) + c * h;
      if (c > 0) {
        Tile<T, count.kValue, 1> tile;
        tile.Load(column, a.stride);
        SubtractProduct(a.strip(p), a.stride, pivots, c, &tile);
        tile.Store(column, a.stride);
      }
      const int bad = FactorizeDiagonal<count.kValue>(pivots[c * h], column,
                                                      pivots + c * h);
      if (bad != kAllPivotsPositive) failed = c + bad;
    });
    if (failed != kAllPivotsPositive) return failed;
  }
  return kAllPivotsPositive;
}

// The columns [first, last) of kStrips strips of the update matrix.
template <int kStrips, typename T>
HWY_INLINE void FormTiles(const Columns<const T>& below, int width, int p,
                          int first, int last, T* update) {
  constexpr int h = kFrontStrip<T>;
  ForColumnBlocks<T>(first, last, [&](int c, auto count) {
    Tile<T, count.kValue, kStrips> tile;
    tile.SetZero();
    SubtractProduct(below.strip(p), below.stride, below.pivot_row(c), width,
                    &tile);
    tile.StoreUpdate(p, update + c * h);
  });
}

template <typename T>
void Update(int width, int p, int last_strip, const T* front, T* update) {
  constexpr int h = kFrontStrip<T>;
  constexpr int kStrips = kTileStrips<T>;
  const Columns<const T> below(width, front + BelowPosition<T>(width, 0, 0));
  for (; p + kStrips <= last_strip; p += kStrips) {
    FormTiles<kStrips>(below, width, p, 0, h * (p + 1), update);
    for (int q = p + 1; q < p + kStrips; ++q) {
      FormTiles<1>(below, width, q, h * (p + 1), h * (q + 1), update);
    }
  }
  for (; p < last_strip; ++p) {
    FormTiles<1>(below, width, p, 0, h * (p + 1), update);
  }
}

// Converts 32-bit lane indices to integers of the size of T.
template <typename T, class V>
HWY_INLINE auto WidenTo(V words) {
  if constexpr (sizeof(T) == 8) {
    return hn::PromoteTo(hn::RebindToSigned<StripTag<T>>(), words);
  } else {
    return words;
  }
}

// to[H position[j] + lane + i] += from[H j + i] for the columns j in [first,
// last) and i < n. Loads start `lane` elements early; a mask drops the rest,
// which is not read.
template <typename T>
HWY_INLINE void AddNeighbours(const T* from, const int* position, int first,
                              int last, int lane, int n, T* to) {
  constexpr int h = kFrontStrip<T>;
  constexpr int kHalf = kLanes<T>;
  const StripTag<T> d;
  const auto lanes = hn::Iota(d, T(0));
  const auto low = hn::Set(d, static_cast<T>(lane));
  const auto high = hn::Set(d, static_cast<T>(lane + n));
  const auto is_in = [=](auto x) HWY_ATTR {
    return hn::And(hn::Ge(x, low), hn::Lt(x, high));
  };
  const auto mask = is_in(lanes);
  const auto mask2 = is_in(hn::Add(lanes, hn::Set(d, T(kHalf))));
  from -= lane;
  for (int j = first; j < last; ++j) {
    T* const target = to + int64_t{h} * position[j];
    const T* const source = from + int64_t{h} * j;
    const auto x = hn::MaskedLoad(mask, d, source);
    const auto x2 = hn::MaskedLoad(mask2, d, source + kHalf);
    hn::Store(hn::Add(hn::Load(d, target), x), d, target);
    hn::Store(hn::Add(hn::Load(d, target + kHalf), x2), d, target + kHalf);
  }
}

// to[H position[j] + lane] += from[H j + its source] for the columns j in
// [first, last) and the lanes of a segment. from and to: strips.
template <typename T>
HWY_INLINE void AddSegment(const FrontSegment& s, const T* from,
                           const int* position, int first, int last, T* to) {
  constexpr int h = kFrontStrip<T>;
  if constexpr (kStripVectors<T> == 1) {
    const StripTag<T> d;
    const hn::Rebind<uint8_t, StripTag<T>> bytes;
    const hn::Rebind<int32_t, StripTag<T>> words;
    const auto narrow = hn::PromoteTo(words, hn::LoadU(bytes, s.source));
    const auto source = hn::IndicesFromVec(d, WidenTo<T>(narrow));
    const uint8_t bits[8] = {static_cast<uint8_t>(s.lanes & 255),
                             static_cast<uint8_t>(s.lanes >> 8)};
    const auto mask = hn::LoadMaskBits(d, bits);
    for (int j = first; j < last; ++j) {
      T* const target = to + int64_t{h} * position[j];
      const auto rows =
          hn::TableLookupLanes(hn::Load(d, from + int64_t{h} * j), source);
      hn::Store(hn::Add(hn::Load(d, target), hn::IfThenElseZero(mask, rows)), d,
                target);
    }
  } else {
    int lane[h];
    for (int k = 0, i = 0; i < s.length; ++k) {
      if ((s.lanes >> k & 1) != 0) lane[i++] = k;
    }
    from += s.first_row % h;
    if constexpr (kStripVectors<T> == 2) {
      // A permutation across two vectors would be slower than scalar code.
      const bool are_neighbours = lane[s.length - 1] == lane[0] + s.length - 1;
      if (are_neighbours && s.length > 1) {
        AddNeighbours(from, position, first, last, lane[0], s.length, to);
        return;
      }
    }
    for (int j = first; j < last; ++j) {
      T* const target = to + int64_t{h} * position[j];
      const T* const source = from + int64_t{h} * j;
      for (int i = 0; i < s.length; ++i) target[lane[i]] += source[i];
    }
  }
}

template <typename T>
void ChildToColumns(const FrontMap& map, const T* child, int width, T* front) {
  constexpr int h = kFrontStrip<T>;
  for (int k = 0; k < map.num_segments; ++k) {
    const FrontSegment& s = map.segments[k];
    const int position = map.position[s.first_row];
    const int last = std::min(s.first_row + s.length, map.num_pivot_rows);
    AddSegment(
        s, child + UpdateStrip<T>(s.first_row / h), map.position, 0, last,
        front + (position < width
                     ? PivotPosition<T>(width, position / h * h, 0)
                     : BelowPosition<T>(width, (position - width) / h * h, 0)));
  }
}

template <typename T>
void ChildToUpdate(const FrontMap& map, const T* child, int width, T* update) {
  constexpr int h = kFrontStrip<T>;
  for (int k = 0; k < map.num_segments; ++k) {
    const FrontSegment& s = map.segments[k];
    const int position = map.position[s.first_row];
    if (position < width) continue;
    // map.position counts from the first pivot, and `update` has no rows of
    // pivots.
    AddSegment(
        s, child + UpdateStrip<T>(s.first_row / h), map.position,
        map.num_pivot_rows, s.first_row + s.length,
        update + UpdateStrip<T>((position - width) / h) - int64_t{h} * width);
  }
}

// Sets the columns of a front to `zero`, which is 0. It is an argument because
// the compiler would replace a loop that stores a constant by memset.
template <typename T>
void Clear(int width, int below, T zero, T* front) {
  const StripTag<T> d;
  const auto zeros = hn::Set(d, zero);
  const int64_t size = FrontColumnsSize<T>(width, below);
  for (int64_t i = 0; i < size; i += kLanes<T>) {
    hn::Store(zeros, d, front + i);
  }
}

// HWY_EXPORT takes no templates.
constexpr auto& ClearD = Clear<double>;
constexpr auto& ClearF = Clear<float>;
constexpr auto& PivotsD = Pivots<double>;
constexpr auto& PivotsF = Pivots<float>;
constexpr auto& EliminateD = EliminateStrips<double>;
constexpr auto& EliminateF = EliminateStrips<float>;
constexpr auto& UpdateD = Update<double>;
constexpr auto& UpdateF = Update<float>;
constexpr auto& ChildToColumnsD = ChildToColumns<double>;
constexpr auto& ChildToColumnsF = ChildToColumns<float>;
constexpr auto& ChildToUpdateD = ChildToUpdate<double>;
constexpr auto& ChildToUpdateF = ChildToUpdate<float>;

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(ClearD);
HWY_EXPORT(ClearF);
HWY_EXPORT(PivotsD);
HWY_EXPORT(PivotsF);
HWY_EXPORT(EliminateD);
HWY_EXPORT(EliminateF);
HWY_EXPORT(UpdateD);
HWY_EXPORT(UpdateF);
HWY_EXPORT(ChildToColumnsD);
HWY_EXPORT(ChildToColumnsF);
HWY_EXPORT(ChildToUpdateD);
HWY_EXPORT(ChildToUpdateF);

void ClearColumns(int width, int below, double* front) {
  HWY_DYNAMIC_DISPATCH(ClearD)(width, below, 0.0, front);
}
void ClearColumns(int width, int below, float* front) {
  HWY_DYNAMIC_DISPATCH(ClearF)(width, below, 0.0f, front);
}

int FactorizePivots(int width, int first, int last, double* front) {
  return HWY_DYNAMIC_DISPATCH(PivotsD)(width, first, last, front);
}
int FactorizePivots(int width, int first, int last, float* front) {
  return HWY_DYNAMIC_DISPATCH(PivotsF)(width, first, last, front);
}

void EliminateFromStrips(int width, int first, int last, int first_strip,
                         int last_strip, double* front) {
  HWY_DYNAMIC_DISPATCH(EliminateD)
  (width, first, last, first_strip, last_strip, front);
}
void EliminateFromStrips(int width, int first, int last, int first_strip,
                         int last_strip, float* front) {
  HWY_DYNAMIC_DISPATCH(EliminateF)
  (width, first, last, first_strip, last_strip, front);
}

void FormUpdate(int width, int first_strip, int last_strip, const double* front,
                double* update) {
  HWY_DYNAMIC_DISPATCH(UpdateD)(width, first_strip, last_strip, front, update);
}
void FormUpdate(int width, int first_strip, int last_strip, const float* front,
                float* update) {
  HWY_DYNAMIC_DISPATCH(UpdateF)(width, first_strip, last_strip, front, update);
}

void AddToColumns(const FrontMap& map, const double* child, int width,
                  double* front) {
  HWY_DYNAMIC_DISPATCH(ChildToColumnsD)(map, child, width, front);
}
void AddToColumns(const FrontMap& map, const float* child, int width,
                  float* front) {
  HWY_DYNAMIC_DISPATCH(ChildToColumnsF)(map, child, width, front);
}
void AddToUpdate(const FrontMap& map, const double* child, int width,
                 double* update) {
  HWY_DYNAMIC_DISPATCH(ChildToUpdateD)(map, child, width, update);
}
void AddToUpdate(const FrontMap& map, const float* child, int width,
                 float* update) {
  HWY_DYNAMIC_DISPATCH(ChildToUpdateF)(map, child, width, update);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
