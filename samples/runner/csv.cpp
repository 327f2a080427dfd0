#include "samples/runner/csv.h"

#include <charconv>

namespace talus::samples {

namespace {

/// Hands every column's name and value to column(name, value): names and values cannot fall out of step.
template <class Column>
void each_column(const FrameProfile& p, Column&& column) {
    const NarrowphaseProfile& n = p.narrowphase;
    column("frame", static_cast<double>(p.frame));
    column("total_us", p.total);
    column("pairs_us", p.pairs);
    column("collide_us", p.collide);
    column("graph_us", p.graph);
    column("solve_us", p.solve);
    column("finish_us", p.finish);
    column("publish_us", p.publish);
    column("bodies", p.bodies);
    column("awake_bodies", p.awake_bodies);
    column("broadphase_pairs", p.broadphase_pairs);
    column("convex_pairs", p.convex_pairs);
    column("touching_pairs", p.touching_pairs);
    column("contact_points", p.contact_points);
    column("islands", p.islands);
    column("colors", p.colors);
    column("max_penetration_m", p.max_penetration);
    column("mean_penetration_m", p.mean_penetration);
    column("kinetic_energy_j", p.kinetic_energy);
    for (int i = 0; i < rung_count; ++i) {
        const std::string name = name_of(static_cast<Rung>(i));
        column(name + "_pairs", n.pairs[static_cast<std::size_t>(i)]);
        column(name + "_us", n.microseconds[static_cast<std::size_t>(i)]);
    }
    column("gjk_queries", n.gjk_queries);
    column("gjk_iterations", n.gjk_iterations);
    column("gjk_cap_hits", n.gjk_cap_hits);
    column("epa_queries", n.epa_queries);
    column("epa_iterations", n.epa_iterations);
    column("epa_cap_hits", n.epa_cap_hits);
    column("support_evaluations", n.support_evaluations);
    column("manifolds_built", n.manifolds_built);
    for (std::size_t i = 0; i < n.gjk_histogram.size(); ++i) column("gjk_" + std::to_string(i), n.gjk_histogram[i]);
    for (std::size_t i = 0; i < n.epa_histogram.size(); ++i) column("epa_" + std::to_string(4 * i), n.epa_histogram[i]);
    for (std::size_t a = 0; a < shape_type_count; ++a) {
        for (std::size_t b = a; b < shape_type_count; ++b) {
            column("tested_" + std::string(name_of(static_cast<ShapeType>(a))) + "_" +
                       std::string(name_of(static_cast<ShapeType>(b))),
                   n.tested_by_shapes[a][b]);
        }
    }
}

void end_line(std::string& line) { line.back() = '\n'; }  // in place of the last comma

}  // namespace

std::string csv_header() {
    std::string line;
    each_column(FrameProfile{}, [&](const std::string& name, double) { line += name + ","; });
    end_line(line);
    return line;
}

std::string csv_row(const FrameProfile& profile) {
    std::string line;
    each_column(profile, [&](const std::string&, double value) {
        char text[32];
        line.append(text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr);
        line += ',';
    });
    end_line(line);
    return line;
}

}  // namespace talus::samples
