// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "batch_costs.h"
#include "ceres/crs_matrix.h"
#include "fields.h"
#include "problem.h"
#include "running.h"

namespace vesta::python {
namespace {

#define VESTA_ARRAY "numpy.typing.NDArray[numpy.float64]"

int TraverseProblem(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<Problem>(self)->Traverse(visit, arg);
}

int ClearProblem(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Problem>(self)->Clear();
  return 0;
}

PyType_Slot problem_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(TraverseProblem)},
    {Py_tp_clear, reinterpret_cast<void*>(ClearProblem)},
    {0, nullptr}};

nb::object ToArray(const std::vector<double>& values) {
  double* data;
  nb::object array = NewArray({static_cast<int64_t>(values.size())}, &data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

nb::object ToIntArray(const std::vector<int>& values) {
  nb::object array = nb::module_::import_("numpy").attr("empty")(
      values.size(), nb::arg("dtype") = "int32");
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_WRITABLE) != 0) {
    throw nb::python_error();
  }
  std::memcpy(view.buf, values.data(), values.size() * sizeof(int));
  PyBuffer_Release(&view);
  return array;
}

ceres::Problem::EvaluateOptions ToEvaluateOptions(const Problem& problem,
                                                  nb::handle parameter_blocks,
                                                  nb::handle residual_blocks,
                                                  bool apply_loss_function,
                                                  int num_threads) {
  ceres::Problem::EvaluateOptions options;
  options.apply_loss_function = apply_loss_function;
  if (num_threads < 1) RaiseValueError("num_threads: expected a number > 0.");
  options.num_threads = num_threads;
  if (!parameter_blocks.is_none()) {
    for (nb::handle block : parameter_blocks) {
      options.parameter_blocks.push_back(
          problem.Find(block, "parameter_blocks"));
    }
  }
  if (!residual_blocks.is_none()) {
    for (nb::handle block : residual_blocks) {
      options.residual_blocks.push_back(
          problem.Check(nb::cast<ResidualBlock>(block)));
    }
  }
  return options;
}

// (cost, residuals, gradient, (values, cols, rows, shape)) with None for what
// is not wanted; None if the problem cannot be evaluated.
nb::object Evaluate(Problem& problem, nb::handle parameter_blocks,
                    nb::handle residual_blocks, bool apply_loss_function,
                    int num_threads, bool residuals, bool gradient,
                    bool jacobian) {
  const Problem::Use use(&problem);
  const auto options =
      ToEvaluateOptions(problem, parameter_blocks, residual_blocks,
                        apply_loss_function, num_threads);
  double cost = 0.0;
  std::vector<double> residual_values;
  std::vector<double> gradient_values;
  ceres::CRSMatrix matrix;
  bool succeeded;
  {
    const WithoutGil released;
    succeeded = problem.get().Evaluate(
        options, &cost, residuals ? &residual_values : nullptr,
        gradient ? &gradient_values : nullptr, jacobian ? &matrix : nullptr);
  }
  FlushLog();
  if (!succeeded) return nb::none();
  nb::object crs = nb::none();
  if (jacobian) {
    crs = nb::make_tuple(ToArray(matrix.values), ToIntArray(matrix.cols),
                         ToIntArray(matrix.rows),
                         nb::make_tuple(matrix.num_rows, matrix.num_cols));
  }
  return nb::make_tuple(cost, residuals ? ToArray(residual_values) : nb::none(),
                        gradient ? ToArray(gradient_values) : nb::none(), crs);
}

int CheckedIndex(const Problem& problem, const double* values, int index) {
  if (index < 0 || index >= problem.get().ParameterBlockSize(values)) {
    RaiseValueError(
        "index: expected a number from 0 to " +
        std::to_string(problem.get().ParameterBlockSize(values) - 1) +
        ", got " + std::to_string(index) + ".");
  }
  return index;
}

void BindBlocks(nb::class_<Problem>& type) {
  type.def(
          "add_parameter_block", &Problem::AddParameterBlock, nb::arg("values"),
          nb::arg("size") = nb::none(), nb::arg("manifold") = nb::none(),
          "Adds the memory of an array as a parameter block. The solver writes "
          "the solution there.",
          nb::sig("def add_parameter_block(self, values: " VESTA_ARRAY
                  ", size: int | None = None, manifold: Manifold | None = "
                  "None) -> None"))
      .def("add_residual_block", &Problem::AddResidualBlock, nb::arg("cost"),
           nb::arg("loss").none(), nb::arg("parameters"),
           "Adds a residual block, and those of its parameter blocks that are "
           "not yet in the problem. The arrays are given one after the other "
           "or as one list.",
           nb::sig("def add_residual_block(self, cost: CostFunction, loss: "
                   "LossFunction | None, *parameters: " VESTA_ARRAY
                   " | typing.Sequence[" VESTA_ARRAY "]) -> ResidualBlock"))
      .def("_add_costs", &Problem::AddCosts, nb::arg("costs"),
           nb::arg("loss").none(), nb::arg("arrays"), nb::arg("indices"),
           nb::keep_alive<0, 1>(), "Adds the residual blocks of a batch.")
      .def("_add_sparse_rows", &Problem::AddSparseRows, nb::arg("evaluate"),
           nb::arg("values"), nb::arg("starts"), nb::arg("columns"),
           nb::arg("loss").none(), nb::keep_alive<0, 1>(),
           "Adds rows that depend on single numbers.")
      .def("set_evaluation_callback", &Problem::SetEvaluationCallback,
           nb::arg("callback").none(),
           "Calls callback(evaluate_jacobians, new_evaluation_point) before "
           "each evaluation. The arrays of the parameters then have the values "
           "of the point: the place for work that residual blocks share. None: "
           "no callback. A solve with inner iterations is refused.",
           nb::sig("def set_evaluation_callback(self, callback: "
                   "typing.Callable[[bool, bool], object] | None) -> None"))
      .def("remove_residual_block", &Problem::RemoveResidualBlock,
           nb::arg("residual_block"), "Removes a residual block.")
      .def(
          "remove_parameter_block",
          [](Problem& self, nb::handle values) {
            self.RemoveParameterBlock(self.Find(values, "values"));
          },
          nb::arg("values"),
          "Removes a parameter block and all residual blocks that use it.",
          nb::sig("def remove_parameter_block(self, values: " VESTA_ARRAY
                  ") -> None"));
}

void BindState(nb::class_<Problem>& type) {
  type.def(
          "set_parameter_block_constant",
          [](Problem& self, nb::handle values) {
            self.CheckIdle();
            self.get().SetParameterBlockConstant(self.Find(values, "values"));
          },
          nb::arg("values"), "Holds a parameter block constant.",
          nb::sig("def set_parameter_block_constant(self, values: " VESTA_ARRAY
                  ") -> None"))
      .def(
          "set_parameter_block_variable",
          [](Problem& self, nb::handle values) {
            self.CheckIdle();
            self.get().SetParameterBlockVariable(self.Find(values, "values"));
          },
          nb::arg("values"), "Lets a parameter block vary.",
          nb::sig("def set_parameter_block_variable(self, values: " VESTA_ARRAY
                  ") -> None"))
      .def(
          "is_parameter_block_constant",
          [](const Problem& self, nb::handle values) {
            return self.get().IsParameterBlockConstant(
                self.Find(values, "values"));
          },
          nb::arg("values"), "True if the block is constant.",
          nb::sig("def is_parameter_block_constant(self, values: " VESTA_ARRAY
                  ") -> bool"))
      .def(
          "set_manifold",
          [](Problem& self, nb::handle values, nb::handle manifold) {
            self.CheckIdle();
            self.SetManifold(self.Find(values, "values"), manifold, "manifold");
          },
          nb::arg("values"), nb::arg("manifold").none(),
          "Sets the manifold of a block; None: a Euclidean space.",
          nb::sig("def set_manifold(self, values: " VESTA_ARRAY
                  ", manifold: Manifold | None) -> None"))
      .def(
          "get_manifold",
          [](const Problem& self, nb::handle values) {
            return self.ManifoldObject(self.Find(values, "values"));
          },
          nb::arg("values"), "The manifold of a block, or None.",
          nb::sig("def get_manifold(self, values: " VESTA_ARRAY
                  ") -> Manifold | None"))
      .def(
          "has_manifold",
          [](const Problem& self, nb::handle values) {
            return self.get().HasManifold(self.Find(values, "values"));
          },
          nb::arg("values"), "True if the block has a manifold.",
          nb::sig("def has_manifold(self, values: " VESTA_ARRAY ") -> bool"));
}

void BindBounds(nb::class_<Problem>& type) {
  type.def(
          "set_parameter_lower_bound",
          [](Problem& self, nb::handle values, int index, double bound) {
            self.CheckIdle();
            double* const data = self.Find(values, "values");
            self.get().SetParameterLowerBound(
                data, CheckedIndex(self, data, index), bound);
          },
          nb::arg("values"), nb::arg("index"), nb::arg("lower_bound"),
          "Sets the lower bound of a coordinate.",
          nb::sig("def set_parameter_lower_bound(self, values: " VESTA_ARRAY
                  ", index: int, lower_bound: float) -> None"))
      .def(
          "set_parameter_upper_bound",
          [](Problem& self, nb::handle values, int index, double bound) {
            self.CheckIdle();
            double* const data = self.Find(values, "values");
            self.get().SetParameterUpperBound(
                data, CheckedIndex(self, data, index), bound);
          },
          nb::arg("values"), nb::arg("index"), nb::arg("upper_bound"),
          "Sets the upper bound of a coordinate.",
          nb::sig("def set_parameter_upper_bound(self, values: " VESTA_ARRAY
                  ", index: int, upper_bound: float) -> None"))
      .def(
          "get_parameter_lower_bound",
          [](const Problem& self, nb::handle values, int index) {
            double* const data = self.Find(values, "values");
            return self.get().GetParameterLowerBound(
                data, CheckedIndex(self, data, index));
          },
          nb::arg("values"), nb::arg("index"),
          "The lower bound of a coordinate.",
          nb::sig("def get_parameter_lower_bound(self, values: " VESTA_ARRAY
                  ", index: int) -> float"))
      .def(
          "get_parameter_upper_bound",
          [](const Problem& self, nb::handle values, int index) {
            double* const data = self.Find(values, "values");
            return self.get().GetParameterUpperBound(
                data, CheckedIndex(self, data, index));
          },
          nb::arg("values"), nb::arg("index"),
          "The upper bound of a coordinate.",
          nb::sig("def get_parameter_upper_bound(self, values: " VESTA_ARRAY
                  ", index: int) -> float"));
}

void BindSizes(nb::class_<Problem>& type) {
  type.def(
          "num_parameter_blocks",
          [](const Problem& p) { return p.get().NumParameterBlocks(); },
          "The number of parameter blocks.")
      .def(
          "num_parameters",
          [](const Problem& p) { return p.get().NumParameters(); },
          "The number of parameters.")
      .def(
          "num_residual_blocks",
          [](const Problem& p) { return p.get().NumResidualBlocks(); },
          "The number of residual blocks.")
      .def(
          "num_residuals",
          [](const Problem& p) { return p.get().NumResiduals(); },
          "The number of residuals.")
      .def(
          "parameter_block_size",
          [](const Problem& self, nb::handle values) {
            return self.get().ParameterBlockSize(self.Find(values, "values"));
          },
          nb::arg("values"), "The size of a block.",
          nb::sig("def parameter_block_size(self, values: " VESTA_ARRAY
                  ") -> int"))
      .def(
          "parameter_block_tangent_size",
          [](const Problem& self, nb::handle values) {
            return self.get().ParameterBlockTangentSize(
                self.Find(values, "values"));
          },
          nb::arg("values"), "The number of degrees of freedom of a block.",
          nb::sig("def parameter_block_tangent_size(self, values: " VESTA_ARRAY
                  ") -> int"))
      .def(
          "has_parameter_block",
          [](const Problem& self, nb::handle values) {
            return self.get().HasParameterBlock(
                WritableArray(values, "values").data);
          },
          nb::arg("values"), "True if the array is a block of the problem.",
          nb::sig("def has_parameter_block(self, values: " VESTA_ARRAY
                  ") -> bool"))
      .def(
          "residual_blocks",
          [](const Problem& self) {
            ResidualBlocks blocks;
            blocks.problem = &self;
            self.get().GetResidualBlocks(&blocks.ids);
            return blocks;
          },
          nb::keep_alive<0, 1>(), "All residual blocks.")
      .def(
          "release_preprocessing",
          [](Problem& self) {
            self.CheckIdle();
            self.get().ReleasePreprocessing();
          },
          "Frees the memory of SolverOptions.keep_preprocessing.")
      .def("_evaluate", &Evaluate, nb::arg("parameter_blocks").none(),
           nb::arg("residual_blocks").none(), nb::arg("apply_loss_function"),
           nb::arg("num_threads"), nb::arg("residuals"), nb::arg("gradient"),
           nb::arg("jacobian"), "See vesta.Problem.evaluate.");
}

void BindResidualBlocks(nb::module_& module) {
  nb::class_<ResidualBlock>(module, "ResidualBlock",
                            "A residual block of a problem.")
      .def(
          "__eq__",
          [](const ResidualBlock& a, nb::handle b) {
            ResidualBlock other;
            return nb::try_cast(b, other) && a.id == other.id &&
                   a.problem == other.problem;
          },
          nb::arg("other").none(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__hash__", [](const ResidualBlock& block) {
        return reinterpret_cast<intptr_t>(block.id) >> 4;
      });
  nb::class_<ResidualBlocks>(module, "ResidualBlocks",
                             "Residual blocks of a batch, in order of rows.")
      .def("__len__",
           [](const ResidualBlocks& blocks) { return blocks.ids.size(); })
      .def("__getitem__", [](const ResidualBlocks& blocks, Py_ssize_t i) {
        const auto size = static_cast<Py_ssize_t>(blocks.ids.size());
        if (i < 0) i += size;
        if (i < 0 || i >= size) throw nb::index_error();
        return ResidualBlock{blocks.ids[static_cast<size_t>(i)],
                             blocks.problem};
      });
  nb::class_<CostBatch>(module, "CostBatch",
                        "Cost functions of one kind, one per row of data. "
                        "Problem.add_costs adds them.")
      .def("__len__",
           [](const CostBatch& batch) { return batch.rows->num_rows(); })
      .def_prop_ro(
          "num_residuals",
          [](const CostBatch& b) { return b.rows->num_residuals(); },
          "The number of residuals of a row.")
      .def_prop_ro(
          "parameter_block_sizes",
          [](const CostBatch& b) { return b.rows->parameter_block_sizes(); },
          "The sizes of the parameter blocks of a row.")
      .def(
          "evaluate",
          [](const CostBatch& batch, int64_t row, nb::args parameters) {
            if (row < 0 || row >= batch.rows->num_rows()) {
              throw nb::index_error(("row: the batch has " +
                                     std::to_string(batch.rows->num_rows()) +
                                     " rows, got row " + std::to_string(row) +
                                     ".")
                                        .c_str());
            }
            const auto cost = SingleRow(batch.rows, row);
            return nb::cast(cost.get(), nb::rv_policy::reference)(*parameters);
          },
          nb::arg("row"), nb::arg("parameters"),
          "The residuals and Jacobians of one row.",
          nb::sig("def evaluate(self, row: int, *parameters: "
                  "numpy.typing.ArrayLike) -> tuple[typing.Any, "
                  "list[typing.Any]]"));
  module.def("_python_batch", &MakePythonBatch, nb::arg("evaluate"),
             nb::arg("num_rows"), nb::arg("num_residuals"), nb::arg("sizes"));
  module.def("_compiled_batch", &MakeCompiledBatch, nb::arg("address"),
             nb::arg("num_residuals"), nb::arg("sizes"), nb::arg("data"),
             nb::arg("has_jacobian"), nb::arg("alive").none());
}

}  // namespace

void BindProblem(nb::module_& module) {
  BindResidualBlocks(module);
  BindConstraints(module);
  nb::class_<Problem> type(
      module, "Problem", nb::type_slots(problem_slots), nb::dynamic_attr(),
      "A robustified, bounds-constrained nonlinear least-squares problem.");
  type.def(nb::init<bool>(), nb::arg("enable_fast_removal") = false,
           "enable_fast_removal: removing parameter blocks takes time "
           "proportional to their residual blocks.");
  BindBlocks(type);
  BindState(type);
  BindBounds(type);
  BindSizes(type);
  BindConstraints(type);
}

}  // namespace vesta::python
