// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/colmap.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ColmapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("colmap_test.") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    files_["cameras.txt"] =
        "# a comment\n"
        "1 PINHOLE 640 480 500 501 320 240\n"
        "18446744073709551615 OPENCV 10 20 1 2 3 4 5 6 7 8\n";
    // The second image has no key points, and its name has spaces.
    files_["images.txt"] =
        "# a comment\r\n"
        "10 2 0 0 0 1 2 3 1 a.jpg\r\n"
        "1.5 2.5 7 3 4 -1 5 6 18446744073709551615 7 8 9\r\n"
        "11 0 1 0 0 1 2 3 18446744073709551615 my  # image.jpg\r\n"
        "\r\n"
        "12 0 1 0 0 1 2 3 1 c.jpg\r\n"
        "1 1 7\r\n";
    files_["points3D.txt"] =
        "7 1 2 3 10 20 30 0.5 10 0 12 0\n"
        "9 4 5 6 0 0 255 -1 10 3\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void WriteInputs() const {
    for (const auto& [name, text] : files_) {
      std::ofstream(folder_ / name, std::ios::binary) << text;
    }
  }

  ColmapModel Read() const {
    WriteInputs();
    ColmapModel model;
    std::string error;
    EXPECT_TRUE(ReadColmap(folder_.string(), &model, &error)) << error;
    return model;
  }

  // The message after `from` has become `to` in a file.
  std::string ReadError(const char* file, const std::string& from,
                        const std::string& to) {
    const std::string before = files_[file];
    const std::size_t position = before.find(from);
    EXPECT_NE(position, std::string::npos) << from;
    files_[file].replace(position, from.size(), to);
    WriteInputs();
    files_[file] = before;
    ColmapModel model;
    model.points.resize(42);
    std::string error;
    EXPECT_FALSE(ReadColmap(folder_.string(), &model, &error)) << to;
    EXPECT_EQ(model.points.size(), 42u);
    return error;
  }

  fs::path folder_;
  std::map<std::string, std::string> files_;
};

TEST_F(ColmapTest, ReadsCamerasImagesAndPoints) {
  const ColmapModel model = Read();
  ASSERT_EQ(model.cameras.size(), 2u);
  EXPECT_EQ(model.cameras[0].model, "PINHOLE");
  EXPECT_THAT(model.cameras[0].parameters, ElementsAre(500, 501, 320, 240));
  EXPECT_EQ(model.cameras[1].id, ~std::uint64_t{0});
  EXPECT_EQ(model.cameras[1].height, 20);
  ASSERT_EQ(model.images.size(), 3u);
  EXPECT_THAT(model.images[0].world_to_camera,
              ElementsAre(1, 0, 0, 0, 1, 2, 3));
  ASSERT_EQ(model.images[0].observations.size(), 4u);
  EXPECT_EQ(model.images[0].observations[0].y, 2.5);
  EXPECT_EQ(model.images[0].observations[1].point, -1);
  EXPECT_EQ(model.images[0].observations[2].point, -1);
  EXPECT_EQ(model.images[0].observations[3].point, 1);
  EXPECT_EQ(model.images[1].name, "my  # image.jpg");
  EXPECT_EQ(model.images[1].camera, 1);
  EXPECT_TRUE(model.images[1].observations.empty());
  ASSERT_EQ(model.points.size(), 2u);
  EXPECT_THAT(model.points[0].position, ElementsAre(1, 2, 3));
  EXPECT_THAT(model.points[1].color, ElementsAre(0, 0, 255));
  ASSERT_EQ(model.points[0].views.size(), 2u);
  EXPECT_EQ(model.points[0].views[1].image, 2);
}

TEST_F(ColmapTest, WritesWhatReadsAsTheSame) {
  ColmapModel model = Read();
  model.points[0].position[1] = 1.0 / 3.0;
  model.images[1].world_to_camera[4] = -1e-17;
  const std::string out = (folder_ / "sparse" / "0").string();
  std::string error;
  ASSERT_TRUE(WriteColmap(model, out, &error)) << error;
  ColmapModel again;
  ASSERT_TRUE(ReadColmap(out, &again, &error)) << error;
  EXPECT_EQ(again.points[0].position, model.points[0].position);
  EXPECT_EQ(again.points[1].error, -1.0);
  EXPECT_EQ(again.cameras[1].parameters, model.cameras[1].parameters);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(again.images[i].world_to_camera, model.images[i].world_to_camera);
    EXPECT_EQ(again.images[i].name, model.images[i].name);
    EXPECT_EQ(again.images[i].observations.size(),
              model.images[i].observations.size());
  }
}

TEST_F(ColmapTest, ChangesNoFileIfOneCannotBeWritten) {
  ColmapModel model = Read();
  std::string error;
  ASSERT_TRUE(WriteColmap(model, folder_.string(), &error)) << error;
  const auto size = fs::file_size(folder_ / "images.txt");
  model.images[0].name += std::string(1000, 'x');
  fs::remove(folder_ / "points3D.txt");
  fs::create_directory(folder_ / "points3D.txt");
  EXPECT_FALSE(WriteColmap(model, folder_.string(), &error));
  EXPECT_THAT(error, HasSubstr("points3D.txt"));
  EXPECT_EQ(fs::file_size(folder_ / "images.txt"), size);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);
  model.points[0].position[0] = std::nan("");
  EXPECT_FALSE(WriteColmap(model, folder_.string(), &error));
  EXPECT_THAT(error, HasSubstr("point 7 has a number that is not finite"));
}

TEST_F(ColmapTest, RefusesOtherCameraModelsByName) {
  for (const char* name : {"FULL_OPENCV", "OPENCV_FISHEYE", "FOV", "pinhole"}) {
    EXPECT_THAT(ReadError("cameras.txt", "PINHOLE", name),
                AllOf(HasSubstr("cameras.txt:2: "),
                      HasSubstr("SIMPLE_RADIAL, RADIAL or OPENCV, found \"" +
                                std::string(name) + "\"")));
  }
}

TEST_F(ColmapTest, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(ReadError("cameras.txt", " 240", ""),
              HasSubstr("cameras.txt:2: expected a parameter of a camera, a "
                        "finite number, but the line ends"));
  EXPECT_THAT(ReadError("cameras.txt", "240", "240 1"),
              HasSubstr("expected the end of the line, found \"1\""));
  EXPECT_THAT(ReadError("cameras.txt", "18446744073709551615", "1"),
              HasSubstr("camera 1 is given twice, here and in line 2"));
  EXPECT_THAT(ReadError("cameras.txt", "500", "5,0"), HasSubstr("\"5,0\""));
  EXPECT_THAT(ReadError("images.txt", "3 1 a", "3 5 a"),
              HasSubstr("images.txt:2: a record names camera 5"));
  EXPECT_THAT(ReadError("images.txt", "2 0 0 0", "0 0 0 0"),
              HasSubstr("images.txt:2: expected a quaternion"));
  EXPECT_THAT(ReadError("images.txt", "a.jpg", ""),
              HasSubstr("expected the name of an image"));
  EXPECT_THAT(ReadError("images.txt", "1.5 2.5", "1.5"),
              HasSubstr("images.txt:3: expected three numbers per key point"));
  EXPECT_THAT(ReadError("images.txt", "2.5 7", "nan 7"), HasSubstr("\"nan\""));
  EXPECT_THAT(ReadError("images.txt", "2.5 7", "2.5 8"),
              HasSubstr("a record names point 8, which the model lacks"));
  EXPECT_THAT(ReadError("images.txt", "2.5 7", "2.5 -1"),
              HasSubstr("points3D.txt:1: point 7 has key point 0 of image 10"));
  EXPECT_THAT(ReadError("images.txt", "3 4 -1", "3 4 7"),
              HasSubstr("found 1 that points3D.txt lacks"));
  EXPECT_THAT(ReadError("points3D.txt", " 10 3\n", "\n"),
              HasSubstr("found 1 that points3D.txt lacks"));
  EXPECT_THAT(ReadError("points3D.txt", "10 3", "99 3"),
              HasSubstr("key point 3 of image 99"));
  EXPECT_THAT(ReadError("points3D.txt", "10 3", "10 4000000"),
              HasSubstr("points3D.txt:2: "));
  EXPECT_THAT(ReadError("points3D.txt", "255", "256"), HasSubstr("\"256\""));
  EXPECT_THAT(ReadError("points3D.txt", "9 4 5 6", "7 4 5 6"),
              HasSubstr("point 7 is given twice"));
  EXPECT_THAT(ReadError("points3D.txt", "9 4 5 6", "9 4 5D0 6"),
              HasSubstr("\"5D0\""));
}

TEST_F(ColmapTest, SaysHowToConvertABinaryModel) {
  std::ofstream(folder_ / "cameras.bin") << "x";
  ColmapModel model;
  std::string error;
  EXPECT_FALSE(ReadColmap(folder_.string(), &model, &error));
  EXPECT_THAT(error,
              AllOf(HasSubstr("cameras.txt"), HasSubstr("model_converter")));
}

}  // namespace
}  // namespace ceres::io
