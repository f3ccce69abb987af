// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bars.h"

#include <cstdio>

#include "timing.h"

namespace vesta_benchmarks {
namespace {

std::string Figure(double figure, const std::string& unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.4g %s", figure, unit.c_str());
  return text;
}

}  // namespace

BarTable::BarTable() {
  std::printf("| %-66s | %-14s | %-17s | %s\n", "bar", "figure", "limit",
              "verdict");
  std::printf("|%s|%s|%s|%s\n", std::string(68, '-').c_str(),
              std::string(16, '-').c_str(), std::string(19, '-').c_str(),
              std::string(8, '-').c_str());
}

void BarTable::Print(const std::string& what, double figure,
                     const std::string& limit, const std::string& unit,
                     const std::string& verdict) {
  std::printf("| %-66s | %-14s | %-17s | %s\n", what.c_str(),
              Figure(figure, unit).c_str(), limit.c_str(), verdict.c_str());
  std::fflush(stdout);
}

void BarTable::Judge(const std::string& bar, double figure,
                     const std::string& limit, const std::string& unit,
                     bool met) {
  const bool disturbed = TakeNumDisturbed() > 0;
  ++num_judged_;
  num_missed_ += met ? 0 : 1;
  num_disturbed_ += !met && disturbed ? 1 : 0;
  Print(bar, figure, limit, unit,
        std::string(met ? "met" : "MISSED") + (disturbed ? ", disturbed" : ""));
}

void BarTable::AtMost(const std::string& bar, double figure, double limit,
                      const std::string& unit) {
  Judge(bar, figure, "<= " + Figure(limit, unit), unit, figure <= limit);
}

void BarTable::AtLeast(const std::string& bar, double figure, double limit,
                       const std::string& unit) {
  Judge(bar, figure, ">= " + Figure(limit, unit), unit, figure >= limit);
}

void BarTable::Tell(const std::string& what, double figure,
                    const std::string& unit, const std::string& remark) {
  Print("  " + what, figure, "", unit, remark);
}

}  // namespace vesta_benchmarks
