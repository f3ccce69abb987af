// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PROBLEM_H_
#define CERES_PUBLIC_PROBLEM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>  // Programs count on it.
#include <memory>
#include <set>  // Programs count on it.
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/context.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/internal/port.h"
#include "ceres/parameter_array.h"
#include "ceres/types.h"

namespace ceres {

class CostFunction;
class EvaluationCallback;
class Linearization;
class LocalParameterization;
class LossFunction;
class Manifold;
class ResidualBatch;
class Solver;
struct CRSMatrix;
struct LinearizationOptions;

namespace internal {
class AddedBatch;
class Constraint;
class ProblemImpl;
class ParameterBlock;
class ResidualBlock;
}  // namespace internal

// The id of a residual block of a problem. AddResidualBlock returns it. It is
// valid until the block is removed or the problem destroyed. Blocks never move,
// so an id can be stored, compared and hashed like the pointer it is.
using ResidualBlockId = internal::ResidualBlock*;

// The id of a constraint of a problem, like the id of a residual block. An
// extension: see docs/solving/constraints.md.
using ConstraintId = internal::Constraint*;

// The id of a residual batch of a problem, like the id of a residual block. An
// extension: see docs/modelling/batches.md.
using ResidualBatchId = internal::AddedBatch*;

// A robustified, bounds-constrained nonlinear least-squares problem
//
//   min over x   1/2 sum_i rho_i(|f_i(x_i1, ..., x_ik)|^2)
//   such that    l_j <= x_j <= u_j,
//                c_k(x) = 0,   l_k <= g_k(x) <= u_k.
//
// A residual block is a cost function f_i, a loss function rho_i (none: rho(s)
// = s) and the parameter blocks x_ij that it depends on. A parameter block is
// an array of doubles in the user's memory, identified by its address: a solve
// reads the initial values from the array and writes the solution to it.
// Coordinates in this array are "ambient". If the block has a manifold, the
// solver's steps, gradients and Jacobians are in the manifold's tangent
// coordinates, which are as many or fewer.
//
//   double x[3] = {...}, y[2] = {...};
//   ceres::Problem problem;
//   problem.AddResidualBlock(new MyUnaryCostFunction(...), nullptr, x);
//   problem.AddResidualBlock(new MyBinaryCostFunction(...), nullptr, y, x);
//
// Ownership. A problem deletes the cost functions, loss functions and manifolds
// given to it, each once even if it was given many times, unless its options
// say otherwise. Cost and loss functions are deleted when the last residual
// block that uses them is removed, or with the problem; manifolds with the
// problem. It never owns parameter blocks.
//
// Errors. Mistakes of the calling program (null pointers, unknown blocks, sizes
// that do not match, ...) stop it with a message; each function says what it
// checks. Errors in data are returned.
//
// Thread safety. Const functions may be called concurrently, as long as no
// non-const one runs. Nothing may be called on a problem while it is solved.
class CERES_EXPORT Problem {
 public:
  // The options of a problem. The order of the first seven is that of Ceres 2.0
  // and 2.2, for programs that initialize them by position.
  struct CERES_EXPORT Options {
    // The ownership of the objects that are given to the problem; see above.
    // Set DO_NOT_TAKE_OWNERSHIP if the objects are on the stack, or are shared
    // between problems. They must then outlive the problem.
    Ownership cost_function_ownership = TAKE_OWNERSHIP;
    Ownership loss_function_ownership = TAKE_OWNERSHIP;
    Ownership manifold_ownership = TAKE_OWNERSHIP;

    // Keep for each parameter block a list of the residual blocks that depend
    // on it. RemoveParameterBlock and GetResidualBlocksForParameterBlock then
    // take time proportional to their number, not to the size of the problem.
    // Costs 4 to 12 bytes per residual and parameter block. Set it if blocks
    // are removed often, as in a sliding window.
    bool enable_fast_removal = false;

    // True: no checks when blocks are added. By default the problem checks that
    // sizes agree, that no residual block has a parameter block twice and that
    // parameter blocks do not overlap. Without these checks adding blocks is
    // faster, and a mistake has undefined results. Set it only for problems of
    // millions of blocks that are known to be correct.
    bool disable_all_safety_checks = false;

    // The source of the threads of solves; see ceres/context.h. Not owned; must
    // outlive the problem. Null: the problem makes its own context when a solve
    // first needs it. Set one context for the problems of a program that solves
    // many: they then share their threads.
    Context* context = nullptr;

    // Called before each evaluation; see ceres/evaluation_callback.h. Not
    // owned; must outlive the problem. May be null. Set it if residual blocks
    // share an expensive computation; inner iterations are then refused.
    EvaluationCallback* evaluation_callback = nullptr;

    // The ownership of SetParameterization; see ceres/local_parameterization.h.
    // If options are initialized by position, this is the third value, as it
    // was in Ceres 2.0.
    Ownership local_parameterization_ownership = manifold_ownership;
  };

  // A problem without blocks.
  Problem();
  explicit Problem(const Options& options);

  // A problem that was moved from may only be assigned to or destroyed.
  Problem(Problem&&) noexcept;
  Problem& operator=(Problem&&) noexcept;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem();

  // Adds a residual block, and those of its parameter blocks that are not yet
  // in the problem, with the sizes that the cost function gives. A null
  // loss_function stands for rho(s) = s.
  //
  // Checks that cost_function is not null and wants as many parameter blocks as
  // are given, none of them null; and, unless disable_all_safety_checks is set,
  // that no parameter block is given twice, that those already in the problem
  // have the sizes that the cost function wants, and what AddParameterBlock
  // checks of new ones.
  template <typename... Ts>
  ResidualBlockId AddResidualBlock(CostFunction* cost_function,
                                   LossFunction* loss_function, double* x0,
                                   Ts*... xs) {
    const std::array<double*, sizeof...(Ts) + 1> parameter_blocks{{x0, xs...}};
    return AddResidualBlock(cost_function, loss_function,
                            parameter_blocks.data(),
                            static_cast<int>(parameter_blocks.size()));
  }
  ResidualBlockId AddResidualBlock(
      CostFunction* cost_function, LossFunction* loss_function,
      const std::vector<double*>& parameter_blocks);
  // parameter_blocks is an array of num_parameter_blocks pointers.
  ResidualBlockId AddResidualBlock(CostFunction* cost_function,
                                   LossFunction* loss_function,
                                   double* const* const parameter_blocks,
                                   int num_parameter_blocks);

  // Adds many residual blocks, with one loss function (or null) for all of
  // them. The result is that of one AddResidualBlock per cost function, in
  // order, but is found faster because memory is prefetched. parameter_blocks
  // holds the pointers of the first residual block, then those of the second,
  // and so on. Returns the new blocks in order. An extension: see
  // docs/solving/extensions.md.
  //
  // Checks what AddResidualBlock checks, and that parameter_blocks has as many
  // pointers as the cost functions want together.
  std::vector<ResidualBlockId> AddResidualBlocks(
      const std::vector<CostFunction*>& cost_functions,
      LossFunction* loss_function,
      const std::vector<double*>& parameter_blocks);

  // Adds the parameter block of `size` doubles at `values`. Does nothing if the
  // problem already has this block with this size. Residual blocks add their
  // parameter blocks themselves; an explicit call fixes the order and checks
  // the size.
  //
  // Checks that values is not null and size not negative; and, unless
  // disable_all_safety_checks is set, that the block has no other size in the
  // problem and shares no memory with another block.
  void AddParameterBlock(double* values, int size);
  // AddParameterBlock(values, size) followed by SetManifold(values, manifold).
  void AddParameterBlock(double* values, int size, Manifold* manifold);

  // Adds the parameter blocks of an array, as AddParameterBlock does. Each is
  // still named by its address, and may be constant, bounded or removed. A
  // manifold that is not null is set for all of them. The array is an argument
  // of AddResidualBatch. An extension: see docs/modelling/batches.md.
  //
  // Checks what AddParameterBlock and SetManifold check, that count is not
  // negative, and size positive.
  ParameterArray AddParameterArray(double* values, std::int64_t count, int size,
                                   Manifold* manifold = nullptr);

  // Adds the rows of a batch as residual blocks, behind those that the problem
  // has, with one loss function (or null) for all of them:
  //
  //   problem.AddResidualBatch(std::move(batch), loss_function,
  //                            {{cameras, camera_indices},
  //                             {points, point_indices},
  //                             intrinsics});
  //
  // Row i depends on camera camera_indices[i], on point point_indices[i] and on
  // `intrinsics`, as all rows do. The indices are read by this call only. The
  // batch is owned by the problem; the loss function is owned as those of
  // residual blocks are. A row is a residual block: it is evaluated, counted,
  // listed and removed like others, and its cost function evaluates the row. An
  // extension: see docs/modelling/batches.md.
  //
  // Checks that the batch is not null and wants as many arguments as are given,
  // of the sizes that the arrays have; that each index is in its array, and its
  // parameter block in the problem; what AddResidualBlock checks of one block
  // for all rows; that no row has a parameter block twice (unless
  // disable_all_safety_checks is set); and that 32-bit numbers count the
  // problem's residuals and residual blocks.
  ResidualBatchId AddResidualBatch(std::unique_ptr<ResidualBatch> batch,
                                   LossFunction* loss_function,
                                   const std::vector<BatchArgument>& arguments);
  // The same with the arguments one after the other, each a BatchArgument or a
  // double*:
  //
  //   problem.AddResidualBatch(std::move(batch), loss_function,
  //                            BatchArgument(cameras, camera_indices),
  //                            BatchArgument(points, point_indices),
  //                            intrinsics);
  template <
      typename First, typename... Rest,
      std::enable_if_t<std::is_convertible_v<First, BatchArgument>>* = nullptr>
  ResidualBatchId AddResidualBatch(std::unique_ptr<ResidualBatch> batch,
                                   LossFunction* loss_function, First first,
                                   Rest... rest) {
    return AddResidualBatch(std::move(batch), loss_function,
                            std::vector<BatchArgument>{BatchArgument(first),
                                                       BatchArgument(rest)...});
  }

  // Removes the rows of a batch and the batch, which is deleted. Removing a row
  // or one of its parameter blocks does not remove the batch. Checks that the
  // batch is in the problem.
  void RemoveResidualBatch(ResidualBatchId batch);

  // All batches, in the order in which they were added.
  void GetResidualBatches(std::vector<ResidualBatchId>* batches) const;

  // The batch that was added, and the residual block of a row: null if it was
  // removed. Check that the batch is in the problem and 0 <= row < num_rows.
  const ResidualBatch* GetResidualBatch(ResidualBatchId batch) const;
  ResidualBlockId GetResidualBlockForRow(ResidualBatchId batch,
                                         std::int64_t row) const;

  // The batch of a residual block, or null, and its row. row may be null.
  // Checks that the block is in the problem.
  ResidualBatchId GetResidualBatchForResidualBlock(
      const ResidualBlockId residual_block, std::int64_t* row) const;

  // The weights of the rows of a batch, one for each row: row i has the
  // residuals weights[i] f_i, to which the loss function is applied. A weight
  // of measurements with the standard deviation sigma is 1 / sigma. The array
  // is the user's: it must outlive the batch or the next call, and may change
  // between evaluations (an IncrementalSolver reads new weights after the next
  // call). Null: all weights are 1. Checks that the batch is in the problem.
  void SetResidualBatchWeights(ResidualBatchId batch, const double* weights);

  // Switches a row off or on. A row that is off has residuals and derivatives
  // of zero and is not evaluated. It remains a residual block, so that nothing
  // is rebuilt. All rows are on at first. Check that the batch is in the
  // problem and 0 <= row < num_rows.
  void SetRowActive(ResidualBatchId batch, std::int64_t row, bool is_active);
  bool IsRowActive(ResidualBatchId batch, std::int64_t row) const;

  // The name of a batch in messages. By default it is empty, and messages name
  // the batch by its position in GetResidualBatches. Check that the batch is in
  // the problem.
  void SetResidualBatchName(ResidualBatchId batch, const std::string& name);
  const std::string& GetResidualBatchName(ResidualBatchId batch) const;

  // Removes a parameter block and all residual blocks that depend on it. The
  // order of the remaining blocks changes: the last takes the place of the
  // removed one. Checks that the block is in the problem.
  void RemoveParameterBlock(const double* values);

  // Removes a residual block, but not its parameter blocks. The last residual
  // block takes its place in the order. Checks that the block is in the
  // problem.
  void RemoveResidualBlock(ResidualBlockId residual_block);

  // Adds the constraint c(x) = 0, or lower <= c(x) <= upper, coordinate by
  // coordinate, on the parameter blocks that the cost function depends on. The
  // cost function computes c and its derivatives. It may be of any class; it is
  // owned as those of residual blocks are. A side without bound is -/+ infinity
  // or -/+ the largest double. Equal bounds are an equality. Parameter blocks
  // that are constant count as data. Constraints are no residual blocks: they
  // are not counted, listed or evaluated with them. An extension: see
  // docs/solving/constraints.md.
  //
  // Solve takes constraints with TRUST_REGION and LEVENBERG_MARQUARDT and all
  // linear solvers. It fails, and names the constraint, for NaN or crossed
  // bounds.
  //
  // Checks what AddResidualBlock checks, and that lower and upper have one
  // value for each residual of the cost function.
  ConstraintId AddEqualityConstraint(
      CostFunction* cost_function,
      const std::vector<double*>& parameter_blocks);
  ConstraintId AddInequalityConstraint(
      CostFunction* cost_function, const std::vector<double>& lower,
      const std::vector<double>& upper,
      const std::vector<double*>& parameter_blocks);

  // Removes a constraint, but not its parameter blocks. RemoveParameterBlock
  // removes the constraints of the block. The last constraint takes its place
  // in the order. Checks that the constraint is in the problem.
  void RemoveConstraint(ConstraintId constraint);

  // The number of constraints, and all constraints in the order in which they
  // were added unless some were removed.
  int NumConstraints() const;
  void GetConstraints(std::vector<ConstraintId>* constraints) const;

  // The name of a constraint in messages and in
  // Solver::Summary::violated_constraints. By default it is empty, and messages
  // name the index. Check that the constraint is in the problem.
  void SetConstraintName(ConstraintId constraint, const std::string& name);
  const std::string& GetConstraintName(ConstraintId constraint) const;

  // The Lagrange multipliers lambda of a constraint, one for each residual of
  // its cost function. At a solution
  //
  //   gradient of the cost + sum over constraints of Jacobian' lambda = 0
  //
  // on the coordinates that no bound holds: lambda > 0 if an upper bound is
  // active, < 0 if a lower bound is, 0 if none is. Solve writes the multipliers
  // of its result, and starts from those that it finds: zeros at first. Check
  // that the constraint is in the problem, and the size.
  const std::vector<double>& GetMultipliers(ConstraintId constraint) const;
  void SetMultipliers(ConstraintId constraint,
                      const std::vector<double>& multipliers);

  // Holds a parameter block constant at its current values, or lets it vary
  // (the default). Checks that the block is in the problem.
  void SetParameterBlockConstant(const double* values);
  void SetParameterBlockVariable(double* values);

  // Returns true if the block was set constant or if its manifold has tangent
  // size 0. Checks that the block is in the problem.
  bool IsParameterBlockConstant(const double* values) const;

  // Sets the manifold of the block, in place of the former one if there is one.
  // Null: a Euclidean space. One manifold may serve many blocks.
  //
  // Checks that the block is in the problem, that the manifold's ambient size
  // is the block's size and its tangent size not negative, and that its
  // PlusJacobian can be evaluated at the block's current values.
  void SetManifold(double* values, Manifold* manifold);

  // The block's manifold, or null; and whether it has a manifold. Checks that
  // the block is in the problem.
  const Manifold* GetManifold(const double* values) const;
  bool HasManifold(const double* values) const;

  // The interface of manifolds in versions 1.14 to 2.1 of the API; see
  // ceres/local_parameterization.h. A parameterization takes the place of a
  // manifold, and a manifold that of a parameterization. GetParameterization
  // returns null for a block with a manifold. GetManifold returns a manifold
  // without Minus for a block with a parameterization. ParameterBlockLocalSize
  // is ParameterBlockTangentSize.
  void SetParameterization(double* values,
                           LocalParameterization* local_parameterization);
  const LocalParameterization* GetParameterization(const double* values) const;
  bool HasParameterization(const double* values) const;
  int ParameterBlockLocalSize(const double* values) const;
  template <typename Parameterization,
            std::enable_if_t<std::is_convertible_v<
                Parameterization*, LocalParameterization*>>* = nullptr>
  void AddParameterBlock(double* values, int size,
                         Parameterization* local_parameterization) {
    AddParameterBlock(values, size);
    SetParameterization(values, local_parameterization);
  }

  // Bounds on ambient coordinate `index` of a block, by default -/+ the largest
  // double. Equal bounds hold it constant. Solve fails for NaN or crossed
  // bounds. Checks that the block is in the problem and 0 <= index < size.
  void SetParameterLowerBound(double* values, int index, double lower_bound);
  void SetParameterUpperBound(double* values, int index, double upper_bound);
  double GetParameterLowerBound(const double* values, int index) const;
  double GetParameterUpperBound(const double* values, int index) const;

  // Numbers of blocks, and sums of their sizes. The sizes of parameter blocks
  // are ambient.
  int NumParameterBlocks() const;
  int NumParameters() const;
  int NumResidualBlocks() const;
  int NumResiduals() const;

  // Ambient and tangent size of a block. Check that it is in the problem.
  int ParameterBlockSize(const double* values) const;
  int ParameterBlockTangentSize(const double* values) const;

  // Returns whether the block at `values` is in the problem.
  bool HasParameterBlock(const double* values) const;

  // All blocks, in the order in which they were added unless some were removed.
  // Outputs are overwritten and must not be null.
  void GetParameterBlocks(std::vector<double*>* parameter_blocks) const;
  void GetResidualBlocks(std::vector<ResidualBlockId>* residual_blocks) const;

  // The parameter blocks, the cost function and the loss function (or null) of
  // a residual block. Check that the block is in the problem. The objects stay
  // with the problem.
  void GetParameterBlocksForResidualBlock(
      const ResidualBlockId residual_block,
      std::vector<double*>* parameter_blocks) const;
  const CostFunction* GetCostFunctionForResidualBlock(
      const ResidualBlockId residual_block) const;
  const LossFunction* GetLossFunctionForResidualBlock(
      const ResidualBlockId residual_block) const;

  // The residual blocks that depend on a parameter block. Without
  // Options::enable_fast_removal this function scans the whole problem. Checks
  // that the block is in the problem.
  void GetResidualBlocksForParameterBlock(
      const double* values,
      std::vector<ResidualBlockId>* residual_blocks) const;

  // The options of Evaluate().
  struct CERES_EXPORT EvaluateOptions {
    // The parameter blocks of the columns, in this order. Empty: all, in the
    // problem's order. Blocks that are not listed are held constant. No block
    // may be listed twice.
    std::vector<double*> parameter_blocks;

    // The residual blocks to evaluate, in this order. Empty: all.
    std::vector<ResidualBlockId> residual_blocks;

    // False: evaluate as if no residual block had a loss function.
    bool apply_loss_function = true;

    // The number of threads; > 0.
    int num_threads = 1;
  };

  // Evaluates the problem at the current values of the parameter blocks.
  //
  //   cost       1/2 sum_i rho_i(|f_i|^2).
  //   residuals  f_i in the order of the residual blocks, scaled as the loss
  //              functions demand (so that for small residuals 1/2
  //              |residuals|^2 is about the cost, and gradient = jacobian'
  //              residuals).
  //   gradient   d cost / d x, in tangent coordinates, in the order of the
  //              parameter blocks.
  //   jacobian   d residuals / d x, its columns like the gradient; columns
  //              ascend within a row. Constant blocks have columns without
  //              entries.
  //
  // Any output may be null; outputs are resized and overwritten. Returns false,
  // logs why and leaves all outputs as they were if a residual block cannot be
  // evaluated. Exceptions of cost functions reach the caller. Checks that all
  // listed blocks are in the problem. With an evaluation callback the point
  // counts as new.
  bool Evaluate(const EvaluateOptions& options, double* cost,
                std::vector<double>* residuals, std::vector<double>* gradient,
                CRSMatrix* jacobian);

  // Linearizes residual blocks, in this order, at the current values of the
  // parameter blocks. Empty: all. See ceres/linearization.h. Returns false,
  // logs why and leaves `linearization` as it was if a residual block cannot be
  // evaluated. Exceptions of cost functions reach the caller. Checks that all
  // listed blocks are in the problem. An extension: see
  // docs/solving/extensions.md.
  bool Linearize(const LinearizationOptions& options,
                 const std::vector<ResidualBlockId>& residual_blocks,
                 Linearization* linearization);

  // Fixes the point at which the Jacobians of a parameter block are evaluated
  // (first-estimate Jacobians: Huang, Mourikis and Roumeliotis, "Observability-
  // based Rules for Designing Consistent EKF SLAM Estimators", 2010). Solve and
  // Linearize then evaluate residuals at the current values, and the Jacobians
  // of all residual blocks that depend on the block with `point` in its place.
  // A trust region step is computed from these Jacobians. Null: the Jacobians
  // are those of the current values again. `point` is copied. A manifold must
  // be able to evaluate its PlusJacobian there. A constant block ignores its
  // point. Evaluate and EvaluateResidualBlock ignore all points. An extension:
  // see docs/solving/extensions.md. Checks that the block is in the problem.
  void SetLinearizationPoint(const double* values, const double* point);

  // The point of SetLinearizationPoint, or null. Valid until the next call of
  // SetLinearizationPoint for the block. Checks that the block is in the
  // problem.
  const double* GetLinearizationPoint(const double* values) const;

  // Evaluates one residual block at the current values of its parameter blocks.
  //
  //   cost          1/2 rho(|f|^2).
  //   residuals     an array for the m residuals, after the loss function.
  //   jacobians     an array of one pointer per parameter block, null or to an
  //                 m x (tangent size) row-major matrix, after loss function
  //                 and manifold.
  //
  // Any output may be null. Returns false and logs why if a Jacobian of a
  // constant block is asked for or the block cannot be evaluated; outputs are
  // then unspecified. Checks that the block is in the problem.
  bool EvaluateResidualBlock(ResidualBlockId residual_block_id,
                             bool apply_loss_function, double* cost,
                             double* residuals, double** jacobians) const;

  // EvaluateResidualBlock for a point that has not changed since the last
  // evaluation. An evaluation callback learns this and need not repeat work
  // that residual blocks share.
  bool EvaluateResidualBlockAssumingParametersUnchanged(
      ResidualBlockId residual_block_id, bool apply_loss_function, double* cost,
      double* residuals, double** jacobians) const;

  // Replaces Options::evaluation_callback, also between two solves. Not owned;
  // must outlive the problem; may be null. A solve after the change does not
  // reuse kept preprocessing. An extension: see docs/solving/extensions.md.
  void SetEvaluationCallback(EvaluationCallback* evaluation_callback);

  // The options given to the constructor, with the evaluation callback that was
  // set last.
  const Options& options() const;

  // Frees the memory of Solver::Options::keep_preprocessing. An extension: see
  // docs/solving/extensions.md.
  void ReleasePreprocessing();

  // For the implementation of the solver.
  internal::ProblemImpl* mutable_impl();

 private:
  std::unique_ptr<internal::ProblemImpl> impl_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_PROBLEM_H_
