// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests: reads the published data sets, which are in a folder beside the
// checkout. A test that needs a data set is skipped if the folder is absent.

#ifndef VESTA_TESTS_SHARED_DATA_H_
#define VESTA_TESTS_SHARED_DATA_H_

#include <filesystem>
#include <optional>
#include <string>

namespace ceres::internal {

// Returns the folder "data" of the folder that the environment variable
// VESTA_SHARED names; if it is not set, of ../shared beside the source folder
// of the build.
std::filesystem::path SharedDataFolder();

// Returns the contents of a data set, for example
// "bal/problem-16-22106-pre.txt". If there is a file with the suffix .xz
// instead, decompresses it by the program xz. Returns nothing if the file or xz
// is missing.
std::optional<std::string> ReadSharedData(const std::string& name);

}  // namespace ceres::internal

#endif  // VESTA_TESTS_SHARED_DATA_H_
