// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_DERIVATIVE_H_
#define CERES_PUBLIC_INTERNAL_JET_DERIVATIVE_H_

// Elementwise arithmetic on the derivative parts of Jets.
//
// Derivative parts of double and float are worked on in pieces of 16 bytes (32
// with AVX), the vector types of GCC and Clang, which these keep in registers
// over a chain of operations. Plain loops over the entries, or Eigen's
// expressions, end up in memory after every operation, because compilers turn
// them into vector code only after they have decided what lives in registers.
//
// The last piece may be partial. It is computed as a full one too, so that the
// bits of a derivative do not depend on its position, whatever the compiler
// contracts to fused multiply-adds.

#include <utility>

#include "ceres/internal/port.h"

namespace ceres::internal {

// How entries of type T are loaded and stored: one by one.
template <typename T>
struct JetPiece {
  static constexpr bool kIsVector = false;
};

#if defined(__GNUC__)

#if defined(__AVX__)
#define CERES_JET_PIECE_BYTES 32
#else
#define CERES_JET_PIECE_BYTES 16
#endif

// How entries of type T are loaded and stored: several at a time. Memory is
// accessed through a type that may alias entries and has their alignment.
template <>
struct JetPiece<double> {
  static constexpr bool kIsVector = true;
  static constexpr int kSize = CERES_JET_PIECE_BYTES / sizeof(double);
  typedef double Type __attribute__((vector_size(CERES_JET_PIECE_BYTES)));
  typedef double InMemory __attribute__((vector_size(CERES_JET_PIECE_BYTES),
                                         may_alias, aligned(alignof(double))));
};

template <>
struct JetPiece<float> {
  static constexpr bool kIsVector = true;
  static constexpr int kSize = CERES_JET_PIECE_BYTES / sizeof(float);
  typedef float Type __attribute__((vector_size(CERES_JET_PIECE_BYTES)));
  typedef float InMemory __attribute__((vector_size(CERES_JET_PIECE_BYTES),
                                        may_alias, aligned(alignof(float))));
};

#undef CERES_JET_PIECE_BYTES

#endif  // defined(__GNUC__)

// Up to so many pieces the code of an operation is straight; beyond, a loop.
inline constexpr int kMaxUnrolledJetPieces = 16;

// Entry i becomes value(i) for i in kEntries, and zero otherwise.
template <typename T, typename Value, int... kEntries>
CERES_ALWAYS_INLINE auto MakeJetPiece(std::integer_sequence<int, kEntries...>,
                                      const Value& value) {
  typename JetPiece<T>::Type piece = {value(kEntries)...};
  return piece;
}

// The first kCount entries of a piece at p; the others are zero.
template <typename T, int kCount>
CERES_ALWAYS_INLINE auto LoadJetPiece(const T* p) {
  using Piece = JetPiece<T>;
  if constexpr (kCount == Piece::kSize) {
    const typename Piece::Type piece =
        *reinterpret_cast<const typename Piece::InMemory*>(p);
    return piece;
  } else {
    return MakeJetPiece<T>(std::make_integer_sequence<int, kCount>(),
                           [p](int i) { return p[i]; });
  }
}

template <typename T, int... kEntries>
CERES_ALWAYS_INLINE void StoreJetEntries(
    std::integer_sequence<int, kEntries...>,
    const typename JetPiece<T>::Type& piece, T* p) {
  ((p[kEntries] = piece[kEntries]), ...);
}

// Writes the first kCount entries of the piece.
template <typename T, int kCount>
CERES_ALWAYS_INLINE void StoreJetPiece(const typename JetPiece<T>::Type& piece,
                                       T* p) {
  using Piece = JetPiece<T>;
  if constexpr (kCount == Piece::kSize) {
    *reinterpret_cast<typename Piece::InMemory*>(p) = piece;
  } else {
    StoreJetEntries<T>(std::make_integer_sequence<int, kCount>(), piece, p);
  }
}

template <int kCount, typename T, typename Op, typename... Inputs>
CERES_ALWAYS_INLINE void MapJetPiece(const Op& op, int offset, T* z,
                                     const Inputs*... x) {
  StoreJetPiece<T, kCount>(op(LoadJetPiece<T, kCount>(x + offset)...),
                           z + offset);
}

template <typename T, typename Op, int... kPieces, typename... Inputs>
CERES_ALWAYS_INLINE void MapJetPieces(std::integer_sequence<int, kPieces...>,
                                      const Op& op, T* z, const Inputs*... x) {
  constexpr int kSize = JetPiece<T>::kSize;
  (MapJetPiece<kSize>(op, kPieces * kSize, z, x...), ...);
}

// z[i] = op(x[i]...) for 0 <= i < N. op is a function of scalars T, and of
// pieces of T. z may be one of the x.
template <int N, typename T, typename Op, typename... Inputs>
CERES_ALWAYS_INLINE void MapDerivatives(const Op& op, T* z,
                                        const Inputs*... x) {
  if constexpr (JetPiece<T>::kIsVector) {
    constexpr int kSize = JetPiece<T>::kSize;
    constexpr int kFullPieces = N / kSize;
    if constexpr (kFullPieces <= kMaxUnrolledJetPieces) {
      MapJetPieces(std::make_integer_sequence<int, kFullPieces>(), op, z, x...);
    } else {
      for (int i = 0; i < kFullPieces; ++i) {
        MapJetPiece<kSize>(op, i * kSize, z, x...);
      }
    }
    if constexpr (N % kSize != 0) {
      MapJetPiece<N % kSize>(op, kFullPieces * kSize, z, x...);
    }
  } else {
    for (int i = 0; i < N; ++i) z[i] = op(x[i]...);
  }
}

// The functions that the rules of differentiation are made of. x, y, z are
// entries (or pieces) of the derivative parts of the arguments.

struct JetIdentity {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x) const {
    return x;
  }
};

struct JetNegate {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x) const {
    return -x;
  }
};

struct JetAdd {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return x + y;
  }
};

struct JetSubtract {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return x - y;
  }
};

// p x, p x + q y, p x + q y + r z.
template <typename T>
struct JetCombine {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x) const {
    return p * x;
  }
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return p * x + q * y;
  }
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y, const V& z) const {
    return p * x + q * y + r * z;
  }
  T p;
  T q = p;
  T r = p;
};

// p x + q y + z.
template <typename T>
struct JetCombineAndAdd {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y, const V& z) const {
    return p * x + q * y + z;
  }
  T p;
  T q;
};

// (x - p y) q.
template <typename T>
struct JetQuotient {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return (x - p * y) * q;
  }
  T p;
  T q;
};

// Sets all N entries of z to zero.
template <int N, typename T>
CERES_ALWAYS_INLINE void SetZeroDerivative(T* z) {
  if constexpr (JetPiece<T>::kIsVector) {
    MapDerivatives<N>([]() { return typename JetPiece<T>::Type{}; }, z);
  } else {
    for (int i = 0; i < N; ++i) z[i] = T(0);
  }
}

// Sets all N entries of z to zero but entry k, which becomes one.
template <int N, typename T>
CERES_ALWAYS_INLINE void SetUnitDerivative(int k, T* z) {
  SetZeroDerivative<N>(z);
  z[k] = T(1);
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_JET_DERIVATIVE_H_
