// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_PROBLEM_H_
#define VESTA_PYTHON_PROBLEM_H_

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "batch.h"
#include "ceres/problem.h"
#include "common.h"

namespace vesta::python {

// A residual block, as Python refers to it.
struct ResidualBlock {
  ceres::ResidualBlockId id;
  const class Problem* problem;
};

// The residual blocks of a batch, in order of its rows.
struct ResidualBlocks {
  std::vector<ceres::ResidualBlockId> ids;
  const class Problem* problem;
};

// A constraint, as Python refers to it. Ids are addresses, which may be used
// again; serial numbers are not.
struct Constraint {
  ceres::ConstraintId id;
  int64_t serial;
  const class Problem* problem;
};

// The memory that holds parameter blocks: where it begins, and how it is cut
// into blocks. Extents are disjoint. Finds blocks that overlap.
class Extents {
 public:
  // Adds `rows` blocks of `size` doubles. Returns false and adds nothing if a
  // block would overlap a block of another size or position.
  [[nodiscard]] bool Add(const double* data, int64_t rows, int64_t size);
  void RemoveBlock(const double* data);

 private:
  struct Extent {
    int64_t rows;
    int64_t size;
  };
  std::map<const double*, Extent> extents_;
};

// A ceres::Problem whose blocks are memory of Python objects. All mistakes
// raise exceptions; nothing is left to the checks of ceres::Problem, which stop
// the process.
class Problem {
 public:
  explicit Problem(bool enable_fast_removal);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // Returns the block at the memory of `values`, which must be in the problem.
  double* Find(nb::handle values, const std::string& argument) const;
  // The memory of `values`, added to the problem if it is not in it.
  double* FindOrAdd(nb::handle values, int64_t size,
                    const std::string& argument);
  ceres::ResidualBlockId Check(const ResidualBlock& block) const;

  void AddParameterBlock(nb::handle values, nb::handle size,
                         nb::handle manifold);
  void SetManifold(double* values, nb::handle manifold,
                   const std::string& argument);
  ResidualBlock AddResidualBlock(nb::handle cost, nb::handle loss,
                                 const nb::args& parameters);
  // Row i of `costs` gets row indices[b][i] of arrays[b] as parameter block b.
  ResidualBlocks AddCosts(std::shared_ptr<CostBatch> costs, nb::handle loss,
                          const nb::list& arrays, const nb::list& indices);
  // Rows of one residual that depend on single numbers of `values`: row i on
  // those with the indices columns[starts[i]], ..., columns[starts[i + 1] - 1].
  ResidualBlocks AddSparseRows(nb::object evaluate, nb::handle values,
                               nb::handle starts, nb::handle columns,
                               nb::handle loss);
  // lower <= c(x) <= upper, one number for each residual of the cost function.
  Constraint AddConstraint(nb::handle cost, const std::vector<double>& lower,
                           const std::vector<double>& upper,
                           const nb::list& parameters, const std::string& name);
  // One constraint for each row of `costs`, with the blocks of AddCosts and the
  // bounds of row i at lower[i * num_residuals]. Row i is named name[i].
  std::vector<Constraint> AddConstraints(std::shared_ptr<CostBatch> costs,
                                         const std::vector<double>& lower,
                                         const std::vector<double>& upper,
                                         const nb::list& arrays,
                                         const nb::list& indices,
                                         const std::string& name);
  // One constraint for each row, with the rows of AddSparseRows.
  std::vector<Constraint> AddSparseConstraints(
      nb::object evaluate, nb::handle values, nb::handle starts,
      nb::handle columns, const std::vector<double>& lower,
      const std::vector<double>& upper, const std::string& name);
  ceres::ConstraintId Check(const Constraint& constraint) const;
  void RemoveConstraint(const Constraint& constraint);
  std::vector<Constraint> Constraints() const;
  // callback(evaluate_jacobians, new_evaluation_point) before each evaluation;
  // None: no callback.
  void SetEvaluationCallback(nb::handle callback);
  void RemoveResidualBlock(const ResidualBlock& block);
  void RemoveParameterBlock(double* values);

  // Raises an exception while a solve or an evaluation runs.
  void CheckIdle() const;

  // Marks the problem as used by a solve or an evaluation. Raises an exception
  // if it is, also by a thread that runs without the GIL.
  class Use {
   public:
    explicit Use(Problem* problem) : problem_(problem) {
      if (problem->in_use_.exchange(true)) RaiseInUse();
    }
    ~Use() { problem_->in_use_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Problem* problem_;
  };

  ceres::Problem& get() { return problem_; }
  const ceres::Problem& get() const { return problem_; }

  // For the garbage collector.
  int Traverse(visitproc visit, void* arg) const;
  void Clear();

  // The Python object of a manifold, or None.
  nb::object ManifoldObject(const double* values) const;

 private:
  [[noreturn]] static void RaiseInUse();
  // Appends the parameter blocks of a row of a batch.
  using AppendBlocks = std::function<void(int64_t, std::vector<double*>*)>;
  // Checks the arguments of a function that adds residual blocks or
  // constraints, and adds the parameter blocks.
  std::vector<double*> TakeBlocks(const ceres::CostFunction& cost,
                                  const std::vector<nb::object>& objects);
  // An argument of all rows of a batch: row i has row indices.data[i] of
  // `array`.
  struct BatchColumn {
    DoubleArray array;
    IndexArray indices;
    int size;  // of a row of `array`
    double* block(int64_t row) const {
      return array.data + indices.data[row] * size;
    }
  };
  std::vector<BatchColumn> TakeColumns(const CostBatch& costs,
                                       const nb::list& arrays,
                                       const nb::list& indices);
  void AddUsedBlocks(const std::vector<BatchColumn>& columns, int64_t num_rows);
  AppendBlocks TakeSparseRows(nb::handle values, nb::handle starts,
                              nb::handle columns);
  // Raises an exception if there would be more residuals than can be counted.
  void CheckCounts(int64_t num_rows, int num_residuals) const;
  // Evaluates a batch of Python, if it is not null, before each evaluation.
  void TakePython(std::shared_ptr<PythonBatch> python);
  // All rows of a batch, as cost functions that `make` makes.
  std::vector<Constraint> AddConstraintRows(const ceres::ResidualBatch& rows,
                                            const RowMaker& make,
                                            const std::vector<double>& lower,
                                            const std::vector<double>& upper,
                                            const AppendBlocks& append,
                                            const std::string& name);
  Constraint Note(ceres::ConstraintId id, const std::string& name);
  // After constraints were removed together with a parameter block.
  void ForgetRemovedConstraints();
  ceres::LossFunction* Loss(nb::handle loss) const;

  ceres::Problem problem_;
  Extents extents_;
  BatchDispatcher dispatcher_;
  // Cost functions of rows that are no residual batch, and what makes them.
  std::vector<std::unique_ptr<ceres::CostFunction>> row_costs_;
  std::vector<RowMaker> row_makers_;
  std::unordered_set<ceres::ResidualBlockId> removed_;
  std::unordered_map<ceres::ConstraintId, int64_t> constraints_;  // serials
  int64_t next_serial_ = 0;
  // Objects that blocks refer to: arrays and manifolds by address of the
  // block, pairs of cost and loss by residual block, cost functions by
  // constraint, anything of batches.
  nb::dict arrays_;
  nb::dict manifolds_;
  nb::dict costs_;
  nb::list alive_;
  std::atomic<bool> in_use_{false};
};

// Adds the functions of constraints to the class.
void BindConstraints(nb::class_<Problem>& type);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_PROBLEM_H_
