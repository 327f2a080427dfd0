#pragma once
/// From the structures of the C API to those of C++, and back.
///
/// What comes from C is checked before C++ sees it: sizes of definitions, values of enums, pointers. The first fault
/// goes to the `error` that the function gets; what it returns then is not used.

#include <talus/c/talus.h>

#include <talus/engine/world.h>

#include <cstring>
#include <span>
#include <string>

/// A hull of the caller's.
struct TalusHull {
    std::shared_ptr<const talus::Hull> hull;
};
/// A superellipsoid or a convex sum of the caller's.
struct TalusMapping {
    std::shared_ptr<const talus::MappingSolid> solid;
};
/// A mesh or height field of the caller's.
struct TalusMesh {
    std::shared_ptr<const talus::TriangleSet> set;
};

namespace talus::c {

// ---- Numbers --------------------------------------------------------------------------------------------------------

inline vec3 from(const TalusVec3& v) { return {v.x, v.y, v.z}; }
inline dvec3 from(const TalusDVec3& v) { return {v.x, v.y, v.z}; }
inline quat from(const TalusQuat& q) { return quat(q.w, q.x, q.y, q.z); }
inline mat3 from(const TalusMat3& m) { return {from(m.columns[0]), from(m.columns[1]), from(m.columns[2])}; }
inline Transform from(const TalusTransform& t) { return {from(t.position), from(t.rotation)}; }
inline WorldTransform from(const TalusWorldTransform& t) { return {from(t.position), from(t.rotation)}; }
inline WorldAabb from(const TalusWorldAabb& b) { return {from(b.lower), from(b.upper)}; }

inline TalusVec3 to_c(const vec3& v) { return {v.x, v.y, v.z}; }
inline TalusDVec3 to_c(const dvec3& v) { return {v.x, v.y, v.z}; }
inline TalusQuat to_c(const quat& q) { return {q.x, q.y, q.z, q.w}; }
inline TalusMat3 to_c(const mat3& m) { return {{to_c(m[0]), to_c(m[1]), to_c(m[2])}}; }
inline TalusTransform to_c(const Transform& t) { return {to_c(t.position), to_c(t.rotation)}; }
inline TalusWorldTransform to_c(const WorldTransform& t) { return {to_c(t.position), to_c(t.rotation)}; }
inline TalusAabb to_c(const Aabb& b) { return {to_c(b.lower), to_c(b.upper)}; }
inline TalusWorldAabb to_c(const WorldAabb& b) { return {to_c(b.lower), to_c(b.upper)}; }

/// Writes a pose as 7 floats, relative to an origin.
inline void write_pose(const WorldTransform& pose, const dvec3& origin, float* out) {
    const vec3 p(pose.position - origin);
    const quat& q = pose.rotation;
    const float numbers[7] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
    std::memcpy(out, numbers, sizeof numbers);
}

// ---- Handles: the slot's bits are inverted, so that 0 is null -------------------------------------------------------

template <class Id>
Id id_from(std::uint64_t handle) {
    return {~static_cast<std::uint32_t>(handle), static_cast<std::uint32_t>(handle >> 32)};
}
inline BodyId body_from(TalusBodyId handle) { return id_from<BodyId>(handle); }
inline JointId joint_from(TalusJointId handle) { return id_from<JointId>(handle); }
template <class Id>
std::uint64_t handle_of(const Id& id) {
    return (std::uint64_t{id.generation} << 32) | static_cast<std::uint32_t>(~id.slot);
}
inline TalusBodyId to_c(const BodyId& id) { return handle_of(id); }
inline TalusJointId to_c(const JointId& id) { return handle_of(id); }

// ---- What may be wrong ----------------------------------------------------------------------------------------------

/// Sets the error, unless there is one already.
inline void refuse(Error& error, ErrorCode code, std::string message) {
    if (!error) error = {code, std::move(message)};
}
/// Sets the error if `pointer` is null.
inline void need(const void* pointer, const char* name, Error& error) {
    if (pointer == nullptr) refuse(error, ErrorCode::bad_argument, std::string(name) + " is NULL");
}

/// Returns a bool that C has written: any byte but 0 is true.
inline bool flag(const bool& b) {
    unsigned char byte;
    std::memcpy(&byte, &b, 1);
    return byte != 0;
}

/// Returns the enum with that number, one of `count`.
template <class Enum>
Enum enum_from(std::int32_t number, int count, const char* name, Error& error) {
    if (number < 0 || number >= count) {
        refuse(error, ErrorCode::bad_argument,
               std::string(name) + " is " + std::to_string(number) + "; it must be 0 to " + std::to_string(count - 1));
        return Enum{};
    }
    return static_cast<Enum>(number);
}

/// Returns the size that the caller's definition begins with. By bytes: where the caller's definitions lie depends on
/// sizes that may be wrong.
inline std::size_t size_of(const void* def) {
    std::size_t size;
    std::memcpy(&size, def, sizeof size);
    return size;
}

/// Returns the definition that the caller gives: its first `size` bytes, and the defaults after that. `maker` is the
/// function that sets `size`, for the message.
template <class Def>
Def sized(const Def* given, Def defaults, const char* maker, Error& error) {
    need(given, "the definition", error);
    if (given == nullptr) return defaults;
    const std::size_t size = size_of(given);
    if (size < sizeof size || size > sizeof(Def) || size % alignof(Def) != 0) {  // so it cuts no pointer in two
        refuse(error, ErrorCode::bad_argument,
               "the definition's size is " + std::to_string(size) + ", but this version knows " +
                   std::to_string(sizeof(Def)) + " bytes; " + maker + "() sets it");
        return defaults;
    }
    std::memcpy(&defaults, given, size);
    return defaults;
}

/// Calls f(definition) for `count` definitions, as long as there is no error. They lie as far apart as the first one
/// says: the caller's structure may be shorter than ours.
template <class Def, class F>
void for_each_of(const Def* first, std::size_t count, const char* name, Error& error, F f) {
    if (count > 0) need(first, name, error);
    for (std::size_t i = 0; i < count && !error; ++i) {
        const char* at = reinterpret_cast<const char*>(first) + i * size_of(first);
        if (size_of(at) != size_of(first)) {
            refuse(error, ErrorCode::bad_argument, std::string(name) + ": the definitions have different sizes");
        }
        f(reinterpret_cast<const Def*>(at));
    }
}

void write(const Error& error, TalusError* out);  ///< `out` may be null

// ---- Definitions ----------------------------------------------------------------------------------------------------

Shape from(const TalusShape& shape, Error& error);
/// `mapping` is that of a superellipsoid or a convex sum.
TalusShape to_c(const Shape& shape, const TalusHull* hull, const TalusMapping* mapping = nullptr);
Filter from(const TalusFilter& filter);
/// NULL: the default filter.
inline Filter filter_from(const TalusFilter* filter) { return filter != nullptr ? from(*filter) : Filter{}; }
TalusFilter to_c(const Filter& filter);
Material from(const TalusMaterial& material);
TalusMaterial to_c(const Material& material);
MassProperties from(const TalusMassProperties& properties);
TalusMassProperties to_c(const MassProperties& properties);
std::vector<ShapeDef> shapes_from(const TalusShapeDef* shapes, std::size_t count, Error& error);
BodyDef from(const TalusBodyDef* def, Error& error);
WorldDef from(const TalusWorldDef* def, Error& error);
TalusWorldDef to_c(const WorldDef& def);

JointFrames from(const TalusJointFrames& frames);
TalusJointFrames to_c(const JointFrames& frames);
inline JointLimit from(const TalusJointLimit& limit) { return {limit.lower, limit.upper}; }
inline TalusJointLimit to_c(const JointLimit& limit) { return {limit.lower, limit.upper}; }
inline JointMotor from(const TalusJointMotor& motor) { return {motor.speed, motor.max_force}; }
inline TalusJointMotor to_c(const JointMotor& motor) { return {motor.speed, motor.max_force}; }
inline JointSpring from(const TalusJointSpring& s) { return {s.hertz, s.damping_ratio, s.target, s.max_force}; }
inline TalusJointSpring to_c(const JointSpring& s) { return {s.hertz, s.damping_ratio, s.target, s.max_force}; }
JointDrive from(const TalusJointDrive& drive);
TalusJointDrive to_c(const JointDrive& drive);
JointAxis axis_from(TalusJointAxis axis, Error& error);
JointDef from(const TalusJointDef* def, Error& error);
TalusJointDef to_c(const JointDef& def);

// ---- Queries and results --------------------------------------------------------------------------------------------

Ray from(const TalusRay& ray);
ShapeCast from(const TalusShapeCast& cast, Error& error);
TalusCastHit to_c(const CastHit& hit);
TalusNearHit to_c(const NearHit& hit);
TalusContactEvent to_c(const ContactEvent& event);
TalusHitEvent to_c(const HitEvent& event);
TalusJointEvent to_c(const JointEvent& event);
TalusMovedBody to_c(const MovedBody& moved);
TalusContact to_c(const Contact& contact);
TalusPairInfo to_c(const PairInfo& pair);

}  // namespace talus::c
