// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/report_json.h"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "ceres/base/json_writer.h"

namespace ceres::internal {
namespace {

// The values of one member of all elements.
template <typename T, typename Function>
auto Column(const std::vector<T>& elements, const Function& value) {
  std::vector<std::decay_t<decltype(value(elements.front()))>> column;
  column.reserve(elements.size());
  for (const T& element : elements) column.push_back(value(element));
  return column;
}

void AddConvergence(const ConvergenceSection& section, JsonWriter* json) {
  using Iteration = IterationSummary;
  const std::vector<Iteration>& all = section.iterations;
  const auto add = [&](const char* name, auto member) {
    json->Member(name,
                 Column(all, [&](const Iteration& i) { return i.*member; }));
  };
  json->Key("convergence").BeginObject();
  json->Member("num_iterations", section.num_iterations);
  json->Member("is_line_search", section.is_line_search);
  json->Member("is_iterative", section.is_iterative);
  add("iteration", &Iteration::iteration);
  add("time", &Iteration::cumulative_time_in_seconds);
  add("iteration_time", &Iteration::iteration_time_in_seconds);
  add("step_solver_time", &Iteration::step_solver_time_in_seconds);
  add("cost", &Iteration::cost);
  add("gradient", &Iteration::gradient_max_norm);
  add("step", &Iteration::step_norm);
  add("radius", &Iteration::trust_region_radius);
  add("linear_iterations", &Iteration::linear_solver_iterations);
  json->Member("accepted", Column(all, [](const Iteration& i) {
                 return i.step_is_successful ? 1 : 0;
               }));
  json->EndObject();
}

void AddTime(const TimeSection& section, JsonWriter* json) {
  json->Key("time").BeginObject();
  json->Member("total", section.total);
  json->Member("num_threads_used", section.num_threads_used);
  json->Member("num_cpus", section.num_cpus);
  json->Member("trace_duration", section.trace_duration);
  json->Member("parallelism", section.parallelism);
  json->Member("num_dropped", section.num_dropped);
  json->Key("stages").BeginArray();
  for (const TimeStage& stage : section.stages) {
    json->BeginObject();
    json->Member("name", stage.name).Member("seconds", stage.seconds);
    json->EndObject();
  }
  json->EndArray();
  json->Key("threads").BeginArray();
  for (const TimelineThread& thread : section.threads) {
    json->BeginObject();
    json->Member("name", thread.name);
    json->Member("busy", thread.busy).Member("waiting", thread.waiting);
    json->Member("waking", thread.waking).Member("idle", thread.idle);
    json->Member("activity", thread.activity);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddStatistics(const char* name, const NormStatistics& statistics,
                   JsonWriter* json) {
  json->Key(name).BeginObject();
  json->Member("median", statistics.median).Member("p95", statistics.p95);
  json->Member("max", statistics.max).Member("rms", statistics.rms);
  json->Member("cost", statistics.cost);
  json->Member("counts", statistics.counts);
  json->EndObject();
}

void AddKind(const ResidualKind& kind, JsonWriter* json) {
  json->BeginObject();
  json->Member("name", kind.name);
  json->Member("num_blocks", kind.num_blocks);
  json->Member("num_residuals", kind.num_residuals);
  json->Member("first_exponent", kind.first_exponent);
  json->Member("bins_per_decade", kind.bins_per_decade);
  if (kind.has_before) AddStatistics("before", kind.before, json);
  AddStatistics("after", kind.after, json);
  json->Key("losses").BeginArray();
  for (const LossStatistics& loss : kind.losses) {
    json->BeginObject();
    json->Member("name", loss.name).Member("num_blocks", loss.num_blocks);
    json->Member("num_below_half", loss.num_below_half);
    json->Member("num_below_tenth", loss.num_below_tenth);
    json->Member("cost", loss.cost);
    json->Member("cost_without_loss", loss.cost_without_loss);
    json->Member("weight_counts", loss.weight_counts);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddResiduals(const ResidualSection& section, JsonWriter* json) {
  json->Key("residuals").BeginObject();
  json->Member("error", section.error);
  json->Member("num_blocks", section.num_blocks);
  json->Member("cost", section.cost);
  json->Key("kinds").BeginArray();
  for (const ResidualKind& kind : section.kinds) AddKind(kind, json);
  json->EndArray();
  json->Key("worst").BeginArray();
  for (const WorstBlock& block : section.worst) {
    json->BeginObject();
    json->Member("index", block.index).Member("kind", block.kind);
    json->Member("norm_before", block.norm_before);
    json->Member("norm", block.norm).Member("cost", block.cost);
    json->Member("weight", block.weight);
    json->Member("redundancy", block.redundancy);
    json->Member("standardized", block.standardized);
    json->Member("parameter_blocks", block.parameter_blocks);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddStructure(const StructureSection& section, JsonWriter* json) {
  json->Key("structure").BeginObject();
  json->Member("note", section.note);
  json->Key("pictures").BeginArray();
  for (const StructurePicture& picture : section.pictures) {
    json->BeginObject();
    json->Member("title", picture.title).Member("caption", picture.caption);
    json->Member("num_blocks", picture.num_blocks);
    json->Member("size", picture.size).Member("nonzeros", picture.nonzeros);
    json->Member("factor_nonzeros", picture.factor_nonzeros);
    json->Member("grid_size", picture.grid_size);
    json->Member("cells", picture.cells);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

std::vector<double> Flat(const std::vector<std::array<double, 3>>& positions) {
  std::vector<double> flat;
  flat.reserve(3 * positions.size());
  for (const std::array<double, 3>& p : positions) {
    flat.insert(flat.end(), p.begin(), p.end());
  }
  return flat;
}

// The largest number of poses whose axes the page draws.
constexpr std::size_t kMaxPosesWithAxes = 400;

void AddSceneState(const char* name, const ReportScene& scene,
                   JsonWriter* json) {
  std::vector<std::array<double, 3>> positions;
  std::vector<double> orientations;
  const bool has_axes = scene.poses.size() <= kMaxPosesWithAxes;
  for (const ReportScene::Pose& pose : scene.poses) {
    positions.push_back(pose.position);
    if (has_axes) {
      orientations.insert(orientations.end(), pose.orientation.begin(),
                          pose.orientation.end());
    }
  }
  json->Key(name).BeginObject();
  json->Member("points", Flat(scene.points));
  json->Member("poses", Flat(positions));
  json->Member("orientations", orientations);
  json->EndObject();
}

void AddScene(const SceneSection& section, JsonWriter* json) {
  json->Key("scene").BeginObject();
  json->Member("num_points", section.num_points);
  json->Member("num_poses", section.num_poses);
  json->Member("num_edges", section.num_edges);
  std::vector<int> edges;
  for (const std::array<int, 2>& edge : section.after.edges) {
    edges.insert(edges.end(), edge.begin(), edge.end());
  }
  json->Member("edges", edges);
  AddSceneState("before", section.before, json);
  AddSceneState("after", section.after, json);
  json->EndObject();
}

void AddPoseGraph(const PoseGraphSection& section, JsonWriter* json) {
  json->Key("pose_graph").BeginObject();
  json->Member("is_made", section.is_made);
  json->Member("message", section.message);
  json->Member("start", section.start);
  json->Member("statement", section.statement);
  json->Member("explanation", section.explanation);
  json->Member("is_certified", section.is_certified);
  json->Member("is_anisotropic", section.is_anisotropic);
  json->Member("start_cost", section.start_cost);
  json->Member("cost", section.cost);
  json->Member("lower_bound", section.lower_bound);
  json->Member("gap", section.gap);
  json->Member("geodesic_initial_cost", section.geodesic_initial_cost);
  json->Member("geodesic_final_cost", section.geodesic_final_cost);
  json->Key("steps").BeginArray();
  for (const PoseGraphSummary::Step& step : section.steps) {
    json->BeginObject();
    json->Member("rank", step.rank);
    json->Member("num_iterations", step.num_iterations);
    json->Member("cost", step.cost);
    json->Member("lower_bound", step.lower_bound);
    json->Member("seconds", step.time_in_seconds);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddConstraints(const ConstraintSection& section, JsonWriter* json) {
  json->Key("constraints").BeginObject();
  json->Member("num_constraints", section.num_constraints);
  json->Member("num_coordinates", section.num_coordinates);
  json->Member("num_active", section.num_active);
  json->Key("coordinates").BeginArray();
  for (const ReportedConstraint& coordinate : section.coordinates) {
    json->BeginObject();
    json->Member("name", coordinate.name);
    json->Member("value", coordinate.value);
    json->Member("lower", coordinate.lower);
    json->Member("upper", coordinate.upper);
    json->Member("multiplier", coordinate.multiplier);
    json->Member("is_active", coordinate.is_active);
    json->Member("violation", coordinate.violation);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddDiagnosis(const DiagnosisSection& section, JsonWriter* json) {
  json->Key("diagnosis").BeginObject();
  json->Member("is_made", section.is_made);
  json->Member("message", section.message);
  json->Member("rank_statement", section.rank_statement);
  json->Member("num_coordinates", section.num_coordinates);
  json->Member("num_undetermined", section.num_undetermined);
  json->Member("num_weak", section.num_weak);
  json->Member("num_checked", section.num_checked);
  json->Member("num_unchecked", section.num_unchecked);
  json->Member("positions", Flat(section.positions));
  json->Key("directions").BeginArray();
  for (const DiagnosedDirection& direction : section.directions) {
    json->BeginObject();
    json->Member("kind", direction.kind);
    json->Member("ratio", direction.ratio);
    json->Member("cause", direction.cause);
    json->Member("remedy", direction.remedy);
    json->Member("num_entries", direction.num_entries);
    json->Member("entries", direction.entries);
    json->Member("motions", Flat(direction.motions));
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void AddAdvice(const std::vector<Advice>& all, JsonWriter* json) {
  json->Key("advice").BeginArray();
  for (const Advice& advice : all) {
    json->BeginObject();
    json->Member("rule", advice.rule);
    json->Member("is_warning", advice.level == AdviceLevel::kWarning);
    json->Member("title", advice.title);
    json->Member("evidence", advice.evidence);
    json->Member("action", advice.action);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

std::string ReportToJson(const ReportData& report) {
  JsonWriter json;
  json.BeginObject();
  json.Member("title", report.title);
  json.Member("full_report", report.full_report);
  json.Member("termination", report.termination);
  json.Member("message", report.message);
  json.Member("is_usable", report.is_usable);
  json.Member("initial_cost", report.initial_cost);
  json.Member("final_cost", report.final_cost);
  json.Member("num_parameter_blocks", report.num_parameter_blocks);
  json.Member("num_parameters", report.num_parameters);
  json.Member("num_residual_blocks", report.num_residual_blocks);
  json.Member("num_residuals", report.num_residuals);
  json.Member("linear_solver", report.linear_solver);
  AddAdvice(report.advice, &json);
  AddConvergence(report.convergence, &json);
  AddTime(report.time, &json);
  AddResiduals(report.residuals, &json);
  AddStructure(report.structure, &json);
  AddScene(report.scene, &json);
  AddPoseGraph(report.pose_graph, &json);
  AddConstraints(report.constraints, &json);
  AddDiagnosis(report.diagnosis, &json);
  json.EndObject();
  return json.text();
}

}  // namespace ceres::internal
