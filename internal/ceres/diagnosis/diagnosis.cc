// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/diagnosis/diagnose_problem.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/diagnosis/direction_writer.h"
#include "ceres/diagnosis/held_directions.h"
#include "ceres/diagnosis/lengths.h"
#include "ceres/diagnosis/part_spaces.h"
#include "ceres/diagnosis/residual_checks.h"
#include "ceres/diagnosis/saddles.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/diagnosis/scene_names.h"
#include "ceres/diagnosis/structural_rank.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/size_limits.h"

namespace ceres {
namespace internal {
namespace {

// Columns whose norms differ more are badly scaled.
constexpr double kMaxScaleRatio = 1e8;
std::string InvalidOption(const DiagnosisOptions& options) {
  if (!(options.weak_ratio > 0.0 && options.weak_ratio < 1.0)) {
    return Format(
        "DiagnosisOptions::weak_ratio is %g; it must be between 0 and 1.",
        options.weak_ratio);
  }
  if (!(options.variance_factor >= 0.0 &&
        std::isfinite(options.variance_factor))) {
    return Format(
        "DiagnosisOptions::variance_factor is %g; it must be finite and not "
        "negative.",
        options.variance_factor);
  }
  if (options.num_threads < 1) {
    return Format("DiagnosisOptions::num_threads is %d; it must be at least 1.",
                  options.num_threads);
  }
  if (!(options.max_time_in_seconds >= 0.0)) {
    return Format(
        "DiagnosisOptions::max_time_in_seconds is %g; it must not be negative.",
        options.max_time_in_seconds);
  }
  return "";
}

StopSignal::Clock::time_point DeadlineOf(double seconds) {
  constexpr double kForever = 1e9;
  const auto now = StopSignal::Clock::now();
  if (seconds >= kForever) return StopSignal::Clock::time_point::max();
  return now + std::chrono::duration_cast<StopSignal::Clock::duration>(
                   std::chrono::duration<double>(seconds));
}

const char* MotionOf(const FoundDirection& found) {
  if (found.is_length) return "change in common proportion";
  switch (found.kind) {
    case DirectionKind::kGaugeTranslation:
      return "be shifted";
    case DirectionKind::kGaugeRotation:
      return "be turned";
    case DirectionKind::kGaugeScale:
      return "be scaled";
    default:
      return "";
  }
}

// The steps of a diagnosis.
class Diagnoser {
 public:
  Diagnoser(const DiagnosisOptions& options, const Execution& execution,
            ProblemImpl* problem, Diagnosis* result)
      : options_(options),
        execution_(execution),
        problem_(execution, problem),
        result_(result),
        writer_(options, problem_, result) {}

  void Run() {
    CountStructure();
    if (!Linearize()) return;
    if (!FindPartSpaces(execution_, /*is_row_used=*/nullptr, scaled_->jacobian,
                        scaled_->norms, problem_.movable_blocks(),
                        options_.weak_ratio, &found_, &result_->message)) {
      result_->status = Diagnosis::Status::kFailed;
      return;
    }
    StateRank();
    FindUndetermined();
    SeparateLossFunctions();
    const int largest = LargestPart();
    SeparateSaddles(execution_, *scaled_, options_.weak_ratio, largest,
                    largest < 0 ? 0 : found_.parts[largest]->columns.size(),
                    &problem_, &directions_);
    FindLengths(*scaled_, &problem_, &directions_);
    NameMotions();
    NameHeldByBounds();
    WriteUndetermined();
    WriteWeak();
    WriteScales();
    FindHeldDirections(execution_, problem_, *scaled_, options_.weak_ratio,
                       writer_, result_);
    result_->status = Diagnosis::Status::kComplete;
    result_->message.clear();
    // The last step: it overwrites the rows of constraints.
    if (options_.compute_redundancy) {
      CheckResiduals(execution_, options_, problem_, found_.spaces, &*scaled_,
                     result_);
    }
  }

 private:
  void CountStructure() {
    const Program& program = problem_.program();
    result_->num_parameter_blocks =
        program.num_column_blocks() + problem_.num_unused_blocks();
    result_->num_coordinates =
        program.num_delta() +
        static_cast<std::int64_t>(problem_.unused().size());
    result_->num_residual_blocks = program.num_row_blocks();
    result_->num_residuals = program.num_residuals();
    for (int row = 0;
         problem_.has_constraints() && row < program.num_row_blocks(); ++row) {
      if (problem_.constraint(row) == nullptr) continue;
      --result_->num_residual_blocks;
      result_->num_residuals -= problem_.structure().row_size(row);
    }
    result_->structural_rank = StructuralRank(problem_.structure());
    for (const DiagnosedCoordinate& at : problem_.unused()) {
      Direction direction;
      direction.kind = DirectionKind::kNoResiduals;
      direction.entries.push_back(writer_.EntryOf(at, 1.0, 0.0));
      writer_.Finish("", &direction);
      result_->undetermined.push_back(std::move(direction));
    }
  }

  bool Linearize() {
    BlockJacobian jacobian;
    if (!problem_.Evaluate(options_.apply_loss_function, &jacobian,
                           &result_->message)) {
      result_->status = Diagnosis::Status::kNotEvaluated;
      return false;
    }
    scaled_.emplace(execution_, std::move(jacobian), problem_.Magnitudes());
    return true;
  }

  void StateRank() {
    bool has_gap = true;
    bool is_complete = true;
    for (const NullSpace& space : found_.spaces) {
      result_->largest_null_ratio =
          std::max(result_->largest_null_ratio, space.largest_null_ratio);
      result_->smallest_ratio =
          std::min(result_->smallest_ratio, space.smallest_ratio);
      has_gap = has_gap && space.has_gap;
      is_complete = is_complete && space.is_complete;
    }
    result_->is_rank_certain = has_gap && is_complete;
    result_->rank_statement = Format(
        "The rank is %s: relative singular values are at most %.1e for "
        "undetermined directions, and at least %.1e for others.",
        result_->is_rank_certain ? "certain" : "not certain",
        result_->largest_null_ratio, result_->smallest_ratio);
    if (!has_gap) {
      result_->rank_statement +=
          " No wide gap lies between them: rounding errors of the derivatives "
          "may be of this size.";
    }
    if (!is_complete) {
      result_->rank_statement +=
          " There are more small singular values than were looked for.";
    }
  }

  // The part with the most columns, or -1.
  int LargestPart() const {
    int largest = -1;
    for (std::size_t k = 0; k < found_.parts.size(); ++k) {
      if (largest < 0 || found_.parts[k]->columns.size() >
                             found_.parts[largest]->columns.size()) {
        largest = static_cast<int>(k);
      }
    }
    return largest;
  }

  void FindUndetermined() {
    const auto num_columns = static_cast<int>(scaled_->norms.size());
    for (int column = 0; column < num_columns; ++column) {
      if (scaled_->norms[column] > 0.0) continue;
      directions_.push_back({{{column, 1.0}}, DirectionKind::kNoInfluence, -1});
    }
    for (std::size_t k = 0; k < found_.parts.size(); ++k) {
      for (const NullVector& vector : found_.spaces[k].null_vectors) {
        FoundDirection direction{vector.entries, DirectionKind::kCombination,
                                 static_cast<int>(k)};
        direction.kind =
            vector.gauge ? KindOf(*vector.gauge)
                         : KindOfNullVector(problem_, *scaled_,
                                            *found_.parts[k], vector.entries);
        directions_.push_back(std::move(direction));
      }
    }
  }

  // Directions that are determined without loss functions.
  void SeparateLossFunctions() {
    if (!options_.apply_loss_function || directions_.empty() ||
        !problem_.program().has_loss_functions()) {
      return;
    }
    BlockJacobian jacobian;
    std::string message;
    if (!problem_.Evaluate(/*apply_loss_function=*/false, &jacobian,
                           &message)) {
      return;
    }
    const ScaledJacobian without(execution_, std::move(jacobian),
                                 problem_.Magnitudes());
    const std::vector<bool> is_outside =
        SplitByNullSpace(without, scaled_->norms, &directions_);
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      if (is_outside[k]) directions_[k].kind = DirectionKind::kLossFunction;
    }
  }

  // Names gauge freedoms of parts by the motions of the user's scene.
  void NameMotions() {
    if (!options_.scene) return;
    for (std::size_t part = 0; part < found_.parts.size(); ++part) {
      CheckStop(execution_);
      NameSceneMotions(options_, problem_, scaled_->norms, writer_,
                       static_cast<int>(part), &directions_);
    }
  }

  void NameHeldByBounds() {
    for (FoundDirection& direction : directions_) {
      if ((direction.kind == DirectionKind::kNoInfluence ||
           direction.kind == DirectionKind::kTooFewResiduals ||
           direction.kind == DirectionKind::kCombination) &&
          IsHeldByBounds(problem_, direction.entries)) {
        direction.kind = DirectionKind::kHeldByBound;
      }
    }
  }

  void WriteUndetermined() {
    const int largest_part = LargestPart();
    for (const FoundDirection& found : directions_) {
      DirectionKind kind = found.kind;
      const bool is_gauge = kind >= DirectionKind::kGaugeTranslation &&
                            kind <= DirectionKind::kGauge;
      if (is_gauge && found.part != largest_part) {
        kind = DirectionKind::kNotConnected;
      }
      result_->undetermined.push_back(writer_.ToDirection(
          scaled_->norms, found.entries, kind, MotionOf(found)));
    }
    std::stable_sort(
        result_->undetermined.begin(), result_->undetermined.end(),
        [](const Direction& a, const Direction& b) { return a.kind < b.kind; });
    result_->rank = result_->num_coordinates -
                    static_cast<std::int64_t>(result_->undetermined.size());
  }

  void WriteWeak() {
    for (const NullSpace& space : found_.spaces) {
      for (const WeakVector& weak : space.weak) {
        result_->weak.push_back(
            writer_.ToDirection(scaled_->norms, weak.entries,
                                DirectionKind::kWeak, "", weak.ratio));
      }
    }
    std::stable_sort(result_->weak.begin(), result_->weak.end(),
                     [](const Direction& a, const Direction& b) {
                       return a.ratio < b.ratio;
                     });
  }

  void WriteScales() {
    std::vector<double> norms;
    for (const double norm : scaled_->norms) {
      if (norm > 0.0) norms.push_back(norm);
    }
    if (norms.empty()) return;
    const auto [smallest, largest] =
        std::minmax_element(norms.begin(), norms.end());
    const double spread = *largest / *smallest;
    if (!(spread > kMaxScaleRatio)) return;
    // Either the smallest or the largest norm is that far from the median.
    const auto middle =
        norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
    std::nth_element(norms.begin(), middle, norms.end());
    const double median = *middle;
    const double far = std::sqrt(spread) * (1.0 - 1e-12);
    const double limit = std::min(far, std::sqrt(kMaxScaleRatio));
    for (int column = 0; column < static_cast<int>(scaled_->norms.size());
         ++column) {
      const double norm = scaled_->norms[column];
      if (!(norm > 0.0) || (norm < median * limit && median < norm * limit)) {
        continue;
      }
      const DiagnosedCoordinate at = problem_.coordinate(column);
      result_->badly_scaled.push_back({at.block->user_state(),
                                       at.block->index(), at.coordinate, norm,
                                       median / norm});
    }
    result_->is_rank_certain = false;
    result_->rank_statement += Format(
        " The scales of coordinates differ by %.1e: the rank is right only if "
        "the derivatives of all coordinates have small relative errors.",
        spread);
  }

  const DiagnosisOptions& options_;
  const Execution execution_;
  DiagnosedProblem problem_;
  Diagnosis* const result_;
  const DirectionWriter writer_;
  std::optional<ScaledJacobian> scaled_;
  PartSpaces found_;
  std::vector<FoundDirection> directions_;
};

}  // namespace

void DiagnoseProblem(const DiagnosisOptions& options, ProblemImpl* problem,
                     Diagnosis* result) {
  result->status = Diagnosis::Status::kFailed;
  result->message = InvalidOption(options);
  if (result->message.empty()) {
    result->message = SizeError(JacobianSizes::Of(problem->residual_blocks()));
  }
  if (!result->message.empty()) return;
  StopSignal stop;
  stop.Set(options.cancellation_token, DeadlineOf(options.max_time_in_seconds));
  stop.LetDeadlineCount();
  Execution execution;
  if (options.num_threads > 1) {
    problem->context()->EnsureMinimumThreads(options.num_threads);
    execution = {problem->context(), options.num_threads};
  }
  execution.stop = &stop;
  try {
    stop.Check();
    Diagnoser(options, execution, problem, result).Run();
  } catch (const Stopped&) {
    result->status = Diagnosis::Status::kStopped;
    result->message = stop.reason() == StopSignal::Reason::kCancelled
                          ? "The cancellation token is cancelled."
                          : "The time is over.";
  } catch (const std::bad_alloc&) {
    result->status = Diagnosis::Status::kFailed;
    result->message = "Memory is lacking.";
  }
}

}  // namespace internal

Diagnosis Diagnose(const DiagnosisOptions& options, Problem* problem) {
  VESTA_CHECK(problem != nullptr) << "Diagnose needs a problem.";
  Diagnosis diagnosis;
  internal::DiagnoseProblem(options, problem->mutable_impl(), &diagnosis);
  return diagnosis;
}

}  // namespace ceres
