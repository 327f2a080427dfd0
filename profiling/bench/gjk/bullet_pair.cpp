#include "profiling/bench/gjk/bullet_pair.h"

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <limits>

namespace talus::profiling {

namespace {

void fill(btConvexHullShape& out, const Shape& shape) {
    for (const vec3& v : shape.hull->vertices) out.addPoint({v.x, v.y, v.z}, false);
    out.recalcLocalAabb();
    out.setMargin(0.0f);
}

}  // namespace

struct BulletPair::State {
    btConvexHullShape a, b;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    std::unique_ptr<btGjkPairDetector> detector;
    std::vector<btTransform> poses;
};

BulletPair::BulletPair(const PosedPair& pair) : state_(std::make_unique<State>()) {
    fill(state_->a, pair.a);
    fill(state_->b, pair.b);
    state_->detector = std::make_unique<btGjkPairDetector>(&state_->a, &state_->b, &state_->simplex, &state_->epa);
    for (const Frame& pose : pair.poses) {
        const mat3& r = pose.rotation;  // columns here, rows there: the same numbers, bit for bit
        state_->poses.emplace_back(btMatrix3x3(r[0].x, r[1].x, r[2].x, r[0].y, r[1].y, r[2].y, r[0].z, r[1].z, r[2].z),
                                   btVector3(pose.position.x, pose.position.y, pose.position.z));
    }
}

BulletPair::~BulletPair() = default;
BulletPair::BulletPair(BulletPair&&) noexcept = default;

float BulletPair::query(std::size_t pose) {
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA.setIdentity();
    input.m_transformB = state_->poses[pose];
    btPointCollector answer;
    state_->detector->getClosestPoints(input, answer, nullptr);
    return answer.m_hasResult ? answer.m_distance : std::numeric_limits<float>::infinity();
}

}  // namespace talus::profiling
