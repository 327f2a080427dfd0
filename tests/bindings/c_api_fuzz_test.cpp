// Every function of the C API is called with nonsense: NaN, infinities, huge and negative numbers, stale handles, NULL,
// structures of random bytes. No call may crash, and the world must go on.

#include <talus/c/talus.h>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

namespace {

/// Makes arguments of any type that the C API takes.
class Nonsense {
public:
    explicit Nonsense(unsigned seed) : random_(seed) {
        hull = talus_hull_create(corners, 4, nullptr);
        mapping = talus_superellipsoid_create({1, 2, 1}, 2, 4, nullptr);
        mesh_def.vertices = corners;
        mesh_def.vertex_count = 4;
        mesh_def.indices = indices;
        mesh_def.index_count = 12;
        mesh = talus_mesh_create(&mesh_def, nullptr);
        pool = talus_thread_pool_create(1, nullptr);
        assets = talus_assets_create();
        clock = talus_fixed_step_create(1.0f / 60.0f, 4);
        renew();
    }
    ~Nonsense() {
        talus_world_destroy(world);
        talus_hull_release(hull);
        talus_mapping_release(mapping);
        talus_mesh_release(mesh);
        talus_thread_pool_destroy(pool);
        talus_assets_destroy(assets);
        talus_fixed_step_destroy(clock);
    }
    Nonsense(const Nonsense&) = delete;
    Nonsense& operator=(const Nonsense&) = delete;

    /// Begins with a new world of a few bodies and joints.
    void renew() {
        talus_world_destroy(world);
        world = talus_world_create(nullptr, nullptr);
        TalusBodyDef ground = talus_body_def();
        ground.type = TALUS_FIXED;
        ground.mesh = mesh;
        bodies[0] = talus_world_add_body(world, &ground);
        for (int i = 1; i < 6; ++i) {
            TalusBodyDef ball = talus_body_def();
            ball.shape = i % 2 == 0 ? talus_hull(hull) : talus_sphere(0.5f);
            ball.position = {0.3 * i, 1.0 * i, 0};
            bodies[i] = talus_world_add_body(world, &ball);
        }
        for (int i = 0; i < 4; ++i) {
            TalusJointDef joint = talus_joint_def(i);
            joint.frames =
                talus_world_joint_frames(world, bodies[i + 1], bodies[i + 2], {0.3 * i, 1.0 * i, 0}, {1, 0, 0});
            joints[i] = talus_world_add_joint(world, &joint);
        }
        talus_world_remove_body(world, bodies[5]);  // stale, and so is a joint
        talus_world_step(world, 1.0f / 60.0f, nullptr);
    }

    std::uint32_t number(std::uint32_t end) { return static_cast<std::uint32_t>(random_()) % end; }

    template <class T>
    T make() {
        using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
        if constexpr (std::is_pointer_v<T>) {
            if (number(8) == 0) return nullptr;
            if constexpr (std::is_same_v<Target, TalusWorld>)
                return world;
            else if constexpr (std::is_same_v<Target, TalusHull>)
                return hull;
            else if constexpr (std::is_same_v<Target, TalusMapping>)
                return mapping;
            else if constexpr (std::is_same_v<Target, TalusMesh>)
                return mesh;
            else if constexpr (std::is_same_v<Target, TalusThreadPool>)
                return pool;
            else if constexpr (std::is_same_v<Target, TalusAssets>)
                return assets;
            else if constexpr (std::is_same_v<Target, TalusFixedStep>)
                return clock;
            else if constexpr (std::is_same_v<Target, char>)
                return "name";
            else if constexpr (std::is_const_v<std::remove_pointer_t<T>>)
                return list<Target>();
            else
                return room<Target>();
        } else if constexpr (std::is_same_v<T, std::size_t> || std::is_same_v<T, std::uint64_t>) {
            return number(few + 1);  // a count, mostly; as a handle it is stale
        } else if constexpr (std::is_arithmetic_v<T>) {
            return scalar<T>();
        } else {
            return structure<T>();
        }
    }
    std::uint64_t handle() {
        switch (number(5)) {
            case 0:
                return 0;
            case 1:
                return ~std::uint64_t{0} - number(3);
            case 2:
                return joints[number(4)];
            default:
                return bodies[number(6)];
        }
    }

    static constexpr std::uint32_t few = 4;  // elements that lists have
    TalusWorld* world = nullptr;
    TalusBodyId bodies[6]{};
    TalusJointId joints[4]{};

private:
    template <class T>
    T scalar() {
        if constexpr (std::is_same_v<T, bool>) {
            return number(2) == 0;
        } else if constexpr (std::is_floating_point_v<T>) {
            const T values[] = {0,
                                1,
                                -1,
                                T(0.5),
                                T(1e-30),
                                T(-1e30),
                                std::numeric_limits<T>::max(),
                                std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::infinity(),
                                -std::numeric_limits<T>::infinity()};
            return values[number(10)];
        } else {
            const T values[] = {0, 1, 2, 6, 7, 9, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
            return values[number(8)];
        }
    }
    /// Floats of nonsense in most words, small integers in others. Pointers in it are NULL, a size is right or wrong.
    template <class T>
    T structure() {
        T value;
        unsigned char bytes[sizeof(T)];
        for (std::size_t i = 0; i + 4 <= sizeof(T); i += 4) {
            const float f = scalar<float>();
            const std::int32_t n = static_cast<std::int32_t>(number(4)) - 1;
            if (number(3) != 0) {
                std::memcpy(bytes + i, &f, 4);
            } else {
                std::memcpy(bytes + i, &n, 4);
            }
        }
        std::memcpy(static_cast<void*>(&value), bytes, sizeof(T) / 4 * 4);
        tame(value);
        return value;
    }
    template <class T>
    void tame(T& value) {
        if constexpr (requires { value.size; }) value.size = number(4) == 0 ? number(400) : sizeof(T);
        if constexpr (requires { value.hull; }) value.hull = number(2) == 0 ? hull : nullptr;
        if constexpr (requires { value.shape.hull; }) value.shape.hull = number(2) == 0 ? hull : nullptr;
        if constexpr (requires { value.mapping; }) value.mapping = number(2) == 0 ? mapping : nullptr;
        if constexpr (requires { value.shape.mapping; }) value.shape.mapping = number(2) == 0 ? mapping : nullptr;
        if constexpr (requires { value.mesh; }) value.mesh = number(2) == 0 ? mesh : nullptr;
        if constexpr (requires { value.mesh_materials; }) {
            value.mesh_materials = nullptr;
            value.mesh_material_count = number(3);
        }
        if constexpr (requires {
                          value.shapes;
                          value.shape_count;
                      }) {
            value.shapes = nullptr;
            value.shape_count = number(2);
            value.mass_properties = nullptr;
        }
        if constexpr (requires { value.frames; }) {
            value.frames.body_a = handle();
            value.frames.body_b = handle();
        }
        if constexpr (requires { value.run; }) {
            value.run = nullptr;
            value.threads = static_cast<std::int32_t>(number(3)) - 1;
        }
        if constexpr (requires { value.vertices; }) {
            value = mesh_def;
            value.index_count = number(13);
            value.vertex_count = number(5);
        }
        if constexpr (requires { value.heights; }) {
            value.heights = number(2) == 0 ? nullptr : heights;
            value.holes = number(2) == 0 ? nullptr : holes;
            value.materials = nullptr;
            value.columns = value.rows = number(3);
        }
    }
    /// Elements that live until the next call.
    template <class T>
    const T* list() {
        static T elements[few];
        for (T& element : elements) {
            if constexpr (std::is_same_v<T, std::uint64_t>) {
                element = handle();
            } else if constexpr (std::is_arithmetic_v<T>) {
                element = scalar<T>();
            } else {
                element = structure<T>();
            }
        }
        return elements;
    }
    template <class T>
    static T* room() {
        static T elements[16 * few];
        return elements;
    }

    static constexpr TalusVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static constexpr uint32_t indices[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static constexpr float heights[4] = {};
    static constexpr uint8_t holes[1] = {};
    std::minstd_rand random_;
    TalusMeshDef mesh_def = talus_mesh_def();
    TalusHull* hull = nullptr;
    TalusMapping* mapping = nullptr;
    TalusMesh* mesh = nullptr;
    TalusThreadPool* pool = nullptr;
    TalusAssets* assets = nullptr;
    TalusFixedStep* clock = nullptr;
};

/// Handles come second in most functions; after that, 64 bits are a count.
template <class... A>
constexpr bool has_handle = false;
template <class World, class... A>
constexpr bool has_handle<World, std::uint64_t, A...> =
    std::is_same_v<std::remove_cv_t<std::remove_pointer_t<World>>, TalusWorld>;

void call_all(Nonsense& nonsense) {
    const auto call = [&]<class R, class... A>(R (*function)(A...)) {
        if constexpr (has_handle<A...>) {
            [&]<class World, class... Rest>(R (*f)(World, std::uint64_t, Rest...)) {
                f(nonsense.make<World>(), nonsense.handle(), nonsense.make<Rest>()...);
            }(function);
        } else {
            function(nonsense.make<A>()...);
        }
    };
    call(talus_version);
    call(talus_transform);
    call(talus_world_transform);
    call(talus_sphere);
    call(talus_capsule);
    call(talus_box);
    call(talus_cylinder);
    call(talus_cone);
    call(talus_hull);
    call(talus_mapping);
    call(talus_segment);
    call(talus_triangle);
    call(talus_check_shape);
    call(talus_shape_bounds);
    call(talus_shape_bounding_radius);
    call(talus_shape_thickness);
    call(talus_shape_is_solid);
    call(talus_shape_mass_properties);
    call(talus_hull_volume);
    call(talus_hull_vertices);
    call(talus_hull_faces);
    call(talus_mesh_def);
    call(talus_height_field_def);
    call(talus_mesh_bounds);
    call(talus_mesh_size);
    call(talus_mesh_triangle);
    call(talus_mesh_mass_properties);
    call(talus_separation);
    call(talus_shape_ray_cast);
    call(talus_shape_shape_cast);
    call(talus_filter);
    call(talus_material);
    call(talus_shape_def);
    call(talus_body_def);
    call(talus_joint_def);
    call(talus_world_def);
    call(talus_world_assign);
    call(talus_world_last_error);
    call(talus_world_clear_error);
    call(talus_thread_pool_jobs);
    call(talus_world_step);
    call(talus_world_add_body);
    call(talus_world_add_bodies);
    call(talus_world_remove_body);
    call(talus_world_is_valid_body);
    call(talus_world_position);
    call(talus_world_rotation);
    call(talus_world_body_transform);
    call(talus_world_center_of_mass);
    call(talus_world_linear_velocity);
    call(talus_world_angular_velocity);
    call(talus_world_mass);
    call(talus_world_inertia);
    call(talus_world_type);
    call(talus_world_is_awake);
    call(talus_world_user_data);
    call(talus_world_bounds);
    call(talus_world_gravity_scale);
    call(talus_world_locks);
    call(talus_world_linear_damping);
    call(talus_world_angular_damping);
    call(talus_world_max_speed);
    call(talus_world_max_spin);
    call(talus_world_force);
    call(talus_world_torque);
    call(talus_world_shape_count);
    call(talus_world_read_poses);
    call(talus_world_read_velocities);
    call(talus_world_set_transform);
    call(talus_world_set_linear_velocity);
    call(talus_world_set_angular_velocity);
    call(talus_world_set_gravity_scale);
    call(talus_world_set_locks);
    call(talus_world_set_damping);
    call(talus_world_set_kinematic_target);
    call(talus_world_set_speed_limits);
    call(talus_world_set_continuous);
    call(talus_world_set_shapes);
    call(talus_world_set_shape);
    call(talus_world_set_material);
    call(talus_world_set_filter);
    call(talus_world_set_type);
    call(talus_world_set_mass);
    call(talus_world_set_mass_properties);
    call(talus_world_set_user_data);
    call(talus_world_set_awake);
    call(talus_world_apply_force);
    call(talus_world_apply_force_at);
    call(talus_world_apply_torque);
    call(talus_world_apply_impulse);
    call(talus_world_apply_impulse_at);
    call(talus_world_apply_angular_impulse);
    call(talus_world_set_gravity);
    call(talus_world_gravity);
    call(talus_world_settings);
    call(talus_world_set_settings);
    call(talus_world_set_allow_sleep);
    call(talus_world_set_hit_speed);
    call(talus_world_add_joint);
    call(talus_world_remove_joint);
    call(talus_world_is_valid_joint);
    call(talus_world_joint_frames);
    call(talus_world_describe_joint);
    call(talus_world_kind);
    call(talus_world_frames);
    call(talus_world_body_a);
    call(talus_world_body_b);
    call(talus_world_joint_user_data);
    call(talus_world_joint_coordinate);
    call(talus_world_joint_speed);
    call(talus_world_joint_force);
    call(talus_world_joint_torque);
    call(talus_world_joint_motor_force);
    call(talus_world_joint_stiffness);
    call(talus_world_set_joint_limit);
    call(talus_world_set_joint_motor);
    call(talus_world_set_joint_spring);
    call(talus_world_set_joint_cone);
    call(talus_world_set_joint_drive);
    call(talus_world_set_joint_break);
    call(talus_world_set_joint_collide_connected);
    call(talus_world_joint_limit);
    call(talus_world_joint_motor);
    call(talus_world_joint_spring);
    call(talus_world_joint_cone);
    call(talus_world_joint_drive);
    call(talus_world_joints_of);
    call(talus_world_joints);
    call(talus_world_joint_count);
    call(talus_world_ray_cast);
    call(talus_world_ray_cast_any);
    call(talus_world_ray_cast_all);
    call(talus_world_ray_casts);
    call(talus_world_shape_cast);
    call(talus_world_shape_cast_any);
    call(talus_world_shape_cast_all);
    call(talus_world_shape_casts);
    call(talus_world_overlap_shape);
    call(talus_world_overlap_box);
    call(talus_world_overlap_point);
    call(talus_world_overlap_any_shape);
    call(talus_world_overlap_any_box);
    call(talus_world_overlap_any_point);
    call(talus_world_nearest);
    call(talus_world_contacts_begun);
    call(talus_world_contacts_ended);
    call(talus_world_contacts_hit);
    call(talus_world_moved_bodies);
    call(talus_world_moved_poses);
    call(talus_world_joints_broken);
    call(talus_world_contacts_of);
    call(talus_world_contacts);
    call(talus_world_pairs);
    call(talus_world_island);
    call(talus_world_bodies);
    call(talus_world_body_count);
    call(talus_world_awake_body_count);
    call(talus_world_hash);
    call(talus_rung_name);
    call(talus_world_profile);
    call(talus_world_memory);
    call(talus_assets_add_hull);
    call(talus_assets_add_mesh);
    call(talus_debug_draw_options);
    call(talus_fixed_step_advance);
    call(talus_fixed_step_dt);
    call(talus_fixed_step_alpha);
    call(talus_fixed_step_dropped_seconds);
    TalusBodyDef* described = talus_world_describe_body(nonsense.make<TalusWorld*>(), nonsense.handle());
    talus_body_def_free(described);
    const std::uint8_t junk[16] = {'t', 'a', 'l', 'u', 's', 1, 2, 3};
    talus_world_destroy(talus_world_load(junk, nonsense.number(17), nullptr, nonsense.make<TalusError*>()));
    talus_bytes_free(talus_world_save_changes(nonsense.world, junk, nonsense.number(17), nullptr, nullptr));
    talus_bytes_free(talus_world_apply_changes(junk, nonsense.number(17), junk, nonsense.number(17), nullptr));
    talus_bytes_free(talus_world_save(nullptr, nullptr, nonsense.make<TalusError*>()));
    talus_world_destroy(talus_world_create(nonsense.make<const TalusWorldDef*>(), nonsense.make<TalusError*>()));
    talus_world_destroy(talus_world_clone(nonsense.make<const TalusWorld*>(), nonsense.make<TalusError*>()));
    const auto* points = nonsense.make<const TalusVec3*>();
    talus_hull_release(talus_hull_create(points, nonsense.number(5), nonsense.make<TalusError*>()));
    if (nonsense.number(8) == 0) {  // they take milliseconds
        talus_mapping_release(talus_superellipsoid_create(nonsense.make<TalusVec3>(), nonsense.make<float>(),
                                                          nonsense.make<float>(), nonsense.make<TalusError*>()));
        const auto *a = nonsense.make<const TalusShape*>(), *b = nonsense.make<const TalusShape*>();
        talus_mapping_release(talus_convex_sum_create(a, b, nonsense.make<TalusError*>()));
    }
    talus_mesh_release(talus_mesh_create(nonsense.make<const TalusMeshDef*>(), nonsense.make<TalusError*>()));
    const auto* field = nonsense.make<const TalusHeightFieldDef*>();
    talus_mesh_release(talus_height_field_create(field, nonsense.make<TalusError*>()));
    talus_fixed_step_destroy(talus_fixed_step_create(nonsense.make<float>(), nonsense.make<std::int32_t>()));
    const TalusDebugDraw draw{};
    talus_world_draw(nonsense.world, &draw, nonsense.make<const TalusDebugDrawOptions*>());
}

}  // namespace

TEST_CASE("nonsense in every function of the C API crashes nothing") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        Nonsense nonsense(seed);
        for (int i = 0; i < 20; ++i) call_all(nonsense);
        // Whatever was accepted, the world can be left, assigned to, and go on.
        nonsense.renew();
        CHECK(talus_world_step(nonsense.world, 1.0f / 60.0f, nullptr));
        CHECK(talus_world_body_count(nonsense.world) == 5);
    }
}

TEST_CASE("worlds of the C API are made and destroyed again and again in the same memory") {
    std::size_t first = 0;
    for (int i = 0; i < 200; ++i) {  // each with its 1,000 bodies; the shapes share a hull
        TalusWorld* world = talus_world_create(nullptr, nullptr);
        const TalusVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        TalusHull* hull = talus_hull_create(corners, 4, nullptr);
        for (int b = 0; b < 1000; ++b) {
            TalusBodyDef def = talus_body_def();
            def.shape = b % 2 == 0 ? talus_hull(hull) : talus_box({0.5f, 0.5f, 0.5f});
            def.position = {2.0 * (b % 10), 2.0 * (b / 100), 2.0 * (b / 10 % 10)};
            talus_world_add_body(world, &def);
        }
        talus_hull_release(hull);
        talus_world_step(world, 1.0f / 60.0f, nullptr);
        const std::size_t memory = talus_world_memory(world).total;
        if (i == 0) first = memory;
        REQUIRE(memory == first);
        talus_world_destroy(world);
    }
}
