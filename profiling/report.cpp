#include <talus/profiling/report.h>

#include <talus/engine/debug_draw.h>
#include <talus/profiling/stages.h>
#include <talus/profiling/statistics.h>
#include "common/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <type_traits>

namespace talus {

namespace embedded {
extern const std::string_view report_html, report_css, report_js;
}

namespace {

/// Builds JSON, with commas where they belong.
class Json {
public:
    std::string text;

    void key(std::string_view name) {
        comma();
        append_json(text, name);
        text += ':';
    }
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void field(std::string_view name, Number value) {
        key(name);
        number(static_cast<double>(value));
    }
    void field(std::string_view name, std::string_view value) {
        key(name);
        string(value);
    }
    void open(char bracket) {
        comma();
        text += bracket;
    }
    void close(char bracket) { text += bracket; }
    void string(std::string_view value) {
        comma();
        append_json(text, value);
    }
    void number(double value) {
        comma();
        append_number(text, value);
    }
    /// With about four digits: for what is drawn.
    void short_number(double value) {
        comma();
        if (!std::isfinite(value)) value = 0.0;
        const int places = std::abs(value) < 100.0 ? 2 : std::abs(value) < 10000.0 ? 1 : 0;
        detail::append_fixed(text, std::clamp(value, -1e15, 1e15), places);
        if (places > 0) {
            while (text.back() == '0') text.pop_back();
            if (text.back() == '.') text.pop_back();
        }
    }

private:
    void comma() {
        const char last = text.empty() ? '[' : text.back();
        if (last != '[' && last != '{' && last != ':') text += ',';
    }
};

template <class List, class Value>
void array(Json& json, const List& list, const Value& value) {
    json.open('[');
    for (const auto& each : list) value(each);
    json.close(']');
}

/// A key and its array.
template <class List, class Value>
void array(Json& json, std::string_view name, const List& list, const Value& value) {
    json.key(name);
    array(json, list, value);
}

/// A pair of values as an array.
template <class Value>
void pair(Json& json, std::string_view name, const Value& first, const Value& second) {
    array(json, name, std::array{first, second}, [&](const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>)
            json.number(value);
        else
            json.string(value);
    });
}

std::string hex_color(Color color) {
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", color.r, color.g, color.b);
    return text;
}

/// Puts the text in place of a mark of the page.
void fill(std::string& page, std::string_view mark, std::string_view text) {
    const std::size_t at = page.find(mark);
    if (at != std::string::npos) page.replace(at, mark.size(), text);
}

std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : text) {
        if (c == '&')
            html += "&amp;";
        else if (c == '<')
            html += "&lt;";
        else if (c == '>')
            html += "&gt;";
        else
            html += c;
    }
    return html;
}

std::array<Rung, rung_count> all_rungs() {
    std::array<Rung, rung_count> rungs;
    for (std::size_t i = 0; i < rungs.size(); ++i) rungs[i] = static_cast<Rung>(i);
    return rungs;
}

void write_facts(Json& json, const ReportFacts& facts) {
    json.field("title", std::string_view(facts.title));
    json.field("subtitle", std::string_view(facts.subtitle));
    json.field("look", std::string_view(facts.look));
    array(json, "facts", facts.facts, [&](const auto& fact) {
        json.open('[');
        json.string(fact.first);
        json.string(fact.second);
        json.close(']');
    });
}

/// Names, titles and colours of stages, passes and rungs.
void write_names(Json& json) {
    array(json, "stageNames", stages, [&](const Stage& stage) { json.string(stage.name); });
    array(json, "passNames", passes, [&](const Pass& pass) { json.string(pass.name); });
    array(json, "passColors", passes, [&](const Pass& pass) { json.string(hex_color(color_of(pass.booked))); });
    // By number: the rungs of a pass share its time.
    array(json, "passRungs", passes, [&](const Pass& pass) {
        json.open('[');
        json.number(static_cast<double>(pass.booked));
        if (pass.also != pass.booked) json.number(static_cast<double>(pass.also));
        json.close(']');
    });
    const std::array<Rung, rung_count> rungs = all_rungs();
    array(json, "rungNames", rungs, [&](Rung rung) { json.string(name_of(rung)); });
    array(json, "rungTitles", rungs, [&](Rung rung) { json.string(title_of(rung)); });
    array(json, "rungColors", rungs, [&](Rung rung) { json.string(hex_color(color_of(rung))); });
}

/// Quantiles of the frames' times, and the sums of stages and passes.
void write_times(Json& json, std::vector<double> totals, const FrameProfile& sum,
                 const NarrowphaseProfile& narrowphase) {
    json.key("total");
    json.open('{');
    json.field("p50", take_quantile(totals, 0.50));
    json.field("p95", take_quantile(totals, 0.95));
    json.field("p99", take_quantile(totals, 0.99));
    json.field("max", take_quantile(totals, 1.00));
    json.field("sum", sum.total);
    json.close('}');
    array(json, "stageSums", stages, [&](const Stage& stage) { json.number(sum.*stage.microseconds); });
    json.field("broadphaseSum", sum.broadphase);
    json.field("timingSum", sum.timing);
    array(json, "passSums", passes, [&](const Pass& pass) { json.number(microseconds_of(narrowphase, pass)); });
}

/// What the narrowphase did: `timed` in the frames whose times count, `all` in all frames.
void write_counts(Json& json, const NarrowphaseProfile& timed, const NarrowphaseProfile& all) {
    const auto counts = [&](const char* name, const auto& list) {
        array(json, name, list, [&](std::uint64_t count) { json.number(static_cast<double>(count)); });
    };
    counts("timedRungPairs", timed.pairs);
    counts("rungPairs", all.pairs);
    counts("gjkHistogram", all.gjk_histogram);
    counts("epaHistogram", all.epa_histogram);
    json.field("gjkQueries", all.gjk_queries);
    json.field("gjkIterations", all.gjk_iterations);
    json.field("gjkCapHits", all.gjk_cap_hits);
    json.field("epaQueries", all.epa_queries);
    json.field("epaIterations", all.epa_iterations);
    json.field("epaCapHits", all.epa_cap_hits);
    json.field("supportEvaluations", all.support_evaluations);
    json.field("manifoldsBuilt", all.manifolds_built);
    json.field("solidNodePairs", all.features.node_pairs);
    json.field("solidFeaturePairs", all.features.pairs);
    json.field("solidNearPairs", all.features.nearby);
    json.field("solidCandidates", all.features.candidates);
    json.field("solidPoints", all.features.points);
    json.key("shapes");
    json.open('[');
    for (std::size_t a = 0; a < shape_type_count; ++a) {
        for (std::size_t b = a; b < shape_type_count; ++b) {
            const std::uint64_t tests = all.tested_by_shapes[a][b];
            const double us = timed.microseconds_by_shapes[a][b];
            if (tests == 0 && !(us > 0.0)) continue;
            json.open('[');
            json.string(name_of(static_cast<ShapeType>(a)));
            json.string(name_of(static_cast<ShapeType>(b)));
            json.number(static_cast<double>(tests));
            json.number(us);
            json.close(']');
        }
    }
    json.close(']');
}

/// What joints cost: `timed` in the frames whose times count, `all` in all frames.
void write_joints(Json& json, const JointProfile& timed, const JointProfile& all) {
    json.key("joints");
    json.open('{');
    json.field("articulations", all.articulations);
    json.field("joints", all.joints);
    json.field("rows", all.rows);
    json.field("factorizations", all.factorizations);
    json.field("rounds", all.rounds);
    json.field("passesAlone", all.passes_alone);
    json.field("timedJoints", timed.joints);
    json.field("us", timed.microseconds);
    json.field("coupledUs", timed.coupled_microseconds);
    json.field("slowestUs", timed.slowest_microseconds);
    json.field("slowestBody", static_cast<double>(timed.slowest_body.slot));
    json.close('}');
}

/// The plots, one list per series.
void write_plots(Json& json, const std::vector<FrameProfile>& points) {
    const auto series = [&](const auto& value) {
        array(json, points, [&](const FrameProfile& p) { json.short_number(value(p)); });
    };
    json.key("plot");
    json.open('{');
    array(json, "frame", points, [&](const FrameProfile& p) { json.number(static_cast<double>(p.frame)); });
    json.key("total");
    series([](const FrameProfile& p) { return p.total; });
    json.key("interruptions");
    series([](const FrameProfile& p) { return static_cast<double>(p.interruptions); });
    array(json, "stages", stages,
          [&](const Stage& stage) { series([&](const FrameProfile& p) { return p.*stage.microseconds; }); });
    array(json, "passes", passes, [&](const Pass& pass) {
        series([&](const FrameProfile& p) { return microseconds_of(p.narrowphase, pass); });
    });
    array(json, "rungs", all_rungs(), [&](Rung rung) {
        series([&](const FrameProfile& p) { return static_cast<double>(pairs_of(p.narrowphase, rung)); });
    });
    json.close('}');
}

void write_frame(Json& json, const FrameProfile& p) {
    json.open('{');
    json.field("frame", p.frame);
    json.field("total", p.total);
    array(json, "stages", stages, [&](const Stage& stage) { json.number(p.*stage.microseconds); });
    array(json, "passes", passes, [&](const Pass& pass) { json.number(microseconds_of(p.narrowphase, pass)); });
    json.field("contacts", static_cast<double>(p.contact_points));
    json.field("gjk", p.narrowphase.gjk_queries);
    json.field("cold", pairs_of(p.narrowphase, Rung::cold_gjk));
    json.field("epa", p.narrowphase.epa_queries);
    json.field("awake", static_cast<double>(p.awake_bodies));
    json.close('}');
}

}  // namespace

Error ReportWriter::open(const std::string& path, ReportFacts facts) {
    facts_ = std::move(facts);
    return file_.open(path);
}

void ReportWriter::add(const FrameProfile& profile, const World* world) {
    if (calm_.totals.empty() && interrupted_.totals.empty()) first_frame_ = profile.frame;
    Times& times = is_calm(profile) ? calm_ : interrupted_;
    times.totals.push_back(profile.total);
    for (const Stage& stage : stages) times.sum.*stage.microseconds += profile.*stage.microseconds;
    times.sum.total += profile.total;
    times.sum.broadphase += profile.broadphase;
    times.sum.timing += profile.timing;
    times.narrowphase += profile.narrowphase;
    times.joints += profile.joints;
    note_point(profile);
    note_worst(profile);
    note_pair(profile, world);
}

void ReportWriter::note_point(const FrameProfile& profile) {
    const auto is_dearer = [](const FrameProfile& a, const FrameProfile& b) {
        return is_worse(is_calm(a), a.total, is_calm(b), b.total);
    };
    if (frames_in_last_ == 0 || frames_in_last_ == frames_per_point_) {
        points_.push_back(profile);
        frames_in_last_ = 1;
    } else {
        if (is_dearer(profile, points_.back())) points_.back() = profile;
        ++frames_in_last_;
    }
    if (points_.size() <= most_points) return;
    // One point for two, from the first on. The last of an odd number stays alone.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); i += 2, ++kept) {
        const bool second = i + 1 < points_.size() && is_dearer(points_[i + 1], points_[i]);
        points_[kept] = points_[second ? i + 1 : i];
    }
    if (points_.size() % 2 == 0) frames_in_last_ += frames_per_point_;
    points_.resize(kept);
    frames_per_point_ *= 2;
}

/// Frames that the system interrupted stand behind all others.
void ReportWriter::note_worst(const FrameProfile& profile) {
    const auto worse_than = [&](const FrameProfile& other) {
        return is_worse(is_calm(profile), profile.total, is_calm(other), other.total);
    };
    if (worst_.size() == worst_count && !worse_than(worst_.back())) return;
    const auto place = std::find_if(worst_.begin(), worst_.end(), worse_than);
    worst_.insert(place, profile);
    if (worst_.size() > worst_count) worst_.pop_back();
}

void ReportWriter::note_pair(const FrameProfile& profile, const World* world) {
    const SlowestPair& slowest = profile.slowest;
    if (slowest.body_a.is_null()) return;
    PairStory& story = pairs_[{slowest.body_a.slot, slowest.shape_a, slowest.body_b.slot, slowest.shape_b}];
    ++story.times;
    const bool calm = is_calm(profile);
    if (story.times > 1 && !is_worse(calm, slowest.microseconds, story.calm, story.microseconds)) return;
    story.calm = calm;
    story.microseconds = slowest.microseconds;
    story.frame = profile.frame;
    story.rung = slowest.rung;
    const auto type_of = [&](BodyId body, std::uint32_t shape) {
        const auto shapes = world ? world->shapes(body) : std::span<const ShapeDef>();
        return std::string(shape < shapes.size() ? name_of(shapes[shape].shape.type) : "");
    };
    story.shape_a = type_of(slowest.body_a, slowest.shape_a);
    story.shape_b = type_of(slowest.body_b, slowest.shape_b);
}

/// The pairs that were slowest, slowest first.
std::vector<std::pair<ReportWriter::PairKey, ReportWriter::PairStory>> ReportWriter::worst_pairs() const {
    std::vector<std::pair<PairKey, PairStory>> worst(pairs_.begin(), pairs_.end());
    std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
        return is_worse(a.second.calm, a.second.microseconds, b.second.calm, b.second.microseconds);
    });
    if (worst.size() > worst_count) worst.resize(worst_count);
    return worst;
}

std::string ReportWriter::data() const {
    const Times& times = calm_.totals.empty() ? interrupted_ : calm_;
    NarrowphaseProfile counts_of_all = calm_.narrowphase;
    counts_of_all += interrupted_.narrowphase;
    JointProfile joints_of_all = calm_.joints;
    joints_of_all += interrupted_.joints;
    Json json;
    json.open('{');
    write_facts(json, facts_);
    json.field("frames", calm_.totals.size() + interrupted_.totals.size());
    json.field("timedFrames", times.totals.size());
    json.field("interrupted", interrupted_.totals.size());
    json.field("firstFrame", first_frame_);
    json.field("framesPerPoint", frames_per_point_);
    json.field("timed", times.sum.total > 0.0 ? 1.0 : 0.0);
    write_names(json);
    write_times(json, times.totals, times.sum, times.narrowphase);
    write_counts(json, times.narrowphase, counts_of_all);
    write_joints(json, times.joints, joints_of_all);
    write_plots(json, points_);
    array(json, "worstFrames", worst_, [&](const FrameProfile& p) { write_frame(json, p); });
    array(json, "worstPairs", worst_pairs(), [&](const auto& entry) {
        const auto& [slot_a, shape_a, slot_b, shape_b] = entry.first;
        const PairStory& story = entry.second;
        json.open('{');
        json.field("us", story.microseconds);
        json.field("frame", story.frame);
        json.field("rung", static_cast<double>(story.rung));
        json.field("times", story.times);
        pair(json, "bodies", slot_a, slot_b);
        pair(json, "shapes", shape_a, shape_b);
        pair(json, "types", story.shape_a, story.shape_b);
        json.close('}');
    });
    json.close('}');
    return json.text;
}

Error ReportWriter::close() {
    if (!file_.is_open()) return {};
    std::string page(embedded::report_html);
    fill(page, "{{title}}", escaped(facts_.title));
    fill(page, "{{css}}", embedded::report_css);
    fill(page, "{{js}}", embedded::report_js);
    fill(page, "{{data}}", data());  // last: what it holds may look like a mark
    file_.write(page);
    return file_.close();
}

}  // namespace talus
