// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "problem.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "batch_costs.h"
#include "ceres/cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "fields.h"

namespace vesta::python {
namespace {

nb::int_ Key(const void* pointer) {
  return nb::int_(reinterpret_cast<uintptr_t>(pointer));
}

ceres::Problem::Options MakeOptions(bool enable_fast_removal) {
  ceres::Problem::Options options;
  options.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  options.manifold_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  options.enable_fast_removal = enable_fast_removal;
  // Python checks by itself, with exceptions.
  options.disable_all_safety_checks = true;
  return options;
}

[[noreturn]] void RaiseOverlap(const std::string& argument) {
  RaiseValueError(argument +
                  ": the array overlaps a parameter block of "
                  "another size or position. Parameter blocks are whole "
                  "arrays or whole rows that share no memory.");
}

ceres::CostFunction* ToCostFunction(nb::handle cost) {
  ceres::CostFunction* function = nullptr;
  if (!nb::try_cast<ceres::CostFunction*>(cost, function) ||
      function == nullptr) {
    RaiseTypeError("cost: expected a CostFunction, got " + TypeName(cost) +
                   ".");
  }
  return function;
}

// Checks the array and the indices of one parameter block of a batch.
void CheckRows(const DoubleArray& array, const IndexArray& index, int size,
               int64_t num_rows, const std::string& argument) {
  if (array.row_size() != size) {
    RaiseValueError(argument + "[0]: expected rows of " + std::to_string(size) +
                    " numbers, got " + std::to_string(array.row_size()) + ".");
  }
  // A CostBatch of Python or of compiled code may have any sizes.
  if (size == 0) RaiseValueError(argument + "[0]: the rows are empty.");
  if (index.size != num_rows) {
    RaiseValueError(argument + "[1]: expected " + std::to_string(num_rows) +
                    " indices, got " + std::to_string(index.size) + ".");
  }
  for (int64_t i = 0; i < index.size; ++i) {
    if (index.data[i] < 0 || index.data[i] >= array.num_rows()) {
      RaiseValueError(argument + "[1]: index " + std::to_string(index.data[i]) +
                      " of row " + std::to_string(i) +
                      " is out of range: the array has " +
                      std::to_string(array.num_rows()) + " rows.");
    }
  }
}

// The arrays of a call f(cost, loss, x, y) or f(cost, loss, [x, y]).
std::vector<nb::object> ParameterObjects(const nb::args& parameters) {
  std::vector<nb::object> objects;
  if (parameters.size() == 1 && (nb::isinstance<nb::list>(parameters[0]) ||
                                 nb::isinstance<nb::tuple>(parameters[0]))) {
    for (nb::handle h : nb::object(parameters[0])) {
      objects.push_back(nb::borrow(h));
    }
    return objects;
  }
  for (nb::handle h : parameters) objects.push_back(nb::borrow(h));
  return objects;
}

}  // namespace

bool Extents::Add(const double* data, int64_t rows, int64_t size) {
  const double* begin = data;
  const double* end = data + rows * size;
  auto it = extents_.upper_bound(data);
  if (it != extents_.begin()) --it;
  // All extents that meet [begin, end).
  std::vector<std::map<const double*, Extent>::iterator> met;
  for (; it != extents_.end() && it->first < end; ++it) {
    const double* const it_end = it->first + it->second.rows * it->second.size;
    if (it_end <= begin) continue;
    if (it->second.size != size || (it->first - data) % size != 0) {
      return false;
    }
    met.push_back(it);
  }
  if (met.size() == 1 && met[0]->first <= begin &&
      met[0]->first + met[0]->second.rows * size >= end) {
    return true;
  }
  for (const auto& extent : met) {
    begin = std::min(begin, extent->first);
    end = std::max(end, extent->first + extent->second.rows * size);
  }
  for (const auto& extent : met) extents_.erase(extent);
  extents_[begin] = {(end - begin) / size, size};
  return true;
}

void Extents::RemoveBlock(const double* data) {
  const auto it = extents_.find(data);
  if (it != extents_.end() && it->second.rows == 1) extents_.erase(it);
}

Problem::Problem(bool enable_fast_removal)
    : problem_(MakeOptions(enable_fast_removal)) {}

void Problem::RaiseInUse() {
  RaiseRuntimeError(
      "The problem is being solved or evaluated: it cannot be used by "
      "callbacks, cost functions or other threads meanwhile.");
}

void Problem::CheckIdle() const {
  if (in_use_) RaiseInUse();
}

double* Problem::Find(nb::handle values, const std::string& argument) const {
  double* const data = WritableArray(values, argument).data;
  if (!problem_.HasParameterBlock(data)) {
    RaiseValueError(argument +
                    ": the array is not a parameter block of the "
                    "problem. Blocks are identified by their memory: pass the "
                    "array, or the row, that was added, not a copy.");
  }
  return data;
}

double* Problem::FindOrAdd(nb::handle values, int64_t size,
                           const std::string& argument) {
  const DoubleArray array = WritableArray(values, argument);
  if (size >= 0 && array.size != size) {
    RaiseValueError(argument + ": expected an array of " +
                    std::to_string(size) + " numbers, got " +
                    std::to_string(array.size) + ".");
  }
  if (array.size == 0 || array.size > std::numeric_limits<int>::max()) {
    RaiseValueError(argument +
                    ": expected an array with 1 to 2^31 - 1 "
                    "numbers, got " +
                    std::to_string(array.size) + ".");
  }
  if (!extents_.Add(array.data, 1, array.size)) RaiseOverlap(argument);
  if (!problem_.HasParameterBlock(array.data)) {
    problem_.AddParameterBlock(array.data, static_cast<int>(array.size));
    arrays_[Key(array.data)] = values;
  }
  return array.data;
}

ceres::ResidualBlockId Problem::Check(const ResidualBlock& block) const {
  if (block.problem != this) {
    RaiseValueError("residual_block: the block belongs to another problem.");
  }
  if (removed_.count(block.id) != 0) {
    RaiseValueError("residual_block: the block was removed.");
  }
  return block.id;
}

void Problem::AddParameterBlock(nb::handle values, nb::handle size,
                                nb::handle manifold) {
  CheckIdle();
  double* const data =
      FindOrAdd(values, size.is_none() ? -1 : ToInt(size, "size"), "values");
  if (!manifold.is_none()) SetManifold(data, manifold, "manifold");
}

void Problem::SetManifold(double* values, nb::handle manifold,
                          const std::string& argument) {
  if (manifold.is_none()) {
    problem_.SetManifold(values, nullptr);
    manifolds_.attr("pop")(Key(values), nb::none());
    return;
  }
  ceres::Manifold* pointer = nullptr;
  if (!nb::try_cast<ceres::Manifold*>(manifold, pointer)) {
    RaiseTypeError(argument + ": expected a Manifold or None, got " +
                   TypeName(manifold) + ".");
  }
  const int size = problem_.ParameterBlockSize(values);
  if (pointer->AmbientSize() != size) {
    RaiseValueError(argument + ": expected a manifold of ambient size " +
                    std::to_string(size) + ", got " +
                    std::to_string(pointer->AmbientSize()) + ".");
  }
  const int tangent_size = pointer->TangentSize();
  if (tangent_size < 0) {
    RaiseValueError(argument + ": the tangent size is negative.");
  }
  std::vector<double> jacobian(static_cast<size_t>(size) *
                               static_cast<size_t>(tangent_size));
  if (!pointer->PlusJacobian(values, jacobian.data())) {
    RaiseValueError(argument +
                    ": its Jacobian cannot be evaluated at the "
                    "values of the parameter block.");
  }
  problem_.SetManifold(values, pointer);
  manifolds_[Key(values)] = manifold;
}

ceres::LossFunction* Problem::Loss(nb::handle loss) const {
  if (loss.is_none()) return nullptr;
  ceres::LossFunction* pointer = nullptr;
  if (!nb::try_cast<ceres::LossFunction*>(loss, pointer)) {
    RaiseTypeError("loss: expected a LossFunction or None, got " +
                   TypeName(loss) + ".");
  }
  return pointer;
}

std::vector<double*> Problem::TakeBlocks(
    const ceres::CostFunction& cost, const std::vector<nb::object>& objects) {
  const auto& sizes = cost.parameter_block_sizes();
  if (cost.num_residuals() <= 0) {
    RaiseValueError("cost: its number of residuals is not set.");
  }
  if (objects.size() != sizes.size()) {
    RaiseValueError("parameters: the cost function depends on " +
                    std::to_string(sizes.size()) + " parameter blocks, got " +
                    std::to_string(objects.size()) + ".");
  }
  std::vector<double*> pointers;
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string argument = "parameters[" + std::to_string(i) + "]";
    double* const data = WritableArray(objects[i], argument).data;
    if (std::count(pointers.begin(), pointers.end(), data) != 0) {
      RaiseValueError(argument + ": the block is given twice.");
    }
    pointers.push_back(data);
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    FindOrAdd(objects[i], sizes[i], "parameters[" + std::to_string(i) + "]");
  }
  return pointers;
}

ResidualBlock Problem::AddResidualBlock(nb::handle cost, nb::handle loss,
                                        const nb::args& parameters) {
  CheckIdle();
  ceres::CostFunction* const function = ToCostFunction(cost);
  ceres::LossFunction* const loss_function = Loss(loss);
  const std::vector<double*> pointers =
      TakeBlocks(*function, ParameterObjects(parameters));
  const ceres::ResidualBlockId id =
      problem_.AddResidualBlock(function, loss_function, pointers);
  removed_.erase(id);
  costs_[Key(id)] = nb::make_tuple(cost, loss);
  return {id, this};
}

std::vector<Problem::BatchColumn> Problem::TakeColumns(
    const CostBatch& costs, const nb::list& arrays, const nb::list& indices) {
  const std::vector<int>& sizes = costs.rows->parameter_block_sizes();
  const int64_t num_rows = costs.rows->num_rows();
  const size_t num_blocks = sizes.size();
  if (arrays.size() != num_blocks || indices.size() != num_blocks) {
    RaiseValueError("blocks: expected " + std::to_string(num_blocks) +
                    " pairs of an array and indices, got " +
                    std::to_string(arrays.size()) + ".");
  }
  std::vector<BatchColumn> columns;
  for (size_t b = 0; b < num_blocks; ++b) {
    const std::string argument = "blocks[" + std::to_string(b) + "]";
    columns.push_back({WritableArray(arrays[b], argument + "[0]"),
                       ReadableIndices(indices[b], argument + "[1]"),
                       sizes[b]});
    CheckRows(columns[b].array, columns[b].indices, sizes[b], num_rows,
              argument);
  }
  for (int64_t i = 0; i < num_rows; ++i) {
    for (size_t b = 1; b < num_blocks; ++b) {
      for (size_t a = 0; a < b; ++a) {
        if (columns[a].block(i) == columns[b].block(i)) {
          RaiseValueError("blocks: row " + std::to_string(i) +
                          " has a parameter block twice.");
        }
      }
    }
  }
  for (size_t b = 0; b < num_blocks; ++b) {
    const DoubleArray& array = columns[b].array;
    if (!extents_.Add(array.data, array.num_rows(), array.row_size())) {
      RaiseOverlap("blocks[" + std::to_string(b) + "][0]");
    }
    alive_.append(nb::handle(arrays[b]));
  }
  return columns;
}

void Problem::CheckCounts(int64_t num_rows, int num_residuals) const {
  const int64_t most =
      std::numeric_limits<int>::max() - problem_.NumResiduals();
  if (num_residuals > 0 && num_rows > most / num_residuals) {
    RaiseValueError("costs: " + std::to_string(num_rows) + " rows of " +
                    std::to_string(num_residuals) +
                    " residuals are too many: a problem has at most 2^31 - 1 "
                    "residuals.");
  }
}

ResidualBlocks Problem::AddCosts(std::shared_ptr<CostBatch> costs,
                                 nb::handle loss, const nb::list& arrays,
                                 const nb::list& indices) {
  CheckIdle();
  const int64_t num_rows = costs->rows->num_rows();
  ceres::LossFunction* const loss_function = Loss(loss);
  CheckCounts(num_rows, costs->rows->num_residuals());
  const auto columns = TakeColumns(*costs, arrays, indices);
  alive_.append(loss);
  alive_.append(costs->alive);
  TakePython(costs->python);
  AddUsedBlocks(columns, num_rows);
  std::vector<ceres::BatchArgument> arguments;
  for (const BatchColumn& column : columns) {
    arguments.emplace_back(
        ceres::ParameterArray(column.array.data, column.array.num_rows(),
                              column.size),
        column.indices.data);
  }
  const ceres::ResidualBatchId batch = problem_.AddResidualBatch(
      ShareRows(costs->rows), loss_function, arguments);
  ResidualBlocks result;
  result.problem = this;
  result.ids.reserve(static_cast<size_t>(num_rows));
  for (int64_t i = 0; i < num_rows; ++i) {
    const auto id = problem_.GetResidualBlockForRow(batch, i);
    result.ids.push_back(id);
    if (!removed_.empty()) removed_.erase(id);
  }
  return result;
}

// Adds the parameter blocks of rows, in the order of rows. Other blocks of the
// arrays are no parameter blocks.
void Problem::AddUsedBlocks(const std::vector<BatchColumn>& columns,
                            int64_t num_rows) {
  std::vector<std::vector<bool>> is_added;
  for (const BatchColumn& column : columns) {
    is_added.emplace_back(static_cast<size_t>(column.array.num_rows()));
  }
  for (int64_t i = 0; i < num_rows; ++i) {
    for (size_t b = 0; b < columns.size(); ++b) {
      const auto index = static_cast<size_t>(columns[b].indices.data[i]);
      if (is_added[b][index]) continue;
      is_added[b][index] = true;
      problem_.AddParameterBlock(columns[b].block(i), columns[b].size);
    }
  }
}

Problem::AppendBlocks Problem::TakeSparseRows(nb::handle values,
                                              nb::handle starts,
                                              nb::handle columns) {
  const DoubleArray array = WritableArray(values, "values");
  const IndexArray begins = ReadableIndices(starts, "starts");
  const IndexArray indices = ReadableIndices(columns, "columns");
  bool valid = begins.size > 0 && begins.data[0] == 0 &&
               begins.data[begins.size - 1] == indices.size;
  for (int64_t i = 0; valid && i + 1 < begins.size; ++i) {
    valid = begins.data[i] < begins.data[i + 1];
  }
  for (int64_t k = 0; valid && k < indices.size; ++k) {
    valid = 0 <= indices.data[k] && indices.data[k] < array.size;
  }
  if (!valid) {
    RaiseValueError(
        "starts, columns: expected the index arrays of a CSR "
        "matrix without empty rows.");
  }
  if (!extents_.Add(array.data, array.size, 1)) RaiseOverlap("values");
  alive_.append(values);
  return [array, begins, indices](int64_t row, std::vector<double*>* pointers) {
    for (int64_t k = begins.data[row]; k < begins.data[row + 1]; ++k) {
      pointers->push_back(array.data + indices.data[k]);
    }
  };
}

ResidualBlocks Problem::AddSparseRows(nb::object evaluate, nb::handle values,
                                      nb::handle starts, nb::handle columns,
                                      nb::handle loss) {
  CheckIdle();
  ceres::LossFunction* const loss_function = Loss(loss);
  const AppendBlocks append = TakeSparseRows(values, starts, columns);
  alive_.append(loss);
  const auto python = MakeSparseBatch(std::move(evaluate), starts);
  const int64_t num_rows = python->num_rows();
  row_makers_.push_back(SparseRows(python));
  TakePython(python);
  ResidualBlocks result;
  result.problem = this;
  result.ids.reserve(static_cast<size_t>(num_rows));
  // In pieces, so that the lists of pointers stay small.
  constexpr int64_t kPiece = 4096;
  std::vector<ceres::CostFunction*> functions;
  std::vector<double*> pointers;
  for (int64_t begin = 0; begin < num_rows; begin += kPiece) {
    functions.clear();
    pointers.clear();
    const int64_t end = std::min(begin + kPiece, num_rows);
    for (int64_t i = begin; i < end; ++i) {
      row_costs_.push_back(row_makers_.back()(i));
      functions.push_back(row_costs_.back().get());
      append(i, &pointers);
    }
    for (const auto& id :
         problem_.AddResidualBlocks(functions, loss_function, pointers)) {
      result.ids.push_back(id);
      if (!removed_.empty()) removed_.erase(id);
    }
  }
  return result;
}

void Problem::TakePython(std::shared_ptr<PythonBatch> python) {
  if (python == nullptr) return;
  dispatcher_.Add(std::move(python));
  // Not before: an evaluation callback costs time where no batch needs it.
  problem_.SetEvaluationCallback(&dispatcher_);
}

void Problem::SetEvaluationCallback(nb::handle callback) {
  CheckIdle();
  if (!callback.is_none() && PyCallable_Check(callback.ptr()) == 0) {
    RaiseTypeError("callback: expected a callable or None, got " +
                   TypeName(callback) + ".");
  }
  dispatcher_.SetCallback(nb::borrow(callback));
  problem_.SetEvaluationCallback(dispatcher_.empty() ? nullptr : &dispatcher_);
}

void Problem::RemoveResidualBlock(const ResidualBlock& block) {
  CheckIdle();
  const ceres::ResidualBlockId id = Check(block);
  problem_.RemoveResidualBlock(id);
  removed_.insert(id);
  costs_.attr("pop")(Key(id), nb::none());
}

void Problem::RemoveParameterBlock(double* values) {
  CheckIdle();
  std::vector<ceres::ResidualBlockId> blocks;
  problem_.GetResidualBlocksForParameterBlock(values, &blocks);
  for (const auto& id : blocks) {
    removed_.insert(id);
    costs_.attr("pop")(Key(id), nb::none());
  }
  problem_.RemoveParameterBlock(values);
  ForgetRemovedConstraints();
  extents_.RemoveBlock(values);
  manifolds_.attr("pop")(Key(values), nb::none());
  arrays_.attr("pop")(Key(values), nb::none());
}

nb::object Problem::ManifoldObject(const double* values) const {
  return manifolds_.attr("get")(Key(values), nb::none());
}

int Problem::Traverse(visitproc visit, void* arg) const {
  Py_VISIT(arrays_.ptr());
  Py_VISIT(manifolds_.ptr());
  Py_VISIT(costs_.ptr());
  Py_VISIT(alive_.ptr());
  Py_VISIT(dispatcher_.callback().ptr());
  for (const auto& batch : dispatcher_.batches()) {
    Py_VISIT(batch->evaluate().ptr());
  }
  return 0;
}

void Problem::Clear() {
  // The problem must not outlive the objects it refers to.
  problem_ = ceres::Problem(MakeOptions(false));
  dispatcher_.Clear();
  constraints_.clear();
  arrays_.clear();
  manifolds_.clear();
  costs_.clear();
  alive_.clear();
}

}  // namespace vesta::python
