
// Solves a problem of one structure again and again.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [cost]
// The distance of a vehicle from a beacon. The measurement is in memory that
// the next frame overwrites.
struct Range {
  template <typename T>
  bool operator()(const T* position, T* residual) const {
    using std::sqrt;
    const T dx = position[0] - beacon[0];
    const T dy = position[1] - beacon[1];
    residual[0] = (sqrt(dx * dx + dy * dy) - *measured) / 0.1;
    return true;
  }
  std::array<double, 2> beacon;
  const double* measured;
};
// [/cost]

const std::vector<std::array<double, 2>> kBeacons = {
    {0, 0}, {100, 0}, {100, 100}, {0, 100}};

// The vehicle drives on a circle. Writes the distances of a frame.
void Measure(int frame, Noise* noise, std::vector<double>* measured) {
  const double x = 50.0 + 30.0 * std::cos(0.1 * frame);
  const double y = 50.0 + 30.0 * std::sin(0.1 * frame);
  for (std::size_t i = 0; i < kBeacons.size(); ++i) {
    (*measured)[i] =
        std::hypot(x - kBeacons[i][0], y - kBeacons[i][1]) + noise->Normal(0.1);
  }
}

}  // namespace

int main() {
  Noise noise;
  double position[2] = {55.0, 45.0};
  std::vector<double> measured(kBeacons.size());
  ceres::Problem problem;
  for (std::size_t i = 0; i < kBeacons.size(); ++i) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Range, 1, 2>(
                                 new Range{kBeacons[i], &measured[i]}),
                             nullptr, position);
  }

  // [loop]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.keep_preprocessing = true;
  for (int frame = 0; frame < 5; ++frame) {
    Measure(frame, &noise, &measured);
    // The start is the result of the frame before.
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    std::printf("frame %d: kept: %s, steps %d, position %.1f %.1f\n", frame,
                summary.preprocessing_was_kept ? "yes" : "no",
                summary.num_successful_steps - 1, position[0], position[1]);
  }
  problem.ReleasePreprocessing();
  // [/loop]
}
