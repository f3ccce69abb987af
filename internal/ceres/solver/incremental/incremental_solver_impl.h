// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_SOLVER_IMPL_H_
#define CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_SOLVER_IMPL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/incremental_solver.h"
#include "ceres/problem/change_journal.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver/incremental/term_evaluator.h"
#include "ceres/sparse/incremental/incremental_cholesky.h"

namespace ceres::internal {

// The implementation of IncrementalSolver.
//
// A variable is a parameter block that a residual block uses, a factor is a
// residual block. Notation: theta is the linearization point of a variable, x
// its update, a block of the solution of the linear system; the estimate is
// theta boxplus x. A factor is linearized at theta. Its term in the linear
// system is none if all its variables are constant.
class IncrementalSolverImpl {
 public:
  IncrementalSolverImpl(const IncrementalSolver::Options& options,
                        Problem* problem);
  ~IncrementalSolverImpl();

  void Update(IncrementalSolver::Summary* summary);
  void CompareWithBatch(const Solver::Options& options,
                        IncrementalSolver::Comparison* comparison);

 private:
  static constexpr int kNone = -1;

  struct Variable {
    ParameterBlock* block = nullptr;  // null: the number is free
    int size = 0, tangent_size = 0;   // tangent_size 0: constant
    int core_block = kNone;           // of cholesky_; constant: kNone
    bool exceeds = false;             // x exceeds the threshold
    double change = 0.0;              // the largest coordinate of x
    int64_t since = 0;                // the update in which x exceeded
    std::vector<int> factors;         // one entry per use
    double tried = 0.0;               // the change at the last trial
    double damping = 0.0;             // 0: none
    int num_rejections = 0;           // since it moved or got a new factor
    bool is_weak = false;             // its own factors do not determine it
    bool must_damp_anew = false;      // damping or theta changed
    int64_t visit = 0;                // of the trial that saw it last
    std::vector<double> theta;
    std::vector<double> estimate;       // what the user's memory has
    std::vector<double> plus_jacobian;  // at theta; empty: no manifold
  };
  struct Factor {
    ResidualBlock* block = nullptr;  // null: the number is free
    int term = kNone;                // of cholesky_
    bool is_dirty = false;           // must be evaluated
    int64_t visit = 0;               // of the trial that saw it last
    double cost = 0.0;
    std::vector<int> variables;  // one per argument
  };

  // Costs and errors of factors. A factor that failed has an infinite cost.
  struct Evaluation {
    std::vector<double> costs;
    std::vector<int> failed;  // places in the list of factors
    std::string error;        // of the first
  };

  // Variables with long steps that share factors, and the sums over these
  // factors: of the costs at theta, and at the estimate by the linear model and
  // by the cost functions.
  struct Trial {
    std::vector<int> variables;
    std::vector<int> factors;
    double before = 0.0, predicted = 0.0, actual = 0.0;
  };

  // A variable that exceeds the threshold.
  struct Candidate {
    int variable;
    double priority;
    double value;  // priority per operation
  };

  Execution ChooseExecution();
  // Return false after a failure, with a message in the summary.
  bool UpdateStructure(IncrementalSolver::Summary* summary);
  bool TakeStep(IncrementalSolver::Summary* summary);
  bool AddFactor(ResidualBlock* block, std::string* error);
  bool EvaluateDirty(int* num_evaluated, std::string* error);
  bool SolveSystem(IncrementalSolver::Summary* summary);

  // incremental_guard.cc.
  int64_t DampAnew();
  int64_t SetDamping(int variable);
  std::vector<double> OwnMatrix(const Variable& variable) const;
  double ScaleOfBlock(int core_block) const;
  bool CanBeWeak(const Variable& variable) const;
  bool IsDetermined(const Variable& variable) const;
  void CheckNewFactors();
  bool AcceptStep(IncrementalSolver::Summary* summary);
  std::vector<Trial> CollectTrials();
  void TryFactors(std::vector<Trial>* trials);
  double PredictedCost(const Factor& factor, std::vector<double>* work) const;
  void AddSuspect(int variable, double change);
  bool IsTrusted(const Trial& trial) const;
  void DampMore(int variable);
  void DampLess(const Trial& trial);
  bool TakeBackMoves(const std::vector<int>& failed);
  void ReportGuard(IncrementalSolver::Summary* summary) const;

  void Restart();
  // The residual blocks to add, in order, after what the journal says was
  // removed is removed.
  std::vector<ResidualBlock*> ReadJournal();
  int FindOrAddVariable(ParameterBlock* block);
  void RemoveFactor(int factor);
  void RemoveVariable(int variable);
  void Detach(const ParameterBlock* block, std::vector<ResidualBlock*>* again);
  void Linearize(int variable);
  void MarkFactorsDirty(const Variable& variable);
  void ReadUserValues();
  int64_t BudgetOfFraction(double fraction) const;
  int64_t OperationsLeft(int64_t spent) const;
  void PrepareStep(IncrementalSolver::Summary* summary);
  void Relinearize(IncrementalSolver::Summary* summary);
  std::vector<Candidate> FindCandidates(bool all) const;
  static bool HigherValue(const Candidate& a, const Candidate& b);
  void SortByValue(std::vector<Candidate>* candidates);
  int64_t ReserveVariable(const Variable& variable, int64_t most);
  void LinearizeAgain(int variable, int64_t operations,
                      IncrementalSolver::Summary* summary);
  // At theta with terms, or at the estimate.
  enum class Point { kLinearization, kEstimate };
  Evaluation EvaluateFactors(const std::vector<int>& factors, Point point);
  bool HasAnotherStep(const IncrementalSolver::Summary& summary,
                      int num_relinearized) const;
  void Report(IncrementalSolver::Summary* summary) const;
  void ReadSolution();
  void WriteEstimates();
  std::string DescribeFailedBlock(int core_block) const;

  const IncrementalSolver::Options options_;
  ProblemImpl& problem_;
  Problem& public_problem_;
  ChangeJournal journal_;
  Execution execution_;
  bool must_restart_ = true;

  std::unique_ptr<IncrementalCholesky> cholesky_;
  std::vector<Variable> variables_;
  std::vector<Factor> factors_;
  std::vector<int> free_variables_, free_factors_;
  std::unordered_map<const ParameterBlock*, int> variable_of_;
  std::unordered_map<const ResidualBlock*, int> factor_of_;
  std::vector<int> variable_of_core_;
  std::vector<int> dirty_;             // factors
  std::vector<int> exceeding_;         // variables, some perhaps no longer
  std::vector<int> written_;           // variables whose estimate changed
  std::vector<int> terms_;             // of a variable
  std::vector<int> with_new_factors_;  // variables, since the last step
  std::vector<int> suspects_;          // variables whose step is to be tried
  std::vector<int> damped_;            // variables with damping
  // The thetas that the last step replaced: variable, place in old_thetas_.
  std::vector<std::pair<int, size_t>> moves_;
  std::vector<double> old_thetas_;
  int64_t num_trials_ = 0;
  int64_t num_updates_ = 0;
  double cost_ = 0.0;  // of all factors, at theta
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_SOLVER_IMPL_H_
