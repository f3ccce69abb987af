// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// A program for a virtual machine that works on kLanes fits, or residual blocks
// of a batch, at a time.
//
// Numbers that depend on the parameters of a fit only are "uniform": one per
// fit, kLanes in all. In a batch only constants are uniform. Other numbers are
// there for each sample of a block of up to kBlockSamples samples:
// block[sample][lane]. An instruction works on a whole block, so that the
// choice of its function costs little per number.

#ifndef CERES_INTERNAL_LANES_LANE_PROGRAM_H_
#define CERES_INTERNAL_LANES_LANE_PROGRAM_H_

#include <array>
#include <utility>
#include <vector>

#include "ceres/traced.h"

namespace ceres::internal::lanes {

// Fits that are computed together. The same for all instruction sets, so that
// results do not depend on the length of a vector.
inline constexpr int kLanes = 8;

// The registers of a block should stay in the first-level cache, and a block
// should have enough samples to hide the choice of instructions.
inline constexpr int kBlockSamples = 32;
// Not a power of two: numbers of the same sample in two registers should not be
// in the same set of the cache.
inline constexpr int kRegisterSamples = kBlockSamples + 1;

// The samples of a block of residual blocks of a batch.
inline constexpr int kBatchSamples = 8;

// Where a number is.
struct Operand {
  enum class Area { kUniform = 0, kRegister = 1, kData = 2 };
  Area area = Area::kUniform;
  int index = 0;

  bool operator==(const Operand& other) const {
    return area == other.area && index == other.index;
  }
};

// target = operation(arguments...). Arguments that the operation does not have
// are any valid ones. Instructions from one that is the first of a group up to
// the next such one have the same operation, and do not read each other's
// targets. If they are shared, their first factors are the same, in both
// products if there are two.
struct Instruction {
  Operation operation = Operation::kAdd;
  bool is_first_of_group = true;
  bool is_shared = false;
  std::array<Operand, 4> arguments;
  Operand target;
};

// What a record becomes.
struct Program {
  // The uniform numbers are the parameters, then constants, then results.
  int num_parameters = 0;
  std::vector<double> constants;
  int num_uniforms = 0;
  int num_registers = 0;
  // Run once after the parameters have changed, and once per block.
  std::vector<Instruction> uniform_code;
  std::vector<Instruction> sample_code;
  // For each residual the derivatives by all parameters, then the residual.
  std::vector<Operand> rows;
  // The share of a sample in twice the cost, if it is not the sum of squares of
  // its residuals.
  bool has_loss = false;
  Operand loss;
  // The program holds for samples where each number has this truth value.
  std::vector<std::pair<Operand, bool>> guards;
};

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_LANE_PROGRAM_H_
