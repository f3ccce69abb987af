// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/batch_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "ceres/internal/check.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace lanes {
namespace {

// Residual blocks that are computed together. Their numbers should stay in the
// first-level cache, and they should be enough to hide the choice of
// instructions.
constexpr int kBlockRows = kBatchSamples * kLanes;

// From number to number of a block. An odd number of cache lines: numbers of
// the same sample should not be in the same set of the cache.
constexpr std::ptrdiff_t kStride = (kBatchSamples + 1) * kLanes;

}  // namespace

// Memory that a thread keeps from call to call.
struct BatchEvaluator::Scratch {
  // Constants, inputs and registers of a path, see Place.
  LaneArray numbers;
  std::vector<int> pending, unmatched;
  // Where the lanes write that have no row or do not fit.
  std::vector<double> unused;
};

struct BatchEvaluator::Call {
  const BatchRows& rows;
  const BatchOutput& output;
  Scratch* scratch;
  // The least index of a row that has failed, or the number of rows.
  int first_failed;

  void Fail(int index) { first_failed = std::min(first_failed, index); }
};

BatchEvaluator::BatchEvaluator(const TracedBatch& batch, BatchColumns data)
    : batch_(batch),
      data_(std::move(data)),
      num_residuals_(batch.num_residuals()) {
  for (const std::int32_t size : batch.parameter_block_sizes()) {
    offsets_.push_back(num_parameters_);
    num_parameters_ += size;
  }
  offsets_.push_back(num_parameters_);
}

int BatchEvaluator::Evaluate(const BatchRows& rows, const BatchOutput& output) {
  thread_local Scratch scratch;
  Paths* const paths =
      output.jacobians == nullptr ? &without_derivatives_ : &with_derivatives_;
  Call call{rows, output, &scratch, rows.count};
  std::vector<int>& pending = scratch.pending;
  pending.resize(rows.count);
  for (int i = 0; i < rows.count; ++i) pending[i] = i;
  int num_paths = paths->num_paths.load(std::memory_order_acquire);
  const int favourite = paths->favourite.load(std::memory_order_relaxed);
  int best = favourite;
  std::size_t most = 0;
  const auto run = [&](int p) {
    const std::size_t num_before = pending.size();
    Run(*paths->list[p], &call);
    const std::size_t num_taken = num_before - pending.size();
    if (num_taken > most) best = p;
    most = std::max(most, num_taken);
  };
  const bool has_favourite = favourite < num_paths;
  if (has_favourite) run(favourite);
  for (int p = 0; p < kMaxPaths && !pending.empty(); ++p) {
    if (has_favourite && p == favourite) continue;
    if (p == num_paths) {
      AddPath(call, num_paths, paths);
      num_paths = paths->num_paths.load(std::memory_order_acquire);
    }
    run(p);
  }
  for (const int index : pending) EvaluateAlone(index, &call);
  if (best != favourite) {
    paths->favourite.store(best, std::memory_order_relaxed);
  }
  return call.first_failed;
}

// Evaluates the pending rows that fit the path, and keeps the others.
void BatchEvaluator::Run(const Path& path, Call* call) const {
  Scratch& scratch = *call->scratch;
  scratch.numbers.Grow(path.memory_size / kLanes);
  std::copy(path.constants.begin(), path.constants.end(),
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
  double* const memory = scratch.numbers.data();
  Gather(*call, indices, count, memory + path.constants.size());
  RunFlatCode(path.code.data(), static_cast<int>(path.code.size()), memory,
              kBatchSamples);
  bool fits[kBlockRows];
  FindFit(path, memory, count, fits);
  for (int i = 0; i < count; ++i) {
    if (!fits[i]) {
      scratch.unmatched.push_back(indices[i]);
    } else if (path.fails) {
      call->Fail(indices[i]);
    }
  }
  if (path.fails) return;
  for (int first = 0; first < count; first += kLanes) {
    Write(path, first / kLanes, indices + first,
          std::min(kLanes, count - first), fits + first, call);
  }
}

// Lanes and samples beyond the last row repeat it.
void BatchEvaluator::Gather(const Call& call, const int* indices, int count,
                            double* to) const {
  const int num_arguments = static_cast<int>(offsets_.size()) - 1;
  for (int first = 0; first < kBlockRows; first += kLanes, to += kLanes) {
    int lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      lanes[i] = indices[std::min(first + i, count - 1)];
    }
    LanePointers from;
    for (int k = 0; k < num_arguments; ++k) {
      for (int i = 0; i < kLanes; ++i) {
        from[i] = call.rows.parameters[static_cast<std::ptrdiff_t>(lanes[i]) *
                                           num_arguments +
                                       k];
      }
      GatherLanes(from, offsets_[k + 1] - offsets_[k], kStride,
                  to + offsets_[k] * kStride);
    }
    double* const data = to + num_parameters_ * kStride;
    if (data_.is_row_major()) {
      for (int i = 0; i < kLanes; ++i) {
        from[i] = data_.row(call.rows.rows[lanes[i]]);
      }
      GatherLanes(from, data_.num_columns(), kStride, data);
      continue;
    }
    for (int c = 0; c < data_.num_columns(); ++c) {
      for (int i = 0; i < kLanes; ++i) {
        data[c * kStride + i] = data_.at(call.rows.rows[lanes[i]], c);
      }
    }
  }
}

void BatchEvaluator::FindFit(const Path& path, const double* memory, int count,
                             bool* fits) const {
  std::fill_n(fits, count, true);
  for (const auto& [row, outcome] : path.guards) {
    const double* const values = memory + row;
    for (int i = 0; i < count; ++i) {
      fits[i] = fits[i] & ((values[i] != 0.0) == outcome);
    }
  }
}

// Writes the rows of one sample that fit.
void BatchEvaluator::Write(const Path& path, int sample, const int* indices,
                           int count, const bool* fits, Call* call) const {
  const BatchOutput& output = call->output;
  Scratch& scratch = *call->scratch;
  const double* const memory = scratch.numbers.data();
  const auto is_written = [&](int i) { return i < count && fits[i]; };
  alignas(64) double zeros[kLanes] = {};
  const ResultRow* results = path.results.data();
  const auto write = [&](double* base, int size) {
    LaneTargets to;
    for (int i = 0; i < kLanes; ++i) {
      to[i] = is_written(i) && base != nullptr
                  ? base + indices[i] * output.stride
                  : scratch.unused.data();
    }
    ScatterLanes(results, size, memory, sample, to, zeros);
    results += size;
  };
  scratch.unused.resize(path.results.size());
  write(output.residuals, num_residuals_);
  if (output.jacobians != nullptr) {
    for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
      write(output.jacobians[k],
            num_residuals_ * (offsets_[k + 1] - offsets_[k]));
    }
  }
  for (int i = 0; i < kLanes; ++i) {
    if (is_written(i) && !(zeros[i] == 0.0)) call->Fail(indices[i]);
  }
}

void BatchEvaluator::Record(const Call& call, int index,
                            Recording* recording) const {
  Tape& tape = recording->tape;
  const int num_arguments = static_cast<int>(offsets_.size()) - 1;
  std::vector<Traced> parameters, data;
  for (int k = 0; k < num_arguments; ++k) {
    const double* const block =
        call.rows.parameters[static_cast<std::ptrdiff_t>(index) *
                                 num_arguments +
                             k];
    for (int i = offsets_[k]; i < offsets_[k + 1]; ++i) {
      parameters.push_back(tape.AddData(i, block[i - offsets_[k]]));
    }
  }
  for (int c = 0; c < data_.num_columns(); ++c) {
    data.push_back(tape.AddData(num_parameters_ + c,
                                data_.at(call.rows.rows[index], c)));
  }
  // As AutoDiffCostFunction does with residuals that are not written.
  std::vector<Traced> residuals(num_residuals_, kImpossibleValue);
  std::vector<Traced> derivatives;
  if (call.output.jacobians != nullptr) {
    derivatives.resize(static_cast<std::size_t>(num_residuals_) *
                       num_parameters_);
  }
  recording->fails =
      !batch_.Record(parameters.data(), data.data(), residuals.data(),
                     derivatives.empty() ? nullptr : derivatives.data());
  if (!recording->fails) OrderResults(residuals, derivatives, recording);
}

void BatchEvaluator::OrderResults(const std::vector<Traced>& residuals,
                                  const std::vector<Traced>& derivatives,
                                  Recording* recording) const {
  const auto add = [recording](const Traced& x) {
    recording->results.push_back(recording->tape.NodeOf(x));
  };
  for (const Traced& residual : residuals) add(residual);
  if (derivatives.empty()) return;
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    for (int r = 0; r < num_residuals_; ++r) {
      const bool is_unwritten = residuals[r].tape() == nullptr &&
                                residuals[r].value() == kImpossibleValue;
      for (int i = offsets_[k]; i < offsets_[k + 1]; ++i) {
        add(is_unwritten ? residuals[r]
                         : derivatives[r * num_parameters_ + i]);
      }
    }
  }
}

// Records the functor for the first pending row, unless another thread has
// added paths to the first num_known ones meanwhile.
void BatchEvaluator::AddPath(const Call& call, int num_known,
                             Paths* paths) const {
  const std::lock_guard<std::mutex> lock(paths->mutex);
  if (paths->num_paths.load(std::memory_order_relaxed) != num_known) return;
  Recording recording;
  Record(call, call.scratch->pending.front(), &recording);
  auto path = std::make_unique<Path>();
  path->fails = recording.fails;
  Place(recording.tape.Compile(recording.results, Tape::kZero), path.get());
  paths->list[num_known] = std::move(path);
  paths->num_paths.store(num_known + 1, std::memory_order_release);
}

// Gives numbers their places: constants, then inputs, then registers.
void BatchEvaluator::Place(const Program& program, Path* path) const {
  const std::ptrdiff_t inputs =
      static_cast<std::ptrdiff_t>(program.constants.size()) * kLanes;
  const std::ptrdiff_t registers =
      inputs + (num_parameters_ + data_.num_columns()) * kStride;
  path->memory_size = registers + program.num_registers * kStride;
  CheckThat(path->memory_size <= std::numeric_limits<std::uint32_t>::max(),
            "AutoDiffBatch: the functor is too large.");
  for (const double value : program.constants) {
    path->constants.insert(path->constants.end(), kLanes, value);
  }
  const auto is_uniform = [](const Operand& operand) {
    return operand.area == Operand::Area::kUniform;
  };
  const auto place = [&](const Operand& operand) {
    const std::ptrdiff_t begin =
        is_uniform(operand)                        ? 0
        : operand.area == Operand::Area::kRegister ? registers
                                                   : inputs;
    return static_cast<std::uint32_t>(
        begin + operand.index * (is_uniform(operand) ? kLanes : kStride));
  };
  for (const Instruction& instruction : program.sample_code) {
    FlatInstruction flat{};
    flat.operation = instruction.operation;
    for (int k = 0; k < 4; ++k) {
      const Operand& operand = instruction.arguments[k];
      flat.arguments[k] = place(operand);
      if (is_uniform(operand)) flat.uniforms |= 1 << k;
    }
    flat.target = place(instruction.target);
    path->code.push_back(flat);
  }
  for (const Operand& row : program.rows) {
    path->results.push_back({place(row), is_uniform(row) ? 0u : kLanes});
  }
  for (const auto& [operand, outcome] : program.guards) {
    path->guards.emplace_back(place(operand), outcome);
  }
}

// Takes the results from a record that is not kept. They have the bits of its
// program.
void BatchEvaluator::EvaluateAlone(int index, Call* call) const {
  Recording recording;
  Record(*call, index, &recording);
  if (recording.fails) return call->Fail(index);
  const BatchOutput& output = call->output;
  auto result = recording.results.begin();
  const auto write = [&](double* base, int size) {
    for (int k = 0; k < size; ++k, ++result) {
      const double value = recording.tape.Number(*result).value();
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
