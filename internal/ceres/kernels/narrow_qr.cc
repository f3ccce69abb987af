// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/narrow_qr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/narrow_qr.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kWidth>
class Narrow {
 public:
  using Tag = hn::CappedTag<double, kWidth>;
  using Vec = hn::Vec<Tag>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
  static constexpr int kVectors = kWidth / kLanes;

  struct Row {
    HWY_INLINE Row() {}
    Vec part[kVectors];
  };

  // A lane in all lanes. Through memory where the row is several vectors.
  static HWY_INLINE Vec Broadcast(const Row& row, int lane) {
    const Tag d;
    if constexpr (kVectors == 1) {
      const auto indices = hn::Set(hn::RebindToSigned<Tag>(), lane);
      return hn::TableLookupLanes(row.part[0], hn::IndicesFromVec(d, indices));
    } else {
      HWY_ALIGN double values[kWidth];
      Store(row, values);
      return hn::Set(d, values[lane]);
    }
  }

  static HWY_INLINE Row Load(const double* row) {
    Row result;
    for (int v = 0; v < kVectors; ++v) {
      result.part[v] = hn::Load(Tag(), row + v * kLanes);
    }
    return result;
  }
  static HWY_INLINE void Store(const Row& row, double* to) {
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(row.part[v], Tag(), to + v * kLanes);
    }
  }
  // sum + factor row, and sum - factor row
  static HWY_INLINE Row Add(const Row& sum, Vec factor, const Row& row) {
    Row result;
    for (int v = 0; v < kVectors; ++v) {
      result.part[v] = hn::MulAdd(factor, row.part[v], sum.part[v]);
    }
    return result;
  }
  static HWY_INLINE Row Subtract(const Row& sum, Vec factor, const Row& row) {
    Row result;
    for (int v = 0; v < kVectors; ++v) {
      result.part[v] = hn::NegMulAdd(factor, row.part[v], sum.part[v]);
    }
    return result;
  }

  static constexpr int kSums = 4;

  // Sums in an order that depends on the number of terms alone, which does not
  // wait for each addition.
  class Sum {
   public:
    HWY_INLINE Sum() {
      for (Row& row : sums_) {
        for (int v = 0; v < kVectors; ++v) row.part[v] = hn::Zero(Tag());
      }
    }
    HWY_INLINE void Add(int lane, Vec factor, const Row& row) {
      sums_[lane] = Narrow::Add(sums_[lane], factor, row);
    }
    HWY_INLINE Row Total() const {
      Row total;
      for (int v = 0; v < kVectors; ++v) {
        total.part[v] = hn::Add(hn::Add(sums_[0].part[v], sums_[1].part[v]),
                                hn::Add(sums_[2].part[v], sums_[3].part[v]));
      }
      return total;
    }

   private:
    Row sums_[kSums];
  };
  // x'y of all columns y, x being the first.
  static HWY_INLINE Row FirstProducts(const NarrowMatrix& m, int num_rows) {
    Sum sum;
    const auto add = [&](int lane, const double* row) HWY_ATTR {
      sum.Add(lane, hn::Set(Tag(), row[1]), Load(row));
    };
    const double* row = m.values;
    int i = 0;
    for (; i + kSums <= num_rows; i += kSums, row += kSums * kWidth) {
      add(0, row);
      add(1, row + kWidth);
      add(2, row + 2 * kWidth);
      add(3, row + 3 * kWidth);
    }
    for (; i < num_rows; ++i, row += kWidth) add(0, row);
    return sum.Total();
  }

  // Takes x_i times `factors` from the rows i of [begin, end), x being column
  // `lane`. Returns x'y of all columns y, x now being the column after, over
  // these rows and that after them, if there is one (num_more_rows).
  static HWY_INLINE Row Reflect(const NarrowMatrix& m, int lane, int begin,
                                int end, int num_more_rows, const Row& factors,
                                Vec next_factors) {
    const Tag d;
    Sum sum;
    const auto reflect = [&](int which, double* row) HWY_ATTR {
      const Vec x = hn::Set(d, row[lane]);
      // The row's next value beside x, without waiting for it to be stored.
      const Vec next =
          hn::NegMulAdd(x, next_factors, hn::Set(d, row[lane + 1]));
      const Row reflected = Subtract(Load(row), x, factors);
      Store(reflected, row);
      sum.Add(which, next, reflected);
    };
    double* row = m.row(begin);
    int i = begin;
    for (; i + kSums <= end; i += kSums, row += kSums * kWidth) {
      reflect(0, row);
      reflect(1, row + kWidth);
      reflect(2, row + 2 * kWidth);
      reflect(3, row + 3 * kWidth);
    }
    for (; i < end; ++i, row += kWidth) reflect(0, row);
    if (num_more_rows > 0) {
      sum.Add(1, hn::Set(d, row[lane + 1]), Load(row));
    }
    return sum.Total();
  }

  static void Triangularize(const NarrowMatrix& m) {
    const auto num_rows_of_step = [&m](int k) {
      return std::min(m.num_rows, m.num_dense_rows + k + 1);
    };
    Row sums = FirstProducts(m, num_rows_of_step(0));
    for (int k = 0; k < m.num_pivots; ++k) {
      const int lane = k + 1;
      double* const row = m.row(k);
      const double sigma = hn::GetLane(Broadcast(sums, lane));
      const double alpha = row[lane];
      const double beta = WithOppositeSign(std::sqrt(sigma), alpha);
      // A column of zeros stays as it is, and so does the matrix.
      const double inverse = sigma == 0.0 ? 0.0 : 1.0 / (sigma - alpha * beta);
      const Row top = Load(row);
      Row f = Subtract(sums, hn::Set(Tag(), beta), top);
      for (int v = 0; v < kVectors; ++v) {
        f.part[v] = hn::Mul(f.part[v], hn::Set(Tag(), inverse));
      }
      // y_0 becomes x'y / beta, which is zero exactly if all of its terms are.
      // (A division of the whole row would keep the divider from what the next
      // column waits for.)
      if (sigma != 0.0) {
        const Vec inverse_beta = hn::Set(Tag(), 1.0 / beta);
        for (int v = 0; v < kVectors; ++v) {
          sums.part[v] = hn::Mul(sums.part[v], inverse_beta);
        }
        Store(sums, row);
        row[lane] = beta;
      }
      if (k + 1 == m.num_pivots) break;
      const int end = num_rows_of_step(k);
      sums = Reflect(m, lane, k + 1, end, num_rows_of_step(k + 1) - end, f,
                     Broadcast(f, lane + 1));
    }
  }

  // Without a branch, which would be predicted wrongly every other time.
  static HWY_INLINE double WithOppositeSign(double norm, double alpha) {
    const hn::CappedTag<double, 1> d;
    const auto n = hn::Set(d, norm);
    return hn::GetLane(
        hn::IfThenElse(hn::Gt(hn::Set(d, alpha), hn::Zero(d)), hn::Neg(n), n));
  }

  static void Fill(const NarrowSource& source, const NarrowMatrix& m) {
    if (source.places == nullptr) {
      FillFromRows(source.values, m);
    } else {
      Gather(source.values, source.places, m);
    }
    if (m.num_rows > m.num_dense_rows) FillDiagonal(source.diagonal, m);
  }

 private:
  static HWY_INLINE void FillFromRows(const double* rows,
                                      const NarrowMatrix& m) {
    const Tag d;
    const int length = m.num_pivots + 1;
    double* to = m.values;
    for (int i = 0; i < m.num_dense_rows; ++i, rows += length, to += kWidth) {
      for (int v = 0; v < kVectors; ++v) {
        const int left = std::clamp(length - v * kLanes, 0, kLanes);
        const Vec values = hn::LoadU(d, rows + v * kLanes);
        hn::Store(hn::IfThenElseZero(hn::FirstN(d, left), values), d,
                  to + v * kLanes);
      }
    }
  }

  static HWY_INLINE void Gather(const double* values,
                                const std::int64_t* places,
                                const NarrowMatrix& m) {
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    double* const end = m.row(m.num_dense_rows);
    for (double* to = m.values; to != end; to += kLanes, places += kLanes) {
      const auto place = hn::LoadU(di, places);
      const auto is_zero = hn::RebindMask(d, hn::Lt(place, hn::Zero(di)));
      const Vec gathered =
          hn::GatherIndex(d, values, hn::Max(place, hn::Zero(di)));
      hn::Store(hn::IfThenZeroElse(is_zero, gathered), d, to);
    }
  }

  // Whole vectors: what is stored by halves is not there for a while for loads
  // of all.
  static HWY_INLINE void FillDiagonal(const double* diagonal,
                                      const NarrowMatrix& m) {
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    for (int j = 0; j < m.num_pivots; ++j) {
      double* const to = m.row(m.num_dense_rows + j);
      const Vec value = hn::Set(d, diagonal[j]);
      for (int v = 0; v < kVectors; ++v) {
        const auto is_there = hn::RebindMask(
            d, hn::Eq(hn::Iota(di, v * kLanes), hn::Set(di, j + 1)));
        hn::Store(hn::IfThenElseZero(is_there, value), d, to + v * kLanes);
      }
    }
  }
};

void TriangularizeOfWidth(const NarrowMatrix& matrix) {
  if (matrix.width == 4) {
    Narrow<4>::Triangularize(matrix);
  } else {
    Narrow<8>::Triangularize(matrix);
  }
}

void FillOfWidth(const NarrowSource& source, const NarrowMatrix& matrix) {
  if (matrix.width == 4) {
    Narrow<4>::Fill(source, matrix);
  } else {
    Narrow<8>::Fill(source, matrix);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(TriangularizeOfWidth);
HWY_EXPORT(FillOfWidth);

void TriangularizeNarrow(const NarrowMatrix& matrix) {
  HWY_DYNAMIC_DISPATCH(TriangularizeOfWidth)(matrix);
}

void FillNarrow(const NarrowSource& source, const NarrowMatrix& matrix) {
  HWY_DYNAMIC_DISPATCH(FillOfWidth)(source, matrix);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
