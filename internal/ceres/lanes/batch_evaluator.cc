// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/batch_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "ceres/internal/check.h"
#include "ceres/lanes/row_inputs.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace lanes {
namespace {

// How far behind the last column of the data a read is recognized.
constexpr int kMissingColumns = 64;

}  // namespace

// Memory that a thread keeps from call to call.
struct BatchEvaluator::Scratch {
  // Constants, inputs and registers of a path, see Place.
  LaneArray numbers;
  std::vector<int> pending, unmatched;
  // The outputs of lanes that have no row or do not fit.
  std::vector<double> unused;
};

struct BatchEvaluator::Call {
  const BatchRows& rows;
  const BatchOutput& output;
  Scratch* scratch;
  // The least index of a row that has failed, or the number of rows.
  int first_failed;

  const PlacedProgram& ProgramOf(const Path& path) const {
    return output.jacobians == nullptr ? path.residuals : path.jacobians;
  }
  void Fail(int index) { first_failed = std::min(first_failed, index); }
};

BatchEvaluator::BatchEvaluator(const TracedBatch& batch, BatchColumns data)
    : batch_(batch),
      data_(std::move(data)),
      inputs_(data_.WithoutShared()),
      num_residuals_(batch.num_residuals()) {
  for (const std::int32_t size : batch.parameter_block_sizes()) {
    offsets_.push_back(num_parameters_);
    num_parameters_ += size;
  }
  offsets_.push_back(num_parameters_);
}

int BatchEvaluator::Evaluate(const BatchRows& rows, const BatchOutput& output) {
  thread_local Scratch scratch;
  Call call{rows, output, &scratch, rows.count};
  std::vector<int>& pending = scratch.pending;
  pending.resize(rows.count);
  for (int i = 0; i < rows.count; ++i) pending[i] = i;
  int num_paths = num_paths_.load(std::memory_order_acquire);
  const int favourite = favourite_.load(std::memory_order_relaxed);
  int best = favourite;
  std::size_t most = 0;
  const auto run = [&](int p) {
    const std::size_t num_before = pending.size();
    Run(*paths_[p], &call);
    const std::size_t num_taken = num_before - pending.size();
    if (num_taken > most) best = p;
    most = std::max(most, num_taken);
  };
  const bool has_favourite = favourite < num_paths;
  if (has_favourite) run(favourite);
  for (int p = 0; p < kMaxPaths && !pending.empty(); ++p) {
    if (has_favourite && p == favourite) continue;
    if (p == num_paths) {
      AddPath(call, num_paths);
      num_paths = num_paths_.load(std::memory_order_acquire);
    }
    run(p);
  }
  for (const int index : pending) EvaluateAlone(index, &call);
  if (best != favourite) {
    favourite_.store(best, std::memory_order_relaxed);
  }
  return call.first_failed;
}

// Evaluates the pending rows that fit the path, and keeps the others.
void BatchEvaluator::Run(const Path& path, Call* call) const {
  Scratch& scratch = *call->scratch;
  const PlacedProgram& program = call->ProgramOf(path);
  scratch.numbers.Grow(program.memory_size / kLanes);
  std::copy(program.constants.begin(), program.constants.end(),
            scratch.numbers.data());
  scratch.unmatched.clear();
  const int num_pending = static_cast<int>(scratch.pending.size());
  for (int first = 0; first < num_pending; first += kBlockRows) {
    RunBlock(path, scratch.pending.data() + first,
             std::min(kBlockRows, num_pending - first), call);
  }
  scratch.pending.swap(scratch.unmatched);
}

void BatchEvaluator::RunBlock(const Path& path, const int* indices, int count,
                              Call* call) const {
  Scratch& scratch = *call->scratch;
  const PlacedProgram& program = call->ProgramOf(path);
  double* const memory = scratch.numbers.data();
  Gather(*call, indices, count, memory + program.constants.size());
  const int num_samples = NumSamples(count);
  RunFlatProgram(program.code, num_samples, memory);
  const RowBits all = FirstRows(count);
  RowBits fits = all;
  ClearMisfits(program.guards, memory, num_samples, &fits);
  if (fits != all) {
    for (int i = 0; i < count; ++i) {
      if (!HasBit(fits, i)) scratch.unmatched.push_back(indices[i]);
    }
  }
  RowBits failed{};
  if (path.fails) {
    failed = fits;
  } else {
    Write(program, indices, num_samples, fits, call, &failed);
  }
  if (failed == RowBits()) return;
  for (int i = 0; i < count; ++i) {
    if (HasBit(failed, i) && HasBit(fits, i)) call->Fail(indices[i]);
  }
}

void BatchEvaluator::Gather(const Call& call, const int* indices, int count,
                            double* to) const {
  const int num_arguments = static_cast<int>(offsets_.size()) - 1;
  for (int k = 0; k < num_arguments; ++k) {
    GatherArgument(call.rows, indices, count, k, num_arguments,
                   offsets_[k + 1] - offsets_[k],
                   to + offsets_[k] * kNumberStride);
  }
  GatherColumns(inputs_, call.rows, indices, count,
                to + num_parameters_ * kNumberStride);
}

void BatchEvaluator::Write(const PlacedProgram& program, const int* indices,
                           int num_samples, const RowBits& fits, Call* call,
                           RowBits* failed) const {
  const BatchOutput& output = call->output;
  Scratch& scratch = *call->scratch;
  scratch.unused.resize(program.results.size());
  RowTargets targets{output.residuals, output.stride, indices, &fits,
                     scratch.unused.data()};
  const double* const memory = scratch.numbers.data();
  const std::uint32_t* results = program.results.data();
  ScatterRows(results, num_residuals_, num_samples, memory, targets, failed);
  results += num_residuals_;
  if (output.jacobians == nullptr) return;
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    const int size = num_residuals_ * (offsets_[k + 1] - offsets_[k]);
    if (output.jacobians[k] != nullptr) {
      targets.base = output.jacobians[k];
      ScatterRows(results, size, num_samples, memory, targets, failed);
    }
    results += size;
  }
}

void BatchEvaluator::Record(const Call& call, int index,
                            Recording* recording) const {
  Tape& tape = recording->tape;
  const int num_arguments = static_cast<int>(offsets_.size()) - 1;
  std::vector<Traced> parameters, data;
  for (int k = 0; k < num_arguments; ++k) {
    const double* const block =
        call.rows
            .parameters[static_cast<std::ptrdiff_t>(index) * num_arguments + k];
    for (int i = offsets_[k]; i < offsets_[k + 1]; ++i) {
      parameters.push_back(tape.AddData(i, block[i - offsets_[k]]));
    }
  }
  // Numbers that all rows share are constants.
  int input = num_parameters_;
  for (const BatchColumns::Table& table : data_.tables()) {
    const double* const row =
        table.values + call.rows.rows[index] * table.stride;
    for (int c = 0; c < table.num_columns; ++c) {
      data.push_back(table.stride == 0 ? Traced(row[c])
                                       : tape.AddData(input++, row[c]));
    }
  }
  // For functors that read columns which are not there; Place refuses them.
  for (int c = 0; c < kMissingColumns; ++c) {
    data.push_back(tape.AddData(input++, 0.0));
  }
  // As AutoDiffCostFunction does with residuals that are not written.
  std::vector<Traced> residuals(num_residuals_, kImpossibleValue);
  std::vector<Traced> derivatives(static_cast<std::size_t>(num_residuals_) *
                                  num_parameters_);
  recording->fails = !batch_.Record(parameters.data(), data.data(),
                                    residuals.data(), derivatives.data());
  if (!recording->fails) OrderResults(residuals, derivatives, recording);
}

void BatchEvaluator::OrderResults(const std::vector<Traced>& residuals,
                                  const std::vector<Traced>& derivatives,
                                  Recording* recording) const {
  recording->results = residuals;
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    for (int r = 0; r < num_residuals_; ++r) {
      const bool is_unwritten = residuals[r].tape() == nullptr &&
                                residuals[r].value() == kImpossibleValue;
      for (int i = offsets_[k]; i < offsets_[k + 1]; ++i) {
        recording->results.push_back(
            is_unwritten ? residuals[r] : derivatives[r * num_parameters_ + i]);
      }
    }
  }
}

// Records the functor for the first pending row, unless another thread has
// added paths to the first num_known ones meanwhile.
void BatchEvaluator::AddPath(const Call& call, int num_known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (num_paths_.load(std::memory_order_relaxed) != num_known) return;
  Recording recording;
  Record(call, call.scratch->pending.front(), &recording);
  Tape& tape = recording.tape;
  std::vector<int> results;
  for (const Traced& result : recording.results) {
    results.push_back(tape.NodeOf(result));
  }
  auto path = std::make_unique<Path>();
  path->fails = recording.fails;
  path->jacobians = Place(tape.Compile(results, Tape::kZero));
  if (path->fails) {
    path->residuals = path->jacobians;
  } else {
    path->residuals = Place(tape.Compile(
        {results.begin(), results.begin() + num_residuals_}, Tape::kZero));
  }
  paths_[num_known] = std::move(path);
  num_paths_.store(num_known + 1, std::memory_order_release);
}

// Gives numbers their places: constants, then inputs, then registers.
BatchEvaluator::PlacedProgram BatchEvaluator::Place(
    const Program& program) const {
  PlacedProgram placed;
  const auto num_constants =
      static_cast<std::ptrdiff_t>(program.constants.size());
  const int num_inputs = num_parameters_ + inputs_.num_columns();
  const std::ptrdiff_t first_register = num_constants + num_inputs;
  placed.memory_size = (first_register + program.num_registers) * kNumberStride;
  CheckThat(placed.memory_size <= std::numeric_limits<std::uint32_t>::max(),
            "AutoDiffBatch: the functor is too large.");
  for (const double value : program.constants) {
    placed.constants.insert(placed.constants.end(), kNumberStride, value);
  }
  const auto place = [&](const Operand& operand) {
    CheckThat(
        operand.area != Operand::Area::kData || operand.index < num_inputs,
        "AutoDiffBatch: the functor reads column ",
        data_.num_columns() + operand.index - num_inputs,
        " of the data, counted from 0. There are ", data_.num_columns(),
        " columns. Check the BatchColumns.");
    const std::ptrdiff_t first = operand.area == Operand::Area::kUniform ? 0
                                 : operand.area == Operand::Area::kRegister
                                     ? first_register
                                     : num_constants;
    return static_cast<std::uint32_t>((first + operand.index) * kNumberStride);
  };
  for (const Operand& row : program.rows) {
    placed.results.push_back(place(row));
  }
  for (const auto& [operand, outcome] : program.guards) {
    placed.guards.emplace_back(place(operand), outcome);
  }
  FlatProgram& flat = placed.code;
  for (const Instruction& instruction : program.sample_code) {
    const Operation operation = instruction.operation;
    const int shared = instruction.is_shared ? SharedArguments(operation) : 0;
    const std::size_t before = flat.numbers.size();
    const auto add = [&](bool is_shared) {
      for (int k = 0; k < Arity(operation); ++k) {
        if (((shared >> k) % 2 != 0) == is_shared) {
          flat.numbers.push_back(place(instruction.arguments[k]));
        }
      }
    };
    if (instruction.is_first_of_group) {
      flat.groups.push_back({operation, instruction.is_shared, 0, 0});
      add(true);
    }
    add(false);
    flat.numbers.push_back(place(instruction.target));
    ++flat.groups.back().num_instructions;
    flat.groups.back().num_numbers +=
        static_cast<int>(flat.numbers.size() - before);
  }
  return placed;
}

// Takes the values of a call without a record. They have the bits of its
// program.
void BatchEvaluator::EvaluateAlone(int index, Call* call) const {
  Recording recording;
  recording.tape.StopRecording();
  Record(*call, index, &recording);
  if (recording.fails) return call->Fail(index);
  const BatchOutput& output = call->output;
  auto result = recording.results.begin();
  const auto write = [&](double* base, int size) {
    for (int k = 0; k < size; ++k, ++result) {
      const double value = result->value();
      if (!std::isfinite(value)) call->Fail(index);
      if (base != nullptr) base[index * output.stride + k] = value;
    }
  };
  write(output.residuals, num_residuals_);
  if (output.jacobians == nullptr) return;
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    write(output.jacobians[k],
          num_residuals_ * (offsets_[k + 1] - offsets_[k]));
  }
}

}  // namespace lanes

TracedBatch::TracedBatch(int num_residuals, std::vector<std::int32_t> sizes,
                         BatchColumns data)
    : ResidualBatch(data.num_rows(), num_residuals, std::move(sizes)),
      evaluator_(
          std::make_unique<lanes::BatchEvaluator>(*this, std::move(data))) {}

TracedBatch::~TracedBatch() = default;

int TracedBatch::Evaluate(const BatchRows& rows,
                          const BatchOutput& output) const {
  return evaluator_->Evaluate(rows, output);
}

}  // namespace ceres::internal
