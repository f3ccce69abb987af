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

bool BarTable::Print(const std::string& what, double figure,
                     const std::string& limit, const std::string& unit,
                     std::string verdict) {
  const bool disturbed = TakeNumDisturbed() > 0;
  if (disturbed) verdict += verdict.empty() ? "disturbed" : ", disturbed";
  std::printf("| %-66s | %-14s | %-17s | %s\n", what.c_str(),
              Figure(figure, unit).c_str(), limit.c_str(), verdict.c_str());
  std::fflush(stdout);
  return disturbed;
}

void BarTable::Judge(const std::string& bar, double figure,
                     const std::string& limit, const std::string& unit,
                     bool met) {
  const bool disturbed =
      Print(bar, figure, limit, unit, met ? "met" : "MISSED");
  ++num_judged_;
  if (met) return;
  ++num_missed_;
  if (disturbed) ++num_disturbed_;
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
