// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// LinearizedPrior::Sparsify and ChowLiuTree.
//
// The prior is a normal distribution of d = x boxminus x0 with covariance
// C = (A'A)^-1 and mean m = -C A'b. The best approximation with a given pattern
// has the same mean, and a covariance W that equals C at the pairs of the
// pattern and whose inverse is zero at other pairs. Eliminate the blocks in an
// order; let N(i) be the later neighbours of i in the graph with its fill. Then
//
//   p(d) = product over i of p(d_i | d_N(i)),
//   d_i | d_N(i) ~ normal(m_i + K (d_N - m_N), S),
//   K = W_iN W_NN^-1,   S = W_ii - K W_Ni,
//
// and the part of block i has the residuals S^-1/2 (d_i - m_i - K (d_N - m_N)).
// These formulas read W on cliques of the filled graph only. Without fill (the
// graph is chordal) these entries are those of C.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/QR"
#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/linearized_prior.h"
#include "ceres/logging/logging.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Covariance and mean of d, by block.
class Gaussian {
 public:
  // Returns false and says why if A does not have full column rank.
  bool Compute(const LinearizedPrior& prior, std::string* error) {
    prior_ = &prior;
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(MatrixXd(prior.A()));
    const int n = static_cast<int>(prior.A().cols());
    if (qr.rank() < n) {
      *error = internal::Format(
          "The prior has rank %d, but %s: covariances do "
          "not exist. Add a prior that fixes the free directions (for example "
          "the gauge), then marginalize and sparsify.",
          static_cast<int>(qr.rank()),
          internal::CountOf(n, "tangent coordinate").c_str());
      return false;
    }
    const MatrixXd inverse =
        qr.matrixR().topLeftCorner(n, n).triangularView<Eigen::Upper>().solve(
            MatrixXd::Identity(n, n));
    covariance = qr.colsPermutation() * (inverse * inverse.transpose()) *
                 qr.colsPermutation().transpose();
    mean = -qr.solve(VectorXd(prior.b()));
    return true;
  }

  // The rows of `matrix` that belong to the blocks.
  std::vector<int> Rows(const std::vector<int>& blocks) const {
    std::vector<int> rows;
    for (const int k : blocks) {
      for (int i = prior_->first_column(k); i < prior_->first_column(k + 1);
           ++i) {
        rows.push_back(i);
      }
    }
    return rows;
  }

  MatrixXd covariance;
  VectorXd mean;

 private:
  const LinearizedPrior* prior_ = nullptr;
};

MatrixXd Select(const MatrixXd& matrix, const std::vector<int>& rows,
                const std::vector<int>& columns) {
  MatrixXd selected(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      selected(i, j) = matrix(rows[i], columns[j]);
    }
  }
  return selected;
}

// An order of elimination, and N(i) for each block i.
struct Elimination {
  std::vector<int> order;
  std::vector<std::vector<int>> later;
  bool has_fill = false;
};

int CountFill(const std::vector<std::set<int>>& graph, int k) {
  int fill = 0;
  for (const int a : graph[k]) {
    for (const int b : graph[k]) fill += a < b && graph[a].count(b) == 0;
  }
  return fill;
}

// Eliminates the block that adds the fewest pairs next. This finds an order
// without fill if there is one: a chordal graph has a block whose neighbours
// are a clique (Dirac 1961), and remains chordal without it.
Elimination Eliminate(std::vector<std::set<int>> graph) {
  const int n = static_cast<int>(graph.size());
  Elimination elimination;
  elimination.later.resize(n);
  std::vector<bool> done(n, false);
  for (int step = 0; step < n; ++step) {
    int best = -1;
    int best_fill = 0;
    for (int k = 0; k < n; ++k) {
      if (done[k]) continue;
      const int fill = CountFill(graph, k);
      if (best < 0 || fill < best_fill)
        std::tie(best, best_fill) = std::pair(k, fill);
    }
    done[best] = true;
    elimination.has_fill |= best_fill > 0;
    elimination.order.push_back(best);
    elimination.later[best].assign(graph[best].begin(), graph[best].end());
    for (const int a : graph[best]) {
      graph[a].erase(best);
      for (const int b : graph[best]) {
        if (a != b) graph[a].insert(b);
      }
    }
  }
  return elimination;
}

// Iterative proportional fitting. W begins block diagonal; a step makes its
// entries of one pair those of C, and changes its inverse there only:
//
//   W += G (C_pp - W_pp) G',   G = W_:p W_pp^-1.
//
// Returns false if the entries of all pairs do not agree after many sweeps.
bool FitProportionally(const Gaussian& gaussian,
                       const LinearizedPrior::Pattern& pattern, int num_blocks,
                       MatrixXd* w) {
  constexpr int kMaxSweeps = 20000;
  constexpr double kTolerance = 1e-13;
  const MatrixXd& c = gaussian.covariance;
  *w = MatrixXd::Zero(c.rows(), c.cols());
  for (int k = 0; k < num_blocks; ++k) {
    for (const int i : gaussian.Rows({k})) {
      for (const int j : gaussian.Rows({k})) (*w)(i, j) = c(i, j);
    }
  }
  std::vector<int> all(c.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double largest_change = 0.0;
    for (const auto& [a, b] : pattern) {
      const std::vector<int> p = gaussian.Rows({a, b});
      const MatrixXd wanted = Select(c, p, p);
      const MatrixXd have = Select(*w, p, p);
      const Eigen::LLT<MatrixXd> llt(have);
      const MatrixXd g = llt.solve(Select(*w, p, all)).transpose();
      *w += g * (wanted - have) * g.transpose();
      const VectorXd scale = wanted.diagonal().cwiseSqrt().cwiseInverse();
      largest_change =
          std::max(largest_change,
                   (scale.asDiagonal() * (wanted - have) * scale.asDiagonal())
                       .cwiseAbs()
                       .maxCoeff());
    }
    if (largest_change <= kTolerance) return true;
  }
  return false;
}

// The part of block i, given the blocks of later[i].
LinearizedPrior::Part MakePart(const LinearizedPrior& prior,
                               const Gaussian& gaussian, const MatrixXd& w,
                               int i, const std::vector<int>& later) {
  const std::vector<int> own = gaussian.Rows({i});
  const std::vector<int> given = gaussian.Rows(later);
  MatrixXd gain(own.size(), given.size());
  MatrixXd s = Select(w, own, own);
  if (!given.empty()) {
    const MatrixXd cross = Select(w, given, own);
    gain = Select(w, given, given).llt().solve(cross).transpose();
    s -= gain * cross;
  }
  Matrix a(own.size(), own.size() + given.size());
  a.leftCols(own.size()).setIdentity();
  a.rightCols(given.size()) = -gain;
  // With S = L L', |L^-1 z|^2 = z' S^-1 z.
  a = Matrix(s.llt().matrixL().solve(MatrixXd(a)));
  LinearizedPrior::Part part;
  part.blocks = {i};
  part.blocks.insert(part.blocks.end(), later.begin(), later.end());
  const std::vector<int> rows = gaussian.Rows(part.blocks);
  Vector b = -a * Select(gaussian.mean, rows, {0}).col(0);
  std::vector<LinearizedPrior::Block> blocks;
  for (const int k : part.blocks) blocks.push_back(prior.blocks()[k]);
  part.prior = std::make_unique<LinearizedPrior>(std::move(a), std::move(b),
                                                 std::move(blocks));
  return part;
}

double LogDeterminant(const MatrixXd& m) {
  return 2.0 *
         m.llt().matrixLLT().diagonal().array().log().sum();  // of L, squared
}

}  // namespace

bool LinearizedPrior::Sparsify(const Pattern& pattern, std::vector<Part>* parts,
                               std::string* error) const {
  VESTA_CHECK(parts != nullptr && error != nullptr)
      << "LinearizedPrior::Sparsify was given a null output.";
  const int num_blocks = static_cast<int>(blocks_.size());
  std::vector<std::set<int>> graph(num_blocks);
  for (const auto& [a, b] : pattern) {
    VESTA_CHECK(a >= 0 && a < num_blocks && b >= 0 && b < num_blocks && a != b)
        << "LinearizedPrior::Sparsify was given the pair (" << a << ", " << b
        << "); the prior has " << internal::CountOf(num_blocks, "block") << ".";
    graph[a].insert(b);
    graph[b].insert(a);
  }
  Gaussian gaussian;
  if (!gaussian.Compute(*this, error)) return false;
  const Elimination elimination = Eliminate(std::move(graph));
  MatrixXd w;
  if (!elimination.has_fill) {
    w = gaussian.covariance;
  } else if (!FitProportionally(gaussian, pattern, num_blocks, &w)) {
    *error =
        "Iterative proportional fitting did not converge: the prior is too "
        "badly conditioned for this pattern. Add pairs until the graph is "
        "chordal, or use a tree.";
    return false;
  }
  parts->clear();
  for (const int i : elimination.order) {
    const int size = first_column_[i + 1] - first_column_[i];
    if (size == 0) continue;
    parts->push_back(MakePart(*this, gaussian, w, i, elimination.later[i]));
  }
  return true;
}

bool LinearizedPrior::ChowLiuTree(Pattern* tree, std::string* error) const {
  VESTA_CHECK(tree != nullptr && error != nullptr)
      << "LinearizedPrior::ChowLiuTree was given a null output.";
  Gaussian gaussian;
  if (!gaussian.Compute(*this, error)) return false;
  const int num_blocks = static_cast<int>(blocks_.size());
  const auto log_determinant = [&](const std::vector<int>& blocks) {
    const std::vector<int> rows = gaussian.Rows(blocks);
    return LogDeterminant(Select(gaussian.covariance, rows, rows));
  };
  std::vector<double> own(num_blocks);
  for (int k = 0; k < num_blocks; ++k) own[k] = log_determinant({k});
  // Prim's algorithm.
  tree->clear();
  std::vector<bool> in_tree(num_blocks, false);
  std::vector<double> best(num_blocks, -1.0);
  std::vector<int> partner(num_blocks, 0);
  int newest = 0;
  for (int step = 1; step < num_blocks; ++step) {
    in_tree[newest] = true;
    int next = -1;
    for (int k = 0; k < num_blocks; ++k) {
      if (in_tree[k]) continue;
      const double information =
          0.5 * (own[newest] + own[k] - log_determinant({newest, k}));
      if (information > best[k]) {
        best[k] = information;
        partner[k] = newest;
      }
      if (next < 0 || best[k] > best[next]) next = k;
    }
    tree->emplace_back(partner[next], next);
    newest = next;
  }
  return true;
}

}  // namespace ceres
