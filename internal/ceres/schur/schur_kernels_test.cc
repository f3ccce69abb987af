// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The kernels against their plain twins, on plans of random problems: here,
// because a plan is what makes a view.

#include "ceres/kernels/schur_kernels.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/kernels/schur_plain.h"
#include "ceres/schur/elimination_output.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "ceres/schur/schur_plan.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;

std::vector<RandomSchurOptions> Problems() {
  std::vector<RandomSchurOptions> all;
  for (const int f : {6, 9, 10}) {
    RandomSchurOptions options;
    options.camera_sizes = {f};
    options.num_cameras = 9;
    options.max_rows_per_point = 9;
    all.push_back(options);
  }
  RandomSchurOptions options;
  options.camera_sizes = {1, 2,  3,  4,  5,  6,  7,  8,
                          9, 10, 11, 12, 16, 17, 18, 19};
  options.point_sizes = {1, 2, 3, 4, 5, 9};
  options.row_sizes = {1, 2, 3, 4, 5, 8, 9};
  options.num_cameras = 20;
  options.max_cells = 3;
  options.min_cells = 0;
  options.repeat_cameras = true;
  options.num_other_rows = 20;
  for (options.seed = 1; options.seed < 4; ++options.seed) {
    all.push_back(options);
  }
  return all;
}

TEST(EliminatePoints, EqualsPlainTwinOnEveryTarget) {
  for (const RandomSchurOptions& options : Problems()) {
    const auto problem = MakeRandomSchurJacobian(options);
    for (const ReducedMatrix matrix :
         {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
      for (const PointDiagonal diagonal :
           {PointDiagonal::kNone, PointDiagonal::kFused,
            PointDiagonal::kSplit}) {
        const SchurPlan plan({}, problem->structure, matrix, diagonal);
        kernels::SchurView view = plan.View();
        view.values = problem->jacobian.values.data();
        EliminationOutput plain(plan);
        RunAll(
            plan, problem->damping.data(), &plain,
            [&](const kernels::SchurTarget& target, const UniformRange& range) {
              ASSERT_EQ(kernels::EliminatePointsPlain(view, target, range.begin,
                                                      range.end),
                        -1);
            },
            [&](const kernels::SchurTarget& target, int begin, int end) {
              kernels::AddRowsPlain(view, target, begin, end);
            });
        kernels::ForEachTarget([&] {
          EliminationOutput fast(plan);
          RunAll(
              plan, problem->damping.data(), &fast,
              [&](const kernels::SchurTarget& target,
                  const UniformRange& range) {
                ASSERT_EQ(kernels::EliminatePoints(view, target, range.shape,
                                                   range.begin, range.end),
                          -1);
              },
              [&](const kernels::SchurTarget& target, int begin, int end) {
                kernels::AddRows(view, target, begin, end);
              });
          ExpectEqualBlocks(plan, fast, plain);
          for (size_t k = 0; k < fast.factor.size(); ++k) {
            ASSERT_NEAR(fast.factor.data()[k], plain.factor.data()[k], 1e-10);
          }
          for (int p = 0; p + 1 < plan.num_points(); ++p) {
            for (int64_t k = view.u_offset[p];
                 k < view.u_offset[p + 1] - kernels::kPanelWidth; ++k) {
              ASSERT_NEAR(fast.u.data()[k], plain.u.data()[k], 1e-10);
            }
          }
        });
      }
    }
  }
}

// All points of a plan that gathers by row, then all block rows.
template <typename FormPoints, typename GatherBlockRows>
void RunByRow(const SchurPlan& plan, const double* damping,
              EliminationOutput* output, std::vector<double>* w,
              const FormPoints& form_points,
              const GatherBlockRows& gather_block_rows) {
  kernels::SchurTarget target;
  target.damping = damping;
  target.diagonal = plan.diagonal();
  target.partial_sum = output->partial_sum.data();
  target.factor = output->factor.data();
  target.u = output->u.data();
  target.keep_u = true;
  target.w = w->data();
  target.scratch = output->scratch.data();
  // Cleared by whoever gathers.
  std::fill_n(output->partial_sum.data(), output->partial_sum.size(),
              EliminationOutput::kNan);
  for (const SchurChunk& chunk : plan.row_chunks()) {
    for (int k = chunk.first_range; k < chunk.end_range; ++k) {
      form_points(target, plan.ranges()[k]);
    }
  }
  const kernels::SchurGather gather = plan.gather().View();
  const int middle = plan.num_remaining_blocks() / 2;
  gather_block_rows(target, gather, middle, plan.num_remaining_blocks());
  gather_block_rows(target, gather, 0, middle);
}

TEST(GatherBlockRows, EqualsPlainTwinOnEveryTarget) {
  for (const RandomSchurOptions& options : Problems()) {
    const auto problem = MakeRandomSchurJacobian(options);
    for (const PointDiagonal diagonal :
         {PointDiagonal::kNone, PointDiagonal::kFused, PointDiagonal::kSplit}) {
      const SchurPlan plan({}, problem->structure,
                           ReducedMatrix::kSchurComplement, diagonal,
                           SchurFormation::kGatherByRow);
      kernels::SchurView view = plan.View();
      view.values = problem->jacobian.values.data();
      EliminationOutput plain(plan);
      std::vector<double> plain_w(problem->structure.num_columns());
      RunByRow(
          plan, problem->damping.data(), &plain, &plain_w,
          [&](const auto& target, const UniformRange& range) {
            ASSERT_EQ(
                kernels::FormPointsPlain(view, target, range.begin, range.end),
                -1);
          },
          [&](const auto& target, const auto& gather, int begin, int end) {
            kernels::GatherBlockRowsPlain(view, target, gather, begin, end);
          });
      // The other formation's twin, the same S.
      EliminationOutput eliminated(plan);
      RunAll(
          plan, problem->damping.data(), &eliminated,
          [&](const auto& target, const UniformRange& range) {
            kernels::EliminatePointsPlain(view, target, range.begin, range.end);
          },
          [&](const auto& target, int begin, int end) {
            kernels::AddRowsPlain(view, target, begin, end);
          });
      ExpectEqualBlocks(plan, plain, eliminated);
      kernels::ForEachTarget([&] {
        EliminationOutput fast(plan);
        std::vector<double> fast_w(plain_w.size());
        RunByRow(
            plan, problem->damping.data(), &fast, &fast_w,
            [&](const auto& target, const UniformRange& range) {
              ASSERT_EQ(kernels::FormPoints(view, target, range.shape,
                                            range.begin, range.end),
                        -1);
            },
            [&](const auto& target, const auto& gather, int begin, int end) {
              kernels::GatherBlockRows(view, target, gather, begin, end);
            });
        ExpectEqualBlocks(plan, fast, plain);
        for (size_t k = 0; k < fast.factor.size(); ++k) {
          ASSERT_NEAR(fast.factor.data()[k], plain.factor.data()[k], 1e-10);
        }
        for (size_t k = 0; k < fast_w.size(); ++k) {
          ASSERT_NEAR(fast_w[k], plain_w[k], 1e-10);
        }
      });
    }
  }
}

TEST(EliminatePoints, ReportsTheFirstPointThatIsNotPositiveDefinite) {
  for (const RandomSchurOptions& options : Problems()) {
    const auto problem = MakeRandomSchurJacobian(options);
    const SchurPlan plan({}, problem->structure,
                         ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
    kernels::SchurView view = plan.View();
    view.values = problem->jacobian.values.data();
    const int column = problem->structure.column_offset[7];
    problem->damping[column] = std::numeric_limits<double>::quiet_NaN();
    const auto first_failure = [&](const auto& eliminate) {
      EliminationOutput output(plan);
      int failed = -1;
      RunAll(
          plan, problem->damping.data(), &output,
          [&](const kernels::SchurTarget& target, const UniformRange& range) {
            if (failed < 0) failed = eliminate(target, range);
          },
          [](const kernels::SchurTarget&, int, int) {});
      return failed;
    };
    EXPECT_EQ(first_failure([&](const auto& target, const auto& range) {
                return kernels::EliminatePointsPlain(view, target, range.begin,
                                                     range.end);
              }),
              7);
    kernels::ForEachTarget([&] {
      EXPECT_EQ(first_failure([&](const auto& target, const auto& range) {
                  return kernels::EliminatePoints(view, target, range.shape,
                                                  range.begin, range.end);
                }),
                7);
    });
  }
}

// Points with more rows than a batch takes among them.
RandomSchurOptions LongTracks() {
  RandomSchurOptions options;
  options.num_points = 12;
  options.num_cameras = 120;
  options.max_rows_per_point = 120;
  return options;
}

TEST(BackSubstitutePoints, EqualsPlainTwinOnEveryTarget) {
  std::vector<RandomSchurOptions> problems = Problems();
  problems.push_back(LongTracks());
  for (const RandomSchurOptions& options : problems) {
    const auto problem = MakeRandomSchurJacobian(options);
    const BlockJacobianStructure& s = problem->structure;
    const SchurPlan plan({}, s, ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
    kernels::SchurView view = plan.View();
    view.values = problem->jacobian.values.data();
    EliminationOutput output(plan);
    RunAll(
        plan, problem->damping.data(), &output,
        [&](const kernels::SchurTarget& target, const UniformRange& range) {
          kernels::EliminatePointsPlain(view, target, range.begin, range.end);
        },
        [](const kernels::SchurTarget&, int, int) {});
    std::mt19937 random(3);
    std::vector<double> plain(s.num_columns());
    FillWithRandomValues(&random, plain.data(), s.num_columns());
    const std::vector<double> start = plain;
    const double* factor = output.factor.data();
    double plain_decrease = kernels::BackSubstitutePointsPlain(
        view, factor, 0, plan.num_points(), plain.data());
    const int first_other = s.eliminated_first_row.back();
    plain_decrease += kernels::RowsModelCostChangePlain(
        view, first_other, s.num_row_blocks(), plain.data());
    kernels::ForEachTarget([&] {
      std::vector<double> fast = start;
      std::vector<double> scratch(plan.sizes().max_point_residuals +
                                  plan.sizes().max_residuals +
                                  2 * plan.sizes().max_eliminated_width);
      double decrease = 0.0;
      for (int k = plan.merged_chunks().chunk(0).first_range;
           k < plan.merged_chunks()
                   .chunk(plan.merged_chunks().size() - 1)
                   .end_range;
           ++k) {
        const UniformRange& range = plan.ranges()[k];
        decrease += kernels::BackSubstitutePoints(view, factor, range.shape,
                                                  range.begin, range.end,
                                                  scratch.data(), fast.data());
      }
      decrease += kernels::RowsModelCostChange(
          view, first_other, s.num_row_blocks(), scratch.data(), fast.data());
      EXPECT_NEAR(decrease, plain_decrease,
                  1e-10 * (1.0 + std::abs(plain_decrease)));
      for (size_t k = 0; k < fast.size(); ++k) {
        ASSERT_NEAR(fast[k], plain[k], 1e-9);
      }
    });
  }
}

TEST(BackSubstitutePoints, GivesTheSameBitsForPointsTogetherAndAlone) {
  for (const int f : {6, 9, 10}) {
    RandomSchurOptions options;
    options.camera_sizes = {f};
    options.num_points = 70;
    options.num_cameras = 30;
    options.max_rows_per_point = 30;
    const auto problem = MakeRandomSchurJacobian(options);
    const BlockJacobianStructure& s = problem->structure;
    const SchurPlan plan({}, s, ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
    kernels::SchurView view = plan.View();
    view.values = problem->jacobian.values.data();
    const kernels::SchurShape shape = plan.ranges().front().shape;
    ASSERT_NE(shape, kernels::SchurShape::kDynamic);
    std::mt19937 random(3);
    AlignedBuffer factor(plan.storage().factor_size());
    FillWithRandomValues(&random, factor.data(), plan.storage().factor_size());
    std::vector<double> start(s.num_columns());
    FillWithRandomValues(&random, start.data(), s.num_columns());
    std::vector<double> scratch(plan.sizes().max_point_residuals +
                                2 * plan.sizes().max_eliminated_width);
    kernels::ForEachTarget([&] {
      std::vector<double> together = start;
      kernels::BackSubstitutePoints(view, factor.data(), shape, 0,
                                    plan.num_points(), scratch.data(),
                                    together.data());
      std::vector<double> alone = start;
      for (int point = 0; point < plan.num_points(); ++point) {
        kernels::BackSubstitutePoints(view, factor.data(), shape, point,
                                      point + 1, scratch.data(), alone.data());
      }
      EXPECT_EQ(together, alone);
      EXPECT_NE(together, start);
    });
  }
}

TEST(SubtractPointProducts, EqualsPlainTwinOnEveryTarget) {
  for (const RandomSchurOptions& options : Problems()) {
    const auto problem = MakeRandomSchurJacobian(options);
    const SchurPlan plan({}, problem->structure,
                         ReducedMatrix::kRemainingBlocks, PointDiagonal::kNone);
    const kernels::SchurView view = plan.View();
    std::mt19937 random(4);
    AlignedBuffer u(plan.storage().u_size());
    FillWithRandomValues(&random, u.data(), plan.storage().u_size());
    // Cameras of x in the order of the columns, of y backwards.
    std::vector<int> place = {0};
    for (int i = 0; i < plan.num_remaining_blocks(); ++i) {
      place.push_back(place.back() + kernels::PaddedSize(plan.width(i)));
    }
    std::vector<int> camera_x, camera_y;
    for (const int column : plan.cliques().camera_column()) {
      const int i = column - plan.num_points();
      camera_x.push_back(place[i]);
      camera_y.push_back(place.back() - place[i + 1]);
    }
    AlignedBuffer x(place.back());
    std::fill_n(x.data(), x.size(), 0.0);
    for (int i = 0; i < plan.num_remaining_blocks(); ++i) {
      FillWithRandomValues(&random, x.data() + place[i], plan.width(i));
    }
    std::vector<double> plain(x.size(), 1.0);
    kernels::SubtractPointProductsPlain(view, u.data(), 0, plan.num_points(),
                                        camera_x.data(), camera_y.data(),
                                        x.data(), plain.data());
    kernels::ForEachTarget([&] {
      AlignedBuffer y(x.size());
      std::fill_n(y.data(), y.size(), 1.0);
      AlignedBuffer scratch(kernels::kPanelWidth *
                            plan.sizes().max_eliminated_width);
      for (const UniformRange& range : plan.ranges()) {
        if (&range - plan.ranges().data() >=
            plan.merged_chunks().chunk(0).first_range) {
          kernels::SubtractPointProducts(view, range.shape, u.data(),
                                         range.begin, range.end,
                                         camera_x.data(), camera_y.data(),
                                         x.data(), y.data(), scratch.data());
        }
      }
      for (int i = 0; i < plan.num_remaining_blocks(); ++i) {
        const int begin = place.back() - place[i + 1];
        for (int r = 0; r < plan.width(i); ++r) {
          ASSERT_NEAR(y.data()[begin + r], plain[begin + r], 1e-10);
        }
      }
    });
  }
}

TEST(AddSymmetricProduct, EqualsPlainTwinOnEveryTarget) {
  std::vector<std::vector<int>> all_widths = {{6, 6, 6, 6}, {9, 9, 9, 9, 9}};
  all_widths.push_back({1, 2, 3, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19});
  for (const std::vector<int>& widths : all_widths) {
    const int n = static_cast<int>(widths.size());
    std::vector<int> padded_offset = {0};
    for (const int width : widths) {
      padded_offset.push_back(padded_offset.back() +
                              kernels::PaddedSize(width));
    }
    std::vector<int> first_entry = {0};
    std::vector<int> entry_column;
    std::vector<int64_t> value_offset = {0};
    for (int i = 0; i < n; ++i) {
      for (int j = i; j < n; ++j) {
        if (j != i && (i + j) % 3 == 0) continue;
        entry_column.push_back(j);
        value_offset.push_back(value_offset.back() +
                               kernels::PanelBlockSize(widths[i], widths[j]));
      }
      first_entry.push_back(static_cast<int>(entry_column.size()));
    }
    std::mt19937 random(5);
    AlignedBuffer whole_buffer(value_offset.back());
    AlignedBuffer rest_buffer(value_offset.back());
    auto* const whole = reinterpret_cast<int32_t*>(whole_buffer.data());
    auto* const rest = reinterpret_cast<float*>(rest_buffer.data());
    std::fill_n(whole, value_offset.back(), 0);
    std::fill_n(rest, value_offset.back(), 0.0f);
    for (int i = 0; i < n; ++i) {
      for (int k = first_entry[i]; k < first_entry[i + 1]; ++k) {
        const int j = entry_column[k];
        for (int r = 0; r < widths[i]; ++r) {
          for (int c = 0; c < widths[j]; ++c) {
            const int64_t v = value_offset[k] + kernels::PanelPosition(
                                                    widths[i], widths[j], r, c);
            double values[2];
            FillWithRandomValues(&random, values, 2);
            whole[v] = static_cast<int32_t>(1000.0 * values[0]);
            rest[v] = static_cast<float>(values[1]);
          }
        }
      }
    }
    AlignedBuffer x(padded_offset.back());
    std::fill_n(x.data(), x.size(), 0.0);
    for (int i = 0; i < n; ++i) {
      FillWithRandomValues(&random, x.data() + padded_offset[i], widths[i]);
    }
    kernels::PanelMatrixView matrix;
    matrix.uniform_width = n < 10 ? widths[0] : 0;
    matrix.width = widths.data();
    matrix.padded_offset = padded_offset.data();
    matrix.first_entry = first_entry.data();
    matrix.entry_column = entry_column.data();
    matrix.value_offset = value_offset.data();
    matrix.whole = whole;
    const auto compare = [&] {
      std::vector<double> plain(x.size(), 1.0);
      kernels::AddSymmetricProductPlain(matrix, 1, n, x.data(), plain.data());
      AlignedBuffer y(x.size());
      std::fill_n(y.data(), y.size(), 1.0);
      AlignedBuffer scratch(kernels::kPanelWidth *
                            *std::max_element(widths.begin(), widths.end()));
      kernels::AddSymmetricProduct(matrix, 1, n, x.data(), y.data(),
                                   scratch.data());
      for (int i = 0; i < n; ++i) {
        for (int r = 0; r < widths[i]; ++r) {
          ASSERT_NEAR(y.data()[padded_offset[i] + r],
                      plain[padded_offset[i] + r], 1e-9);
        }
      }
    };
    kernels::ForEachTarget(compare);
    matrix.rest = rest;
    kernels::ForEachTarget(compare);
  }
}

}  // namespace
}  // namespace ceres::internal
