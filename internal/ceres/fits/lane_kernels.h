// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What FitMany computes in lanes. The instruction set is chosen at run time.
//
// Every function works on each lane alone: what is in one lane has no influence
// on the bits of another. Instruction sets with fused multiply-add (AVX2,
// AVX-512, NEON) give the same bits; SSE2 rounds once more.

#ifndef CERES_INTERNAL_FITS_LANE_KERNELS_H_
#define CERES_INTERNAL_FITS_LANE_KERNELS_H_

#include <cstdint>

#include "ceres/fits/program.h"

namespace ceres::internal::fits {

// The memory of a program. Aligned to 64 bytes.
struct ProgramMemory {
  double* uniforms = nullptr;   // [num_uniforms][kLanes]
  double* registers = nullptr;  // [num_registers][kBlockSamples][kLanes]
  const double* data = nullptr;  // [columns][.][kLanes], at the first sample
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
      return {memory.registers + operand.index * kBlockSamples * kLanes, false};
    case Operand::Area::kData:
      break;
  }
  return {memory.data + operand.index * memory.column_stride, false};
}

// The operation for single numbers, with the bits that it has in a program.
double ComputeOne(Operation operation, double a, double b, double c);

// Runs instructions for num_samples <= kBlockSamples samples. Uniform code has
// one sample.
void RunCode(const Instruction* code, int num_instructions,
             const ProgramMemory& memory, int num_samples);

// The rows of products have this length, so that tiles of rows fit.
inline int PaddedSize(int size) { return (size + 2) / 3 * 3; }

// products[i][j] += sum over samples of rows[i] rows[j], j <= i < size, in the
// order of samples. rows has PaddedSize(size) entries; those from `size` on are
// any. products is [PaddedSize(size)][PaddedSize(size)][kLanes]; entries above
// the diagonal and in padding are undefined.
void AddProducts(const Row* rows, int size, int num_samples, double* products);

// sum[lane] += the values of a row, in the order of samples.
void AddSamples(const Row& row, int num_samples, double* sum);

// A damped step of Levenberg and Marquardt in each lane. Matrices and vectors
// have kLanes numbers for each entry.
struct StepProblem {
  int size = 0;
  // The products of AddProducts, for `size` derivatives and the residual.
  const double* products = nullptr;
  const double* scale = nullptr;    // [size]: the diagonal D
  const double* damping = nullptr;  // a number per lane
  // [size]: 1, or 0 where the step is given and not computed.
  const double* is_free = nullptr;
  // [size]: the given part of the step on entry, the whole step on return.
  double* step = nullptr;
  // 1 if the matrix is positive definite in the lane, otherwise 0.
  double* is_solved = nullptr;
  // By how much the linear model of 1/2 |r|^2 falls.
  double* model_decrease = nullptr;
  double* workspace = nullptr;  // [size * size + size]
};

// Solves (J'J + damping D) step = -J'r for the free part of the step. Cholesky's
// factorization L D L' without square roots.
void SolveStep(const StepProblem& problem);

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_LANE_KERNELS_H_
