// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "libmv_file.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "ceres/io/text_file.h"
#include "ceres/rotation.h"

namespace ceres::examples {
namespace {

// Cuts bytes into numbers. After the first failure all further reads fail and
// the first message stays.
class BinaryReader {
 public:
  BinaryReader(std::string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  // One of two letters.
  bool ReadLetter(const char* what, char first, char second, char* letter) {
    if (!Has(what, 1)) return false;
    *letter = bytes_[position_];
    if (*letter != first && *letter != second) {
      return Fail(std::string("expected ") + what + ", '" + first + "' or '" +
                  second + "', found byte " +
                  std::to_string(static_cast<unsigned char>(*letter)));
    }
    ++position_;
    return true;
  }

  void SetBigEndian(bool big_endian) { big_endian_ = big_endian; }

  bool ReadInt(const char* what, int* value) {
    uint32_t bits = 0;
    if (!ReadBits(what, &bits)) return false;
    *value = static_cast<int>(static_cast<int32_t>(bits));
    return true;
  }

  // Reads a number of records of record_size bytes each. Fails if the rest of
  // the file is shorter than that, so that a broken count reserves no memory.
  bool ReadCount(const char* what, size_t record_size, int* count) {
    if (!ReadInt(what, count)) return false;
    const size_t room = (bytes_.size() - position_) / record_size;
    if (*count >= 0 && static_cast<size_t>(*count) <= room) return true;
    position_ -= sizeof(uint32_t);
    return Fail(std::string("expected ") + what + ", at most " +
                std::to_string(room) + " as so many fit into the file, found " +
                std::to_string(*count));
  }

  // Finite ones.
  bool ReadFloats(const char* what, int count, double* values) {
    for (int i = 0; i < count; ++i) {
      uint32_t bits = 0;
      if (!ReadBits(what, &bits)) return false;
      float value = 0.0f;
      std::memcpy(&value, &bits, sizeof(value));
      values[i] = value;
      if (std::isfinite(value)) continue;
      position_ -= sizeof(bits);
      return Fail(std::string("expected ") + what + ", a finite number");
    }
    return true;
  }

  bool ExpectEnd() {
    return position_ == bytes_.size() || Fail("expected the end of the file");
  }

  bool Fail(const std::string& message) {
    if (error_.empty()) {
      error_ = name_ + ": byte " + std::to_string(position_) + ": " + message;
    }
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool Has(const char* what, size_t size) {
    if (!error_.empty()) return false;
    return bytes_.size() - position_ >= size ||
           Fail(std::string("expected ") + what + ", but the file ends here");
  }

  bool ReadBits(const char* what, uint32_t* bits) {
    if (!Has(what, sizeof(*bits))) return false;
    *bits = 0;
    for (int i = 0; i < 4; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[position_ + i]);
      *bits |= static_cast<uint32_t>(byte) << (8 * (big_endian_ ? 3 - i : i));
    }
    position_ += sizeof(*bits);
    return true;
  }

  std::string_view bytes_;
  const std::string& name_;
  size_t position_ = 0;
  bool big_endian_ = false;
  std::string error_;
};

// From the numbers of images or tracks to indices.
using IndexOf = std::unordered_map<int, int>;

bool AddNumber(const char* what, int number, IndexOf* index_of,
               BinaryReader* reader) {
  const int index = static_cast<int>(index_of->size());
  return index_of->emplace(number, index).second ||
         reader->Fail(std::string("expected each ") + what +
                      " once, found a second " + std::to_string(number));
}

bool FindNumber(const char* what, int number, const IndexOf& index_of,
                BinaryReader* reader, int* index) {
  const auto found = index_of.find(number);
  if (found == index_of.end()) {
    return reader->Fail(std::string("expected a marker's ") + what +
                        " to be listed before, found " +
                        std::to_string(number));
  }
  *index = found->second;
  return true;
}

bool ReadHeader(BinaryReader* reader, LibmvProblem* problem) {
  char order = 0;
  char space = 0;
  if (!reader->ReadLetter("the byte order", 'v', 'V', &order) ||
      !reader->ReadLetter("the markers' space", 'P', 'N', &space)) {
    return false;
  }
  reader->SetBigEndian(order == 'V');
  problem->markers_in_pixels = space == 'P';
  return reader->ReadFloats("an intrinsic parameter", kNumLibmvIntrinsics,
                            problem->intrinsics);
}

bool ReadCameras(BinaryReader* reader, IndexOf* images, LibmvProblem* problem) {
  int count = 0;
  if (!reader->ReadCount("the number of cameras", 52, &count)) return false;
  problem->cameras.resize(count);
  for (LibmvProblem::Camera& camera : problem->cameras) {
    double rotation[9];
    if (!reader->ReadInt("the image of a camera", &camera.image) ||
        !AddNumber("image", camera.image, images, reader) ||
        !reader->ReadFloats("a rotation", 9, rotation) ||
        !reader->ReadFloats("a translation", 3, camera.pose + 3)) {
      return false;
    }
    RotationMatrixToAngleAxis(rotation, camera.pose);
  }
  return true;
}

bool ReadPoints(BinaryReader* reader, IndexOf* tracks, LibmvProblem* problem) {
  int count = 0;
  if (!reader->ReadCount("the number of points", 16, &count)) return false;
  problem->points.resize(count);
  for (LibmvProblem::Point& point : problem->points) {
    if (!reader->ReadInt("the track of a point", &point.track) ||
        !AddNumber("track", point.track, tracks, reader) ||
        !reader->ReadFloats("a position", 3, point.position)) {
      return false;
    }
  }
  return true;
}

bool ReadMarkers(const IndexOf& images, const IndexOf& tracks,
                 BinaryReader* reader, LibmvProblem* problem) {
  int count = 0;
  if (!reader->ReadCount("the number of markers", 16, &count)) return false;
  problem->markers.resize(count);
  for (LibmvProblem::Marker& marker : problem->markers) {
    int image = 0;
    int track = 0;
    double position[2];
    if (!reader->ReadInt("the image of a marker", &image) ||
        !FindNumber("image", image, images, reader, &marker.camera) ||
        !reader->ReadInt("the track of a marker", &track) ||
        !FindNumber("track", track, tracks, reader, &marker.point) ||
        !reader->ReadFloats("the position of a marker", 2, position)) {
      return false;
    }
    marker.x = position[0];
    marker.y = position[1];
  }
  return true;
}

}  // namespace

bool ParseLibmv(std::string_view bytes, const std::string& name,
                LibmvProblem* problem, std::string* error) {
  BinaryReader reader(bytes, name);
  LibmvProblem parsed;
  IndexOf images;
  IndexOf tracks;
  if (!ReadHeader(&reader, &parsed) ||
      !ReadCameras(&reader, &images, &parsed) ||
      !ReadPoints(&reader, &tracks, &parsed) ||
      !ReadMarkers(images, tracks, &reader, &parsed) || !reader.ExpectEnd()) {
    *error = reader.error();
    return false;
  }
  *problem = std::move(parsed);
  return true;
}

bool ReadLibmv(const std::string& path, LibmvProblem* problem,
               std::string* error) {
  std::string bytes;
  return io::ReadFile(path, &bytes, error) &&
         ParseLibmv(bytes, path, problem, error);
}

}  // namespace ceres::examples
