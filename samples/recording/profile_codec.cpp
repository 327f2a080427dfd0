#include "samples/recording/profile_codec.h"

#include "common/bit_cast.h"
#include "samples/recording/streams.h"

#include <cmath>

namespace talus::samples {

namespace {

/// Calls f(name, number) for each column, in the order of the file. New columns go to the end.
template <class Row, class F>
void for_each_column(Row& row, F&& f) {
    auto& p = row.profile;
    auto& n = p.narrowphase;
    f("dt", row.dt);
    f("frame", p.frame);
    f("total", p.total);
    f("pairs", p.pairs);
    f("collide", p.collide);
    f("graph", p.graph);
    f("solve", p.solve);
    f("continuous", p.continuous);
    f("finish", p.finish);
    f("publish", p.publish);
    f("broadphase", p.broadphase);
    f("timing", p.timing);
    for (auto& v : n.microseconds) f("rung_us", v);
    for (auto& v : n.pairs) f("rung_pairs", v);
    f("slowest_a", row.slowest_a);
    f("slowest_b", row.slowest_b);
    f("slowest_shape_a", p.slowest.shape_a);
    f("slowest_shape_b", p.slowest.shape_b);
    f("slowest_rung", p.slowest.rung);
    f("slowest_us", p.slowest.microseconds);
    f("bodies", p.bodies);
    f("awake_bodies", p.awake_bodies);
    f("broadphase_pairs", p.broadphase_pairs);
    f("convex_pairs", p.convex_pairs);
    f("touching_pairs", p.touching_pairs);
    f("contact_points", p.contact_points);
    f("swept_bodies", p.swept_bodies);
    f("impacts", p.impacts);
    f("islands", p.islands);
    f("colors", p.colors);
    f("slabs", p.slabs);
    f("max_penetration", p.max_penetration);
    f("mean_penetration", p.mean_penetration);
    f("kinetic_energy", p.kinetic_energy);
    f("gjk_queries", n.gjk_queries);
    f("gjk_iterations", n.gjk_iterations);
    f("gjk_cap_hits", n.gjk_cap_hits);
    f("epa_queries", n.epa_queries);
    f("epa_iterations", n.epa_iterations);
    f("epa_cap_hits", n.epa_cap_hits);
    f("support_evaluations", n.support_evaluations);
    f("manifolds_built", n.manifolds_built);
    for (auto& v : n.gjk_histogram) f("gjk_histogram", v);
    for (auto& v : n.epa_histogram) f("epa_histogram", v);
    for (auto& by_type : n.tested_by_shapes) {
        for (auto& v : by_type) f("tested_by_shapes", v);
    }
    for (auto& by_type : n.microseconds_by_shapes) {
        for (auto& v : by_type) f("microseconds_by_shapes", v);
    }
    f("clock_reads", n.clock_reads);
    f("interruptions", p.interruptions);
    f("articulations", p.joints.articulations);
    f("joints", p.joints.joints);
    f("joint_rows", p.joints.rows);
    f("joint_factorizations", p.joints.factorizations);
    f("joint_rounds", p.joints.rounds);
    f("joint_passes_alone", p.joints.passes_alone);
    f("joints_us", p.joints.microseconds);
    f("coupled_us", p.joints.coupled_microseconds);
    f("feature_node_pairs", n.features.node_pairs);
    f("feature_pairs", n.features.pairs);
    f("feature_nearby", n.features.nearby);
    f("feature_candidates", n.features.candidates);
    f("feature_points", n.features.points);
}

/// Each number as an integer, and back. Doubles are times but for the energy, which like a float keeps 16 bits of its
/// fraction.
std::int64_t integer_of(std::string_view, std::uint64_t v) { return static_cast<std::int64_t>(v); }
std::int64_t integer_of(std::string_view, std::uint32_t v) { return static_cast<std::int32_t>(v); }
std::int64_t integer_of(std::string_view, Rung v) { return static_cast<std::int64_t>(v); }
std::int64_t integer_of(std::string_view name, float v) {
    return detail::bit_cast<std::uint32_t>(v) >> (name == "dt" ? 0 : 7);
}
std::int64_t integer_of(std::string_view name, double v) {
    if (name == "kinetic_energy") return integer_of(name, static_cast<float>(v));
    return static_cast<std::int64_t>(std::floor(std::min(std::max(v, 0.0), 1e12) * ticks_a_microsecond + 0.5));
}

bool set(std::string_view, std::uint64_t& out, std::int64_t v) { return out = static_cast<std::uint64_t>(v), v >= 0; }
bool set(std::string_view, std::uint32_t& out, std::int64_t v) {
    out = static_cast<std::uint32_t>(v);
    return v == static_cast<std::int32_t>(v);
}
bool set(std::string_view, Rung& out, std::int64_t v) {
    const bool fits = v >= 0 && v < rung_count;
    out = static_cast<Rung>(fits ? v : 0);
    return fits;
}
bool set(std::string_view name, float& out, std::int64_t v) {
    const int shift = name == "dt" ? 0 : 7;
    if (v < 0 || v > (0xffffffffll >> shift)) return false;
    out = detail::bit_cast<float>(static_cast<std::uint32_t>(v << shift));
    return std::isfinite(out);
}
bool set(std::string_view name, double& out, std::int64_t v) {
    if (name == "kinetic_energy") {
        float f = 0.0f;
        const bool fits = set(name, f, v);
        out = static_cast<double>(f);
        return fits;
    }
    out = static_cast<double>(v) / ticks_a_microsecond;
    return v >= 0 && v <= std::int64_t{1} << 52;
}

std::size_t column_count() {
    std::size_t count = 0;
    ProfileRow row;
    for_each_column(row, [&](const char*, auto&) { ++count; });
    return count;
}

}  // namespace

std::string write_profiles(const std::vector<ProfileRow>& rows) {
    std::vector<ByteWriter> columns(column_count());
    std::vector<std::int64_t> last(columns.size(), 0);
    for (const ProfileRow& row : rows) {
        std::size_t i = 0;
        for_each_column(row, [&](const char* name, const auto& v) {
            const std::int64_t now = integer_of(name, v);
            columns[i].signed_varint(now - last[i]);
            last[i++] = now;
        });
    }
    ByteWriter head;
    head.varint(rows.size());
    std::vector<std::string_view> streams{head.bytes()};
    for (const ByteWriter& column : columns) streams.push_back(column.bytes());
    return pack(streams);
}

bool read_profiles(std::string_view block, std::uint32_t bodies, std::vector<ProfileRow>& out) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    std::string storage;
    std::vector<std::string_view> streams;
    if (!unpack(block, 1 + column_count(), storage, streams)) return false;
    ByteReader head(streams[0]);
    const std::uint64_t rows = head.varint();
    if (!head.ok() || !head.at_end() || rows > streams[1].size()) return false;
    std::vector<ByteReader> columns;
    for (std::size_t i = 1; i < streams.size(); ++i) columns.emplace_back(streams[i]);
    std::vector<std::int64_t> last(columns.size(), 0);
    out.assign(static_cast<std::size_t>(rows), {});
    for (ProfileRow& row : out) {
        std::size_t i = 0;
        bool good = true;
        for_each_column(row, [&](const char* name, auto& v) {
            const std::int64_t change = columns[i].signed_varint();
            good = good && change <= most && change >= -most;
            if (good) last[i] += change;
            good = good && last[i] <= most && last[i] >= -most && set(name, v, last[i]);
            ++i;
        });
        const auto known = [&](std::uint32_t body) { return body == 0xffffffffu || body < bodies; };
        if (!good || !known(row.slowest_a) || !known(row.slowest_b) || !(row.dt > 0.0f && row.dt <= 1.0f)) return false;
    }
    for (const ByteReader& column : columns) {
        if (!column.ok() || !column.at_end()) return false;
    }
    return true;
}

std::string profile_columns_json() {
    std::string json = "{";
    std::string last;
    std::size_t i = 0;
    ProfileRow row;
    for_each_column(row, [&](const char* name, auto&) {
        if (name != last) json += "\"" + std::string(name) + "\":" + std::to_string(i) + ",";
        last = name;
        ++i;
    });
    return json + "\"columns\":" + std::to_string(i) + "}";
}

}  // namespace talus::samples
