#include "profiling/bench/scenes/bullet_scene.h"

#include "profiling/bench/measure.h"

#include <talus/narrowphase/triangles/triangle_set.h>

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <variant>

namespace talus::profiling {

namespace {

btVector3 to_bullet(const vec3& v) { return {v.x, v.y, v.z}; }
btVector3 to_bullet(const dvec3& v) { return to_bullet(vec3(v)); }
btQuaternion to_bullet(const quat& q) { return {q.x, q.y, q.z, q.w}; }
constexpr float pi = 3.14159265f;
vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
    const vec3& h = shape.half_extents;
    switch (shape.type) {
        case ShapeType::sphere:
            return std::make_unique<btSphereShape>(shape.radius);
        case ShapeType::capsule:
            return std::make_unique<btCapsuleShape>(shape.radius, 2.0f * h.y);
        case ShapeType::box:
            if (shape.radius > 0.0f) {
                auto rounded = std::make_unique<btConvexHullShape>();
                for (int i = 0; i < 8; ++i)
                    rounded->addPoint({i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z}, false);
                rounded->recalcLocalAabb();
                rounded->setMargin(shape.radius);
                return rounded;
            }
            return std::make_unique<btBoxShape>(to_bullet(h));
        case ShapeType::cylinder:
            return std::make_unique<btCylinderShape>(to_bullet(h));
        case ShapeType::cone:
            return std::make_unique<btConeShape>(h.x, 2.0f * h.y);
        case ShapeType::hull: {
            auto hull = std::make_unique<btConvexHullShape>();
            for (const vec3& v : shape.hull->vertices) hull->addPoint(to_bullet(v), false);
            hull->recalcLocalAabb();
            if (shape.radius > 0.0f) hull->setMargin(shape.radius);
            return hull;
        }
        case ShapeType::mapping:
            break;  // noted as missing
        case ShapeType::segment:
        case ShapeType::triangle: {
            auto hull = std::make_unique<btConvexHullShape>();
            for (int i = 0; i < (shape.type == ShapeType::segment ? 2 : 3); ++i)
                hull->addPoint(to_bullet(shape.points[i]), false);
            hull->recalcLocalAabb();
            hull->setMargin(shape.radius);
            return hull;
        }
    }
    return nullptr;
}

btTransform to_bullet(const Transform& t) { return btTransform(to_bullet(t.rotation), to_bullet(t.position)); }

/// What Bullet's allocator has handed out and not got back, bytes: each block is preceded by its size.
std::size_t live_bytes = 0;

void* counted_allocate(std::size_t size) {
    constexpr std::size_t header = alignof(std::max_align_t);
    auto* block = static_cast<char*>(std::malloc(size + header));
    if (block == nullptr) return nullptr;
    *reinterpret_cast<std::size_t*>(block) = size;
    live_bytes += size;
    return block + header;
}

void counted_free(void* block) {
    if (block == nullptr) return;
    char* start = static_cast<char*>(block) - alignof(std::max_align_t);
    live_bytes -= *reinterpret_cast<std::size_t*>(start);
    std::free(start);
}

/// Before the first block is handed out; gives what is live.
std::size_t count_allocations() {
    static const bool once = (btAlignedAllocSetCustom(counted_allocate, counted_free), true);
    static_cast<void>(once);
    return live_bytes;
}

/// Bullet's dispatcher, which also says how long it took.
class TimedDispatcher : public btCollisionDispatcher {
public:
    using btCollisionDispatcher::btCollisionDispatcher;

    double milliseconds = 0.0;  ///< of the last call

    void dispatchAllCollisionPairs(btOverlappingPairCache* pairs, const btDispatcherInfo& info,
                                   btDispatcher* self) override {
        milliseconds = 1e-6 * time_of(1, [&] { btCollisionDispatcher::dispatchAllCollisionPairs(pairs, info, self); });
    }
};

/// Bullet's world, which also says how long it told its broadphase about the boxes, had it look for pairs, and solved.
class TimedWorld : public btDiscreteDynamicsWorld {
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

    double boxes_ms = 0.0, pairs_ms = 0.0, solve_ms = 0.0;  ///< of the last call

    void updateAabbs() override {
        boxes_ms = 1e-6 * time_of(1, [&] { btDiscreteDynamicsWorld::updateAabbs(); });
    }
    void computeOverlappingPairs() override {
        pairs_ms = 1e-6 * time_of(1, [&] { btDiscreteDynamicsWorld::computeOverlappingPairs(); });
    }
    void solveConstraints(btContactSolverInfo& info) override {
        solve_ms = 1e-6 * time_of(1, [&] { btDiscreteDynamicsWorld::solveConstraints(info); });
    }
};

// ---- What BulletScene leaves out ----------------------------------------------------------------------------------------

/// Kinds of things that are missing, each with the first body or joint that has one.
class Missing {
public:
    void note(bool found, const char* what, const char* of, std::size_t number) {
        if (!found || std::find(kinds_.begin(), kinds_.end(), what) != kinds_.end()) return;
        kinds_.emplace_back(what);
        text_ += (text_.empty() ? "" : ", ") + kinds_.back() + " (first: " + of + " " + std::to_string(number) + ")";
    }
    Error error() const {
        if (text_.empty()) return {};
        return {ErrorCode::bad_argument, "Bullet's world would lack " + text_};
    }

private:
    std::vector<std::string> kinds_;
    std::string text_;
};

bool is_set(const JointMotor& motor) { return motor.max_force > 0.0f; }
bool is_set(const JointSpring& spring) { return spring.hertz > 0.0f; }
bool is_set(const JointDrive& drive) { return drive.max_force > 0.0f || drive.max_torque > 0.0f; }

void note_missing(Missing& missing, const ShapeDef& shape, std::size_t body) {
    const Material &m = shape.material, plain;
    const auto note = [&](bool found, const char* what) { missing.note(found, what, "body", body); };
    note(shape.filter != Filter{}, "collision filters");
    note(shape.shape.type == ShapeType::mapping, "support mappings");
    note(shape.sensor, "sensors");
    note(shape.modify_contacts, "contact modifiers");
    note(m.surface_velocity != vec3(0.0f), "surface velocities of belts");
    note(m.rolling_resistance != plain.rolling_resistance, "rolling resistance");
    note(m.grip_axis != vec3(0.0f), "friction that depends on direction");
}

void note_missing(Missing& missing, const BodyDef& body, std::size_t number) {
    for (const ShapeDef& shape : body.shapes) note_missing(missing, shape, number);
    if (body.shapes.empty()) {
        ShapeDef only;
        only.shape = body.shape;
        only.material = body.material;
        only.filter = body.filter;
        only.sensor = body.sensor;
        only.modify_contacts = body.modify_contacts;
        note_missing(missing, only, number);
    }
    const auto note = [&](bool found, const char* what) { missing.note(found, what, "body", number); };
    note(body.mass_properties.has_value(), "given mass properties");
    note(body.locks != 0, "locked axes");
    note(body.max_speed < unlimited || body.max_spin < unlimited, "speed limits");
    note(body.continuous == Continuous::all, "continuous collision with dynamic bodies");
}

void note_missing(Missing& missing, const JointOptions& options, std::size_t joint) {
    missing.note(options.break_force < unlimited || options.break_torque < unlimited, "joints that break", "joint",
                 joint);
}
void note_missing(Missing& missing, const BallDef& def, std::size_t joint) {
    note_missing(missing, def.options, joint);
    missing.note(is_set(def.drive), "drives of balls", "joint", joint);
    missing.note(def.twist.lower != -def.twist.upper, "twist limits that are not symmetric", "joint", joint);
}
void note_missing(Missing& missing, const HingeDef& def, std::size_t joint) {
    note_missing(missing, def.options, joint);
    missing.note(is_set(def.spring), "springs of hinges", "joint", joint);
    missing.note((def.limit.lower > -unlimited) != (def.limit.upper < unlimited), "one-sided limits of hinges", "joint",
                 joint);
}
void note_missing(Missing& missing, const SliderDef& def, std::size_t joint) {
    note_missing(missing, def.options, joint);
    missing.note(is_set(def.motor) || is_set(def.spring), "motors and springs of sliders", "joint", joint);
}
void note_missing(Missing& missing, const FixedDef& def, std::size_t joint) {
    note_missing(missing, def.options, joint);
    missing.note(def.linear_hertz > 0.0f || def.angular_hertz > 0.0f, "soft welds", "joint", joint);
}
void note_missing(Missing& missing, const DistanceDef& def, std::size_t joint) {
    note_missing(missing, def.options, joint);
    missing.note(def.length.lower != def.length.upper, "ropes and springs between two points", "joint", joint);
    missing.note(is_set(def.motor) || is_set(def.spring), "winches", "joint", joint);
}
void note_missing(Missing& missing, const SixDofDef&, std::size_t joint) {
    missing.note(true, "joints of six axes", "joint", joint);
}
void note_missing(Missing& missing, const WheelDef&, std::size_t joint) {
    missing.note(true, "wheels", "joint", joint);
}
void note_missing(Missing& missing, const GearDef&, std::size_t joint) { missing.note(true, "gears", "joint", joint); }
void note_missing(Missing& missing, const MotorDef&, std::size_t joint) {
    missing.note(true, "motors", "joint", joint);
}

}  // namespace

struct BulletScene::State {
    std::size_t bytes_before = count_allocations();
    btDefaultCollisionConfiguration configuration;
    TimedDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    TimedWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btTriangleMesh>> meshes;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::vector<vec3> center;  ///< Bullet's origin, the centre of mass, in the scene's body frame
    std::function<vec3(int)> gravity_at;
    std::function<void(samples::SceneBodies&, int)> act;
    float dt = samples::scene_dt;

    /// A joint's frame on its body, in Bullet's body frame.
    btTransform frame(std::size_t body, const Transform& in_body) const {
        return to_bullet(Transform{in_body.position - center[body], in_body.rotation});
    }

    void add(const samples::SceneJoint& joint) {
        btRigidBody &a = *bodies[joint.a], &b = *bodies[joint.b];
        std::visit(
            [&]<class Def>(const Def& def) {
                if constexpr (!std::is_same_v<Def, GearDef>) {
                    const btTransform on_a = frame(joint.a, def.frames.frame_a),
                                      on_b = frame(joint.b, def.frames.frame_b);
                    joints.push_back(make_joint(def, a, b, on_a, on_b));
                    world.addConstraint(joints.back().get(), !def.options.collide_connected);
                }
            },
            joint.def);
    }

    std::unique_ptr<btTypedConstraint> make_joint(const BallDef& def, btRigidBody& a, btRigidBody& b,
                                                  const btTransform& on_a, const btTransform& on_b) const {
        if (def.cone == unlimited && def.twist.upper == unlimited)
            return std::make_unique<btPoint2PointConstraint>(a, b, on_a.getOrigin(), on_b.getOrigin());
        auto ball = std::make_unique<btConeTwistConstraint>(a, b, on_a, on_b);  // about x, as ours
        ball->setLimit(def.cone, def.cone, std::min(def.twist.upper, pi));
        return ball;
    }
    std::unique_ptr<btTypedConstraint> make_joint(const HingeDef& def, btRigidBody& a, btRigidBody& b,
                                                  const btTransform& on_a, const btTransform& on_b) const {
        // Bullet's hinges turn about z, and count angles the other way round.
        const btTransform z_to_x(btQuaternion(btVector3(0, 1, 0), 0.5f * pi));
        auto hinge = std::make_unique<btHingeConstraint>(a, b, on_a * z_to_x, on_b * z_to_x);
        if (def.limit.lower > -unlimited && def.limit.upper < unlimited)
            hinge->setLimit(-def.limit.upper, -def.limit.lower);
        if (def.motor.max_force > 0.0f) hinge->enableAngularMotor(true, -def.motor.speed, def.motor.max_force * dt);
        return hinge;
    }
    std::unique_ptr<btTypedConstraint> make_joint(const SliderDef& def, btRigidBody& a, btRigidBody& b,
                                                  const btTransform& on_a, const btTransform& on_b) const {
        auto slider = std::make_unique<btSliderConstraint>(a, b, on_a, on_b, true);
        slider->setLowerLinLimit(std::max(def.limit.lower, -1e6f));
        slider->setUpperLinLimit(std::min(def.limit.upper, 1e6f));
        slider->setLowerAngLimit(0.0f);
        slider->setUpperAngLimit(0.0f);
        return slider;
    }
    std::unique_ptr<btTypedConstraint> make_joint(const FixedDef&, btRigidBody& a, btRigidBody& b,
                                                  const btTransform& on_a, const btTransform& on_b) const {
        return std::make_unique<btFixedConstraint>(a, b, on_a, on_b);
    }
    /// A rod is a point of B, which the rod is welded to, on A.
    std::unique_ptr<btTypedConstraint> make_joint(const DistanceDef&, btRigidBody& a, btRigidBody& b,
                                                  const btTransform& on_a, const btTransform&) const {
        const btVector3 at = a.getWorldTransform() * on_a.getOrigin();
        return std::make_unique<btPoint2PointConstraint>(a, b, on_a.getOrigin(), b.getWorldTransform().inverse() * at);
    }
    template <class Def>
    std::unique_ptr<btTypedConstraint> make_joint(const Def&, btRigidBody&, btRigidBody&, const btTransform&,
                                                  const btTransform&) const {
        return nullptr;  // missing() says so
    }

    std::unique_ptr<btCollisionShape> add_mesh(const TriangleSet& set) {
        meshes.push_back(std::make_unique<btTriangleMesh>());
        for (std::uint32_t t = 0; t < set.size(); ++t) {
            const auto p = set.points(t);
            meshes.back()->addTriangle(to_bullet(p[0]), to_bullet(p[1]), to_bullet(p[2]));
        }
        return std::make_unique<btBvhTriangleMeshShape>(meshes.back().get(), true);
    }

    void add(const BodyDef& def) {
        std::vector<ShapeDef> parts = def.shapes;
        if (parts.empty()) {
            parts.push_back({def.shape, {}, def.material, def.density, def.filter, def.sensor});
            parts[0].mesh = def.mesh;
        }

        float mass = 0.0f;
        vec3 middle(0.0f);
        for (const ShapeDef& part : parts) {
            if (part.mesh) continue;  // never of a dynamic body
            const MassProperties m = mass_properties(part.shape, part.density);
            mass += m.mass;
            middle += m.mass * transform_point(part.pose, m.center);
        }
        middle = mass > 0.0f ? middle / mass : vec3(0.0f);
        const bool dynamic = def.type == BodyType::dynamic;

        auto compound = std::make_unique<btCompoundShape>();
        for (const ShapeDef& part : parts) {
            shapes.push_back(part.mesh ? add_mesh(*part.mesh) : make_shape(part.shape));
            compound->addChildShape(btTransform(to_bullet(part.pose.rotation), to_bullet(part.pose.position - middle)),
                                    shapes.back().get());
        }
        // One shape at the centre of mass needs no compound around it.
        const bool plain = parts.size() == 1 && glm::length(parts[0].pose.position - middle) < 1e-5f &&
                           parts[0].pose.rotation == quat(1.0f, 0.0f, 0.0f, 0.0f);
        btCollisionShape* shape = plain ? shapes.back().get() : compound.get();
        btVector3 inertia(0, 0, 0);
        if (dynamic) shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(dynamic ? mass : 0.0f, nullptr, shape, inertia);
        info.m_startWorldTransform =
            btTransform(to_bullet(def.rotation), to_bullet(displaced(def.position, rotate(def.rotation, middle))));
        info.m_friction = parts[0].material.friction;
        info.m_restitution = parts[0].material.restitution;
        info.m_linearDamping = def.linear_damping;
        info.m_angularDamping = def.angular_damping;
        auto body = std::make_unique<btRigidBody>(info);
        body->setLinearVelocity(to_bullet(def.linear_velocity));
        body->setAngularVelocity(to_bullet(def.angular_velocity));
        body->setActivationState(DISABLE_DEACTIVATION);
        if (def.type == BodyType::kinematic)
            body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
        if (!plain) shapes.push_back(std::move(compound));
        world.addRigidBody(body.get());
        if (dynamic) body->setGravity(def.gravity_scale * world.getGravity());
        bodies.push_back(std::move(body));
        center.push_back(middle);
    }
};

Error BulletScene::missing(const samples::SceneData& scene) {
    Missing missing;
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) note_missing(missing, scene.bodies[k], k);
    for (std::size_t k = 0; k < scene.joints.size(); ++k) {
        std::visit([&](const auto& def) { note_missing(missing, def, k); }, scene.joints[k].def);
    }
    return missing.error();
}

BulletScene::BulletScene(const samples::SceneData& scene) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.dt = scene.dt;
    s.act = scene.act;
    s.world.setGravity(to_bullet(scene.gravity));
    s.gravity_at = scene.gravity_at;
    for (const BodyDef& def : scene.bodies) s.add(def);
    // Two frictions mix by their product in Bullet, by their geometric mean in Talus: roots make both the same.
    for (auto& body : s.bodies) body->setFriction(std::sqrt(body->getFriction()));
    for (const samples::SceneJoint& joint : scene.joints) s.add(joint);
}

BulletScene::~BulletScene() {
    if (!state_) return;
    for (auto& joint : state_->joints) state_->world.removeConstraint(joint.get());
    for (auto& body : state_->bodies) state_->world.removeRigidBody(body.get());
}

BulletScene::BulletScene(BulletScene&&) noexcept = default;

void BulletScene::step(int step) {
    State& s = *state_;
    if (s.gravity_at) s.world.setGravity(to_bullet(s.gravity_at(step)));
    if (s.act) s.act(*this, step);
    for (auto& body : s.bodies) {
        if (!body->isKinematicObject()) continue;
        btTransform next;
        btTransformUtil::integrateTransform(body->getWorldTransform(), body->getLinearVelocity(),
                                            body->getAngularVelocity(), s.dt, next);
        const btVector3 v = body->getLinearVelocity(), w = body->getAngularVelocity();
        body->setWorldTransform(next);
        body->setInterpolationWorldTransform(next);
        body->setLinearVelocity(v);
        body->setAngularVelocity(w);
    }
    s.world.stepSimulation(s.dt, 0);
}

WorldTransform BulletScene::transform(std::size_t body) const {
    const btTransform& t = state_->bodies[body]->getWorldTransform();
    const btQuaternion q = t.getRotation();
    return {from_bullet(t * (-to_bullet(state_->center[body]))), quat(q.w(), q.x(), q.y(), q.z())};
}

dvec3 BulletScene::center_of_mass(std::size_t body) const {
    return from_bullet(state_->bodies[body]->getCenterOfMassPosition());
}

vec3 BulletScene::linear_velocity(std::size_t body) const {
    return from_bullet(state_->bodies[body]->getLinearVelocity());
}

vec3 BulletScene::angular_velocity(std::size_t body) const {
    return from_bullet(state_->bodies[body]->getAngularVelocity());
}

float BulletScene::mass(std::size_t body) const { return state_->bodies[body]->getMass(); }

mat3 BulletScene::inertia(std::size_t body) const {
    const btRigidBody& b = *state_->bodies[body];
    if (b.getInvMass() == 0.0f) return mat3(0.0f);
    const btMatrix3x3 m = b.getInvInertiaTensorWorld().inverse();
    return mat3(from_bullet(m.getColumn(0)), from_bullet(m.getColumn(1)), from_bullet(m.getColumn(2)));
}

void BulletScene::apply_force(std::size_t body, const vec3& force, const dvec3& point) {
    state_->bodies[body]->applyForce(to_bullet(force), to_bullet(point - center_of_mass(body)));
}

void BulletScene::apply_impulse(std::size_t body, const vec3& impulse, const dvec3& point) {
    state_->bodies[body]->applyImpulse(to_bullet(impulse), to_bullet(point - center_of_mass(body)));
}

void BulletScene::set_target(std::size_t body, const WorldTransform& target) {
    btRigidBody& b = *state_->bodies[body];
    const dvec3 center = transform_point(target, state_->center[body]);
    btVector3 linear, angular;
    btTransformUtil::calculateVelocity(
        b.getWorldTransform(), btTransform(to_bullet(target.rotation), to_bullet(center)), state_->dt, linear, angular);
    b.setLinearVelocity(linear);
    b.setAngularVelocity(angular);
}

void BulletScene::set_joint_motor(std::size_t joint, const JointMotor& motor, JointAxis) {
    if (auto* hinge = dynamic_cast<btHingeConstraint*>(state_->joints[joint].get()))
        hinge->enableAngularMotor(motor.max_force > 0.0f, -motor.speed, motor.max_force * state_->dt);
}

void BulletScene::set_joint_spring(std::size_t, const JointSpring&, JointAxis) {}

double BulletScene::narrowphase_ms() const { return state_->dispatcher.milliseconds; }

double BulletScene::broadphase_ms() const {
    const double boxes_ms = 1e-6 * time_of(1, [&] {
                                btVector3 lower, upper;
                                for (const auto& body : state_->bodies) body->getAabb(lower, upper);
                            });
    return std::max(0.0, state_->world.boxes_ms - boxes_ms) + state_->world.pairs_ms;
}

double BulletScene::solve_ms() const { return state_->world.solve_ms; }

std::size_t BulletScene::bytes() const { return live_bytes - state_->bytes_before; }

BulletScene::Overlap BulletScene::overlap() const {
    Overlap overlap;
    float sum = 0.0f;
    int points = 0;
    for (int i = 0; i < state_->dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold* m = state_->dispatcher.getManifoldByIndexInternal(i);
        for (int k = 0; k < m->getNumContacts(); ++k, ++points) {
            const float depth = std::max(0.0f, -m->getContactPoint(k).getDistance());
            overlap.deepest = std::max(overlap.deepest, depth);
            sum += depth;
        }
    }
    if (points > 0) overlap.mean = sum / static_cast<float>(points);
    return overlap;
}

}  // namespace talus::profiling
