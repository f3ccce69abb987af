// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// ceres::Solve: options and start are checked, the problem is reduced, ordered
// and frozen, minimized, and the result written back.
//
//   Problem --CheckStart, ReduceProblem--> ReducedProblem
//           --OrderColumns--> ColumnOrder --> Program, Evaluator, LinearSolver
//           --TrustRegionMinimizer or LineSearchMinimizer--> state
//           --> the user's memory

#include "ceres/solver.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/merged_columns.h"
#include "ceres/execution/context_impl.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/minimizer/coordinate_descent.h"
#include "ceres/minimizer/line_search_minimizer.h"
#include "ceres/minimizer/objective.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/minimizer/trust_region_minimizer.h"
#include "ceres/normal/cgnr_solver.h"
#include "ceres/normal/dynamic_sparsity_solver.h"
#include "ceres/normal/normal_equations_solver.h"
#include "ceres/normal/subset_preconditioner.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/solver/checked_cost_functions.h"
#include "ceres/solver/column_order.h"
#include "ceres/solver/inner_iteration_order.h"
#include "ceres/solver/minimizer_setup.h"
#include "ceres/solver/preparation.h"
#include "ceres/solver/progress_table.h"
#include "ceres/solver/reduced_problem.h"
#include "ceres/solver/subset_rows.h"
#include "ceres/solver/worth_sharing.h"
#include "glog/logging.h"

namespace ceres {
namespace internal {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsBetween(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// One call of Solve.
class Solve final {
 public:
  Solve(const Solver::Options& options, ProblemImpl* problem,
        Solver::Summary* summary)
      : options_(options), problem_(*problem), summary_(*summary) {}

  void Run();

 private:
  void DescribeGiven();
  void ChooseThreads();
  void ChooseThreadsOfExecutor();
  void ChoosePreparation();
  void PrepareAndMinimize();
  bool Prepare();
  bool PrepareTrustRegion();
  bool PrepareLineSearch();
  bool PrepareInnerIterations();
  void MakeEvaluator(ColumnOrder* order);
  bool SolverWantsMergedColumns() const;
  std::vector<int> MergedRemainingGroups() const;
  void SubstituteLinearSolver();
  void DescribeReduced();
  bool ChooseSubset();
  void CreateLinearSolver();
  void Minimize();
  void RunMinimizer(double* state, MinimizerResult* result);
  void FillIn(MinimizerSetup* setup);
  void Fail(std::string message);

  const Solver::Options& options_;
  ProblemImpl& problem_;
  Solver::Summary& summary_;
  Execution execution_;
  ThreadsOfProblem threads_on_demand_;
  Clock::time_point start_ = parallel::detail::SteadyNow();

  // Of an earlier solve, or empty at first.
  std::unique_ptr<Preparation> prepared_;
  bool was_kept_ = false;

  std::vector<int> subset_rows_;  // of the SUBSET preconditioner
  std::optional<CheckedCostFunctions> checked_;
  std::optional<CoordinateDescent> inner_iterations_;
  std::optional<ProgressTable> progress_;
};

void Solve::Run() {
  // A summary that is given again keeps its room.
  std::vector<IterationSummary> iterations = std::move(summary_.iterations);
  summary_ = Solver::Summary();
  iterations.clear();
  summary_.iterations = std::move(iterations);
  DescribeGiven();
  std::string error;
  if (!options_.IsValid(&error)) {
    Fail("Terminating: " + error);
  } else {
    ChooseThreads();
    ChoosePreparation();
    try {
      PrepareAndMinimize();
    } catch (const Stopped&) {
      // Before there was a minimizer to see it.
      Termination stopped =
          DescribeStop(ToMinimizerOptions(options_), prepared_->stop,
                       /*iteration=*/0,
                       SecondsBetween(start_, parallel::detail::SteadyNow()));
      summary_.termination_type = stopped.type;
      summary_.message = std::move(stopped.message);
    } catch (...) {
      Fail("An exception was thrown; the caller of Solve has it.");
      throw;
    }
  }
  // Nothing is left to do after the minimizer but what is timed above.
  summary_.postprocessor_time_in_seconds = 0.0;
  summary_.total_time_in_seconds =
      SecondsBetween(start_, parallel::detail::SteadyNow());
}

// What an earlier solve left, or an empty one.
void Solve::ChoosePreparation() {
  prepared_ = TakeKeptPreparation(options_, execution_, &problem_);
  was_kept_ = prepared_ != nullptr;
  summary_.preprocessing_was_kept = was_kept_;
  if (!was_kept_) {
    prepared_ = std::make_unique<Preparation>();
    prepared_->linear_solver_type = options_.linear_solver_type;
    prepared_->preconditioner_type = options_.preconditioner_type;
  }
  prepared_->stop.Set(options_.cancellation_token,
                      DeadlineOf(options_.max_solver_time_in_seconds, start_));
  execution_.stop = &prepared_->stop;
  prepared_->threads_on_demand = threads_on_demand_;
  if (execution_.on_demand != nullptr) {
    execution_.on_demand = &prepared_->threads_on_demand;
  }
  prepared_->execution = execution_;
}

void Solve::PrepareAndMinimize() {
  const parallel::detail::KeepWorkersSpinning patience(
      execution_.IsSerial() || execution_.context == nullptr
          ? nullptr
          : &execution_.context->thread_pool().state());
  const bool prepared = Prepare();
  const Clock::time_point prepared_at = parallel::detail::SteadyNow();
  summary_.preprocessor_time_in_seconds = SecondsBetween(start_, prepared_at);
  summary_.minimizer_time_in_seconds = 0.0;
  if (prepared && prepared_->program) {
    Minimize();
    summary_.minimizer_time_in_seconds =
        SecondsBetween(prepared_at, parallel::detail::SteadyNow());
    KeepPreparation(options_, std::move(prepared_), &problem_);
  }
}

void Solve::Fail(std::string message) {
  summary_.termination_type = FAILURE;
  summary_.message = std::move(message);
}

void Solve::DescribeGiven() {
  summary_.minimizer_type = options_.minimizer_type;
  summary_.trust_region_strategy_type = options_.trust_region_strategy_type;
  summary_.dogleg_type = options_.dogleg_type;
  summary_.linear_solver_type_given = options_.linear_solver_type;
  summary_.linear_solver_type_used = options_.linear_solver_type;
  summary_.preconditioner_type_given = options_.preconditioner_type;
  summary_.preconditioner_type_used = options_.preconditioner_type;
  summary_.visibility_clustering_type = options_.visibility_clustering_type;
  summary_.dense_linear_algebra_library_type =
      options_.dense_linear_algebra_library_type;
  summary_.sparse_linear_algebra_library_type =
      options_.sparse_linear_algebra_library_type;
  summary_.linear_solver_ordering_type = options_.linear_solver_ordering_type;
  summary_.mixed_precision_solves_used = options_.use_mixed_precision_solves;
  summary_.num_threads_given = options_.num_threads;
  summary_.num_threads_used = options_.num_threads;
  summary_.inner_iterations_given = options_.use_inner_iterations;
  summary_.line_search_direction_type = options_.line_search_direction_type;
  summary_.line_search_type = options_.line_search_type;
  summary_.line_search_interpolation_type =
      options_.line_search_interpolation_type;
  summary_.nonlinear_conjugate_gradient_type =
      options_.nonlinear_conjugate_gradient_type;
  summary_.max_lbfgs_rank = options_.max_lbfgs_rank;
  if (options_.linear_solver_ordering != nullptr) {
    for (const auto& [group, elements] :
         options_.linear_solver_ordering->group_to_elements()) {
      summary_.linear_solver_ordering_given.push_back(
          static_cast<int>(elements.size()));
    }
  }
  if (options_.inner_iteration_ordering != nullptr) {
    for (const auto& [group, elements] :
         options_.inner_iteration_ordering->group_to_elements()) {
      summary_.inner_iteration_ordering_given.push_back(
          static_cast<int>(elements.size()));
    }
  }
  int num_effective = 0;
  for (const ParameterBlock* block : problem_.parameter_blocks()) {
    num_effective += block->tangent_size();
  }
  summary_.num_parameter_blocks =
      static_cast<int>(problem_.parameter_blocks().size());
  summary_.num_parameters = problem_.num_parameters();
  summary_.num_effective_parameters = num_effective;
  summary_.num_residual_blocks =
      static_cast<int>(problem_.residual_blocks().size());
  summary_.num_residuals = problem_.num_residuals();
}

void Solve::ChooseThreadsOfExecutor() {
  execution_.executor = options_.executor;
  execution_.num_threads = std::max(
      1, std::min(options_.num_threads, options_.executor->MaxConcurrency()));
  summary_.num_threads_used = execution_.num_threads;
}

void Solve::ChooseThreads() {
  if (options_.executor != nullptr) {
    ChooseThreadsOfExecutor();
    return;
  }
  execution_.num_threads = options_.num_threads;
  // A thread pool costs more to make than some solves.
  if (options_.num_threads == 1) return;
  if (problem_.options().context == nullptr &&
      !IsWorthSharing(options_, problem_)) {
    summary_.num_threads_used =
        std::min(options_.num_threads, parallel::detail::NumCpus());
    execution_.num_threads = 1;
    if (summary_.num_threads_used > 1) {
      threads_on_demand_ =
          ThreadsOfProblem(&problem_, summary_.num_threads_used);
      execution_.on_demand = &threads_on_demand_;
    }
    return;
  }
  execution_.context = problem_.context();
  const int limit = execution_.context->thread_pool().RunningLimit();
  if (options_.num_threads > limit) {
    // Once: many small solves should not spend their time on warnings.
    LOG_FIRST_N(WARNING, 1)
        << "Solver::Options::num_threads = " << options_.num_threads
        << " is more than the " << limit
        << " cpus that this process may use. Using " << limit
        << ", here and in later solves (Solver::Summary::num_threads_used).";
    execution_.num_threads = limit;
  }
  if (execution_.num_threads > 1) {
    execution_.context->EnsureMinimumThreads(execution_.num_threads);
  }
  summary_.num_threads_used = execution_.num_threads;
}

// Reads: the problem. Writes: everything that the minimizer needs, or no
// program if nothing varies. False: failed, and said why.
bool Solve::Prepare() {
  std::string error;
  if (!CheckStart(problem_, execution_, &error) ||
      !(was_kept_ ? EvaluateFixedCost(problem_, execution_, &prepared_->reduced,
                                      &error)
                  : ReduceProblem(problem_, execution_, &prepared_->reduced,
                                  &error))) {
    Fail(std::move(error));
    return false;
  }
  CheckStop(execution_);
  summary_.fixed_cost = prepared_->reduced.fixed_cost;
  if (prepared_->reduced.parameter_blocks.empty()) {
    DescribeReduced();
    summary_.initial_cost = prepared_->reduced.fixed_cost;
    summary_.final_cost = prepared_->reduced.fixed_cost;
    summary_.termination_type = CONVERGENCE;
    summary_.message =
        "Nothing to minimize: every parameter block is constant or unused.";
    return true;
  }
  const bool prepared = options_.minimizer_type == LINE_SEARCH
                            ? PrepareLineSearch()
                            : PrepareTrustRegion();
  if (prepared) {
    DescribeReduced();
  }
  return prepared;
}

bool Solve::PrepareTrustRegion() {
  if (was_kept_) {
    summary_.linear_solver_type_used = prepared_->linear_solver_type;
    summary_.preconditioner_type_used = prepared_->preconditioner_type;
    return PrepareInnerIterations();
  }
  std::string error;
  if (!OrderColumns(execution_, problem_, prepared_->reduced,
                    prepared_->linear_solver_type,
                    options_.linear_solver_ordering.get(), &prepared_->order,
                    &error)) {
    Fail(std::move(error));
    return false;
  }
  if (prepared_->order.lowest_group_is_empty) {
    SubstituteLinearSolver();
  }
  CheckStop(execution_);
  MakeEvaluator(&prepared_->order);
  // The program has them.
  prepared_->order.parameter_blocks = std::vector<ParameterBlock*>();
  CheckStop(execution_);
  if (!PrepareInnerIterations() || !ChooseSubset()) {
    return false;
  }
  CreateLinearSolver();
  const LinearSolver::IdleMemory idle =
      prepared_->linear_solver->MemoryBetweenSolves();
  prepared_->evaluator->BorrowMemory(idle.data, idle.size);
  return true;
}

// Without linear solver every order of the columns is as good.
bool Solve::PrepareLineSearch() {
  for (const ParameterBlock* block : prepared_->reduced.parameter_blocks) {
    if (block->has_bounds()) {
      Fail(
          Format("ParameterBlock %d (at %p, size %d) has bounds, which "
                 "Solver::Options::minimizer_type = LINE_SEARCH cannot keep: "
                 "remove the bounds or set minimizer_type = TRUST_REGION.",
                 block->index(), static_cast<void*>(block->user_state()),
                 block->size()));
      return false;
    }
  }
  if (was_kept_) {
    return true;
  }
  ColumnOrder order;
  order.parameter_blocks = prepared_->reduced.parameter_blocks;
  MakeEvaluator(&order);
  return true;
}

void Solve::MakeEvaluator(ColumnOrder* order) {
  // Nothing else reads them; the largest arrays come next.
  prepared_->reduced.first_column = PagedVector<int>();
  prepared_->reduced.columns = PagedVector<int>();
  order->row_order.size_bounds = prepared_->reduced.size_bounds;
  prepared_->program.emplace(order->parameter_blocks, order->num_eliminated,
                             prepared_->reduced.ResidualBlocks(), execution_,
                             std::move(order->row_order));
  prepared_->reduced.ForgetResidualBlocks();
  if (options_.check_gradients) {
    checked_.emplace(options_, problem_.residual_blocks(),
                     &*prepared_->program);
  }
  Evaluator::Options evaluator_options;
  evaluator_options.execution = execution_;
  evaluator_options.evaluation_callback =
      problem_.options().evaluation_callback;
  if (SolverWantsMergedColumns()) {
    prepared_->merged_columns = FindMergedColumns(
        *prepared_->program,
        order->remaining_groups.empty() ? nullptr : &order->remaining_groups);
    evaluator_options.merged_columns = prepared_->merged_columns;
  }
  prepared_->evaluator.emplace(*prepared_->program, evaluator_options);
}

// Those that assemble normal equations. Preconditioners are made of the blocks
// that the user knows.
bool Solve::SolverWantsMergedColumns() const {
  if (options_.minimizer_type == LINE_SEARCH) return false;
  switch (prepared_->linear_solver_type) {
    case SPARSE_NORMAL_CHOLESKY:
      // Which blocks are zero is looked at block by block.
      return !options_.dynamic_sparsity;
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
    case SPARSE_SCHUR:
      return true;
    default:
      return false;
  }
}

// The group of each of the Jacobian's remaining columns.
std::vector<int> Solve::MergedRemainingGroups() const {
  const ColumnOrder& order = prepared_->order;
  if (order.remaining_groups.empty() || prepared_->merged_columns.empty()) {
    return order.remaining_groups;
  }
  std::vector<int> groups;
  for (size_t run = order.num_eliminated;
       run + 1 < prepared_->merged_columns.size(); ++run) {
    groups.push_back(order.remaining_groups[prepared_->merged_columns[run] -
                                            order.num_eliminated]);
  }
  return groups;
}

bool Solve::PrepareInnerIterations() {
  if (!options_.use_inner_iterations) {
    return true;
  }
  if (problem_.options().evaluation_callback != nullptr) {
    Fail(
        "Solver::Options::use_inner_iterations evaluates residual blocks at "
        "many points at the same time, for which an EvaluationCallback cannot "
        "prepare: set use_inner_iterations = false, or remove the callback.");
    return false;
  }
  if (prepared_->program->num_column_blocks() < 2) {
    LOG(WARNING) << "Solver::Options::use_inner_iterations has no effect on a "
                    "problem with a single parameter block.";
    return true;
  }
  InnerIterationOrder order;
  std::string error;
  if (!OrderInnerIterations(problem_, *prepared_->program,
                            options_.inner_iteration_ordering.get(), &order,
                            &error)) {
    Fail(std::move(error));
    return false;
  }
  for (const std::vector<int>& group : order.groups) {
    summary_.inner_iteration_ordering_used.push_back(
        static_cast<int>(group.size()));
  }
  summary_.inner_iterations_used = true;
  inner_iterations_.emplace(*prepared_->program, std::move(order.groups),
                            options_.max_solver_time_in_seconds, execution_,
                            start_);
  return true;
}

// Without anything to eliminate a Schur complement is the normal equations.
void Solve::SubstituteLinearSolver() {
  switch (prepared_->linear_solver_type) {
    case SPARSE_SCHUR:
      prepared_->linear_solver_type = SPARSE_NORMAL_CHOLESKY;
      break;
    case DENSE_SCHUR:
      prepared_->linear_solver_type = DENSE_QR;
      break;
    case ITERATIVE_SCHUR:
      prepared_->linear_solver_type = CGNR;
      if (prepared_->preconditioner_type != IDENTITY) {
        prepared_->preconditioner_type = JACOBI;
      }
      break;
    default:
      break;
  }
  summary_.linear_solver_type_used = prepared_->linear_solver_type;
  summary_.preconditioner_type_used = prepared_->preconditioner_type;
}

void Solve::DescribeReduced() {
  int num_parameters = 0;
  int num_effective = 0;
  for (const ParameterBlock* block : prepared_->reduced.parameter_blocks) {
    num_parameters += block->size();
    num_effective += block->tangent_size();
    summary_.is_constrained |= block->has_bounds();
  }
  summary_.num_parameter_blocks_reduced =
      static_cast<int>(prepared_->reduced.parameter_blocks.size());
  summary_.num_parameters_reduced = num_parameters;
  summary_.num_effective_parameters_reduced = num_effective;
  summary_.num_residual_blocks_reduced = prepared_->reduced.num_residual_blocks;
  summary_.num_residuals_reduced = prepared_->reduced.num_residuals;
  // It may have taken the place of an emptied DENSE_SCHUR, which can.
  if (prepared_->linear_solver_type == DENSE_QR) {
    summary_.mixed_precision_solves_used = false;
  }
  summary_.linear_solver_ordering_used = prepared_->order.group_sizes;
  if (prepared_->evaluator && IsSchurType(prepared_->linear_solver_type)) {
    summary_.schur_structure_used =
        SchurStructureName(prepared_->evaluator->structure());
    summary_.schur_structure_given = summary_.schur_structure_used;
  }
}

SchurSolverOptions::Method MethodOf(LinearSolverType type) {
  switch (type) {
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
      return SchurSolverOptions::Method::kDense;
    case ITERATIVE_SCHUR:
      return SchurSolverOptions::Method::kIterative;
    default:
      return SchurSolverOptions::Method::kSparse;
  }
}

bool Solve::ChooseSubset() {
  if (prepared_->linear_solver_type != CGNR ||
      prepared_->preconditioner_type != SUBSET) {
    return true;
  }
  std::string error;
  if (FindSubsetRows(options_, problem_, *prepared_->program, &subset_rows_,
                     &error)) {
    return true;
  }
  Fail(std::move(error));
  return false;
}

void Solve::CreateLinearSolver() {
  const BlockJacobianStructure& structure = prepared_->evaluator->structure();
  if (prepared_->linear_solver_type == DENSE_QR) {
    prepared_->linear_solver = CreateDenseQrSolver(
        options_.dense_linear_algebra_library_type, execution_, structure);
    return;
  }
  if (prepared_->linear_solver_type == CGNR) {
    CgnrOptions cgnr;
    cgnr.preconditioner = prepared_->preconditioner_type;
    cgnr.min_iterations = options_.min_linear_solver_iterations;
    cgnr.max_iterations = options_.max_linear_solver_iterations;
    SparseCholesky::Options sparse;
    sparse.library = options_.sparse_linear_algebra_library_type;
    sparse.ordering = options_.linear_solver_ordering_type;
    prepared_->linear_solver =
        CreateCgnrSolver(cgnr, execution_, structure,
                         prepared_->preconditioner_type == SUBSET
                             ? CreateSubsetPreconditioner(
                                   sparse, execution_, structure, subset_rows_)
                             : nullptr);
    return;
  }
  SchurSolverOptions normal;
  normal.method = MethodOf(prepared_->linear_solver_type);
  normal.dense_library = options_.dense_linear_algebra_library_type;
  normal.sparse.library = options_.sparse_linear_algebra_library_type;
  normal.sparse.ordering = options_.linear_solver_ordering_type;
  normal.sparse.single_precision = options_.use_mixed_precision_solves;
  normal.sparse.num_refinement_iterations =
      options_.max_num_refinement_iterations;
  normal.elimination_group = MergedRemainingGroups();
  normal.mixed_precision = options_.use_mixed_precision_solves;
  normal.max_num_refinement_iterations = options_.max_num_refinement_iterations;
  normal.preconditioner = prepared_->preconditioner_type;
  normal.visibility_clustering = options_.visibility_clustering_type;
  normal.max_num_spse_iterations = options_.max_num_spse_iterations;
  normal.use_spse_initialization = options_.use_spse_initialization;
  normal.spse_tolerance = options_.spse_tolerance;
  normal.explicit_schur_complement = options_.use_explicit_schur_complement;
  normal.expected_q_tolerance = options_.eta;
  normal.min_iterations = options_.min_linear_solver_iterations;
  normal.max_iterations = options_.max_linear_solver_iterations;
  prepared_->linear_solver =
      options_.dynamic_sparsity &&
              prepared_->linear_solver_type == SPARSE_NORMAL_CHOLESKY
          ? CreateDynamicSparsitySolver(normal, execution_, structure)
          : CreateNormalEquationsSolver(normal, execution_, structure);
}

// What the setups of all minimizers have in common.
void Solve::FillIn(MinimizerSetup* setup) {
  setup->execution = execution_;
  setup->fixed_cost = prepared_->reduced.fixed_cost;
  setup->start = start_;
  SetCallbacks(options_, &progress_, setup);
}

// Throws what user code throws; `result` then describes the iterations before.
void Solve::RunMinimizer(double* state, MinimizerResult* result) {
  const MinimizerOptions options = ToMinimizerOptions(options_);
  if (options_.minimizer_type == LINE_SEARCH) {
    const std::unique_ptr<Objective> objective =
        CreateProgramObjective(*prepared_->program, &*prepared_->evaluator);
    LineSearchMinimizer::Setup setup;
    setup.options = &options;
    setup.objective = objective.get();
    FillIn(&setup);
    LineSearchMinimizer(setup).Minimize(state, result);
    return;
  }
  TrustRegionMinimizer::Setup setup;
  setup.options = &options;
  setup.program = &*prepared_->program;
  setup.evaluator = &*prepared_->evaluator;
  setup.linear_solver = prepared_->linear_solver.get();
  // A callback's user is told of points, and errors of derivatives are looked
  // for, where the minimizer needs Jacobians.
  setup.may_evaluate_ahead =
      problem_.options().evaluation_callback == nullptr && !checked_;
  if (inner_iterations_) {
    setup.inner_iterations = &*inner_iterations_;
  }
  FillIn(&setup);
  TrustRegionMinimizer(setup).Minimize(state, result);
}

// The user's memory changes during the solve where the user asked for it, and
// where an evaluation callback has to find the point there; it ends up as the
// solution or, when there is none or user code throws, as it was (unless the
// user wants what was reached before the exception).
void Solve::Minimize() {
  std::vector<double> state(prepared_->program->num_state());
  prepared_->program->GetState(execution_, state.data());
  // Where nobody writes the user's memory, the start stays there.
  std::vector<double> start;
  if (options_.update_state_every_iteration ||
      problem_.options().evaluation_callback != nullptr) {
    start = state;
  }
  const auto restore_start = [&] {
    if (!start.empty()) prepared_->program->SetUserState(start.data());
  };

  MinimizerResult result(std::move(summary_.iterations));
  try {
    RunMinimizer(state.data(), &result);
  } catch (...) {
    MoveToSummary(std::move(result), &summary_);
    if (options_.keep_progress_on_exception) {
      prepared_->program->SetUserState(state.data());
    } else {
      restore_start();
    }
    throw;
  }
  MoveToSummary(std::move(result), &summary_);
  if (checked_ && checked_->found_error()) {
    Fail(checked_->report());
  }
  if (summary_.IsSolutionUsable()) {
    prepared_->program->SetUserState(execution_, state.data());
  } else {
    restore_start();
  }
}

}  // namespace
}  // namespace internal

Solver::~Solver() = default;

void Solver::Solve(const Options& options, Problem* problem,
                   Solver::Summary* summary) {
  ceres::Solve(options, problem, summary);
}

void Solve(const Solver::Options& options, Problem* problem,
           Solver::Summary* summary) {
  CHECK(problem != nullptr) << "Solve needs a problem; it was given null.";
  CHECK(summary != nullptr) << "Solve needs a summary; it was given null.";
  internal::Solve(options, problem->mutable_impl(), summary).Run();
}

}  // namespace ceres
