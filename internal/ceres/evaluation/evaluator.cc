// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/parallel/loops.h"
#include "ceres/types.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// How many row blocks ahead the user's cost function is fetched into the cache.
// Rows of Schur problems are not in the order of allocation.
constexpr int kPrefetchDistance = 12;

inline void PrefetchCostFunction(const Program& program, int row) {
  if (row >= program.num_row_blocks()) return;
  const char* object =
      reinterpret_cast<const char*>(program.cost_functions[row]);
  __builtin_prefetch(object);
  __builtin_prefetch(object + 64);
}

// Where the Jacobian of an argument goes.
struct Target {
  std::int64_t destination = 0;  // of its gradient, in the slab's sums
  int position = -1;             // of its cell in the record; -1: constant
};

// What one thread needs while it evaluates row blocks.
struct Scratch {
  explicit Scratch(const Program& program, std::int64_t max_ambient_size)
      : parameters(program.max_arguments_per_block),
        jacobians(program.max_arguments_per_block),
        residuals(program.max_residuals_per_block),
        ambient(max_ambient_size) {}

  std::vector<const double*> parameters;
  std::vector<double*> jacobians;
  AlignedBuffer residuals;
  // Jacobians in ambient coordinates of the arguments that have a manifold.
  AlignedBuffer ambient;
};

}  // namespace

struct Evaluator::Impl {
  Impl(const Program& program, const Options& options)
      : program(program), options(options) {
    BuildStructure();
    plan = std::make_unique<ColumnSumPlan>(structure);
    FindTargets();
    cost_of_slab.resize(structure.num_slabs());
    scratch.resize(std::max(1, options.execution.num_threads));
  }

  void BuildStructure();
  void FindTargets();
  void PrepareForEvaluation(const double* state, bool evaluate_jacobians,
                            bool new_evaluation_point) const;
  template <typename F>
  Result ForEachSlab(F&& evaluate_slab, double* cost);

  bool EvaluateRowCost(const double* state, int row, Scratch* scratch,
                       double* residuals, double* cost,
                       std::string* message) const;
  bool EvaluateRowJacobian(const double* state, int row, Scratch* scratch,
                           double* record, double* cost,
                           std::string* message) const;

  void GatherParameters(const double* state, int row, Scratch* scratch) const;
  std::int64_t GatherJacobians(int row, double* record, Scratch* scratch) const;
  bool ToTangentCoordinates(int row, std::int64_t ambient_size, double* record,
                            Scratch* scratch, std::string* message) const;
  bool Fail(int row, const std::string& what, const double* residuals,
            const Scratch& scratch, bool with_jacobians,
            std::string* message) const;
  bool OutputsAreValid(int row, const double* residuals, const double* record,
                       const Scratch& scratch, bool with_jacobians,
                       std::string* message) const;
  bool EvaluateLoss(int row, double squared_norm, const double* residuals,
                    const Scratch& scratch, double rho[3],
                    std::string* message) const;
  void AddSums(int row, const double* record);

  const LossFunction* loss(int row) const {
    return options.apply_loss_function ? program.loss_functions[row] : nullptr;
  }

  const Program& program;
  const Options options;
  BlockJacobianStructure structure;
  std::unique_ptr<ColumnSumPlan> plan;
  std::vector<Target> targets;  // by argument of the program
  bool has_manifolds = false;
  std::int64_t max_ambient_size = 0;

  std::vector<std::unique_ptr<Scratch>> scratch;  // by thread, made by it
  std::vector<double> cost_of_slab;
  AlignedBuffer gradient_sums;
  AlignedBuffer norm_sums;
};

void Evaluator::Impl::BuildStructure() {
  structure.column_offset = program.delta_offset;
  structure.num_eliminated = program.num_eliminated;
  structure.eliminated_first_row = program.eliminated_first_row;

  std::vector<int> columns;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int first = program.first_argument[row];
    const int last = program.first_argument[row + 1];
    const int num_residuals =
        program.row_offset[row + 1] - program.row_offset[row];
    columns.clear();
    std::int64_t ambient_size = 0;
    for (int k = first; k < last; ++k) {
      const Program::Argument& argument = program.arguments[k];
      if (argument.column_block < 0) continue;
      // The eliminated block's cell comes first.
      if (argument.column_block < program.num_eliminated) {
        columns.insert(columns.begin(), argument.column_block);
      } else {
        columns.push_back(argument.column_block);
      }
      if (program.manifolds[argument.column_block] != nullptr) {
        has_manifolds = true;
        ambient_size += std::int64_t{num_residuals} * argument.size;
      }
    }
    max_ambient_size = std::max(max_ambient_size, ambient_size);
    AppendRowBlock(num_residuals, columns, &structure);
  }
  CutIntoSlabs(&structure);
}

void Evaluator::Impl::FindTargets() {
  targets.resize(program.arguments.size());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    for (int k = program.first_argument[row];
         k < program.first_argument[row + 1]; ++k) {
      const int column = program.arguments[k].column_block;
      if (column < 0) continue;
      int cell = structure.first_cell[row];
      while (structure.cell_column[cell] != column) ++cell;
      targets[k] = {plan->destination(cell), structure.cell_position[cell]};
    }
  }
}

void Evaluator::Impl::PrepareForEvaluation(const double* state,
                                           bool evaluate_jacobians,
                                           bool new_evaluation_point) const {
  if (options.evaluation_callback == nullptr) return;
  program.SetUserState(state);
  options.evaluation_callback->PrepareForEvaluation(evaluate_jacobians,
                                                    new_evaluation_point);
}

// evaluate_slab: (scratch, slab, message) -> success; writes cost_of_slab.
template <typename F>
Evaluator::Result Evaluator::Impl::ForEachSlab(F&& evaluate_slab,
                                               double* cost) {
  FirstFailure failure;
  ParallelFor(options.execution, 0, structure.num_slabs(),
              [&](int thread_id, int slab) {
                if (failure.MaySkip(slab)) return;
                std::unique_ptr<Scratch>& mine = scratch[thread_id];
                if (mine == nullptr) {
                  mine = std::make_unique<Scratch>(program, max_ambient_size);
                }
                std::string message;
                if (!evaluate_slab(mine.get(), slab, &message)) {
                  failure.Report(slab, std::move(message));
                }
              });
  if (failure.any()) return {false, std::move(failure.message())};
  *cost = 0.0;
  for (const double slab_cost : cost_of_slab) *cost += slab_cost;
  return {};
}

void Evaluator::Impl::GatherParameters(const double* state, int row,
                                       Scratch* scratch) const {
  const Program::Argument* argument =
      program.arguments.data() + program.first_argument[row];
  const Program::Argument* end =
      program.arguments.data() + program.first_argument[row + 1];
  for (const double** parameters = scratch->parameters.data(); argument != end;
       ++argument, ++parameters) {
    *parameters = argument->column_block >= 0 ? state + argument->state_offset
                                              : argument->constant;
  }
}

// Sets scratch->jacobians: into the record, or into scratch->ambient where a
// manifold is in the way. Returns the number of doubles used of the latter.
std::int64_t Evaluator::Impl::GatherJacobians(int row, double* record,
                                              Scratch* scratch) const {
  const int first = program.first_argument[row];
  const int last = program.first_argument[row + 1];
  std::int64_t ambient_size = 0;
  for (int k = first; k < last; ++k) {
    const int position = targets[k].position;
    double* jacobian = position >= 0 ? record + position : nullptr;
    if (has_manifolds && position >= 0) {
      const Program::Argument& argument = program.arguments[k];
      if (program.manifolds[argument.column_block] != nullptr) {
        jacobian = scratch->ambient.data() + ambient_size;
        ambient_size += std::int64_t{structure.row_size(row)} * argument.size;
      }
    }
    scratch->jacobians[k - first] = jacobian;
  }
  return ambient_size;
}

bool Evaluator::Impl::Fail(int row, const std::string& what,
                           const double* residuals, const Scratch& scratch,
                           bool with_jacobians, std::string* message) const {
  *message = DescribeFailure(
      {program.residual_blocks[row]->index(), program.cost_functions[row],
       scratch.parameters.data(), residuals,
       with_jacobians ? scratch.jacobians.data() : nullptr},
      what);
  return false;
}

// Called when a norm of the outputs is not finite: finds out whether that is a
// failure. Derivatives may be so large that only their squares overflow.
// record: null, or the row's, in tangent coordinates.
bool Evaluator::Impl::OutputsAreValid(int row, const double* residuals,
                                      const double* record,
                                      const Scratch& scratch,
                                      bool with_jacobians,
                                      std::string* message) const {
  std::string what = FindInvalidOutput(
      {program.residual_blocks[row]->index(), program.cost_functions[row],
       scratch.parameters.data(), residuals,
       with_jacobians ? scratch.jacobians.data() : nullptr});
  if (what.empty() &&
      !std::isfinite(SquaredNorm(residuals, structure.row_size(row)))) {
    what = "the residuals are so large that their squared norm overflows";
  }
  if (what.empty() && record != nullptr) {
    const std::int64_t size =
        structure.record_offset[row + 1] - structure.record_offset[row];
    const bool is_finite = std::all_of(record, record + size, [](double value) {
      return std::isfinite(value) && value != kImpossibleValue;
    });
    if (!is_finite) {
      what = "the Jacobian times the PlusJacobian of a manifold is not finite";
    }
  }
  return what.empty() ||
         Fail(row, what, residuals, scratch, with_jacobians, message);
}

bool Evaluator::Impl::EvaluateLoss(int row, double squared_norm,
                                   const double* residuals,
                                   const Scratch& scratch, double rho[3],
                                   std::string* message) const {
  loss(row)->Evaluate(squared_norm, rho);
  const std::string what = FindInvalidLoss(rho);
  return what.empty() || Fail(row, what, residuals, scratch, false, message);
}

bool Evaluator::Impl::EvaluateRowCost(const double* state, int row,
                                      Scratch* scratch, double* residuals,
                                      double* cost,
                                      std::string* message) const {
  const int num_residuals = structure.row_size(row);
  GatherParameters(state, row, scratch);
  std::fill_n(residuals, num_residuals, kImpossibleValue);
  if (!program.cost_functions[row]->Evaluate(scratch->parameters.data(),
                                             residuals, nullptr)) {
    return Fail(row, "its cost function returned false", residuals, *scratch,
                false, message);
  }
  const double squared_norm = SquaredNorm(residuals, num_residuals);
  if (!std::isfinite(squared_norm)) {
    return OutputsAreValid(row, residuals, nullptr, *scratch, false, message);
  }
  if (loss(row) == nullptr) {
    *cost = 0.5 * squared_norm;
    return true;
  }
  double rho[3];
  if (!EvaluateLoss(row, squared_norm, residuals, *scratch, rho, message)) {
    return false;
  }
  *cost = 0.5 * rho[0];
  LossCorrection(squared_norm, rho).CorrectResiduals(num_residuals, residuals);
  return true;
}

bool Evaluator::Impl::ToTangentCoordinates(int row, std::int64_t ambient_size,
                                           double* record, Scratch* scratch,
                                           std::string* message) const {
  if (!std::isfinite(SquaredNorm(scratch->ambient.data(), ambient_size)) &&
      !OutputsAreValid(row, record, nullptr, *scratch, true, message)) {
    return false;
  }
  const int first = program.first_argument[row];
  const int num_arguments = program.first_argument[row + 1] - first;
  for (int k = 0; k < num_arguments; ++k) {
    const Program::Argument& argument = program.arguments[first + k];
    if (argument.column_block < 0) continue;
    const Manifold* manifold = program.manifolds[argument.column_block];
    if (manifold == nullptr) continue;
    if (!manifold->RightMultiplyByPlusJacobian(
            scratch->parameters[k], structure.row_size(row),
            scratch->jacobians[k], record + targets[first + k].position)) {
      return Fail(row,
                  "the PlusJacobian of the manifold of parameter block " +
                      std::to_string(k) + " failed",
                  record, *scratch, true, message);
    }
  }
  return true;
}

bool Evaluator::Impl::EvaluateRowJacobian(const double* state, int row,
                                          Scratch* scratch, double* record,
                                          double* cost,
                                          std::string* message) const {
  const int num_residuals = structure.row_size(row);
  const std::int64_t record_size =
      structure.record_offset[row + 1] - structure.record_offset[row];
  GatherParameters(state, row, scratch);
  const std::int64_t ambient_size = GatherJacobians(row, record, scratch);
  std::fill_n(record, record_size, kImpossibleValue);
  std::fill_n(scratch->ambient.data(), ambient_size, kImpossibleValue);
  if (!program.cost_functions[row]->Evaluate(scratch->parameters.data(), record,
                                             scratch->jacobians.data())) {
    return Fail(row, "its cost function returned false", record, *scratch, true,
                message);
  }
  if (ambient_size > 0 &&
      !ToTangentCoordinates(row, ambient_size, record, scratch, message)) {
    return false;
  }
  const double squared_norm = SquaredNorm(record, num_residuals);
  if (!std::isfinite(squared_norm + SquaredNorm(record + num_residuals,
                                                record_size - num_residuals)) &&
      !OutputsAreValid(row, record, record, *scratch, true, message)) {
    return false;
  }
  if (loss(row) == nullptr) {
    *cost = 0.5 * squared_norm;
    return true;
  }

  double rho[3];
  if (!EvaluateLoss(row, squared_norm, record, *scratch, rho, message)) {
    return false;
  }
  *cost = 0.5 * rho[0];
  const LossCorrection correction(squared_norm, rho);
  for (int k = structure.first_cell[row]; k < structure.first_cell[row + 1];
       ++k) {
    correction.CorrectJacobian(num_residuals,
                               structure.column_size(structure.cell_column[k]),
                               record, record + structure.cell_position[k]);
  }
  correction.CorrectResiduals(num_residuals, record);
  return true;
}

void Evaluator::Impl::AddSums(int row, const double* record) {
  const int num_residuals = structure.row_size(row);
  for (int k = program.first_argument[row]; k < program.first_argument[row + 1];
       ++k) {
    const Target& target = targets[k];
    if (target.position < 0) continue;
    AddGradientAndNorms(num_residuals, program.arguments[k].tangent_size,
                        record, record + target.position,
                        gradient_sums.data() + target.destination,
                        norm_sums.data() + target.destination);
  }
}

Evaluator::Evaluator(const Program& program, const Options& options)
    : impl_(std::make_unique<Impl>(program, options)) {}
Evaluator::~Evaluator() = default;

const BlockJacobianStructure& Evaluator::structure() const {
  return impl_->structure;
}

const ColumnSumPlan& Evaluator::column_sum_plan() const { return *impl_->plan; }

Evaluator::Result Evaluator::EvaluateCost(const double* state,
                                          bool new_evaluation_point,
                                          double* cost, double* residuals) {
  Impl& impl = *impl_;
  impl.PrepareForEvaluation(state, false, new_evaluation_point);
  const BlockJacobianStructure& s = impl.structure;
  const auto evaluate_slab = [&](Scratch* scratch, int slab,
                                 std::string* message) {
    double slab_cost = 0.0;
    for (int row = s.slab_first_row[slab]; row < s.slab_first_row[slab + 1];
         ++row) {
      PrefetchCostFunction(impl.program, row + kPrefetchDistance);
      double row_cost = 0.0;
      if (!impl.EvaluateRowCost(state, row, scratch,
                                residuals == nullptr
                                    ? scratch->residuals.data()
                                    : residuals + s.row_offset[row],
                                &row_cost, message)) {
        return false;
      }
      slab_cost += row_cost;
    }
    impl.cost_of_slab[slab] = slab_cost;
    return true;
  };
  return impl.ForEachSlab(evaluate_slab, cost);
}

Evaluator::Result Evaluator::EvaluateJacobian(
    const double* state, bool new_evaluation_point, double* cost,
    BlockJacobian* jacobian, double* gradient, double* squared_column_norms) {
  Impl& impl = *impl_;
  const BlockJacobianStructure& s = impl.structure;
  CHECK(jacobian->structure == &s)
      << "The Jacobian does not have the evaluator's structure.";
  CHECK_EQ(static_cast<std::int64_t>(jacobian->values.size()), s.num_values());
  impl.PrepareForEvaluation(state, true, new_evaluation_point);

  const bool with_sums = gradient != nullptr || squared_column_norms != nullptr;
  if (with_sums) {
    impl.gradient_sums.Resize(impl.plan->buffer_size());
    impl.norm_sums.Resize(impl.plan->buffer_size());
  }
  const auto evaluate_slab = [&](Scratch* scratch, int slab,
                                 std::string* message) {
    if (with_sums) {
      impl.plan->Clear(slab, impl.gradient_sums.data());
      impl.plan->Clear(slab, impl.norm_sums.data());
    }
    double slab_cost = 0.0;
    for (int row = s.slab_first_row[slab]; row < s.slab_first_row[slab + 1];
         ++row) {
      PrefetchCostFunction(impl.program, row + kPrefetchDistance);
      double row_cost = 0.0;
      double* record = jacobian->record(row);
      if (!impl.EvaluateRowJacobian(state, row, scratch, record, &row_cost,
                                    message)) {
        return false;
      }
      slab_cost += row_cost;
      if (with_sums) impl.AddSums(row, record);
    }
    impl.cost_of_slab[slab] = slab_cost;
    return true;
  };
  Result result = impl.ForEachSlab(evaluate_slab, cost);
  if (!result) return result;
  if (gradient != nullptr) {
    impl.plan->Reduce(impl.options.execution, impl.gradient_sums.data(),
                      gradient);
  }
  if (squared_column_norms != nullptr) {
    impl.plan->Reduce(impl.options.execution, impl.norm_sums.data(),
                      squared_column_norms);
  }
  return result;
}

}  // namespace ceres::internal
