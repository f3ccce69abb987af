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

// Calls f with the first kArity of vectors a, b, c, d.
template <int kArity, typename F>
HWY_INLINE Vec Call(const F& f, Vec a, Vec b, Vec c, Vec d) {
  if constexpr (kArity == 1) return f(a);
  if constexpr (kArity == 2) return f(a, b);
  if constexpr (kArity == 3) return f(a, b, c);
  if constexpr (kArity == 4) return f(a, b, c, d);
}

// Runs one instruction on rows of any number of samples. Strides are those from
// sample to sample.
struct RowRunner {
  const double *a, *b, *c, *d;
  int a_stride, b_stride, c_stride, d_stride;
  double* target;
  int num_samples;

  template <int kArity, typename F>
  HWY_INLINE void Run(const F& f) const {
    // Copies, which stores cannot change.
    const double *x = a, *y = b, *z = c, *w = d;
    const std::ptrdiff_t x_stride = a_stride, y_stride = b_stride,
                         z_stride = c_stride, w_stride = d_stride;
    double* to = target;
    const int size = num_samples;
    const Tag tag;
    for (int s = 0; s < size; ++s) {
      for (int v = 0; v < kLanes; v += kVectorSize) {
        const Vec first = hn::Load(tag, x + v);
        const Vec second = kArity > 1 ? hn::Load(tag, y + v) : first;
        const Vec third = kArity > 2 ? hn::Load(tag, z + v) : first;
        const Vec fourth = kArity > 3 ? hn::Load(tag, w + v) : first;
        hn::Store(Call<kArity>(f, first, second, third, fourth), tag, to + v);
      }
      x += x_stride;
      y += y_stride;
      z += z_stride;
      w += w_stride;
      to += kLanes;
    }
  }

  // One value at a time.
  template <int kArity, typename F>
  HWY_INLINE void RunEach(const F& f) const {
    for (int s = 0; s < num_samples; ++s) {
      for (int i = 0; i < kLanes; ++i) {
        const double x = a[s * a_stride + i];
        const double y = b[s * b_stride + i];
        const double z = c[s * c_stride + i];
        double* const result = target + s * kLanes + i;
        if constexpr (kArity == 1) *result = f(x);
        if constexpr (kArity == 2) *result = f(x, y);
        if constexpr (kArity == 3) *result = f(x, y, z);
      }
    }
  }
};

// Runs a group of a FlatProgram. Shared factors stay in registers.
class GroupRunner {
 public:
  HWY_INLINE GroupRunner(const FlatProgram::Group& group,
                         const std::uint32_t* numbers, int num_samples,
                         double* memory)
      : is_shared_(group.is_shared),
        num_instructions_(group.num_instructions),
        size_(num_samples * kLanes),
        numbers_(numbers),
        memory_(memory) {}

  template <int kArity, typename F>
  HWY_INLINE void Run(const F& f) const {
    if constexpr (kArity == 4) {
      is_shared_ ? RunGroup<kArity, 0b101>(f) : RunGroup<kArity, 0>(f);
    } else if constexpr (kArity == 1) {
      RunGroup<kArity, 0>(f);
    } else {
      is_shared_ ? RunGroup<kArity, 0b1>(f) : RunGroup<kArity, 0>(f);
    }
  }

  template <int kArity, typename F>
  HWY_INLINE void RunEach(const F& f) const {
    const std::uint32_t* numbers = numbers_;
    for (int i = 0; i < num_instructions_; ++i, numbers += kArity + 1) {
      const double* const x = memory_ + numbers[0];
      const double* const y = memory_ + numbers[kArity > 1 ? 1 : 0];
      const double* const z = memory_ + numbers[kArity > 2 ? 2 : 0];
      double* const results = memory_ + numbers[kArity];
      for (int k = 0; k < size_; ++k) {
        if constexpr (kArity == 1) results[k] = f(x[k]);
        if constexpr (kArity == 2) results[k] = f(x[k], y[k]);
        if constexpr (kArity == 3) results[k] = f(x[k], y[k], z[k]);
      }
    }
  }

 private:
  static constexpr int kSize = kBatchSamples * kLanes;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
  static constexpr int kSharedRegisters = 16;
#else
  static constexpr int kSharedRegisters = 8;
#endif

  static constexpr int CountBits(int bits) {
    return bits == 0 ? 0 : bits % 2 + CountBits(bits / 2);
  }

  // kShared: bits of the shared arguments.
  template <int kArity, int kShared, typename F>
  HWY_INLINE void RunGroup(const F& f) const {
    constexpr int kNumShared = CountBits(kShared);
    constexpr int kOwn = kArity - kNumShared;
    constexpr int kMostVectors =
        kSharedRegisters / (kNumShared == 0 ? 1 : kNumShared);
    constexpr int kVectors =
        kMostVectors < kSize / kVectorSize ? kMostVectors : kSize / kVectorSize;
    // Small groups of rows have small tiles.
    constexpr int kFew = 2 * kLanes / kVectorSize;
    constexpr int kFewVectors = kFew < kVectors ? kFew : kVectors;
    if (size_ <= kSize / 2) {
      RunTiles<kArity, kShared, kFewVectors, kOwn>(f);
    } else {
      RunTiles<kArity, kShared, kVectors, kOwn>(f);
    }
  }

  template <int kArity, int kShared, int kVectors, int kOwn, typename F>
  HWY_INLINE void RunTiles(const F& f) const {
    static_assert(kSize % (kVectors * kVectorSize) == 0, "");
    for (int first = 0; first < size_; first += kVectors * kVectorSize) {
      RunTile<kArity, kShared, kVectors, kOwn>(f, memory_ + first);
    }
  }

  template <int kArity, int kShared, int kVectors, int kOwn, typename F>
  HWY_INLINE void RunTile(const F& f, double* memory) const {
    const Tag d;
    const std::uint32_t* numbers = numbers_;
    constexpr int kNumShared = kArity - kOwn;
    Vec p[kVectors], q[kVectors];
    ForConstants<kVectors>([&](auto v) {
      if constexpr (kNumShared > 0) {
        p[v] = hn::Load(d, memory + numbers[0] + v * kVectorSize);
      }
      if constexpr (kNumShared > 1) {
        q[v] = hn::Load(d, memory + numbers[1] + v * kVectorSize);
      }
    });
    numbers += kNumShared;
    for (int i = 0; i < num_instructions_; ++i, numbers += kOwn + 1) {
      const double* const x = memory + numbers[0];
      const double* const y = memory + numbers[kOwn > 1 ? 1 : 0];
      const double* const z = memory + numbers[kOwn > 2 ? 2 : 0];
      const double* const w = memory + numbers[kOwn > 3 ? 3 : 0];
      double* const target = memory + numbers[kOwn];
      ForConstants<kVectors>([&](auto v) {
        constexpr int k = v * kVectorSize;
        Vec result;
        if constexpr (kShared == 0b101) {
          result = f(p[v], hn::Load(d, x + k), q[v], hn::Load(d, y + k));
        } else if constexpr (kShared == 0b1) {
          const Vec a = hn::Load(d, x + k);
          const Vec b = kOwn > 1 ? hn::Load(d, y + k) : a;
          result = Call<kArity>(f, p[v], a, b, b);
        } else {
          const Vec a = hn::Load(d, x + k);
          const Vec b = kOwn > 1 ? hn::Load(d, y + k) : a;
          const Vec c = kOwn > 2 ? hn::Load(d, z + k) : a;
          result = Call<kArity>(f, a, b, c, kOwn > 3 ? hn::Load(d, w + k) : a);
        }
        hn::Store(result, d, target + k);
      });
    }
  }

  const bool is_shared_;
  const int num_instructions_;
  const int size_;
  const std::uint32_t* const numbers_;
  double* const memory_;
};

HWY_INLINE Vec Truth(Mask mask) {
  return hn::IfThenElseZero(mask, Number(1.0));
}

// By the C library.
using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);

template <typename Runner>
HWY_NOINLINE void RunLibrary(Operation operation, const Runner& runner) {
  const auto run = [&](UnaryFunction f) { runner.template RunEach<1>(f); };
  switch (operation) {
    case Operation::kExp2:
      return run(std::exp2);
    case Operation::kLog2:
      return run(std::log2);
    case Operation::kLog10:
      return run(std::log10);
    case Operation::kCbrt:
      return run(std::cbrt);
    case Operation::kHypot:
      return runner.template RunEach<2>(BinaryFunction(std::hypot));
    case Operation::kExpm1:
      return run(std::expm1);
    case Operation::kTan:
      return run(std::tan);
    case Operation::kAsin:
      return run(std::asin);
    case Operation::kAcos:
      return run(std::acos);
    case Operation::kSinh:
      return run(std::sinh);
    case Operation::kCosh:
      return run(std::cosh);
    case Operation::kTanh:
      return run(std::tanh);
    case Operation::kFma:
#if HWY_NATIVE_FMA
      return runner.template Run<3>(
          [](Vec a, Vec b, Vec c) { return hn::MulAdd(a, b, c); });
#else
      return runner.template RunEach<3>(
          [](double x, double y, double z) { return std::fma(x, y, z); });
#endif
    case Operation::kFloor:
      return runner.template Run<1>([](Vec a) { return hn::Floor(a); });
    default:
      return runner.template Run<1>([](Vec a) { return hn::Ceil(a); });
  }
}

template <typename Runner>
HWY_NOINLINE void RunFunction(Operation operation, const Runner& runner) {
  switch (operation) {
    case Operation::kExp:
      return runner.template Run<1>([](Vec a) { return Exp(a); });
    case Operation::kLog:
      return runner.template Run<1>([](Vec a) { return Log(a); });
    case Operation::kLog1p:
      return runner.template Run<1>([](Vec a) { return Log1p(a); });
    case Operation::kSin:
      return runner.template Run<1>([](Vec a) { return Sin(a); });
    case Operation::kCos:
      return runner.template Run<1>([](Vec a) { return Cos(a); });
    case Operation::kAtan:
      return runner.template Run<1>([](Vec a) { return Atan(a); });
    case Operation::kAtan2:
      return runner.template Run<2>([](Vec a, Vec b) { return Atan2(a, b); });
    case Operation::kPow:
      return runner.template Run<2>([](Vec a, Vec b) { return Pow(a, b); });
    case Operation::kErf:
      return runner.template Run<1>([](Vec a) { return Erf(a); });
    case Operation::kErfc:
      return runner.template Run<1>([](Vec a) { return Erfc(a); });
    default:
      return RunLibrary(operation, runner);
  }
}

template <typename Runner>
HWY_INLINE void RunOperation(Operation operation, const Runner& runner) {
  switch (operation) {
    case Operation::kAdd:
      return runner.template Run<2>([](Vec a, Vec b) { return hn::Add(a, b); });
    case Operation::kSubtract:
      return runner.template Run<2>([](Vec a, Vec b) { return hn::Sub(a, b); });
    case Operation::kMultiply:
      return runner.template Run<2>([](Vec a, Vec b) { return hn::Mul(a, b); });
    case Operation::kDivide:
      return runner.template Run<2>([](Vec a, Vec b) { return hn::Div(a, b); });
    case Operation::kNegate:
      return runner.template Run<1>([](Vec a) { return hn::Neg(a); });
    case Operation::kSqrt:
      return runner.template Run<1>([](Vec a) { return hn::Sqrt(a); });
    case Operation::kMultiplyAdd:
      return runner.template Run<3>(
          [](Vec a, Vec b, Vec c) { return hn::Add(hn::Mul(a, b), c); });
    case Operation::kMultiplySubtract:
      return runner.template Run<3>(
          [](Vec a, Vec b, Vec c) { return hn::Sub(hn::Mul(a, b), c); });
    case Operation::kSubtractProduct:
      return runner.template Run<3>(
          [](Vec a, Vec b, Vec c) { return hn::Sub(c, hn::Mul(a, b)); });
    case Operation::kSumOfProducts:
      return runner.template Run<4>([](Vec a, Vec b, Vec c, Vec d) {
        return hn::Add(hn::Mul(a, b), hn::Mul(c, d));
      });
    case Operation::kDifferenceOfProducts:
      return runner.template Run<4>([](Vec a, Vec b, Vec c, Vec d) {
        return hn::Sub(hn::Mul(a, b), hn::Mul(c, d));
      });
    case Operation::kAbs:
      return runner.template Run<1>([](Vec a) { return hn::Abs(a); });
    case Operation::kCopySign:
      return runner.template Run<2>(
          [](Vec a, Vec b) { return hn::CopySign(a, b); });
    case Operation::kLess:
      return runner.template Run<2>(
          [](Vec a, Vec b) { return Truth(hn::Lt(a, b)); });
    case Operation::kLessOrEqual:
      return runner.template Run<2>(
          [](Vec a, Vec b) { return Truth(hn::Le(a, b)); });
    case Operation::kEqual:
      return runner.template Run<2>(
          [](Vec a, Vec b) { return Truth(hn::Eq(a, b)); });
    case Operation::kSelect:
      return runner.template Run<3>([](Vec a, Vec b, Vec c) {
        return hn::IfThenElse(hn::Ne(a, hn::Zero(Tag())), b, c);
      });
    default:
      return RunFunction(operation, runner);
  }
}

// Not inlined: the loop over samples needs the registers.
HWY_NOINLINE void RunRow(Operation operation, const RowRunner& runner) {
  RunOperation(operation, runner);
}

void RunCodeInLanes(const Instruction* code, int num_instructions,
                    const ProgramMemory& memory, int num_samples) {
  for (int i = 0; i < num_instructions; ++i) {
    const auto& arguments = code[i].arguments;
    const Row a = RowOf(arguments[0], memory), b = RowOf(arguments[1], memory),
              c = RowOf(arguments[2], memory), d = RowOf(arguments[3], memory);
    // A target is in memory that may be written.
    double* const target =
        const_cast<double*>(RowOf(code[i].target, memory).values);
    RunRow(code[i].operation,
           {a.values, b.values, c.values, d.values, a.is_uniform ? 0 : kLanes,
            b.is_uniform ? 0 : kLanes, c.is_uniform ? 0 : kLanes,
            d.is_uniform ? 0 : kLanes, target, num_samples});
  }
}

void RunFlatProgramInLanes(const FlatProgram& program, int num_samples,
                           double* memory) {
  const std::uint32_t* numbers = program.numbers.data();
  for (const FlatProgram::Group& group : program.groups) {
    RunOperation(group.operation,
                 GroupRunner(group, numbers, num_samples, memory));
    numbers += group.num_numbers;
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
HWY_EXPORT(RunFlatProgramInLanes);
HWY_EXPORT(AddProductsInLanes);
HWY_EXPORT(AddSamplesInLanes);

double ComputeOne(Operation operation, double a, double b, double c) {
  // These have one result, whoever computes it.
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return a / b;
    case Operation::kNegate:
      return -a;
    case Operation::kLess:
      return a < b ? 1.0 : 0.0;
    case Operation::kLessOrEqual:
      return a <= b ? 1.0 : 0.0;
    case Operation::kSelect:
      return a != 0.0 ? b : c;
    default:
      break;
  }
  alignas(64) double uniforms[4 * kLanes];
  for (int i = 0; i < kLanes; ++i) {
    uniforms[i] = a;
    uniforms[kLanes + i] = b;
    uniforms[2 * kLanes + i] = c;
  }
  ProgramMemory memory;
  memory.uniforms = uniforms;
  constexpr Operand::Area kUniform = Operand::Area::kUniform;
  const Operand third = {kUniform, 2};
  Instruction instruction;
  instruction.operation = operation;
  instruction.arguments = {{{kUniform, 0}, {kUniform, 1}, third, third}};
  instruction.target = {kUniform, 3};
  RunCode(&instruction, 1, memory, 1);
  return uniforms[3 * kLanes];
}

// The number of arguments.
int Arity(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
    case Operation::kSubtract:
    case Operation::kMultiply:
    case Operation::kDivide:
    case Operation::kAtan2:
    case Operation::kPow:
    case Operation::kHypot:
    case Operation::kCopySign:
    case Operation::kLess:
    case Operation::kLessOrEqual:
    case Operation::kEqual:
      return 2;
    case Operation::kSelect:
    case Operation::kFma:
    case Operation::kMultiplyAdd:
    case Operation::kMultiplySubtract:
    case Operation::kSubtractProduct:
      return 3;
    case Operation::kSumOfProducts:
    case Operation::kDifferenceOfProducts:
      return 4;
    default:
      return 1;
  }
}

void RunCode(const Instruction* code, int num_instructions,
             const ProgramMemory& memory, int num_samples) {
  HWY_DYNAMIC_DISPATCH(RunCodeInLanes)
  (code, num_instructions, memory, num_samples);
}

void RunFlatProgram(const FlatProgram& program, int num_samples,
                    double* memory) {
  HWY_DYNAMIC_DISPATCH(RunFlatProgramInLanes)(program, num_samples, memory);
}

void AddProducts(const Row* rows, int size, int num_samples, double* products) {
  HWY_DYNAMIC_DISPATCH(AddProductsInLanes)(rows, size, num_samples, products);
}

void AddSamples(const Row& row, int num_samples, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddSamplesInLanes)(row, num_samples, sum);
}

}  // namespace ceres::internal::lanes
#endif  // HWY_ONCE
