// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "generate_scene.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ceres/rotation.h"
#include "random.h"

namespace ceres::examples {
namespace {

constexpr double kPi = 3.14159265358979323846;

using Vector3 = std::array<double, 3>;

double RoundTo(double value, double steps_per_unit) {
  return std::round(value * steps_per_unit) / steps_per_unit;
}
double RoundParameter(double value) { return RoundTo(value, 1e9); }
double RoundPixel(double value) { return RoundTo(value, 1e4); }

// The centre line of a street round a block: a rectangle twice as long as wide
// with rounded corners, driven anticlockwise, as a function of arc length.
class Street {
 public:
  static constexpr double kCornerRadius = 12.0;

  struct Frame {
    Vector3 position;  // z = 0.
    double heading;    // Angle of the direction of travel to the x axis.
  };

  explicit Street(double length)
      : length_(length),
        short_side_((length - 2.0 * kPi * kCornerRadius) / 6.0) {}

  double length() const { return length_; }

  Frame At(double s) const {
    s -= length_ * std::floor(s / length_);
    double x = 0.0;
    double y = 0.0;
    double heading = 0.0;
    for (int side = 0; side < 4; ++side) {
      const double straight = side % 2 == 0 ? 2.0 * short_side_ : short_side_;
      const double step = std::min(s, straight);
      x += step * std::cos(heading);
      y += step * std::sin(heading);
      s -= step;
      const double turn =
          std::min(s, 0.5 * kPi * kCornerRadius) / kCornerRadius;
      x += kCornerRadius * (std::sin(heading + turn) - std::sin(heading));
      y += kCornerRadius * (std::cos(heading) - std::cos(heading + turn));
      heading += turn;
      s -= turn * kCornerRadius;
      if (s <= 0.0) break;
    }
    return {{x, y, 0.0}, heading};
  }

  // A point `left` metres to the left of the centre line, `up` above it.
  Vector3 Point(double s, double left, double up) const {
    const Frame frame = At(s);
    return {frame.position[0] - left * std::sin(frame.heading),
            frame.position[1] + left * std::cos(frame.heading), up};
  }

 private:
  double length_;
  double short_side_;
};

// The true camera, ready to project.
struct Camera {
  Vector3 angle_axis;
  Vector3 center;
  double rotation[9];  // Row-major.
  double focal;
  double k1;
  double k2;

  // False if the point is too close, behind the camera or outside the image.
  bool Project(const Vector3& point, double pixel[2]) const {
    constexpr double kMinDepth = 2.5;
    constexpr double kHalfWidth = 640.0;
    constexpr double kHalfHeight = 480.0;
    Vector3 p;
    for (int row = 0; row < 3; ++row) {
      p[row] = 0.0;
      for (int k = 0; k < 3; ++k)
        p[row] += rotation[3 * row + k] * (point[k] - center[k]);
    }
    if (p[2] > -kMinDepth) return false;
    const double x = -p[0] / p[2];
    const double y = -p[1] / p[2];
    const double radius2 = x * x + y * y;
    // Far outside the image the distortion polynomial folds back into it.
    if (radius2 > 1.5) return false;
    const double scale = focal * (1.0 + radius2 * (k1 + k2 * radius2));
    pixel[0] = scale * x;
    pixel[1] = scale * y;
    return std::abs(pixel[0]) < kHalfWidth && std::abs(pixel[1]) < kHalfHeight;
  }
};

struct Landmark {
  Vector3 position;
  double arc;      // Where along the street it stands.
  double range;    // How far along the street it can be seen.
  Vector3 normal;  // Of the wall it is on; zero if it is seen from all sides.
};

struct Observation {
  int camera;
  double pixel[2];
};

class SceneGenerator {
 public:
  explicit SceneGenerator(const SceneOptions& options)
      : options_(options),
        random_(options.seed),
        street_(std::max(kMinStreetLength,
                         options.num_cameras * kMinSpacing / kLaps)),
        spacing_(std::min(kMaxSpacing,
                          kLaps * street_.length() / options.num_cameras)) {}

  bool Generate(BalProblem* problem, std::string* error) {
    MakeCameras();
    MakeDrift();
    std::vector<Observation> track;
    for (int i = 0; i < options_.num_points; ++i) {
      Landmark landmark;
      if (!MakeTrackedLandmark(i, &landmark, &track)) {
        *error = "point " + std::to_string(i) +
                 ": no place found that two cameras see";
        return false;
      }
      EmitPoint(i, landmark, track, problem);
    }
    for (int i = 0; i < options_.num_cameras; ++i) EmitCamera(i, problem);
    return true;
  }

 private:
  // The drive passes the first seventh of the street twice.
  static constexpr double kLaps = 1.15;
  static constexpr double kMinStreetLength = 200.0;
  static constexpr double kMinSpacing = 1.0;
  static constexpr double kMaxSpacing = 2.5;
  static constexpr double kFacadeDistance = 9.0;

  double Noise(double sigma) { return sigma * random_.Normal(); }

  double drive_length() const { return spacing_ * options_.num_cameras; }
  bool closes_loop() const { return drive_length() > street_.length(); }

  void MakeCameras() {
    cameras_.reserve(options_.num_cameras);
    for (int i = 0; i < options_.num_cameras; ++i)
      cameras_.push_back(MakeCamera(i));
  }

  Camera MakeCamera(int i) {
    // Ahead, left, right in turn; a handful of cameras must overlap more.
    constexpr double kLook[3] = {0.0, 1.1, -1.1};
    const double look = options_.num_cameras < 6 ? 0.0 : kLook[i % 3];
    const double s = i * spacing_;
    const double lane = s < street_.length() ? -1.5 : 0.5;

    Camera camera;
    // One draw a statement: the order in which arguments are evaluated is up to
    // the compiler.
    const double left = lane + Noise(0.1);
    const double height = 2.2 + Noise(0.03);
    camera.center = street_.Point(s, left, height);
    for (double& coordinate : camera.center)
      coordinate = RoundParameter(coordinate);
    const double yaw = street_.At(s).heading + look + Noise(0.03);
    const double pitch = 0.12 + Noise(0.02);
    const double roll = Noise(0.01);
    camera.angle_axis = LookRotation(yaw, pitch, roll);
    double column_major[9];
    AngleAxisToRotationMatrix(camera.angle_axis.data(), column_major);
    for (int row = 0; row < 3; ++row) {
      for (int k = 0; k < 3; ++k)
        camera.rotation[3 * row + k] = column_major[3 * k + row];
    }
    camera.focal = RoundParameter(800.0 * (1.0 + Noise(0.005)));
    camera.k1 = RoundParameter(-0.05 + Noise(0.004));
    camera.k2 = RoundParameter(0.01 + Noise(0.001));
    return camera;
  }

  // World (z up) to camera (x right, y up, looking along -z).
  static Vector3 LookRotation(double yaw, double pitch, double roll) {
    const Vector3 forward = {std::cos(pitch) * std::cos(yaw),
                             std::cos(pitch) * std::sin(yaw), std::sin(pitch)};
    const Vector3 level_right = {std::sin(yaw), -std::cos(yaw), 0.0};
    Vector3 level_up;
    CrossProduct(level_right.data(), forward.data(), level_up.data());
    double column_major[9];
    for (int k = 0; k < 3; ++k) {
      column_major[3 * k] =
          std::cos(roll) * level_right[k] + std::sin(roll) * level_up[k];
      column_major[3 * k + 1] =
          std::cos(roll) * level_up[k] - std::sin(roll) * level_right[k];
      column_major[3 * k + 2] = -forward[k];
    }
    Vector3 angle_axis;
    RotationMatrixToAngleAxis(column_major, angle_axis.data());
    for (double& component : angle_axis) component = RoundParameter(component);
    return angle_axis;
  }

  void MakeDrift() {
    drift_.resize(options_.num_cameras);
    Vector3 walk = {0.0, 0.0, 0.0};
    for (Vector3& drift : drift_) {
      drift = walk;
      for (double& coordinate : walk)
        coordinate += Noise(options_.drift_per_camera);
    }
  }

  // Redraws until two cameras see the landmark. Landmark i of n stands in the
  // i-th of n stretches of the street, unless nobody looks there.
  bool MakeTrackedLandmark(int i, Landmark* landmark,
                           std::vector<Observation>* track) {
    constexpr int kLocalAttempts = 20;
    constexpr int kAttempts = 20000;
    const double begin = closes_loop() ? 0.0 : -2.0;
    const double length =
        closes_loop() ? street_.length() : drive_length() + 15.0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const double share = attempt < kLocalAttempts
                               ? (i + random_.Uniform()) / options_.num_points
                               : random_.Uniform();
      *landmark = MakeLandmark(begin + share * length);
      MakeTrack(*landmark, track);
      if (track->size() >= 2) return true;
    }
    return false;
  }

  Landmark MakeLandmark(double arc) {
    const double kind = random_.Uniform();
    const double side = random_.Uniform() < 0.5 ? -1.0 : 1.0;
    Landmark landmark;
    landmark.arc = arc;
    landmark.normal = {0.0, 0.0, 0.0};
    if (kind < 0.80) {
      // Houses stand back from the street by a metre more or less; windows and
      // balconies give each wall some depth.
      const int house = static_cast<int>(std::floor(arc / 11.0));
      Random house_random(options_.seed + 2 * static_cast<uint64_t>(house) +
                          (side > 0.0 ? 1 : 0));
      const double left =
          side * (kFacadeDistance + house_random.Uniform(0.0, 1.5) +
                  random_.Uniform(-0.2, 0.2));
      landmark.position = street_.Point(arc, left, random_.Uniform(0.3, 14.0));
      landmark.range = 45.0;
      const double heading = street_.At(arc).heading;
      landmark.normal = {side * std::sin(heading), -side * std::cos(heading),
                         0.0};
    } else if (kind < 0.97) {
      // Parked cars, signs, kerbs.
      const double left = side * random_.Uniform(3.5, 7.5);
      landmark.position = street_.Point(arc, left, random_.Uniform(0.0, 2.5));
      landmark.range = 30.0;
    } else {
      // Towers rise over the houses.
      landmark.position =
          street_.Point(arc, side * 14.0, random_.Uniform(18.0, 45.0));
      landmark.range = 90.0;
    }
    for (double& coordinate : landmark.position)
      coordinate = RoundParameter(coordinate);
    return landmark;
  }

  // The cameras that see the landmark: frames of each pass in which the tracker
  // holds it, and perhaps those of another pass.
  void MakeTrack(const Landmark& landmark, std::vector<Observation>* track) {
    track->clear();
    std::vector<Observation>& visible = visible_;
    for (int lap = -1; lap <= 2; ++lap) {
      FindVisible(landmark, landmark.arc + lap * street_.length(), &visible);
      const bool recognized = track->empty() || random_.Uniform() < 0.6;
      if (visible.empty() || !recognized) continue;
      KeepTracked(visible, track);
    }
  }

  void FindVisible(const Landmark& landmark, double arc,
                   std::vector<Observation>* visible) const {
    visible->clear();
    const double first = std::ceil((arc - landmark.range) / spacing_);
    const double last = std::floor((arc + landmark.range) / spacing_);
    for (int i = static_cast<int>(std::max(first, 0.0));
         i <= static_cast<int>(std::min(last, options_.num_cameras - 1.0));
         ++i) {
      Observation observation;
      observation.camera = i;
      if (Faces(landmark, cameras_[i].center) &&
          cameras_[i].Project(landmark.position, observation.pixel)) {
        visible->push_back(observation);
      }
    }
  }

  // Nobody recognises what is seen at a grazing angle or from behind.
  static bool Faces(const Landmark& landmark, const Vector3& center) {
    double distance2 = 0.0;
    double along_normal = 0.0;
    double normal2 = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double difference = center[k] - landmark.position[k];
      distance2 += difference * difference;
      along_normal += difference * landmark.normal[k];
      normal2 += landmark.normal[k] * landmark.normal[k];
    }
    constexpr double kMinCosine = 0.25;
    return normal2 == 0.0 || along_normal > kMinCosine * std::sqrt(distance2);
  }

  // A window of the visible frames whose length has the tail of 1 / length, in
  // which now and then a detection fails.
  void KeepTracked(const std::vector<Observation>& visible,
                   std::vector<Observation>* track) {
    const double tail = 1.0 / (1.0 - random_.Uniform()) - 1.0;
    const int count = static_cast<int>(visible.size());
    const int length =
        static_cast<int>(std::min<double>(count, 2.0 + std::floor(1.5 * tail)));
    const int begin =
        static_cast<int>(random_.Uniform() * (count - length + 1));
    for (int i = begin; i < begin + length; ++i) {
      if (random_.Uniform() < 0.92) track->push_back(visible[i]);
    }
  }

  void EmitPoint(int index, const Landmark& landmark,
                 const std::vector<Observation>& track, BalProblem* problem) {
    for (const Observation& observation : track) {
      // Two views leave nothing to tell a mismatch by: it would put the point
      // at infinity, or behind the cameras.
      const bool outlier =
          random_.Uniform() < options_.outlier_fraction && track.size() > 2;
      const double sigma =
          outlier ? options_.outlier_noise : options_.pixel_noise;
      problem->camera_index.push_back(observation.camera);
      problem->point_index.push_back(index);
      for (const double coordinate : observation.pixel) {
        problem->observations.push_back(RoundPixel(coordinate + Noise(sigma)));
      }
    }
    const Vector3& drift = drift_[track.front().camera];
    for (int k = 0; k < 3; ++k) {
      problem->points.push_back(RoundParameter(landmark.position[k] + drift[k] +
                                               Noise(options_.point_noise)));
    }
  }

  void EmitCamera(int i, BalProblem* problem) {
    const Camera& camera = cameras_[i];
    Vector3 angle_axis = camera.angle_axis;
    for (double& component : angle_axis)
      component += Noise(options_.rotation_noise);
    Vector3 center;
    for (int k = 0; k < 3; ++k) {
      center[k] =
          camera.center[k] + drift_[i][k] + Noise(options_.center_noise);
    }
    Vector3 translation;
    AngleAxisRotatePoint(angle_axis.data(), center.data(), translation.data());

    std::vector<double>& out = problem->cameras;
    for (const double component : angle_axis)
      out.push_back(RoundParameter(component));
    for (const double coordinate : translation)
      out.push_back(RoundParameter(-coordinate));
    out.push_back(
        RoundParameter(camera.focal * (1.0 + Noise(options_.focal_noise))));
    out.push_back(RoundParameter(camera.k1 + Noise(options_.distortion_noise)));
    out.push_back(
        RoundParameter(camera.k2 + Noise(0.25 * options_.distortion_noise)));
  }

  const SceneOptions options_;
  Random random_;
  const Street street_;
  const double spacing_;
  std::vector<Camera> cameras_;
  std::vector<Vector3> drift_;
  std::vector<Observation> visible_;  // Reused by MakeTrack.
};

bool ValidateSceneOptions(const SceneOptions& options, std::string* error) {
  if (options.num_cameras < 2) {
    *error = "a scene needs at least 2 cameras, not " +
             std::to_string(options.num_cameras);
  } else if (options.num_points < 1) {
    *error = "a scene needs at least 1 point, not " +
             std::to_string(options.num_points);
  } else {
    return true;
  }
  return false;
}

}  // namespace

bool GenerateScene(const SceneOptions& options, BalProblem* problem,
                   std::string* error) {
  if (!ValidateSceneOptions(options, error)) return false;
  BalProblem scene;
  if (!SceneGenerator(options).Generate(&scene, error)) return false;
  *problem = std::move(scene);
  return true;
}

bool ParseSceneOptions(const std::string& text, SceneOptions* options,
                       std::string* error) {
  uint64_t numbers[3];
  const char* position = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [stop, code] = std::from_chars(position, end, numbers[i]);
    const bool last = i == 2;
    const bool separated = last ? stop == end : stop != end && *stop == ',';
    const bool fits = last || numbers[i] <= std::numeric_limits<int>::max();
    if (code != std::errc() || !separated || !fits) {
      *error =
          "expected CAMERAS,POINTS,SEED, three numbers such as 100,20000,1, "
          "found \"" +
          text + "\"";
      return false;
    }
    position = stop + (last ? 0 : 1);
  }
  options->num_cameras = static_cast<int>(numbers[0]);
  options->num_points = static_cast<int>(numbers[1]);
  options->seed = numbers[2];
  return ValidateSceneOptions(*options, error);
}

}  // namespace ceres::examples
