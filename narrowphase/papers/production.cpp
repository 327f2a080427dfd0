/// The engine's own simplex step, adapted to the papers' simplex.

#include "narrowphase/gjk/simplex.h"
#include "narrowphase/papers/simplex.h"

namespace talus::papers {

bool production(Simplex& s, int previous) {
    detail::Simplex engine;
    for (int i = 0; i < s.count; ++i) {
        engine.vertex[i] = {s.vertex[i].w, s.vertex[i].a, s.vertex[i].index_a, s.vertex[i].index_b};
    }
    engine.count = s.count;
    engine.vv = s.vv;
    if (!detail::reduce(engine, previous)) {
        s.count = previous;
        return false;
    }
    double total = 0.0;
    for (int i = 0; i < engine.count; ++i) total += engine.weight[i];
    for (int i = 0; i < engine.count; ++i) {
        const detail::SimplexVertex& v = engine.vertex[i];
        s.vertex[i] = {v.w, v.a, v.index_a, v.index_b};
        s.weight[i] = engine.weight[i] / total;
    }
    s.count = engine.count;
    s.encloses = engine.contains;
    s.v = engine.closest();
    s.y = engine.y;
    s.vv = engine.vv;
    return true;
}

}  // namespace talus::papers
