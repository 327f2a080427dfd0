#pragma once
/// What two surfaces of triangles are to each other, by brute force over all pairs of triangles and in double. It is the
/// oracle of the contacts of features (narrowphase/nonconvex/feature_contacts.h), with which it shares no code: it knows
/// triangles only, no edges, no regions, no trees. Boxes of triangles and of runs of triangles leave out pairs that are
/// too far apart.

#include "samples/scenes/kit/mesh_file.h"

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace talus::test {

using OracleTriangle = std::array<glm::dvec3, 3>;

struct OracleBox {
    glm::dvec3 lower{1e300}, upper{-1e300};
    void add(const glm::dvec3& p);
    void add(const OracleBox& other);
    bool is_near(const OracleBox& other, double distance) const;
};

/// A surface in a pose.
class OracleSurface {
public:
    OracleSurface() = default;
    explicit OracleSurface(std::vector<OracleTriangle> triangles);
    OracleSurface(const samples::MeshFile& mesh, const glm::dvec3& position, const glm::dquat& rotation);

    const std::vector<OracleTriangle>& triangles() const { return triangles_; }
    OracleSurface moved(const glm::dvec3& by) const;
    const OracleBox& box() const { return box_; }

    /// Calls visit(index of a triangle) for all whose boxes are within a distance of a box.
    template <class Visit>
    void for_each_near(const OracleBox& box, double distance, const Visit& visit) const {
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            if (!runs_[run].is_near(box, distance)) continue;
            const std::size_t last = std::min(triangles_.size(), (run + 1) * run_length);
            for (std::size_t t = run * run_length; t < last; ++t) {
                if (boxes_[t].is_near(box, distance)) visit(t);
            }
        }
    }

    /// Calls visit(triangle of this, triangle of `other`) for all whose boxes are within a distance of each other.
    template <class Visit>
    void for_each_near_pair(const OracleSurface& other, double distance, const Visit& visit) const {
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            if (!runs_[run].is_near(other.box_, distance)) continue;
            const std::size_t last = std::min(triangles_.size(), (run + 1) * run_length);
            for (std::size_t t = run * run_length; t < last; ++t) {
                if (!boxes_[t].is_near(other.box_, distance)) continue;
                other.for_each_near(boxes_[t], distance, [&](std::size_t u) { visit(t, u); });
            }
        }
    }

    /// The distance of a point from the surface, or something above `most` if it is more, m.
    double distance_to(const glm::dvec3& point, double most) const;
    /// The winding number of the surface around a point off it, by solid angles.
    double winding(const glm::dvec3& point) const;
    /// Whether a segment passes through the surface.
    bool is_passed_by(const glm::dvec3& from, const glm::dvec3& to) const;
    /// What of the surface is in a cube, as triangles.
    OracleSurface part(const glm::dvec3& middle, double half_edge) const;

private:
    static constexpr std::size_t run_length = 8;
    std::vector<OracleTriangle> triangles_;
    std::vector<OracleBox> boxes_, runs_;
    OracleBox box_;
};

/// A place where the distance of two surfaces has a local minimum: no points of both near these are nearer to each
/// other. Where faces are parallel, the points around it may be as near.
struct LocalMinimum {
    glm::dvec3 on_a, on_b;
    glm::dvec3 normal;  ///< unit, from A to B
    double distance;    ///< m
    bool is_strict;     ///< all points around it are farther from each other
    int of_a, of_b;     ///< on what the points are: 0 a corner, 1 an edge, 2 a face
};

/// Whether any triangles of two surfaces cross.
bool triangles_cross(const OracleSurface& a, const OracleSurface& b);

/// The distance of two surfaces, or `most` if it is more, m; 0 if they cross.
double distance_of(const OracleSurface& a, const OracleSurface& b, double most);

/// All local minima of the distance of two surfaces that do not cross, up to `most` (m). Only those through free space:
/// the segment between the two points is outside of both solids.
std::vector<LocalMinimum> local_minima(const OracleSurface& a, const OracleSurface& b, double most);

/// How far B can be moved along a unit direction until it touches A, m; nothing if it passes by. They must not cross.
std::optional<double> way_to_touch(const OracleSurface& a, const OracleSurface& b, const glm::dvec3& direction);

}  // namespace talus::test
