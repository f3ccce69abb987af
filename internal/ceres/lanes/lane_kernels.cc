// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/lane_kernels.h"

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/lanes/lane_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After these, once per instruction set.
#include "ceres/lanes/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kVectorSize = static_cast<int>(hn::MaxLanes(Tag()));

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

// The rows of an instruction.
struct Operands {
  const double *a, *b, *c, *d;
  double* target;
  // Bit k: whether operand k is uniform.
  std::uint32_t uniforms;
  int num_samples;

  // From sample to sample.
  HWY_INLINE std::ptrdiff_t StrideOf(int k) const {
    return (uniforms >> k) % 2 != 0 ? 0 : kLanes;
  }
};

template <typename F>
HWY_INLINE void ForEachVectorWithUniforms(const Operands& rows, const F& f) {
  const double *a = rows.a, *b = rows.b, *c = rows.c, *d = rows.d;
  const std::ptrdiff_t a_stride = rows.StrideOf(0), b_stride = rows.StrideOf(1),
                       c_stride = rows.StrideOf(2), d_stride = rows.StrideOf(3);
  double* target = rows.target;
  const int num_samples = rows.num_samples;
  for (int s = 0; s < num_samples; ++s) {
    for (int v = 0; v < kLanes; v += kVectorSize) {
      hn::Store(f(a + v, b + v, c + v, d + v), Tag(), target + v);
    }
    a += a_stride;
    b += b_stride;
    c += c_stride;
    d += d_stride;
    target += kLanes;
  }
}

template <typename F>
HWY_INLINE void ForEachVector(const Operands& rows, const F& f) {
  if (rows.uniforms != 0) return ForEachVectorWithUniforms(rows, f);
  const double *a = rows.a, *b = rows.b, *c = rows.c, *d = rows.d;
  double* target = rows.target;
  const int size = rows.num_samples * kLanes;
  const auto run = [&](int i) HWY_ATTR {
    hn::Store(f(a + i, b + i, c + i, d + i), Tag(), target + i);
  };
  int first = 0;
#if HWY_TARGET != HWY_SCALAR
  // Whole blocks of batches have no loop whose end must be predicted.
  constexpr int kUnrolled = kBatchSamples * kLanes;
  for (; first + kUnrolled <= size; first += kUnrolled) {
#pragma GCC unroll 16
    for (int k = 0; k < kUnrolled; k += kVectorSize) run(first + k);
  }
#endif
  for (; first < size; first += kVectorSize) run(first);
}

template <typename F>
HWY_INLINE void Unary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double*, const double*,
                           const double*) { return f(hn::Load(Tag(), a)); });
}

template <typename F>
HWY_INLINE void Binary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double* b, const double*,
                           const double*) {
    return f(hn::Load(Tag(), a), hn::Load(Tag(), b));
  });
}

template <typename F>
HWY_INLINE void Ternary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double* b, const double* c,
                           const double*) {
    return f(hn::Load(Tag(), a), hn::Load(Tag(), b), hn::Load(Tag(), c));
  });
}

template <typename F>
HWY_INLINE void Quaternary(const Operands& rows, const F& f) {
  ForEachVector(rows, [&f](const double* a, const double* b, const double* c,
                           const double* d) {
    return f(hn::Load(Tag(), a), hn::Load(Tag(), b), hn::Load(Tag(), c),
             hn::Load(Tag(), d));
  });
}

HWY_INLINE Vec Truth(Mask mask) {
  return hn::IfThenElseZero(mask, Number(1.0));
}

// One value at a time, by the C library.
HWY_INLINE void Library(const Operands& rows, double (*f)(double)) {
  const std::ptrdiff_t stride = rows.StrideOf(0);
  for (int s = 0; s < rows.num_samples; ++s) {
    for (int i = 0; i < kLanes; ++i) {
      rows.target[s * kLanes + i] = f(rows.a[s * stride + i]);
    }
  }
}

HWY_INLINE void Library(const Operands& rows, double (*f)(double, double)) {
  const std::ptrdiff_t a_stride = rows.StrideOf(0), b_stride = rows.StrideOf(1);
  for (int s = 0; s < rows.num_samples; ++s) {
    for (int i = 0; i < kLanes; ++i) {
      rows.target[s * kLanes + i] =
          f(rows.a[s * a_stride + i], rows.b[s * b_stride + i]);
    }
  }
}

HWY_NOINLINE void RunLibrary(Operation operation, const Operands& rows) {
  switch (operation) {
    case Operation::kExp2:
      return Library(rows, std::exp2);
    case Operation::kLog2:
      return Library(rows, std::log2);
    case Operation::kLog10:
      return Library(rows, std::log10);
    case Operation::kCbrt:
      return Library(rows, std::cbrt);
    case Operation::kHypot:
      return Library(rows, std::hypot);
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

HWY_NOINLINE void RunFunction(Operation operation, const Operands& rows) {
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

HWY_INLINE void Run(Operation operation, const Operands& rows) {
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
    case Operation::kCopySign:
      return Binary(rows, [](Vec a, Vec b) { return hn::CopySign(a, b); });
    case Operation::kSelect:
      return Ternary(rows, [](Vec a, Vec b, Vec c) {
        return hn::IfThenElse(hn::Ne(a, hn::Zero(Tag())), b, c);
      });
    case Operation::kMultiplyAdd:
      return Ternary(
          rows, [](Vec a, Vec b, Vec c) { return hn::Add(hn::Mul(a, b), c); });
    case Operation::kMultiplySubtract:
      return Ternary(
          rows, [](Vec a, Vec b, Vec c) { return hn::Sub(hn::Mul(a, b), c); });
    case Operation::kSubtractProduct:
      return Ternary(
          rows, [](Vec a, Vec b, Vec c) { return hn::Sub(c, hn::Mul(a, b)); });
    case Operation::kSumOfProducts:
      return Quaternary(rows, [](Vec a, Vec b, Vec c, Vec d) {
        return hn::Add(hn::Mul(a, b), hn::Mul(c, d));
      });
    case Operation::kDifferenceOfProducts:
      return Quaternary(rows, [](Vec a, Vec b, Vec c, Vec d) {
        return hn::Sub(hn::Mul(a, b), hn::Mul(c, d));
      });
    default:
      return RunFunction(operation, rows);
  }
}

void RunCodeInLanes(const Instruction* code, int num_instructions,
                    const ProgramMemory& memory, int num_samples) {
  for (int i = 0; i < num_instructions; ++i) {
    const auto& arguments = code[i].arguments;
    const Row a = RowOf(arguments[0], memory), b = RowOf(arguments[1], memory),
              c = RowOf(arguments[2], memory), d = RowOf(arguments[3], memory);
    const std::uint32_t uniforms = a.is_uniform | b.is_uniform << 1 |
                                   c.is_uniform << 2 | d.is_uniform << 3;
    // A target is in memory that may be written.
    double* const target =
        const_cast<double*>(RowOf(code[i].target, memory).values);
    Run(code[i].operation, {a.values, b.values, c.values, d.values, target,
                            uniforms, num_samples});
  }
}

void RunFlatCodeInLanes(const FlatInstruction* code, int num_instructions,
                        double* memory, int num_samples) {
  for (int i = 0; i < num_instructions; ++i) {
    const auto& arguments = code[i].arguments;
    Run(code[i].operation,
        {memory + arguments[0], memory + arguments[1], memory + arguments[2],
         memory + arguments[3], memory + code[i].target, code[i].uniforms,
         num_samples});
  }
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
}  // namespace ceres::internal::lanes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::lanes {

HWY_EXPORT(RunCodeInLanes);
HWY_EXPORT(RunFlatCodeInLanes);
HWY_EXPORT(AddProductsInLanes);
HWY_EXPORT(AddSamplesInLanes);

double ComputeOne(Operation operation, double a, double b, double c) {
  alignas(64) double numbers[4 * kLanes];
  for (int i = 0; i < kLanes; ++i) {
    numbers[i] = a;
    numbers[kLanes + i] = b;
    numbers[2 * kLanes + i] = c;
  }
  const FlatInstruction instruction = {
      operation, 0, {{0, kLanes, 2 * kLanes, 2 * kLanes}}, 3 * kLanes};
  RunFlatCode(&instruction, 1, numbers, 1);
  return numbers[3 * kLanes];
}

void RunCode(const Instruction* code, int num_instructions,
             const ProgramMemory& memory, int num_samples) {
  HWY_DYNAMIC_DISPATCH(RunCodeInLanes)
  (code, num_instructions, memory, num_samples);
}

void RunFlatCode(const FlatInstruction* code, int num_instructions,
                 double* memory, int num_samples) {
  HWY_DYNAMIC_DISPATCH(RunFlatCodeInLanes)
  (code, num_instructions, memory, num_samples);
}

void AddProducts(const Row* rows, int size, int num_samples, double* products) {
  HWY_DYNAMIC_DISPATCH(AddProductsInLanes)(rows, size, num_samples, products);
}

void AddSamples(const Row& row, int num_samples, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddSamplesInLanes)(row, num_samples, sum);
}

}  // namespace ceres::internal::lanes
#endif  // HWY_ONCE
