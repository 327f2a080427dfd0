#include "samples/recording/contact_codec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace talus::samples {

namespace {

constexpr double largest_steps = 1 << 30;
constexpr double impulses_an_octave = 6.0, smallest_octave = -20.0;
constexpr std::uint64_t no_mark = ~std::uint64_t{0};

/// What a value was lately changed by: a sum that fades by halves.
struct Changes {
    std::uint64_t recent = 0;
    int stream() const { return residual_stream(recent); }
    void add(std::uint64_t change) { recent = recent / 2 + std::min<std::uint64_t>(change, 1u << 30); }
};

std::uint64_t magnitude(std::int64_t v) { return static_cast<std::uint64_t>(v < 0 ? -v : v); }

std::array<std::int64_t, 3> to_steps(const vec3& p, double step) {
    std::array<std::int64_t, 3> steps{};
    for (int i = 0; i < 3; ++i) {
        const double s = std::floor(static_cast<double>(p[i]) / step + 0.5);
        steps[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(std::clamp(s, -largest_steps, largest_steps));
    }
    return steps;
}

/// More than a step off in some direction.
bool has_left(const vec3& p, const std::array<std::int64_t, 3>& kept, double step) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (std::abs(static_cast<double>(p[static_cast<int>(i)]) / step - static_cast<double>(kept[i])) > 1.0)
            return true;
    }
    return false;
}

class TrackWriter {
public:
    TrackWriter(double step, ContactError& error) : step_(step), error_(error) {}

    /// A pair over frames in a row.
    void pair(std::uint32_t first, const std::vector<const TrueContact*>& run) {
        const TrueContact& start = *run[0];
        pairs_.varint(start.body_a - last_a_);
        pairs_.varint(start.body_a == last_a_ ? start.body_b - last_b_ : start.body_b);
        pairs_.varint(first);
        pairs_.varint(run.size());
        last_a_ = start.body_a;
        last_b_ = start.body_b;
        normals(run);

        // Points by feature: each goes on from the frame before, or begins.
        struct Track {
            std::uint32_t first;
            std::vector<const TrueContact::Point*> points;
        };
        std::vector<Track> tracks;
        std::vector<std::size_t> open, still_open;
        for (std::size_t frame = 0; frame < run.size(); ++frame) {
            still_open.clear();
            for (int i = 0; i < run[frame]->point_count; ++i) {
                const TrueContact::Point& point = run[frame]->points[i];
                const auto goes_on = std::find_if(
                    open.begin(), open.end(), [&](std::size_t t) { return tracks[t].points.back()->id == point.id; });
                std::size_t track = tracks.size();
                if (goes_on != open.end()) {
                    track = *goes_on;
                    open.erase(goes_on);
                } else {
                    tracks.push_back({static_cast<std::uint32_t>(frame), {}});
                }
                tracks[track].points.push_back(&point);
                still_open.push_back(track);
            }
            open.swap(still_open);
        }
        pairs_.varint(tracks.size());
        for (const Track& track : tracks) {
            if (track.first == 0 && track.points.size() == run.size()) {
                pairs_.varint(0);  // all the time
            } else {
                pairs_.varint(track.points.size());
                pairs_.varint(track.first);
            }
            points(track.points);
        }
    }

    std::string finish() const {
        std::vector<std::string_view> streams{pairs_.bytes(), directions_.bytes(), places_.bytes()};
        normals_.add_to(streams);
        positions_.add_to(streams);
        impulses_.add_to(streams);
        return pack(streams);
    }

private:
    void normals(const std::vector<const TrueContact*>& run) {
        std::array<int, 2> kept = code_direction(run[0]->normal);
        for (const int k : kept) directions_.u8(static_cast<std::uint8_t>(k + 127));
        compare(run[0]->normal, kept);
        Changes changes;
        for (std::size_t i = 1; i < run.size(); ++i) {
            const std::array<int, 2> now = code_direction(run[i]->normal);
            std::array<int, 2> change{now[0] - kept[0], now[1] - kept[1]};
            if (std::abs(change[0]) <= 1 && std::abs(change[1]) <= 1) change = {0, 0};
            std::uint64_t sum = 0;
            for (std::size_t k = 0; k < 2; ++k) {
                normals_.residual(changes.stream(), change[k]);
                kept[k] += change[k];
                sum += magnitude(change[k]);
            }
            changes.add(sum);
            compare(run[i]->normal, kept);
        }
    }

    void compare(const vec3& normal, const std::array<int, 2>& code) {
        const double chord = static_cast<double>(glm::length(normal - direction_of(code)));
        error_.normal = std::max(error_.normal, 2.0 * std::asin(std::min(1.0, 0.5 * chord)));
    }

    void points(const std::vector<const TrueContact::Point*>& track) {
        std::array<std::int64_t, 3> kept = to_steps(track[0]->position, step_);
        int impulse = static_cast<int>(std::floor(code_impulse(static_cast<double>(track[0]->impulse)) + 0.5));
        for (const std::int64_t k : kept) places_.signed_varint(k);
        places_.u8(static_cast<std::uint8_t>(impulse));
        compare(*track[0], kept, impulse);
        Changes moves, pushes;
        for (std::size_t i = 1; i < track.size(); ++i) {
            std::array<std::int64_t, 3> now = kept;
            if (has_left(track[i]->position, kept, step_)) now = to_steps(track[i]->position, step_);
            std::uint64_t sum = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                positions_.residual(moves.stream(), now[k] - kept[k]);
                sum += magnitude(now[k] - kept[k]);
            }
            kept = now;
            moves.add(sum);

            const double code = code_impulse(static_cast<double>(track[i]->impulse));
            const bool keep = std::abs(code - impulse) <= 1.0 && (impulse == 0) == (code < 0.5);
            const int next = keep ? impulse : static_cast<int>(std::floor(code + 0.5));
            impulses_.residual(pushes.stream(), next - impulse);
            pushes.add(magnitude(next - impulse));
            impulse = next;
            compare(*track[i], kept, impulse);
        }
    }

    void compare(const TrueContact::Point& point, const std::array<std::int64_t, 3>& steps, int impulse) {
        double sum = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            const double d =
                static_cast<double>(point.position[static_cast<int>(k)]) - static_cast<double>(steps[k]) * step_;
            sum += d * d;
        }
        error_.position = std::max(error_.position, std::sqrt(sum));
        if (impulse > 0 && point.impulse > 0.0f)
            error_.impulse =
                std::max(error_.impulse, std::abs(impulse_of(impulse) / static_cast<double>(point.impulse) - 1.0));
    }

    double step_;
    ContactError& error_;
    std::uint32_t last_a_ = 0, last_b_ = 0;
    ByteWriter pairs_, directions_, places_;
    ResidualWriter normals_, positions_, impulses_;
};

}  // namespace

std::array<int, 2> code_direction(const vec3& unit) {
    const float sum = std::abs(unit.x) + std::abs(unit.y) + std::abs(unit.z);
    if (!(sum > 0.0f)) return {0, 0};
    float u = unit.x / sum, v = unit.y / sum;
    if (unit.z < 0.0f) {
        const float folded = (1.0f - std::abs(v)) * (u < 0.0f ? -1.0f : 1.0f);
        v = (1.0f - std::abs(u)) * (v < 0.0f ? -1.0f : 1.0f);
        u = folded;
    }
    return {static_cast<int>(std::floor(u * 127.0f + 0.5f)), static_cast<int>(std::floor(v * 127.0f + 0.5f))};
}

vec3 direction_of(const std::array<int, 2>& code) {
    const float u = static_cast<float>(code[0]) / 127.0f, v = static_cast<float>(code[1]) / 127.0f;
    vec3 n(u, v, 1.0f - std::abs(u) - std::abs(v));
    if (n.z < 0.0f) {
        n.x = (1.0f - std::abs(v)) * (u < 0.0f ? -1.0f : 1.0f);
        n.y = (1.0f - std::abs(u)) * (v < 0.0f ? -1.0f : 1.0f);
    }
    return glm::normalize(n);
}

double code_impulse(double impulse) {
    if (!(impulse > 0.0)) return 0.0;
    return std::clamp(1.0 + impulses_an_octave * (std::log2(impulse) - smallest_octave), 0.0, 255.0);
}

double impulse_of(int code) {
    return code <= 0 ? 0.0 : std::exp2((static_cast<double>(code) - 1.0) / impulses_an_octave + smallest_octave);
}

std::string write_contacts(const std::vector<std::vector<TrueContact>>& frames, double step, ContactError& error) {
    // A key may appear twice in a frame; the second is then another pair, so that none is lost.
    std::map<std::array<std::uint32_t, 5>, std::vector<std::pair<std::uint32_t, const TrueContact*>>> seen;
    for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
        std::uint32_t same = 0;
        const TrueContact* before = nullptr;
        for (const TrueContact& contact : frames[frame]) {
            const auto key = contact.key();
            same = before && before->key() == key ? same + 1 : 0;
            seen[{key[0], key[1], key[2], key[3], same}].push_back({frame, &contact});
            before = &contact;
        }
    }
    TrackWriter writer(step, error);
    std::vector<const TrueContact*> run;
    for (const auto& [key, places] : seen) {
        for (std::size_t i = 0; i < places.size();) {
            const std::uint32_t first = places[i].first;
            run.clear();
            while (i < places.size() && places[i].first == first + run.size()) run.push_back(places[i++].second);
            writer.pair(first, run);
        }
    }
    return writer.finish();
}

namespace {

/// Reads the contacts of a segment, pair by pair.
class ContactReader {
public:
    ContactReader(const std::vector<std::string_view>& streams, std::uint32_t frames, std::uint32_t bodies,
                  ContactTracks& out)
        : pairs_(streams[0]),
          directions_(streams[1]),
          places_(streams[2]),
          normals_(&streams[3]),
          positions_(&streams[3 + ResidualReader::count]),
          impulses_(&streams[3 + 2 * ResidualReader::count]),
          frames_(frames),
          bodies_(bodies),
          out_(out) {}

    /// Returns false if the streams are damaged.
    bool read() {
        while (!pairs_.at_end()) {
            if (!read_pair()) return false;
        }
        return ok() && directions_.at_end() && places_.at_end() && normals_.at_end() && positions_.at_end() &&
               impulses_.at_end();
    }

private:
    bool ok() const {
        return pairs_.ok() && directions_.ok() && places_.ok() && normals_.ok() && positions_.ok() && impulses_.ok();
    }

    bool read_pair() {
        ContactTracks::Pair pair{};
        const std::uint64_t ahead = pairs_.varint();
        const std::uint64_t b = pairs_.varint();
        if (ahead >= bodies_ || b >= bodies_) return false;
        last_b_ = ahead == 0 ? last_b_ + b : b;
        last_a_ += ahead;
        const std::uint64_t first = pairs_.varint(), count = pairs_.varint();
        if (last_a_ >= bodies_ || last_b_ >= bodies_ || first >= frames_ || count == 0 || count > frames_ - first)
            return false;
        pair.body_a = static_cast<std::uint32_t>(last_a_);
        pair.body_b = static_cast<std::uint32_t>(last_b_);
        pair.first = static_cast<std::uint32_t>(first);
        pair.count = static_cast<std::uint32_t>(count);
        pair.normals = out_.normals.size();
        if (!read_normals(pair)) return false;
        pair.points = out_.points.size();
        pair.point_count = pairs_.count();
        for (std::size_t p = 0; p < pair.point_count; ++p) {
            if (!read_point(pair)) return false;
        }
        out_.pairs.push_back(pair);
        return true;
    }

    bool read_normals(const ContactTracks::Pair& pair) {
        bool escaped = false;
        std::array<int, 2> direction{directions_.u8() - 127, directions_.u8() - 127};
        Changes changes;
        for (std::uint32_t i = 0; i < pair.count; ++i) {
            std::uint64_t sum = 0;
            for (std::size_t k = 0; i > 0 && k < 2; ++k) {
                const std::int64_t change = normals_.residual(changes.stream(), no_mark, escaped);
                if (change < -254 || change > 254) return false;
                direction[k] += static_cast<int>(change);
                sum += magnitude(change);
            }
            changes.add(sum);
            if (std::abs(direction[0]) > 127 || std::abs(direction[1]) > 127 || !ok()) return false;
            out_.normals.push_back({static_cast<std::int8_t>(direction[0]), static_cast<std::int8_t>(direction[1])});
        }
        return true;
    }

    bool read_point(const ContactTracks::Pair& pair) {
        bool escaped = false;
        ContactTracks::Point point{pair.first, pair.count, out_.values.size()};
        if (const std::uint64_t some = pairs_.varint(); some > 0) {
            const std::uint64_t from = pairs_.varint();
            if (from >= pair.count || some > pair.count - from) return false;
            point.first = static_cast<std::uint32_t>(pair.first + from);
            point.count = static_cast<std::uint32_t>(some);
        }
        std::array<std::int64_t, 3> steps{};
        for (std::int64_t& s : steps) s = places_.signed_varint();
        std::int64_t impulse = places_.u8();
        Changes moves, pushes;
        for (std::uint32_t i = 0; i < point.count; ++i) {
            if (i > 0) {
                std::uint64_t sum = 0;
                for (std::int64_t& s : steps) {
                    const std::int64_t change = positions_.residual(moves.stream(), no_mark, escaped);
                    s += change;
                    sum += magnitude(change);
                }
                moves.add(sum);
                const std::int64_t change = impulses_.residual(pushes.stream(), no_mark, escaped);
                impulse += change;
                pushes.add(magnitude(change));
            }
            if (!ok() || impulse < 0 || impulse > 255) return false;
            ContactTracks::Value value{};
            for (std::size_t k = 0; k < 3; ++k) {
                if (steps[k] > std::int64_t{1} << 30 || steps[k] < -(std::int64_t{1} << 30)) return false;
                value.steps[k] = static_cast<std::int32_t>(steps[k]);
            }
            value.impulse = static_cast<std::uint8_t>(impulse);
            out_.values.push_back(value);
        }
        out_.points.push_back(point);
        return true;
    }

    ByteReader pairs_, directions_, places_;
    ResidualReader normals_, positions_, impulses_;
    std::uint32_t frames_, bodies_;
    ContactTracks& out_;
    std::uint64_t last_a_ = 0, last_b_ = 0;
};

}  // namespace

bool read_contacts(std::string_view block, std::uint32_t frames, std::uint32_t bodies, ContactTracks& out) {
    out = {};
    std::string storage;
    std::vector<std::string_view> streams;
    return unpack(block, contact_stream_count, storage, streams) && ContactReader(streams, frames, bodies, out).read();
}

}  // namespace talus::samples
