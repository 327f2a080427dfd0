#pragma once
/// Summaries as text.

#include "samples/runner/run.h"

namespace talus::samples {

/// The table of all scenes: two header lines, then one line per scene.
std::string table_header();
std::string table_row(const Summary& summary);

/// What the columns mean, for below the table.
std::string table_legend();

/// One scene, one line per fact.
std::string describe(const Summary& summary);

/// The scene's own figures, a line each, with `prefix` before it; nothing if it has none.
std::string figure_lines(const Summary& summary, const std::string& prefix);

}  // namespace talus::samples
