// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A camera and an inertial measurement unit fly a loop. A sliding window
// estimates the motion of the last two seconds.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/sliding_window.h"
#include "flight.h"
#include "visual_inertial_model.h"

using ceres::factors::SE3;
using Vector3 = Eigen::Vector3d;
using Vector6 = Flight::Vector6;

namespace {

ceres::SlidingWindow::Options WindowOptions(int num_threads) {
  // [options]
  ceres::SlidingWindow::Options options;
  options.solver.linear_solver_type = ceres::DENSE_SCHUR;
  options.solver.max_num_iterations = 8;
  options.solver.num_threads = num_threads;
  options.marginalization.num_threads = num_threads;
  // Jacobians at changing points would add information about the heading.
  options.marginalization.first_estimate_jacobians = true;
  // One manifold for all poses.
  options.problem.manifold_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  // [/options]
  return options;
}

class Odometry {
 public:
  Odometry(const Flight& flight, int num_threads)
      : model(flight), window(WindowOptions(num_threads)), flight_(flight) {}

  bool Run() {
    model.AddStart(window.problem());
    AddTimes(0);
    for (int i = 1; i < Flight::kKeyframes; ++i) {
      if (!AddFrame(i)) return false;
    }
    return true;
  }

  Model model;
  ceres::SlidingWindow window;
  int most_blocks = 0;

 private:
  // [window]
  bool AddFrame(int i) {
    Predict(i);
    model.AddKeyframe(i, window.problem());
    AddTimes(i);
    for (const auto& [landmark, pixel] : flight_.images[i]) {
      See(landmark, {i, pixel});
    }
    if (!window.Solve().IsSolutionUsable()) return false;
    most_blocks = std::max(most_blocks, window.problem()->NumParameterBlocks());
    // The last keyframe stays as it is, for its covariance.
    if (i + 1 == Flight::kKeyframes) return true;
    return window.Advance(Flight::Time(i), kLag);
  }

  void AddTimes(int i) {
    Keyframe& frame = model.keyframes[i];
    window.Add(frame.pose.data(), Flight::Time(i));
    window.Add(frame.velocity.data(), Flight::Time(i));
    window.Add(frame.bias.data(), Flight::Time(i));
  }

  // A landmark is estimated from its third sight on. Its time is that of the
  // last sight: it leaves the window together with the last keyframe that saw
  // it. A later sight begins a new track.
  void See(int landmark, const Sight& sight) {
    ceres::Problem* const problem = window.problem();
    Track*& track = track_of_[landmark];
    if (track == nullptr ||
        (track->is_estimated && !window.Has(track->position.data()))) {
      track = &model.tracks.emplace_back();
    }
    track->sights.push_back(sight);
    if (track->is_estimated) {
      model.AddSight(sight, track, problem);
    } else {
      DropOldSights(track);
      if (track->sights.size() < 3 || !model.Triangulate(track)) return;
      track->is_estimated = true;
      for (const Sight& each : track->sights) {
        model.AddSight(each, track, problem);
      }
    }
    window.Add(track->position.data(), Flight::Time(sight.keyframe));
  }
  // [/window]

  // Sights from keyframes that have left the window.
  void DropOldSights(Track* track) const {
    std::vector<Sight>* const sights = &track->sights;
    sights->erase(std::remove_if(sights->begin(), sights->end(),
                                 [this](const Sight& sight) {
                                   const Keyframe& frame =
                                       model.keyframes[sight.keyframe];
                                   return !window.Has(frame.pose.data());
                                 }),
                  sights->end());
  }

  // The start values of a keyframe, from the measurements since the last one.
  void Predict(int i) {
    const Keyframe& before = model.keyframes[i - 1];
    Keyframe* const frame = &model.keyframes[i];
    model.imu.push_back(flight_.Preintegrate(i - 1, before.bias));
    frame->bias = before.bias;
    model.imu.back().Predict(before.pose.data(), before.velocity, before.bias,
                             flight_.gravity, frame->pose.data(),
                             &frame->velocity);
  }

  static constexpr double kLag = 1.9;  // Seconds: ten keyframes stay.
  const Flight& flight_;
  std::map<int, Track*> track_of_;  // By landmark.
};

// All keyframes and all tracks at once.
void SolveBatch(Model* model, int* num_blocks) {
  ceres::Problem::Options problem_options;
  problem_options.manifold_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(problem_options);
  model->AddStart(&problem);
  for (int i = 1; i < Flight::kKeyframes; ++i) model->AddKeyframe(i, &problem);
  for (Track& track : model->tracks) {
    if (!track.is_estimated) continue;
    for (const Sight& sight : track.sights) {
      model->AddSight(sight, &track, &problem);
    }
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_SCHUR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  *num_blocks = problem.NumParameterBlocks();
}

// Inertial measurements alone, without a bias.
std::vector<Keyframe> DeadReckoning(const Flight& flight) {
  std::vector<Keyframe> frames(Flight::kKeyframes);
  frames[0] = {flight.poses[0], flight.first_velocity, Vector6::Zero()};
  for (int i = 1; i < Flight::kKeyframes; ++i) {
    const Keyframe& before = frames[i - 1];
    frames[i].bias.setZero();
    flight.Preintegrate(i - 1, before.bias)
        .Predict(before.pose.data(), before.velocity, before.bias,
                 flight.gravity, frames[i].pose.data(), &frames[i].velocity);
  }
  return frames;
}

Vector3 Position(const Flight::Pose& pose) {
  return Eigen::Map<const Vector3>(pose.data() + 4);
}

// The square root information of the last pose of the window.
Eigen::Matrix<double, 6, 6> Information(Odometry* odometry) {
  // [covariance]
  const double* const pose = odometry->model.keyframes.back().pose.data();
  ceres::Covariance covariance(ceres::Covariance::Options{});
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> P;
  P.setZero();
  if (covariance.Compute(std::vector<const double*>{pose},
                         odometry->window.problem())) {
    covariance.GetCovarianceBlockInTangentSpace(pose, pose, P.data());
  }
  // [/covariance]
  Eigen::Matrix<double, 6, 6> W;
  std::string error;
  if (!ceres::factors::SquareRootInformationFromCovariance<6>(P, &W, &error)) {
    std::printf("%s\n", error.c_str());
    W.setConstant(HUGE_VAL);
  }
  return W;
}

// The difference of two poses, in standard deviations.
double Difference(const Eigen::Matrix<double, 6, 6>& W, const Flight::Pose& a,
                  const Flight::Pose& b) {
  Vector6 difference;
  SE3::Minus(a.data(), b.data(), difference.data());
  return (W * difference).norm();
}

bool SameBits(const Model& a, const Model& b) {
  return std::equal(a.keyframes.begin(), a.keyframes.end(), b.keyframes.begin(),
                    [](const Keyframe& x, const Keyframe& y) {
                      return x.pose == y.pose && x.velocity == y.velocity &&
                             x.bias == y.bias;
                    });
}

double Length(const std::vector<Flight::Pose>& path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    length += (Position(path[i]) - Position(path[i - 1])).norm();
  }
  return length;
}

void PrintPaths(const Flight& flight, const std::vector<Keyframe>& inertial,
                const Model& window, const Model& batch) {
  std::printf("x and y in metres: truth, inertial, window; ");
  std::printf("errors in cm: window, batch\n");
  for (int i = 0; i < Flight::kKeyframes; ++i) {
    const Vector3 truth = Position(flight.poses[i]);
    const Vector3 alone = Position(inertial[i].pose);
    const Vector3 in_window = Position(window.keyframes[i].pose);
    const Vector3 in_batch = Position(batch.keyframes[i].pose);
    std::printf("%6.2f %6.2f  %6.2f %6.2f  %6.2f %6.2f  %6.1f %6.1f\n",
                truth.x(), truth.y(), alone.x(), alone.y(), in_window.x(),
                in_window.y(), 100.0 * (in_window - truth).norm(),
                100.0 * (in_batch - truth).norm());
  }
}

}  // namespace

int main() {
  const Flight flight;
  Odometry odometry(flight, /*num_threads=*/1);
  Odometry threaded(flight, /*num_threads=*/2);
  if (!odometry.Run() || !threaded.Run()) return 1;
  const std::vector<Keyframe> inertial = DeadReckoning(flight);
  Model batch = odometry.model;
  int num_blocks = 0;
  SolveBatch(&batch, &num_blocks);

  const auto error = [&flight](const Keyframe& last) {
    return (Position(last.pose) - Position(flight.poses.back())).norm();
  };
  const Keyframe& last = odometry.model.keyframes.back();
  const double length = Length(flight.poses);
  std::printf("length of the path in metres:  %5.2f\n", length);
  std::printf("error at its end, inertial:    %5.2f\n", error(inertial.back()));
  std::printf("error at its end, window:      %5.2f, %.1f %% of the path\n",
              error(last), 100.0 * error(last) / length);
  std::printf("error at its end, batch:       %5.2f\n",
              error(batch.keyframes.back()));
  const Eigen::Matrix<double, 6, 6> W = Information(&odometry);
  const double deviations = Difference(W, last.pose, flight.poses.back());
  const double beside_batch =
      Difference(W, last.pose, batch.keyframes.back().pose);
  std::printf(
      "last pose, in standard deviations: from the truth %.2f, "
      "from the batch %.2f\n",
      deviations, beside_batch);
  std::printf("parameter blocks: window at most %d, batch %d\n",
              odometry.most_blocks, num_blocks);
  const bool same_bits = SameBits(odometry.model, threaded.model);
  std::printf("bits with two threads: %s\n", same_bits ? "the same" : "others");
  PrintPaths(flight, inertial, odometry.model, batch);
  // [check]
  // If the model is right, the squared error in standard deviations has a
  // chi-squared distribution with six degrees of freedom. It exceeds 27.9 once
  // in ten thousand flights. Window and batch have the same measurements, and
  // differ by what was linearized earlier.
  const bool passed =
      deviations * deviations < 27.9 && beside_batch < 0.5 && same_bits;
  return passed ? 0 : 1;
  // [/check]
}
