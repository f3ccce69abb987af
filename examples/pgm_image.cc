// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "pgm_image.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "ceres/io/text_file.h"
#include "ceres/io/token_reader.h"

namespace ceres::examples {
namespace {

constexpr int kMaxSide = 1 << 15;
constexpr int kMaxGrey = 65535;

// The text with spaces in place of comments and of its first letter.
std::string WithoutComments(std::string_view text) {
  std::string result(text);
  result[0] = ' ';
  bool in_comment = false;
  for (char& c : result) {
    if (c == '#') in_comment = true;
    if (c == '\n') in_comment = false;
    if (in_comment) c = ' ';
  }
  return result;
}

// How long the header of a P5 image is, "P5 width height levels" and one white
// space; as long as the text where it is not that.
size_t HeaderSize(std::string_view text) {
  int num_tokens = 0;
  bool in_comment = false;
  bool in_token = false;
  for (size_t i = 0; i < text.size(); ++i) {
    in_comment = (in_comment || text[i] == '#') && text[i] != '\n';
    const bool is_part = !in_comment && !io::IsSpace(text[i]);
    if (in_token && !is_part && ++num_tokens == 4) return i + 1;
    in_token = is_part;
  }
  return text.size();
}

struct Header {
  int64_t num_pixels() const { return int64_t{width} * height; }

  int width = 0;
  int height = 0;
  int max_grey = 0;
};

// The letter of the format was blanked, so that it begins with a number.
bool ReadHeader(io::TokenReader* reader, Header* header) {
  int format = 0;
  return reader->ReadInt("the format", 2, 5, &format) &&
         reader->ReadInt("the width", 1, kMaxSide, &header->width) &&
         reader->ReadInt("the height", 1, kMaxSide, &header->height) &&
         reader->ReadInt("the number of grey levels", 1, kMaxGrey,
                         &header->max_grey);
}

// Refuses an image that the text cannot hold before memory is reserved for it.
bool ParseText(std::string_view text, const std::string& name, PgmImage* image,
               std::string* error) {
  const std::string plain = WithoutComments(text);
  io::TokenReader reader(plain, name);
  Header header;
  bool good = ReadHeader(&reader, &header);
  // A pixel takes two characters at least.
  if (good && static_cast<int64_t>(text.size()) < 2 * header.num_pixels()) {
    good = reader.Fail("expected " + std::to_string(header.num_pixels()) +
                       " pixels, but the file has only " +
                       std::to_string(text.size()) + " bytes");
  }
  if (good) *image = PgmImage(header.width, header.height);
  for (size_t i = 0; good && i < image->pixels().size(); ++i) {
    int grey = 0;
    good = reader.ReadInt("a pixel", 0, header.max_grey, &grey);
    image->pixels()[i] = grey;
  }
  good = good && reader.ExpectEnd();
  *error = reader.error();
  return good;
}

bool ParseBytes(std::string_view text, const std::string& name, PgmImage* image,
                std::string* error) {
  const std::string_view bytes = text.substr(HeaderSize(text));
  const std::string plain =
      WithoutComments(text.substr(0, text.size() - bytes.size()));
  io::TokenReader reader(plain, name);
  Header header;
  bool good = ReadHeader(&reader, &header);
  if (good && header.max_grey > 255) {
    good = reader.Fail("expected at most 255 grey levels, found " +
                       std::to_string(header.max_grey));
  }
  if (good && static_cast<int64_t>(bytes.size()) != header.num_pixels()) {
    good = reader.Fail("expected " + std::to_string(header.num_pixels()) +
                       " bytes of pixels after the header, found " +
                       std::to_string(bytes.size()));
  }
  *error = reader.error();
  if (!good) return false;
  *image = PgmImage(header.width, header.height);
  std::transform(bytes.begin(), bytes.end(), image->pixels().begin(),
                 [](char byte) { return static_cast<unsigned char>(byte); });
  return true;
}

}  // namespace

bool ParsePgm(std::string_view text, const std::string& name, PgmImage* image,
              std::string* error) {
  const std::string_view magic = text.substr(0, 2);
  if (magic != "P2" && magic != "P5") {
    *error = name + ": byte 0: expected \"P2\" or \"P5\", found " +
             io::QuoteToken(magic);
    return false;
  }
  PgmImage parsed;
  if (magic == "P2" ? !ParseText(text, name, &parsed, error)
                    : !ParseBytes(text, name, &parsed, error)) {
    return false;
  }
  *image = std::move(parsed);
  return true;
}

bool ReadPgm(const std::string& path, PgmImage* image, std::string* error) {
  std::string text;
  return io::ReadFile(path, &text, error) && ParsePgm(text, path, image, error);
}

bool WritePgm(const PgmImage& image, const std::string& path,
              std::string* error) {
  std::string text = "P2\n";
  io::AppendNumber(image.width(), ' ', &text);
  io::AppendNumber(image.height(), '\n', &text);
  text += "255\n";
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const double grey = std::round(image.pixel(x, y));
      io::AppendNumber(static_cast<int>(std::min(std::max(grey, 0.0), 255.0)),
                       x + 1 < image.width() ? ' ' : '\n', &text);
    }
  }
  return io::WriteFile(text, path, error);
}

}  // namespace ceres::examples
