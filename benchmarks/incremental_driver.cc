// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Feeds a pose graph pose by pose, each with its edges to earlier poses, to an
// IncrementalSolver, and prints a name and a value per line. Times are CPU
// times of the process.
//
//   updates          number of updates, one per pose but the first
//   total_seconds    of all updates
//   largest_seconds  of one update
//   median_seconds   of one update
//   total_operations, p90_operations, ...  the same of the operations of
//                    updates, and of those that could not be done later
//   cost             at the last estimate
//   finished_after   with --finish: updates without new poses until nothing
//                    waits; the cost is that after them
//   polished_cost    after a batch solve from there
//
// With --resolve_every=k, every k-th update is also done by Solve from the same
// values, with default options. Then:
//
//   resolve_seconds  k times the time of these solves
//
// With --estimate, reads poses from a file instead, "id values" per line, and
// prints cost and polished_cost only. --write_estimate writes such a file.
//
// A pose is one parameter block: x, y, yaw, or position and quaternion x, y, z,
// w. The first pose is constant. A new pose starts where the edge to the latest
// earlier pose puts it.

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/incremental_solver.h"
#include "ceres/io/g2o.h"
#include "gflags/gflags.h"
#include "slam/common/edge_weights.h"
#include "slam/pose_graph_2d/normalize_angle.h"

DEFINE_string(input, "", "g2o file, of two or three dimensions.");
DEFINE_double(relinearization_threshold, 0.1, "");
DEFINE_double(update_tolerance, 1e-3, "");
DEFINE_int32(max_num_steps, 1, "");
DEFINE_double(relinearization_budget, 0.25, "");
DEFINE_double(reorder_fill_factor, 1.2, "");
DEFINE_double(reorder_budget, 0.1, "");
DEFINE_int64(max_operations_per_update, 0, "");
DEFINE_bool(finish, false, "Update until nothing waits.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(resolve_every, 0, "0: never.");
DEFINE_string(estimate, "", "File to read poses from.");
DEFINE_string(write_estimate, "", "File to write the last estimate to.");
DEFINE_string(
    write_updates, "",
    "File to write what each update did to: seconds, operations, "
    "required operations, blocks linearized again, eliminated, ordered "
    "and waiting, fronts solved and waiting, fill ratio.");

namespace ceres::examples {
namespace {

// The CPU time of all threads of the process. It depends less on the load of
// the machine than wall time.
double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

struct Plane {
  static constexpr int kSize = 3;
  using Values = std::array<double, kSize>;

  static Values ToValues(const io::PoseGraph::Values& v) {
    return {v[0], v[1], NormalizeAngle(v[2])};
  }
  static Manifold* NewManifold() { return nullptr; }
  static void Normalize(Values*) {}

  struct Error {
    explicit Error(const io::PoseGraph::Edge& e)
        : m(ToValues(e.measurement)),
          sqrt_information(SquareRootInformationOf<3>(e)) {}
    template <typename T>
    bool operator()(const T* a, const T* b, T* residual) const {
      using std::cos;
      using std::sin;
      const T c = cos(a[2]), s = sin(a[2]);
      const T dx = b[0] - a[0], dy = b[1] - a[1];
      residual[0] = c * dx + s * dy - m[0];
      residual[1] = c * dy - s * dx - m[1];
      residual[2] = NormalizeAngle(b[2] - a[2] - m[2]);
      MultiplyByUpperTriangle(sqrt_information, residual);
      return true;
    }
    Values m;
    Eigen::Matrix3d sqrt_information;
  };
  static CostFunction* NewCost(const io::PoseGraph::Edge& e) {
    return new AutoDiffCostFunction<Error, 3, 3, 3>(new Error(e));
  }

  static Values Compose(const Values& a, const Values& m) {
    const double c = std::cos(a[2]), s = std::sin(a[2]);
    return {a[0] + c * m[0] - s * m[1], a[1] + s * m[0] + c * m[1],
            a[2] + m[2]};
  }
  static Values Invert(const Values& m) {
    const double c = std::cos(m[2]), s = std::sin(m[2]);
    return {-c * m[0] - s * m[1], s * m[0] - c * m[1], -m[2]};
  }
};

struct Space {
  static constexpr int kSize = 7;
  using Values = std::array<double, kSize>;

  static Values ToValues(const io::PoseGraph::Values& v) { return v; }
  static Manifold* NewManifold() {
    return new ProductManifold<EuclideanManifold<3>, EigenQuaternionManifold>();
  }
  // Rotation matrices of the peer are orthogonal to few digits.
  static void Normalize(Values* v) {
    Eigen::Map<Eigen::Vector4d>(v->data() + 3).normalize();
  }

  struct Error {
    explicit Error(const io::PoseGraph::Edge& e)
        : p_ab(e.measurement.data()),
          q_ab_inverse(
              Eigen::Quaterniond(e.measurement.data() + 3).conjugate()),
          sqrt_information(SquareRootInformationOf<6>(e)) {}
    template <typename T>
    bool operator()(const T* a, const T* b, T* residual) const {
      using Vector3 = Eigen::Matrix<T, 3, 1>;
      using Quaternion = Eigen::Quaternion<T>;
      const Eigen::Map<const Vector3> p_a(a), p_b(b);
      const Eigen::Map<const Quaternion> q_a(a + 3), q_b(b + 3);
      const Quaternion q_a_inverse = q_a.conjugate();
      const Vector3 p = q_a_inverse * (p_b - p_a);
      const Quaternion delta =
          q_a_inverse * q_b * q_ab_inverse.template cast<T>();
      const T sign = delta.w() < T(0.0) ? T(-2.0) : T(2.0);
      for (int i = 0; i < 3; ++i) {
        residual[i] = p[i] - p_ab[i];
        residual[3 + i] = sign * delta.vec()[i];
      }
      MultiplyByUpperTriangle(sqrt_information, residual);
      return true;
    }
    Eigen::Vector3d p_ab;
    Eigen::Quaterniond q_ab_inverse;
    Eigen::Matrix<double, 6, 6> sqrt_information;
  };
  static CostFunction* NewCost(const io::PoseGraph::Edge& e) {
    return new AutoDiffCostFunction<Error, 6, 7, 7>(new Error(e));
  }

  struct Pose {
    explicit Pose(const Values& v) : p(v.data()), q(v.data() + 3) {}
    Values values() const {
      return {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w()};
    }
    Eigen::Vector3d p;
    Eigen::Quaterniond q;
  };
  static Values Compose(const Values& va, const Values& vm) {
    const Pose a(va), m(vm);
    Pose b = a;
    b.p = a.p + a.q * m.p;
    b.q = (a.q * m.q).normalized();
    return b.values();
  }
  static Values Invert(const Values& vm) {
    Pose m(vm);
    m.q = m.q.conjugate();
    m.p = -(m.q * m.p);
    return m.values();
  }
};

template <typename Kind>
class Feed {
 public:
  explicit Feed(const io::PoseGraph& graph) : graph_(graph) {
    Problem::Options options;
    options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
    problem_ = std::make_unique<Problem>(options);
    for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
      starts_.emplace(vertex.id, Kind::ToValues(vertex.value));
    }
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      edges_of_[std::max(IdOf(graph.edges[e].x), IdOf(graph.edges[e].y))]
          .push_back(e);
    }
  }

  int Run() {
    IncrementalSolver::Options options;
    options.num_threads = FLAGS_num_threads;
    options.relinearization_threshold = FLAGS_relinearization_threshold;
    options.update_tolerance = FLAGS_update_tolerance;
    options.max_num_steps = FLAGS_max_num_steps;
    options.relinearization_budget = FLAGS_relinearization_budget;
    options.reorder_fill_factor = FLAGS_reorder_fill_factor;
    options.reorder_budget = FLAGS_reorder_budget;
    options.max_operations_per_update = FLAGS_max_operations_per_update;
    {
      IncrementalSolver solver(options, problem_.get());
      int count = 0;
      for (const auto& [id, values] : starts_) {
        if (!AddPose(id)) continue;
        ++count;
        if (FLAGS_resolve_every > 0 && count % FLAGS_resolve_every == 0) {
          Resolve();
        }
        IncrementalSolver::Summary summary;
        const double start = CpuSeconds();
        solver.Update(&summary);
        times_.push_back(CpuSeconds() - start);
        if (summary.termination_type == FAILURE) {
          std::cerr << "pose " << id << ": " << summary.message << "\n";
          return 1;
        }
        operations_.push_back(static_cast<double>(summary.num_operations));
        required_.push_back(
            static_cast<double>(summary.num_required_operations));
        relinearized_ += summary.num_blocks_relinearized;
        eliminated_ += summary.num_blocks_eliminated;
        WriteUpdate(summary);
      }
      if (FLAGS_finish) Finish(&solver);
    }
    PrintTimes();
    WriteEstimate();
    return Polish();
  }

  static void Finish(IncrementalSolver* solver) {
    constexpr int kMostUpdates = 100000;
    int count = 0;
    IncrementalSolver::Summary summary;
    do {
      solver->Update(&summary);
      ++count;
    } while (summary.termination_type == NO_CONVERGENCE &&
             count < kMostUpdates);
    std::printf("finished_after %d\n", count);
  }

  // Reads all poses and polishes.
  int RunFile() {
    for (const auto& [id, values] : starts_) AddPose(id);
    std::ifstream file(FLAGS_estimate);
    uint64_t id = 0;
    while (file >> id) {
      for (double& value : poses_.at(id)) file >> value;
      Kind::Normalize(&poses_.at(id));
    }
    return Polish();
  }

 private:
  using Values = typename Kind::Values;

  // Returns false if there is nothing to update: the first pose.
  bool AddPose(uint64_t id) {
    if (poses_.empty()) {
      poses_[id] = starts_.at(id);
      problem_->AddParameterBlock(poses_[id].data(), Kind::kSize,
                                  manifold_.get());
      problem_->SetParameterBlockConstant(poses_[id].data());
      return false;
    }
    std::optional<uint64_t> latest;
    Values start = starts_.at(id);
    for (const size_t e : edges_of_[id]) {
      const io::PoseGraph::Edge& edge = graph_.edges[e];
      const uint64_t other = std::min(IdOf(edge.x), IdOf(edge.y));
      if (latest.has_value() && other <= *latest) continue;
      latest = other;
      const Values m = Kind::ToValues(edge.measurement);
      start = Kind::Compose(poses_.at(other),
                            IdOf(edge.x) == other ? m : Kind::Invert(m));
    }
    if (!latest.has_value()) std::cerr << "pose " << id << " has no edge\n";
    poses_[id] = start;
    problem_->AddParameterBlock(poses_[id].data(), Kind::kSize,
                                manifold_.get());
    for (const size_t e : edges_of_[id]) {
      const io::PoseGraph::Edge& edge = graph_.edges[e];
      problem_->AddResidualBlock(Kind::NewCost(edge), nullptr,
                                 poses_.at(IdOf(edge.x)).data(),
                                 poses_.at(IdOf(edge.y)).data());
    }
    return true;
  }

  uint64_t IdOf(int vertex) const { return graph_.vertices[vertex].id; }

  static Solver::Options BatchOptions() {
    Solver::Options options;
    options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
    options.num_threads = FLAGS_num_threads;
    return options;
  }

  void Resolve() {
    const std::map<uint64_t, Values> before = poses_;
    Solver::Summary summary;
    const double start = CpuSeconds();
    Solve(BatchOptions(), problem_.get(), &summary);
    resolve_seconds_ += FLAGS_resolve_every * (CpuSeconds() - start);
    for (const auto& [id, values] : before) poses_[id] = values;
  }

  int Polish() {
    Solver::Options options = BatchOptions();
    options.max_num_iterations = 200;
    // Nearly without damping: the start is close, and some graphs are flat.
    options.initial_trust_region_radius = 1e12;
    options.max_trust_region_radius = 1e16;
    options.function_tolerance = 1e-14;
    options.parameter_tolerance = 1e-12;
    options.gradient_tolerance = 1e-14;
    Solver::Summary summary;
    Solve(options, problem_.get(), &summary);
    std::printf("cost %.12g\n", summary.initial_cost);
    std::printf("polished_cost %.12g\n", summary.final_cost);
    return summary.IsSolutionUsable() ? 0 : 1;
  }

  void PrintTimes() {
    std::printf("updates %d\n", static_cast<int>(times_.size()));
    PrintDistribution(times_, "seconds");
    PrintDistribution(operations_, "operations");
    PrintDistribution(required_, "required_operations");
    std::printf("relinearized %lld\n", relinearized_);
    std::printf("eliminated %lld\n", eliminated_);
    if (FLAGS_resolve_every > 0) {
      std::printf("resolve_seconds %.6f\n", resolve_seconds_);
    }
  }

  static void PrintDistribution(std::vector<double> values, const char* name) {
    std::sort(values.begin(), values.end());
    const auto at = [&values](double part) {
      return values[static_cast<size_t>(part *
                                        static_cast<double>(values.size()))];
    };
    double total = 0.0;
    for (const double v : values) total += v;
    std::printf("total_%s %.9g\n", name, total);
    std::printf("largest_%s %.9g\n", name, values.back());
    std::printf("median_%s %.9g\n", name, at(0.5));
    std::printf("p90_%s %.9g\n", name, at(0.9));
    std::printf("p99_%s %.9g\n", name, at(0.99));
  }

  void WriteUpdate(const IncrementalSolver::Summary& s) {
    if (FLAGS_write_updates.empty()) return;
    if (!updates_.is_open()) updates_.open(FLAGS_write_updates);
    updates_ << times_.back() << ' ' << s.num_operations << ' '
             << s.num_required_operations << ' ' << s.num_blocks_relinearized
             << ' ' << s.num_blocks_eliminated << ' ' << s.num_blocks_reordered
             << ' ' << s.num_blocks_waiting << ' ' << s.num_fronts_solved << ' '
             << s.num_fronts_waiting << ' ' << s.fill_ratio << '\n';
  }

  void WriteEstimate() const {
    if (FLAGS_write_estimate.empty()) return;
    std::ofstream file(FLAGS_write_estimate);
    file.precision(17);
    for (const auto& [id, values] : poses_) {
      file << id;
      for (const double v : values) file << ' ' << v;
      file << '\n';
    }
  }

  const io::PoseGraph& graph_;
  std::map<uint64_t, Values> starts_;
  std::map<uint64_t, std::vector<size_t>> edges_of_;  // by the later pose
  std::map<uint64_t, Values> poses_;
  std::unique_ptr<Manifold> manifold_{Kind::NewManifold()};
  std::unique_ptr<Problem> problem_;
  std::vector<double> times_, operations_, required_;
  std::ofstream updates_;
  double resolve_seconds_ = 0.0;
  long long relinearized_ = 0, eliminated_ = 0;
};

template <typename Kind>
int RunGraph(const io::PoseGraph& graph) {
  Feed<Kind> feed(graph);
  return FLAGS_estimate.empty() ? feed.Run() : feed.RunFile();
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  ceres::io::PoseGraph graph;
  std::string error;
  if (!ceres::io::ReadG2o(FLAGS_input, {}, &graph, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  for (const auto& edge : graph.edges) {
    if (edge.type == ceres::io::PoseGraph::EdgeType::kRelativePose) continue;
    std::cerr << FLAGS_input << ": expected edges between poses only\n";
    return 1;
  }
  return graph.dimension == 2
             ? ceres::examples::RunGraph<ceres::examples::Plane>(graph)
             : ceres::examples::RunGraph<ceres::examples::Space>(graph);
}
