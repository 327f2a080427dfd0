#include <talus/narrowphase/collide.h>

#include "common/lanes/processor.h"
#include "common/stopwatch.h"
#include "narrowphase/ladder/collide_call.h"
#include "narrowphase/ladder/first_pass.h"
#include "narrowphase/ladder/pair_tests.h"
#include "narrowphase/ladder/worklists.h"
#include "narrowphase/shapes/hull_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace talus {

namespace {

using namespace detail;

/// Fetches the cache lines of `bytes` bytes.
void prefetch(const void* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) detail::prefetch(static_cast<const char*>(from) + i);
}

/// Fetches what support search and make_manifold will probably read of a hull, going by the hints.
void prefetch_hull(const Shape& shape, std::uint32_t face, std::uint32_t vertex) {
    if (shape.type != ShapeType::hull) return;
    const HullData& hull = data_of(*shape.hull);
    const std::size_t bytes = std::min<std::size_t>(hull.x.size() * sizeof(float), 128);
    prefetch(hull.x.data(), bytes);
    prefetch(hull.y.data(), bytes);
    prefetch(hull.z.data(), bytes);
    if (face < hull.faces.size()) prefetch(&hull.faces[face], sizeof(HullFace));
    if (vertex < hull.rings.size()) prefetch(&hull.rings[vertex], sizeof(HullRing));
}

/// Runs a test on each pair of a list. It fetches ahead: the caches of pairs to come, then what the tests will read of
/// their hulls (which saves 6% of the narrowphase of `tumble`).
template <class Run>
void fetch_and_run(const CollideCall& call, const std::vector<PairTest>& list, const Run& run) {
    constexpr std::size_t caches_ahead = 8, hulls_ahead = 3;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i + caches_ahead < list.size()) {
            const PairTest& test = list[i + caches_ahead];
            prefetch(test.cache, sizeof(PairCache));
            for (const Shape* shape : {&call.shape_a(test), &call.shape_b(test)})
                if (shape->hull) prefetch(shape->hull.get(), sizeof(HullData));
        }
        if (i + hulls_ahead < list.size()) {
            const PairTest& test = list[i + hulls_ahead];
            const FaceHints& hints = test.cache->hints;
            prefetch_hull(call.shape_a(test), hints.a, hints.vertex_a);
            prefetch_hull(call.shape_b(test), hints.b, hints.vertex_b);
        }
        run(list[i]);
    }
}

/// Works through a list, and books the time of each test singly if the tests are `timed`.
template <class Run>
void work_through(const CollideCall& call, const std::vector<PairTest>& list, bool timed, const Run& run) {
    if (profiling_compiled_in && timed && !list.empty()) {
        std::uint64_t last = ticks();
        fetch_and_run(call, list, [&](const PairTest& test) {
            run(test);
            const std::uint64_t now = ticks();
            call.charge(test.pair, static_cast<double>(now - last) * microseconds_per_tick());
            last = now;
        });
        call.profile.clock_reads += list.size() + 1;
    } else {
        fetch_and_run(call, list, run);
    }
}

}  // namespace

struct CollideScratch::Memory {
    Worklists lists;
    std::vector<std::uintptr_t> record_starts, cache_starts;
};

CollideScratch::CollideScratch() : memory_(std::make_unique<Memory>()) {}
CollideScratch::~CollideScratch() = default;
CollideScratch::CollideScratch(const CollideScratch&) : CollideScratch() {}
CollideScratch& CollideScratch::operator=(const CollideScratch&) { return *this; }

std::size_t CollideScratch::bytes() const {
    return memory_->lists.capacity() * sizeof(PairTest) +
           (memory_->record_starts.capacity() + memory_->cache_starts.capacity()) * sizeof(std::uintptr_t);
}

/// Two lists are blocks that lie one behind the other.
void collide(const Colliders& colliders, std::span<PairRecord> records, std::span<PairCache> caches,
             std::span<const std::uint32_t> active, const CollideSettings& settings, CollideScratch& scratch,
             NarrowphaseProfile& profile) {
    CollideScratch::Memory& memory = *scratch.memory_;
    const std::size_t blocks = (records.size() + PairPages::Records::page_size - 1) / PairPages::Records::page_size;
    memory.record_starts.assign(blocks, reinterpret_cast<std::uintptr_t>(records.data()));
    memory.cache_starts.assign(blocks, reinterpret_cast<std::uintptr_t>(caches.data()));
    const PairPages pairs{memory.record_starts.data(), memory.cache_starts.data()};
    detail::collide(colliders, pairs, active, settings, scratch, profile);
}

void detail::collide(const Colliders& colliders, const PairPages& pairs, std::span<const std::uint32_t> active,
                     const CollideSettings& settings, CollideScratch& scratch, NarrowphaseProfile& profile) {
    Worklists& lists = scratch.memory_->lists;
    const CollideCall call{colliders, pairs, settings, lists, profile};
    const bool times_all = settings.timing == Timing::pairs, times_cold = settings.timing != Timing::off;
    Stopwatch watch(settings.timing != Timing::off);
    const auto book = [&](Rung rung) { profile.microseconds[static_cast<std::size_t>(rung)] += watch.lap(); };

    lists.clear();
    run_first_pass(call, active);
    book(Rung::skip);

    work_through(call, lists.closed_form, times_all, [&](const PairTest& test) { run_closed_form(call, test); });
    book(Rung::closed_form);

    work_through(call, lists.warm_epa, times_all, [&](const PairTest& test) { try_epa_face(call, test); });
    book(Rung::warm_epa);

    work_through(call, lists.axis, times_all, [&](const PairTest& test) { try_axis(call, test); });
    book(Rung::axis_separated);

    work_through(call, lists.warm_gjk, times_all, [&](const PairTest& test) { run_gjk(call, test, Rung::warm_gjk); });
    book(Rung::warm_gjk);

    work_through(call, lists.cold_gjk, times_cold, [&](const PairTest& test) { run_gjk(call, test, Rung::cold_gjk); });
    book(Rung::cold_gjk);

    work_through(call, lists.epa, times_cold, [&](const PairTest& test) { run_epa(call, test); });
    book(Rung::cold_epa);
    profile.clock_reads += watch.reads();
}

}  // namespace talus
