// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Removes normal noise from an image: finds the image x that is most likely
// when y was seen and images look as a fields-of-experts model says
// (fields_of_experts.h), the minimum of
//
//   1/2 sum_i ((x_i - y_i) / sigma)^2 + E(x).
//
//   denoising --input=noisy.pgm --foe_file=2x2.foe --output=clean.pgm
//
// Every pixel is a parameter block.
//
// Prints: Initial *1.07433.e.05
// Prints: Final *2.5.*e.04
// Prints: difference of neighbours: 30.50.* -> 7.1

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "fields_of_experts.h"
#include "gflags/gflags.h"
#include "parse_flag.h"
#include "pgm_image.h"
#include "random.h"

DEFINE_string(input, "", "Noisy PGM image; required.");
DEFINE_string(foe_file, "", "Fields-of-experts model; required.");
DEFINE_string(output, "", "Write the result to this PGM image.");
DEFINE_double(sigma, 20.0, "Standard deviation of the noise, in grey levels.");
VESTA_DEFINE_ENUM_FLAG(trust_region_strategy, TrustRegionStrategyType,
                       ::ceres::LEVENBERG_MARQUARDT);
VESTA_DEFINE_ENUM_FLAG(dogleg, DoglegType, ::ceres::TRADITIONAL_DOGLEG);
VESTA_DEFINE_ENUM_FLAG(linear_solver, LinearSolverType,
                       ::ceres::SPARSE_NORMAL_CHOLESKY);
VESTA_DEFINE_ENUM_FLAG(preconditioner, PreconditionerType, ::ceres::JACOBI);
VESTA_DEFINE_ENUM_FLAG(
    sparse_linear_algebra_library, SparseLinearAlgebraLibraryType,
    ::ceres::Solver::Options().sparse_linear_algebra_library_type);
DEFINE_double(eta, 1e-2, "Forcing term of inexact steps.");
DEFINE_int32(num_threads, 1, "Threads of the solver.");
DEFINE_int32(num_iterations, 10, "Most iterations of the minimizer.");
DEFINE_bool(nonmonotonic_steps, false, "Allow steps that increase the cost.");
DEFINE_bool(inner_iterations, false, "Improve each step block by block.");
DEFINE_bool(mixed_precision_solves, false, "Factorize in single precision.");
DEFINE_int32(max_num_refinement_iterations, 0,
             "Refinements of each linear solve.");
DEFINE_bool(line_search, false, "Line search instead of trust region.");
DEFINE_double(subset_fraction, 0.2,
              "Share of residual blocks from which the preconditioner subset "
              "is made.");

namespace ceres::examples {
namespace {

// residual = (x - y) / sigma.
class NoiseResidual final : public SizedCostFunction<1, 1> {
 public:
  NoiseResidual(double seen, double sigma) : seen_(seen), sigma_(sigma) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    residuals[0] = (parameters[0][0] - seen_) / sigma_;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = 1.0 / sigma_;
    }
    return true;
  }

 private:
  double seen_;
  double sigma_;
};

// A patch for each position at which it is wholly inside of the image. The cost
// functions and losses of a filter are the same everywhere; the problem owns
// them and deletes each once.
void AddPatches(const FieldsOfExperts& foe, PgmImage* image, Problem* problem) {
  std::vector<CostFunction*> costs;
  std::vector<LossFunction*> losses;
  for (int k = 0; k < foe.num_filters(); ++k) {
    costs.push_back(new FieldsOfExpertsCost(foe.filters[k]));
    losses.push_back(new FieldsOfExpertsLoss(foe.alphas[k]));
  }
  std::vector<double*> patch(foe.num_pixels());
  for (int y = 0; y + foe.size <= image->height(); ++y) {
    for (int x = 0; x + foe.size <= image->width(); ++x) {
      for (int i = 0; i < foe.num_pixels(); ++i) {
        patch[i] = image->pixel(x + foe.x_offsets[i], y + foe.y_offsets[i]);
      }
      for (int k = 0; k < foe.num_filters(); ++k) {
        problem->AddResidualBlock(costs[k], losses[k], patch);
      }
    }
  }
}

void BuildProblem(const FieldsOfExperts& foe, PgmImage* image,
                  Problem* problem) {
  for (double& pixel : image->pixels()) {
    problem->AddResidualBlock(new NoiseResidual(pixel, FLAGS_sigma), nullptr,
                              &pixel);
  }
  AddPatches(foe, image, problem);
}

// The noise residuals, one for each pixel, keep the preconditioner regular. Of
// the others it has a share, drawn by chance.
void ChooseSubset(const PgmImage& image, const Problem& problem,
                  Solver::Options* options) {
  std::vector<ResidualBlockId> residual_blocks;
  problem.GetResidualBlocks(&residual_blocks);
  Random random(1);
  for (size_t i = 0; i < residual_blocks.size(); ++i) {
    if (i < image.pixels().size() || random.Uniform() < FLAGS_subset_fraction) {
      options->residual_blocks_for_subset_preconditioner.insert(
          residual_blocks[i]);
    }
  }
}

bool SetOptions(Solver::Options* options) {
  options->minimizer_progress_to_stdout = true;
  options->max_num_iterations = FLAGS_num_iterations;
  options->eta = FLAGS_eta;
  options->num_threads = FLAGS_num_threads;
  options->use_nonmonotonic_steps = FLAGS_nonmonotonic_steps;
  options->use_inner_iterations = FLAGS_inner_iterations;
  options->use_mixed_precision_solves = FLAGS_mixed_precision_solves;
  options->max_num_refinement_iterations = FLAGS_max_num_refinement_iterations;
  if (FLAGS_line_search) options->minimizer_type = LINE_SEARCH;
  // Grey levels are good to a fraction of one.
  options->function_tolerance = 1e-3;
  return ParseFlag("trust_region_strategy", FLAGS_trust_region_strategy,
                   StringToTrustRegionStrategyType,
                   &options->trust_region_strategy_type) &&
         ParseFlag("dogleg", FLAGS_dogleg, StringToDoglegType,
                   &options->dogleg_type) &&
         ParseFlag("linear_solver", FLAGS_linear_solver,
                   StringToLinearSolverType, &options->linear_solver_type) &&
         ParseFlag("preconditioner", FLAGS_preconditioner,
                   StringToPreconditionerType, &options->preconditioner_type) &&
         ParseFlag("sparse_linear_algebra_library",
                   FLAGS_sparse_linear_algebra_library,
                   StringToSparseLinearAlgebraLibraryType,
                   &options->sparse_linear_algebra_library_type);
}

// The root mean square difference of neighbours in a row, in grey levels: noise
// makes it large.
double Roughness(const PgmImage& image) {
  double sum = 0.0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x + 1 < image.width(); ++x) {
      const double difference = image.pixel(x + 1, y) - image.pixel(x, y);
      sum += difference * difference;
    }
  }
  return std::sqrt(sum / image.num_pixels());
}

// The exit status.
int Run() {
  Solver::Options options;
  PgmImage image;
  FieldsOfExperts foe;
  std::string error;
  if (!SetOptions(&options)) return 1;
  if (!ReadPgm(FLAGS_input, &image, &error) ||
      !ReadFieldsOfExperts(FLAGS_foe_file, &foe, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  if (image.width() < foe.size || image.height() < foe.size) {
    std::cerr << FLAGS_input << ": the image is smaller than the filters of "
              << FLAGS_foe_file << "\n";
    return 1;
  }
  const double initial_roughness = Roughness(image);

  Problem problem;
  BuildProblem(foe, &image, &problem);
  if (options.preconditioner_type == SUBSET) {
    ChooseSubset(image, problem, &options);
  }
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  std::cout << summary.FullReport() << "\n";
  std::cout << "Root mean square difference of neighbours: "
            << initial_roughness << " -> " << Roughness(image) << "\n";
  if (!FLAGS_output.empty() && !WritePgm(image, FLAGS_output, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::SetUsageMessage("denoising --input=PGM_FILE --foe_file=FILE [flags]");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty() || FLAGS_foe_file.empty()) {
    std::cerr << "Usage: denoising --input=PGM_FILE --foe_file=FILE [flags]\n";
    return 1;
  }
  if (!(FLAGS_sigma > 0.0)) {
    std::cerr << "--sigma must be positive.\n";
    return 1;
  }
  return ceres::examples::Run();
}
