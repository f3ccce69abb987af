// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "batch_costs.h"
#include "ceres/cost_function.h"
#include "common.h"
#include "problem.h"
#include "sparse_constraints.h"

namespace vesta::python {
namespace {

// The bounds of one coordinate. What no value meets is a mistake of the caller.
void CheckLimits(double lower, double upper, const std::string& where) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (lower <= upper && lower < kInfinity && upper > -kInfinity) return;
  RaiseValueError(where + ": no value is at least " + std::to_string(lower) +
                  " and at most " + std::to_string(upper) + ".");
}

// Checks the bounds of `num_rows` constraints of `size` coordinates.
void CheckAllLimits(const std::vector<double>& lower,
                    const std::vector<double>& upper, int64_t num_rows,
                    int size) {
  const auto expected = static_cast<size_t>(num_rows * size);
  if (lower.size() != expected || upper.size() != expected) {
    RaiseValueError("lower, upper: expected " + std::to_string(expected) +
                    " numbers, got " + std::to_string(lower.size()) + " and " +
                    std::to_string(upper.size()) + ".");
  }
  for (size_t i = 0; i < expected; ++i) {
    CheckLimits(
        lower[i], upper[i],
        "lower, upper: coordinate " +
            std::to_string(i % static_cast<size_t>(size)) +
            (num_rows == 1
                 ? ""
                 : " of row " + std::to_string(i / static_cast<size_t>(size))));
  }
}

nb::object ToArray(const std::vector<double>& values) {
  double* data;
  nb::object array = NewArray({static_cast<int64_t>(values.size())}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

}  // namespace

Constraint Problem::Note(ceres::ConstraintId id, const std::string& name) {
  if (!name.empty()) problem_.SetConstraintName(id, name);
  return {id, constraints_[id] = next_serial_++, this};
}

Constraint Problem::AddConstraint(nb::handle cost,
                                  const std::vector<double>& lower,
                                  const std::vector<double>& upper,
                                  const nb::list& parameters,
                                  const std::string& name) {
  CheckIdle();
  ceres::CostFunction* function = nullptr;
  if (!nb::try_cast<ceres::CostFunction*>(cost, function) ||
      function == nullptr) {
    RaiseTypeError("cost: expected a CostFunction, got " + TypeName(cost) +
                   ".");
  }
  CheckAllLimits(lower, upper, 1, function->num_residuals());
  std::vector<nb::object> objects;
  for (nb::handle block : parameters) objects.push_back(nb::borrow(block));
  const ceres::ConstraintId id = problem_.AddInequalityConstraint(
      function, lower, upper, TakeBlocks(*function, objects));
  costs_[nb::int_(reinterpret_cast<uintptr_t>(id))] = cost;
  return Note(id, name);
}

std::vector<Constraint> Problem::AddConstraintRows(
    const ceres::ResidualBatch& rows, const RowMaker& make,
    const std::vector<double>& lower, const std::vector<double>& upper,
    const AppendBlocks& append, const std::string& name) {
  const int num_residuals = rows.num_residuals();
  std::vector<Constraint> result;
  std::vector<double*> pointers;
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    pointers.clear();
    append(i, &pointers);
    const int64_t at = i * num_residuals;
    const int64_t end = at + num_residuals;
    row_costs_.push_back(make(i));
    const ceres::ConstraintId id = problem_.AddInequalityConstraint(
        row_costs_.back().get(), {lower.begin() + at, lower.begin() + end},
        {upper.begin() + at, upper.begin() + end}, pointers);
    result.push_back(
        Note(id, name.empty() ? "" : name + "[" + std::to_string(i) + "]"));
  }
  return result;
}

std::vector<Constraint> Problem::AddConstraints(
    std::shared_ptr<CostBatch> costs, const std::vector<double>& lower,
    const std::vector<double>& upper, const nb::list& arrays,
    const nb::list& indices, const std::string& name) {
  CheckIdle();
  const ceres::ResidualBatch& rows = *costs->rows;
  CheckAllLimits(lower, upper, rows.num_rows(), rows.num_residuals());
  const auto columns = TakeColumns(*costs, arrays, indices);
  alive_.append(costs->alive);
  TakePython(costs->python);
  const AppendBlocks append = [columns](int64_t row,
                                        std::vector<double*>* blocks) {
    for (const BatchColumn& column : columns) {
      blocks->push_back(column.block(row));
    }
  };
  const auto points = [append](int64_t row) {
    std::vector<double*> blocks;
    append(row, &blocks);
    return blocks;
  };
  return AddConstraintRows(rows, ConstraintRows(*costs, points), lower, upper,
                           append, name);
}

std::vector<Constraint> Problem::AddSparseConstraints(
    nb::object evaluate, nb::handle values, nb::handle starts,
    nb::handle columns, const std::vector<double>& lower,
    const std::vector<double>& upper, const std::string& name) {
  CheckIdle();
  const AppendBlocks append = TakeSparseRows(values, starts, columns);
  const auto python = MakeSparseBatch(std::move(evaluate), starts);
  CheckAllLimits(lower, upper, python->num_rows(), 1);
  const DoubleArray array = ReadableArray(values, "values");
  TakePython(python);
  return AddConstraintRows(
      *python, MovableSparseRows(python, array.data, array.size, append), lower,
      upper, append, name);
}

ceres::ConstraintId Problem::Check(const Constraint& constraint) const {
  if (constraint.problem != this) {
    RaiseValueError("constraint: the constraint belongs to another problem.");
  }
  const auto it = constraints_.find(constraint.id);
  if (it == constraints_.end() || it->second != constraint.serial) {
    RaiseValueError("constraint: the constraint was removed.");
  }
  return constraint.id;
}

void Problem::RemoveConstraint(const Constraint& constraint) {
  CheckIdle();
  problem_.RemoveConstraint(Check(constraint));
  ForgetRemovedConstraints();
}

void Problem::ForgetRemovedConstraints() {
  if (static_cast<size_t>(problem_.NumConstraints()) == constraints_.size()) {
    return;
  }
  std::vector<ceres::ConstraintId> all;
  problem_.GetConstraints(&all);
  const std::unordered_set<ceres::ConstraintId> left(all.begin(), all.end());
  for (auto it = constraints_.begin(); it != constraints_.end();) {
    if (left.count(it->first) != 0) {
      ++it;
      continue;
    }
    costs_.attr("pop")(nb::int_(reinterpret_cast<uintptr_t>(it->first)),
                       nb::none());
    it = constraints_.erase(it);
  }
}

std::vector<Constraint> Problem::Constraints() const {
  std::vector<ceres::ConstraintId> ids;
  problem_.GetConstraints(&ids);
  std::vector<Constraint> result;
  for (const ceres::ConstraintId id : ids) {
    result.push_back({id, constraints_.at(id), this});
  }
  return result;
}

void BindConstraints(nb::module_& module) {
  nb::class_<Constraint>(module, "Constraint", "A constraint of a problem.")
      .def(
          "__eq__",
          [](const Constraint& a, nb::handle b) {
            Constraint other;
            return nb::try_cast(b, other) && a.serial == other.serial &&
                   a.problem == other.problem;
          },
          nb::arg("other").none(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const Constraint& c) { return c.serial; });
}

void BindConstraints(nb::class_<Problem>& type) {
  type.def("_add_constraint", &Problem::AddConstraint, nb::arg("cost"),
           nb::arg("lower"), nb::arg("upper"), nb::arg("parameters"),
           nb::arg("name"))
      .def("_add_constraints", &Problem::AddConstraints, nb::arg("costs"),
           nb::arg("lower"), nb::arg("upper"), nb::arg("arrays"),
           nb::arg("indices"), nb::arg("name"))
      .def("_add_sparse_constraints", &Problem::AddSparseConstraints,
           nb::arg("evaluate"), nb::arg("values"), nb::arg("starts"),
           nb::arg("columns"), nb::arg("lower"), nb::arg("upper"),
           nb::arg("name"))
      .def("remove_constraint", &Problem::RemoveConstraint,
           nb::arg("constraint"),
           "Removes a constraint, but not its parameter blocks.")
      .def("constraints", &Problem::Constraints,
           "All constraints, in the order in which they were added unless some "
           "were removed.")
      .def(
          "num_constraints",
          [](const Problem& p) { return p.get().NumConstraints(); },
          "The number of constraints.")
      .def(
          "set_constraint_name",
          [](Problem& self, const Constraint& constraint,
             const std::string& name) {
            self.CheckIdle();
            self.get().SetConstraintName(self.Check(constraint), name);
          },
          nb::arg("constraint"), nb::arg("name"),
          "Sets the name of a constraint in messages and in "
          "Summary.violated_constraints.")
      .def(
          "get_constraint_name",
          [](const Problem& self, const Constraint& constraint) {
            return self.get().GetConstraintName(self.Check(constraint));
          },
          nb::arg("constraint"), "The name of a constraint.")
      .def(
          "get_multipliers",
          [](const Problem& self, const Constraint& constraint) {
            return ToArray(self.get().GetMultipliers(self.Check(constraint)));
          },
          nb::arg("constraint"),
          "The Lagrange multipliers of a constraint, one for each of its "
          "residuals: > 0 if the upper bound is active, < 0 if the lower one "
          "is, 0 if none is. The gradient of the cost plus the sum of J' times "
          "multipliers is zero at a solution.",
          nb::sig("def get_multipliers(self, constraint: Constraint) -> "
                  "numpy.typing.NDArray[numpy.float64]"))
      .def(
          "set_multipliers",
          [](Problem& self, const Constraint& constraint,
             const std::vector<double>& multipliers) {
            self.CheckIdle();
            const ceres::ConstraintId id = self.Check(constraint);
            const size_t size = self.get().GetMultipliers(id).size();
            if (multipliers.size() != size) {
              RaiseValueError("multipliers: expected " + std::to_string(size) +
                              " numbers, got " +
                              std::to_string(multipliers.size()) + ".");
            }
            self.get().SetMultipliers(id, multipliers);
          },
          nb::arg("constraint"), nb::arg("multipliers"),
          "Sets the multipliers that the next solve starts from.",
          nb::sig("def set_multipliers(self, constraint: Constraint, "
                  "multipliers: typing.Iterable[float]) -> None"));
}

}  // namespace vesta::python
