// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/base/number.h"
#include "ceres/io/colmap.h"
#include "ceres/io/line_reader.h"
#include "ceres/io/text_file.h"

namespace ceres::io {
namespace {

using internal::Comments;
using internal::LineReader;

// Ids, and where their records stand.
class IdTable {
 public:
  // Fails if the id is known.
  bool Add(const char* what, std::uint64_t id, LineReader* reader) {
    const Place place{static_cast<int>(places_.size()), reader->line()};
    const auto [found, is_new] = places_.emplace(id, place);
    if (is_new) return true;
    return reader->Fail(std::string(what) + " " + std::to_string(id) +
                        " is given twice, here and in line " +
                        std::to_string(found->second.line));
  }
  // Fails if the id is unknown.
  bool Find(const char* what, std::uint64_t id, LineReader* reader,
            int* index) const {
    const auto found = places_.find(id);
    if (found == places_.end()) {
      return reader->Fail(std::string("a record names ") + what + " " +
                          std::to_string(id) + ", which the model lacks");
    }
    *index = found->second.index;
    return true;
  }

 private:
  struct Place {
    int index;
    int line;
  };
  std::unordered_map<std::uint64_t, Place> places_;
};

// Reads cameras, then points without their tracks' images, then images, and
// compares tracks with key points at the end.
class ColmapReader {
 public:
  ColmapReader(const std::string& folder, std::string* error)
      : folder_(folder), error_(*error) {}

  bool Read(ColmapModel* model) {
    if (!ReadLines("cameras.txt", &ColmapReader::ReadCamera) ||
        !ReadLines("points3D.txt", &ColmapReader::ReadPoint) ||
        !ReadLines("images.txt", &ColmapReader::ReadImage) || !CheckTracks()) {
      return false;
    }
    *model = std::move(model_);
    return true;
  }

 private:
  // A track as the file has it, until images are known.
  struct Track {
    int line;
    std::vector<std::pair<std::uint64_t, std::int64_t>> views;
  };

  std::string PathOf(const char* file) const {
    return (std::filesystem::path(folder_) / file).string();
  }

  // Calls the function for each line with a record.
  bool ReadLines(const char* file, bool (ColmapReader::*read)(LineReader*)) {
    const std::string path = PathOf(file);
    std::string text;
    if (!ReadFile(path, &text, &error_)) {
      std::error_code code;
      if (std::filesystem::exists(PathOf("cameras.bin"), code)) {
        error_ +=
            " (the folder has a binary model: convert it with colmap "
            "model_converter --output_type TXT)";
      }
      return false;
    }
    std::string_view content = text;
    if (!StartText(path, &content, &error_)) return false;
    LineReader reader(content, path, Comments::kAtTheBeginOfLines);
    while (reader.NextLine()) {
      if (reader.num_tokens_left() > 0 && !(this->*read)(&reader)) break;
    }
    error_ = reader.error();
    return error_.empty();
  }

  bool ReadCamera(LineReader* reader) {
    constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();
    ColmapModel::Camera camera;
    if (!reader->ReadId("the id of a camera", &camera.id)) return false;
    const std::string_view model = reader->NextToken();
    camera.model = model;
    const int count = NumColmapParameters(camera.model);
    if (count == 0) {
      return reader->Expected(
          "SIMPLE_PINHOLE, PINHOLE, SIMPLE_RADIAL, RADIAL or OPENCV", model);
    }
    camera.parameters.resize(count);
    if (!reader->ReadInteger("the width of images", 0, kMaxSize,
                             &camera.width) ||
        !reader->ReadInteger("the height of images", 0, kMaxSize,
                             &camera.height) ||
        !reader->ReadNumbers("a parameter of a camera", count,
                             camera.parameters.data()) ||
        !reader->ExpectEnd() || !cameras_.Add("camera", camera.id, reader)) {
      return false;
    }
    model_.cameras.push_back(std::move(camera));
    return true;
  }

  bool ReadPoint(LineReader* reader) {
    ColmapModel::Point point;
    if (!reader->ReadId("the id of a point", &point.id) ||
        !reader->ReadNumbers("a coordinate", 3, point.position.data())) {
      return false;
    }
    for (int& channel : point.color) {
      std::int64_t value = 0;
      if (!reader->ReadInteger("a color", 0, 255, &value)) return false;
      channel = static_cast<int>(value);
    }
    Track track{reader->line(), {}};
    if (!reader->ReadNumbers("the error of a point", 1, &point.error)) {
      return false;
    }
    while (reader->num_tokens_left() > 0) {
      std::uint64_t image = 0;
      std::int64_t observation = 0;
      if (!reader->ReadId("the id of an image", &image) ||
          !reader->ReadInteger("the index of a key point", 0,
                               std::numeric_limits<std::int32_t>::max(),
                               &observation)) {
        return false;
      }
      track.views.emplace_back(image, observation);
    }
    if (!points_.Add("point", point.id, reader)) return false;
    model_.points.push_back(std::move(point));
    tracks_.push_back(std::move(track));
    return true;
  }

  // Both lines of an image. The second one may be empty.
  bool ReadImage(LineReader* reader) {
    ColmapModel::Image image;
    std::uint64_t camera = 0;
    if (!reader->ReadId("the id of an image", &image.id) ||
        !reader->ReadQuaternion(image.world_to_camera.data()) ||
        !reader->ReadNumbers("a translation", 3,
                             image.world_to_camera.data() + 4) ||
        !reader->ReadId("the id of a camera", &camera) ||
        !cameras_.Find("camera", camera, reader, &image.camera)) {
      return false;
    }
    image.name = reader->RestOfLine();
    if (image.name.empty()) {
      return reader->Expected("the name of an image", "");
    }
    if (!images_.Add("image", image.id, reader)) return false;
    if (reader->NextLine()) {
      if (reader->num_tokens_left() % 3 != 0) {
        return reader->Fail(
            "expected three numbers per key point, X Y POINT3D_ID, found " +
            internal::CountOf(reader->num_tokens_left(), "number") +
            " in the second line of image " + std::to_string(image.id));
      }
      while (reader->num_tokens_left() > 0) {
        if (!ReadObservation(reader, &image)) return false;
      }
    }
    model_.images.push_back(std::move(image));
    return true;
  }

  bool ReadObservation(LineReader* reader, ColmapModel::Image* image) {
    ColmapModel::Observation observation;
    double pixel[2];
    if (!reader->ReadNumbers("a coordinate of a key point", 2, pixel)) {
      return false;
    }
    observation.x = pixel[0];
    observation.y = pixel[1];
    const std::string_view token = reader->NextToken();
    std::uint64_t id = 0;
    // 2^64 - 1 is -1 of programs that have no negative ids.
    const bool is_none = token == "-1" || token == "18446744073709551615";
    if (!is_none && !ParseId(token, &id)) {
      return reader->Expected("the id of a point, or -1", token);
    }
    if (!is_none && !points_.Find("point", id, reader, &observation.point)) {
      return false;
    }
    image->observations.push_back(observation);
    return true;
  }

  // Tracks and key points must say the same.
  bool CheckTracks() {
    const std::string path = PathOf("points3D.txt");
    std::int64_t num_views = 0;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      LineReader at("", path, Comments::kAtTheBeginOfLines);
      for (const auto& [id, observation] : tracks_[i].views) {
        int image = 0;
        if (!images_.Find("image", id, &at, &image) ||
            !IsSeen(image, observation, static_cast<int>(i))) {
          error_ = path + ":" + std::to_string(tracks_[i].line) + ": point " +
                   std::to_string(model_.points[i].id) + " has key point " +
                   std::to_string(observation) + " of image " +
                   std::to_string(id) +
                   " in its track, but images.txt has no such key point of "
                   "this point";
          return false;
        }
        model_.points[i].views.push_back(
            {image, static_cast<int>(observation)});
        ++num_views;
      }
    }
    for (const ColmapModel::Image& image : model_.images) {
      for (const auto& observation : image.observations) {
        num_views -= observation.point >= 0 ? 1 : 0;
      }
    }
    if (num_views == 0) return true;
    error_ = PathOf("images.txt") +
             ": expected each key point with a point in "
             "the track of the point, found " +
             std::to_string(std::abs(num_views)) +
             " that points3D.txt lacks or repeats";
    return false;
  }

  bool IsSeen(int image, std::int64_t observation, int point) const {
    const auto& observations = model_.images[image].observations;
    return observation < static_cast<std::int64_t>(observations.size()) &&
           observations[observation].point == point;
  }

  const std::string& folder_;
  std::string& error_;
  ColmapModel model_;
  IdTable cameras_;
  IdTable images_;
  IdTable points_;
  std::vector<Track> tracks_;
};

}  // namespace

int NumColmapParameters(const std::string& model) {
  static constexpr std::pair<const char*, int> kModels[] = {
      {"SIMPLE_PINHOLE", 3},
      {"PINHOLE", 4},
      {"SIMPLE_RADIAL", 4},
      {"RADIAL", 5},
      {"OPENCV", 8}};
  for (const auto& [name, count] : kModels) {
    if (model == name) return count;
  }
  return 0;
}

bool ReadColmap(const std::string& folder, ColmapModel* model,
                std::string* error) {
  return ColmapReader(folder, error).Read(model);
}

}  // namespace ceres::io
