#include "profiling/bench/gjk/bullet_pair.h"

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <limits>
#include <optional>
#include <vector>

namespace talus::profiling {

namespace {

void fill(btConvexHullShape& out, const Shape& shape) {
    for (const vec3& v : shape.hull->vertices) out.addPoint({v.x, v.y, v.z}, false);
    out.recalcLocalAabb();
    out.setMargin(0.0f);
}

class DetectorPair final : public BulletPair {
public:
    explicit DetectorPair(const PosedPair& pair) {
        fill(a_, pair.a);
        fill(b_, pair.b);
        detector_.emplace(&a_, &b_, &simplex_, &epa_);  // keeps the margins that the hulls have now
        for (const MatrixTransform& pose : pair.poses) {
            const mat3& r = pose.rotation;  // columns here, rows there: the same numbers, bit for bit
            poses_.emplace_back(btMatrix3x3(r[0].x, r[1].x, r[2].x, r[0].y, r[1].y, r[2].y, r[0].z, r[1].z, r[2].z),
                                btVector3(pose.position.x, pose.position.y, pose.position.z));
        }
    }

    float query(std::size_t pose) override {
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA.setIdentity();
        input.m_transformB = poses_[pose];
        btPointCollector answer;
        detector_->getClosestPoints(input, answer, nullptr);
        return answer.m_hasResult ? answer.m_distance : std::numeric_limits<float>::infinity();
    }

private:
    btConvexHullShape a_, b_;
    btVoronoiSimplexSolver simplex_;
    btGjkEpaPenetrationDepthSolver epa_;
    std::optional<btGjkPairDetector> detector_;
    std::vector<btTransform> poses_;
};

}  // namespace

std::unique_ptr<BulletPair> make_bullet_pair(const PosedPair& pair) { return std::make_unique<DetectorPair>(pair); }

}  // namespace talus::profiling
