// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_FILE_SYNC_H_
#define CERES_INTERNAL_BASE_FILE_SYNC_H_

#include <cstdio>
#include <string>

#include "ceres/parallel/detail/export.h"

// Implemented with the other functions of the platform (platform.h).
namespace ceres::platform {

// Waits until the disk has what was written to the file. False: errno says why.
CERES_PARALLEL_EXPORT bool SyncFile(std::FILE* file);

// Waits until the disk has the names of the files in a folder. False: errno
// says why. Windows needs no such call.
CERES_PARALLEL_EXPORT bool SyncFolder(const std::string& folder);

}  // namespace ceres::platform

#endif  // CERES_INTERNAL_BASE_FILE_SYNC_H_
