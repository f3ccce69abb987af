// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ceres/internal/hypot.h"
#include "ceres/logging/logging.h"

namespace ceres {
namespace {

// The positions of the components of a quaternion.
struct HamiltonStorage {
  static constexpr int kW = 0, kX = 1, kY = 2, kZ = 3;
};
struct EigenStorage {
  static constexpr int kW = 3, kX = 0, kY = 1, kZ = 2;
};

// The quaternion s + i I + j J + k K, wherever its components are stored.
struct Hamilton {
  template <typename Storage>
  static Hamilton Load(const double* q) {
    return {q[Storage::kW], q[Storage::kX], q[Storage::kY], q[Storage::kZ]};
  }

  template <typename Storage>
  void Store(double* q) const {
    q[Storage::kX] = i;
    q[Storage::kY] = j;
    q[Storage::kZ] = k;
    q[Storage::kW] = s;
  }

  double s, i, j, k;
};

// (s + u) (t + v) = (s t - u.v) + (t u + s v + u x v) for vector parts u, v.
inline Hamilton operator*(const Hamilton& p, const Hamilton& q) {
  return {p.s * q.s - (p.i * q.i + p.j * q.j + p.k * q.k),
          (p.i * q.s + p.s * q.i) + (p.j * q.k - p.k * q.j),
          (p.j * q.s + p.s * q.j) + (p.k * q.i - p.i * q.k),
          (p.k * q.s + p.s * q.k) + (p.i * q.j - p.j * q.i)};
}

// x_plus_delta = [cos|delta|; sin|delta| delta / |delta|] * x. The output may
// be x.
template <typename Storage>
void QuaternionPlus(const double* x, const double* delta,
                    double* x_plus_delta) {
  // Hypot keeps tangents whose squares underflow: from a component that is
  // zero, even they move.
  const double angle = internal::Hypot(delta[0], delta[1], delta[2]);
  if (angle == 0.0) {
    std::copy_n(x, 4, x_plus_delta);
    return;
  }
  const double sinc = std::sin(angle) / angle;
  const Hamilton turn{std::cos(angle), sinc * delta[0], sinc * delta[1],
                      sinc * delta[2]};
  const Hamilton turned = turn * Hamilton::Load<Storage>(x);
  turned.Store<Storage>(x_plus_delta);
}

// The derivative of [1; delta] * x by delta, a 4 x 3 matrix with orthonormal
// columns.
template <typename Storage>
void QuaternionPlusJacobian(const double* x, double* jacobian) {
  const double u = x[Storage::kX];
  const double v = x[Storage::kY];
  const double w = x[Storage::kZ];
  const double s = x[Storage::kW];
  const auto set_row = [jacobian](int row, double by_0, double by_1,
                                  double by_2) {
    double* const entries = jacobian + 3 * row;
    entries[0] = by_0;
    entries[1] = by_1;
    entries[2] = by_2;
  };
  set_row(Storage::kX, s, w, -v);
  set_row(Storage::kY, -w, s, u);
  set_row(Storage::kZ, v, -u, s);
  set_row(Storage::kW, -u, -v, -w);
}

template <typename Storage>
void QuaternionMinus(const double* y, const double* x, double* y_minus_x) {
  const Hamilton from = Hamilton::Load<Storage>(x);
  const Hamilton conjugate{from.s, -from.i, -from.j, -from.k};
  const Hamilton turn = Hamilton::Load<Storage>(y) * conjugate;
  const double sine = internal::Hypot(turn.i, turn.j, turn.k);
  const double scale = sine > 0.0 ? std::atan2(sine, turn.s) / sine : 0.0;
  y_minus_x[0] = scale * turn.i;
  y_minus_x[1] = scale * turn.j;
  y_minus_x[2] = scale * turn.k;
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
  VESTA_CHECK_GE(size, 0)
      << "The size of a SubsetManifold must not be negative.";
  std::vector<bool> is_constant(size, false);
  for (const int index : constant_parameters) {
    VESTA_CHECK(index >= 0 && index < size)
        << "SubsetManifold: the constant parameter " << index
        << " is not in [0, " << size << ").";
    VESTA_CHECK(!is_constant[index])
        << "SubsetManifold: the constant parameter " << index
        << " is given more than once.";
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
