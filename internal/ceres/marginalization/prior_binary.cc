// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The binary format of LinearizedPrior.
//
// Version 1. All numbers are little-endian; a double has the bits of
// IEEE 754.
//
// clang-format off
//
//   bytes                content
//   8                    "VSTPRIOR"
//   4                    version (uint32)
//   4                    number of blocks (uint32)
//   4                    number of rows r (uint32)
//   8 per block          ambient size, tangent size (uint32 each)
//   8 per coordinate     points of all blocks
//   8 r n                A, row-major
//   8 r                  b
//   8                    FNV-1a hash (64 bits) of all bytes before
//
// clang-format on

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/linearized_prior.h"
#include "ceres/logging/logging.h"
#include "ceres/marginalization/prior_data.h"

namespace ceres {
namespace {

using internal::Format;
using internal::kMaxPriorSize;
using internal::kPriorVersion;
using internal::PriorData;
using internal::Refuse;

constexpr char kMagic[] = "VSTPRIOR";
constexpr std::size_t kMagicSize = 8;

std::uint64_t HashOf(const char* bytes, std::size_t size) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < size; ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  }
  return hash;
}

void AppendInteger(std::uint64_t value, int num_bytes, std::string* out) {
  for (int i = 0; i < num_bytes; ++i) {
    out->push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
}

void AppendDoubles(const double* values, std::size_t size, std::string* out) {
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &values[i], sizeof(bits));
    AppendInteger(bits, 8, out);
  }
}

// Reads numbers one after the other. What is missing is zero and makes ok()
// false.
class BinaryReader {
 public:
  BinaryReader(const std::string& data, std::size_t position, std::size_t end)
      : data_(data), position_(position), end_(end) {}

  std::uint64_t Integer(std::size_t num_bytes) {
    if (end_ - position_ < num_bytes) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < num_bytes; ++i) {
      value |= static_cast<std::uint64_t>(
                   static_cast<unsigned char>(data_[position_ + i]))
               << (8 * i);
    }
    position_ += num_bytes;
    return value;
  }
  bool HasDoubles(std::uint64_t count) const {
    return ok_ && count <= (end_ - position_) / sizeof(double);
  }
  void Doubles(double* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = Integer(8);
      std::memcpy(&values[i], &bits, sizeof(bits));
      if (!std::isfinite(values[i])) finite_ = false;
    }
  }
  bool ok() const { return ok_; }
  bool finite() const { return finite_; }
  bool AtEnd() const { return position_ == end_; }

 private:
  const std::string& data_;
  std::size_t position_;
  const std::size_t end_;
  bool ok_ = true;
  bool finite_ = true;
};

bool ReadBinarySizes(BinaryReader* reader, std::uint32_t* num_rows,
                     PriorData* data) {
  const auto num_blocks = static_cast<std::uint32_t>(reader->Integer(4));
  *num_rows = static_cast<std::uint32_t>(reader->Integer(4));
  if (num_blocks == 0 || *num_rows == 0 || *num_rows > kMaxPriorSize ||
      !reader->HasDoubles(num_blocks)) {
    return false;
  }
  std::uint64_t num_coordinates = 0;
  for (std::uint32_t k = 0; k < num_blocks; ++k) {
    const auto size = static_cast<std::uint32_t>(reader->Integer(4));
    const auto tangent_size = static_cast<std::uint32_t>(reader->Integer(4));
    if (size == 0 || size > kMaxPriorSize || tangent_size > kMaxPriorSize)
      return false;
    num_coordinates += size;
    if (!reader->HasDoubles(num_coordinates)) return false;
    data->points.emplace_back(size);
    data->tangent_size.push_back(static_cast<int>(tangent_size));
  }
  const auto num_columns = static_cast<std::uint64_t>(data->num_columns());
  return num_columns <= kMaxPriorSize &&
         reader->HasDoubles(num_coordinates + *num_rows * (num_columns + 1));
}

}  // namespace

std::string LinearizedPrior::ToBinary(std::string* error) const {
  if (!internal::CanBeWritten(*this, error)) return "";
  std::string out(kMagic, kMagicSize);
  AppendInteger(kPriorVersion, 4, &out);
  AppendInteger(blocks_.size(), 4, &out);
  AppendInteger(static_cast<std::uint64_t>(A_.rows()), 4, &out);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    AppendInteger(static_cast<std::uint64_t>(blocks_[k].point.size()), 4, &out);
    AppendInteger(first_column_[k + 1] - first_column_[k], 4, &out);
  }
  for (const Block& block : blocks_) {
    AppendDoubles(block.point.data(), block.point.size(), &out);
  }
  AppendDoubles(A_.data(), A_.size(), &out);
  AppendDoubles(b_.data(), b_.size(), &out);
  AppendInteger(HashOf(out.data(), out.size()), 8, &out);
  return out;
}

std::unique_ptr<LinearizedPrior> LinearizedPrior::FromBinary(
    const std::string& data, const std::vector<const Manifold*>& manifolds,
    std::string* error) {
  VESTA_CHECK(error != nullptr) << "LinearizedPrior::FromBinary needs an error "
                                   "text; null was given.";
  if (data.size() < kMagicSize + 12 ||
      data.compare(0, kMagicSize, kMagic, kMagicSize) != 0) {
    return Refuse(error, "The data are not those of a LinearizedPrior.");
  }
  const std::size_t end = data.size() - 8;
  BinaryReader reader(data, kMagicSize, end);
  const auto version = static_cast<std::uint32_t>(reader.Integer(4));
  if (version == 0 || version > kPriorVersion) {
    return Refuse(error, Format("The data of the LinearizedPrior have version "
                                "%u; this library reads up to version %u.",
                                version, kPriorVersion));
  }
  if (BinaryReader(data, end, data.size()).Integer(8) !=
      HashOf(data.data(), end)) {
    return Refuse(error,
                  "The data of the LinearizedPrior are damaged: the checksum "
                  "is wrong. Write them again.");
  }
  PriorData prior;
  std::uint32_t num_rows = 0;
  if (!ReadBinarySizes(&reader, &num_rows, &prior)) {
    return Refuse(error, "The data of the LinearizedPrior have invalid sizes.");
  }
  for (Vector& point : prior.points) reader.Doubles(point.data(), point.size());
  prior.a.resize(num_rows, prior.num_columns());
  prior.b.resize(num_rows);
  reader.Doubles(prior.a.data(), prior.a.size());
  reader.Doubles(prior.b.data(), prior.b.size());
  if (!reader.ok() || !reader.AtEnd()) {
    return Refuse(error, "The data of the LinearizedPrior have invalid sizes.");
  }
  if (!reader.finite()) {
    return Refuse(error,
                  "The data of the LinearizedPrior have a value that is not "
                  "finite.");
  }
  return internal::MakePrior(std::move(prior), manifolds, error);
}

}  // namespace ceres
