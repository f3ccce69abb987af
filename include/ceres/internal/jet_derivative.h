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
// bits of a derivative do not depend on its position. (In builds that let the
// compiler use fused multiply-adds, GCC may still contract an operation on
// constants differently, and last bits differ; use -ffp-contract=off where that
// matters.)
//
// Most derivatives in a functor are zero whatever its arguments are: the seed
// of parameter k has a single one, and a value that was computed from one block
// knows nothing of the others. Where an optimizing compiler sees that a piece
// is such a zero, products with it are left out, and so are sums: it may not do
// so by itself, because of infinities and signs of zeros. Hence
//
//   0 p = 0, also where p is not finite; x + 0 = x, also for x = -0,
//
// for these zeros; other derivatives of the same value tell that p is not
// finite. All finite derivatives have the same values with and without. This is
// the sparse forward mode of Griewank and Walther, Evaluating Derivatives
// (SIAM, 2008), chapter 7, as far as sparsity is known at compile time.

#include <type_traits>
#include <utility>

#include "ceres/internal/port.h"

namespace ceres::internal {

// How entries of type T are worked on: one by one.
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

// How entries of type T are worked on: kSize at a time. Memory is accessed
// through types that may alias entries, with the alignment of a piece or of an
// entry.
template <>
struct JetPiece<double> {
  static constexpr bool kIsVector = true;
  static constexpr int kSize = CERES_JET_PIECE_BYTES / sizeof(double);
  typedef double Type __attribute__((vector_size(CERES_JET_PIECE_BYTES)));
  typedef double Aligned
      __attribute__((vector_size(CERES_JET_PIECE_BYTES), may_alias));
  typedef double Unaligned __attribute__((vector_size(CERES_JET_PIECE_BYTES),
                                          may_alias, aligned(alignof(double))));
};

template <>
struct JetPiece<float> {
  static constexpr bool kIsVector = true;
  static constexpr int kSize = CERES_JET_PIECE_BYTES / sizeof(float);
  typedef float Type __attribute__((vector_size(CERES_JET_PIECE_BYTES)));
  typedef float Aligned
      __attribute__((vector_size(CERES_JET_PIECE_BYTES), may_alias));
  typedef float Unaligned __attribute__((vector_size(CERES_JET_PIECE_BYTES),
                                         may_alias, aligned(alignof(float))));
};

#undef CERES_JET_PIECE_BYTES

#endif  // defined(__GNUC__)

// An operation on at most this number of pieces is compiled without a loop. An
// operation on more pieces is a loop over runs of this number.
// Sanitizers add checks to every access, and get loops only.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kMaxUnrolledJetPieces = 1;
#else
inline constexpr int kMaxUnrolledJetPieces = 12;
#endif

template <typename T, int... kEntries>
CERES_ALWAYS_INLINE auto LoadJetEntries(std::integer_sequence<int, kEntries...>,
                                        const T* p) {
  const typename JetPiece<T>::Type piece = {p[kEntries]...};
  return piece;
}

template <typename T, int... kEntries>
CERES_ALWAYS_INLINE void StoreJetEntries(
    std::integer_sequence<int, kEntries...>,
    const typename JetPiece<T>::Type& piece, T* p) {
  ((p[kEntries] = piece[kEntries]), ...);
}

// kCount entries of a derivative vector, from entry `start` on: a piece, or
// what is left at the end. Entries beyond the end are loaded as zeros, and not
// stored.
template <typename Derivatives, int kCount>
struct JetPart {
  using T = typename Derivatives::Scalar;
  using Piece = JetPiece<T>;
  using Type = typename Piece::Type;
  static constexpr bool kIsFull = kCount == Piece::kSize;
  static constexpr bool kIsAligned = alignof(Derivatives) >= sizeof(Type);

  static CERES_ALWAYS_INLINE Type Load(const Derivatives& x, int start) {
    const T* p = x.data() + start;
    if constexpr (!kIsFull) {
      return LoadJetEntries(std::make_integer_sequence<int, kCount>(), p);
    } else if constexpr (kIsAligned) {
      return *reinterpret_cast<const typename Piece::Aligned*>(p);
    } else {
      return *reinterpret_cast<const typename Piece::Unaligned*>(p);
    }
  }

  static CERES_ALWAYS_INLINE void Store(const Type& piece, int start,
                                        Derivatives* z) {
    T* p = z->data() + start;
    if constexpr (!kIsFull) {
      StoreJetEntries(std::make_integer_sequence<int, kCount>(), piece, p);
    } else if constexpr (kIsAligned) {
      *reinterpret_cast<typename Piece::Aligned*>(p) = piece;
    } else {
      *reinterpret_cast<typename Piece::Unaligned*>(p) = piece;
    }
  }
};

template <int kCount, typename Op, typename Derivatives, typename... Inputs>
CERES_ALWAYS_INLINE void MapJetPart(const Op& op, int start, Derivatives* z,
                                    const Inputs&... x) {
  using Part = JetPart<Derivatives, kCount>;
  Part::Store(op(Part::Load(x, start)...), start, z);
}

template <int... kPieces, typename Op, typename Derivatives, typename... Inputs>
CERES_ALWAYS_INLINE void MapJetPieces(
    [[maybe_unused]] std::integer_sequence<int, kPieces...> pieces,
    [[maybe_unused]] const Op& op, [[maybe_unused]] int start,
    [[maybe_unused]] Derivatives* z, const Inputs&... x) {
  constexpr int kSize = JetPiece<typename Derivatives::Scalar>::kSize;
  (MapJetPart<kSize>(op, start + kPieces * kSize, z, x...), ...);
}

// z[i] = op(x[i]...) for all entries of z. op is a function of scalars, and of
// pieces. Derivatives and Inputs are the same Eigen::Matrix<T, N, 1>; z may be
// one of the x.
template <typename Op, typename Derivatives, typename... Inputs>
CERES_ALWAYS_INLINE void MapDerivatives(const Op& op, Derivatives* z,
                                        const Inputs&... x) {
  using Piece = JetPiece<typename Derivatives::Scalar>;
  constexpr int kEntries = Derivatives::RowsAtCompileTime;
  if constexpr (Piece::kIsVector) {
    constexpr int kRun = kMaxUnrolledJetPieces * Piece::kSize;
    constexpr int kRunsEnd = kEntries / kRun * kRun;
    for (int start = 0; start < kRunsEnd; start += kRun) {
      MapJetPieces(std::make_integer_sequence<int, kMaxUnrolledJetPieces>(), op,
                   start, z, x...);
    }
    constexpr int kRestOfPieces = (kEntries - kRunsEnd) / Piece::kSize;
    MapJetPieces(std::make_integer_sequence<int, kRestOfPieces>(), op, kRunsEnd,
                 z, x...);
    constexpr int kRest = kEntries % Piece::kSize;
    if constexpr (kRest != 0) {
      MapJetPart<kRest>(op, kEntries - kRest, z, x...);
    }
  } else {
    for (int i = 0; i < kEntries; ++i) {
      z->data()[i] = op(x.data()[i]...);
    }
  }
}

template <typename V, int... kEntries>
CERES_ALWAYS_INLINE bool AllEntriesAreZero(
    [[maybe_unused]] std::integer_sequence<int, kEntries...> entries,
    const V& x) {
  return ((x[kEntries] == 0) & ...);
}

// Whether the compiler knows that a piece is zero. Not in builds that do not
// optimize or have sanitizers' checks, nor for entries that are worked on one
// by one.
template <typename V>
CERES_ALWAYS_INLINE bool IsKnownZeroPiece([[maybe_unused]] const V& x) {
#if defined(__GNUC__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if constexpr (!std::is_arithmetic_v<V> && !std::is_class_v<V>) {
    constexpr int kSize = sizeof(V) / sizeof(x[0]);
    const bool is_zero =
        AllEntriesAreZero(std::make_integer_sequence<int, kSize>(), x);
    return __builtin_constant_p(is_zero) & is_zero;
  }
#endif
  return false;
}

// p x, x + y, x - y.
template <typename T, typename V>
CERES_ALWAYS_INLINE V JetProduct(const T& p, const V& x) {
  if (IsKnownZeroPiece(x)) return x;
  return p * x;
}

template <typename V>
CERES_ALWAYS_INLINE V JetSum(const V& x, const V& y) {
  if (IsKnownZeroPiece(x)) return y;
  if (IsKnownZeroPiece(y)) return x;
  return x + y;
}

template <typename V>
CERES_ALWAYS_INLINE V JetDifference(const V& x, const V& y) {
  if (IsKnownZeroPiece(x)) return -y;
  if (IsKnownZeroPiece(y)) return x;
  return x - y;
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
    return JetSum(x, y);
  }
};

struct JetSubtract {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return JetDifference(x, y);
  }
};

// p x, p x + q y, p x + q y + r z.
template <typename T>
struct JetCombine {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x) const {
    return JetProduct(p, x);
  }
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return JetSum(JetProduct(p, x), JetProduct(q, y));
  }
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y, const V& z) const {
    return JetSum(JetSum(JetProduct(p, x), JetProduct(q, y)), JetProduct(r, z));
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
    return JetSum(JetSum(JetProduct(p, x), JetProduct(q, y)), z);
  }
  T p;
  T q;
};

// (x - p y) q.
template <typename T>
struct JetQuotient {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x, const V& y) const {
    return JetProduct(q, JetDifference(x, JetProduct(p, y)));
  }
  T p;
  T q;
};

// Sets all entries of z to zero.
template <typename Derivatives>
CERES_ALWAYS_INLINE void SetZeroDerivatives(Derivatives* z) {
  using T = typename Derivatives::Scalar;
  if constexpr (JetPiece<T>::kIsVector) {
    MapDerivatives([]() { return typename JetPiece<T>::Type{}; }, z);
  } else {
    MapDerivatives([]() { return T(0); }, z);
  }
}

// Sets all entries of z to zero but entry k, which becomes one.
template <typename Derivatives>
CERES_ALWAYS_INLINE void SetUnitDerivatives(int k, Derivatives* z) {
  SetZeroDerivatives(z);
  z->data()[k] = typename Derivatives::Scalar(1);
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_JET_DERIVATIVE_H_
