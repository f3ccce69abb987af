// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/linear_system_dump.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/base/staged_files.h"

namespace ceres::internal {
namespace {

struct LinearSystem {
  const BlockJacobian& jacobian;
  std::vector<double> damping;
  std::vector<double> right_hand_side;
  std::vector<double> solution;

  const BlockJacobianStructure& structure() const {
    return *jacobian.structure;
  }
};

LinearSystem MakeSystem(const BlockJacobian& jacobian, const double* damping,
                        bool is_solved, const double* step) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const int n = s.num_columns();
  LinearSystem system = {jacobian, std::vector<double>(n, 0.0), {}, {}};
  if (damping != nullptr) system.damping.assign(damping, damping + n);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const double* residuals = jacobian.row_block(row);
    for (int i = 0; i < s.row_size(row); ++i) {
      system.right_hand_side.push_back(-residuals[i]);
    }
  }
  system.solution.assign(n, std::numeric_limits<double>::quiet_NaN());
  if (is_solved) system.solution.assign(step, step + n);
  return system;
}

// visit(row, column, value) for the entries of all cells of a row block, by
// rows.
template <typename Visit>
void VisitRowBlock(const BlockJacobian& jacobian, int row_block,
                   Visit&& visit) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const double* values = jacobian.row_block(row_block);
  for (int i = 0; i < s.row_size(row_block); ++i) {
    for (int c = s.first_cell[row_block]; c < s.first_cell[row_block + 1];
         ++c) {
      const int width = s.column_size(s.cell_column[c]);
      const double* row_of_cell = values + s.cell_position[c] + i * width;
      for (int j = 0; j < width; ++j) {
        visit(s.row_offset[row_block] + i,
              s.column_offset[s.cell_column[c]] + j, row_of_cell[j]);
      }
    }
  }
}

// The fewest digits that give the same value again, whatever the locale.
void WriteNumber(double value, std::FILE* file) {
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof(text), value).ptr;
  std::fprintf(file, "%.*s\n", static_cast<int>(end - text), text);
}

void WriteTriplets(const BlockJacobian& jacobian, std::FILE* file) {
  for (int b = 0; b < jacobian.structure->num_row_blocks(); ++b) {
    VisitRowBlock(jacobian, b, [file](int row, int column, double value) {
      std::fprintf(file, "%d %d ", row, column);
      WriteNumber(value, file);
    });
  }
}

void WriteVector(const std::vector<double>& vector, std::FILE* file) {
  for (const double value : vector) WriteNumber(value, file);
}

void WriteLoader(const std::string& name, const BlockJacobianStructure& s,
                 std::FILE* file) {
  std::fprintf(file,
               "%% x = argmin |A x - b|^2 + |D x|^2, D diagonal: the linear "
               "system of one iteration of ceres::Solve.\n"
               "function system = %s()\n"
               "  name = fullfile(fileparts(mfilename('fullpath')), '%s');\n"
               "  entries = load([name '_A.txt'], '-ascii');\n"
               "  system.A = sparse(entries(:, 1) + 1, entries(:, 2) + 1, "
               "entries(:, 3), %d, %d);\n"
               "  system.D = load([name '_D.txt'], '-ascii');\n"
               "  system.b = load([name '_b.txt'], '-ascii');\n"
               "  system.x = load([name '_x.txt'], '-ascii');\n"
               "end\n",
               name.c_str(), name.c_str(), s.num_rows(), s.num_columns());
}

// False: `error` says which file and why.
bool WriteTextFiles(const LinearSystem& system, const std::string& directory,
                    int iteration, std::string* error) {
  const std::string name = Format("ceres_solver_iteration_%03d", iteration);
  const std::string path = directory + "/" + name;
  const auto vector = [](const std::vector<double>& values) {
    return [&values](std::FILE* file) { WriteVector(values, file); };
  };
  StagedFiles files;
  return files.Write(
             path + "_A.txt",
             [&](std::FILE* file) { WriteTriplets(system.jacobian, file); },
             error) &&
         files.Write(path + "_D.txt", vector(system.damping), error) &&
         files.Write(path + "_b.txt", vector(system.right_hand_side), error) &&
         files.Write(path + "_x.txt", vector(system.solution), error) &&
         files.Write(
             path + ".m",
             [&](std::FILE* file) {
               WriteLoader(name, system.structure(), file);
             },
             error) &&
         files.Publish(error);
}

void AppendRow(const std::vector<double>& row, std::string* text) {
  for (const double value : row) AppendFormat(text, " %13.6g", value);
  *text += '\n';
}

// A row at a time, and every vector as one row.
void Print(const LinearSystem& system, int iteration) {
  const BlockJacobianStructure& s = system.structure();
  std::string text = Format(
      "Linear system of iteration %d: x = argmin |A x - b|^2 + |D x|^2\n"
      "A, %s, %s:\n",
      iteration, CountOf(s.num_rows(), "row").c_str(),
      CountOf(s.num_columns(), "column").c_str());
  for (int b = 0; b < s.num_row_blocks(); ++b) {
    std::vector<std::vector<double>> rows(
        s.row_size(b), std::vector<double>(s.num_columns(), 0.0));
    VisitRowBlock(system.jacobian, b, [&](int row, int column, double value) {
      rows[row - s.row_offset[b]][column] = value;
    });
    for (const std::vector<double>& row : rows) AppendRow(row, &text);
  }
  const std::pair<const char*, const std::vector<double>*> vectors[] = {
      {"D", &system.damping},
      {"b", &system.right_hand_side},
      {"x", &system.solution}};
  for (const auto& [name, vector] : vectors) {
    AppendFormat(
        &text, "%s, %s:\n", name,
        CountOf(static_cast<std::int64_t>(vector->size()), "value").c_str());
    AppendRow(*vector, &text);
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace

LinearSystemDump::LinearSystemDump(const MinimizerOptions& options,
                                   LinearSolver* solver)
    : options_(options), solver_(solver) {}

LinearSolverSummary LinearSystemDump::Solve(const BlockJacobian& jacobian,
                                            const SolveOptions& options,
                                            double* step) {
  LinearSolverSummary summary = solver_->Solve(jacobian, options, step);
  if (!IsWanted()) return summary;
  const bool is_solved =
      summary.termination == LinearSolverTermination::kSuccess ||
      summary.termination == LinearSolverTermination::kNoConvergence;
  const LinearSystem system =
      MakeSystem(jacobian, options.damping, is_solved, step);
  if (options_.trust_region_problem_dump_format_type == CONSOLE) {
    Print(system, iteration_);
    return summary;
  }
  std::string error;
  if (!WriteTextFiles(system, options_.trust_region_problem_dump_directory,
                      iteration_, &error)) {
    summary.termination = LinearSolverTermination::kFatalError;
    summary.message = Format(
        "The linear system of iteration %d could not be dumped. %s. See "
        "%s::trust_region_problem_dump_directory.",
        iteration_, error.c_str(), options_.options_name);
  }
  return summary;
}

bool LinearSystemDump::IsWanted() const {
  const std::vector<int>& wanted =
      options_.trust_region_minimizer_iterations_to_dump;
  return std::find(wanted.begin(), wanted.end(), iteration_) != wanted.end();
}

}  // namespace ceres::internal
