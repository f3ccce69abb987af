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
constexpr int64_t kPiece = 512;

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

  // All entries of the line one after the other.
  const double* ReadAll(int64_t begin, int64_t count, double* memory) const {
    const Numbers numbers = Read(begin, count, memory);
    if (!numbers.is_constant) return numbers.at;
    std::fill_n(memory, count, *numbers.at);
    return memory;
  }

  // Entries of the line, which may be copied to `memory`.
  Numbers Read(int64_t begin, int64_t count, double* memory,
               int64_t column = 0) const {
    if (data_ == nullptr) return {};
    const double* from = line_ + column * column_stride_ + begin * inner_;
    if (inner_ == 1 || inner_ == 0) return {from, inner_ == 0};
    for (int64_t i = 0; i < count; ++i) memory[i] = from[i * inner_];
    return {memory, false};
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

VESTA_CLONES void Scale(const double* d, double slope, int64_t count,
                        double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = slope * d[i];
}

VESTA_CLONES void AddScaled(const double* d, double slope, int64_t count,
                            double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] += slope * d[i];
}

VESTA_CLONES void Multiply(const double* d, const double* slope, int64_t count,
                           double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = d[i] * slope[i];
}

VESTA_CLONES void AddProduct(const double* d, const double* slope,
                             int64_t count, double* to) {
  for (int64_t i = 0; i < count; ++i) to[i] += d[i] * slope[i];
}

// to = slope * d, or to += slope * d.
void Take(Numbers slope, Numbers d, int64_t count, bool adds, double* to) {
  if (slope.is_constant && d.is_constant) {
    const double product = *slope.at * *d.at;
    if (!adds) std::fill_n(to, count, product);
    for (int64_t i = 0; adds && i < count; ++i) to[i] += product;
  } else if (slope.is_constant || d.is_constant) {
    if (d.is_constant) std::swap(slope, d);
    (adds ? AddScaled : Scale)(d.at, *slope.at, count, to);
  } else {
    (adds ? AddProduct : Multiply)(d.at, slope.at, count, to);
  }
}

// The memory that a piece needs.
struct Memory {
  double x[kPiece];
  double y[kPiece];
  double z[kPiece];
  double companion[kPiece];
  double by_x[kPiece];
  double by_y[kPiece];
  double derivative[kPiece];
};

// The slopes of a piece, as far as they are wanted.
struct PieceSlopes {
  Numbers by_x;
  Numbers by_y;
};

// Adds slope * derivative of one argument for column c, if it has this column.
// `next` is the first of its columns that has not been used.
void AddColumn(const Argument& argument, int64_t c, size_t* next,
               const Numbers& slope, int64_t begin, int64_t count,
               double* memory, bool* is_set, double* to) {
  if (!argument.has_columns() || *next >= argument.columns->size() ||
      (*argument.columns)[*next] != c) {
    return;
  }
  const Numbers d = argument.derivative.Read(begin, count, memory,
                                             static_cast<int64_t>((*next)++));
  Take(slope, d, count, std::exchange(*is_set, true), to);
}

// A result without its numbers. With `values`, memory for values is not needed.
Dual NewResult(const Extent& extent, const DoubleView* values,
               std::shared_ptr<const DualColumns> columns) {
  static const auto kNone = std::make_shared<const DualColumns>();
  Dual result;
  result.columns = columns == nullptr ? kNone : std::move(columns);
  const int64_t num_columns = static_cast<int64_t>(result.columns->size());
  const int64_t num_arrays = num_columns + (values == nullptr ? 1 : 0);
  const std::shared_ptr<double> memory =
      NewDoubles(std::max<int64_t>(num_arrays * extent.size, 1));
  extent.Describe(&result.derivative, 1);
  result.derivative.data = memory.get();
  result.derivative.memory = memory;
  result.derivative.shape[0] = num_columns;
  result.derivative.strides[0] = extent.size;
  if (values != nullptr) {
    result.value = *values;
  } else {
    extent.Describe(&result.value, 0);
    result.value.data = memory.get() + num_columns * extent.size;
    result.value.memory = memory;
  }
  return result;
}

// Computes all entries. source(begin, count, memory, z) returns slopes, and
// writes values to z unless it is null; seek(index) says which line is next.
template <class Seek, class Source>
Dual Compute(const Extent& extent, Argument x, Argument y,
             const DoubleView* known_values,
             std::shared_ptr<const DualColumns> columns, const Seek& seek,
             const Source& source) {
  Dual result = NewResult(extent, known_values, std::move(columns));
  const int64_t num_columns = static_cast<int64_t>(result.columns->size());
  double* const derivatives = const_cast<double*>(result.derivative.data);
  double* const values = known_values != nullptr
                             ? nullptr
                             : const_cast<double*>(result.value.data);
  Memory memory;
  int64_t index[kMaxDimensions] = {};
  for (int64_t at = 0; at < extent.size; at += extent.length) {
    seek(index);
    x.derivative.Seek(index, extent.ndim);
    y.derivative.Seek(index, extent.ndim);
    for (int64_t begin = 0; begin < extent.length; begin += kPiece) {
      const int64_t count = std::min(kPiece, extent.length - begin);
      const PieceSlopes slopes =
          source(begin, count, &memory,
                 values == nullptr ? nullptr : values + at + begin);
      size_t next_x = 0;
      size_t next_y = 0;
      for (int64_t k = 0; k < num_columns; ++k) {
        double* to = derivatives + k * extent.size + at + begin;
        const int64_t c = (*result.columns)[static_cast<size_t>(k)];
        bool is_set = false;
        AddColumn(x, c, &next_x, slopes.by_x, begin, count, memory.derivative,
                  &is_set, to);
        AddColumn(y, c, &next_y, slopes.by_y, begin, count, memory.derivative,
                  &is_set, to);
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
Numbers ReadFactors(const Reader& factor, int64_t begin, int64_t count,
                    double* memory) {
  static const double kOne = 1.0;
  if (!factor.is_there()) return {&kOne, true};
  return factor.Read(begin, count, memory);
}

}  // namespace

Dual ApplyRule(const NamedRule& rule, const DualInput& x, const DualInput& y,
               const KnownValues& known) {
  Extent extent;
  extent.Include(*x.value);
  if (y.value != nullptr) extent.Include(*y.value);
  extent.ChooseOrder();
  const Argument first(x, extent);
  const Argument second(y, extent);
  Reader x_values = first.value;
  Reader y_values = second.value;
  Reader z_values(known.z, extent);
  Reader companion(known.companion, extent);
  const auto seek = [&](const int64_t* index) {
    for (Reader* reader : {&x_values, &y_values, &z_values, &companion}) {
      reader->Seek(index, extent.ndim);
    }
  };
  const auto source = [&](int64_t begin, int64_t count, Memory* memory,
                          double* z) {
    RulePiece piece;
    piece.count = count;
    piece.x = x_values.Read(begin, count, memory->x);
    piece.y = y_values.Read(begin, count, memory->y);
    piece.companion = companion.Read(begin, count, memory->companion);
    if (z != nullptr) {
      rule.values(piece, z);
      piece.z = z;
    } else {
      piece.z = z_values.ReadAll(begin, count, memory->z);
    }
    PieceSlopes slopes;
    if (first.has_columns()) slopes.by_x = rule.by_x(piece, memory->by_x);
    if (second.has_columns()) slopes.by_y = rule.by_y(piece, memory->by_y);
    return slopes;
  };
  return Compute(extent, first, second, known.z, Union(x.columns, y.columns),
                 seek, source);
}

Dual Combine(const DoubleView& value, const DualInput& x,
             const DoubleView* by_x, const DualInput& y,
             const DoubleView* by_y) {
  Extent extent;
  extent.Include(value);
  extent.ChooseOrder();
  Reader x_factors(by_x, extent);
  Reader y_factors(by_y, extent);
  const auto seek = [&](const int64_t* index) {
    x_factors.Seek(index, extent.ndim);
    y_factors.Seek(index, extent.ndim);
  };
  const auto source = [&](int64_t begin, int64_t count, Memory* memory,
                          double*) {
    return PieceSlopes{ReadFactors(x_factors, begin, count, memory->by_x),
                       ReadFactors(y_factors, begin, count, memory->by_y)};
  };
  return Compute(extent, Argument(x, extent), Argument(y, extent), &value,
                 Union(x.columns, y.columns), seek, source);
}

}  // namespace vesta::python
