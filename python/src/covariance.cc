// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance.h"

#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fields.h"
#include "problem.h"
#include "running.h"

namespace vesta::python {
namespace {

using Options = ceres::Covariance::Options;
using Pair = std::pair<const double*, const double*>;

struct Sizes {
  int ambient;
  int tangent;
};

// A covariance with what is needed to check the arguments of its functions.
class Covariance {
 public:
  explicit Covariance(const Options& options)
      : options_(options), covariance_(options) {}

  bool Compute(nb::handle blocks, Problem& problem) {
    const Problem::Use use(&problem);
    computed_.clear();
    sizes_.clear();
    if (options_.num_threads < 1) {
      RaiseValueError("CovarianceOptions.num_threads: expected a number > 0.");
    }
    std::vector<Pair> pairs;
    for (nb::handle pair : blocks) {
      if (nb::len(pair) != 2) {
        RaiseValueError("blocks: expected pairs of arrays.");
      }
      const double* const a = Find(pair[0], problem);
      const double* const b = Find(pair[1], problem);
      if (computed_.count({a, b}) != 0) continue;
      pairs.push_back({a, b});
      computed_.insert({a, b});
      computed_.insert({b, a});
    }
    bool succeeded;
    {
      const WithoutGil released;
      succeeded = covariance_.Compute(pairs, &problem.get());
    }
    FlushLog();
    if (!succeeded) computed_.clear();
    return succeeded;
  }

  nb::object Block(nb::handle a, nb::handle b, bool tangent) const {
    const double* const block_a = ReadableArray(a, "block1").data;
    const double* const block_b = ReadableArray(b, "block2").data;
    if (computed_.count({block_a, block_b}) == 0) {
      RaiseValueError(
          "The covariance of these blocks was not computed. Pass "
          "the pair to compute(), and check its result.");
    }
    const Sizes rows = sizes_.at(block_a);
    const Sizes columns = sizes_.at(block_b);
    double* data;
    nb::object result = NewArray({tangent ? rows.tangent : rows.ambient,
                                  tangent ? columns.tangent : columns.ambient},
                                 &data);
    if (tangent) {
      covariance_.GetCovarianceBlockInTangentSpace(block_a, block_b, data);
    } else {
      covariance_.GetCovarianceBlock(block_a, block_b, data);
    }
    return result;
  }

 private:
  const double* Find(nb::handle values, const Problem& problem) {
    const double* const block = problem.Find(values, "blocks");
    sizes_[block] = {problem.get().ParameterBlockSize(block),
                     problem.get().ParameterBlockTangentSize(block)};
    return block;
  }

  Options options_;
  ceres::Covariance covariance_;
  std::set<Pair> computed_;
  std::unordered_map<const double*, Sizes> sizes_;
};

}  // namespace

void BindCovariance(nb::module_& module) {
  nb::class_<Options> type(module, "CovarianceOptions",
                           "The options of a covariance.");
  type.def(
      "__init__",
      [](Options* self, const nb::kwargs& values) {
        new (self) Options();
        self->sparse_linear_algebra_library_type = ceres::NATIVE_SPARSE;
        SetFields(self, values, "CovarianceOptions");
      },
      nb::sig("def __init__(self, **options: object) -> None"));
  Fields<Options> field(&type, true);
  field("algorithm_type", &Options::algorithm_type,
        "SPARSE_QR, SPARSE_CHOLESKY or DENSE_SVD.")(
      "sparse_linear_algebra_library_type",
      &Options::sparse_linear_algebra_library_type,
      "SPARSE_QR: the library that finds the order of elimination.")(
      "column_pivot_threshold", &Options::column_pivot_threshold,
      "SPARSE_QR: smallest norm of an independent column; negative: chosen.")(
      "min_reciprocal_condition_number",
      &Options::min_reciprocal_condition_number,
      "DENSE_SVD, SPARSE_CHOLESKY: the limit on the condition.")(
      "null_space_rank", &Options::null_space_rank,
      "DENSE_SVD: the number of directions left out; negative: as needed.")(
      "num_threads", &Options::num_threads, "The number of threads; > 0.")(
      "apply_loss_function", &Options::apply_loss_function,
      "Whether the loss functions apply.");
  BindFieldFunctions(&type, "CovarianceOptions");
  nb::class_<Covariance>(
      module, "Covariance",
      "The covariance (J'J)^-1 of the parameters of a solved problem.")
      .def(
          "__init__",
          [](Covariance* self, nb::handle options) {
            Options defaults;
            defaults.sparse_linear_algebra_library_type = ceres::NATIVE_SPARSE;
            if (!options.is_none()) defaults = nb::cast<Options>(options);
            new (self) Covariance(defaults);
          },
          nb::arg("options") = nb::none(),
          nb::sig("def __init__(self, options: CovarianceOptions | None = "
                  "None) -> None"))
      .def("compute", &Covariance::Compute, nb::arg("blocks"),
           nb::arg("problem"),
           "Computes the covariances of pairs of parameter blocks. False if J "
           "lacks the rank; the reason is logged.",
           nb::sig("def compute(self, blocks: typing.Iterable[typing.Any], "
                   "problem: Problem) -> bool"))
      .def(
          "get_covariance_block",
          [](const Covariance& self, nb::handle a, nb::handle b) {
            return self.Block(a, b, false);
          },
          nb::arg("block1"), nb::arg("block2"),
          "The covariance of two blocks, in ambient coordinates.",
          nb::sig("def get_covariance_block(self, block1: "
                  "numpy.typing.NDArray[numpy.float64], block2: "
                  "numpy.typing.NDArray[numpy.float64]) -> "
                  "numpy.typing.NDArray[numpy.float64]"))
      .def(
          "get_covariance_block_in_tangent_space",
          [](const Covariance& self, nb::handle a, nb::handle b) {
            return self.Block(a, b, true);
          },
          nb::arg("block1"), nb::arg("block2"),
          "The covariance of two blocks, in tangent coordinates.",
          nb::sig("def get_covariance_block_in_tangent_space(self, block1: "
                  "numpy.typing.NDArray[numpy.float64], block2: "
                  "numpy.typing.NDArray[numpy.float64]) -> "
                  "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace vesta::python
