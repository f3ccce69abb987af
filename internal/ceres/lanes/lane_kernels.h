// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What programs compute in lanes. The instruction set is chosen at run time.
//
// Every function works on each lane alone: what is in one lane has no influence
// on the bits of another. Instruction sets with fused multiply-add (AVX2,
// AVX-512, NEON) give the same bits; others round once more.

#ifndef CERES_INTERNAL_LANES_LANE_KERNELS_H_
#define CERES_INTERNAL_LANES_LANE_KERNELS_H_

#include <array>
#include <cstddef>

#include "ceres/lanes/lane_program.h"

namespace ceres::internal::lanes {

// The memory of a program. Aligned to 64 bytes.
struct ProgramMemory {
  double* uniforms = nullptr;      // [num_uniforms][kLanes]
  double* registers = nullptr;     // [num_registers][kRegisterSamples][kLanes]
  const double* data = nullptr;    // [columns][.][kLanes], at the first sample
  std::int64_t column_stride = 0;  // Doubles from column to column.
};

// Numbers of a block: [num_samples][kLanes], or [kLanes] if uniform.
struct Row {
  const double* values = nullptr;
  bool is_uniform = false;
};

// Where an operand is.
inline Row RowOf(const Operand& operand, const ProgramMemory& memory) {
  switch (operand.area) {
    case Operand::Area::kUniform:
      return {memory.uniforms + operand.index * kLanes, true};
    case Operand::Area::kRegister:
      return {memory.registers + operand.index * kRegisterSamples * kLanes,
              false};
    case Operand::Area::kData:
      break;
  }
  return {memory.data + operand.index * memory.column_stride, false};
}

// The program of a batch, in groups of instructions that do the same. All its
// numbers are in one piece of memory, kBatchSamples * kLanes doubles for each,
// which a distance from the beginning stands for, in doubles.
struct FlatProgram {
  struct Group {
    Operation operation;
    // See Instruction.
    bool is_shared;
    int num_instructions;
    // The length of the group in `numbers`.
    int num_numbers;
  };
  std::vector<Group> groups;
  // For each group: the shared factors, then of each instruction the other
  // arguments and the target.
  std::vector<std::uint32_t> numbers;
};

// The operation for single numbers, with the bits that it has in a program.
double ComputeOne(Operation operation, double a, double b, double c);

// Runs instructions for num_samples <= kBlockSamples samples. Uniform code has
// one sample.
void RunCode(const Instruction* code, int num_instructions,
             const ProgramMemory& memory, int num_samples);
// The number of arguments.
int Arity(Operation operation);

// Which arguments of an instruction are shared factors: bit k for argument k.
inline int SharedArguments(Operation operation) {
  return Arity(operation) == 4 ? 0b101 : 0b1;
}

// Runs all groups for num_samples <= kBatchSamples samples. Numbers of other
// samples are undefined.
void RunFlatProgram(const FlatProgram& program, int num_samples,
                    double* memory);

// The rows of products have this length, so that tiles of rows fit.
inline int PaddedSize(int size) { return (size + 2) / 3 * 3; }

// products[i][j] += sum over samples of rows[i] rows[j], j <= i < size, in the
// order of samples. rows has PaddedSize(size) entries; those from `size` on are
// any. products is [PaddedSize(size)][PaddedSize(size)][kLanes]; entries above
// the diagonal and in padding are undefined.
void AddProducts(const Row* rows, int size, int num_samples, double* products);

// sum[lane] += the values of a row, in the order of samples.
void AddSamples(const Row& row, int num_samples, double* sum);

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_LANE_KERNELS_H_
