// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_GRADUATED_SOLVE_H_
#define CERES_INTERNAL_GRADUATED_GRADUATED_SOLVE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/graduated/fill_limit.h"
#include "ceres/graduated/graduated_weights.h"
#include "ceres/graduated/relative_norms.h"
#include "ceres/graduated/weighted_problem.h"
#include "ceres/graduated_solver.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"

namespace ceres::internal {

// One call of SolveGraduated. A round:
//
//   relative norms z --GraduatedWeights--> weights --WeightedProblem--> Solve
//        ^                                                                |
//        +---------------------- parameters ------------------------------+
//
// The last round of a pass has the weights of the round before and the
// iterations of the user's options. A pass ends when the norms after its last
// round give the same weights again. Blocks are then checked (support_check.h).
// If some fail, another pass follows. The best pass is the result. Rounds are
// in graduated_rounds.cc.
class GraduatedSolve {
 public:
  // All arguments must outlive the call. The options are valid.
  GraduatedSolve(const Solver::Options& options,
                 const GraduatedOptions& graduated_options, Problem* problem,
                 GraduatedSummary* summary);

  // Exceptions of user code reach the caller. To be called once.
  void Run();

 private:
  // Chooses the first weights. Like the functions below that return whether to
  // go on: otherwise the summary says why not.
  bool Begin();
  void RunPasses();
  // Rounds until weights have converged.
  bool RunPass();
  // Compares the pass with the best one. Returns whether it is the best.
  bool KeepIfBest();
  // The weights of the pass after the checks of support_check.h: without the
  // inliers that fail, or with the outlier that agrees best if none fails.
  // Empty: nothing changes, or blocks cannot be checked.
  std::vector<double> CheckedWeights();
  // Makes bounds tighter if the inliers of the best pass say that the stated
  // standard deviations are too large. `norms`, those after deletion, are then
  // relative to the new bounds. Returns whether it did.
  bool TightenBounds(std::vector<double>* norms);
  // The parameters and weights become those of the best pass.
  void ReturnToBest();
  std::vector<double> NewWeights() const;
  // Whether the weights of a round are those of the last one.
  bool HaveWeightsConverged(const std::vector<double>& weights) const;
  // Solves with the weights.
  bool SolveRound(double control, std::vector<double> weights, bool is_last);
  // What SolveRound passes to Solve.
  Solver::Options RoundOptions(bool is_last) const;
  // The context of weighted problems. Null: of their own.
  Context* SharedContext();
  void NoteRound(double control, double seconds);
  // Makes a copy for the weights if weighted_ does not fit them.
  void PrepareCopy(const std::vector<double>& weights);
  // Evaluates z_.
  bool EvaluateNorms();
  void Finish(TerminationType type, std::string message);
  void FillResult();
  double SecondsSinceStart() const;

  const double start_seconds_;
  const Solver::Options& options_;
  const GraduatedOptions& graduated_options_;
  const Problem& whole_;
  ProblemImpl& problem_;  // of whole_
  GraduatedSummary& summary_;

  std::vector<ResidualBlock*> uncertain_;
  std::optional<RelativeNorms> norms_;
  std::optional<FillLimit> fill_limit_;  // none: no blocks are left out
  double copy_operations_ = 0.0;  // of a factorization of weighted_'s blocks
  std::unique_ptr<WeightedProblem> weighted_;
  std::optional<GraduatedWeights> graduated_weights_;
  std::vector<double> weights_;  // of the last round, or empty
  std::vector<double> z_;        // after the last round

  // The result of a pass.
  struct Pass {
    double objective = 0.0;  // with the loss, half of sum min(s, c^2)
    std::vector<double> values;
    std::vector<double> weights;
    Solver::Summary last_solve;
  };
  std::optional<Pass> best_;
  bool follows_check_ = false;  // the next round
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_GRADUATED_SOLVE_H_
