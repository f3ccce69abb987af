// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fits/lane_kernels.h"

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/fits/lane_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After these, once per instruction set.
#include "ceres/fits/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::fits {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectorSize = static_cast<int>(hn::MaxLanes(Tag()));

// Rows of one instruction. Strides are those from sample to sample.
struct Operands {
  const double *a, *b, *c;
  int a_stride, b_stride, c_stride;
  double* target;
  int num_samples;
};

template <typename F>
HWY_INLINE void ForEachVector(const Operands& rows, const F& f) {
  // Copies, which stores cannot change.
  const double *a = rows.a, *b = rows.b, *c = rows.c;
  const std::ptrdiff_t a_stride = rows.a_stride, b_stride = rows.b_stride,
                       c_stride = rows.c_stride;
  double* target = rows.target;
  const int num_samples = rows.num_samples;
  for (int s = 0; s < num_samples; ++s) {
    for (int v = 0; v < kLanes; v += kVectorSize) {
      hn::Store(f(a + v, b + v, c + v), Tag(), target + v);
    }
    a += a_stride;
    b += b_stride;
    c += c_stride;
    target += kLanes;
  }
}

template <typename F>
HWY_INLINE void Unary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double*, const double*) {
    return f(hn::Load(Tag(), a));
  });
}

template <typename F>
HWY_INLINE void Binary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double* b, const double*) {
    return f(hn::Load(Tag(), a), hn::Load(Tag(), b));
  });
}

HWY_INLINE Vec Truth(Mask mask) {
  return hn::IfThenElseZero(mask, Number(1.0));
}

// One value at a time, by the C library.
HWY_INLINE void Library(const Operands& rows, double (*f)(double)) {
  for (int s = 0; s < rows.num_samples; ++s) {
    for (int i = 0; i < kLanes; ++i) {
      rows.target[s * kLanes + i] = f(rows.a[s * rows.a_stride + i]);
    }
  }
}

void RunLibrary(Operation operation, const Operands& rows) {
  switch (operation) {
    case Operation::kExpm1:
      return Library(rows, std::expm1);
    case Operation::kTan:
      return Library(rows, std::tan);
    case Operation::kAsin:
      return Library(rows, std::asin);
    case Operation::kAcos:
      return Library(rows, std::acos);
    case Operation::kSinh:
      return Library(rows, std::sinh);
    case Operation::kCosh:
      return Library(rows, std::cosh);
    case Operation::kTanh:
      return Library(rows, std::tanh);
    case Operation::kFloor:
      return Unary(rows, [](Vec a) { return hn::Floor(a); });
    default:
      return Unary(rows, [](Vec a) { return hn::Ceil(a); });
  }
}

void RunFunction(Operation operation, const Operands& rows) {
  switch (operation) {
    case Operation::kExp:
      return Unary(rows, [](Vec a) { return Exp(a); });
    case Operation::kLog:
      return Unary(rows, [](Vec a) { return Log(a); });
    case Operation::kLog1p:
      return Unary(rows, [](Vec a) { return Log1p(a); });
    case Operation::kSin:
      return Unary(rows, [](Vec a) { return Sin(a); });
    case Operation::kCos:
      return Unary(rows, [](Vec a) { return Cos(a); });
    case Operation::kAtan:
      return Unary(rows, [](Vec a) { return Atan(a); });
    case Operation::kAtan2:
      return Binary(rows, [](Vec a, Vec b) { return Atan2(a, b); });
    case Operation::kPow:
      return Binary(rows, [](Vec a, Vec b) { return Pow(a, b); });
    case Operation::kErf:
      return Unary(rows, [](Vec a) { return Erf(a); });
    case Operation::kErfc:
      return Unary(rows, [](Vec a) { return Erfc(a); });
    default:
      return RunLibrary(operation, rows);
  }
}

void Run(Operation operation, const Operands& rows) {
  switch (operation) {
    case Operation::kAdd:
      return Binary(rows, [](Vec a, Vec b) { return hn::Add(a, b); });
    case Operation::kSubtract:
      return Binary(rows, [](Vec a, Vec b) { return hn::Sub(a, b); });
    case Operation::kMultiply:
      return Binary(rows, [](Vec a, Vec b) { return hn::Mul(a, b); });
    case Operation::kDivide:
      return Binary(rows, [](Vec a, Vec b) { return hn::Div(a, b); });
    case Operation::kNegate:
      return Unary(rows, [](Vec a) { return hn::Neg(a); });
    case Operation::kAbs:
      return Unary(rows, [](Vec a) { return hn::Abs(a); });
    case Operation::kSqrt:
      return Unary(rows, [](Vec a) { return hn::Sqrt(a); });
    case Operation::kLess:
      return Binary(rows, [](Vec a, Vec b) { return Truth(hn::Lt(a, b)); });
    case Operation::kLessOrEqual:
      return Binary(rows, [](Vec a, Vec b) { return Truth(hn::Le(a, b)); });
    case Operation::kEqual:
      return Binary(rows, [](Vec a, Vec b) { return Truth(hn::Eq(a, b)); });
    case Operation::kSelect:
      return ForEachVector(
          rows, [](const double* a, const double* b, const double* c) {
            const Tag d;
            return hn::IfThenElse(hn::Ne(hn::Load(d, a), hn::Zero(d)),
                                  hn::Load(d, b), hn::Load(d, c));
          });
    default:
      return RunFunction(operation, rows);
  }
}

void RunCodeInLanes(const Instruction* code, int num_instructions,
                    const ProgramMemory& memory, int num_samples) {
  for (int i = 0; i < num_instructions; ++i) {
    const Row a = RowOf(code[i].a, memory);
    const Row b = RowOf(code[i].b, memory);
    const Row c = RowOf(code[i].c, memory);
    // A target is in memory that may be written.
    double* const target =
        const_cast<double*>(RowOf(code[i].target, memory).values);
    Run(code[i].operation,
        {a.values, b.values, c.values, a.is_uniform ? 0 : kLanes,
         b.is_uniform ? 0 : kLanes, c.is_uniform ? 0 : kLanes, target,
         num_samples});
  }
}

// f(0), ..., f(N - 1) with constants, so that arrays of vectors which they
// index become registers.
template <typename F, int... I>
HWY_INLINE void ForConstants(const F& f, std::integer_sequence<int, I...>) {
  (f(std::integral_constant<int, I>()), ...);
}
template <int N, typename F>
HWY_INLINE void ForConstants(const F& f) {
  ForConstants(f, std::make_integer_sequence<int, N>());
}

// Rows from a lane on.
template <int N>
struct RowPointers {
  HWY_INLINE RowPointers(const Row* rows, int lane) {
    for (int i = 0; i < N; ++i) {
      values[i] = rows[i].values + lane;
      strides[i] = rows[i].is_uniform ? 0 : kLanes;
    }
  }
  // The numbers of the next sample.
  HWY_INLINE Vec Next(int i) {
    const Vec x = hn::Load(Tag(), values[i]);
    values[i] += strides[i];
    return x;
  }
  const double* values[N];
  std::ptrdiff_t strides[N];
};

// A tile of 3 x 3 products. Its sums stay in registers.
HWY_INLINE void AddTile(const Row* left, const Row* right, int num_samples,
                        int padded_size, int lane, double* products) {
  const Tag d;
  constexpr int kTile = 3;
  const auto at = [&](int i, int j) {
    return products + (i * padded_size + j) * kLanes + lane;
  };
  RowPointers<kTile> l(left, lane), r(right, lane);
  Vec sums[kTile * kTile];
  ForConstants<kTile * kTile>(
      [&](auto k) { sums[k] = hn::Load(d, at(k / kTile, k % kTile)); });
  for (int s = 0; s < num_samples; ++s) {
    Vec x[kTile];
    ForConstants<kTile>([&](auto j) { x[j] = r.Next(j); });
    ForConstants<kTile>([&](auto i) {
      const Vec y = l.Next(i);
      ForConstants<kTile>([&](auto j) {
        sums[i * kTile + j] = hn::MulAdd(y, x[j], sums[i * kTile + j]);
      });
    });
  }
  ForConstants<kTile * kTile>(
      [&](auto k) { hn::Store(sums[k], d, at(k / kTile, k % kTile)); });
}

// The lower triangle of two rows of tiles, for instruction sets with registers
// for all sums.
HWY_INLINE void AddTriangle(const Row* rows, int num_samples, int lane,
                            double* products) {
  const Tag d;
  constexpr int kSize = 6;
  const auto at = [&](int i, int j) {
    return products + (i * kSize + j) * kLanes + lane;
  };
  RowPointers<kSize> r(rows, lane);
  Vec sums[kSize * kSize];
  ForConstants<kSize * kSize>([&](auto k) {
    if constexpr (k % kSize <= k / kSize) {
      sums[k] = hn::Load(d, at(k / kSize, k % kSize));
    }
  });
  for (int s = 0; s < num_samples; ++s) {
    Vec x[kSize];
    ForConstants<kSize>([&](auto i) { x[i] = r.Next(i); });
    ForConstants<kSize * kSize>([&](auto k) {
      if constexpr (k % kSize <= k / kSize) {
        sums[k] = hn::MulAdd(x[k / kSize], x[k % kSize], sums[k]);
      }
    });
  }
  ForConstants<kSize * kSize>([&](auto k) {
    if constexpr (k % kSize <= k / kSize) {
      hn::Store(sums[k], d, at(k / kSize, k % kSize));
    }
  });
}

void AddProductsInLanes(const Row* rows, int size, int num_samples,
                        double* products) {
  constexpr int kTile = 3;
  const int padded_size = PaddedSize(size);
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
  constexpr bool kHas32Registers = true;
#else
  constexpr bool kHas32Registers = false;
#endif
  if (kHas32Registers && padded_size == 2 * kTile) {
    for (int v = 0; v < kLanes; v += kVectorSize) {
      AddTriangle(rows, num_samples, v, products);
    }
    return;
  }
  for (int i = 0; i < size; i += kTile) {
    for (int j = 0; j <= i; j += kTile) {
      for (int v = 0; v < kLanes; v += kVectorSize) {
        AddTile(rows + i, rows + j, num_samples, padded_size, v,
                products + (i * padded_size + j) * kLanes);
      }
    }
  }
}

void AddSamplesInLanes(const Row& row, int num_samples, double* sum) {
  const Tag d;
  for (int v = 0; v < kLanes; v += kVectorSize) {
    Vec total = hn::Load(d, sum + v);
    for (int s = 0; s < num_samples; ++s) {
      total = hn::Add(
          total,
          hn::Load(d, row.values + v + (row.is_uniform ? 0 : s * kLanes)));
    }
    hn::Store(total, d, sum + v);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::fits
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::fits {

HWY_EXPORT(RunCodeInLanes);
HWY_EXPORT(AddProductsInLanes);
HWY_EXPORT(AddSamplesInLanes);

double ComputeOne(Operation operation, double a, double b, double c) {
  alignas(64) double uniforms[4 * kLanes];
  for (int i = 0; i < kLanes; ++i) {
    uniforms[i] = a;
    uniforms[kLanes + i] = b;
    uniforms[2 * kLanes + i] = c;
  }
  ProgramMemory memory;
  memory.uniforms = uniforms;
  constexpr Operand::Area kUniform = Operand::Area::kUniform;
  const Instruction instruction = {
      operation, {kUniform, 0}, {kUniform, 1}, {kUniform, 2}, {kUniform, 3}};
  RunCode(&instruction, 1, memory, 1);
  return uniforms[3 * kLanes];
}

void RunCode(const Instruction* code, int num_instructions,
             const ProgramMemory& memory, int num_samples) {
  HWY_DYNAMIC_DISPATCH(RunCodeInLanes)
  (code, num_instructions, memory, num_samples);
}

void AddProducts(const Row* rows, int size, int num_samples, double* products) {
  HWY_DYNAMIC_DISPATCH(AddProductsInLanes)(rows, size, num_samples, products);
}

void AddSamples(const Row& row, int num_samples, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddSamplesInLanes)(row, num_samples, sum);
}

}  // namespace ceres::internal::fits
#endif  // HWY_ONCE
