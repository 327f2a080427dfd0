/// The part of ContactSolver that writes the new manifolds of contacts into their lanes within a step.

#include "common/lanes/processor.h"
#include "engine/contact_solver/contact_lanes.h"
#include "engine/contact_solver/contact_solver.h"
#include "engine/contact_solver/contact_source.h"
#include "engine/contact_solver/motion_lanes.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace talus {

template <int width>
bool ContactSolver::is_place_of(const LinkPlace& place, std::uint32_t contact) const {
    const auto& r = *static_cast<const ContactLanes<LaneArray<width>>*>(record(place.record));
    // The largest float marks contacts in stiff groups and of jointed bodies, which are not renewed.
    const auto lane = static_cast<int>(place.lane);
    return place.lane < r.used && r.contact[lane] == contact &&
           r.stiffer_from[lane] != std::numeric_limits<float>::max();
}

/// Returns null if the step does not have the contact, or does not solve it by iterations alone.
const ContactSolver::LinkPlace* ContactSolver::place_of(std::uint32_t contact) const {
    if (contact >= renewable_) return nullptr;
    const LinkPlace& place = places_[contact];
    if (place.record >= layout_.size() - 1) return nullptr;
    return (kernel_->lanes == 8 ? is_place_of<8>(place, contact) : is_place_of<4>(place, contact)) ? &place : nullptr;
}

namespace {

/// Copies the floats of one lane of a struct of lane fields, from the field at offset `first` on.
template <int width, class Lanes>
void copy_lane(Lanes& to, int to_lane, const Lanes& from, int from_lane, std::size_t first = 0) {
    using F = LaneArray<width>;
    auto* const out = reinterpret_cast<F*>(reinterpret_cast<std::byte*>(&to) + first);
    const auto* const in = reinterpret_cast<const F*>(reinterpret_cast<const std::byte*>(&from) + first);
    for (std::size_t i = 0; i < (sizeof(Lanes) - first) / sizeof(F); ++i) out[i][to_lane] = in[i][from_lane];
}

}  // namespace

void ContactSolver::find_struck_after_sliding(std::span<SolverBody> bodies, std::uint32_t first, std::uint32_t last,
                                              std::uint32_t parts) {
    const auto begin = [&](std::uint32_t part) {
        return static_cast<std::uint32_t>(struck_lanes_.size() * part / parts);
    };
    const Field records{begin(first), begin(last) - begin(first)};
    if (records.count == 0) return;
    kernel_->find_struck_after_sliding(pass_input(records, bodies), struck_lanes_.data() + records.first);
}

void ContactSolver::list_struck_after_sliding(std::vector<std::uint32_t>& out) const {
    out.clear();
    for (std::size_t k = 0; k < struck_lanes_.size(); ++k) {
        for (unsigned lane = 0, bits = struck_lanes_[k]; bits != 0; ++lane, bits >>= 1) {
            if ((bits & 1) != 0) out.push_back(order_[layout_[k].first_edge + lane]);
        }
    }
    std::sort(out.begin(), out.end());
}

/// A contact that is being renewed.
struct ContactSolver::Renewal {
    LinkPlace place;
    struct Had {
        std::uint32_t id;
        float step_impulse, impulse, bounce;
    } had[max_manifold_points];
    int had_count;
    Manifold manifold;
};

/// Takes from the lane what continues. Returns whether there is a manifold to prepare.
template <int width>
bool ContactSolver::begin_renewal(const Renewed& renewed, Renewal& renewal, const Input& in) {
    using F = LaneArray<width>;
    using Point = ContactPointLanes<F>;
    const LinkPlace& place = renewal.place;
    auto& r = *static_cast<ContactLanes<F>*>(record(place.record));
    const auto lane = static_cast<int>(place.lane);
    const auto point_of = [&](int i) -> Point& {
        return *static_cast<Point*>(point(r.first_point + static_cast<std::uint32_t>(i)));
    };
    detail::set_relaxed(r.forgets);  // the record's other lanes may set it, too
    r.kept[lane] = 0.0f;
    ContactState& state = in.contacts.states[renewed.contact];
    store_lane<width>(&r, place.lane, in.contacts);
    const bool bounces = renewed.alone && state.restitution > 0.0f;
    auto& had = renewal.had;
    const int had_count = renewal.had_count = state.point_count;
    for (int i = 0; i < had_count; ++i) {
        const Point& p = point_of(i);
        had[i] = {state.ids[i], p.step_impulse[lane], bounces ? 0.0f : p.impulse[lane], p.bounce[lane]};
        // The contact has pushed along its old rows, even if the new ones leave nothing of that.
        state.met = state.met || had[i].impulse > 0.0f;
    }

    if (renewed.apart) {
        for (int i = 0; i < static_cast<int>(r.point_count); ++i) {
            Point& p = point_of(i);
            if (i < had_count) p.step_impulse[lane] += had[i].impulse;
            p.mass[lane] = p.impulse[lane] = p.bounce[lane] = p.separation[lane] = 0.0f;
        }
        if (!bounces) {
            r.step_friction_1[lane] += r.friction_1[lane];
            r.step_friction_2[lane] += r.friction_2[lane];
        }
        r.friction_1[lane] = r.friction_2[lane] = r.twist[lane] = 0.0f;
        if (r.surface != no_surface) {
            auto& rolling = static_cast<SurfaceLanes<F>*>(surface(r.surface))->rolling;
            rolling.x[lane] = rolling.y[lane] = rolling.z[lane] = 0.0f;
        }
        return false;
    }
    Manifold& manifold = renewal.manifold;
    manifold = in.contacts.manifold(renewed.contact);
    const int room = place.points;  // the record may have more, depending on the number of lanes
    if (manifold.count > room) {
        std::stable_sort(manifold.points, manifold.points + manifold.count,
                         [](const ManifoldPoint& x, const ManifoldPoint& y) { return x.separation < y.separation; });
        manifold.count = room;
    }
    const std::uint8_t continued = state.continued;
    match_impulses(state, manifold);
    state.continued = continued;
    if (bounces) {
        for (float& impulse : state.impulses) impulse = 0.0f;
        state.friction_impulse = state.rolling_impulse = vec3(0.0f);
        state.twist_impulse = 0.0f;
    }
    return true;
}

/// Writes a prepared lane into the contact's record.
template <int width>
void ContactSolver::end_renewal(const Renewal& renewal, const void* fresh, const void* fresh_points, int from_lane,
                                const Input& in, std::span<const SolverBody> bodies) {
    using F = LaneArray<width>;
    using Record = ContactLanes<F>;
    using Point = ContactPointLanes<F>;
    auto& r = *static_cast<Record*>(record(renewal.place.record));
    const auto lane = static_cast<int>(renewal.place.lane);
    const auto point_of = [&](int i) -> Point& {
        return *static_cast<Point*>(point(r.first_point + static_cast<std::uint32_t>(i)));
    };
    const ContactState& state = in.contacts.states[r.contact[lane]];
    const float slop = r.slop[lane];
    copy_lane<width>(r, lane, *static_cast<const Record*>(fresh), from_lane, offsetof(Record, normal));
    r.slop[lane] = slop;

    const auto vector = [&](const Vec3Lanes<F>& v, int at) { return vec3(v.x[at], v.y[at], v.z[at]); };
    const vec3 normal = vector(r.normal, lane), tangent = vector(r.tangent, lane);
    r.step_friction_1[lane] = glm::dot(state.step_friction_impulse, tangent);
    r.step_friction_2[lane] = glm::dot(state.step_friction_impulse, glm::cross(normal, tangent));
    const SolverBody &a = bodies[r.a[lane]], &b = bodies[r.b[lane]];
    const auto& had = renewal.had;
    float rest = 0.0f;  // impulses of points that no longer exist
    for (int k = 0; k < renewal.had_count; ++k) rest += had[k].step_impulse + had[k].impulse;
    for (int i = 0; i < static_cast<int>(r.point_count); ++i) {
        Point& p = point_of(i);
        copy_lane<width>(p, lane, static_cast<const Point*>(fresh_points)[i], from_lane);
        if (i >= renewal.manifold.count) continue;
        // This lane is not struck, whatever the record's flag says.
        if (!(r.restitution[lane] > 0.0f)) p.bounce[lane] = -std::numeric_limits<float>::max();
        p.separation[lane] -= glm::dot(normal, load3(b.displacement) - load3(a.displacement)) +
                              glm::dot(vector(p.angular_b, lane), load3(b.turn)) -
                              glm::dot(vector(p.angular_a, lane), load3(a.turn));
        for (int k = 0; k < renewal.had_count; ++k) {
            if (had[k].id != state.ids[i]) continue;
            p.step_impulse[lane] = had[k].step_impulse;
            p.bounce[lane] = had[k].bounce;
            rest -= had[k].step_impulse + had[k].impulse;
        }
    }
    point_of(0).step_impulse[lane] += std::max(rest, 0.0f);
}

/// Renews contacts, as many at a time as there are lanes.
template <int width>
void ContactSolver::renew_lanes(std::span<const Renewed> all, const Input& in, std::span<const SolverBody> bodies) {
    using F = LaneArray<width>;
    using Record = ContactLanes<F>;
    constexpr std::size_t first_field = offsetof(Record, normal);
    for (std::size_t next = 0; next < all.size();) {
        Renewal renewals[width];
        ContactSource sources[width];
        float surface_rows[width][16] = {};
        Record fresh, fresh_special;
        ContactPointLanes<F> points[max_manifold_points];
        bool special[width], any_special = false;
        fresh.point_count = 0;
        int count = 0;
        for (; next < all.size() && count < width; ++next) {
            const std::uint32_t contact = all[next].contact;
            const LinkPlace* const place = place_of(contact);
            if (place == nullptr) continue;
            Renewal& renewal = renewals[count];
            renewal.place = *place;
            if (!begin_renewal<width>(all[next], renewal, in)) continue;
            const auto& r = *static_cast<const Record*>(record(place->record));
            const auto lane = static_cast<int>(place->lane);
            const ContactState& state = in.contacts.states[contact];
            const PairRecord& pair = in.contacts.records[contact];
            const WorldTransform &pose_a = in.colliders.poses[pair.a], &pose_b = in.colliders.poses[pair.b];
            sources[count] =
                contact_source(r.a[lane], r.b[lane], contact, pose_a, pose_b, in.centers, renewal.manifold, state);
            fresh.point_count = std::max(fresh.point_count, r.point_count);
            copy_lane<width>(fresh, count, r, lane, first_field);
            special[count] = r.surface != no_surface;
            any_special = any_special || special[count];
            if (special[count])
                put_surface(surface_rows[count], state, in.shapes.surface(pair.a, state.triangle_a), pose_a.rotation,
                            in.shapes.surface(pair.b, state.triangle_b), pose_b.rotation);
            ++count;
        }
        if (count == 0) break;
        kernel_->prepare(&fresh, points, sources, static_cast<unsigned>(count), in.masses.data());
        SurfaceLanes<F> fresh_surface;
        if (any_special) {
            fresh_special = fresh;  // a copy, because prepare_surface changes the tangents of all lanes
            kernel_->prepare_surface(&fresh_special, &fresh_surface, surface_rows[0], static_cast<unsigned>(count));
        }
        for (int i = 0; i < count; ++i) {
            const auto& r = *static_cast<const Record*>(record(renewals[i].place.record));
            if (special[i]) {
                auto& surface_lanes = *static_cast<SurfaceLanes<F>*>(surface(r.surface));
                copy_lane<width>(surface_lanes, static_cast<int>(renewals[i].place.lane), fresh_surface, i);
            }
            end_renewal<width>(renewals[i], special[i] ? &fresh_special : &fresh, points, i, in, bodies);
        }
    }
}

/// Notes the impulses that the lane has given in this sub-step, so that they can be undone.
template <int width>
void ContactSolver::take_back(const LinkPlace& place) {
    using F = LaneArray<width>;
    const auto& r = *static_cast<const ContactLanes<F>*>(record(place.record));
    const auto lane = static_cast<int>(place.lane);
    const auto vector = [&](const Vec3Lanes<F>& v) { return vec3(v.x[lane], v.y[lane], v.z[lane]); };
    const vec3 normal = vector(r.normal), tangent = vector(r.tangent);
    const vec3 friction = r.friction_1[lane] * tangent + r.friction_2[lane] * glm::cross(normal, tangent);
    vec3 impulse = friction, moment = r.twist[lane] * normal;
    if (r.surface != no_surface) moment += vector(static_cast<const SurfaceLanes<F>*>(surface(r.surface))->rolling);
    vec3 moment_a = moment + glm::cross(vector(r.center_a), friction),
         moment_b = moment + glm::cross(vector(r.center_b), friction);
    for (std::uint32_t i = 0; i < r.point_count; ++i) {
        const auto& p = *static_cast<const ContactPointLanes<F>*>(point(r.first_point + i));
        impulse += p.impulse[lane] * normal;
        moment_a += p.impulse[lane] * vector(p.angular_a);
        moment_b += p.impulse[lane] * vector(p.angular_b);
    }
    if (r.pushes_a) taken_back_.push_back({r.a[lane], -impulse, -moment_a});
    if (r.pushes_b) taken_back_.push_back({r.b[lane], impulse, moment_b});
}

void ContactSolver::begin_renewals(std::span<const Renewed> renewed, const ContactTable& contacts) {
    for (const Renewed& each : renewed) {
        if (!each.alone || !(contacts.states[each.contact].restitution > 0.0f)) continue;
        const LinkPlace* const place = place_of(each.contact);
        if (place == nullptr) continue;
        kernel_->lanes == 8 ? take_back<8>(*place) : take_back<4>(*place);
        renewed_.push_back(*place);
    }
}

void ContactSolver::renew(std::span<const Renewed> renewed, const Input& input, std::span<const SolverBody> bodies) {
    if (kernel_->lanes == 8) {
        renew_lanes<8>(renewed, input, bodies);
    } else {
        renew_lanes<4>(renewed, input, bodies);
    }
}

}  // namespace talus
