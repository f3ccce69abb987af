// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_LINEARIZED_PRIOR_H_
#define CERES_PUBLIC_LINEARIZED_PRIOR_H_

// What marginalization leaves. An extension: see docs/solving/extensions.md.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"
#include "ceres/internal/export.h"
#include "ceres/manifold.h"

namespace ceres {

// A Gaussian prior on several parameter blocks in square-root form: the
// residuals
//
//   A (x boxminus x0) + b
//
//   x boxminus x0   the Minus(x_k, x0_k) of all blocks, one below the other;
//                   x_k - x0_k if block k has no manifold
//   A, b            r x n and r values, n the sum of the tangent sizes
//
// In a neighbourhood of x0 the cost is that of a normal distribution with
// information matrix A'A (singular if r < n: some directions are free). The
// cost function has r residuals and one parameter block for each block.
//
// Jacobians. Let T be the derivative of Minus(Plus(x, delta), x0) with respect
// to delta at 0. The Jacobian of block k in tangent coordinates is A_k T. T is
// the identity at x = x0, without manifold and for a SubsetManifold; else it is
// a difference quotient of fourth order, with a relative error of about 1e-12.
// MinusJacobian turns A_k T into ambient coordinates.
//
// Evaluate returns false if a function of a manifold does. Thread safety:
// immutable; the manifolds must be so, too.
class CERES_EXPORT LinearizedPrior final : public CostFunction {
 public:
  // A parameter block of the prior.
  struct Block {
    // x0, in ambient coordinates.
    Vector point;
    // Null: a Euclidean space. Not owned; must outlive the prior. Must be the
    // manifold that the parameter block has in the problem, or equal it.
    const Manifold* manifold = nullptr;
  };

  // A prior on some of the blocks of another one; see Sparsify.
  struct Part {
    // Indices of the blocks, in the order of the part's own blocks.
    std::vector<int> blocks;
    std::unique_ptr<LinearizedPrior> prior;
  };

  // Pairs of different blocks, by index.
  using Pattern = std::vector<std::pair<int, int>>;

  // Checks that there is a row and a block, that A has one row for each value
  // of b and one column for each tangent coordinate, and that points have the
  // ambient sizes of their manifolds and at least one coordinate.
  LinearizedPrior(Matrix A, Vector b, std::vector<Block> blocks);

  // A, b, and the blocks with their points.
  const Matrix& A() const { return A_; }
  const Vector& b() const { return b_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  // The first column of block k in A; for k = blocks().size() the number of
  // columns.
  int first_column(int k) const { return first_column_[k]; }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

  // The prior in a file format. Binary: little-endian, with a version and a
  // checksum. JSON (RFC 8259): an object with the members "format", "version",
  // "blocks", "A" and "b"; reading it gives the same bits, in every locale.
  // Manifolds are not written. The string is empty if a number is not finite:
  // `error` says so, or the log if it is null.
  std::string ToBinary(std::string* error = nullptr) const;
  std::string ToJson(std::string* error = nullptr) const;

  // Reads what ToBinary and ToJson write, of this version or an earlier one.
  // manifolds: one for each block, null for a Euclidean one; empty: all are
  // Euclidean. Returns null and says why if the data are damaged, of another
  // format or version, have values that are not finite, or do not have the
  // sizes of the manifolds. `error` must not be null.
  static std::unique_ptr<LinearizedPrior> FromBinary(
      const std::string& data, const std::vector<const Manifold*>& manifolds,
      std::string* error);
  static std::unique_ptr<LinearizedPrior> FromJson(
      const std::string& json, const std::vector<const Manifold*>& manifolds,
      std::string* error);

  // Approximates the prior by several ones with fewer blocks each. The
  // information matrix of all parts together has off-diagonal blocks for the
  // pairs of the pattern only. Of all normal distributions with this property
  // it has the least Kullback-Leibler divergence from the prior to it: its mean
  // and its covariances of the pairs are those of the prior (Dempster,
  // "Covariance Selection", Biometrics 28, 1972).
  //
  // There is one part for each block: the distribution of the block, given
  // later ones. If the graph of the pairs is chordal, for example a tree, the
  // parts are found in closed form, and a part of a tree has at most two
  // blocks. Otherwise the covariances come from iterative proportional fitting
  // (Speed and Kiiveri, Annals of Statistics 14, 1986), and parts may have the
  // blocks of a chordal completion of the graph.
  //
  // Returns false and says why if A does not have full column rank (there are
  // no covariances) or if the iteration does not converge. Checks that the
  // pairs are of different blocks of the prior, and that outputs are not null.
  bool Sparsify(const Pattern& pattern, std::vector<Part>* parts,
                std::string* error) const;

  // The tree whose approximation by Sparsify has the least divergence of all
  // trees: the spanning tree with most mutual information (Chow and Liu, IEEE
  // Transactions on Information Theory 14, 1968). Returns false and says why if
  // A does not have full column rank.
  bool ChowLiuTree(Pattern* tree, std::string* error) const;

 private:
  bool TangentDifference(double const* const* parameters,
                         Vector* difference) const;
  bool BlockJacobian(int k, const double* x, double* jacobian) const;

  Matrix A_;
  Vector b_;
  std::vector<Block> blocks_;
  std::vector<int> first_column_;  // by block, +1
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_LINEARIZED_PRIOR_H_
