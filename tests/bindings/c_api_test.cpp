// The C API: the same worlds as in C++, every refusal as a value, definitions of other sizes.

#include <talus/c/talus.h>

#include <talus/engine/world.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace talus;

namespace {

constexpr float dt = 1.0f / 60.0f;

struct Owned {
    TalusWorld* world;
    explicit Owned(TalusWorld* w = talus_world_create(nullptr, nullptr)) : world(w) { REQUIRE(world != nullptr); }
    ~Owned() { talus_world_destroy(world); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    operator TalusWorld*() const { return world; }
};

TalusBodyDef body(TalusShape shape, TalusDVec3 position, TalusBodyType type = TALUS_DYNAMIC) {
    TalusBodyDef def = talus_body_def();
    def.type = type;
    def.shape = shape;
    def.position = position;
    return def;
}

TalusBodyId add_ground(TalusWorld* world) {
    const TalusBodyDef def = body(talus_box({50, 1, 50}), {0, -1, 0}, TALUS_FIXED);
    return talus_world_add_body(world, &def);
}

/// A pile of all shapes on a floor, with a chain of every kind of joint beside it.
void build(TalusWorld* world) {
    add_ground(world);
    const TalusVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    TalusHull* hull = talus_hull_create(corners, 4, nullptr);
    REQUIRE(hull != nullptr);
    TalusMapping* egg = talus_superellipsoid_create({0.5f, 0.3f, 0.4f}, 2.0f, 4.0f, nullptr);
    REQUIRE(egg != nullptr);
    const TalusShape terms[] = {talus_hull(hull), talus_mapping(egg)};
    TalusMapping* sum = talus_convex_sum_create(&terms[0], &terms[1], nullptr);
    REQUIRE(sum != nullptr);
    const TalusShape shapes[] = {talus_sphere(0.5f),
                                 talus_capsule(0.5f, 0.25f),
                                 talus_box({0.5f, 0.4f, 0.3f}),
                                 talus_cylinder(0.5f, 0.3f),
                                 talus_cone(0.5f, 0.3f),
                                 talus_hull(hull),
                                 talus_ellipsoid({0.5f, 0.3f, 0.4f}),
                                 talus_rounded(talus_box({0.4f, 0.3f, 0.2f}), 0.1f),
                                 talus_rounded(talus_hull(hull), 0.1f),
                                 talus_mapping(egg),
                                 talus_mapping(sum)};
    int i = 0;
    for (const TalusShape& shape : shapes) {
        const TalusBodyDef def = body(shape, {0.1 * i, 1.0 + 1.2 * i, 0});
        CHECK(talus_world_add_body(world, &def) != 0);
        ++i;
    }
    talus_hull_release(hull);  // the body keeps it
    talus_mapping_release(egg);
    talus_mapping_release(sum);

    TalusBodyDef anchor = body(talus_box({0.1f, 0.1f, 0.1f}), {5, 8, 0}, TALUS_FIXED);
    TalusBodyId last = talus_world_add_body(world, &anchor);
    TalusJointId hinge = 0, slider = 0;
    for (TalusJointKind kind = TALUS_BALL_JOINT; kind <= TALUS_MOTOR_JOINT; ++kind) {
        TalusJointDef def = talus_joint_def(kind);
        CHECK(def.kind == kind);
        if (kind == TALUS_GEAR_JOINT) {
            def.of.gear.joint_a = hinge;
            def.of.gear.joint_b = slider;
            CHECK(talus_world_add_joint(world, &def) != 0);
            continue;
        }
        const TalusBodyDef link = body(talus_box({0.2f, 0.1f, 0.1f}), {5.5 + kind, 8, 0});
        const TalusBodyId next = talus_world_add_body(world, &link);
        def.frames = talus_world_joint_frames(world, last, next, {5.25 + kind, 8, 0}, {0, 0, 1});
        const TalusJointId joint = talus_world_add_joint(world, &def);
        CHECK(joint != 0);
        if (kind == TALUS_HINGE_JOINT) hinge = joint;
        if (kind == TALUS_SLIDER_JOINT) slider = joint;
        last = next;
    }
}

std::string error_of(const TalusWorld* world) { return talus_world_last_error(world).message; }

}  // namespace

TEST_CASE("the C API builds the same world as C++, to the bit") {
    const Owned c;
    World world;
    add_ground(c);
    world.add_body({.type = BodyType::fixed, .shape = box({50, 1, 50}), .position = {0, -1, 0}});
    for (int i = 0; i < 20; ++i) {
        const TalusBodyDef def = body(talus_box({0.5f, 0.25f, 0.5f}), {0.05 * i, 0.3 + 0.6 * i, 0});
        CHECK(talus_world_add_body(c, &def) != 0);
        world.add_body({.shape = box({0.5f, 0.25f, 0.5f}), .position = {0.05 * i, 0.3 + 0.6 * i, 0}});
    }
    for (int i = 0; i < 120; ++i) {
        REQUIRE(talus_world_step(c, dt, nullptr));
        world.step(dt);
    }
    CHECK(talus_world_hash(c) == world.hash());
    CHECK(talus_world_contacts(c, nullptr, 0) == world.contacts().size());
    CHECK(talus_world_profile(c).contact_points == world.profile().contact_points);
    CHECK(talus_world_memory(c).total > 0);
}

TEST_CASE("threads of the C API give the same bits as one thread") {
    const Owned one, two;
    build(one);
    build(two);
    TalusThreadPool* pool = talus_thread_pool_create(2, nullptr);
    REQUIRE(pool != nullptr);
    const TalusJobs jobs = talus_thread_pool_jobs(pool);
    CHECK(jobs.threads == 2);
    for (int i = 0; i < 60; ++i) {
        talus_world_step(one, dt, nullptr);
        talus_world_step(two, dt, &jobs);
    }
    CHECK(talus_world_hash(one) == talus_world_hash(two));
    talus_thread_pool_destroy(pool);
}

TEST_CASE("definitions from the C API describe bodies and joints that build an equal world") {
    const Owned world, again;
    build(world);
    std::vector<TalusBodyId> bodies(talus_world_body_count(world)), copies;
    CHECK(talus_world_bodies(world, bodies.data(), bodies.size()) == bodies.size());
    for (const TalusBodyId id : bodies) {
        TalusBodyDef* def = talus_world_describe_body(world, id);
        REQUIRE(def != nullptr);
        CHECK(def->shape_count == talus_world_shape_count(world, id));
        copies.push_back(talus_world_add_body(again, def));
        CHECK(copies.back() != 0);
        talus_body_def_free(def);
    }
    std::vector<TalusJointId> joints(talus_world_joint_count(world)), joint_copies;
    CHECK(talus_world_joints(world, joints.data(), joints.size()) == joints.size());
    const auto copy_of = [](const auto& from, const auto& to, std::uint64_t id) {
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (from[i] == id) return to[i];
        }
        return std::uint64_t{0};
    };
    for (const TalusJointId id : joints) {
        TalusJointDef def;
        REQUIRE(talus_world_describe_joint(world, id, &def));
        CHECK(def.kind == talus_world_kind(world, id));
        if (def.kind == TALUS_GEAR_JOINT) {
            def.of.gear.joint_a = copy_of(joints, joint_copies, def.of.gear.joint_a);
            def.of.gear.joint_b = copy_of(joints, joint_copies, def.of.gear.joint_b);
        } else {
            def.frames.body_a = copy_of(bodies, copies, def.frames.body_a);
            def.frames.body_b = copy_of(bodies, copies, def.frames.body_b);
        }
        joint_copies.push_back(talus_world_add_joint(again, &def));
        CHECK(joint_copies.back() != 0);
    }
    for (int i = 0; i < 60; ++i) {
        talus_world_step(world, dt, nullptr);
        talus_world_step(again, dt, nullptr);
    }
    CHECK(talus_world_hash(world) == talus_world_hash(again));
}

TEST_CASE("C worlds are saved, loaded, changed, cloned and assigned with the same bits") {
    const Owned world;
    build(world);
    for (int i = 0; i < 30; ++i) talus_world_step(world, dt, nullptr);
    const TalusBytes before = talus_world_save(world, nullptr, nullptr);
    REQUIRE(before.data != nullptr);
    talus_world_step(world, dt, nullptr);
    const TalusBytes changes = talus_world_save_changes(world, before.data, before.size, nullptr, nullptr);
    const TalusBytes after = talus_world_apply_changes(before.data, before.size, changes.data, changes.size, nullptr);
    REQUIRE(after.data != nullptr);

    const Owned loaded(talus_world_load(after.data, after.size, nullptr, nullptr));
    const Owned cloned(talus_world_clone(world, nullptr));
    const Owned assigned;
    CHECK(talus_world_assign(assigned, world));
    for (int i = 0; i < 30; ++i) {
        for (TalusWorld* w : {world.world, loaded.world, cloned.world, assigned.world})
            talus_world_step(w, dt, nullptr);
    }
    for (TalusWorld* w : {loaded.world, cloned.world, assigned.world}) {
        CHECK(talus_world_hash(w) == talus_world_hash(world));
    }

    TalusError error;
    CHECK(talus_world_load(before.data, before.size / 2, nullptr, &error) == nullptr);
    CHECK(error.code == TALUS_BAD_DATA);
    CHECK(std::strlen(error.message) > 0);
    talus_bytes_free(before);
    talus_bytes_free(changes);
    talus_bytes_free(after);
}

TEST_CASE("C worlds name hulls and meshes that the game has") {
    const TalusVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    TalusHull* hull = talus_hull_create(corners, 4, nullptr);
    const float heights[9] = {};
    TalusHeightFieldDef field = talus_height_field_def();
    field.columns = field.rows = 3;
    field.heights = heights;
    const std::uint8_t holes[4] = {0, 1, 0, 0}, all[4] = {1, 1, 1, 1};
    field.holes = all;
    CHECK(talus_height_field_create(&field, nullptr) == nullptr);
    field.holes = holes;
    TalusMesh* ground = talus_height_field_create(&field, nullptr);
    REQUIRE(ground != nullptr);
    TalusAssets* assets = talus_assets_create();
    CHECK(talus_assets_add_hull(assets, "wedge", hull));
    CHECK(talus_assets_add_mesh(assets, "ground", ground));
    CHECK_FALSE(talus_assets_add_hull(assets, "wedge", hull));

    const Owned world;
    TalusBodyDef def = body(talus_hull(hull), {1, 3, 1});
    CHECK(talus_world_add_body(world, &def) != 0);
    def = body({}, {0, 0, 0}, TALUS_FIXED);
    def.mesh = ground;
    CHECK(talus_world_add_body(world, &def) != 0);
    const TalusBytes bytes = talus_world_save(world, assets, nullptr);
    const Owned loaded(talus_world_load(bytes.data, bytes.size, assets, nullptr));
    CHECK(talus_world_hash(loaded) == talus_world_hash(world));
    TalusError error;
    CHECK(talus_world_load(bytes.data, bytes.size, nullptr, &error) == nullptr);
    CHECK(std::string(error.message).find("wedge") != std::string::npos);
    talus_bytes_free(bytes);
    talus_assets_destroy(assets);
    talus_hull_release(hull);
    talus_mesh_release(ground);
}

TEST_CASE("the C API's refusals: NULL, sizes, enums, stale handles, and the last error is the last") {
    const Owned world;
    CHECK(talus_world_last_error(world).code == TALUS_NO_ERROR);
    CHECK(talus_world_add_body(world, nullptr) == 0);
    CHECK(error_of(world) == "the definition is NULL");

    TalusBodyDef def{};  // size is 0
    CHECK(talus_world_add_body(world, &def) == 0);
    CHECK(error_of(world).find("talus_body_def() sets it") != std::string::npos);
    def = talus_body_def();
    def.size += 8;  // a newer caller's
    CHECK(talus_world_add_body(world, &def) == 0);
    def = body(talus_sphere(1), {0, 0, 0}, 7);
    CHECK(talus_world_add_body(world, &def) == 0);
    CHECK(error_of(world) == "the body's type is 7; it must be 0 to 2");
    def = body(talus_sphere(1), {0, 0, 0});
    def.shape.type = 256;
    CHECK(talus_world_add_body(world, &def) == 0);
    CHECK(error_of(world) == "the shape's type is 256; it must be 0 to 10");
    def = body(talus_sphere(-1), {0, 0, 0});
    CHECK(talus_world_add_body(world, &def) == 0);
    CHECK(talus_world_last_error(world).code == TALUS_BAD_SIZE);  // by the engine
    def = body(talus_hull(nullptr), {0, 0, 0});
    CHECK(talus_world_add_body(world, &def) == 0);
    def = body(talus_mapping(nullptr), {0, 0, 0});
    CHECK(talus_world_add_body(world, &def) == 0);
    CHECK(error_of(world) == "superellipsoid: its `mapping` is none; talus_superellipsoid_create() makes one");

    def = body(talus_sphere(1), {0, 0, 0});
    const TalusBodyId id = talus_world_add_body(world, &def);
    CHECK(talus_world_is_valid_body(world, id));
    CHECK(talus_world_remove_body(world, id));
    CHECK_FALSE(talus_world_is_valid_body(world, id));
    CHECK_FALSE(talus_world_is_valid_body(world, 0));
    CHECK(talus_world_position(world, id).y == 0);
    CHECK(talus_world_last_error(world).code == TALUS_STALE_HANDLE);
    CHECK_FALSE(talus_world_set_material(world, id, 0, nullptr));
    CHECK(error_of(world) == "material is NULL");  // by the API, after one of the engine
    CHECK(talus_world_mass(world, id) == 0);
    CHECK(talus_world_last_error(world).code == TALUS_STALE_HANDLE);  // by the engine, after one of the API
    talus_world_clear_error(world);
    CHECK(talus_world_last_error(world).code == TALUS_NO_ERROR);

    TalusWorldDef settings = talus_world_def();
    settings.substeps = 0;
    TalusError error;
    CHECK(talus_world_create(&settings, &error) == nullptr);
    CHECK(error.code == TALUS_BAD_ARGUMENT);
    CHECK(std::string(error.message).find("substeps") != std::string::npos);
    CHECK(talus_world_step(nullptr, dt, nullptr) == false);
    CHECK(talus_world_position(nullptr, id).x == 0);
    CHECK(talus_world_last_error(nullptr).code == TALUS_NO_ERROR);
    TalusJobs jobs{};
    CHECK_FALSE(talus_world_step(world, dt, &jobs));  // 0 threads
}

TEST_CASE("an older caller's shorter definitions get the defaults of fields that it does not know") {
    const Owned world;
    TalusBodyDef def = body(talus_sphere(0.5f), {0, 5, 0});
    def.user_data = 77;
    def.size = offsetof(TalusBodyDef, linear_damping);  // a library of today, a caller from before damping
    def.linear_damping = 1e6f;
    const TalusBodyId id = talus_world_add_body(world, &def);
    REQUIRE(id != 0);
    CHECK(talus_world_linear_damping(world, id) == 0);
    CHECK(talus_world_user_data(world, id) == 0);

    // Several of them lie as far apart as the caller's structures are long.
    struct Short {
        alignas(TalusShapeDef) char bytes[offsetof(TalusShapeDef, mesh)];
    } parts[2];
    static_assert(sizeof(Short) < sizeof(TalusShapeDef));
    for (int i = 0; i < 2; ++i) {
        TalusShapeDef part = talus_shape_def();
        part.size = sizeof(Short);
        part.shape = talus_sphere(0.5f);
        part.pose.position.x = static_cast<float>(i);
        std::memcpy(&parts[i], &part, sizeof(Short));
    }
    def = talus_body_def();
    def.shapes = reinterpret_cast<const TalusShapeDef*>(parts);
    def.shape_count = 2;
    const TalusBodyId pair = talus_world_add_body(world, &def);
    REQUIRE(pair != 0);
    CHECK(talus_world_shape_count(world, pair) == 2);
    CHECK(std::abs(talus_world_center_of_mass(world, pair).x - 0.5) < 1e-6);
}

TEST_CASE("lists of the C API write what fits and return how many there are") {
    const Owned world;
    build(world);
    for (int i = 0; i < 120; ++i) talus_world_step(world, dt, nullptr);
    const std::size_t count = talus_world_moved_bodies(world, nullptr, 0);
    REQUIRE(count > 2);
    std::vector<TalusMovedBody> moved(count);
    moved[2].user_data = 123;
    CHECK(talus_world_moved_bodies(world, moved.data(), 2) == count);
    CHECK(moved[2].user_data == 123);
    CHECK(talus_world_moved_bodies(world, moved.data(), count) == count);

    std::vector<float> poses(7 * count);
    std::vector<TalusBodyId> ids(count);
    CHECK(talus_world_moved_poses(world, {1, 0, 0}, poses.data(), ids.data(), count) == count);
    CHECK(ids[0] == moved[0].body);
    CHECK(poses[0] == static_cast<float>(moved[0].pose.position.x - 1));
    CHECK(poses[6] == moved[0].pose.rotation.w);
    std::vector<float> again(7 * count);
    CHECK(talus_world_read_poses(world, ids.data(), count, {1, 0, 0}, again.data()));
    CHECK(again == poses);
    ids[1] = 0;
    CHECK_FALSE(talus_world_read_poses(world, ids.data(), count, {1, 0, 0}, again.data()));
    CHECK(std::string(talus_world_last_error(world).message).find("read_poses: bodies[") == 0);
    CHECK(again[7] == 0);
    CHECK(again[13] == 1);
    CHECK(talus_world_last_error(world).code == TALUS_STALE_HANDLE);
}

TEST_CASE("queries of the C API find what those of C++ find") {
    const Owned world;
    const TalusBodyId ground = add_ground(world);
    const TalusBodyDef ball = body(talus_sphere(0.5f), {0, 3, 0}, TALUS_FIXED);
    const TalusBodyId id = talus_world_add_body(world, &ball);
    const TalusRay ray{{0, 10, 0}, {0, -20, 0}};
    const TalusCastHit hit = talus_world_ray_cast(world, ray, nullptr);
    CHECK(hit.body == id);
    CHECK(hit.position.y == doctest::Approx(3.5));
    CHECK(hit.triangle == TALUS_NO_TRIANGLE);
    CHECK(talus_world_ray_cast_any(world, ray, nullptr));
    TalusCastHit hits[4];
    CHECK(talus_world_ray_cast_all(world, ray, nullptr, hits, 4) == 2);
    CHECK(hits[1].body == ground);
    TalusFilter none = talus_filter();
    none.mask = 0;
    CHECK(talus_world_ray_cast(world, ray, &none).body == 0);
    const TalusRay rays[2] = {ray, {{5, 10, 0}, {0, -1, 0}}};
    CHECK(talus_world_ray_casts(world, rays, 2, nullptr, hits));
    CHECK(hits[0].body == id);
    CHECK(hits[1].body == 0);
    TalusRay bad[2] = {ray, ray};
    bad[1].origin.x = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(talus_world_ray_casts(world, bad, 2, nullptr, hits));
    CHECK(hits[0].body == 0);

    TalusShapeCast cast{talus_sphere(0.25f), talus_world_transform(), {0, -20, 0}};
    cast.pose.position.y = 10;
    CHECK(talus_world_shape_cast(world, &cast, nullptr).body == id);
    CHECK(talus_world_shape_cast_any(world, &cast, nullptr));
    CHECK(talus_world_shape_cast_all(world, &cast, nullptr, hits, 4) == 2);
    CHECK(talus_world_shape_casts(world, &cast, 1, nullptr, hits));
    CHECK(hits[0].fraction == doctest::Approx((10 - 3.75) / 20));
    TalusBodyId found[4];
    const TalusShape probe = talus_sphere(1);
    TalusWorldTransform pose = talus_world_transform();
    pose.position.y = 3;
    CHECK(talus_world_overlap_shape(world, &probe, pose, nullptr, found, 4) == 1);
    CHECK(talus_world_overlap_box(world, {{-1, 2, -1}, {1, 4, 1}}, nullptr, found, 4) == 1);
    CHECK(talus_world_overlap_point(world, {0, 3, 0}, nullptr, found, 4) == 1);
    CHECK(talus_world_overlap_any_shape(world, &probe, pose, nullptr));
    CHECK(talus_world_overlap_any_box(world, {{-1, 2, -1}, {1, 4, 1}}, nullptr));
    CHECK(talus_world_overlap_any_point(world, {0, 3, 0}, nullptr));
    TalusNearHit near[2];
    CHECK(talus_world_nearest(world, {0, 5, 0}, 100, nullptr, near, 2) == 2);
    CHECK(near[0].body == id);
    CHECK(near[0].distance == doctest::Approx(1.5f));
}

TEST_CASE("two shapes of the C API: distance, rays, casts, mass") {
    const TalusShape ball = talus_sphere(1), cube = talus_box({1, 1, 1});
    TalusTransform pose = talus_transform();
    pose.position.x = 5;
    const TalusSeparation apart = talus_separation(&ball, &cube, pose);
    CHECK(apart.valid);
    CHECK(apart.separation == doctest::Approx(3));
    CHECK(apart.normal.x == doctest::Approx(1));
    pose.rotation = {0, 0, 0, 0};
    CHECK_FALSE(talus_separation(&ball, &cube, pose).valid);
    CHECK_FALSE(talus_separation(nullptr, &cube, talus_transform()).valid);
    const TalusShapeHit ray = talus_shape_ray_cast(&cube, {-5, 0, 0}, {10, 0, 0});
    CHECK(ray.hit);
    CHECK(ray.fraction == doctest::Approx(0.4f));
    CHECK(ray.point.x == doctest::Approx(-1));
    pose = talus_transform();
    pose.position.x = -5;
    const TalusShapeHit cast = talus_shape_shape_cast(&cube, &ball, pose, {10, 0, 0});
    CHECK(cast.hit);
    CHECK(cast.fraction == doctest::Approx(0.3f));
    CHECK(talus_shape_mass_properties(&cube, 1000).mass == doctest::Approx(8000));
    CHECK(talus_shape_bounding_radius(&ball) >= 1);
    CHECK(talus_shape_thickness(&cube) == doctest::Approx(2));
    CHECK(talus_shape_is_solid(&cube));
    CHECK(talus_shape_bounds(&cube).upper.x == 1);
    TalusError error;
    const TalusShape bad = talus_box({1, -1, 1});
    CHECK_FALSE(talus_check_shape(&bad, &error));
    CHECK(error.code == TALUS_BAD_SIZE);
    CHECK(talus_check_shape(&cube, &error));
    CHECK(error.code == TALUS_NO_ERROR);
}

TEST_CASE("a contact modifier in C lets bodies pass, in copies of the world, too") {
    struct Count {
        int calls = 0;
    } count;
    const Owned world;
    TalusBodyDef ground = body(talus_box({50, 1, 50}), {0, -1, 0}, TALUS_FIXED);
    ground.modify_contacts = true;
    talus_world_add_body(world, &ground);
    const TalusBodyDef ball = body(talus_sphere(0.5f), {0, 0.6, 0});
    const TalusBodyId id = talus_world_add_body(world, &ball);
    CHECK(talus_world_set_contact_modifier(
        world,
        [](TalusContactModification* contact, void* user) {
            ++static_cast<Count*>(user)->calls;
            contact->enabled = false;
        },
        &count));
    const Owned copy(talus_world_clone(world, nullptr));
    for (int i = 0; i < 60; ++i) talus_world_step(world, dt, nullptr);
    CHECK(count.calls > 0);
    CHECK(talus_world_position(world, id).y < -2);
    count.calls = 0;
    for (int i = 0; i < 60; ++i) talus_world_step(copy, dt, nullptr);
    CHECK(count.calls > 0);
    CHECK(talus_world_hash(copy) == talus_world_hash(world));
    CHECK(talus_world_set_contact_modifier(copy, nullptr, nullptr));
}

TEST_CASE("an exception of a C++ caller's modifier does not leave the C API") {
    const Owned world;
    TalusBodyDef ground = body(talus_box({50, 1, 50}), {0, -1, 0}, TALUS_FIXED);
    ground.modify_contacts = true;
    talus_world_add_body(world, &ground);
    const TalusBodyDef ball = body(talus_sphere(0.5f), {0, 0.45, 0});
    talus_world_add_body(world, &ball);
    talus_world_set_contact_modifier(
        world, [](TalusContactModification*, void*) { throw 1; }, nullptr);
    CHECK_FALSE(talus_world_step(world, dt, nullptr));
    CHECK(error_of(world) == "a function that the caller passed has thrown");
    const Owned fresh;
    CHECK(talus_world_assign(world, fresh));  // what may still be done with it
    CHECK(talus_world_step(world, dt, nullptr));
}

TEST_CASE("events, contacts and drawing reach C") {
    const Owned world;
    TalusBodyDef ground = body(talus_box({50, 1, 50}), {0, -1, 0}, TALUS_FIXED);
    ground.hit_events = true;
    talus_world_add_body(world, &ground);
    const TalusBodyDef ball = body(talus_sphere(0.5f), {0, 2, 0});
    const TalusBodyId id = talus_world_add_body(world, &ball);
    std::size_t begun = 0, hits = 0;
    for (int i = 0; i < 60; ++i) {
        talus_world_step(world, dt, nullptr);
        TalusContactEvent event;
        if (talus_world_contacts_begun(world, &event, 1) > 0) {
            ++begun;
            CHECK((event.body_a == id || event.body_b == id));
        }
        TalusHitEvent hit;
        if (talus_world_contacts_hit(world, &hit, 1) > 0 && hits++ == 0) CHECK(hit.approach_speed > 5);
    }
    CHECK(begun == 1);
    CHECK(hits > 0);
    TalusContact contact;
    CHECK(talus_world_contacts_of(world, id, &contact, 1) == 1);
    CHECK(contact.point_count == 1);
    CHECK(std::abs(contact.points[0].position.y) < 0.01);
    TalusPairInfo pair;
    CHECK(talus_world_pairs(world, &pair, 1) == 1);
    CHECK(std::string(talus_rung_name(pair.rung)).size() > 0);
    CHECK(talus_rung_name(TALUS_RUNG_COUNT) == nullptr);

    struct Figures {
        int lines = 0, points = 0;
    } figures;
    TalusDebugDraw draw{};
    draw.user = &figures;
    draw.line = [](void* user, TalusDVec3, TalusDVec3, TalusColor) { ++static_cast<Figures*>(user)->lines; };
    draw.point = [](void* user, TalusDVec3, float, TalusColor) { ++static_cast<Figures*>(user)->points; };
    TalusDebugDrawOptions options = talus_debug_draw_options();
    CHECK(talus_world_draw(world, &draw, &options));
    CHECK(figures.lines == 0);
    options.outlines = options.contact_points = true;
    CHECK(talus_world_draw(world, &draw, &options));
    CHECK(figures.lines > 12);
    CHECK(figures.points == 1);
    options.outline_color = 9;
    CHECK_FALSE(talus_world_draw(world, &draw, &options));
}

TEST_CASE("meshes, hulls, superellipsoids, sums and the clock of the C API") {
    const TalusVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t indices[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    TalusMeshDef def = talus_mesh_def();
    def.vertices = vertices;
    def.vertex_count = 4;
    def.indices = indices;
    def.index_count = 12;
    TalusMesh* mesh = talus_mesh_create(&def, nullptr);
    REQUIRE(mesh != nullptr);
    CHECK(talus_mesh_size(mesh) == 4);
    CHECK(talus_mesh_bounds(mesh).upper.z == 1);
    TalusVec3 corners[3];
    for (uint32_t i = 0; i < 4; ++i) CHECK(talus_mesh_triangle(mesh, i, corners) < 4);
    CHECK(talus_mesh_triangle(mesh, 4, corners) == 0);
    CHECK(corners[1].x == 0);
    TalusMassProperties properties;
    CHECK(talus_mesh_mass_properties(&def, 600, &properties, nullptr));
    CHECK(properties.mass == doctest::Approx(100));
    def.index_count = 9;  // not closed
    TalusError error;
    CHECK_FALSE(talus_mesh_mass_properties(&def, 600, &properties, &error));
    CHECK(error.code != TALUS_NO_ERROR);
    talus_mesh_release(mesh);

    TalusHull* hull = talus_hull_create(vertices, 4, nullptr);
    CHECK(talus_hull_volume(hull) == doctest::Approx(1.0f / 6));
    TalusVec3 points[4];
    CHECK(talus_hull_vertices(hull, points, 4) == 4);
    uint32_t faces[16];
    CHECK(talus_hull_faces(hull, faces, 16) == 16);
    CHECK(faces[0] == 3);
    talus_hull_release(hull);
    CHECK(talus_hull_create(vertices, 3, &error) == nullptr);
    CHECK(std::strlen(error.message) > 0);

    // The sum keeps its parts. An octahedron of half axes 1 has the volume 4/3.
    TalusMapping* octahedron = talus_superellipsoid_create({1, 1, 1}, 1, 1, nullptr);
    REQUIRE(octahedron != nullptr);
    TalusShape shape = talus_mapping(octahedron);
    CHECK(shape.type == TALUS_SUPERELLIPSOID);
    CHECK(shape.half_extents.y == 1);
    CHECK(talus_shape_mass_properties(&shape, 3).mass == doctest::Approx(4).epsilon(1e-3));
    const TalusShape slab = talus_box({1, 0.5f, 1});
    TalusMapping* sum = talus_convex_sum_create(&shape, &slab, nullptr);
    REQUIRE(sum != nullptr);
    shape.radius = 0.5f;
    CHECK_FALSE(talus_check_shape(&shape, &error));
    shape.radius = 0;
    shape.type = TALUS_CONVEX_SUM;  // of which it is none
    CHECK_FALSE(talus_check_shape(&shape, &error));
    talus_mapping_release(octahedron);
    shape = talus_mapping(sum);
    CHECK(shape.type == TALUS_CONVEX_SUM);
    CHECK(talus_shape_bounds(&shape).upper.y == doctest::Approx(1.5f));
    CHECK(talus_separation(&shape, &slab, {{0, 3, 0}, {0, 0, 0, 1}}).separation == doctest::Approx(1));
    talus_mapping_release(sum);
    CHECK(talus_superellipsoid_create({1, 1, 1}, 0.5f, 2, &error) == nullptr);
    CHECK(error.code == TALUS_BAD_ARGUMENT);
    const TalusShape flat = talus_segment({0, 0, 0}, {1, 0, 0}, 0);
    CHECK(talus_convex_sum_create(&flat, &flat, &error) == nullptr);
    CHECK(talus_convex_sum_create(&slab, nullptr, &error) == nullptr);
    talus_mapping_release(nullptr);

    TalusFixedStep* clock = talus_fixed_step_create(dt, 4);
    CHECK(talus_fixed_step_advance(clock, 1.5 * dt) == 1);
    CHECK(talus_fixed_step_alpha(clock) == doctest::Approx(0.5f));
    CHECK(talus_fixed_step_advance(clock, 1.0) == 4);
    CHECK(talus_fixed_step_dropped_seconds(clock) > 0.9);
    CHECK(talus_fixed_step_dt(clock) == dt);
    talus_fixed_step_destroy(clock);
    CHECK(std::string(talus_version()) == "0.2.0");
}
