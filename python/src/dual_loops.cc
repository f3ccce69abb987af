// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The loops over the entries of dual arrays.
//
// Arrays are read along the longest axis of the result, in pieces that stay in
// the cache: values and slopes of a piece first, then its derivatives, column
// by column. In the memory of a result the longest axis is the last one.

#include <algorithm>
#include <utility>

#include "dual_rules.h"

namespace vesta::python {
namespace {

constexpr int kMaxDimensions = DoubleView::kMaxDimensions;
constexpr int64_t kPiece = 1024;

// The shape of a result, and the order in which it is visited.
struct Extent {
  int ndim = 0;
  int64_t shape[kMaxDimensions] = {};
  int inner = 0;  // the longest axis
  int64_t length = 1;
  int64_t size = 1;

  void Include(const DoubleView& view, bool has_columns = false) {
    const int skip = has_columns ? 1 : 0;
    const int dimensions = view.ndim - skip;
    if (dimensions > ndim) {
      std::copy_backward(shape, shape + ndim, shape + dimensions);
      std::fill_n(shape, dimensions - ndim, 1);
      ndim = dimensions;
    }
    for (int a = 0; a < dimensions; ++a) {
      int64_t& known = shape[ndim - dimensions + a];
      const int64_t n = view.shape[a + skip];
      if (known == 1) known = n;
      if (n != 1 && n != known) {
        RaiseValueError(
            "operands could not be broadcast together: one has the length " +
            std::to_string(known) + " where the other has " +
            std::to_string(n) + ".");
      }
    }
  }

  void ChooseOrder() {
    if (ndim >= kMaxDimensions) {
      RaiseTypeError("vesta.autodiff: expected at most " +
                     std::to_string(kMaxDimensions - 1) + " dimensions.");
    }
    for (int a = 0; a < ndim; ++a) {
      if (shape[a] >= length) {
        length = shape[a];
        inner = a;
      }
      size *= shape[a];
    }
    if (size == 0) length = 0;
  }

  // Describes memory in which the result stands.
  void Describe(DoubleView* view, int skip) const {
    view->ndim = ndim + skip;
    int64_t stride = ndim > 0 ? length : 1;
    for (int a = ndim - 1; a >= 0; --a) {
      view->shape[a + skip] = shape[a];
      view->strides[a + skip] = a == inner ? 1 : stride;
      if (a != inner) stride *= shape[a];
    }
  }
};

// Reads a view as if it had the shape of the result.
class Reader {
 public:
  Reader() = default;
  Reader(const DoubleView* view, const Extent& extent, bool has_columns = false)
      : data_(view == nullptr ? nullptr : view->data) {
    if (data_ == nullptr) return;
    const int skip = has_columns ? 1 : 0;
    if (has_columns) column_stride_ = view->strides[0];
    const int missing = extent.ndim - (view->ndim - skip);
    for (int a = missing; a < extent.ndim; ++a) {
      const int from = a - missing + skip;
      if (view->shape[from] != 1) strides_[a] = view->strides[from];
    }
    inner_ = extent.ndim > 0 ? strides_[extent.inner] : 0;
  }

  bool is_there() const { return data_ != nullptr; }

  void Seek(const int64_t* index, int ndim) {
    line_ = data_;
    if (data_ == nullptr) return;
    for (int a = 0; a < ndim; ++a) line_ += index[a] * strides_[a];
  }

  // Entries of the line, which may be copied to `memory`.
  const double* Read(int64_t begin, int64_t count, double* memory,
                     int64_t column = 0) const {
    const double* from = line_ + column * column_stride_ + begin * inner_;
    if (inner_ == 1) return from;
    for (int64_t i = 0; i < count; ++i) memory[i] = from[i * inner_];
    return memory;
  }

 private:
  const double* data_ = nullptr;
  const double* line_ = nullptr;
  int64_t strides_[kMaxDimensions] = {};
  int64_t inner_ = 0;
  int64_t column_stride_ = 0;
};

std::shared_ptr<const DualColumns> Union(
    const std::shared_ptr<const DualColumns>& a,
    const std::shared_ptr<const DualColumns>& b) {
  if (b == nullptr || b->empty() || a == b) return a;
  if (a == nullptr || a->empty() || *a == *b) return b;
  auto result = std::make_shared<DualColumns>();
  std::set_union(a->begin(), a->end(), b->begin(), b->end(),
                 std::back_inserter(*result));
  return result;
}

// One argument of a function, read piece by piece.
struct Argument {
  Argument(const DualInput& input, const Extent& extent)
      : value(input.value, extent), columns(input.columns.get()) {
    if (has_columns()) derivative = Reader(input.derivative, extent, true);
  }
  bool has_columns() const { return columns != nullptr && !columns->empty(); }

  Reader value;
  Reader derivative;
  const DualColumns* columns;
};

// The loops that take the time of large arrays, for AVX2 where there is it.
#if defined(__GNUC__) && defined(__x86_64__) && defined(__linux__)
#define VESTA_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define VESTA_CLONES
#endif

VESTA_CLONES void Multiply(const double* d, const double* slope, int64_t count,
                           double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = d[i] * slope[i];
}

VESTA_CLONES void AddProduct(const double* d, const double* slope,
                             int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] += d[i] * slope[i];
}

// Adds slope * derivative of one argument for column c, if it has this column.
// `next` is the first of its columns that has not been used.
void AddColumn(const Argument& argument, int64_t c, size_t* next,
               const double* slope, int64_t begin, int64_t count,
               double* memory, bool* is_set, double* to) {
  if (!argument.has_columns() || *next >= argument.columns->size() ||
      (*argument.columns)[*next] != c) {
    return;
  }
  const double* d = argument.derivative.Read(begin, count, memory,
                                             static_cast<int64_t>((*next)++));
  if (*is_set) {
    AddProduct(d, slope, count, to);
  } else {
    Multiply(d, slope, count, to);
    *is_set = true;
  }
}

// The memory that a piece needs.
struct Piece {
  double x[kPiece];
  double y[kPiece];
  double by_x[kPiece];
  double by_y[kPiece];
};

// Computes all entries. source(begin, count, piece, z) writes values, and the
// slopes to the piece; seek(index) says which line is next.
template <class Seek, class Source>
Dual Compute(const Extent& extent, Argument x, Argument y,
             std::shared_ptr<const DualColumns> columns, const Seek& seek,
             const Source& source) {
  static const auto kNone = std::make_shared<const DualColumns>();
  Dual result;
  result.columns = columns == nullptr ? kNone : std::move(columns);
  const int64_t num_columns = static_cast<int64_t>(result.columns->size());
  const std::shared_ptr<double> memory =
      NewDoubles((1 + num_columns) * std::max<int64_t>(extent.size, 1));
  double* const values = memory.get();
  extent.Describe(&result.value, 0);
  extent.Describe(&result.derivative, 1);
  result.value.data = values;
  result.value.memory = memory;
  result.derivative.data = values + extent.size;
  result.derivative.memory = memory;
  result.derivative.shape[0] = num_columns;
  result.derivative.strides[0] = extent.size;

  Piece piece;
  int64_t index[kMaxDimensions] = {};
  for (int64_t at = 0; at < extent.size; at += extent.length) {
    seek(index);
    x.derivative.Seek(index, extent.ndim);
    y.derivative.Seek(index, extent.ndim);
    for (int64_t begin = 0; begin < extent.length; begin += kPiece) {
      const int64_t count = std::min(kPiece, extent.length - begin);
      source(begin, count, &piece, values + at + begin);
      size_t next_x = 0;
      size_t next_y = 0;
      for (int64_t k = 0; k < num_columns; ++k) {
        double* to = values + (1 + k) * extent.size + at + begin;
        const int64_t c = (*result.columns)[static_cast<size_t>(k)];
        bool is_set = false;
        AddColumn(x, c, &next_x, piece.by_x, begin, count, piece.x, &is_set,
                  to);
        AddColumn(y, c, &next_y, piece.by_y, begin, count, piece.y, &is_set,
                  to);
      }
    }
    for (int a = extent.ndim - 1; a >= 0; --a) {
      if (a == extent.inner) continue;
      if (++index[a] < extent.shape[a]) break;
      index[a] = 0;
    }
  }
  return result;
}

// The factors of a piece: an array, or ones.
void ReadFactors(const Reader& factor, int64_t begin, int64_t count,
                 double* to) {
  if (!factor.is_there()) {
    std::fill_n(to, count, 1.0);
    return;
  }
  const double* from = factor.Read(begin, count, to);
  if (from != to) std::copy_n(from, count, to);
}

}  // namespace

Dual ApplyRule(const DualRule& rule, const DualInput& x, const DualInput& y) {
  Extent extent;
  extent.Include(*x.value);
  if (y.value != nullptr) extent.Include(*y.value);
  extent.ChooseOrder();
  const Argument first(x, extent);
  const Argument second(y, extent);
  Reader x_values = first.value;
  Reader y_values = second.value;
  const auto seek = [&](const int64_t* index) {
    x_values.Seek(index, extent.ndim);
    y_values.Seek(index, extent.ndim);
  };
  const auto source = [&](int64_t begin, int64_t count, Piece* piece,
                          double* z) {
    const double* a = x_values.Read(begin, count, piece->x);
    const double* b =
        y_values.is_there() ? y_values.Read(begin, count, piece->y) : nullptr;
    rule(a, b, count, z, first.has_columns() ? piece->by_x : nullptr,
         second.has_columns() ? piece->by_y : nullptr);
  };
  return Compute(extent, first, second, Union(x.columns, y.columns), seek,
                 source);
}

Dual Combine(const DoubleView& value, const DualInput& x,
             const DoubleView* by_x, const DualInput& y,
             const DoubleView* by_y) {
  Extent extent;
  extent.Include(value);
  extent.ChooseOrder();
  Reader values(&value, extent);
  Reader x_factors(by_x, extent);
  Reader y_factors(by_y, extent);
  const auto seek = [&](const int64_t* index) {
    for (Reader* reader : {&values, &x_factors, &y_factors}) {
      reader->Seek(index, extent.ndim);
    }
  };
  const auto source = [&](int64_t begin, int64_t count, Piece* piece,
                          double* z) {
    const double* from = values.Read(begin, count, z);
    if (from != z) std::copy_n(from, count, z);
    ReadFactors(x_factors, begin, count, piece->by_x);
    ReadFactors(y_factors, begin, count, piece->by_y);
  };
  return Compute(extent, Argument(x, extent), Argument(y, extent),
                 Union(x.columns, y.columns), seek, source);
}

}  // namespace vesta::python
