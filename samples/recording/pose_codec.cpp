#include "samples/recording/pose_codec.h"

#include <cmath>

namespace talus::samples {

namespace {

using Steps = std::array<double, 3>;
using Quat = std::array<double, 4>;  // w first

constexpr double largest_steps = 35184372088832.0;  // 2^45: beyond, what is added to it would be lost in doubles
constexpr std::uint64_t turn_mark = 0xffffffffull;  // instead of a rotation's residual: the rotation follows as a key
constexpr double far_turn = 0.7071;                 // cosine of half the turn from which on that is done
constexpr unsigned awake_bit = 1,
                   nudged_bit = 2;  // of a body's first number: it begins awake; it is moved in its sleep
constexpr std::uint64_t no_mark = ~std::uint64_t{0};

Quat product(Quat a, Quat b) {
    return {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
Quat conjugated(Quat q) { return {q[0], -q[1], -q[2], -q[3]}; }
Quat unit(Quat q) {
    const double s = 1.0 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return {q[0] * s, q[1] * s, q[2] * s, q[3] * s};
}
double round_half_up(double x) { return std::floor(x + 0.5); }

Steps to_steps(const dvec3& p, const PoseScale& scale) {
    Steps steps;
    for (int i = 0; i < 3; ++i) {
        const double s = round_half_up((p[i] - scale.origin[i]) / scale.step);
        steps[i] = s > largest_steps ? largest_steps : s >= -largest_steps ? s : -largest_steps;
    }
    return steps;
}
Quat to_quat(const quat& q) {
    return unit(
        {static_cast<double>(q.w), static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z)});
}

/// Which way of predicting was nearest lately: a sum of misses that fades by halves.
struct Misses {
    std::size_t ways;
    std::array<double, 4> recent{};

    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t way = 1; way < ways; ++way) {
            if (recent[way] < recent[best]) best = way;
        }
        return best;
    }
    void add(std::size_t way, double miss) { recent[way] = std::floor(0.5 * recent[way]) + std::min(miss, 1e12); }
    int stream(std::size_t way) const { return residual_stream(static_cast<std::uint64_t>(recent[way])); }
};

/// Where a body was in its last three coded frames.
class PositionHistory {
public:
    static constexpr std::size_t ways = 4;

    void restart(const Steps& p) { last_ = before_ = earlier_ = p; }
    void rest() { before_ = earlier_ = last_; }
    const Steps& last() const { return last_; }
    const Misses& misses() const { return misses_; }

    Steps predict(std::size_t way) const {
        Steps p;
        for (int i = 0; i < 3; ++i) {
            const double v = last_[i] - before_[i];
            switch (way) {
                case 0:
                    p[i] = last_[i];
                    break;
                case 1:
                    p[i] = last_[i] + std::floor(0.5 * v);
                    break;
                case 2:
                    p[i] = last_[i] + v;
                    break;
                default:
                    p[i] = last_[i] + 2.0 * v - (before_[i] - earlier_[i]);
            }
        }
        return p;
    }
    void add(const Steps& p) {
        for (std::size_t way = 0; way < ways; ++way) {
            const Steps guess = predict(way);
            misses_.add(way, std::abs(p[0] - guess[0]) + std::abs(p[1] - guess[1]) + std::abs(p[2] - guess[2]));
        }
        earlier_ = before_;
        before_ = last_;
        last_ = p;
    }

private:
    Steps last_{}, before_{}, earlier_{};
    Misses misses_{ways};
};

class RotationHistory {
public:
    static constexpr std::size_t ways = 3;

    void restart(const Quat& q) { last_ = before_ = q; }
    void rest() { before_ = last_; }
    const Quat& last() const { return last_; }
    const Misses& misses() const { return misses_; }

    Quat predict(std::size_t way) const {
        const Quat from = last_;
        if (way == 0) return from;
        Quat on = product(product(from, conjugated(before_)), from);
        const double standing = way == 1 ? 1.0 : 0.0;  // half way between standing and turning on
        for (std::size_t i = 0; i < 4; ++i) on[i] += standing * from[i];
        return unit(on);
    }
    void add(const Quat& q, double steps) {
        for (std::size_t way = 0; way < ways; ++way) {
            const Quat d = product(conjugated(predict(way)), q);
            misses_.add(way, std::floor((std::abs(d[1]) + std::abs(d[2]) + std::abs(d[3])) * steps));
        }
        before_ = last_;
        last_ = q;
    }

private:
    Quat last_{1, 0, 0, 0}, before_{1, 0, 0, 0};
    Misses misses_{ways};
};

/// A rotation from nothing: which component is largest, and the three others in steps of 2^-(bits + 1).
Quat key_rotation(int largest, const std::array<double, 3>& others, int bits) {
    const double step = 1.0 / static_cast<double>(1 << (bits + 1));
    Quat q{};
    double left = 1.0;
    for (int i = 0, k = 0; i < 4; ++i) {
        if (i == largest) continue;
        q[i] = others[k++] * step;
        left -= q[i] * q[i];
    }
    q[largest] = std::sqrt(left > 0.0 ? left : 0.0);
    return unit(q);
}

Quat write_rotation(ByteWriter& out, const Quat& q, int bits) {
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        if (std::abs(q[i]) > std::abs(q[largest])) largest = i;
    }
    const double sign = q[largest] < 0.0 ? -1.0 : 1.0;
    std::array<double, 3> others{};
    for (int i = 0, k = 0; i < 4; ++i) {
        if (i != largest) others[k++] = round_half_up(sign * q[i] * static_cast<double>(1 << (bits + 1)));
    }
    out.varint((zigzag(static_cast<std::int64_t>(others[0])) << 2) | static_cast<std::uint64_t>(largest));
    out.signed_varint(static_cast<std::int64_t>(others[1]));
    out.signed_varint(static_cast<std::int64_t>(others[2]));
    return key_rotation(largest, others, bits);
}

Quat read_rotation(ByteReader& in, int bits) {
    const std::uint64_t first = in.varint();
    const std::array<std::int64_t, 3> others{unzigzag(first >> 2), in.signed_varint(), in.signed_varint()};
    const std::int64_t most = std::int64_t{1} << (bits + 1);
    for (const std::int64_t other : others) {
        if (other > most || other < -most) {
            in.fail();
            return {1, 0, 0, 0};
        }
    }
    return key_rotation(
        static_cast<int>(first & 3u),
        {static_cast<double>(others[0]), static_cast<double>(others[1]), static_cast<double>(others[2])}, bits);
}

/// The rotation that lies `v` steps from the predicted one.
Quat turned(const Quat& from, const std::array<double, 3>& v, double steps) {
    const std::array<double, 3> d{v[0] / steps, v[1] / steps, v[2] / steps};
    const double left = 1.0 - d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    return unit(product(from, {std::sqrt(left > 0.0 ? left : 0.0), d[0], d[1], d[2]}));
}

bool same(const WorldTransform& a, const WorldTransform& b) {
    return a.position == b.position && a.rotation == b.rotation;
}

std::uint8_t rung_stream(std::uint8_t rung) { return rung < rung_stream_count - 1 ? rung : rung_stream_count - 1; }

}  // namespace

WorldTransform decoded(const CodedPose& pose, const PoseScale& scale) {
    const auto component = [](double v) { return static_cast<float>(v); };
    WorldTransform t;
    for (int i = 0; i < 3; ++i) t.position[i] = scale.origin[i] + on_grid(pose.steps[i] * scale.step);
    t.rotation = quat(component(pose.q[0]), component(pose.q[1]), component(pose.q[2]), component(pose.q[3]));
    return t;
}

void PoseWriter::body(std::span<const TruePose> frames, std::vector<CodedPose>& read) {
    const double turn_steps = static_cast<double>(1 << scale_.bits);
    read.resize(frames.size());

    // When it wakes and falls asleep, and where it was moved in its sleep.
    std::vector<std::uint64_t> toggles, moved;
    for (std::size_t i = 1, since = 0; i < frames.size(); ++i) {
        if (frames[i].awake != frames[i - 1].awake) {
            toggles.push_back(i - since);
            since = i;
        } else if (!frames[i].awake && !same(frames[i].pose, frames[i - 1].pose)) {
            moved.push_back(i);
        }
    }
    runs_.varint((toggles.size() << 2) | (moved.empty() ? 0u : nudged_bit) | (frames[0].awake ? awake_bit : 0u));
    for (const std::uint64_t toggle : toggles) runs_.varint(toggle);
    if (!moved.empty()) {
        runs_.varint(moved.size());
        std::uint64_t last = 0;
        for (const std::uint64_t frame : moved) {
            runs_.varint(frame - last);
            last = frame;
        }
    }

    PositionHistory position;
    RotationHistory rotation;
    Steps steps = to_steps(frames[0].pose.position, scale_);
    for (const double s : steps) keys_.signed_varint(static_cast<std::int64_t>(s));
    Quat q = write_rotation(keys_, to_quat(frames[0].pose.rotation), scale_.bits);
    position.restart(steps);
    rotation.restart(q);
    std::uint8_t rung = rung_stream(frames[0].rung);
    keys_.u8(rung);
    read[0] = {steps, q};

    std::size_t next_moved = 0;
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const bool nudged = next_moved < moved.size() && moved[next_moved] == i;
        if (nudged) ++next_moved;
        if (!frames[i].awake && !frames[i - 1].awake && !nudged) {
            position.rest();
            rotation.rest();
            read[i] = read[i - 1];
            continue;
        }
        steps = to_steps(frames[i].pose.position, scale_);
        std::size_t way = position.misses().best();
        int stream = position.misses().stream(way);
        const Steps guess = position.predict(way);
        for (int k = 0; k < 3; ++k) positions_.residual(stream, static_cast<std::int64_t>(steps[k] - guess[k]));
        position.add(steps);

        way = rotation.misses().best();
        stream = rotation.misses().stream(way);
        const Quat from = rotation.predict(way);
        Quat d = product(conjugated(from), to_quat(frames[i].pose.rotation));
        if (d[0] < 0.0) d = {-d[0], -d[1], -d[2], -d[3]};
        if (d[0] < far_turn) {
            rotations_.escape(stream, turn_mark);
            q = write_rotation(rotations_.overflow, to_quat(frames[i].pose.rotation), scale_.bits);
            rotation.restart(q);
        } else {
            std::array<double, 3> v{};
            for (int k = 0; k < 3; ++k) {
                v[k] = round_half_up(d[k + 1] * turn_steps);
                rotations_.residual(stream, static_cast<std::int64_t>(v[k]));
            }
            q = turned(from, v, turn_steps);
            rotation.add(q, turn_steps);
        }
        const std::uint8_t new_rung = rung_stream(frames[i].rung);
        rungs_[rung].u8(new_rung);
        rung = new_rung;
        read[i] = {steps, q};
    }
}

std::string PoseWriter::finish() const {
    std::vector<std::string_view> streams{runs_.bytes(), keys_.bytes()};
    positions_.add_to(streams);
    rotations_.add_to(streams);
    for (const ByteWriter& stream : rungs_) streams.push_back(stream.bytes());
    return pack(streams);
}

PoseReader::PoseReader(const PoseScale& scale, const std::vector<std::string_view>& streams)
    : scale_(scale),
      runs_(streams[0]),
      keys_(streams[1]),
      positions_(&streams[2]),
      rotations_(&streams[2 + ResidualReader::count]) {
    for (std::size_t i = 0; i < rung_stream_count; ++i)
        rungs_[i] = ByteReader(streams[2 + 2 * ResidualReader::count + i]);
}

/// Reads in which frames a body is awake, and in which of the others something has moved it.
bool PoseReader::read_states(std::span<SegmentPose> out, std::vector<char>& moved) {
    const std::size_t count = out.size();
    const std::uint64_t first = runs_.varint();
    std::uint64_t toggles = first >> 2;
    if (toggles >= count) return false;
    bool awake = (first & awake_bit) != 0;
    std::size_t at = 0;
    for (; toggles > 0; --toggles) {
        const std::uint64_t run = runs_.varint();
        if (run == 0 || run >= count - at) return false;
        for (const std::size_t end = at + static_cast<std::size_t>(run); at < end; ++at) out[at].awake = awake;
        awake = !awake;
    }
    for (; at < count; ++at) out[at].awake = awake;
    if ((first & nudged_bit) == 0) return true;
    moved.resize(count);
    std::uint64_t frame = 0;
    for (std::size_t n = runs_.count(); n > 0; --n) {
        const std::uint64_t ahead = runs_.varint();
        if (ahead == 0 || ahead >= count - frame) return false;
        frame += ahead;
        moved[static_cast<std::size_t>(frame)] = 1;
    }
    return true;
}

void PoseReader::body(std::span<SegmentPose> out) {
    const double turn_steps = static_cast<double>(1 << scale_.bits);
    const std::size_t count = out.size();
    std::vector<char> moved;
    if (!read_states(out, moved)) {
        runs_.fail();
        return;
    }
    PositionHistory position;
    RotationHistory rotation;
    Steps steps{};
    for (double& s : steps) {
        s = static_cast<double>(keys_.signed_varint());
        if (std::abs(s) > largest_steps) keys_.fail();
    }
    Quat q = read_rotation(keys_, scale_.bits);
    position.restart(steps);
    rotation.restart(q);
    std::uint8_t rung = keys_.u8();
    if (rung >= rung_stream_count || !keys_.ok()) {
        keys_.fail();
        return;
    }
    const auto set = [&](std::size_t i) {
        out[i].pose = {steps, q};
        out[i].rung = rung < rung_stream_count - 1 ? rung : 0xff;
    };
    set(0);
    for (std::size_t i = 1; i < count; ++i) {
        if (!out[i].awake && !out[i - 1].awake && (moved.empty() || !moved[i])) {
            position.rest();
            rotation.rest();
            set(i);
            continue;
        }
        bool escaped = false;
        std::size_t way = position.misses().best();
        int stream = position.misses().stream(way);
        const Steps guess = position.predict(way);
        for (int k = 0; k < 3; ++k) {
            steps[k] = guess[k] + static_cast<double>(positions_.residual(stream, no_mark, escaped));
            if (!(std::abs(steps[k]) <= largest_steps)) positions_.overflow.fail();
        }
        if (!positions_.ok()) return;
        position.add(steps);

        way = rotation.misses().best();
        stream = rotation.misses().stream(way);
        std::array<double, 3> v{};
        escaped = false;
        for (int k = 0; k < 3 && !escaped; ++k) {
            v[k] = static_cast<double>(rotations_.residual(stream, turn_mark, escaped));
        }
        if (escaped) {
            q = read_rotation(rotations_.overflow, scale_.bits);
            rotation.restart(q);
        } else {
            if (std::abs(v[0]) > turn_steps || std::abs(v[1]) > turn_steps || std::abs(v[2]) > turn_steps)
                rotations_.overflow.fail();
            q = turned(rotation.predict(way), v, turn_steps);
            rotation.add(q, turn_steps);
        }
        rung = rungs_[rung].u8();
        if (rung >= rung_stream_count) rungs_[0].fail();
        if (!ok()) return;
        set(i);
    }
}

bool PoseReader::ok() const {
    for (const ByteReader& stream : rungs_) {
        if (!stream.ok()) return false;
    }
    return runs_.ok() && keys_.ok() && positions_.ok() && rotations_.ok();
}

bool PoseReader::at_end() const {
    for (const ByteReader& stream : rungs_) {
        if (!stream.at_end()) return false;
    }
    return runs_.at_end() && keys_.at_end() && positions_.at_end() && rotations_.at_end();
}

}  // namespace talus::samples
