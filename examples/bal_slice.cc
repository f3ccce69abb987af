// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_slice.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <system_error>
#include <utility>

#include "ceres/io/text_file.h"

namespace ceres::examples {
namespace {

constexpr int kNone = -1;

// The cameras that see each point, as a number and a sum of indices.
class PointStatistics {
 public:
  explicit PointStatistics(int num_points)
      : count_(num_points, 0), sum_(num_points, 0) {}

  void Add(int camera, int point) {
    ++count_[point];
    sum_[point] += camera;
  }

  // The leaf of each point (kNone: not observed), and the places of points in
  // their order.
  struct Order {
    std::vector<int> leaf;
    std::vector<int> place;
  };
  Order Partition(int num_leaves) const {
    const int num_points = static_cast<int>(count_.size());
    std::vector<int> points(num_points);
    std::iota(points.begin(), points.end(), 0);
    const auto mean = [this](int p) {
      return count_[p] == 0 ? 0.0 : static_cast<double>(sum_[p]) / count_[p];
    };
    std::stable_sort(points.begin(), points.end(),
                     [&](int a, int b) { return mean(a) < mean(b); });
    const std::int64_t total =
        std::accumulate(count_.begin(), count_.end(), std::int64_t{0});
    Order order;
    order.leaf.assign(num_points, kNone);
    order.place.assign(num_points, 0);
    std::int64_t before = 0;
    for (int i = 0; i < num_points; ++i) {
      const int p = points[i];
      order.place[p] = i;
      if (count_[p] == 0) continue;
      order.leaf[p] = static_cast<int>(before * num_leaves / total);
      before += count_[p];
    }
    return order;
  }

 private:
  std::vector<int> count_;
  std::vector<std::int64_t> sum_;
};

// Collects the observations of a slice, then its cameras and points.
class SliceBuilder {
 public:
  SliceBuilder(const PointStatistics& statistics, const SliceChoice& choice,
               int num_cameras, int num_points)
      : order_(statistics.Partition(choice.num_leaves)),
        first_leaf_(FirstLeaf(choice, choice.rank)),
        end_leaf_(FirstLeaf(choice, choice.rank + 1)),
        camera_number_(num_cameras, kNone),
        point_number_(num_points, kNone) {}

  void AddObservation(int camera, int point, double x, double y) {
    const int leaf = order_.leaf[point];
    if (leaf < first_leaf_ || leaf >= end_leaf_) return;
    observations_.push_back({order_.place[point], leaf, camera, point, x, y});
  }

  // After all observations: numbers cameras and points, and fills the slice.
  void FinishObservations(BalSlice* slice) {
    std::stable_sort(
        observations_.begin(), observations_.end(),
        [](const Observed& a, const Observed& b) { return a.place < b.place; });
    slice->first_leaf = first_leaf_;
    slice->first_observation.assign(end_leaf_ - first_leaf_ + 1, 0);
    for (const Observed& o : observations_) camera_number_[o.camera] = 0;
    int num_cameras = 0;
    for (std::size_t c = 0; c < camera_number_.size(); ++c) {
      if (camera_number_[c] == kNone) continue;
      camera_number_[c] = num_cameras++;
      slice->camera_ids.push_back(static_cast<int>(c));
    }
    for (const Observed& o : observations_) {
      if (point_number_[o.point] == kNone) {
        point_number_[o.point] = static_cast<int>(slice->point_ids.size());
        slice->point_ids.push_back(o.point);
      }
      slice->scene.camera_index.push_back(camera_number_[o.camera]);
      slice->scene.point_index.push_back(point_number_[o.point]);
      slice->scene.observations.push_back(o.x);
      slice->scene.observations.push_back(o.y);
      ++slice->first_observation[o.leaf - first_leaf_ + 1];
    }
    std::partial_sum(slice->first_observation.begin(),
                     slice->first_observation.end(),
                     slice->first_observation.begin());
    slice->scene.cameras.resize(num_cameras *
                                std::size_t{kAngleAxisCameraSize});
    slice->scene.points.resize(slice->point_ids.size() * kPointSize);
    observations_ = {};
  }

  // The memory of a camera or a point of the scene, null: not in the slice.
  double* Camera(int camera, BalSlice* slice) const {
    const int number = camera_number_[camera];
    return number == kNone ? nullptr : slice->scene.camera(number);
  }
  double* Point(int point, BalSlice* slice) const {
    const int number = point_number_[point];
    return number == kNone ? nullptr : slice->scene.point(number);
  }

 private:
  struct Observed {
    int place;
    int leaf;
    int camera;
    int point;
    double x;
    double y;
  };

  static int FirstLeaf(const SliceChoice& choice, int rank) {
    return static_cast<int>(std::int64_t{choice.num_leaves} * rank /
                            choice.num_ranks);
  }

  const PointStatistics::Order order_;
  const int first_leaf_;
  const int end_leaf_;
  std::vector<int> camera_number_;
  std::vector<int> point_number_;
  std::vector<Observed> observations_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string BadObservation(const std::string& path, std::int64_t i) {
  return path + ": observation " + std::to_string(i) +
         " is not \"camera point x y\" with indices of the header.";
}

// The next token as an integer in [0, largest], or as a finite number,
// whatever the locale is.
bool ReadInteger(std::FILE* file, int largest, int* value) {
  char token[64];
  std::int64_t number = 0;
  if (std::fscanf(file, "%63s", token) != 1 ||
      !io::ParseInteger(token, &number) || number < 0 || number > largest) {
    return false;
  }
  *value = static_cast<int>(number);
  return true;
}

bool ReadNumber(std::FILE* file, double* value) {
  char token[64];
  return std::fscanf(file, "%63s", token) == 1 &&
         io::ParseFiniteDouble(token, value);
}

// Calls f(camera, point, x, y) for all observations.
template <typename F>
bool ForEachObservation(const std::string& path, const BalSlice& sizes,
                        std::FILE* file, const F& f, std::string* error) {
  for (std::int64_t i = 0; i < sizes.num_observations; ++i) {
    int camera = 0;
    int point = 0;
    double x = 0.0;
    double y = 0.0;
    if (!ReadInteger(file, sizes.num_cameras - 1, &camera) ||
        !ReadInteger(file, sizes.num_points - 1, &point) ||
        !ReadNumber(file, &x) || !ReadNumber(file, &y)) {
      *error = BadObservation(path, i);
      return false;
    }
    f(camera, point, x, y);
  }
  return true;
}

// Reads `size` numbers; to null: skips them.
bool ReadBlock(std::FILE* file, int size, double* to) {
  for (int k = 0; k < size; ++k) {
    double value = 0.0;
    if (!ReadNumber(file, &value)) return false;
    if (to != nullptr) to[k] = value;
  }
  return true;
}

}  // namespace

bool ReadBalSlice(const std::string& path, const SliceChoice& choice,
                  BalSlice* slice, std::string* error) {
  *slice = BalSlice();
  const File file(std::fopen(path.c_str(), "r"));
  constexpr int kMax = std::numeric_limits<int>::max();
  int num_observations = 0;
  if (file == nullptr || !ReadInteger(file.get(), kMax, &slice->num_cameras) ||
      !ReadInteger(file.get(), kMax, &slice->num_points) ||
      !ReadInteger(file.get(), kMax, &num_observations)) {
    *error = path +
             ": cannot be read, or does not begin with the numbers of "
             "cameras, points and observations.";
    return false;
  }
  // A number takes at least two characters.
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (!code && 4.0 * num_observations + 9.0 * slice->num_cameras +
                       3.0 * slice->num_points >
                   0.5 * static_cast<double>(size)) {
    *error = path + ": is too short for the counts that it begins with.";
    return false;
  }
  slice->num_observations = num_observations;
  const long first = std::ftell(file.get());
  PointStatistics statistics(slice->num_points);
  if (!ForEachObservation(
          path, *slice, file.get(),
          [&](int camera, int point, double, double) {
            statistics.Add(camera, point);
          },
          error)) {
    return false;
  }
  SliceBuilder builder(statistics, choice, slice->num_cameras,
                       slice->num_points);
  std::fseek(file.get(), first, SEEK_SET);
  if (!ForEachObservation(
          path, *slice, file.get(),
          [&](int camera, int point, double x, double y) {
            builder.AddObservation(camera, point, x, y);
          },
          error)) {
    return false;
  }
  builder.FinishObservations(slice);
  for (int i = 0; i < slice->num_cameras + slice->num_points; ++i) {
    const bool is_camera = i < slice->num_cameras;
    double* const to = is_camera ? builder.Camera(i, slice)
                                 : builder.Point(i - slice->num_cameras, slice);
    if (!ReadBlock(file.get(), is_camera ? kAngleAxisCameraSize : kPointSize,
                   to)) {
      *error = path + ": ends within the values of " +
               (is_camera ? "cameras." : "points.");
      return false;
    }
  }
  return true;
}

BalSlice TakeSlice(const BalProblem& scene, const SliceChoice& choice) {
  BalSlice slice;
  slice.num_cameras = scene.num_cameras();
  slice.num_points = scene.num_points();
  slice.num_observations = scene.num_observations();
  PointStatistics statistics(slice.num_points);
  for (int i = 0; i < scene.num_observations(); ++i) {
    statistics.Add(scene.camera_index[i], scene.point_index[i]);
  }
  SliceBuilder builder(statistics, choice, slice.num_cameras, slice.num_points);
  for (int i = 0; i < scene.num_observations(); ++i) {
    builder.AddObservation(scene.camera_index[i], scene.point_index[i],
                           scene.observations[2 * i],
                           scene.observations[2 * i + 1]);
  }
  builder.FinishObservations(&slice);
  for (std::size_t c = 0; c < slice.camera_ids.size(); ++c) {
    std::copy_n(scene.camera(slice.camera_ids[c]), kAngleAxisCameraSize,
                slice.scene.camera(static_cast<int>(c)));
  }
  for (std::size_t p = 0; p < slice.point_ids.size(); ++p) {
    std::copy_n(scene.point(slice.point_ids[p]), kPointSize,
                slice.scene.point(static_cast<int>(p)));
  }
  return slice;
}

bool WriteSlice(const BalSlice& slice, const std::string& path,
                std::string* error) {
  const File file(std::fopen(path.c_str(), "w"));
  bool is_written = file != nullptr;
  const auto write = [&](const char* kind, int id, int size,
                         const double* values) {
    is_written = is_written && std::fprintf(file.get(), "%s %d", kind, id) > 0;
    for (int k = 0; k < size; ++k) {
      is_written =
          is_written && std::fprintf(file.get(), " %.17g", values[k]) > 0;
    }
    is_written = is_written && std::fputc('\n', file.get()) != EOF;
  };
  for (std::size_t c = 0; c < slice.camera_ids.size(); ++c) {
    write("camera", slice.camera_ids[c], kAngleAxisCameraSize,
          slice.scene.camera(static_cast<int>(c)));
  }
  for (std::size_t p = 0; p < slice.point_ids.size(); ++p) {
    write("point", slice.point_ids[p], kPointSize,
          slice.scene.point(static_cast<int>(p)));
  }
  is_written = is_written && std::fflush(file.get()) == 0;
  if (!is_written) *error = path + ": cannot be written.";
  return is_written;
}

}  // namespace ceres::examples
