
// Standard deviations of a calibration, and how they are computed.

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [cost]
// A line y = offset + slope t, observed with the standard deviation sigma.
struct Line {
  template <typename T>
  bool operator()(const T* offset, const T* slope, T* residual) const {
    residual[0] = (offset[0] + slope[0] * t - y) / sigma;
    return true;
  }
  double t, y, sigma;
};
// [/cost]

constexpr double kSigma = 0.2;
constexpr int kCount = 50;

struct Fit {
  double offset = 0.0;
  double slope = 0.0;
  ceres::Problem problem;

  explicit Fit(Noise* noise) {
    using Cost = ceres::AutoDiffCostFunction<Line, 1, 1, 1>;
    for (int i = 0; i < kCount; ++i) {
      const double t = 0.1 * i;
      const double y = 1.0 + 2.0 * t + noise->Normal(kSigma);
      problem.AddResidualBlock(new Cost(new Line{t, y, kSigma}), nullptr,
                               &offset, &slope);
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_QR;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    reduced_chi_square = 2.0 * summary.final_cost / (kCount - 2);
  }

  double reduced_chi_square = 0.0;
};

}  // namespace

int main() {
  Noise noise;
  Fit fit(&noise);
  ceres::Problem& problem = fit.problem;
  double* const offset = &fit.offset;
  double* const slope = &fit.slope;

  // [compute]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  const std::vector<std::pair<const double*, const double*>> blocks = {
      {offset, offset}, {slope, slope}, {offset, slope}};
  if (!covariance.Compute(blocks, &problem)) return 1;  // The log says why.
  double variance_of_offset, variance_of_slope, both;
  covariance.GetCovarianceBlock(offset, offset, &variance_of_offset);
  covariance.GetCovarianceBlock(slope, slope, &variance_of_slope);
  covariance.GetCovarianceBlock(offset, slope, &both);
  // [/compute]
  const double sigma_offset = std::sqrt(variance_of_offset);
  const double sigma_slope = std::sqrt(variance_of_slope);
  std::printf("offset %.3f +- %.3f\n", *offset, sigma_offset);
  std::printf("slope  %.3f +- %.3f\n", *slope, sigma_slope);
  std::printf("correlation %.2f\n", both / (sigma_offset * sigma_slope));
  std::printf("2 cost / (residuals - parameters) = %.2f\n",
              fit.reduced_chi_square);

  // [check]
  // The same measurement 500 times, with other noise.
  double sum = 0.0, sum_of_squares = 0.0;
  std::vector<int> histogram(24, 0);  // Bins of 0.005 from 1.94 to 2.06.
  constexpr int kTrials = 500;
  for (int trial = 0; trial < kTrials; ++trial) {
    const double error = Fit(&noise).slope - 2.0;
    sum += error;
    sum_of_squares += error * error;
    const int bin = static_cast<int>(std::floor((error + 0.06) / 0.005));
    if (bin >= 0 && bin < 24) ++histogram[bin];
  }
  // [/check]
  std::printf("slope of %d simulations: mean error %.3f, deviation %.3f\n",
              kTrials, sum / kTrials, std::sqrt(sum_of_squares / kTrials));
  std::printf("\nhistogram: slope, count\n");
  for (int i = 0; i < 24; ++i) {
    std::printf("%.4f %d\n", 1.9425 + 0.005 * i, histogram[i]);
  }
}
