#include <talus/narrowphase/profile.h>

namespace talus {

const char* name_of(Rung rung) {
    switch (rung) {
        case Rung::skip:
            return "skip";
        case Rung::reuse:
            return "reuse";
        case Rung::closed_form:
            return "closed_form";
        case Rung::axis_separated:
            return "axis_separated";
        case Rung::axis_touching:
            return "axis_touching";
        case Rung::warm_gjk:
            return "warm_gjk";
        case Rung::cold_gjk:
            return "cold_gjk";
        case Rung::warm_epa:
            return "warm_epa";
        case Rung::cold_epa:
            return "cold_epa";
        case Rung::features:
            return "features";
    }
    return "";
}

FeatureCounts& FeatureCounts::operator+=(const FeatureCounts& other) {
    node_pairs += other.node_pairs;
    pairs += other.pairs;
    nearby += other.nearby;
    candidates += other.candidates;
    points += other.points;
    return *this;
}

NarrowphaseProfile& NarrowphaseProfile::operator+=(const NarrowphaseProfile& other) {
    const auto add = [](auto& to, const auto& from) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    add(pairs, other.pairs);
    add(microseconds, other.microseconds);
    gjk_queries += other.gjk_queries;
    gjk_iterations += other.gjk_iterations;
    gjk_cap_hits += other.gjk_cap_hits;
    epa_queries += other.epa_queries;
    epa_iterations += other.epa_iterations;
    epa_cap_hits += other.epa_cap_hits;
    support_evaluations += other.support_evaluations;
    manifolds_built += other.manifolds_built;
    add(gjk_histogram, other.gjk_histogram);
    add(epa_histogram, other.epa_histogram);
    features += other.features;
    for (std::size_t i = 0; i < tested_by_shapes.size(); ++i) {
        add(tested_by_shapes[i], other.tested_by_shapes[i]);
        add(microseconds_by_shapes[i], other.microseconds_by_shapes[i]);
    }
    if (other.slowest.microseconds > slowest.microseconds) slowest = other.slowest;
    clock_reads += other.clock_reads;
    return *this;
}

}  // namespace talus
