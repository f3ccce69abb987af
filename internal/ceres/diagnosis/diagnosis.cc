// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "Eigen/Core"
#include "ceres/base/format.h"
#include "ceres/diagnosis/diagnose_problem.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/diagnosis/direction_sentences.h"
#include "ceres/diagnosis/lengths.h"
#include "ceres/diagnosis/null_space.h"
#include "ceres/diagnosis/redundancy.h"
#include "ceres/diagnosis/saddles.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/diagnosis/scene_motions.h"
#include "ceres/diagnosis/structural_rank.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/size_limits.h"

namespace ceres {
namespace internal {
namespace {

// Columns whose norms differ more are badly scaled.
constexpr double kMaxScaleRatio = 1e8;
// Parts with more columns use all threads; smaller parts share them.
constexpr int kManyColumns = 200;

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

// Null spaces of parts.
struct PartSpaces {
  std::vector<std::unique_ptr<JacobianPart>> parts;
  std::vector<NullSpace> spaces;  // By part.
};

// The steps of a diagnosis.
class Diagnoser {
 public:
  Diagnoser(const DiagnosisOptions& options, const Execution& execution,
            ProblemImpl* problem, Diagnosis* result)
      : options_(options),
        execution_(execution),
        problem_(execution, problem),
        result_(result) {}

  void Run() {
    CountStructure();
    if (!Linearize()) return;
    if (!FindNullSpaces(nullptr, scaled_->jacobian, scaled_->norms, &found_)) {
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
    NameSceneMotions();
    NameHeldByBounds();
    WriteUndetermined();
    WriteWeak();
    WriteScales();
    FindHeldByPriors();
    FindHeldByConstraints();
    result_->status = Diagnosis::Status::kComplete;
    result_->message.clear();
    if (options_.compute_redundancy) CheckResiduals();
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
      direction.entries.push_back(EntryOf(at, 1.0, 0.0));
      Finish("", &direction);
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

  bool FindNullSpaces(const std::vector<bool>* is_row_used,
                      const BlockJacobian& jacobian,
                      const std::vector<double>& norms, PartSpaces* found) {
    found->parts = FindParts(execution_, jacobian, is_row_used);
    const auto num_parts = static_cast<int>(found->parts.size());
    found->spaces.resize(num_parts);
    std::vector<std::string> messages(num_parts);
    std::vector<char> is_ok(num_parts, 1);
    const auto find = [&](const Execution& execution, int k) {
      is_ok[k] = FindNullSpace(execution, *found->parts[k], norms,
                               problem_.movable_blocks(), options_.weak_ratio,
                               &found->spaces[k], &messages[k]);
    };
    const auto is_large = [&](int k) {
      return found->parts[k]->structure().num_columns() > kManyColumns;
    };
    Execution serial;
    serial.stop = execution_.stop;
    ParallelFor(execution_, 0, num_parts, [&](int k) {
      if (!is_large(k)) find(serial, k);
    });
    for (int k = 0; k < num_parts; ++k) {
      if (is_large(k)) find(execution_, k);
      if (is_ok[k]) continue;
      result_->status = Diagnosis::Status::kFailed;
      result_->message =
          messages[k].empty()
              ? "The factorization of the normal equations failed."
              : messages[k];
      return false;
    }
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
  void NameSceneMotions() {
    if (!options_.scene) return;
    for (std::size_t part = 0; part < found_.parts.size(); ++part) {
      CheckStop(execution_);
      NameSceneMotionsOf(static_cast<int>(part));
    }
  }

  void NameSceneMotionsOf(int part) {
    constexpr std::size_t kMaxDirections = 64;
    std::vector<int> own;  // Few entries first.
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      const DirectionKind kind = directions_[k].kind;
      if (directions_[k].part == part && kind != DirectionKind::kLossFunction &&
          kind != DirectionKind::kZeroDerivative) {
        own.push_back(static_cast<int>(k));
      }
    }
    if (own.empty() || own.size() > kMaxDirections) return;
    std::stable_sort(own.begin(), own.end(), [&](int a, int b) {
      return directions_[a].entries.size() < directions_[b].entries.size();
    });
    std::vector<Direction> directions;
    for (const int k : own) {
      directions.push_back(EntriesOf(directions_[k].entries));
    }
    const std::vector<SceneMotion> motions =
        FindSceneMotions(options_.scene, problem_.impl(), directions);
    ReplaceByMotions(own, directions, motions);
  }

  // Motions replace directions that depend on them, those with many entries
  // first. A name by a usual meaning of the values gives way: it may be wrong,
  // as that of a longitude whose shift is a rotation.
  void ReplaceByMotions(const std::vector<int>& own,
                        const std::vector<Direction>& directions,
                        const std::vector<SceneMotion>& motions) {
    const auto count = static_cast<Eigen::Index>(own.size());
    Eigen::MatrixXd basis(count, 0);
    const auto add = [&](Eigen::VectorXd v) {
      v.normalize();
      for (int round = 0; round < 2; ++round) {
        const Eigen::VectorXd along = basis.transpose() * v;
        v -= basis * along;
      }
      if (!(v.norm() > 1e-4)) return false;
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.rightCols(1) = v.normalized();
      return true;
    };
    std::vector<FoundDirection> added;
    for (const SceneMotion& motion : motions) {
      if (!add(motion.coefficients)) continue;
      added.push_back({CombinationOf(own, directions, motion.coefficients),
                       KindOf(motion.kind), directions_[own[0]].part});
    }
    std::vector<int> replaced;
    for (Eigen::Index k = 0; k < count; ++k) {
      if (!add(Eigen::VectorXd::Unit(count, k))) replaced.push_back(own[k]);
    }
    if (replaced.size() != added.size()) return;
    std::sort(replaced.begin(), replaced.end());
    for (std::size_t k = 0; k < added.size(); ++k) {
      directions_[replaced[k]] = std::move(added[k]);
    }
  }

  // Coefficients are of tangent directions, the result is scaled.
  SparseVector CombinationOf(const std::vector<int>& own,
                             const std::vector<Direction>& directions,
                             const Eigen::VectorXd& coefficients) const {
    std::map<int, double> sum;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const SparseVector& entries = directions_[own[k]].entries;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const int column = entries[i].first;
        const double norm = scaled_->norms[column];
        sum[column] += coefficients(static_cast<Eigen::Index>(k)) *
                       directions[k].entries[i].value *
                       (norm > 0.0 ? norm : 1.0);
      }
    }
    double largest = 0.0;
    for (const auto& [column, value] : sum) {
      largest = std::max(largest, std::abs(value));
    }
    SparseVector result;
    for (const auto& [column, value] : sum) {
      if (std::abs(value) > 1e-7 * largest) {
        result.emplace_back(column, value / largest);
      }
    }
    return result;
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
      result_->undetermined.push_back(
          ToDirection(found.entries, kind, MotionOf(found)));
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
            ToDirection(weak.entries, DirectionKind::kWeak, "", weak.ratio));
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

  // Directions that are undetermined if priors are left out: residual blocks of
  // one parameter block on which other rows with several column blocks depend.
  // A measurement that ties a parameter block to a constant one is no prior.
  void FindHeldByPriors() {
    const BlockJacobianStructure& s = *scaled_->jacobian.structure;
    std::vector<char> is_shared(s.num_column_blocks(), 0);
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      if (s.first_cell[row + 1] - s.first_cell[row] < 2) continue;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        is_shared[s.cell_column[c]] = 1;
      }
    }
    std::vector<bool> is_row_used(s.num_row_blocks(), true);
    bool has_priors = false;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const int c = s.first_cell[row];
      if (s.first_cell[row + 1] - c != 1) continue;
      const ResidualBlock* const block = problem_.residual_block(row);
      if (block == nullptr || block->num_parameter_blocks() != 1) continue;
      if (is_shared[s.cell_column[c]] == 0) continue;
      is_row_used[row] = false;
      has_priors = true;
    }
    if (!has_priors) return;
    FindHeld(is_row_used, DirectionKind::kHeldByPrior);
  }

  // Directions that are undetermined without constraints.
  void FindHeldByConstraints() {
    if (!problem_.has_constraints()) return;
    std::vector<bool> is_row_used;
    for (int row = 0; row < problem_.program().num_row_blocks(); ++row) {
      is_row_used.push_back(problem_.constraint(row) == nullptr);
    }
    FindHeld(is_row_used, DirectionKind::kHeldByConstraint);
  }

  // The names of the constraints that a motion in scaled coordinates changes.
  std::vector<std::string> ConstraintsOf(const SparseVector& entries) const {
    constexpr double kNoChange = 1e-9;
    const BlockJacobianStructure& s = *scaled_->jacobian.structure;
    std::map<int, Eigen::VectorXd> parts;  // By column block.
    double norm = 0.0;
    for (const auto& [column, value] : entries) {
      const int block = problem_.column_block(column);
      Eigen::VectorXd& part = parts[block];
      if (part.size() == 0) part.setZero(s.column_size(block));
      part(column - s.column_offset[block]) = value;
      norm = std::hypot(norm, value);
    }
    std::vector<std::string> names;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const Constraint* const constraint = problem_.constraint(row);
      if (constraint == nullptr) continue;
      Eigen::VectorXd change = Eigen::VectorXd::Zero(s.row_size(row));
      VisitCells(scaled_->jacobian, row, [&](int block, const auto& cell) {
        const auto part = parts.find(block);
        if (part != parts.end()) change += cell * part->second;
      });
      if (change.norm() > kNoChange * norm)
        names.push_back(constraint->Label());
    }
    return names;
  }

  void FindHeld(const std::vector<bool>& is_row_used, DirectionKind kind) {
    BlockJacobian jacobian;
    jacobian.structure = scaled_->jacobian.structure;
    jacobian.values.Resize(jacobian.structure->num_values());
    std::copy_n(scaled_->jacobian.values.data(),
                jacobian.structure->num_values(), jacobian.values.data());
    for (std::size_t row = 0; row < is_row_used.size(); ++row) {
      if (is_row_used[row]) continue;
      const auto r = static_cast<int>(row);
      std::fill(
          jacobian.row_block(r),
          jacobian.values.data() + jacobian.structure->row_block_offset[r + 1],
          0.0);
    }
    const ScaledJacobian without(execution_, std::move(jacobian), {});
    std::vector<double> norms = without.norms;
    for (std::size_t k = 0; k < norms.size(); ++k) {
      if (scaled_->norms[k] > 0.0) norms[k] *= scaled_->norms[k];
    }
    PartSpaces found;
    if (!FindNullSpaces(&is_row_used, without.jacobian, norms, &found)) return;
    std::vector<FoundDirection> held;
    for (std::size_t column = 0; column < norms.size(); ++column) {
      if (norms[column] > 0.0 || scaled_->norms[column] == 0.0) continue;
      held.push_back({{{static_cast<int>(column), 1.0}}});
    }
    for (const NullSpace& space : found.spaces) {
      for (const NullVector& vector : space.null_vectors) {
        held.push_back({vector.entries});
      }
    }
    const std::vector<bool> is_held = SplitByNullSpace(*scaled_, norms, &held);
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (!is_held[k]) continue;
      SparseVector entries;
      for (auto [column, value] : held[k].entries) {
        // From the scale of `norms` to that of all rows.
        if (norms[column] > 0.0)
          value *= scaled_->norms[column] / norms[column];
        entries.emplace_back(column, value);
      }
      Direction direction = ToDirection(entries, kind, "");
      if (kind == DirectionKind::kHeldByConstraint) {
        direction.constraints = ConstraintsOf(entries);
        Finish("", &direction);
      }
      result_->held.push_back(std::move(direction));
    }
  }

  // Makes the rows of constraints so large that what they determine is not left
  // to residuals. R then has errors of 1 / weight^2. The last step: later ones
  // would see these rows.
  void WeightConstraints() {
    constexpr double kWeight = 1e5;
    const BlockJacobianStructure& s = *scaled_->jacobian.structure;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      if (problem_.constraint(row) == nullptr) continue;
      double* const begin = scaled_->jacobian.row_block(row);
      std::for_each(
          begin, scaled_->jacobian.values.data() + s.row_block_offset[row + 1],
          [](double& value) { value *= kWeight; });
      // What a constraint is violated by is no error of a measurement.
      std::fill_n(begin, s.row_size(row), 0.0);
    }
  }

  // Redundancy numbers. If they cannot be computed, the message says why.
  void CheckResiduals() {
    RedundancyOptions redundancy_options;
    redundancy_options.variance_factor = options_.variance_factor;
    for (const NullSpace& space : found_.spaces) {
      redundancy_options.held_columns.insert(
          redundancy_options.held_columns.end(), space.pivots.begin(),
          space.pivots.end());
    }
    std::sort(redundancy_options.held_columns.begin(),
              redundancy_options.held_columns.end());
    if (problem_.has_constraints()) WeightConstraints();
    Redundancy redundancy;
    try {
      if (!ComputeRedundancy(execution_, scaled_->jacobian, redundancy_options,
                             &redundancy, &result_->message)) {
        return;
      }
    } catch (const std::bad_alloc&) {
      result_->message =
          "The redundancy cannot be computed: memory is lacking.";
      return;
    }
    result_->variance_factor = redundancy.variance_factor;
    for (std::size_t row = 0; row < redundancy.row_blocks.size(); ++row) {
      const RowBlockCheck& own = redundancy.row_blocks[row];
      ResidualBlock* const block =
          problem_.residual_block(static_cast<int>(row));
      if (block == nullptr) continue;
      ResidualCheck check;
      check.residual_block = block;
      check.residual_block_index = block->index();
      if (options_.residual_block_tag) {
        check.tag = options_.residual_block_tag(block);
      }
      check.redundancy = own.redundancy;
      check.smallest_redundancy = own.smallest_eigenvalue;
      check.is_unchecked = own.IsUnchecked();
      check.largest_standardized_residual = own.largest_standardized_residual;
      check.smallest_detectable_error = own.smallest_detectable_error;
      result_->residual_blocks.push_back(std::move(check));
    }
    std::sort(result_->residual_blocks.begin(), result_->residual_blocks.end(),
              [](const ResidualCheck& a, const ResidualCheck& b) {
                return a.residual_block_index < b.residual_block_index;
              });
  }

  Direction::Entry EntryOf(const DiagnosedCoordinate& at, double value,
                           double effect) const {
    return {at.block->user_state(), at.block->index(), at.coordinate, value,
            effect};
  }

  // From scaled coordinates to tangent ones.
  Direction ToDirection(const SparseVector& entries, DirectionKind kind,
                        const char* motion, double ratio = 0.0) {
    Direction direction = EntriesOf(entries);
    direction.kind = kind;
    direction.ratio = ratio;
    Finish(motion, &direction);
    return direction;
  }

  // A direction that has entries only.
  Direction EntriesOf(const SparseVector& entries) const {
    double smallest_norm = 0.0;
    for (const auto& [column, value] : entries) {
      const double norm = scaled_->norms[column];
      if (norm > 0.0 && (smallest_norm == 0.0 || norm < smallest_norm)) {
        smallest_norm = norm;
      }
    }
    Direction direction;
    direction.entries.reserve(entries.size());
    double largest = 0.0;
    for (const auto& [column, value] : entries) {
      const double norm = scaled_->norms[column];
      // Divided by the norm, without overflow.
      const double own = norm > 0.0 ? value * (smallest_norm / norm) : value;
      largest = std::max(largest, std::abs(own));
      direction.entries.push_back(
          EntryOf(problem_.coordinate(column), own, 0.0));
    }
    for (std::size_t k = 0; k < entries.size(); ++k) {
      Direction::Entry& entry = direction.entries[k];
      entry.value /= largest;
      entry.effect = entry.value * scaled_->norms[entries[k].first];
    }
    return direction;
  }

  // Asks for names, and writes sentences.
  void Finish(const char* motion, Direction* direction) {
    if (options_.parameter_block_name) {
      for (const Direction::Entry& entry : direction->entries) {
        std::map<int, std::string>& names = result_->parameter_block_names;
        if (names.count(entry.parameter_block_index) != 0) continue;
        std::string name = options_.parameter_block_name(entry.parameter_block);
        if (name.empty()) continue;
        names.emplace(entry.parameter_block_index, std::move(name));
      }
    }
    WriteSentences(result_->parameter_block_names, problem_.impl(), motion,
                   direction);
  }

  const DiagnosisOptions& options_;
  const Execution execution_;
  DiagnosedProblem problem_;
  Diagnosis* const result_;
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
