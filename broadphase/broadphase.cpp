#include <talus/broadphase/broadphase.h>

#include "broadphase/broadphase_state.h"
#include "broadphase/columns/cell_runs.h"
#include "common/assert.h"
#include "common/number_text.h"

#include <algorithm>
#include <string>

namespace talus {

namespace {

using detail::is_box;
using detail::text;

Error length_error(const std::string& call, const char* what, std::size_t length, std::size_t needed) {
    return {ErrorCode::bad_argument, call + ": `" + what + "` has " + std::to_string(length) + " elements; it needs " +
                                         std::to_string(needed) + "."};
}

// For a list: the call with the place of the bad element.
std::string at(const char* call, std::size_t i) { return std::string(call) + "[" + std::to_string(i) + "]"; }

// A proxy that is in the list more than once, or null_proxy.
ProxyIndex given_twice(std::span<const ProxyIndex> proxies) {
    std::vector<ProxyIndex> sorted(proxies.begin(), proxies.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    return twice == sorted.end() ? null_proxy : *twice;
}

[[maybe_unused]] bool can_move(const detail::Proxies& all, std::span<const ProxyIndex> proxies,
                               std::span<const WorldAabb> tight, std::span<const vec3> displacements) {
    for (std::size_t i = 0; i < proxies.size(); ++i) {
        if (!all.exists(proxies[i]) || !is_box(tight[i]) || !is_finite(displacements[i])) return false;
    }
    return given_twice(proxies) == null_proxy;
}

}  // namespace

bool Broadphase::State::refuse_proxy(const std::string& call, ProxyIndex proxy) {
    last_error = {ErrorCode::stale_handle,
                  call + ": there is no proxy " + std::to_string(proxy) + "; it was removed, or never added."};
    return false;
}

bool Broadphase::State::refuse_box(const std::string& call, const WorldAabb& box) {
    const bool finite = is_finite(box.lower) && is_finite(box.upper);
    last_error = {finite ? ErrorCode::bad_size : ErrorCode::not_finite,
                  call + ": the box is from " + text(box.lower) + " to " + text(box.upper) +
                      "; it must be finite, with lower <= upper on each axis (m)."};
    return false;
}

Broadphase::Broadphase() noexcept = default;
Broadphase::Broadphase(const Broadphase& other)
    : state_(other.state_ ? std::make_unique<State>(*other.state_) : nullptr) {}
Broadphase::Broadphase(Broadphase&&) noexcept = default;
Broadphase& Broadphase::operator=(const Broadphase& other) {
    if (this != &other) {
        if (state_ && other.state_)
            *state_ = *other.state_;  // keeps its memory
        else
            state_ = other.state_ ? std::make_unique<State>(*other.state_) : nullptr;
    }
    return *this;
}
Broadphase& Broadphase::operator=(Broadphase&&) noexcept = default;
Broadphase::~Broadphase() = default;

const Broadphase::State& Broadphase::state() const {
    if (state_) [[likely]]
        return *state_;
    static const State empty;
    return empty;
}

Broadphase::State& Broadphase::state_to_change() {
    if (!state_) state_ = std::make_unique<State>();
    return *state_;
}

ProxyIndex Broadphase::add(const ProxyDef& def) {
    State& s = state_to_change();
    if (is_box(def.box)) [[likely]]
        return s.proxies.add(def);
    s.refuse_box("add", def.box);
    return null_proxy;
}

bool Broadphase::add(std::span<const ProxyDef> defs, std::span<ProxyIndex> out) {
    State& s = state_to_change();
    const auto refuse_all = [&] {
        std::fill(out.begin(), out.end(), null_proxy);
        return false;
    };
    if (out.size() < defs.size()) {
        s.last_error = length_error("add", "out", out.size(), defs.size());
        return refuse_all();
    }
    for (std::size_t i = 0; i < defs.size(); ++i) {
        if (!is_box(defs[i].box)) {
            s.refuse_box(at("add", i), defs[i].box);
            return refuse_all();
        }
    }
    s.proxies.reserve(defs.size());
    for (std::size_t i = 0; i < defs.size(); ++i) out[i] = s.proxies.add(defs[i]);
    return true;
}

bool Broadphase::remove(ProxyIndex proxy) {
    State& s = state_to_change();
    if (!s.proxies.exists(proxy)) [[unlikely]]
        return s.refuse_proxy("remove", proxy);
    s.grids.forget(s.proxies, proxy);
    s.proxies.remove(proxy);
    return true;
}

bool Broadphase::remove(std::span<const ProxyIndex> proxies) {
    State& s = state_to_change();
    for (std::size_t i = 0; i < proxies.size(); ++i) {
        if (!s.proxies.exists(proxies[i])) return s.refuse_proxy(at("remove", i), proxies[i]);
    }
    if (const ProxyIndex twice = given_twice(proxies); twice != null_proxy) {
        s.last_error = {ErrorCode::bad_argument,
                        "remove: proxy " + std::to_string(twice) + " is given twice; give each proxy once."};
        return false;
    }
    for (const ProxyIndex proxy : proxies) remove(proxy);
    return true;
}

bool Broadphase::is_valid(ProxyIndex proxy) const { return state().proxies.exists(proxy); }

bool Broadphase::move(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) {
    State& s = state_to_change();
    if (!s.proxies.exists(proxy)) [[unlikely]]
        return s.refuse_proxy("move", proxy);
    if (!is_box(tight)) [[unlikely]]
        return s.refuse_box("move", tight);
    if (!is_finite(displacement)) [[unlikely]] {
        s.last_error = {ErrorCode::not_finite,
                        "move: the displacement is " + text(displacement) + "; it must be finite (m)."};
        return false;
    }
    s.proxies.move(proxy, tight, displacement);
    return true;
}

bool Broadphase::move(std::span<const ProxyIndex> proxies, std::span<const WorldAabb> tight,
                      std::span<const vec3> displacements, const Jobs& jobs) {
    State& s = state_to_change();
    const std::size_t count = proxies.size();
    if (tight.size() != count || displacements.size() != count) {
        s.last_error = tight.size() != count ? length_error("move", "tight", tight.size(), count)
                                             : length_error("move", "displacements", displacements.size(), count);
        return false;
    }
    TALUS_ASSERT(can_move(s.proxies, proxies, tight, displacements));
    s.proxies.move(proxies, tight, displacements, jobs);
    return true;
}

bool Broadphase::keeps_box(ProxyIndex proxy, const WorldAabb& tight, const vec3& displacement) const {
    const detail::Proxies& proxies = state().proxies;
    TALUS_ASSERT(proxies.exists(proxy));
    return proxies.keeps_box(proxy, tight, displacement);
}

bool Broadphase::set_moving(ProxyIndex proxy, bool moving) {
    State& s = state_to_change();
    if (!s.proxies.exists(proxy)) [[unlikely]]
        return s.refuse_proxy("set_moving", proxy);
    s.proxies.set_moving(proxy, moving);
    return true;
}

bool Broadphase::set_filter(ProxyIndex proxy, const Filter& filter) {
    State& s = state_to_change();
    if (!s.proxies.exists(proxy)) [[unlikely]]
        return s.refuse_proxy("set_filter", proxy);
    s.proxies.set_filter(proxy, filter);
    return true;
}

void Broadphase::update(const Jobs& jobs) {
    State& s = state_to_change();
    s.pairs.clear_events();
    s.proxies.begin_update();
    if (s.proxies.dirty().empty()) return;
    s.grids.refresh(s.proxies, jobs);
    s.pairs.update(s.proxies, s.grids, jobs);
    s.proxies.end_update();
}

std::span<const ProxyPair> Broadphase::begun() const { return state().pairs.begun(); }
std::span<const ProxyPair> Broadphase::ended() const { return state().pairs.ended(); }

void Broadphase::refresh(const Jobs& jobs) {
    State& s = state_to_change();
    s.grids.refresh(s.proxies, jobs);
}

std::size_t Broadphase::pair_count() const { return state().pairs.size(); }
std::size_t Broadphase::proxy_count() const { return state().proxies.count(); }

const WorldAabb& Broadphase::fat_box(ProxyIndex proxy) const {
    const detail::Proxies& proxies = state().proxies;
    if (proxy < proxies.size()) [[likely]]
        return proxies.box(proxy);
    static const WorldAabb none;
    return none;
}

std::uint32_t Broadphase::user_data(ProxyIndex proxy) const {
    const detail::Proxies& proxies = state().proxies;
    return proxy < proxies.size() ? proxies.user_data(proxy) : 0;
}

void Broadphase::for_each_overlap(const WorldAabb& box, FunctionRef<void(std::uint32_t)> visit) const {
    state().queries().overlaps(box, visit);
}

void Broadphase::run_cast(const BoxCast& cast, FunctionRef<float(std::uint32_t, float)> visit) const {
    state().queries().cast(cast, visit);
}

void Broadphase::run_casts(std::span<const BoxCast> casts,
                           FunctionRef<float(std::size_t, std::uint32_t, float)> visit) const {
    state().queries().cast(casts, visit);
}

void Broadphase::run_nearest(const dvec3& point, float max_distance,
                             FunctionRef<float(std::uint32_t, float, float)> visit) const {
    state().queries().nearest(point, max_distance, visit);
}

std::vector<CellRun> Broadphase::cell_runs(bool settled) const {
    const State& s = state();
    const detail::Home home = settled ? detail::Home::settled : detail::Home::restless;
    return detail::cell_runs(settled ? s.grids.settled() : s.grids.restless(), [&](ProxyIndex proxy) {
        return proxy < s.proxies.size() && s.proxies.flags(proxy).home == home;
    });
}

std::size_t Broadphase::bytes() const {
    return state_ ? sizeof(State) + state_->proxies.bytes() + state_->grids.bytes() + state_->pairs.bytes() : 0;
}

const Error& Broadphase::last_error() const { return state().last_error; }

}  // namespace talus
