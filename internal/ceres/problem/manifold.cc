// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "glog/logging.h"

namespace ceres {
namespace {

// Where the components of a quaternion stand.
struct HamiltonStorage {
  static constexpr int kW = 0, kX = 1, kY = 2, kZ = 3;
};
struct EigenStorage {
  static constexpr int kW = 3, kX = 0, kY = 1, kZ = 2;
};

// std::hypot keeps tangents whose squares underflow: from a component that is
// zero, even they move.
double Norm(double x, double y, double z) { return std::hypot(x, y, z); }

// x_plus_delta = [cos|delta|; sin|delta| delta / |delta|] * x. The output may
// be x.
template <typename Storage>
void QuaternionPlus(const double* x, const double* delta,
                    double* x_plus_delta) {
  const double norm = Norm(delta[0], delta[1], delta[2]);
  if (norm == 0.0) {
    std::copy_n(x, 4, x_plus_delta);
    return;
  }
  const double sinc = std::sin(norm) / norm;
  const double qw = std::cos(norm);
  const double qx = sinc * delta[0];
  const double qy = sinc * delta[1];
  const double qz = sinc * delta[2];
  const double w = x[Storage::kW];
  const double vx = x[Storage::kX];
  const double vy = x[Storage::kY];
  const double vz = x[Storage::kZ];
  x_plus_delta[Storage::kW] = qw * w - qx * vx - qy * vy - qz * vz;
  x_plus_delta[Storage::kX] = qw * vx + qx * w + qy * vz - qz * vy;
  x_plus_delta[Storage::kY] = qw * vy - qx * vz + qy * w + qz * vx;
  x_plus_delta[Storage::kZ] = qw * vz + qx * vy - qy * vx + qz * w;
}

// The derivative of [1; delta] * x by delta, a 4 x 3 matrix with orthonormal
// columns.
template <typename Storage>
void QuaternionPlusJacobian(const double* x, double* jacobian) {
  const double w = x[Storage::kW];
  const double vx = x[Storage::kX];
  const double vy = x[Storage::kY];
  const double vz = x[Storage::kZ];
  const auto set_row = [jacobian](int row, double a, double b, double c) {
    jacobian[3 * row] = a;
    jacobian[3 * row + 1] = b;
    jacobian[3 * row + 2] = c;
  };
  set_row(Storage::kW, -vx, -vy, -vz);
  set_row(Storage::kX, w, vz, -vy);
  set_row(Storage::kY, -vz, w, vx);
  set_row(Storage::kZ, vy, -vx, w);
}

template <typename Storage>
void QuaternionMinus(const double* y, const double* x, double* y_minus_x) {
  const double xw = x[Storage::kW];
  const double xx = x[Storage::kX];
  const double xy = x[Storage::kY];
  const double xz = x[Storage::kZ];
  const double yw = y[Storage::kW];
  const double yx = y[Storage::kX];
  const double yy = y[Storage::kY];
  const double yz = y[Storage::kZ];
  // [w; u] = y * conj(x)
  const double w = yw * xw + yx * xx + yy * xy + yz * xz;
  const double ux = -yw * xx + yx * xw - yy * xz + yz * xy;
  const double uy = -yw * xy + yx * xz + yy * xw - yz * xx;
  const double uz = -yw * xz - yx * xy + yy * xx + yz * xw;
  const double u_norm = Norm(ux, uy, uz);
  const double scale = u_norm > 0.0 ? std::atan2(u_norm, w) / u_norm : 0.0;
  y_minus_x[0] = scale * ux;
  y_minus_x[1] = scale * uy;
  y_minus_x[2] = scale * uz;
}

// The derivative of the vector part of y * conj(x) by y, a 3 x 4 matrix: the
// transpose of PlusJacobian.
template <typename Storage>
void QuaternionMinusJacobian(const double* x, double* jacobian) {
  std::array<double, 12> plus_jacobian;
  QuaternionPlusJacobian<Storage>(x, plus_jacobian.data());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      jacobian[4 * i + j] = plus_jacobian[3 * j + i];
    }
  }
}

// tangent_matrix = ambient_matrix * plus_jacobian, all row-major.
void MultiplyByPlusJacobian(int num_rows, int ambient_size, int tangent_size,
                            const double* ambient_matrix,
                            const double* plus_jacobian,
                            double* tangent_matrix) {
  for (int row = 0; row < num_rows; ++row) {
    const double* ambient_row = ambient_matrix + row * ambient_size;
    double* tangent_row = tangent_matrix + row * tangent_size;
    std::fill_n(tangent_row, tangent_size, 0.0);
    for (int k = 0; k < ambient_size; ++k) {
      const double* jacobian_row = plus_jacobian + k * tangent_size;
      for (int col = 0; col < tangent_size; ++col) {
        tangent_row[col] += ambient_row[k] * jacobian_row[col];
      }
    }
  }
}

// The same with sizes that the compiler knows; PlusJacobian included.
template <int kAmbientSize, int kTangentSize>
bool RightMultiplyOfSize(const Manifold& manifold, const double* x,
                         int num_rows, const double* ambient_row,
                         double* tangent_row) {
  double jacobian[kAmbientSize * kTangentSize];
  if (!manifold.PlusJacobian(x, jacobian)) return false;
  for (int row = 0; row < num_rows; ++row) {
    double sum[kTangentSize] = {};
    for (int k = 0; k < kAmbientSize; ++k) {
      for (int col = 0; col < kTangentSize; ++col) {
        sum[col] += ambient_row[k] * jacobian[k * kTangentSize + col];
      }
    }
    std::copy_n(sum, kTangentSize, tangent_row);
    ambient_row += kAmbientSize;
    tangent_row += kTangentSize;
  }
  return true;
}

}  // namespace

Manifold::~Manifold() = default;

bool Manifold::RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                           const double* ambient_matrix,
                                           double* tangent_matrix) const {
  const int tangent_size = TangentSize();
  if (tangent_size == 0) {
    return true;
  }
  const int ambient_size = AmbientSize();
  if (ambient_size == 1 && tangent_size == 1) {  // angles
    return RightMultiplyOfSize<1, 1>(*this, x, num_rows, ambient_matrix,
                                     tangent_matrix);
  }
  if (ambient_size == 4 && tangent_size == 3) {  // quaternions
    return RightMultiplyOfSize<4, 3>(*this, x, num_rows, ambient_matrix,
                                     tangent_matrix);
  }

  // Most manifolds are small; they need no allocation.
  constexpr int kMaxNumOnStack = 128;
  const int num_entries = ambient_size * tangent_size;
  std::array<double, kMaxNumOnStack> on_stack;
  std::vector<double> on_heap(num_entries > kMaxNumOnStack ? num_entries : 0);
  double* plus_jacobian = on_heap.empty() ? on_stack.data() : on_heap.data();
  if (!PlusJacobian(x, plus_jacobian)) {
    return false;
  }
  MultiplyByPlusJacobian(num_rows, ambient_size, tangent_size, ambient_matrix,
                         plus_jacobian, tangent_matrix);
  return true;
}

SubsetManifold::SubsetManifold(int size,
                               const std::vector<int>& constant_parameters)
    : size_(size) {
  CHECK_GE(size, 0) << "The size of a SubsetManifold must not be negative.";
  std::vector<bool> is_constant(size, false);
  for (const int index : constant_parameters) {
    CHECK(index >= 0 && index < size)
        << "SubsetManifold: the constant parameter " << index
        << " is not in [0, " << size << ").";
    CHECK(!is_constant[index]) << "SubsetManifold: the constant parameter "
                               << index << " is given more than once.";
    is_constant[index] = true;
  }
  for (int i = 0; i < size; ++i) {
    if (!is_constant[i]) {
      variable_indices_.push_back(i);
    }
  }
}

int SubsetManifold::AmbientSize() const { return size_; }

int SubsetManifold::TangentSize() const {
  return static_cast<int>(variable_indices_.size());
}

bool SubsetManifold::Plus(const double* x, const double* delta,
                          double* x_plus_delta) const {
  if (x_plus_delta != x) {
    std::copy_n(x, size_, x_plus_delta);
  }
  for (const int index : variable_indices_) {
    x_plus_delta[index] += *delta++;
  }
  return true;
}

bool SubsetManifold::PlusJacobian(const double* /*x*/, double* jacobian) const {
  const int tangent_size = TangentSize();
  std::fill_n(jacobian, size_ * tangent_size, 0.0);
  for (int col = 0; col < tangent_size; ++col) {
    jacobian[variable_indices_[col] * tangent_size + col] = 1.0;
  }
  return true;
}

bool SubsetManifold::RightMultiplyByPlusJacobian(const double* /*x*/,
                                                 const int num_rows,
                                                 const double* ambient_matrix,
                                                 double* tangent_matrix) const {
  for (int row = 0; row < num_rows; ++row) {
    const double* ambient_row = ambient_matrix + row * size_;
    for (const int index : variable_indices_) {
      *tangent_matrix++ = ambient_row[index];
    }
  }
  return true;
}

bool SubsetManifold::Minus(const double* y, const double* x,
                           double* y_minus_x) const {
  for (const int index : variable_indices_) {
    *y_minus_x++ = y[index] - x[index];
  }
  return true;
}

bool SubsetManifold::MinusJacobian(const double* /*x*/,
                                   double* jacobian) const {
  const int tangent_size = TangentSize();
  std::fill_n(jacobian, tangent_size * size_, 0.0);
  for (int row = 0; row < tangent_size; ++row) {
    jacobian[row * size_ + variable_indices_[row]] = 1.0;
  }
  return true;
}

bool QuaternionManifold::Plus(const double* x, const double* delta,
                              double* x_plus_delta) const {
  QuaternionPlus<HamiltonStorage>(x, delta, x_plus_delta);
  return true;
}

bool QuaternionManifold::PlusJacobian(const double* x, double* jacobian) const {
  QuaternionPlusJacobian<HamiltonStorage>(x, jacobian);
  return true;
}

bool QuaternionManifold::Minus(const double* y, const double* x,
                               double* y_minus_x) const {
  QuaternionMinus<HamiltonStorage>(y, x, y_minus_x);
  return true;
}

bool QuaternionManifold::MinusJacobian(const double* x,
                                       double* jacobian) const {
  QuaternionMinusJacobian<HamiltonStorage>(x, jacobian);
  return true;
}

bool EigenQuaternionManifold::Plus(const double* x, const double* delta,
                                   double* x_plus_delta) const {
  QuaternionPlus<EigenStorage>(x, delta, x_plus_delta);
  return true;
}

bool EigenQuaternionManifold::PlusJacobian(const double* x,
                                           double* jacobian) const {
  QuaternionPlusJacobian<EigenStorage>(x, jacobian);
  return true;
}

bool EigenQuaternionManifold::Minus(const double* y, const double* x,
                                    double* y_minus_x) const {
  QuaternionMinus<EigenStorage>(y, x, y_minus_x);
  return true;
}

bool EigenQuaternionManifold::MinusJacobian(const double* x,
                                            double* jacobian) const {
  QuaternionMinusJacobian<EigenStorage>(x, jacobian);
  return true;
}

}  // namespace ceres
