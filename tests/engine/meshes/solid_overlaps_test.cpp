/// Solids that overlap deeper than their features tell.

#include "narrowphase/nonconvex/surfaces_cross.h"
#include "tests/engine/meshes/solids.h"
#include "tests/engine/worlds.h"

#include <talus/narrowphase/triangles/mesh.h>
#include <talus/narrowphase/triangles/queries.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

using namespace talus;
using namespace talus::test;

namespace {

/// A box with a cavity.
samples::MeshFile crate_with_cavity(float half, float inner) {
    samples::MeshFile file = samples::box_solid(vec3(half));
    const samples::MeshFile cavity = samples::box_solid(vec3(inner));
    const auto first = static_cast<std::uint32_t>(file.vertices.size());
    file.vertices.insert(file.vertices.end(), cavity.vertices.begin(), cavity.vertices.end());
    for (std::size_t t = 0; t < cavity.triangles.size(); t += 3) {
        for (const std::size_t i : {0, 2, 1}) file.triangles.push_back(first + cavity.triangles[t + i]);
    }
    return file;
}

/// How deep the corners of either solid are in the other one, m.
float overlap(const World& world, BodyId a, const TriangleSet& of_a, BodyId b, const TriangleSet& of_b) {
    float most = 0.0f;
    const auto look = [&](BodyId own, const TriangleSet& set, BodyId other, const TriangleSet& in) {
        const Transform place = relative(world.transform(other), world.transform(own));
        for (std::uint32_t t = 0; t < set.size(); ++t) {
            for (const vec3& corner : set.points(t)) {
                const vec3 p = transform_point(place, corner);
                if (detail::is_inside(in, p)) most = std::max(most, nearest(in, p).distance);
            }
        }
    };
    look(a, of_a, b, of_b);
    look(b, of_b, a, of_a);
    return most;
}

}  // namespace

TEST_CASE("a bar through the wall of a hollow crate is not pushed to and fro for ever") {
    const auto crate = solid_of(crate_with_cavity(0.5f, 0.4f)),
               bar = solid_of(samples::box_solid({0.8f, 0.06f, 0.06f}));
    int apart = 0, rounds = 0;
    for (const double place : {0.1, 0.3, 0.5, 0.7, 0.9, 1.1}) {
        for (const double tilt : {0.0, 0.05, 0.3}) {
            CAPTURE(place);
            CAPTURE(tilt);
            World world{WorldDef{}};
            add(world, ground());
            const BodyId around = add(world, solid_body(crate, {0.0, 0.5, 0.0}, quat(1, 0, 0, 0)));
            const BodyId through = add(world, solid_body(bar, {place, 0.5, 0.03}, turn({0, 1, 1}, tilt)));
            vec3 last(0.0f);
            int turns = 0;
            for (int step = 0; step < 900 && world.awake_body_count() > 0; ++step) {
                world.step(frame);
                for (const Contact& contact : world.contacts(through)) {
                    if (contact.body_a != around && contact.body_b != around) continue;
                    turns += glm::dot(contact.normal, last) < -0.5f ? 1 : 0;
                    last = contact.normal;
                    break;
                }
            }
            CHECK(world.awake_body_count() == 0);
            CHECK(turns <= 4);
            ++rounds;
            apart += overlap(world, around, *crate, through, *bar) < 0.005f ? 1 : 0;
        }
    }
    MESSAGE(apart << " of " << rounds << " have parted");
    CHECK(4 * apart > 3 * rounds);
}

TEST_CASE("two solids that overlap in one place and touch in another part") {
    // Put into each other at random; half of them used to stay so, because some other features touched, or nearly did.
    const std::array<samples::MeshFile, 5> files = {samples::star_prism(5), samples::l_prism(), samples::u_prism(),
                                                    samples::square_frame(), samples::ring(0.5f, 0.15f, 16, 8)};
    std::vector<std::shared_ptr<const TriangleSet>> kinds;
    for (const samples::MeshFile& file : files) kinds.push_back(solid_of(file));
    Random random(91);
    int overlapped = 0, kept = 0, without_contact = 0;
    for (int round = 0; round < 120; ++round) {
        const auto& of_a = kinds[static_cast<std::size_t>(random.below(5))];
        const auto& of_b = kinds[static_cast<std::size_t>(random.below(5))];
        WorldDef def = weightless();
        def.allow_sleep = false;
        World world(def);
        const BodyId a = add(world, solid_body(of_a, dvec3(0.0), random.rotation()));
        const BodyId b = add(world, solid_body(of_b, dvec3(random.in_box(vec3(0.8f))), random.rotation()));
        const float before = overlap(world, a, *of_a, b, *of_b);
        if (before < 0.02f) continue;
        ++overlapped;
        world.step(frame);
        without_contact += world.contacts().empty() ? 1 : 0;
        run(world, 600);
        CHECK(is_sound(world));
        kept += overlap(world, a, *of_a, b, *of_b) > 0.5f * before ? 1 : 0;
    }
    MESSAGE(kept << " of " << overlapped << " still overlap by more than half as much, " << without_contact
                 << " had no contact");
    CHECK(overlapped > 30);
    CHECK(without_contact == 0);
    CHECK(6 * kept < overlapped);
}
