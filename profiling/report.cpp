#include <talus/profiling/report.h>

#include <talus/engine/debug_draw.h>
#include <talus/profiling/parts.h>
#include <talus/profiling/statistics.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

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
        char digits[64];
        const int places = std::abs(value) < 100.0 ? 2 : std::abs(value) < 10000.0 ? 1 : 0;
        char* end =
            std::to_chars(digits, digits + sizeof digits, std::min(value, 1e15), std::chars_format::fixed, places).ptr;
        if (places > 0) {
            while (end[-1] == '0') --end;
            if (end[-1] == '.') --end;
        }
        text.append(digits, end);
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

void write_frame(Json& json, const FrameProfile& p) {
    json.open('{');
    const auto field = [&](const char* name, double value) {
        json.key(name);
        json.number(value);
    };
    field("frame", static_cast<double>(p.frame));
    field("total", p.total);
    json.key("stages");
    array(json, stages, [&](const Stage& stage) { json.number(p.*stage.microseconds); });
    json.key("passes");
    array(json, passes, [&](const Pass& pass) { json.number(microseconds_of(p.narrowphase, pass)); });
    field("contacts", p.contact_points);
    field("gjk", static_cast<double>(p.narrowphase.gjk_queries));
    field("cold", static_cast<double>(pairs_of(p.narrowphase, Rung::cold_gjk)));
    field("epa", static_cast<double>(p.narrowphase.epa_queries));
    field("awake", p.awake_bodies);
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

std::string ReportWriter::data() const {
    const Times& times = calm_.totals.empty() ? interrupted_ : calm_;
    NarrowphaseProfile counts_of_all = calm_.narrowphase;
    counts_of_all += interrupted_.narrowphase;
    Json json;
    const auto field = [&](const char* name, double value) {
        json.key(name);
        json.number(value);
    };
    const auto text = [&](const char* name, std::string_view value) {
        json.key(name);
        json.string(value);
    };
    json.open('{');
    text("title", facts_.title);
    text("subtitle", facts_.subtitle);
    text("look", facts_.look);
    json.key("facts");
    array(json, facts_.facts, [&](const auto& fact) {
        json.open('[');
        json.string(fact.first);
        json.string(fact.second);
        json.close(']');
    });
    field("frames", static_cast<double>(calm_.totals.size() + interrupted_.totals.size()));
    field("timedFrames", static_cast<double>(times.totals.size()));
    field("interrupted", static_cast<double>(interrupted_.totals.size()));
    field("firstFrame", static_cast<double>(first_frame_));
    field("framesPerPoint", static_cast<double>(frames_per_point_));
    json.key("timed");
    json.number(times.sum.total > 0.0 ? 1.0 : 0.0);

    json.key("stageNames");
    array(json, stages, [&](const Stage& stage) { json.string(stage.name); });
    json.key("passNames");
    array(json, passes, [&](const Pass& pass) { json.string(pass.name); });
    json.key("passColors");
    array(json, passes, [&](const Pass& pass) { json.string(hex_color(color_of(pass.booked))); });
    json.key("passRungs");  // by number: those that share a pass share its time
    array(json, passes, [&](const Pass& pass) {
        json.open('[');
        json.number(static_cast<double>(pass.booked));
        if (pass.also != pass.booked) json.number(static_cast<double>(pass.also));
        json.close(']');
    });
    std::array<Rung, rung_count> rungs;
    for (std::size_t i = 0; i < rungs.size(); ++i) rungs[i] = static_cast<Rung>(i);
    json.key("rungNames");
    array(json, rungs, [&](Rung rung) { json.string(name_of(rung)); });
    json.key("rungTitles");
    array(json, rungs, [&](Rung rung) { json.string(title_of(rung)); });
    json.key("rungColors");
    array(json, rungs, [&](Rung rung) { json.string(hex_color(color_of(rung))); });

    json.key("total");
    json.open('{');
    std::vector<double> totals = times.totals;
    field("p50", take_quantile(totals, 0.50));
    field("p95", take_quantile(totals, 0.95));
    field("p99", take_quantile(totals, 0.99));
    field("max", take_quantile(totals, 1.00));
    field("sum", times.sum.total);
    json.close('}');
    json.key("stageSums");
    array(json, stages, [&](const Stage& stage) { json.number(times.sum.*stage.microseconds); });
    field("broadphaseSum", times.sum.broadphase);
    field("timingSum", times.sum.timing);
    json.key("passSums");
    array(json, passes, [&](const Pass& pass) {
        json.number(times.narrowphase.microseconds[static_cast<std::size_t>(pass.booked)]);
    });
    const auto counts = [&](const char* name, const auto& list) {
        json.key(name);
        array(json, list, [&](std::uint64_t count) { json.number(static_cast<double>(count)); });
    };
    counts("timedRungPairs", times.narrowphase.pairs);
    counts("rungPairs", counts_of_all.pairs);
    counts("gjkHistogram", counts_of_all.gjk_histogram);
    counts("epaHistogram", counts_of_all.epa_histogram);
    field("gjkQueries", static_cast<double>(counts_of_all.gjk_queries));
    field("gjkIterations", static_cast<double>(counts_of_all.gjk_iterations));
    field("gjkCapHits", static_cast<double>(counts_of_all.gjk_cap_hits));
    field("epaQueries", static_cast<double>(counts_of_all.epa_queries));
    field("epaIterations", static_cast<double>(counts_of_all.epa_iterations));
    field("epaCapHits", static_cast<double>(counts_of_all.epa_cap_hits));
    field("supportEvaluations", static_cast<double>(counts_of_all.support_evaluations));
    field("manifoldsBuilt", static_cast<double>(counts_of_all.manifolds_built));
    json.key("shapes");
    json.open('[');
    for (std::size_t a = 0; a < shape_type_count; ++a) {
        for (std::size_t b = a; b < shape_type_count; ++b) {
            const std::uint64_t tests = counts_of_all.tested_by_shapes[a][b];
            const double us = times.narrowphase.microseconds_by_shapes[a][b];
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

    // The plots, a list a series.
    const auto series = [&](const char* name, const auto& value) {
        if (*name) json.key(name);
        array(json, points_, [&](const FrameProfile& p) { json.short_number(value(p)); });
    };
    json.key("plot");
    json.open('{');
    json.key("frame");
    array(json, points_, [&](const FrameProfile& p) { json.number(static_cast<double>(p.frame)); });
    series("total", [](const FrameProfile& p) { return p.total; });
    series("interruptions", [](const FrameProfile& p) { return static_cast<double>(p.interruptions); });
    json.key("stages");
    array(json, stages,
          [&](const Stage& stage) { series("", [&](const FrameProfile& p) { return p.*stage.microseconds; }); });
    json.key("passes");
    array(json, passes, [&](const Pass& pass) {
        series("", [&](const FrameProfile& p) { return microseconds_of(p.narrowphase, pass); });
    });
    json.key("rungs");
    array(json, rungs, [&](Rung rung) {
        series("", [&](const FrameProfile& p) { return static_cast<double>(pairs_of(p.narrowphase, rung)); });
    });
    json.close('}');

    json.key("worstFrames");
    array(json, worst_, [&](const FrameProfile& p) { write_frame(json, p); });

    std::vector<std::pair<PairKey, PairStory>> worst(pairs_.begin(), pairs_.end());
    std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) {
        return is_worse(a.second.calm, a.second.microseconds, b.second.calm, b.second.microseconds);
    });
    if (worst.size() > worst_count) worst.resize(worst_count);
    json.key("worstPairs");
    array(json, worst, [&](const auto& pair) {
        const auto& [slot_a, shape_a, slot_b, shape_b] = pair.first;
        const PairStory& story = pair.second;
        json.open('{');
        field("us", story.microseconds);
        field("frame", static_cast<double>(story.frame));
        field("rung", static_cast<double>(story.rung));
        field("times", static_cast<double>(story.times));
        json.key("bodies");
        json.open('[');
        json.number(slot_a);
        json.number(slot_b);
        json.close(']');
        json.key("shapes");
        json.open('[');
        json.number(shape_a);
        json.number(shape_b);
        json.close(']');
        json.key("types");
        json.open('[');
        json.string(story.shape_a);
        json.string(story.shape_b);
        json.close(']');
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
