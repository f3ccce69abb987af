// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tiles of the panels of front_layout.h in registers, compiled once per
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
using PanelTag = hn::CappedTag<T, kFrontPanel<T>>;
template <typename T>
using PanelVec = hn::Vec<PanelTag<T>>;

template <typename T>
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(PanelTag<T>()));
// A panel's column in vectors.
template <typename T>
inline constexpr int kPanelVectors = kFrontPanel<T> / kLanes<T>;
// A tile of registers: 24 of 32 with AVX-512, 8 of 16 with AVX2.
template <typename T>
inline constexpr int kTileColumns = kPanelVectors<T> == 1   ? 8
                                    : kPanelVectors<T> == 2 ? 4
                                                            : 2;
template <typename T>
inline constexpr int kTilePanels = kPanelVectors<T> == 1 ? 3 : 1;

// kVectors vectors of one column: those of one panel, then those of the next.
// (Structs of vectors have constructors of their own: those that GCC makes are
// not compiled for the instruction set, and on ARM call vectors' that are.)
template <typename T, int kVectors>
struct Rows {
  HWY_INLINE Rows() {}
  static constexpr int64_t Offset(int64_t stride) {
    constexpr int k = kVectors - 1;
    return k / kPanelVectors<T> * stride + k % kPanelVectors<T> * kLanes<T>;
  }
  HWY_INLINE void Load(const T* p, int64_t stride) {
    rest.Load(p, stride);
    last = hn::Load(PanelTag<T>(), p + Offset(stride));
  }
  HWY_INLINE void Store(T* p, int64_t stride) const {
    rest.Store(p, stride);
    hn::Store(last, PanelTag<T>(), p + Offset(stride));
  }
  // Into the panels from number p on of an update matrix.
  HWY_INLINE void StoreUpdate(int p, T* update) const {
    rest.StoreUpdate(p, update);
    hn::Store(last, PanelTag<T>(),
              update + UpdatePanel<T>(p + (kVectors - 1) / kPanelVectors<T>) +
                  Offset(0));
  }
  HWY_INLINE void SetZero() {
    rest.SetZero();
    last = hn::Zero(PanelTag<T>());
  }
  HWY_INLINE void Scale(T factor) {
    rest.Scale(factor);
    last = hn::Mul(hn::Set(PanelTag<T>(), factor), last);
  }
  HWY_INLINE void SubtractScaled(T factor, const Rows& x) {
    SubtractScaled(hn::Set(PanelTag<T>(), factor), x);
  }
  HWY_INLINE void SubtractScaled(PanelVec<T> factor, const Rows& x) {
    rest.SubtractScaled(factor, x.rest);
    last = hn::NegMulAdd(factor, x.last, last);
  }
  // += x y, element by element.
  HWY_INLINE void AddProducts(const Rows& x, const Rows& y) {
    rest.AddProducts(x.rest, y.rest);
    last = hn::MulAdd(x.last, y.last, last);
  }
  HWY_INLINE PanelVec<T> SumOfVectors() const {
    if constexpr (kVectors == 1) {
      return last;
    } else {
      return hn::Add(last, rest.SumOfVectors());
    }
  }

  Rows<T, kVectors - 1> rest;
  PanelVec<T> last;
};
template <typename T>
struct Rows<T, 0> {
  HWY_INLINE void Load(const T*, int64_t) {}
  HWY_INLINE void Store(T*, int64_t) const {}
  HWY_INLINE void StoreUpdate(int, T*) const {}
  HWY_INLINE void SetZero() {}
  HWY_INLINE void Scale(T) {}
  HWY_INLINE void SubtractScaled(PanelVec<T>, const Rows&) {}
  HWY_INLINE void AddProducts(const Rows&, const Rows&) {}
};

// kColumns columns of kPanels panels, which lie `stride` apart.
template <typename T, int kColumns, int kPanels>
struct Tile {
  using Column = Rows<T, kPanels * kPanelVectors<T>>;
  static constexpr int kOffset = (kColumns - 1) * kFrontPanel<T>;

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
        hn::GetLane(hn::SumOfLanes(PanelTag<T>(), last.SumOfVectors()));
  }

  Tile<T, kColumns - 1, kPanels> rest;
  Column last;
};
template <typename T, int kPanels>
struct Tile<T, 0, kPanels> {
  using Column = Rows<T, kPanels * kPanelVectors<T>>;
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
template <typename T, int kColumns, int kPanels>
HWY_INLINE void SubtractProduct(const T* left, int64_t stride, const T* right,
                                int depth, Tile<T, kColumns, kPanels>* tile) {
  constexpr int h = kFrontPanel<T>;
  Tile<T, kColumns, kPanels> sum = *tile;
  for (int k = 0; k < depth; ++k, left += h, right += h) {
    typename Tile<T, kColumns, kPanels>::Column rows;
    rows.Load(left, stride);
    sum.SubtractOuterProduct(rows, right);
  }
  *tile = sum;
}

// The panels of a front's columns.
template <typename T>
struct Columns {
  Columns(int width, T* front)
      : front(front), stride(int64_t{kFrontPanel<T>} * width) {}
  T* panel(int p) const { return front + p * stride; }
  // The row of pivot `first` in its panel; its columns are H apart.
  T* pivot_row(int first) const {
    return panel(first / kFrontPanel<T>) + first % kFrontPanel<T>;
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
