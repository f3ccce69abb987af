// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_
#define CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_

#include <string>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/types.h"

namespace ceres::internal {

// The order in which to eliminate the blocks of a symmetric matrix so that its
// Cholesky factor stays sparse, found on the graph of the blocks (some 36 to 81
// times fewer entries than the scalars'). order[k] is the k-th block.
//
// AMD: approximate minimum degree (Amestoy, Davis and Duff, SIAM J. Matrix
// Analysis and Applications 17, 1996). NESDIS: multilevel nested dissection
// (Karypis and Kumar, SIAM J. Scientific Computing 20, 1998).
// `group`: null, or an elimination group per block; a block is ordered after
// the blocks of lower groups with which it has to do (constrained AMD where
// the library has it).

#ifndef CERES_NO_SUITESPARSE
// By CHOLMOD, and postordered, so that what becomes one supernode is
// contiguous: the same fill, other places. An empty result means that CHOLMOD
// failed; `message` says why.
std::vector<int> CholmodOrdering(const BlockSymmetricStructure& structure,
                                 LinearSolverOrderingType type,
                                 const std::vector<int>* group,
                                 std::string* message);
#endif

// For the native factorization: of a graph of nodes of any size, by what of the
// above is in the build, AMD by MinimumDegree if nothing is. CHECKs that there
// is something for NESDIS.
std::vector<int> NativeOrdering(const SymmetricGraph& graph,
                                LinearSolverOrderingType type,
                                const std::vector<int>* group,
                                std::string* message);

// AMD, our own: on the quotient graph, with approximate degrees, element
// absorption, mass elimination and supervariables.
std::vector<int> MinimumDegree(const SymmetricGraph& graph);

#ifdef CERES_USE_EIGEN_SPARSE
// By Eigen and METIS. Groups are kept by a stable sort of the free ordering.
std::vector<int> EigenOrdering(const BlockSymmetricStructure& structure,
                               LinearSolverOrderingType type,
                               const std::vector<int>* group);
#endif

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_
