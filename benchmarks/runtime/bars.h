// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_BARS_H_
#define VESTA_BENCHMARKS_RUNTIME_BARS_H_

#include <string>

namespace vesta_benchmarks {

// The table that runtime_benchmark prints: bar, figure, limit, met or missed.
// Lines are printed as they come, because a whole table takes minutes, and say
// whether a measurement since the line before stayed disturbed (timing.h).
class BarTable {
 public:
  BarTable();

  // The figure is to be at most, or at least, the limit. Both are printed with
  // the unit, for example "x", "ns", "%".
  void AtMost(const std::string& bar, double figure, double limit,
              const std::string& unit);
  void AtLeast(const std::string& bar, double figure, double limit,
               const std::string& unit);

  // A figure that no bar is set for: peers, orientation.
  void Tell(const std::string& what, double figure, const std::string& unit,
            const std::string& remark = "");

  int num_missed() const { return num_missed_; }
  int num_judged() const { return num_judged_; }
  // Missed bars whose measurement stayed disturbed.
  int num_disturbed() const { return num_disturbed_; }

 private:
  void Judge(const std::string& bar, double figure, const std::string& limit,
             const std::string& unit, bool met);
  // Returns whether a measurement stayed disturbed.
  bool Print(const std::string& what, double figure, const std::string& limit,
             const std::string& unit, std::string verdict);

  int num_missed_ = 0;
  int num_judged_ = 0;
  int num_disturbed_ = 0;
};

// A part of the benchmark.
struct Case {
  const char* name;
  void (*judge)(BarTable& table);
};

extern const Case kFibonacci;
extern const Case kTaskGraphs;
extern const Case kBusyTasks;
extern const Case kCrossover;
extern const Case kTeam;
extern const Case kNestedLoops;
extern const Case kShortLoops;
extern const Case kRecursiveLoops;
extern const Case kIdle;
extern const Case kShortTasks;
extern const Case kKernels;

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_BARS_H_
