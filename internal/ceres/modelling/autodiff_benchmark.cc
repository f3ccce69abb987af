// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Cost functions evaluated by automatic differentiation, with and without their
// Jacobians. Uses nothing but the public API, so that the same file can be
// compiled against another implementation of it:
//
//   g++ -O3 -std=c++17 -I/usr/include/eigen3 autodiff_benchmark.cc
//       -lceres -lglog -lbenchmark -lpthread

#include <array>
#include <cstddef>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "benchmark/benchmark.h"
#include "ceres/autodiff_cost_function.h"
#include "ceres/rotation.h"

namespace {

// y = exp(m x + c): blocks {m}, {c}; 1 residual.
struct ExponentialCurve {
  template <typename T>
  bool operator()(const T* m, const T* c, T* residual) const {
    residual[0] = 2.5 - exp(m[0] * 0.7 + c[0]);
    return true;
  }
};

// The camera of "Bundle Adjustment in the Large" (Agarwal et al., ECCV 2010):
// angle-axis rotation, translation, focal length, two distortion coefficients;
// blocks of 9 and 3, 2 residuals.
struct ReprojectionError {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    T p[3];
    ceres::AngleAxisRotatePoint(camera, point, p);
    p[0] += camera[3];
    p[1] += camera[4];
    p[2] += camera[5];
    const T x = -p[0] / p[2];
    const T y = -p[1] / p[2];
    const T r2 = x * x + y * y;
    const T scale = camera[6] * (1.0 + r2 * (camera[7] + camera[8] * r2));
    residuals[0] = scale * x - 1.5;
    residuals[1] = scale * y - 2.5;
    return true;
  }
};

// The difference of two poses from a measured one: blocks {position 3,
// quaternion 4} twice, 6 residuals.
struct RelativePoseError {
  template <typename T>
  bool operator()(const T* p_a, const T* q_a, const T* p_b, const T* q_b,
                  T* residuals) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Vector3> position_a(p_a), position_b(p_b);
    const Eigen::Map<const Eigen::Quaternion<T>> rotation_a(q_a),
        rotation_b(q_b);
    const Eigen::Quaternion<T> inverse = rotation_a.conjugate();
    const Eigen::Quaternion<T> relative = inverse * rotation_b;
    const Vector3 translation = inverse * (position_b - position_a);
    const Eigen::Quaternion<T> measured(T(0.9), T(0.1), T(0.2), T(0.3));
    const Eigen::Quaternion<T> delta = measured * relative.conjugate();
    Eigen::Map<Eigen::Matrix<T, 6, 1>> r(residuals);
    r.template head<3>() = translation - Vector3(T(1.0), T(2.0), T(3.0));
    r.template tail<3>() = T(2.0) * delta.vec();
    return true;
  }
};

// The Brown function f_i = 10 (x_{i+1} - x_i^2), many parameters in one block.
template <int kSize>
struct Valley {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    for (int i = 0; i + 1 < kSize; ++i) {
      residuals[i] = 10.0 * (x[i + 1] - x[i] * x[i]);
    }
    return true;
  }
};

enum class Jacobians { kNone, kAll };

template <typename Functor, int kNumResiduals, int... Ns>
void BM_Evaluate(benchmark::State& state, Jacobians wanted) {
  const ceres::AutoDiffCostFunction<Functor, kNumResiduals, Ns...> cost(
      new Functor);
  constexpr size_t kNumBlocks = sizeof...(Ns);
  std::array<std::vector<double>, kNumBlocks> x = {
      std::vector<double>(Ns, 0.25)...};
  std::array<std::vector<double>, kNumBlocks> jacobian = {
      std::vector<double>(kNumResiduals * Ns)...};
  std::array<const double*, kNumBlocks> parameters;
  std::array<double*, kNumBlocks> jacobians;
  for (size_t i = 0; i < kNumBlocks; ++i) {
    parameters[i] = x[i].data();
    jacobians[i] = jacobian[i].data();
  }
  std::array<double, kNumResiduals> residuals;
  double** const destination =
      wanted == Jacobians::kAll ? jacobians.data() : nullptr;
  for (auto _ : state) {
    // The first parameter changes, so that no evaluation can be left out.
    x[0][0] += 1e-9;
    cost.Evaluate(parameters.data(), residuals.data(), destination);
    benchmark::DoNotOptimize(residuals);
    benchmark::ClobberMemory();
  }
}

void BM_ExponentialCurve(benchmark::State& state, Jacobians wanted) {
  BM_Evaluate<ExponentialCurve, 1, 1, 1>(state, wanted);
}
void BM_ReprojectionError(benchmark::State& state, Jacobians wanted) {
  BM_Evaluate<ReprojectionError, 2, 9, 3>(state, wanted);
}
void BM_RelativePoseError(benchmark::State& state, Jacobians wanted) {
  BM_Evaluate<RelativePoseError, 6, 3, 4, 3, 4>(state, wanted);
}
void BM_Valley7(benchmark::State& state, Jacobians wanted) {
  BM_Evaluate<Valley<7>, 6, 7>(state, wanted);
}
void BM_Valley60(benchmark::State& state, Jacobians wanted) {
  BM_Evaluate<Valley<60>, 59, 60>(state, wanted);
}

BENCHMARK_CAPTURE(BM_ExponentialCurve, residuals, Jacobians::kNone);
BENCHMARK_CAPTURE(BM_ExponentialCurve, jacobians, Jacobians::kAll);
BENCHMARK_CAPTURE(BM_ReprojectionError, residuals, Jacobians::kNone);
BENCHMARK_CAPTURE(BM_ReprojectionError, jacobians, Jacobians::kAll);
BENCHMARK_CAPTURE(BM_RelativePoseError, residuals, Jacobians::kNone);
BENCHMARK_CAPTURE(BM_RelativePoseError, jacobians, Jacobians::kAll);
BENCHMARK_CAPTURE(BM_Valley7, residuals, Jacobians::kNone);
BENCHMARK_CAPTURE(BM_Valley7, jacobians, Jacobians::kAll);
BENCHMARK_CAPTURE(BM_Valley60, residuals, Jacobians::kNone);
BENCHMARK_CAPTURE(BM_Valley60, jacobians, Jacobians::kAll);

}  // namespace

BENCHMARK_MAIN();
