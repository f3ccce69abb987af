// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Models of COLMAP for vesta/io.py.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ceres/io/colmap.h"
#include "common.h"
#include "file_formats.h"

namespace vesta::python {
namespace {

namespace io = ceres::io;

// (cameras, images, points): lists of tuples, as vesta/io.py names them.
nb::tuple ReadColmap(const std::string& folder) {
  io::ColmapModel model;
  std::string error;
  if (!io::ReadColmap(folder, &model, &error)) RaiseValueError(error);
  nb::list cameras, images, points;
  for (const auto& camera : model.cameras) {
    cameras.append(nb::make_tuple(camera.id, camera.model, camera.width,
                                  camera.height, ToBytes(camera.parameters)));
  }
  for (const auto& image : model.images) {
    std::vector<double> pixels,
        pose(image.world_to_camera.begin(), image.world_to_camera.end());
    std::vector<std::int64_t> seen;
    for (const auto& observation : image.observations) {
      pixels.push_back(observation.x);
      pixels.push_back(observation.y);
      seen.push_back(observation.point);
    }
    // A name need not be UTF-8.
    const nb::object name = nb::bytes(image.name.data(), image.name.size())
                                .attr("decode")("utf-8", "surrogateescape");
    images.append(nb::make_tuple(image.id, name, image.camera, ToBytes(pose),
                                 ToBytes(pixels), ToBytes(seen)));
  }
  for (const auto& point : model.points) {
    std::vector<std::int64_t> views;
    for (const auto& view : point.views) {
      views.push_back(view.image);
      views.push_back(view.observation);
    }
    points.append(nb::make_tuple(
        point.id,
        nb::make_tuple(point.position[0], point.position[1], point.position[2]),
        nb::make_tuple(point.color[0], point.color[1], point.color[2]),
        point.error, ToBytes(views)));
  }
  return nb::make_tuple(cameras, images, points);
}

io::ColmapModel::Image ImageFromTuple(const nb::handle& tuple) {
  io::ColmapModel::Image image;
  image.id = nb::cast<std::uint64_t>(tuple[0]);
  const auto name =
      nb::cast<nb::bytes>(tuple[1].attr("encode")("utf-8", "surrogateescape"));
  image.name = View(name);
  image.camera = nb::cast<int>(tuple[2]);
  const auto pose = FromBytes<double>(nb::cast<nb::bytes>(tuple[3]));
  const auto pixels = FromBytes<double>(nb::cast<nb::bytes>(tuple[4]));
  const auto seen = FromBytes<std::int64_t>(nb::cast<nb::bytes>(tuple[5]));
  for (int k = 0; k < 7; ++k) image.world_to_camera[k] = pose.at(k);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    image.observations.push_back(
        {pixels.at(2 * i), pixels.at(2 * i + 1), static_cast<int>(seen[i])});
  }
  return image;
}

void WriteColmap(const std::string& folder, const nb::tuple& tuples) {
  io::ColmapModel model;
  for (const nb::handle tuple : tuples[0]) {
    model.cameras.push_back(
        {nb::cast<std::uint64_t>(tuple[0]), nb::cast<std::string>(tuple[1]),
         FromBytes<double>(nb::cast<nb::bytes>(tuple[4])),
         nb::cast<std::int64_t>(tuple[2]), nb::cast<std::int64_t>(tuple[3])});
  }
  for (const nb::handle tuple : tuples[1]) {
    model.images.push_back(ImageFromTuple(tuple));
  }
  for (const nb::handle tuple : tuples[2]) {
    io::ColmapModel::Point point;
    point.id = nb::cast<std::uint64_t>(tuple[0]);
    for (int k = 0; k < 3; ++k) {
      point.position[k] = nb::cast<double>(tuple[1][k]);
      point.color[k] = nb::cast<int>(tuple[2][k]);
    }
    point.error = nb::cast<double>(tuple[3]);
    const auto views = FromBytes<std::int64_t>(nb::cast<nb::bytes>(tuple[4]));
    for (std::size_t i = 0; i + 1 < views.size(); i += 2) {
      point.views.push_back(
          {static_cast<int>(views[i]), static_cast<int>(views[i + 1])});
    }
    model.points.push_back(std::move(point));
  }
  std::string error;
  if (!io::WriteColmap(model, folder, &error)) RaiseOSError(error);
}

}  // namespace

void BindColmap(nb::module_& module) {
  module.def("_read_colmap", &ReadColmap, nb::arg("folder"));
  module.def("_write_colmap", &WriteColmap, nb::arg("folder"),
             nb::arg("model"));
}

}  // namespace vesta::python
