#include <talus/narrowphase/trace.h>

#include "narrowphase/epa/expand.h"
#include "narrowphase/epa/polytope.h"
#include "narrowphase/gjk/gjk_unchecked.h"
#include "narrowphase/gjk/observer.h"
#include "narrowphase/shapes/usable.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

using namespace detail;

dvec3 to_dvec3(const double (&v)[3]) { return dvec3(v[0], v[1], v[2]); }

TraceVertex to_trace(const dvec3& w, const dvec3& on_a, unsigned short index_a, unsigned short index_b) {
    return {w, on_a, on_a - w, index_a, index_b};
}
TraceVertex to_trace(const ObservedVertex& v) { return to_trace(to_dvec3(v.w), to_dvec3(v.a), v.index_a, v.index_b); }
TraceVertex to_trace(const SimplexVertex& v) { return to_trace(v.w, v.a, v.index_a, v.index_b); }

TraceSimplex to_trace(const ObservedSimplex& s) {
    TraceSimplex simplex;
    simplex.count = s.count;
    for (int i = 0; i < s.count; ++i) simplex.vertex[i] = to_trace(s.vertex[i]);
    simplex.encloses = s.encloses;
    simplex.closest = to_dvec3(s.closest);
    simplex.distance = s.distance;
    return simplex;
}

class GjkRecorder final : public GjkObserver {
public:
    explicit GjkRecorder(GjkTrace& trace) : trace_(trace) {}

    void start(bool in_kernel, bool from_cache) override {
        trace_.parts.push_back({in_kernel, from_cache, {}, trace_.steps.size()});
    }

    void support(const double (&direction)[3], const ObservedVertex& newest, double lower_bound) override {
        GjkStep step;
        step.direction = to_dvec3(direction);
        step.newest = to_trace(newest);
        const bool first = trace_.steps.size() == trace_.parts.back().first_step;
        step.simplex = first ? trace_.parts.back().start : trace_.steps.back().simplex;
        step.lower_bound = lower_bound;
        step.upper_bound = step.simplex.distance;
        trace_.steps.push_back(step);
    }

    void simplex(const ObservedSimplex& s) override {
        if (trace_.steps.size() == trace_.parts.back().first_step) {
            trace_.parts.back().start = to_trace(s);
            return;
        }
        GjkStep& step = trace_.steps.back();
        step.simplex = to_trace(s);
        step.lower_bound = s.lower_bound;
        step.upper_bound = s.distance;
    }

private:
    GjkTrace& trace_;
};

class EpaRecorder final : public EpaObserver {
public:
    explicit EpaRecorder(EpaTrace& trace) : trace_(trace) {}

    void start() override {
        trace_.parts.emplace_back();
        trace_.answer = trace_.parts.size() - 1;
    }

    void support(const Polytope& polytope, int nearest, const SimplexVertex& newest, double lower_bound,
                 double upper_bound) override {
        EpaPart& part = trace_.parts.back();
        for (int i = static_cast<int>(part.vertices.size()); i < polytope.vertex_count; ++i)
            part.vertices.push_back(to_trace(polytope.vertices[i]));
        EpaStep& step = part.steps.emplace_back();
        step.vertex_count = part.vertices.size();
        for (int f = 0; f < polytope.slots(); ++f) {
            if (!polytope.in_use(f)) continue;
            if (f == nearest) step.nearest = step.faces.size();
            const Face& face = polytope.face(f);
            step.faces.push_back({{face.vertex[0], face.vertex[1], face.vertex[2]}, face.normal, face.offset});
        }
        step.newest = to_trace(newest);
        step.lower_bound = lower_bound;
        step.upper_bound = upper_bound;
    }

    void answered(int back) override { trace_.answer = trace_.parts.size() - 1 - static_cast<std::size_t>(back); }

private:
    EpaTrace& trace_;
};

}  // namespace

GjkTrace trace_gjk(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& start,
                   float max_distance) {
    GjkTrace trace;
    trace.simplex = start;
    if (!is_usable(a, b, b_in_a) || std::isnan(max_distance)) {
        trace.result.status = GjkStatus::bad_input;
        return trace;
    }
    GjkRecorder recorder(trace);
    trace.result = gjk_observed(a, b, b_in_a, trace.simplex, max_distance, recorder);
    return trace;
}

EpaTrace trace_epa(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const SimplexCache& simplex) {
    EpaTrace trace;
    if (!is_usable(a, b, b_in_a)) {
        trace.result.status = EpaStatus::bad_input;
        return trace;
    }
    EpaRecorder recorder(trace);
    trace.result = epa_observed(a, b, b_in_a, simplex, recorder);
    return trace;
}

}  // namespace talus
