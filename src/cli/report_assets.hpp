#pragma once

namespace adoc::cli {

/// report_page.css and report_page.js, which CMake puts into the program.
extern const char* const kReportStyle;
extern const char* const kReportScript;

}  // namespace adoc::cli
