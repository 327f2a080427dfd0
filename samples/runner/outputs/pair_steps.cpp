#include "samples/runner/outputs/pair_steps.h"

#include <algorithm>
#include <limits>

namespace talus::samples {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool same(const SimplexCache& p, const SimplexCache& q) {
    return p.count == q.count && std::equal(p.a, p.a + p.count, q.a) && std::equal(p.b, p.b + p.count, q.b);
}

PairSteps run(const PairQuery& query, const SimplexCache& start, float max_distance) {
    PairSteps steps;
    const MatrixTransform b_in_a = to_matrix_transform(query.pair.b_in_a);
    steps.gjk = trace_gjk(query.a, query.b, b_in_a, start, max_distance);
    steps.max_distance = max_distance;
    if (steps.gjk.result.status == GjkStatus::overlapping)
        steps.epa = trace_epa(query.a, query.b, b_in_a, steps.gjk.simplex);
    return steps;
}

}  // namespace

std::optional<PairQuery> query_of(const World& world, const PairInfo& pair, const SimplexCache& start) {
    const auto shapes_a = world.shapes(pair.body_a), shapes_b = world.shapes(pair.body_b);
    if (pair.shape_a >= shapes_a.size() || pair.shape_b >= shapes_b.size()) return std::nullopt;
    return PairQuery{pair, convex_part(shapes_a[pair.shape_a], pair).shape,
                     convex_part(shapes_b[pair.shape_b], pair).shape, start, world.profile().frame};
}

std::size_t WarmStarts::Hash::operator()(const Key& key) const {
    std::uint64_t h = key.a;
    for (const std::uint64_t next : {key.b, key.shapes, std::uint64_t{key.triangle}})
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + next;
    return static_cast<std::size_t>(h ^ (h >> 32));
}

WarmStarts::Key WarmStarts::key_of(const PairInfo& pair) {
    const auto join = [](std::uint32_t low, std::uint32_t high) { return low | (std::uint64_t(high) << 32); };
    return {join(pair.body_a.slot, pair.body_a.generation), join(pair.body_b.slot, pair.body_b.generation),
            join(pair.shape_a, pair.shape_b), pair.triangle};
}

void WarmStarts::record(std::span<const PairInfo> pairs) {
    simplices_.clear();
    for (const PairInfo& pair : pairs) {
        if (pair.simplex.count > 0) simplices_.emplace(key_of(pair), pair.simplex);
    }
}

SimplexCache WarmStarts::find(const PairInfo& pair) const {
    const auto found = simplices_.find(key_of(pair));
    return found != simplices_.end() ? found->second : SimplexCache{};
}

PairSteps step_through(const PairQuery& query) {
    const Rung rung = query.pair.rung;
    const bool ran = query.pair.active && (rung == Rung::warm_gjk || rung == Rung::cold_gjk || rung == Rung::cold_epa);
    PairSteps steps = run(query, query.start, infinity);
    if (!ran) return steps;
    steps.replayed = same(steps.gjk.simplex, query.pair.simplex) ? Replayed::same : Replayed::different;
    // A pair that is farther apart than the frame cared for was left there, at the first bound that said so: the same
    // bound stops it again.
    double before = 0.0;
    for (const GjkStep& step : steps.gjk.steps) {
        if (steps.replayed == Replayed::same) break;
        if (step.lower_bound > before) {
            PairSteps shorter = run(query, query.start, static_cast<float>(0.5 * (before + step.lower_bound)));
            if (same(shorter.gjk.simplex, query.pair.simplex)) {
                steps = std::move(shorter);
                steps.replayed = Replayed::same;
                return steps;
            }
            before = step.lower_bound;
        }
    }
    return steps;
}

PairSteps step_through_from(const PairQuery& query, const SimplexCache& start) { return run(query, start, infinity); }

}  // namespace talus::samples
