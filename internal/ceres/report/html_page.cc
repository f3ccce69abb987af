// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/html_page.h"

#include <string>
#include <string_view>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// String literals that the build makes of the files of the same name in this
// folder.
constexpr std::string_view kHtml =
#include "report.html.inc"
    ;
constexpr std::string_view kStyle =
#include "report.css.inc"
    ;
// The parts of one script, in this order.
constexpr std::string_view kScripts[] = {
#include "report_elements.js.inc"
    ,
#include "report_time.js.inc"
    ,
#include "report_residuals.js.inc"
    ,
#include "report_scene.js.inc"
    ,
#include "report.js.inc"
};

// Replaces the only occurrence of a placeholder.
void Insert(std::string_view placeholder, std::string_view text,
            std::string* page) {
  const std::size_t at = page->find(placeholder);
  VESTA_CHECK_NE(at, std::string::npos) << placeholder;
  page->replace(at, placeholder.size(), text);
}

std::string EscapedForHtml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string HtmlPage(const std::string& title, const std::string& json) {
  std::string page(kHtml);
  // The data come last, and the title before them: they may contain what looks
  // like a placeholder.
  Insert("/*{{style}}*/", kStyle, &page);
  std::string script;
  for (const std::string_view part : kScripts) script += part;
  Insert("/*{{script}}*/", script, &page);
  Insert("{{data}}", JsonForScript(json), &page);
  Insert("{{title}}", EscapedForHtml(title), &page);
  return page;
}

std::string JsonForScript(const std::string& json) {
  // U+2028 and U+2029 in UTF-8.
  const std::string line_separator = "\xe2\x80\xa8";
  const std::string paragraph_separator = "\xe2\x80\xa9";
  std::string escaped;
  escaped.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      escaped += "\\u003c";
    } else if (json.compare(i, 3, line_separator) == 0) {
      escaped += "\\u2028";
      i += 2;
    } else if (json.compare(i, 3, paragraph_separator) == 0) {
      escaped += "\\u2029";
      i += 2;
    } else {
      escaped += json[i];
    }
  }
  return escaped;
}

}  // namespace ceres::internal
