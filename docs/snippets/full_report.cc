
// Reads the report of a solve.

#include <cstdio>
#include <regex>
#include <string>

#include "ceres/ceres.h"
#include "outcome.h"
#include "small_bundle.h"

namespace {

// Replaces what differs between builds and runs: the version, licences, times,
// and the digits of the convergence test.
std::string WithoutTimes(std::string report) {
  report = std::regex_replace(report, std::regex("\\(v [^)]*\\)"), "(v ...)");
  report =
      std::regex_replace(report, std::regex("Licences: .*"), "Licences: ...");
  report = std::regex_replace(report, std::regex("\\b[0-9]+\\.[0-9]{6}(?!e)"),
                              "0.000000");
  return std::regex_replace(
      report, std::regex("([0-9]\\.[0-9])[0-9]{5}(e[-+][0-9]+ <=)"), "$1$2");
}

}  // namespace

int main() {
  SmallBundle bundle(5, 40);
  // [solve]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_SCHUR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &bundle.problem, &summary);
  const std::string brief_report = summary.BriefReport();
  const std::string report = summary.FullReport();
  // [/solve]
  PrintWrapped(brief_report);
  std::printf("\n%s", WithoutTimes(report).c_str());
}
