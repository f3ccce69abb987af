// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves one problem on many machines, over MPI. Needs the library
// Ceres::distributed (find_package(Ceres COMPONENTS distributed)).

#ifndef CERES_PUBLIC_DISTRIBUTED_H_
#define CERES_PUBLIC_DISTRIBUTED_H_

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/types.h"

namespace ceres::distributed {

// The parts of a rank's problem that the other ranks must know: which parameter
// blocks they have too, and how its residual blocks are grouped for sums.
//
// A parameter block is *shared* if it is added here, and otherwise *private* to
// its rank. Ranks that add a block with the same id mean the same block: on all
// of them it must have the same size, manifold, bounds and values, and be
// constant or variable. distributed::Solve checks this.
//
// Leaves make results independent of the number of ranks. A leaf is a set of
// residual blocks that stay together on one rank, for example those of some
// thousand points. Sums over residual blocks are formed leaf by leaf, and
// leaves are added up in a fixed binary tree. A result has the same bits for
// every number of ranks and threads if the leaves are the same: the same
// residual blocks, added in the same order, under the same leaf numbers.
// Without BeginLeaf, each rank is a leaf.
//
//   SharedBlocks shared;
//   for (each leaf of this rank) {
//     shared.BeginLeaf(leaf, problem);
//     for (each observation of the leaf) {
//       problem.AddResidualBlock(cost, loss, camera[c], point[p]);
//     }
//   }
//   for (each camera of this rank) shared.Add(camera_id, camera);
//
// Not thread-safe.
class SharedBlocks {
 public:
  // Declares that the parameter block at `values` is the shared block `id`. Ids
  // are chosen by the user; any value is allowed. CHECK: neither the id nor the
  // block was added before.
  void Add(std::int64_t id, double* values);

  // Begins a leaf: residual blocks that are added to `problem` after this call
  // are in the leaf, until the next call. Residual blocks that were added
  // before the first call are in the leaf of the first call. No residual block
  // may be removed from the problem afterwards. leaf: not negative, and on no
  // other rank. Leaf numbers need not be dense or ascending. CHECK: leaf >= 0,
  // and the leaf was not begun before.
  void BeginLeaf(int leaf, const Problem& problem);

  // The number of shared blocks that were added.
  int size() const { return static_cast<int>(blocks_.size()); }
  // The shared blocks in the order of Add: id, and address of the values.
  const std::vector<std::pair<std::int64_t, double*>>& blocks() const {
    return blocks_;
  }
  // Leaves in the order of BeginLeaf: number, and the number of residual blocks
  // that the problem had.
  const std::vector<std::pair<int, int>>& leaves() const { return leaves_; }

 private:
  std::vector<std::pair<std::int64_t, double*>> blocks_;
  std::unordered_map<std::int64_t, double*> values_of_id_;
  std::unordered_map<const double*, std::int64_t> id_of_values_;
  std::vector<std::pair<int, int>> leaves_;
};

// How the reduced system is solved, see Options::reduced_solver.
enum class ReducedSolver {
  // Chosen by counting, for SPARSE_SCHUR: GATHERED if the reduced matrix has
  // at most 1 GB; PETSC_CG_SHELL if it has more than
  // max_reduced_matrix_gigabytes for each rank (without PETSc: REPLICATED_CG
  // that ends at the same residual); otherwise PETSC_MUMPS. ITERATIVE_SCHUR:
  // REPLICATED_CG. DENSE_SCHUR: GATHERED.
  AUTOMATIC,
  // DENSE_SCHUR, SPARSE_SCHUR: rank 0 gathers the matrix, factors it, and sends
  // the solution to all ranks. The bits do not depend on the number of ranks.
  GATHERED,
  // ITERATIVE_SCHUR: all ranks run the same conjugate gradients; a product is a
  // sum over leaves. The bits do not depend on the number of ranks.
  REPLICATED_CG,
  // The matrix is distributed by block rows and solved by PETSc: conjugate
  // gradients with the inverse diagonal blocks as preconditioner, or with
  // algebraic multigrid (GAMG); or a Cholesky factorization by MUMPS. With
  // SPARSE_SCHUR, conjugate gradients end at a relative residual of 1e-12, with
  // ITERATIVE_SCHUR at Options::eta. preconditioner_type is not read. The bits
  // depend on the number of ranks.
  PETSC_CG_BLOCK_JACOBI,
  PETSC_CG_GAMG,
  PETSC_MUMPS,
  // The matrix is not formed. PETSc's conjugate gradients on distributed
  // vectors; a product is a sum over leaves. Preconditioned by the inverse
  // diagonal blocks: with SPARSE_SCHUR those of the matrix, with
  // ITERATIVE_SCHUR by preconditioner_type. Ends as PETSC_CG_BLOCK_JACOBI does.
  PETSC_CG_SHELL,
};

// Whether the library was built with PETSc.
bool HasPetsc();

// The options of a distributed solve: those of ceres::Solve, and some more.
// All ranks must set the same values, except num_threads, executor, callbacks,
// cancellation_token and the options about logging. distributed::Solve detects
// a difference and names the option.
//
// linear_solver_ordering: the blocks of the lowest group of a rank's ordering
// are eliminated on the rank. They must be private, and no residual block may
// use two of them. Higher groups do not matter. Null: chosen by the library.
//
// These options are refused, because they do not work over ranks:
//
//   minimizer_type = LINE_SEARCH
//   linear_solver_type other than DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR,
//     CGNR
//   preconditioner_type other than JACOBI and SCHUR_JACOBI, for
//     ITERATIVE_SCHUR; other than JACOBI and IDENTITY, for CGNR
//   use_explicit_schur_complement with ITERATIVE_SCHUR, unless reduced_solver
//     forms the matrix: PETSC_CG_BLOCK_JACOBI, PETSC_CG_GAMG
//   min_linear_solver_iterations with ITERATIVE_SCHUR, and
//     use_mixed_precision_solves, for a reduced_solver of PETSc
//   jacobian_storage other than DOUBLE and AUTO
//   use_inner_iterations, dynamic_sparsity, check_gradients,
//   use_spse_initialization, keep_progress_on_exception, keep_preprocessing,
//   trust_region_minimizer_iterations_to_dump
struct Options : Solver::Options {
  // SPARSE_SCHUR; otherwise the defaults of Solver::Options.
  Options() { linear_solver_type = SPARSE_SCHUR; }
  // Takes all options of ceres::Solve.
  explicit Options(const Solver::Options& options) : Solver::Options(options) {}

  // How the reduced system is solved; CGNR has none. GATHERED needs DENSE_SCHUR
  // or SPARSE_SCHUR, REPLICATED_CG needs ITERATIVE_SCHUR, PETSC_CG_* need
  // SPARSE_SCHUR or ITERATIVE_SCHUR, and PETSC_MUMPS needs SPARSE_SCHUR.
  ReducedSolver reduced_solver = ReducedSolver::AUTOMATIC;

  // AUTOMATIC does not form a reduced matrix whose upper triangle has more GB
  // (10^9 bytes) than this for each rank. Positive.
  double max_reduced_matrix_gigabytes = 8.0;

  // A rank that waits for another one for this long prints a message and ends
  // the job by MPI_Abort. Must exceed the longest time by which ranks differ in
  // one evaluation. Default 10 minutes. 0: waits without a limit.
  double communication_timeout_in_seconds = 600.0;

  // The path of the files in which the state of the solve is saved. A later
  // call with the same problem, start values, options and number of ranks
  // continues from this state, and takes the same further steps. Empty: no
  // state is saved. Set the path on all ranks or on none.
  //
  // Rank 0 writes the file checkpoint_path, and rank R of N writes
  // checkpoint_path.R-of-N.a and .b; the path may be on a disk of the machine.
  // Files are replaced in such a way that a job that dies at any time leaves a
  // complete state. A file that is damaged or of another solve is refused: the
  // solve returns FAILURE with a message. Files remain after the solve: a later
  // call with the same path continues. Remove them, or use another path, to
  // start anew. max_num_iterations, max_solver_time_in_seconds, num_threads and
  // the options about logging may differ.
  std::string checkpoint_path;
  // The state is saved at the start, and after the first accepted step that is
  // at least this many iterations later than the last save.
  int checkpoint_period = 10;
};

// What one rank did. Times are wall times in seconds.
struct RankSummary {
  int num_residual_blocks = 0;         // that depend on a variable block
  int num_private_blocks = 0;          // variable and used
  int num_shared_blocks = 0;           // variable and used, on any rank
  int num_leaves = 0;                  // see SharedBlocks::BeginLeaf
  double evaluation_seconds = 0.0;     // residuals and Jacobians
  double elimination_seconds = 0.0;    // of private blocks, and their steps
  double reduced_solve_seconds = 0.0;  // factorization or conjugate gradients
  double waiting_seconds = 0.0;        // in communication
  // Bytes that the rank handed to MPI for other ranks, by phase.
  std::int64_t setup_bytes = 0;           // before the first iteration
  std::int64_t evaluation_bytes = 0;      // cost, gradient, column norms
  std::int64_t reduced_system_bytes = 0;  // reduced matrix and right-hand side
  std::int64_t step_bytes = 0;            // step, and products of iterations
  std::int64_t decision_bytes = 0;        // norms, limits, agreement

  // The sum of the bytes of all phases.
  std::int64_t total_bytes() const {
    return setup_bytes + evaluation_bytes + reduced_system_bytes + step_bytes +
           decision_bytes;
  }
};

// The summary of ceres::Solve, and the work of each rank. All ranks get the
// same summary, except for times and for num_threads_*. Sizes (num_residuals,
// num_parameters, ...) are those of the whole problem: a shared block counts
// once.
struct Summary : Solver::Summary {
  // As for Solver::Summary, followed by a table of ranks.
  std::string FullReport() const;
  // As for Solver::Summary, with one more member "ranks".
  std::string ToJson() const;
  // The largest over the average time of evaluations and eliminations of a
  // rank: 1 if all ranks have the same work.
  double Imbalance() const;

  int rank = -1;  // of the caller
  // By rank, of all ranks, if the minimizer ran.
  std::vector<RankSummary> ranks;
  // How the reduced system was solved, and why.
  std::string reduced_system;
  // The iteration of the checkpoint from which the solve went on; -1: none.
  // Iterations and counts are those of both jobs, times those of the last.
  int continued_from_iteration = -1;
};

// Minimizes the cost of the residual blocks of all ranks. Collective: all ranks
// of `comm` call it with the same options.
//
// Each rank's problem has the rank's residual blocks. Private blocks that share
// no residual block with another private block are eliminated on their rank, by
// the number of threads that options.num_threads gives. What remains (shared
// blocks, and the other private blocks) forms the reduced system. It is summed
// over ranks and solved, see Summary::reduced_system.
//
// Takes the steps of ceres::Solve on the union of the problems, up to rounding,
// and takes the same decisions on all ranks. After a usable solution the
// parameters of all ranks have the solution, shared blocks on all ranks that
// have them. Otherwise they have their values from before the call.
//
// If one rank cannot go on (wrong arguments, an evaluation that fails at the
// start, an exception of user code), all ranks return FAILURE with the same
// message, which names the rank. An exception of user code does not leave this
// function. max_solver_time_in_seconds, a cancellation token or a callback of
// any rank ends the solve on all ranks. If a rank dies or hangs, the others end
// the job after communication_timeout_in_seconds.
//
// problem, summary: not null. MPI must be initialized, with at least
// MPI_THREAD_FUNNELED if options.num_threads > 1. MPI is called from the
// calling thread only, on a duplicate of `comm`. The evaluation callback of a
// rank's problem is called on the rank, before each of its evaluations.
void Solve(const Options& options, MPI_Comm comm, const SharedBlocks& shared,
           Problem* problem, Summary* summary);

// The covariance of shared blocks: blocks of (J'J)^-1 at the values of the
// parameters, where J is the Jacobian of the residual blocks of all ranks,
// after losses and manifolds. As with ceres::Covariance, residuals should be
// scaled to variance 1, and J must have full rank: fix the gauge by constant
// blocks or by priors.
//
// Computed from the reduced system: (J'J)^-1 restricted to its columns is S^-1.
// Rank 0 gathers S, factors it, and solves for the columns that are asked for.
class Covariance {
 public:
  // Computes the blocks of pairs of ids. Collective: all ranks name the same
  // pairs in the same order. Reads of `options` the number of threads, the
  // sparse library and its ordering, and the timeout; linear_solver_type must
  // be SPARSE_SCHUR, the default, and reduced_solver AUTOMATIC or GATHERED.
  // Returns false on all ranks, with the same error, if an id is not shared,
  // constant or not used by a residual block, or if J is rank deficient.
  bool Compute(const Options& options, MPI_Comm comm,
               const SharedBlocks& shared,
               const std::vector<std::pair<std::int64_t, std::int64_t>>& blocks,
               Problem* problem, std::string* error);

  // Writes the block of two ids, in the tangent spaces of their manifolds:
  // tangent size of `a` times tangent size of `b`, row-major. Not collective.
  // Returns false if the last Compute did not compute the pair (a, b) or (b,
  // a), or failed.
  bool GetCovarianceBlockInTangentSpace(std::int64_t a, std::int64_t b,
                                        double* block) const;

 private:
  struct Block {
    int rows = 0;
    int columns = 0;
    std::vector<double> values;  // row-major
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Block> blocks_;
};

// An observation of a point by a camera (or another shared block), for
// PartitionByPoints and PartitionByMetis.
struct Observation {
  int camera;  // its index, from 0
  int point;   // its index, from 0
};

// A partition of points. Leaf l has the points
// points[first_point[l] .. first_point[l + 1]), and rank r has the leaves
// first_leaf[r] .. first_leaf[r + 1] - 1.
struct Partition {
  std::vector<int> points;       // the observed points, leaf by leaf
  std::vector<int> first_point;  // by leaf, +1
  std::vector<int> first_leaf;   // by rank, +1
};

// Splits points so that each leaf has about the same number of observations,
// and sees few cameras: points are sorted by the median of the cameras that see
// them, and cut. Works well if cameras with near numbers see the same points,
// as in a sequence of images.
//
// num_leaves: the leaves, and therefore the bits of a solve, do not depend on
// the number of ranks as long as num_leaves is the same. 0: the smallest power
// of two that is at least 8 and at least num_ranks. CHECK: num_ranks >= 1,
// num_leaves is 0 or at least num_ranks, and indices are not negative.
Partition PartitionByPoints(const std::vector<Observation>& observations,
                            int num_ranks, int num_leaves = 0);

// Whether the library was built with METIS.
bool HasMetis();

// As PartitionByPoints, for cameras whose numbers say nothing about what they
// see: METIS bisects the graph of points and cameras, so that few observations
// are cut and leaves have about the same number of observations. Leaves that
// see the same cameras have near numbers. Takes some seconds for a million
// observations, and about 50 bytes for each.
//
// CHECK: HasMetis(), and as PartitionByPoints; at most 2^30 observations.
//
// G. Karypis, V. Kumar, A Fast and High Quality Multilevel Scheme for
// Partitioning Irregular Graphs, SIAM J. Sci. Comput. 20, 1998.
Partition PartitionByMetis(const std::vector<Observation>& observations,
                           int num_ranks, int num_leaves = 0);

}  // namespace ceres::distributed

#endif  // CERES_PUBLIC_DISTRIBUTED_H_
