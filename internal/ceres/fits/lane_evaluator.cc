// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fits/lane_evaluator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ceres/lanes/tape.h"

namespace ceres::internal::fits {
namespace {

using lanes::AddProducts;
using lanes::AddSamples;
using lanes::Operand;
using lanes::RowOf;
using lanes::RunCode;
using lanes::Tape;

// Programs that are kept. A model with more combinations of decisions is
// recorded again and again, which is slow and gives the same results.
constexpr std::size_t kMaxPaths = 64;

// The part of the first-level cache that is for registers.
constexpr int kRegisterBytes = 20 * 1024;
constexpr int kLeastBlock = 8;

// Replaces the rows of a sample by those of the Gauss-Newton model of its loss:
// J'J gets the curvature h = rho' + 2 rho'' s of one residual, and J'r the
// slope. Bounded below, so that there is a step where the loss is concave.
int ApplyLoss(const std::function<Traced(const Traced&)>& loss,
              int num_parameters, Tape* tape, std::vector<int>* rows) {
  constexpr double kLeastPart = 0.05;
  constexpr double kLeast = 1e-30;
  const int stride = num_parameters + 1;
  const int num_residuals = static_cast<int>(rows->size()) / stride;
  Traced s;
  for (int k = 0; k < num_residuals; ++k) {
    const Traced r = tape->Number((*rows)[k * stride + num_parameters]);
    s += r * r;
  }
  const int s_node = tape->NodeOf(s);
  const auto slope_of = [&](const Traced& x) {
    const int slope = tape->Gradient(tape->NodeOf(x), {s_node})[0];
    return slope == Tape::kZero ? Traced(0.0) : tape->Number(slope);
  };
  const Traced rho = loss(s);
  const Traced slope = slope_of(rho);
  Traced curvature = slope;
  if (num_residuals == 1) {
    curvature = fmax(slope + 2.0 * s * slope_of(slope), kLeastPart * slope);
  }
  const Traced root = sqrt(fmax(curvature, kLeast));
  const Traced factor = slope / root;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    int& row = (*rows)[i];
    if (row == Tape::kZero) continue;
    const bool is_residual = static_cast<int>(i) % stride == num_parameters;
    row = tape->NodeOf(tape->Number(row) * (is_residual ? factor : root));
  }
  return tape->NodeOf(rho);
}

}  // namespace

LaneEvaluator::LaneEvaluator(const FitModel& model,
                             const std::function<Traced(const Traced&)>& loss,
                             int num_parameters, const bool* fixed,
                             bool has_weights)
    : model_(model),
      loss_(loss),
      num_parameters_(num_parameters),
      fixed_(fixed),
      has_weights_(has_weights),
      padded_size_(PaddedSize(num_parameters + 1)),
      rows_((model.num_residuals * (num_parameters + 1) + 1) * kBlockSamples) {}

void LaneEvaluator::Evaluate(const LaneSamples& samples,
                             const LaneArray& parameters, LaneArray* products,
                             LaneNumbers* costs) {
  std::fill_n(products->data(), products->size() * kLanes, 0.0);
  loss_sums_ = LaneNumbers();
  for (Path& path : paths_) path.is_prepared = false;
  const std::int64_t most =
      *std::max_element(samples.counts.begin(), samples.counts.end());
  // Blocks of about equal sizes waste no time on a short last one. No result
  // depends on the sizes.
  const std::int64_t num_blocks = (most + block_samples_ - 1) / block_samples_;
  for (std::int64_t b = 0; b < num_blocks; ++b) {
    Block block;
    block.samples = &samples;
    block.parameters = &parameters;
    block.first = most / num_blocks * b + std::min(b, most % num_blocks);
    block.size =
        static_cast<int>(most / num_blocks + (b < most % num_blocks ? 1 : 0));
    EvaluateBlock(block, products);
  }
  const LaneNumbers& squares =
      (*products)[num_parameters_ * padded_size_ + num_parameters_];
  for (int i = 0; i < kLanes; ++i) {
    (*costs)[i] = 0.5 * (loss_ ? loss_sums_[i] : squares[i]);
  }
}

void LaneEvaluator::EvaluateBlock(const Block& block, LaneArray* products) {
  bool is_full = true;
  for (const std::int64_t count : block.samples->counts) {
    is_full = is_full && (count == 0 || count >= block.first + block.size);
  }
  if (is_full && paths_.size() == 1 && paths_[0].program.guards.empty()) {
    Path* const path = paths_.data();
    Run(block, path);
    ListRows(block, path);
    return AddRows(block.size, products);
  }
  AddBlockOfSeveralPaths(block, is_full, products);
}

void LaneEvaluator::AddBlockOfSeveralPaths(const Block& block, bool is_full,
                                           LaneArray* products) {
  Marks pending{};
  for (int s = 0; s < block.size; ++s) {
    for (int i = 0; i < kLanes; ++i) {
      pending[s * kLanes + i] = block.first + s < block.samples->counts[i];
    }
  }
  bool has_rows = false;
  for (std::size_t p = 0;; ++p) {
    const auto first = std::find(pending.begin(), pending.end(), true);
    if (first == pending.end()) break;
    const int index = static_cast<int>(first - pending.begin());
    const bool is_new = p == paths_.size();
    if (is_new) {
      if (p == kMaxPaths) {
        paths_.pop_back();
        --p;
      }
      AddPath(block, index / kLanes, index % kLanes);
    }
    Path* const path = &paths_[p];
    Run(block, path);
    const Marks taken = Taken(block, path, pending);
    if (is_full && !has_rows && taken == pending) {
      ListRows(block, path);
      return AddRows(block.size, products);
    }
    if (!has_rows) std::fill_n(rows_.data(), rows_.size() * kLanes, 0.0);
    has_rows = true;
    TakeRows(block, path, taken);
    for (int i = 0; i < block.size * kLanes; ++i) {
      pending[i] = pending[i] && !taken[i];
    }
    // A model that takes another decision for equal arguments.
    if (is_new && pending[index]) {
      MarkAsUndefined(index);
      pending[index] = false;
    }
  }
  row_list_.clear();
  for (int i = 0; i < NumRows(); ++i) {
    row_list_.push_back({rows_[i * kBlockSamples].lane, false});
  }
  AddRows(block.size, products);
}

// The derivatives of each residual, and the residual, of a model that records.
std::vector<int> LaneEvaluator::RecordRows(
    const std::vector<Traced>& parameters, const std::vector<Traced>& data,
    const Traced& weight, Tape* tape) const {
  std::vector<Traced> residuals(model_.num_residuals);
  if (!model_.residuals(parameters.data(), data.data(), residuals.data())) {
    residuals.assign(residuals.size(),
                     std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<int> rows;
  for (Traced& residual : residuals) {
    if (has_weights_) residual *= weight;
    const int node = tape->NodeOf(residual);
    std::vector<int> gradient = tape->Gradient(node, tape->parameters());
    for (int j = 0; fixed_ != nullptr && j < num_parameters_; ++j) {
      if (fixed_[j]) gradient[j] = Tape::kZero;
    }
    rows.insert(rows.end(), gradient.begin(), gradient.end());
    rows.push_back(node);
  }
  return rows;
}

// The same of a function, which has computed them.
std::vector<int> LaneEvaluator::FunctionRows(const LaneSamples& samples,
                                             std::int64_t sample, int lane,
                                             const Traced& weight,
                                             Tape* tape) const {
  std::vector<int> rows;
  for (int k = 0; k < samples.num_function_columns; ++k) {
    const int c = samples.num_columns + k;
    Traced number =
        tape->AddData(c, samples.columns[c * samples.capacity + sample][lane]);
    if (has_weights_) number *= weight;
    rows.push_back(tape->NodeOf(number));
  }
  return rows;
}

void LaneEvaluator::AddPath(const Block& block, int sample, int lane) {
  Tape tape;
  std::vector<Traced> parameters, data;
  for (int i = 0; i < num_parameters_; ++i) {
    parameters.push_back(tape.AddParameter((*block.parameters)[i][lane]));
  }
  const LaneSamples& samples = *block.samples;
  for (int c = 0; c < samples.num_columns; ++c) {
    const std::size_t index = c * samples.capacity + block.first + sample;
    data.push_back(tape.AddData(c, samples.columns[index][lane]));
  }
  Traced weight = 1.0;
  if (has_weights_) weight = data.back();
  std::vector<int> rows =
      model_.residuals
          ? RecordRows(parameters, data, weight, &tape)
          : FunctionRows(samples, block.first + sample, lane, weight, &tape);
  int loss = Tape::kZero;
  if (loss_) loss = ApplyLoss(loss_, num_parameters_, &tape, &rows);
  Path path;
  path.program = tape.Compile(rows, loss);
  path.uniforms.Grow(path.program.num_uniforms);
  for (std::size_t i = 0; i < path.program.constants.size(); ++i) {
    std::fill_n(path.uniforms[num_parameters_ + i].lane, kLanes,
                path.program.constants[i]);
  }
  registers_.Grow(path.program.num_registers * lanes::kRegisterSamples);
  block_samples_ = std::min(
      block_samples_,
      std::max(kLeastBlock, kRegisterBytes / (1 + path.program.num_registers) /
                                static_cast<int>(sizeof(LaneNumbers))));
  paths_.push_back(std::move(path));
}

ProgramMemory LaneEvaluator::MemoryOf(const Block& block, Path* path) {
  ProgramMemory memory;
  memory.uniforms = path->uniforms.data();
  memory.registers = registers_.data();
  memory.data = block.samples->columns.data() + block.first * kLanes;
  memory.column_stride = block.samples->capacity * kLanes;
  return memory;
}

void LaneEvaluator::Run(const Block& block, Path* path) {
  const ProgramMemory memory = MemoryOf(block, path);
  const Program& program = path->program;
  if (!path->is_prepared) {
    std::copy_n(block.parameters->data(), num_parameters_ * kLanes,
                memory.uniforms);
    RunCode(program.uniform_code.data(),
            static_cast<int>(program.uniform_code.size()), memory, 1);
    path->is_prepared = true;
  }
  RunCode(program.sample_code.data(),
          static_cast<int>(program.sample_code.size()), memory, block.size);
}

int LaneEvaluator::NumRows() const {
  return model_.num_residuals * (num_parameters_ + 1) + (loss_ ? 1 : 0);
}

void LaneEvaluator::ListRows(const Block& block, Path* path) {
  const ProgramMemory memory = MemoryOf(block, path);
  row_list_.clear();
  for (const Operand& row : path->program.rows) {
    row_list_.push_back(RowOf(row, memory));
  }
  if (loss_) row_list_.push_back(RowOf(path->program.loss, memory));
}

// The pending samples for which the program holds.
LaneEvaluator::Marks LaneEvaluator::Taken(const Block& block, Path* path,
                                          const Marks& pending) {
  const ProgramMemory memory = MemoryOf(block, path);
  Marks taken = pending;
  for (const auto& [operand, outcome] : path->program.guards) {
    const Row condition = RowOf(operand, memory);
    for (int s = 0; s < block.size; ++s) {
      const double* const values =
          condition.values + (condition.is_uniform ? 0 : s * kLanes);
      for (int i = 0; i < kLanes; ++i) {
        bool& mark = taken[s * kLanes + i];
        mark = mark && (values[i] != 0.0) == outcome;
      }
    }
  }
  return taken;
}

void LaneEvaluator::TakeRows(const Block& block, Path* path,
                             const Marks& taken) {
  ListRows(block, path);
  for (std::size_t r = 0; r < row_list_.size(); ++r) {
    for (int s = 0; s < block.size; ++s) {
      const Row& row = row_list_[r];
      const double* const source =
          row.values + (row.is_uniform ? 0 : s * kLanes);
      LaneNumbers& target = rows_[r * kBlockSamples + s];
      for (int i = 0; i < kLanes; ++i) {
        target[i] = taken[s * kLanes + i] ? source[i] : target[i];
      }
    }
  }
}

void LaneEvaluator::MarkAsUndefined(int index) {
  for (int r = 0; r < NumRows(); ++r) {
    rows_[r * kBlockSamples + index / kLanes][index % kLanes] =
        std::numeric_limits<double>::quiet_NaN();
  }
}

// Adds the rows of row_list_.
void LaneEvaluator::AddRows(int num_samples, LaneArray* products) {
  const int size = num_parameters_ + 1;
  for (int k = 0; k < model_.num_residuals; ++k) {
    const auto first = row_list_.begin() + k * size;
    padded_rows_.assign(first, first + size);
    padded_rows_.resize(padded_size_, padded_rows_.back());
    AddProducts(padded_rows_.data(), size, num_samples, products->data());
  }
  if (loss_) AddSamples(row_list_.back(), num_samples, loss_sums_.lane);
}

}  // namespace ceres::internal::fits
