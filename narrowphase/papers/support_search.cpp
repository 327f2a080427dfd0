#include "narrowphase/papers/support_search.h"

#include <algorithm>
#include <iterator>

namespace talus::papers {

SupportSearch::SupportSearch(const PolytopeGraph& graph, SupportMethod method, std::uint16_t last,
                             std::span<const std::uint16_t> stored)
    : graph_(graph), method_(method), last_(last < graph.vertices.size() ? last : std::uint16_t{0}) {
    if (method != SupportMethod::neighbours) return;
    const auto add = [&](std::uint16_t v) {
        if (v >= graph.vertices.size()) v = 0;
        std::uint16_t* const end = candidates_ + candidate_count_;
        if (std::find(candidates_, end, v) != end) return true;
        if (candidate_count_ == static_cast<int>(std::size(candidates_))) return false;
        *end = v;
        ++candidate_count_;
        return true;
    };
    for (const std::uint16_t v : stored) add(v);
    const int count = candidate_count_;
    bool all = true;
    for (int i = 0; i < count; ++i) {
        for (const std::uint16_t n : graph.neighbours_of(candidates_[i])) all = add(n) && all;
    }
    stored_count_ = all ? count : 0;
}

std::uint16_t SupportSearch::operator()(const dvec3& direction) {
    ++searches_;
    switch (method_) {
        case SupportMethod::linear:
            return last_ = scan(direction);
        case SupportMethod::neighbours:
            return last_ = from_stored(direction);
        case SupportMethod::hierarchical: {
            const std::uint16_t v = graph_.hierarchy.support(graph_.vertices, direction, dot_products_);
            if (graph_.hierarchy.level_sizes().size() == 1) return last_ = v;  // all vertices have been scanned
            return last_ = climb(direction, v, along(direction, graph_.vertices[v]), false);
        }
        case SupportMethod::hill_climbing:
        case SupportMethod::artificial_neighbours:
            break;
    }
    ++dot_products_;
    return last_ = climb(direction, last_, along(direction, graph_.vertices[last_]),
                         method_ == SupportMethod::artificial_neighbours);
}

std::uint16_t SupportSearch::scan(const dvec3& direction) {
    const std::vector<vec3>& vertices = graph_.vertices;
    std::size_t best = 0;
    double most = along(direction, vertices[0]);
    for (std::size_t i = 1; i < vertices.size(); ++i) {
        const double value = along(direction, vertices[i]);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    dot_products_ += static_cast<int>(vertices.size());
    return static_cast<std::uint16_t>(best);
}

std::uint16_t SupportSearch::climb(const dvec3& direction, std::uint16_t from, double most, bool artificial) {
    std::uint16_t at = from, came_from = from;
    const auto look = [&](std::span<const std::uint16_t> around, std::uint16_t& best) {
        for (const std::uint16_t n : around) {
            if (n == came_from) continue;  // known to be lower
            const double value = along(direction, graph_.vertices[n]);
            ++dot_products_;
            if (value > most) {
                most = value;
                best = n;
            }
        }
    };
    for (;;) {
        std::uint16_t best = at;
        look(graph_.neighbours_of(at), best);
        if (artificial) look(graph_.hierarchy.long_neighbours(at), best);
        if (best == at) return at;
        came_from = at;
        at = best;
    }
}

std::uint16_t SupportSearch::from_stored(const dvec3& direction) {
    std::uint16_t best = last_;
    double most = along(direction, graph_.vertices[last_]);
    ++dot_products_;
    int place = candidate_count_;  // index of the best candidate; candidate_count_: none yet
    for (int i = 0; i < candidate_count_; ++i) {
        if (candidates_[i] == last_) {
            if (best == last_) place = i;
            continue;
        }
        const double value = along(direction, graph_.vertices[candidates_[i]]);
        ++dot_products_;
        if (value > most) {
            most = value;
            best = candidates_[i];
            place = i;
        }
    }
    if (place < stored_count_) return best;  // all its neighbours were candidates, too
    return climb(direction, best, most, false);
}

}  // namespace talus::papers
