#include "samples/runner/outputs/report.h"

#include <cinttypes>
#include <cstdio>

namespace talus::samples {

namespace {

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
    char text[512];
    std::snprintf(text, sizeof text, pattern, arguments...);
    return text;
}

/// Large values without decimals, small ones with few: about three digits that count.
std::string number(double value) {
    if (value == 0.0) return "0";
    if (value >= 1e6) return format("%.2e", value);
    if (value >= 99.95) return format("%.0f", value);
    if (value >= 9.995) return format("%.1f", value);
    if (value >= 0.001) return format("%.2f", value);
    return format("%.0e", value);
}

double percent(const Summary& summary, std::size_t rung) {
    double all = 0.0;
    for (const double pairs : summary.rungs) all += pairs;
    return all > 0.0 ? 100.0 * summary.rungs[rung] / all : 0.0;
}

/// What the joints cost. Counts of factorisations and rounds are per articulation and sub-step, as its means.
std::string joint_lines(const Summary& s) {
    const JointProfile& j = s.joints;
    const double steps = s.steps, solved = static_cast<double>(j.articulations) * s.substeps;
    const auto a_step = [&](auto count) { return number(static_cast<double>(count) / steps); };
    return format("  %-22s%s a step, with %s rows, in %s articulations\n", "joints", a_step(j.joints).c_str(),
                  a_step(j.rows).c_str(), a_step(j.articulations).c_str()) +
           format("  %-22s%s us a step, and %s us for contacts that are solved with joints\n", "their time",
                  a_step(j.microseconds).c_str(), a_step(j.coupled_microseconds).c_str()) +
           format("  %-22s%.2f factorisations and %.2f rounds per articulation and sub-step\n", "direct solve",
                  static_cast<double>(j.factorizations) / solved, static_cast<double>(j.rounds) / solved) +
           format("  %-22s%.1f%% of the passes over articulations; the others are solved side by side\n", "alone",
                  100.0 * static_cast<double>(j.passes_alone) / (2.0 * solved));
}

}  // namespace

std::string table_header() {
    return format("%-40s | %-13s | %-12s | %-59s | %-11s | %-11s | %s\n", "", "ms per step", "collide",
                  "pairs by rung, %", "GJK  EPA", "overlap, mm", "energy") +
           format(
               "%-12s %5s %6s %5s %8s | %6s %6s | %8s %3s | %5s %5s %5s %5s %5s %5s %5s %5s %5s %5s | %4s %6s | %4s "
               "%6s | "
               "%8s "
               "%7s\n",
               "scene", "steps", "bodies", "pairs", "contacts", "median", "p99", "us/frame", "%", "skip", "reuse",
               "form", "sep", "touch", "warm", "cold", "wEPA", "cEPA", "feat", "it/q", "/frame", "mean", "max", "J",
               "asleep");
}

std::string table_row(const Summary& s) {
    std::string row =
        format("%-12s %5d %6zu %5" PRIu32 " %8zu | %6.3f %6.3f | %8.0f %3.0f |", s.scene.c_str(), s.steps, s.bodies,
               s.pairs, s.contact_points, s.median_ms, s.p99_ms, s.collide_us, 100.0 * s.collide_share);
    for (std::size_t i = 0; i < s.rungs.size(); ++i) row += format(" %5.1f", percent(s, i));
    row += format(" | %4.2f %6s | %4s %6s | %8s %7zu\n", s.gjk_iterations, number(s.epa_calls).c_str(),
                  number(1000.0 * s.mean_penetration).c_str(), number(1000.0 * s.max_penetration).c_str(),
                  number(s.kinetic_energy).c_str(), s.asleep);
    return row;
}

std::string table_legend() {
    return "\n"
           "Bodies, pairs (of convex shapes or solids whose boxes meet), contacts (points), overlap (of contacts), "
           "energy (kinetic) and asleep: after the last step.\n"
           "Times, collide (the stage of the narrowphase, and its share of a step), rungs, GJK (iterations per query) "
           "and EPA (calls per frame): "
           "over the whole run.\n"
           "Rungs: how pairs were settled. skip: too far apart to have met since; reuse: manifold kept; form: shapes "
           "that need no iteration;\n"
           "sep, touch: by last frame's axis; warm, cold: GJK from last frame's simplex, from nothing; wEPA, cEPA: "
           "overlapping cores, the same;\n"
           "feat: solids that are not convex, by the pairs of features that can touch.\n";
}

std::string describe(const Summary& s) {
    std::string text =
        format("%s, %d steps of %.4g ms, %d sub-steps each\n\n", s.scene.c_str(), s.steps, 1e3 * s.dt, s.substeps);
    const auto line = [&](const char* what, const std::string& value) {
        text += format("  %-22s", what) + value + "\n";
    };
    line("bodies", format("%zu, %zu of them asleep", s.bodies, s.asleep));
    line("pairs", format("%" PRIu32 ", with %zu contact points", s.pairs, s.contact_points));
    line("penetration", format("mean %s mm, max %s mm", number(1000.0 * s.mean_penetration).c_str(),
                               number(1000.0 * s.max_penetration).c_str()));
    line("kinetic energy", number(s.kinetic_energy) + " J");
    line("a step", format("median %.3f ms, p99 %.3f ms", s.median_ms, s.p99_ms));
    line("stage collide", format("%.1f us per frame, %.0f%% of a step", s.collide_us, 100.0 * s.collide_share));
    text += "\n  pairs by rung, a frame\n";
    for (std::size_t i = 0; i < s.rungs.size(); ++i) {
        text += format("    %-20s%10.1f  %5.1f%%\n", name_of(static_cast<Rung>(i)), s.rungs[i], percent(s, i));
    }
    text += "\n";
    line("GJK iterations", format("%.2f a query", s.gjk_iterations));
    line("EPA", number(s.epa_calls) + " calls per frame");
    if (s.joints.articulations != 0) text += "\n" + joint_lines(s);
    if (!s.notes.empty()) text += "\n";
    for (const auto& [what, words] : s.notes) line(what.c_str(), words);
    if (!s.figures.empty()) text += "\n" + figure_lines(s, "  ");
    return text;
}

std::string figure_lines(const Summary& s, const std::string& prefix) {
    std::string text;
    for (const Summary::Measured& figure : s.figures) {
        text += prefix + format("%-34s %.4g%s%s\n", figure.name.c_str(), figure.value, figure.unit.empty() ? "" : " ",
                                figure.unit.c_str());
    }
    return text;
}

}  // namespace talus::samples
