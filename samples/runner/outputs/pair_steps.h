#pragma once
/// A pair of shapes as a step tested it, and the same test once more, iteration by iteration.
///
/// The world keeps the pose that a pair was last tested at and the simplex that this left. Where GJK started from is
/// gone by then: it is the simplex that stood there before the step, for which WarmStarts is asked.
///
///     WarmStarts starts;
///     starts.record(world);
///     world.step(dt);
///     const PairSteps steps = step_through(query_of(world, pair, starts.find(pair)));   // pair: of world.pairs()

#include <talus/engine/world.h>
#include <talus/narrowphase/trace.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace talus::samples {

/// A pair's test in a frame, with all that it depended on.
struct PairQuery {
    PairInfo pair;        ///< as of after the step
    Shape a, b;           ///< in their own frames
    SimplexCache start;   ///< where GJK started from in that frame, if it ran; empty: from nothing
    std::uint64_t frame;  ///< of the profile
};

/// `start`: the pair's simplex from before the step. Nothing when a body or shape of it has gone.
std::optional<PairQuery> query_of(const World& world, const PairInfo& pair, const SimplexCache& start);

/// The simplices of all pairs, at the time of `record`.
class WarmStarts {
public:
    void record(const World& world) { record(world.pairs()); }
    void record(std::span<const PairInfo> pairs);  ///< World::pairs() of before the step
    /// Empty for a pair that was not there.
    SimplexCache find(const PairInfo& pair) const;

private:
    struct Key {
        std::uint64_t a, b, shapes;
        std::uint32_t triangle;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    static Key key_of(const PairInfo& pair);
    std::unordered_map<Key, SimplexCache, Hash> simplices_;
};

/// What became of a test when it was done again.
enum class Replayed : std::uint8_t {
    same,       ///< the frame ran GJK (and perhaps EPA), and these are its iterations: they leave the simplex it left
    different,  ///< the frame ran GJK, but not like this: the pair's shapes were changed, or it began from elsewhere
    not_run,    ///< the frame settled the pair without: these are the iterations that it saved
};

struct PairSteps {
    GjkTrace gjk;
    std::optional<EpaTrace> epa;  ///< where the cores overlap
    Replayed replayed = Replayed::not_run;
    /// GJK stopped once it had proved that the cores are farther apart than this, m; else infinite.
    float max_distance = 0.0f;
};

/// Once more, from where the frame started.
PairSteps step_through(const PairQuery& query);
/// From this simplex instead (an empty one: from nothing) and to the end, however far apart the two are.
PairSteps step_through_from(const PairQuery& query, const SimplexCache& start);

}  // namespace talus::samples
