// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_
#define CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/schur_sums.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

class BlockSet;

// Which products of a problem's blocks are summed into a reduced matrix.
enum class ReducedMatrix {
  kSchurComplement,  // S = C - E'B^-1 E
  kRemainingBlocks,  // C, for the implicit product
};

// How a plan forms S.
enum class SchurFormation {
  kByCounting,  // see SchurPlan
  kCopies,
  kOwnerComputes,  // of kSchurComplement only
};

// Whether the places of all products are listed, or only of those that are in
// no batch (schur_sums.h): half of the plan, where all points are in batches
// and no row has a clique of its own. For a SchurEliminator that keeps no U.
enum class SchurPlaces { kAll, kNotInBatches };

// The symbolic half of Schur elimination: what each point sees, where every
// product goes, and the pattern of the reduced matrix. A function of the
// Jacobian's structure alone; immutable.
//
//   row chunks of rows  --merged-->  groups: each adds its products into a copy
//   of
//                               its own of the blocks that it touches
//   copies  --summed in group order, each block by one thread-->  the matrix
//
// The number of groups is the number of row chunks, halved while the copies
// take too much memory, V being that of the Jacobian: more than V / 8 in over
// kManyGroups groups, V / 2 in over kFewGroups (clearing and summing the copies
// would cost as much as filling them), and V (or kMaxSmallCopies) in fewer.
//
// Where fewer than kFewGroups would be left of more row chunks (unordered photo
// collections: every row chunk touches all of a dense S), owners compute
// instead:
//
//   row chunks of points  --factored-->  U and w of all points, kept (V in
//   memory) block row i of S  <--gathered by one thread, point after point--
//   all that
//                         touch block i: its products with blocks j >= i
//
// There is one copy then, and a term of it is added by the thread that owns its
// row. Any structure may be formed in this way, but of kSchurComplement only:
// C alone has few blocks.
//
// What both cost, counted in doubles that move to or from memory, n the
// observations (9 parameters a camera), q the products of two cameras, S one
// copy of the reduced matrix, g groups:
//
//   copies:          26 n  +  3 g S  +  176 q (once a copy exceeds the cache:
//                    a block is read and written for each product)
//   owners compute:  26 n + 54 n  +  20 n + 27 (n + q)  +  3 S
//
// so that owners lose where copies are small, draw level where these leave the
// cache, and win by the number of threads over g beyond. Measured (Xeon with 2
// MiB of L2, AVX-512, schur_benchmark, cameras drawn at random, elimination and
// assembly, milliseconds at 1 / 2 threads):
//
//   cameras  observations  groups  copies     owners compute
//        16          82 k      16  5.5 / 2.9  9.9 / 5.4
//       100         286 k       8   33 / 16    48 / 26
//       200         478 k       4   97 / 46   109 / 52
//       400         300 k       1   77 / 73    79 / 37
//      1000         957 k       1  422 / 451  439 / 205
//
// Four groups still are a seventh faster with two threads, but no more than
// four threads can work for them: hence the bound. Normal equations
// without points (pose graphs, 6 x 6, a chain with random loops, 40 k and 120 k
// rows, one group): copies 9.2 / 8.1 and 38 / 33, owners 9.6 / 4.9 and 44 / 23.
class SchurPlan {
 public:
  static constexpr int kManyGroups = 16;
  static constexpr int kFewGroups = 8;
  static constexpr int64_t kMaxSmallCopies = int64_t{1} << 21;  // doubles

  SchurPlan(const Execution& execution, const BlockJacobianStructure& structure,
            ReducedMatrix matrix, kernels::PointDiagonal diagonal,
            SchurFormation formation = SchurFormation::kByCounting,
            SchurPlaces places = SchurPlaces::kAll);

  // Points [begin, end), all of one shape.
  struct Run {
    int begin;
    int end;
    kernels::SchurShape shape;
    // Of the group's sums; empty where products are added point by point.
    SchurSums::Range batches = {};
  };
  // Some row chunks in a row: points with their rows, and rows that touch no
  // point.
  struct Stretch {
    int point_begin = 0;
    int point_end = 0;
    int row_begin = 0;
    int row_end = 0;
    int first_run = 0;  // into runs()
    int end_run = 0;
  };
  // One contribution to a block of the reduced matrix.
  struct Entry {
    int row;     // remaining blocks, counted from 0
    int column;  // >= row
    int line;    // in the group's copy
  };

  const BlockJacobianStructure& structure() const { return structure_; }
  int num_points() const { return structure_.num_eliminated; }
  int num_remaining_blocks() const {
    return structure_.num_column_blocks() - structure_.num_eliminated;
  }
  int width(int remaining_block) const {
    return structure_.column_size(structure_.num_eliminated + remaining_block);
  }
  int num_groups() const { return static_cast<int>(groups_.size()); }
  const Stretch& group(int g) const { return groups_[g]; }
  int num_row_chunks() const { return static_cast<int>(row_chunks_.size()); }
  const Stretch& row_chunk(int s) const { return row_chunks_[s]; }
  const std::vector<Run>& runs() const { return runs_; }
  // The products of a group's runs that have batches.
  kernels::SchurSums sums(int g) const { return group_sums_[g].View(); }
  int64_t max_batch_u_size() const { return max_batch_u_size_; }
  kernels::PointDiagonal diagonal() const { return diagonal_; }
  ReducedMatrix matrix() const { return matrix_; }

  // The reduced matrix's pattern, and for each of its entries the places of its
  // contributions: sources [first_source[k], first_source[k + 1]), doubles
  // from the start of the copies, in group order.
  const BlockSymmetricStructure& pattern() const { return pattern_; }
  const std::vector<int64_t>& first_source() const { return first_source_; }
  const std::vector<int64_t>& sources() const { return sources_; }
  // Group g's copy, in doubles.
  int64_t copy_begin(int g) const { return copy_begin_[g]; }
  int64_t copies_size() const { return copy_begin_.back(); }

  // Whether owners compute: then there is one group and one copy, and
  // gather_cost() is the cumulative cost of the block rows, + 1.
  bool owner_computes() const { return !row_begin_.empty(); }
  const std::vector<int64_t>& gather_cost() const { return gather_cost_; }
  // Points to this object.
  kernels::SchurGather Gather() const;

  // Without `values`. Points to this object and the structure.
  kernels::SchurView View() const;

  int64_t factor_size() const { return factor_offset_.back(); }
  int64_t u_size() const { return u_offset_.back(); }  // of all U kept
  int64_t max_u_size() const { return max_u_size_; }   // of one point
  int num_slots(int point) const {
    return first_slot_[point + 1] - first_slot_[point];
  }
  int max_eliminated_width() const { return max_eliminated_width_; }
  int max_width() const { return max_width_; }
  int max_residuals() const { return max_residuals_; }
  int max_point_residuals() const { return max_point_residuals_; }

  // Slots of points and their columns, for products with U.
  const std::vector<int>& first_slot() const { return first_slot_; }
  const std::vector<int>& slot_column() const { return slot_column_; }

 private:
  // For each remaining block i the cliques that it is in, and its slot there:
  // [first[i], first[i + 1]).
  struct Incidence {
    std::vector<int> first;
    std::vector<int> clique;
    std::vector<int> slot;
  };

  class PointColumns;

  // The stages of construction, in order.
  void FindSizes();
  void FindPointSlots(const Execution& execution);
  void AddRowCliques();
  void CutIntoStretches();
  void GroupRowChunks(const Execution& execution);
  void ChooseFormation(const Execution& execution, SchurFormation formation);
  void LayOutEntries();
  void SumProducts(const Execution& execution);
  void SumProductsOfGroup(int g, SchurSumsBuilder* builder);
  bool AllIsInBatches() const;
  void FillDestinations(const Execution& execution);
  void PlaceU();
  void FindTerms();
  void FindPattern();
  void FindRuns();

  int FillPointSlots(int point, int first_slot, PointColumns* columns);
  void AppendClique(const std::vector<int>& columns);
  kernels::SchurShape ShapeOf(int point, int num_slots,
                              const int* slot_column) const;
  std::vector<int> CliquesOf(const Stretch& stretch) const;
  Incidence FindIncidence(const Stretch& stretch) const;
  int num_cliques() const { return static_cast<int>(first_slot_.size()) - 1; }
  bool HasPairs(int clique) const;
  int EntrySize(int row, int column) const;
  template <typename F>
  void ForEachClique(const Stretch& stretch, const F& f) const;
  template <typename F>
  void ForEachProduct(int clique, const F& f) const;
  std::vector<Entry> ListTouchedBlocks(const Stretch& stretch,
                                       BlockSet* blocks) const;
  void MergeGroups(const Execution& execution);

  const BlockJacobianStructure& structure_;
  const ReducedMatrix matrix_;
  const kernels::PointDiagonal diagonal_;

  std::vector<kernels::SchurShape> shape_;  // by point
  std::vector<int> first_slot_ = {0};       // by clique, +1
  std::vector<int> slot_column_;
  std::vector<int> slot_offset_;
  PagedVector<int> cell_slot_;
  std::vector<int> row_clique_;  // empty: no row has one
  std::vector<int> slot_cell_;
  std::vector<int64_t> first_destination_;
  PagedVector<int> destination_;
  std::vector<int64_t> factor_offset_ = {0};
  std::vector<int64_t> u_offset_ = {0};

  std::vector<kernels::SchurTerm> terms_;  // by block row
  std::vector<int64_t> first_term_;
  std::vector<int64_t> row_begin_;  // in the copy; empty: no owner computes
  std::vector<int64_t> gather_cost_;

  std::vector<Run> runs_;
  std::vector<Stretch> row_chunks_;
  std::vector<Stretch> groups_;
  std::vector<std::vector<Entry>> group_entries_;  // during construction
  std::vector<SchurSums> group_sums_;
  std::vector<int64_t> copy_begin_ = {0};
  BlockSymmetricStructure pattern_;
  std::vector<int64_t> first_source_ = {0};
  std::vector<int64_t> sources_;

  int64_t max_u_size_ = 0;
  int64_t max_batch_u_size_ = 0;
  int max_eliminated_width_ = 0;
  int max_width_ = 0;
  int max_residuals_ = 0;
  int max_point_residuals_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_
