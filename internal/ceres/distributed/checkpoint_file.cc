// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/checkpoint_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "ceres/base/file_sync.h"
#include "ceres/base/format.h"
#include "ceres/base/staged_files.h"
#include "ceres/distributed/hashing.h"
#include "ceres/iteration_callback.h"

namespace ceres::internal {
namespace {

constexpr char kMagic[8] = {'V', 'e', 's', 't', 'a', 'C', 'k', 'p'};
// Increase it if the contents change: the members that TransferState names, or
// their types.
constexpr std::uint32_t kVersion = 1;

// Without padding.
struct FileHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t record_size;  // of an iteration
  CheckpointLabel label;
  std::uint64_t size;
  std::uint64_t checksum;
};

std::uint64_t ChecksumOf(const CheckpointLabel& label,
                         const std::vector<char>& contents) {
  return Hash().AddValue(label).Add(contents.data(), contents.size()).value();
}

// Waits until the disk has the name of the file.
bool SyncNameOf(const std::string& path) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  return platform::SyncFolder(folder.empty() ? "." : folder.string());
}

std::string Damaged(const std::string& path, const char* what) {
  return Format("The checkpoint %s %s. Remove it to start anew.", path.c_str(),
                what);
}

}  // namespace

std::string WriteCheckpointFile(const std::string& path,
                                const CheckpointLabel& label,
                                const std::vector<char>& contents) {
  static_assert(sizeof(FileHeader) == 64, "no padding");
  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.record_size = sizeof(IterationSummary);
  header.label = label;
  header.size = contents.size();
  header.checksum = ChecksumOf(label, contents);
  StagedFiles files;
  std::string error;
  int sync_error = 0;
  const auto write = [&](std::FILE* file) {
    std::fwrite(&header, sizeof(header), 1, file);
    std::fwrite(contents.data(), 1, contents.size(), file);
    if (!platform::SyncFile(file)) sync_error = errno;
  };
  if (!files.Write(path, write, &error)) return error;
  if (sync_error != 0) {
    return Format("Cannot write %s: %s", path.c_str(),
                  std::strerror(sync_error));
  }
  if (!files.Publish(&error)) return error;
  if (!SyncNameOf(path)) {
    return Format("Cannot write the folder of %s: %s", path.c_str(),
                  std::strerror(errno));
  }
  return "";
}

std::string ReadCheckpointFile(const std::string& path, CheckpointLabel* label,
                               std::vector<char>* contents) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return Format("Cannot read the checkpoint %s: %s.", path.c_str(),
                  std::strerror(errno));
  }
  std::error_code code;
  const std::uintmax_t file_size = std::filesystem::file_size(path, code);
  FileHeader header = {};
  const bool has_header = std::fread(&header, sizeof(header), 1, file) == 1;
  std::string error;
  if (!has_header || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    error = Format(
        "%s is no checkpoint of ceres::distributed. Set checkpoint_path to "
        "another file.",
        path.c_str());
  } else if (header.version != kVersion ||
             header.record_size != sizeof(IterationSummary)) {
    error = Damaged(path, "is of another version of the library");
  } else if (code || file_size != sizeof(header) + header.size) {
    error = Damaged(path, "is truncated or too long");
  } else {
    contents->resize(header.size);
    if (std::fread(contents->data(), 1, header.size, file) != header.size) {
      error = Damaged(path, "cannot be read to its end");
    } else if (ChecksumOf(header.label, *contents) != header.checksum) {
      error = Damaged(path, "is damaged: its checksum does not fit");
    }
  }
  std::fclose(file);
  *label = header.label;
  return error;
}

}  // namespace ceres::internal
