// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves with two Ceres libraries, in turns and at the same time, and checks
// that each side uses its own library and that both find the same minimum.

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "side.h"

namespace {

int num_failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "Wrong: %s\n", what.c_str());
  ++num_failures;
}

bool IsOfVesta(const std::string& file) {
  return file.find("/libceres-vesta.so") != std::string::npos;
}

bool IsOfOther(const std::string& file) {
  return file.find("/libceres.so") != std::string::npos;
}

bool AreClose(double a, double b) {
  return std::abs(a - b) <= 1e-6 * (1.0 + std::abs(a));
}

void ExpectSameMinimum(const Fit& a, const Fit& b, const std::string& when) {
  Expect(a.has_converged && b.has_converged, when + ": a solve has failed");
  Expect(AreClose(a.final_cost, b.final_cost), when + ": costs differ");
  for (int i = 0; i < 2; ++i) {
    Expect(AreClose(a.curve[i], b.curve[i]), when + ": curves differ");
  }
  for (int i = 0; i < 4; ++i) {
    Expect(AreClose(a.quaternion[i], b.quaternion[i]),
           when + ": quaternions differ");
  }
}

}  // namespace

int main() {
  for (const std::string& file :
       {with_vesta::FileOfSolve(), with_vesta::FileOfName()}) {
    Expect(IsOfVesta(file), "the side of Vesta uses " + file);
  }
  for (const std::string& file :
       {with_other::FileOfSolve(), with_other::FileOfName()}) {
    Expect(IsOfOther(file), "the other side uses " + file);
  }

  Fit vesta;
  Fit other;
  for (int turn = 0; turn < 3; ++turn) {
    with_vesta::Improve(2, 1, &vesta);
    with_other::Improve(2, 1, &other);
  }
  with_vesta::Improve(50, 1, &vesta);
  with_other::Improve(50, 1, &other);
  ExpectSameMinimum(vesta, other, "in turns");

  Fit vesta_in_thread;
  Fit other_in_thread;
  std::thread thread([&vesta_in_thread] {
    for (int i = 0; i < 20; ++i) {
      vesta_in_thread = Fit();
      with_vesta::Improve(100, 2, &vesta_in_thread);
    }
  });
  for (int i = 0; i < 20; ++i) {
    other_in_thread = Fit();
    with_other::Improve(100, 2, &other_in_thread);
  }
  thread.join();
  ExpectSameMinimum(vesta_in_thread, other_in_thread, "at the same time");
  ExpectSameMinimum(vesta, vesta_in_thread, "Vesta in turns, and in a thread");

  if (num_failures != 0) return 1;
  std::printf("exp(%.6f x + %.6f), cost %.9f\n", vesta.curve[0], vesta.curve[1],
              vesta.final_cost);
  return 0;
}
