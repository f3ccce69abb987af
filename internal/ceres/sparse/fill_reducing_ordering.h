// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_
#define CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_

#include <mutex>
#include <string>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/types.h"

namespace ceres::internal {

// Fill-reducing orderings: the order in which to eliminate the blocks of a
// symmetric matrix so that its Cholesky factor is sparse. They are computed on
// the graph of blocks. The result: order[k] is the k-th block.
//
// AMD: approximate minimum degree (Amestoy, Davis and Duff, SIAM J. Matrix
// Analysis and Applications 17, 1996). NESDIS: multilevel nested dissection
// (Karypis and Kumar, SIAM J. Scientific Computing 20, 1998).
//
// group: null, or an elimination group per block. A block is ordered after the
// blocks of lower groups that are connected with it, by constrained AMD if the
// library has it.

#ifndef CERES_NO_SUITESPARSE
// By CHOLMOD, followed by a postorder, which makes supernodes contiguous and
// does not change the fill. Empty if CHOLMOD fails; `message` then says why.
std::vector<int> CholmodOrdering(const BlockSymmetricStructure& structure,
                                 LinearSolverOrderingType type,
                                 const std::vector<int>* group,
                                 std::string* message);
#endif

// For the native factorization: orders a graph by the library that is part of
// this build, or by MinimumDegree if there is none. CHECKs that the build has a
// library for NESDIS.
std::vector<int> NativeOrdering(const SymmetricGraph& graph,
                                LinearSolverOrderingType type,
                                const std::vector<int>* group,
                                std::string* message);

// AMD of this library: on the quotient graph, with approximate degrees, element
// absorption, mass elimination and supervariables.
std::vector<int> MinimumDegree(const SymmetricGraph& graph);

#ifdef CERES_USE_EIGEN_SPARSE
// By Eigen and METIS. A stable sort of the ordering puts lower groups first.
std::vector<int> EigenOrdering(const SymmetricGraph& graph,
                               LinearSolverOrderingType type,
                               const std::vector<int>* group);
#endif

// The ordering of the factorization by this library. Empty if the library
// fails; `message` then says why. CHECKs that the library is SUITE_SPARSE,
// EIGEN_SPARSE or NATIVE_SPARSE and part of the build.
std::vector<int> LibraryOrdering(SparseLinearAlgebraLibraryType library,
                                 const BlockSymmetricStructure& structure,
                                 LinearSolverOrderingType type,
                                 const std::vector<int>* group,
                                 std::string* message);

// Held while METIS runs, also inside CHOLMOD. METIS calls srand and rand, whose
// state is one for the process: two orderings at the same time would not be the
// same in every run. A program that calls rand at the same time still changes
// the ordering, and METIS changes its sequence.
inline std::mutex metis_mutex;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FILL_REDUCING_ORDERING_H_
