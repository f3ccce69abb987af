// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/html_report.h"

#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/base/testing/temporary_directory.h"
#include "ceres/loss_function.h"
#include "ceres/pose_graph.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

struct Distance {
  explicit Distance(double target) : target(target) {}
  template <typename T>
  bool operator()(const T* x, const T* y, T* residual) const {
    residual[0] = x[0] - target;
    residual[1] = x[0] * y[0] - target;
    return true;
  }
  static CostFunction* Create(double target) {
    return new AutoDiffCostFunction<Distance, 2, 1, 1>(new Distance(target));
  }
  double target;
};

class HtmlReportTest : public testing::Test {
 protected:
  void Add(double target) {
    problem_.AddResidualBlock(Distance::Create(target), nullptr, &x_, &y_);
  }
  // Solves, and returns the page.
  std::string Report(const HtmlReport::Options& report_options) {
    HtmlReport report(report_options, &problem_);
    Solver::Options options;
    Solver::Summary summary;
    Solve(options, &problem_, &summary);
    std::string error;
    EXPECT_TRUE(
        report.Write(directory_.File("report.html"), options, summary, &error))
        << error;
    EXPECT_EQ(directory_.CountFiles(), 1);
    return directory_.Read("report.html");
  }
  static bool Contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  double x_ = 1.0;
  double y_ = 2.0;
  Problem problem_;
  internal::TemporaryDirectory directory_;
};

TEST_F(HtmlReportTest, PageNeedsNoOtherFile) {
  Add(3.0);
  const std::string page = Report({});
  EXPECT_FALSE(std::regex_search(
      page, std::regex(R"((src|href)\s*=\s*["'][^#"'])", std::regex::icase)));
  EXPECT_FALSE(Contains(page, "@import"));
  EXPECT_FALSE(Contains(page, "url("));
  EXPECT_FALSE(Contains(page, "fetch("));
  EXPECT_FALSE(Contains(page, "import("));
  EXPECT_FALSE(Contains(page, "XMLHttpRequest"));
  // The only address is the name of a namespace.
  const std::string without_svg = std::regex_replace(
      page, std::regex(R"(http://www\.w3\.org/2000/svg)"), "");
  EXPECT_FALSE(std::regex_search(without_svg, std::regex("https?:")));
}

TEST_F(HtmlReportTest, NoPlaceholderIsLeft) {
  Add(3.0);
  const std::string page = Report({});
  for (const char* placeholder :
       {"{{title}}", "{{data}}", "{{style}}", "{{script}}"}) {
    EXPECT_FALSE(Contains(page, placeholder)) << placeholder;
  }
}

TEST_F(HtmlReportTest, TextOfTheUserCannotEndTheScript) {
  Add(3.0);
  HtmlReport::Options options;
  options.title = "</script><b>&{{data}}";
  options.parameter_block_name = [](const double*) { return "</script>"; };
  options.residual_block_tag = [](ResidualBlockId) { return "<!--"; };
  const std::string page = Report(options);
  EXPECT_TRUE(
      Contains(page, "<title>&lt;/script&gt;&lt;b&gt;&amp;{{data}}</title>"));
  EXPECT_TRUE(Contains(page, R"("kinds":[{"name":"\u003c!--")"));
  // One end for the data, and one for the program.
  const std::regex end("</script>");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), end),
                          std::sregex_iterator()),
            2);
}

TEST_F(HtmlReportTest, WritesThePageThatItIsMappedTo) {
  Add(3.0);
  HtmlReport::Options options;
  options.map_page = [](const std::string& page) {
    return "mapped: " + page.substr(0, 15);
  };
  EXPECT_EQ(Report(options), "mapped: <!DOCTYPE html>");
}

TEST_F(HtmlReportTest, PoseGraphHasItsCertificate) {
  Add(3.0);
  EXPECT_TRUE(Contains(Report({}), R"("pose_graph":{"is_made":false,)"));
  PoseGraphSummary summary;
  summary.termination_type = CONVERGENCE;
  summary.message = "not shown";
  summary.initialization.start = PoseGraphStart::kSpanningTree;
  summary.initialization.cost = 64.5;
  summary.certificate.statement = PoseGraphStatement::kNegativeCurvature;
  summary.certificate.message = "the explanation";
  summary.certificate.cost = 8.5;
  summary.certificate.lower_bound = 8.25;
  summary.certificate.gap = 0.25;
  summary.geodesic.initial_cost = 5.5;
  summary.geodesic.final_cost = 4.5;
  PoseGraphSummary::Step step;
  step.rank = 4;
  step.num_iterations = 17;
  step.cost = 8.5;
  step.lower_bound = 8.125;
  step.time_in_seconds = 0.5;
  summary.steps.push_back(step);
  HtmlReport::Options options;
  options.pose_graph = &summary;
  EXPECT_TRUE(Contains(
      Report(options),
      R"("pose_graph":{"is_made":true,"message":"","start":"kSpanningTree",)"
      R"("statement":"kNegativeCurvature","explanation":"the explanation",)"
      R"("is_certified":false,"is_anisotropic":false,"start_cost":64.5,)"
      R"("cost":8.5,"lower_bound":8.25,"gap":0.25,)"
      R"("geodesic_initial_cost":5.5,"geodesic_final_cost":4.5,"steps":[)"
      R"({"rank":4,"num_iterations":17,"cost":8.5,"lower_bound":8.125,)"
      R"("seconds":0.5}]})"));
  summary.termination_type = FAILURE;
  summary.message = "the reason";
  EXPECT_TRUE(
      Contains(Report(options),
               R"("pose_graph":{"is_made":true,"message":"the reason")"));
}

TEST_F(HtmlReportTest, SceneHasBothStates) {
  Add(3.0);
  HtmlReport::Options options;
  options.scene = [this] {
    ReportScene scene;
    scene.points.push_back({x_, 0.5, 0.25});
    return scene;
  };
  const std::string page = Report(options);
  EXPECT_TRUE(Contains(page, R"("before":{"points":[1,0.5,0.25])"));
  EXPECT_TRUE(Contains(page, R"("after":{"points":[3,0.5,0.25])"));
}

TEST_F(HtmlReportTest, NamesConstraints) {
  Add(3.0);
  EXPECT_TRUE(Contains(Report({}), R"("num_constraints":0)"));
  problem_.SetConstraintName(
      problem_.AddInequalityConstraint(Distance::Create(2.0), {-10.0, -10.0},
                                       {0.5, 10.0}, {&x_, &y_}),
      "rod");
  const std::string page = Report({});
  EXPECT_TRUE(Contains(page, R"("num_constraints":1)"));
  EXPECT_TRUE(Contains(page, R"("name":"rod[0]")"));
  EXPECT_TRUE(Contains(page, R"("upper":0.5)"));
}

TEST_F(HtmlReportTest, DoesNotChangeTheSolve) {
  for (int i = 0; i < 10; ++i) Add(i);
  Solver::Summary summary;
  Solve(Solver::Options(), &problem_, &summary);
  const double x = x_;
  const double y = y_;
  x_ = 1.0;
  y_ = 2.0;
  Report({});
  EXPECT_EQ(x_, x);
  EXPECT_EQ(y_, y);
}

TEST_F(HtmlReportTest, PageOfAHundredThousandResidualsIsSmall) {
  constexpr int kNumPoints = 50000;
  std::vector<double> points(kNumPoints, 1.0);
  for (double& point : points) {
    problem_.AddResidualBlock(Distance::Create(2.0), new HuberLoss(0.5), &x_,
                              &point);
  }
  HtmlReport::Options options;
  options.parameter_block_name = [](const double*) {
    return std::string(30, 'n');
  };
  options.scene = [&] {
    ReportScene scene;
    for (const double point : points) {
      scene.points.push_back({point / 3.0, point / 7.0, -point / 9.0});
      scene.poses.push_back({{point / 3.0, -point / 7.0, -point / 9.0},
                             {0.123456, 0.234567, 0.345678, -0.456789}});
    }
    for (int i = 1; i < kNumPoints; ++i) scene.edges.push_back({i - 1, i});
    return scene;
  };
  const std::string page = Report(options);
  EXPECT_EQ(problem_.NumResiduals(), 100000);
  EXPECT_LT(page.size(), 2000000);
}

TEST_F(HtmlReportTest, SamePageForTheSameData) {
  Add(3.0);
  HtmlReport report({}, &problem_);
  Solver::Summary summary;
  Solve(Solver::Options(), &problem_, &summary);
  std::string error;
  for (const char* name : {"a.html", "b.html"}) {
    ASSERT_TRUE(report.Write(directory_.File(name), Solver::Options(), summary,
                             &error));
  }
  EXPECT_EQ(directory_.Read("a.html"), directory_.Read("b.html"));
}

TEST_F(HtmlReportTest, FileThatCannotBeWrittenIsAnError) {
  Add(3.0);
  HtmlReport report({}, &problem_);
  const std::string path = directory_.File("no_such_folder/report.html");
  std::string error;
  EXPECT_FALSE(
      report.Write(path, Solver::Options(), Solver::Summary(), &error));
  EXPECT_TRUE(Contains(error, path)) << error;
  EXPECT_TRUE(Contains(error, "No such file")) << error;
  EXPECT_EQ(directory_.CountFiles(), 0);
}

TEST_F(HtmlReportTest, SampleSizeIsChecked) {
  Add(3.0);
  HtmlReport::Options options;
  options.max_scene_samples = 0;
  HtmlReport report(options, &problem_);
  std::string error;
  EXPECT_FALSE(report.Write(directory_.File("report.html"), Solver::Options(),
                            Solver::Summary(), &error));
  EXPECT_EQ(error,
            "HtmlReport::Options::max_scene_samples is 0; it must be > 0.");
}

struct FailsAtZero {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0];
    return x[0] != 0.0;
  }
};

TEST_F(HtmlReportTest, FailedSolveHasAPage) {
  x_ = 0.0;
  problem_.AddResidualBlock(
      new AutoDiffCostFunction<FailsAtZero, 1, 1>(new FailsAtZero), nullptr,
      &x_);
  const std::string page = Report({});
  EXPECT_TRUE(Contains(page, R"("termination":"FAILURE")"));
  EXPECT_TRUE(Contains(page,
                       "Residual block 0 cannot be evaluated: its cost "
                       "function returned false."));
  EXPECT_TRUE(Contains(page, R"("rule":"not_evaluable")"));
}

TEST_F(HtmlReportTest, EmptyProblemHasAPage) {
  EXPECT_TRUE(Contains(Report({}), R"("num_residuals":0)"));
}

TEST_F(HtmlReportTest, LineSearchHasAPage) {
  Add(3.0);
  HtmlReport report({}, &problem_);
  Solver::Options options;
  options.minimizer_type = LINE_SEARCH;
  Solver::Summary summary;
  Solve(options, &problem_, &summary);
  std::string error;
  ASSERT_TRUE(
      report.Write(directory_.File("report.html"), options, summary, &error));
  EXPECT_TRUE(
      Contains(directory_.Read("report.html"), R"("is_line_search":true)"));
}

struct Throws {
  template <typename T>
  bool operator()(const T*, T*) const {
    throw std::runtime_error("sensor");
  }
};

TEST_F(HtmlReportTest, ExceptionsOfUserCodeReachTheCaller) {
  problem_.AddResidualBlock(new AutoDiffCostFunction<Throws, 1, 1>(new Throws),
                            nullptr, &x_);
  EXPECT_THROW(HtmlReport({}, &problem_), std::runtime_error);
}

}  // namespace
}  // namespace ceres
