#pragma once
/// Runs a scene under the ledger.

#include "samples/ledger/ledger.h"
#include "samples/runner/options.h"
#include "samples/scenes/scene.h"

#include <functional>

namespace talus::samples {

/// Steps the scene as the options say and keeps the books. An Error when the scene cannot be made or the world refuses
/// it.
Result<LedgerReport> run_ledger(const Scene& scene, const Options& options,
                                const std::function<void(int done, int steps)>& progress = {});

/// Column headings, and a line for a scene: its energy, the worst gain, where it happened, ok or FAIL.
std::string ledger_header();
std::string ledger_line(const std::string& scene, const LedgerReport& report);

}  // namespace talus::samples
