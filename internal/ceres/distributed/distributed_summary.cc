// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The members of distributed::Summary.

#include <algorithm>
#include <string>

#include "ceres/base/format.h"
#include "ceres/base/json_writer.h"
#include "ceres/distributed.h"
#include "ceres/solver/reporting/summary_json.h"

namespace ceres::distributed {
namespace {

constexpr double kMega = 1e-6;

double WorkSeconds(const RankSummary& rank) {
  return rank.evaluation_seconds + rank.elimination_seconds;
}

void AddRank(const RankSummary& rank, internal::JsonWriter* json) {
  json->BeginObject()
      .Member("num_residual_blocks", rank.num_residual_blocks)
      .Member("num_private_blocks", rank.num_private_blocks)
      .Member("num_shared_blocks", rank.num_shared_blocks)
      .Member("num_leaves", rank.num_leaves)
      .Member("evaluation_seconds", rank.evaluation_seconds)
      .Member("elimination_seconds", rank.elimination_seconds)
      .Member("reduced_solve_seconds", rank.reduced_solve_seconds)
      .Member("waiting_seconds", rank.waiting_seconds)
      .Member("setup_bytes", rank.setup_bytes)
      .Member("evaluation_bytes", rank.evaluation_bytes)
      .Member("reduced_system_bytes", rank.reduced_system_bytes)
      .Member("step_bytes", rank.step_bytes)
      .Member("decision_bytes", rank.decision_bytes)
      .EndObject();
}

}  // namespace

double Summary::Imbalance() const {
  double sum = 0.0;
  double largest = 0.0;
  for (const RankSummary& of_rank : ranks) {
    sum += WorkSeconds(of_rank);
    largest = std::max(largest, WorkSeconds(of_rank));
  }
  return sum > 0.0 ? largest * static_cast<double>(ranks.size()) / sum : 1.0;
}

std::string Summary::FullReport() const {
  std::string report = Solver::Summary::FullReport();
  if (ranks.empty()) return report;
  internal::AppendFormat(&report, "\nReduced system: %s.\n",
                         reduced_system.c_str());
  if (continued_from_iteration >= 0) {
    internal::AppendFormat(&report,
                           "Continued from the checkpoint of iteration %d.\n",
                           continued_from_iteration);
  }
  internal::AppendFormat(
      &report,
      "\nRanks %35s %d\nImbalance of evaluation and elimination %1s %.3f\n\n"
      "%5s %9s %9s %7s %7s %9s %9s %9s %9s %9s\n",
      "", static_cast<int>(ranks.size()), "", Imbalance(), "rank", "residual",
      "private", "shared", "leaves", "evaluate", "eliminate", "solve S", "wait",
      "sent");
  internal::AppendFormat(&report, "%5s %9s %9s %7s %7s %9s %9s %9s %9s %9s\n",
                         "", "blocks", "blocks", "blocks", "", "s", "s", "s",
                         "s", "MB");
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankSummary& of_rank = ranks[r];
    internal::AppendFormat(
        &report, "%5d %9d %9d %7d %7d %9.3f %9.3f %9.3f %9.3f %9.3f\n",
        static_cast<int>(r), of_rank.num_residual_blocks,
        of_rank.num_private_blocks, of_rank.num_shared_blocks,
        of_rank.num_leaves, of_rank.evaluation_seconds,
        of_rank.elimination_seconds, of_rank.reduced_solve_seconds,
        of_rank.waiting_seconds,
        kMega * static_cast<double>(of_rank.total_bytes()));
  }
  return report;
}

std::string Summary::ToJson() const {
  internal::JsonWriter json(internal::kSummaryStyle);
  json.BeginObject();
  internal::AddSummary(*this, &json);
  json.Member("reduced_system", reduced_system);
  json.Member("imbalance", Imbalance());
  json.Member("continued_from_iteration", continued_from_iteration);
  json.Key("ranks").BeginArray();
  for (const RankSummary& of_rank : ranks) AddRank(of_rank, &json);
  json.EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace ceres::distributed
