#include <talus/profiling/csv.h>

#include <talus/profiling/stages.h>

namespace talus {

namespace {

/// Numbers as text that lives as long as the program: names of columns are made of pieces of text.
constexpr const char* numbers[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13",
                                   "14", "15", "16", "20", "24", "28", "32", "36", "40", "44", "48", "52", "56", "60"};
constexpr const char* quarter_number(std::size_t i) { return i < 4 ? numbers[4 * i] : numbers[12 + i]; }
static_assert(std::tuple_size_v<decltype(NarrowphaseProfile::gjk_histogram)> == 16);
static_assert(std::tuple_size_v<decltype(NarrowphaseProfile::epa_histogram)> == 16);

/// Hands every column to column(value, unit, meaning, name...), the name in pieces: names, explanations and values
/// cannot fall out of step, and rows pay for no names.
template <class Column>
void each_column(const FrameProfile& p, Column&& column) {
    const NarrowphaseProfile& n = p.narrowphase;
    const auto count = [](auto value) { return static_cast<double>(value); };
    column(count(p.frame), "", "number of the step, 1 for a world's first", "frame");
    column(p.total, "us", "the whole step: the next seven, which are its stages, and reading clocks", "total_us");
    for (const Stage& stage : stages) column(p.*stage.microseconds, "us", stage.meaning, stage.name, "_us");
    column(p.broadphase, "us", "part of pairs_us and finish_us: time in the broadphase", "broadphase_us");
    column(p.timing, "us", "part of total_us: the clock reads, counted at the cost of one read", "timing_us");
    column(p.interruptions, "",
           "how often the system gave the calling thread's processor to others, with --timing pairs", "interruptions");
    column(count(n.clock_reads), "", "number of clock reads", "clock_reads");
    column(p.bodies, "", "bodies in the world", "bodies");
    column(p.awake_bodies, "", "awake bodies", "awake_bodies");
    column(p.broadphase_pairs, "", "pairs of fat AABBs that overlap", "broadphase_pairs");
    column(p.convex_pairs, "", "shape pairs in the narrowphase, plus body pairs whose bounding spheres are apart",
           "convex_pairs");
    column(p.touching_pairs, "", "shape pairs that were solved in this step", "touching_pairs");
    column(p.contact_points, "", "contact points that were solved in this step", "contact_points");
    column(p.islands, "", "islands of awake bodies: bodies that touch or are jointed", "islands");
    column(p.colors, "", "colours of the constraint graph: the solver handles one after the other", "colors");
    column(p.slabs, "", "slabs of space that threads solved side by side", "slabs");
    const JointProfile& j = p.joints;
    column(count(j.articulations), "", "sets of jointed bodies that were solved", "articulations");
    column(count(j.joints), "", "joints that were solved", "joints");
    column(count(j.rows), "", "scalar constraints of these joints", "joint_rows");
    column(count(j.factorizations), "", "factorisations of their matrices, in all sub-steps", "joint_factorizations");
    column(count(j.rounds), "", "rounds of the joints' passes, in all sub-steps", "joint_rounds");
    column(count(j.passes_alone), "", "passes over articulations that were solved alone, in all sub-steps",
           "joint_passes_alone");
    column(j.microseconds, "us", "time of the joints' two passes, summed over the threads", "joints_us");
    column(j.coupled_microseconds, "us",
           "time in which contacts were solved through joints, summed over the threads; not in joints_us",
           "coupled_us");
    column(p.swept_bodies, "", "bodies that continuous collision swept along their motion", "swept_bodies");
    column(p.impacts, "", "impacts of these bodies within the step", "impacts");
    column(count(p.max_penetration), "m", "penetration of the deepest contact point of this step", "max_penetration_m");
    column(count(p.mean_penetration), "m",
           "mean penetration of the contact points of this step; separated points count as 0", "mean_penetration_m");
    column(p.kinetic_energy, "J", "kinetic energy of the awake bodies", "kinetic_energy_j");
    for (int i = 0; i < rung_count; ++i) {
        const auto r = static_cast<std::size_t>(i);
        const char* rung = name_of(static_cast<Rung>(i));
        column(count(n.pairs[r]), "", "active shape pairs that this rung settled", rung, "_pairs");
        column(n.microseconds[r], "us", "time of the rung, summed over the threads", rung, "_us");
    }
    column(count(n.gjk_queries), "", "calls of GJK", "gjk_queries");
    column(count(n.gjk_iterations), "", "iterations of all calls of GJK", "gjk_iterations");
    column(count(n.gjk_cap_hits), "", "calls of GJK that reached the iteration cap", "gjk_cap_hits");
    column(count(n.epa_queries), "", "calls of EPA", "epa_queries");
    column(count(n.epa_iterations), "", "iterations of all calls of EPA", "epa_iterations");
    column(count(n.epa_cap_hits), "", "calls of EPA that ran out of memory", "epa_cap_hits");
    column(count(n.support_evaluations), "", "searches for a support point", "support_evaluations");
    column(count(n.manifolds_built), "", "manifolds that were built anew by clipping", "manifolds_built");
    const FeatureCounts& f = n.features;
    column(count(f.node_pairs), "", "pairs of nodes of the trees over solids that were tested for candidates",
           "solid_node_pairs");
    column(count(f.pairs), "", "pairs of features in the leaves that boxes and normals of the nodes left",
           "solid_feature_pairs");
    column(count(f.nearby), "", "those that are near enough: before pruning by their orientation", "solid_near_pairs");
    column(count(f.candidates), "", "those that can touch at the present orientation: after it", "solid_candidates");
    column(count(f.points), "", "contact points found among the candidates of all active solids", "solid_points");
    for (std::size_t i = 0; i < n.gjk_histogram.size(); ++i)
        column(count(n.gjk_histogram[i]), "", "calls of GJK that took this many iterations; gjk_15: 15 and more",
               "gjk_", numbers[i]);
    for (std::size_t i = 0; i < n.epa_histogram.size(); ++i) {
        column(count(n.epa_histogram[i]), "",
               "calls of EPA that took this many iterations or up to 3 more; epa_60: 60 and more", "epa_",
               quarter_number(i));
    }
    const auto each_shape_pair = [&](auto&& table, const char* unit, const char* meaning, const char* prefix) {
        for (std::size_t a = 0; a < shape_type_count; ++a) {
            for (std::size_t b = a; b < shape_type_count; ++b) {
                column(count(table[a][b]), unit, meaning, prefix, name_of(static_cast<ShapeType>(a)), "_",
                       name_of(static_cast<ShapeType>(b)));
            }
        }
    };
    each_shape_pair(n.tested_by_shapes, "", "pairs of these shapes that a closed form or GJK tested", "tested_");
    each_shape_pair(n.microseconds_by_shapes, "us",
                    "time of the tests of these shapes, as far as they were timed singly, summed over the threads",
                    "us_");
    // Nobody is -1.
    const SlowestPair& s = p.slowest;
    const bool any = !s.body_a.is_null();
    const auto number = [&](auto value) { return any ? static_cast<double>(value) : -1.0; };
    column(s.microseconds, "us", "time of the slowest shape pair among those timed singly; 0: none was", "slowest_us");
    column(number(s.rung), "", "number of its rung in the ladder; 0 is skip", "slowest_rung");
    column(number(s.body_a.slot), "", "slot of its first body; here and below, -1: no pair", "slowest_body_a");
    column(number(s.body_b.slot), "", "slot of its second body", "slowest_body_b");
    column(number(s.shape_a), "", "index of the shape in the first body", "slowest_shape_a");
    column(number(s.shape_b), "", "index of the shape in the second body", "slowest_shape_b");
    column(j.slowest_microseconds, "us", "time of the slowest articulation, with --timing pairs; else 0",
           "slowest_articulation_us");
    column(j.slowest_body.is_null() ? -1.0 : count(j.slowest_body.slot), "",
           "slot of one of its bodies; -1: none was timed singly", "slowest_articulation_body");
}

template <class... Pieces>
void append(std::string& text, const Pieces&... pieces) {
    (text.append(pieces), ...);
}

}  // namespace

std::vector<CsvColumn> csv_columns() {
    std::vector<CsvColumn> columns;
    each_column(FrameProfile{}, [&](double, const char* unit, const char* meaning, const auto&... name) {
        columns.push_back({"", unit, meaning});
        append(columns.back().name, name...);
    });
    return columns;
}

std::string csv_header() {
    std::string line;
    for (const CsvColumn& column : csv_columns()) append(line, column.name, ",");
    line.back() = '\n';  // in place of the last comma
    return line;
}

std::string csv_row(const FrameProfile& profile) {
    std::string line;
    line.reserve(1024);
    each_column(profile, [&](double value, const char*, const char*, const auto&...) {
        append_number(line, value);
        line += ',';
    });
    line.back() = '\n';
    return line;
}

Error CsvWriter::open(const std::string& path) {
    if (Error error = file_.open(path)) return error;
    file_.write(csv_header());
    return {};
}

void CsvWriter::add(const FrameProfile& profile) { file_.write(csv_row(profile)); }

Error CsvWriter::close() { return file_.close(); }

}  // namespace talus
