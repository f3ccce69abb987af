// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tiles of the strips of front_layout.h in registers, compiled once per
// instruction set. Include after hwy/foreach_target.h and hwy/highway.h.
//
// Vectors are members of nested structs. Compilers would keep the elements of
// an array in memory.

#if defined(CERES_INTERNAL_KERNELS_FRONT_TILES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_FRONT_TILES_INL_H_
#undef CERES_INTERNAL_KERNELS_FRONT_TILES_INL_H_
#else
#define CERES_INTERNAL_KERNELS_FRONT_TILES_INL_H_
#endif

#include <cstdint>

#include "ceres/kernels/front_layout.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using StripTag = hn::CappedTag<T, kFrontStrip<T>>;
template <typename T>
using StripVec = hn::Vec<StripTag<T>>;

template <typename T>
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(StripTag<T>()));
// A strip's column in vectors.
template <typename T>
inline constexpr int kStripVectors = kFrontStrip<T> / kLanes<T>;
// A tile of registers: 24 of 32 with AVX-512, 8 of 16 with AVX2.
template <typename T>
inline constexpr int kTileColumns = kStripVectors<T> == 1   ? 8
                                    : kStripVectors<T> == 2 ? 4
                                                            : 2;
template <typename T>
inline constexpr int kTileStrips = kStripVectors<T> == 1 ? 3 : 1;

// kVectors vectors of one column: those of one strip, then those of the next.
// (Structs of vectors have constructors of their own: those that GCC makes are
// not compiled for the instruction set, and on ARM call vectors' that are.)
template <typename T, int kVectors>
struct Rows {
  HWY_INLINE Rows() {}
  static constexpr int64_t Offset(int64_t stride) {
    constexpr int k = kVectors - 1;
    return k / kStripVectors<T> * stride + k % kStripVectors<T> * kLanes<T>;
  }
  HWY_INLINE void Load(const T* p, int64_t stride) {
    rest.Load(p, stride);
    last = hn::Load(StripTag<T>(), p + Offset(stride));
  }
  HWY_INLINE void Store(T* p, int64_t stride) const {
    rest.Store(p, stride);
    hn::Store(last, StripTag<T>(), p + Offset(stride));
  }
  // Into the strips from number p on of an update matrix.
  HWY_INLINE void StoreUpdate(int p, T* update) const {
    rest.StoreUpdate(p, update);
    hn::Store(last, StripTag<T>(),
              update + UpdateStrip<T>(p + (kVectors - 1) / kStripVectors<T>) +
                  Offset(0));
  }
  HWY_INLINE void SetZero() {
    rest.SetZero();
    last = hn::Zero(StripTag<T>());
  }
  HWY_INLINE void Scale(T factor) {
    rest.Scale(factor);
    last = hn::Mul(hn::Set(StripTag<T>(), factor), last);
  }
  HWY_INLINE void SubtractScaled(T factor, const Rows& x) {
    SubtractScaled(hn::Set(StripTag<T>(), factor), x);
  }
  HWY_INLINE void SubtractScaled(StripVec<T> factor, const Rows& x) {
    rest.SubtractScaled(factor, x.rest);
    last = hn::NegMulAdd(factor, x.last, last);
  }
  // += x y, element by element.
  HWY_INLINE void AddProducts(const Rows& x, const Rows& y) {
    rest.AddProducts(x.rest, y.rest);
    last = hn::MulAdd(x.last, y.last, last);
  }
  HWY_INLINE StripVec<T> SumOfVectors() const {
    if constexpr (kVectors == 1) {
      return last;
    } else {
      return hn::Add(last, rest.SumOfVectors());
    }
  }

  Rows<T, kVectors - 1> rest;
  StripVec<T> last;
};
template <typename T>
struct Rows<T, 0> {
  HWY_INLINE void Load(const T*, int64_t) {}
  HWY_INLINE void Store(T*, int64_t) const {}
  HWY_INLINE void StoreUpdate(int, T*) const {}
  HWY_INLINE void SetZero() {}
  HWY_INLINE void Scale(T) {}
  HWY_INLINE void SubtractScaled(StripVec<T>, const Rows&) {}
  HWY_INLINE void AddProducts(const Rows&, const Rows&) {}
};

// kColumns columns of kStrips strips, which lie `stride` apart.
template <typename T, int kColumns, int kStrips>
struct Tile {
  using Column = Rows<T, kStrips * kStripVectors<T>>;
  static constexpr int kOffset = (kColumns - 1) * kFrontStrip<T>;

  HWY_INLINE Tile() {}
  HWY_INLINE void Load(const T* p, int64_t stride) {
    rest.Load(p, stride);
    last.Load(p + kOffset, stride);
  }
  HWY_INLINE void Store(T* p, int64_t stride) const {
    rest.Store(p, stride);
    last.Store(p + kOffset, stride);
  }
  HWY_INLINE void StoreUpdate(int p, T* update) const {
    rest.StoreUpdate(p, update);
    last.StoreUpdate(p, update + kOffset);
  }
  HWY_INLINE void SetZero() {
    rest.SetZero();
    last.SetZero();
  }
  // Column c -= left * right[c].
  HWY_INLINE void SubtractOuterProduct(const Column& left, const T* right) {
    rest.SubtractOuterProduct(left, right);
    last.SubtractScaled(right[kColumns - 1], left);
  }
  // X := X L^-T, with L's element (row, column) at l[column * H + row], its
  // pivots inverted.
  HWY_INLINE void Solve(const T* l) {
    rest.Solve(l);
    rest.SubtractColumnsFrom(l + (kColumns - 1), &last);
    last.Scale(l[kOffset + kColumns - 1]);
  }
  HWY_INLINE void SubtractColumnsFrom(const T* l, Column* column) const {
    rest.SubtractColumnsFrom(l, column);
    column->SubtractScaled(l[kOffset], last);
  }

  // Column c += y times column c of `from`, element by element.
  HWY_INLINE void AddProducts(const Column& y, const T* from, int64_t stride) {
    rest.AddProducts(y, from, stride);
    Column column;
    column.Load(from + kOffset, stride);
    last.AddProducts(y, column);
  }
  // x[c] -= the sum of column c.
  HWY_INLINE void SubtractSumsFrom(T* x) const {
    rest.SubtractSumsFrom(x);
    x[kColumns - 1] -=
        hn::GetLane(hn::SumOfLanes(StripTag<T>(), last.SumOfVectors()));
  }

  Tile<T, kColumns - 1, kStrips> rest;
  Column last;
};
template <typename T, int kStrips>
struct Tile<T, 0, kStrips> {
  using Column = Rows<T, kStrips * kStripVectors<T>>;
  HWY_INLINE void Load(const T*, int64_t) {}
  HWY_INLINE void Store(T*, int64_t) const {}
  HWY_INLINE void StoreUpdate(int, T*) const {}
  HWY_INLINE void SetZero() {}
  HWY_INLINE void SubtractOuterProduct(const Column&, const T*) {}
  HWY_INLINE void Solve(const T*) {}
  HWY_INLINE void SubtractColumnsFrom(const T*, Column*) const {}
  HWY_INLINE void AddProducts(const Column&, const T*, int64_t) {}
  HWY_INLINE void SubtractSumsFrom(T*) const {}
};

// Column c of the tile -= sum over k < depth of left's column k * right[k H +
// c].
template <typename T, int kColumns, int kStrips>
HWY_INLINE void SubtractProduct(const T* left, int64_t stride, const T* right,
                                int depth, Tile<T, kColumns, kStrips>* tile) {
  constexpr int h = kFrontStrip<T>;
  Tile<T, kColumns, kStrips> sum = *tile;
  for (int k = 0; k < depth; ++k, left += h, right += h) {
    typename Tile<T, kColumns, kStrips>::Column rows;
    rows.Load(left, stride);
    sum.SubtractOuterProduct(rows, right);
  }
  *tile = sum;
}

// The strips of a front's columns.
template <typename T>
struct Columns {
  Columns(int width, T* front)
      : front(front), stride(int64_t{kFrontStrip<T>} * width) {}
  T* strip(int p) const { return front + p * stride; }
  // The row of pivot `first` in its strip; its columns are H apart.
  T* pivot_row(int first) const {
    return strip(first / kFrontStrip<T>) + first % kFrontStrip<T>;
  }
  T* front;
  int64_t stride;
};

// Calls f(first column, Count<number>()) for blocks of columns as wide as
// registers hold, then narrower ones.
template <int kCount>
struct Count {
  static constexpr int kValue = kCount;
};
template <typename T, typename F>
HWY_INLINE void ForColumnBlocks(int first, int last, const F& f) {
  constexpr int kWidest = kTileColumns<T>;
  for (; first + kWidest <= last; first += kWidest) f(first, Count<kWidest>());
  if constexpr (kWidest > 4) {
    if (first + 4 <= last) f(first, Count<4>()), first += 4;
  }
  if constexpr (kWidest > 2) {
    if (first + 2 <= last) f(first, Count<2>()), first += 2;
  }
  for (; first < last; ++first) f(first, Count<1>());
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
