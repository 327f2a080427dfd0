#include "samples/window/simulation/simulation.h"

#include <algorithm>
#include <chrono>

namespace talus::samples {

namespace {

Error refused(const std::string& what, const World& world) {
    return {ErrorCode::bad_argument, what + ": " + world.last_error().message};
}

}  // namespace

Error Simulation::load(const Scene& scene, const Wishes& wishes) {
    Result<SceneData> data = scene.make({wishes.seed, wishes.jitter, wishes.meshes, wishes.file});
    if (!data) return data.error();
    std::vector<BodyId> ids;
    World world = make_world(*data, &ids, wishes.def);
    if (world.body_count() != data->bodies.size())
        return refused(std::string("the world refused the scene ") + scene.name, world);

    scene_ = &scene;
    data_ = std::move(*data);
    world_ = std::move(world);
    wishes_ = wishes;
    if (!pool_) pool_ = std::make_unique<ThreadPool>(wishes_.threads);
    scene_ids_ = ids;
    ids_.clear();
    numbers_.clear();
    glass_.clear();
    next_number_ = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) adopt(ids[i], data_.bodies[i].type);
    for (const std::uint32_t i : data_.glass) {
        if (i < glass_.size()) glass_[i] = 1;
    }
    step_ = 0;
    time_ = step_ms_ = 0;
    scripted_ = true;
    has_script_ = static_cast<bool>(data_.act);
    pairs_before_.clear();
    refresh_poses();
    before_ = poses_;
    ++version_;
    return {};
}

Error Simulation::restart() { return load(*scene_, wishes_); }

Jobs Simulation::jobs() { return wishes_.threads > 1 ? pool_->jobs() : Jobs{}; }

Error Simulation::step() {
    if (keep_pairs) pairs_before_ = world_.pairs();
    const auto start = std::chrono::steady_clock::now();
    if (!step_scene(world_, data_, step_, jobs())) return refused("a step was refused", world_);
    step_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++step_;
    time_ += static_cast<double>(data_.dt);
    before_.swap(poses_);
    refresh_poses();
    return {};
}

void Simulation::refresh_poses() {
    poses_.resize(ids_.size());
    for (std::size_t i = 0; i < ids_.size(); ++i) poses_[i] = world_.transform(ids_[i]);
}

void Simulation::adopt(BodyId body, BodyType type) {
    ids_.push_back(body);
    numbers_.push_back(type == BodyType::dynamic ? next_number_++ : 0);
    glass_.push_back(0);
}

bool Simulation::is_glass(std::size_t body) const { return glass_[body] != 0; }

std::optional<std::size_t> Simulation::index_of(BodyId body) const {
    // Slots ascend as long as nothing was deleted.
    if (body.slot < ids_.size() && ids_[body.slot] == body) return body.slot;
    const auto at = std::find(ids_.begin(), ids_.end(), body);
    if (at == ids_.end()) return std::nullopt;
    return static_cast<std::size_t>(at - ids_.begin());
}

BodyId Simulation::add(const BodyDef& def) {
    const BodyId body = world_.add_body(def);
    if (!body) return body;
    adopt(body, def.type);
    poses_.push_back(world_.transform(body));
    before_.push_back(poses_.back());
    ++version_;
    return body;
}

bool Simulation::add(const SceneData& part) {
    std::vector<BodyId> bodies;
    for (const BodyDef& def : part.bodies) {
        bodies.push_back(add(def));
        if (!bodies.back()) return false;
    }
    for (const SceneJoint& joint : part.joints) {
        JointDef def = joint.def;
        std::visit(
            [&](auto& d) {
                if constexpr (requires { d.frames; }) {
                    d.frames.body_a = bodies[joint.a];
                    d.frames.body_b = bodies[joint.b];
                }
            },
            def);
        world_.add_joint(def);
    }
    return true;
}

bool Simulation::remove(BodyId body) {
    const std::optional<std::size_t> index = index_of(body);
    if (!index || !world_.remove_body(body)) return false;
    if (std::find(scene_ids_.begin(), scene_ids_.end(), body) != scene_ids_.end() && data_.act) {
        data_.act = nullptr;
        scripted_ = false;
    }
    const auto at = static_cast<std::ptrdiff_t>(*index);
    ids_.erase(ids_.begin() + at);
    numbers_.erase(numbers_.begin() + at);
    glass_.erase(glass_.begin() + at);
    before_.erase(before_.begin() + at);
    poses_.erase(poses_.begin() + at);
    ++version_;
    return true;
}

void Simulation::set_wishes(const Wishes& wishes) {
    if (wishes.threads != wishes_.threads) pool_ = std::make_unique<ThreadPool>(wishes.threads);
    wishes_ = wishes;
    WorldDef def = wishes.def;
    def.gravity = world_.settings().gravity;
    def.substeps = world_.settings().substeps;
    world_.set_settings(def);
}

void Simulation::set_substeps(int substeps) {
    WorldDef def = world_.settings();
    def.substeps = substeps;
    world_.set_settings(def);
}

void Simulation::set_dt(float dt) { data_.dt = dt; }

void Simulation::set_gravity(const vec3& gravity) {
    data_.gravity_at = nullptr;
    world_.set_gravity(gravity);
}

}  // namespace talus::samples
