// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_PGM_IMAGE_H_
#define VESTA_EXAMPLES_PGM_IMAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ceres::examples {

// A grey image, row after row. Values are those of the file, black is 0; they
// may be any number while one works with them.
class PgmImage {
 public:
  PgmImage() = default;
  // Black.
  PgmImage(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<size_t>(width) * static_cast<size_t>(height)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  int num_pixels() const { return static_cast<int>(pixels_.size()); }

  double* pixel(int x, int y) { return &pixels_[Index(x, y)]; }
  double pixel(int x, int y) const { return pixels_[Index(x, y)]; }

  std::vector<double>& pixels() { return pixels_; }
  const std::vector<double>& pixels() const { return pixels_; }

 private:
  size_t Index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) +
           static_cast<size_t>(x);
  }

  int width_ = 0;
  int height_ = 0;
  std::vector<double> pixels_;
};

// Reads Netpbm's grey images, "P2" (text) and "P5" (bytes, at most 255 grey
// levels above black), with comments from "#" to the end of a line in their
// header. Returns false on failure and then says in *error which token or byte
// is wrong and what was expected; *image is unchanged.
[[nodiscard]] bool ParsePgm(std::string_view text, const std::string& name,
                            PgmImage* image, std::string* error);
[[nodiscard]] bool ReadPgm(const std::string& path, PgmImage* image,
                           std::string* error);

// Writes P2 with 255 grey levels above black, to which values are rounded.
[[nodiscard]] bool WritePgm(const PgmImage& image, const std::string& path,
                            std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_PGM_IMAGE_H_
