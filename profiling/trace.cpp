#include <talus/profiling/trace.h>

#include <talus/profiling/stages.h>

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

constexpr int process = 1, step_track = 1, narrowphase_track = 2;

/// In 1024ths of a microsecond. Viewers add a beginning and a length as floating-point numbers of microseconds, and ask
/// whether events nest: these sums are exact.
std::int64_t quanta(double us) {
    return std::isfinite(us) ? static_cast<std::int64_t>(std::llround(std::clamp(1024.0 * us, 0.0, 1e15))) : 0;
}

/// As microseconds, which is the format's unit, without rounding.
void append_time(std::string& text, std::int64_t time) {
    text += std::to_string(time / 1024);
    const std::int64_t rest = time % 1024;
    if (rest == 0) return;
    constexpr std::int64_t one = 10'000'000'000;  // decimals of 1/1024
    std::string decimals = std::to_string(one + rest * (one / 1024));
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += '.';
    text.append(decimals, 1);
}

void append_span(std::string& text, const char* name, int track, std::int64_t begin, std::int64_t end) {
    text += ",\n{\"ph\":\"X\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(track) + ",\"name\":";
    append_json(text, name);
    text += ",\"ts\":";
    append_time(text, begin);
    text += ",\"dur\":";
    append_time(text, end - begin);
    text += '}';
}

/// An event without length: a counter ("C") or a mark ("i").
void append_mark(std::string& text, const char* phase, const char* name, std::int64_t at, const std::string& rest) {
    text += std::string(",\n{\"ph\":\"") + phase + "\",\"pid\":" + std::to_string(process) +
            ",\"tid\":" + std::to_string(step_track) + ",\"name\":";
    append_json(text, name);
    text += ",\"ts\":";
    append_time(text, at);
    text += rest + '}';
}

void append_field(std::string& text, const char* name, double value) {
    text += text.empty() ? "{\"" : ",\"";
    text += name;
    text += "\":";
    append_number(text, value);
}

/// What is known of the frame beside its times. It stands at a mark: viewers add up spans of one name only while these
/// have no arguments of their own.
std::string frame_arguments(const FrameProfile& p) {
    const NarrowphaseProfile& n = p.narrowphase;
    std::string text;
    append_field(text, "frame", static_cast<double>(p.frame));
    append_field(text, "bodies", p.bodies);
    append_field(text, "awake_bodies", p.awake_bodies);
    append_field(text, "islands", p.islands);
    append_field(text, "timing_us", p.timing);
    append_field(text, "interruptions", p.interruptions);
    append_field(text, "gjk_queries", static_cast<double>(n.gjk_queries));
    append_field(text, "gjk_iterations", static_cast<double>(n.gjk_iterations));
    append_field(text, "epa_queries", static_cast<double>(n.epa_queries));
    append_field(text, "epa_iterations", static_cast<double>(n.epa_iterations));
    append_field(text, "manifolds_built", static_cast<double>(n.manifolds_built));
    if (n.features.points > 0 || n.features.node_pairs > 0) {
        append_field(text, "solid_node_pairs", static_cast<double>(n.features.node_pairs));
        append_field(text, "solid_feature_pairs", static_cast<double>(n.features.pairs));
        append_field(text, "solid_near_pairs", static_cast<double>(n.features.nearby));
        append_field(text, "solid_candidates", static_cast<double>(n.features.candidates));
        append_field(text, "solid_points", static_cast<double>(n.features.points));
    }
    for (const Pass& pass : passes) {
        const double us = microseconds_of(n, pass);
        if (us > 0.0) append_field(text, (std::string(pass.name) + " us").c_str(), us);
    }
    if (!p.slowest.body_a.is_null()) {
        const SlowestPair& s = p.slowest;
        append_field(text, "slowest_us", s.microseconds);
        text += ",\"slowest_rung\":";
        append_json(text, name_of(s.rung));
        append_field(text, "slowest_body_a", s.body_a.slot);
        append_field(text, "slowest_shape_a", s.shape_a);
        append_field(text, "slowest_body_b", s.body_b.slot);
        append_field(text, "slowest_shape_b", s.shape_b);
    }
    return text + '}';
}

void append_rungs(std::string& text, const NarrowphaseProfile& n, std::int64_t begin, std::int64_t end) {
    double sum = 0.0;
    for (const Pass& pass : passes) sum += microseconds_of(n, pass);
    const double length = static_cast<double>(end - begin) / 1024.0;
    const double scale = sum > length ? length / sum : 1.0;
    double at = 0.0;
    for (const Pass& pass : passes) {
        const double us = microseconds_of(n, pass);
        if (!(us > 0.0)) continue;
        const std::int64_t from = std::min(end, begin + quanta(at));
        at += scale * us;
        const std::int64_t to = std::min(end, begin + quanta(at));
        if (to > from) append_span(text, pass.name, narrowphase_track, from, to);
    }
}

}  // namespace

Error TraceWriter::open(const std::string& path, const std::string& title) {
    if (Error error = file_.open(path)) return error;
    std::string text = "[\n{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":";
    append_json(text, title);
    text += "}}";
    const auto name_track = [&](int track, const char* name) {
        const std::string head = ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(track) + ",\"name\":\"thread_";
        text += head + "name\",\"args\":{\"name\":\"" + name + "\"}}";
        text += head + "sort_index\",\"args\":{\"sort_index\":" + std::to_string(track) + "}}";
    };
    name_track(step_track, "step");
    name_track(narrowphase_track, "narrowphase");
    file_.write(text);
    return {};
}

void TraceWriter::count(const char* name, double value, double& last, std::int64_t at) {
    if (value == last) return;  // viewers draw a counter on until it changes
    last = value;
    std::string arguments;
    append_field(arguments, "value", value);
    append_mark(text_, "C", name, at, ",\"args\":" + arguments + '}');
}

void TraceWriter::add(const FrameProfile& p) {
    text_.clear();
    if (!started_) first_ = p.start;
    const std::int64_t begin = std::max(end_, quanta(p.start - first_));

    double at = 0.0;
    for (const Stage& stage : stages) at += p.*stage.microseconds;
    end_ = begin + quanta(std::max(at, p.total));
    append_mark(text_, "i", "frame", begin, ",\"s\":\"p\",\"args\":" + frame_arguments(p));
    append_span(text_, "step", step_track, begin, end_);
    at = 0.0;
    for (const Stage& stage : stages) {  // each begins where the one before it ends
        const std::int64_t from = begin + quanta(at);
        at += p.*stage.microseconds;
        const std::int64_t to = begin + quanta(at);
        if (to == from) continue;
        append_span(text_, stage.name, step_track, from, to);
        if (stage.microseconds == &FrameProfile::collide) {
            append_span(text_, "collide", narrowphase_track, from, to);
            append_rungs(text_, p.narrowphase, from, to);
        }
    }

    if (!started_ || p.narrowphase.pairs != pairs_) {
        pairs_ = p.narrowphase.pairs;
        std::string arguments;
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            append_field(arguments, name_of(static_cast<Rung>(i)), static_cast<double>(pairs_[i]));
        append_mark(text_, "C", "pairs by rung", begin, ",\"args\":" + arguments + '}');
    }
    count("contact points", p.contact_points, contacts_, begin);
    count("awake bodies", p.awake_bodies, awake_, begin);
    count("broadphase us", p.broadphase, broadphase_, begin);
    started_ = true;
    file_.write(text_);
}

Error TraceWriter::close() {
    if (file_.is_open()) file_.write("\n]\n");
    return file_.close();
}

}  // namespace talus
