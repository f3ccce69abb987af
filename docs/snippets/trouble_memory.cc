
// Estimates the memory of a solve before it runs.

#include <array>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// Stands for a reprojection error: only its sizes matter here.
struct Reprojection {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residual) const {
    residual[0] = camera[0] * point[0];
    residual[1] = camera[1] * point[1];
    return true;
  }
};

// [estimate]
void PrintMegabytes(const char* name, double num_doubles) {
  std::printf("%-38s %9.1f MB\n", name, num_doubles * 8 / 1e6);
}

// num_reduced: tangent coordinates that a Schur-type solver does not
// eliminate, in bundle adjustment those of the cameras.
void Estimate(const ceres::Problem& problem, double num_reduced) {
  std::vector<double*> parameters;
  problem.GetParameterBlocks(&parameters);
  double n = 0.0;
  for (const double* block : parameters) {
    n += problem.ParameterBlockTangentSize(block);
  }
  std::vector<ceres::ResidualBlockId> residual_blocks;
  problem.GetResidualBlocks(&residual_blocks);
  const double m = problem.NumResiduals();
  double entries = 0.0;
  for (const auto& id : residual_blocks) {
    std::vector<double*> blocks;
    problem.GetParameterBlocksForResidualBlock(id, &blocks);
    double columns = 0.0;
    for (const double* block : blocks) {
      columns += problem.ParameterBlockTangentSize(block);
    }
    const auto* cost = problem.GetCostFunctionForResidualBlock(id);
    entries += cost->num_residuals() * columns;
  }
  PrintMegabytes("Jacobian, as blocks", entries);
  PrintMegabytes("DENSE_QR: J as a dense matrix", m * n);
  PrintMegabytes("DENSE_NORMAL_CHOLESKY: J'J as dense", n * n);
  PrintMegabytes("DENSE_SCHUR: S as a dense matrix", num_reduced * num_reduced);
}
// [/estimate]

}  // namespace

int main() {
  constexpr int kCameras = 100, kPoints = 5000, kViews = 4;
  std::vector<std::array<double, 9>> cameras(kCameras);
  std::vector<std::array<double, 3>> points(kPoints);
  ceres::Problem problem;
  using Cost = ceres::AutoDiffCostFunction<Reprojection, 2, 9, 3>;
  for (int i = 0; i < kPoints; ++i) {
    for (int k = 0; k < kViews; ++k) {
      problem.AddResidualBlock(new Cost(new Reprojection), nullptr,
                               cameras[(i + 7 * k) % kCameras].data(),
                               points[i].data());
    }
  }
  Estimate(problem, 9.0 * kCameras);
}
