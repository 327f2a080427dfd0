#pragma once
/// Internal: observers that GJK and EPA call at each step (trace.h).
///
/// The loops are templates over their observer. The engine uses `Unobserved`, for which the calls are left out at
/// compile time. So an observer sees the engine's own loops, not a second copy of them. Plain data only: the kernel's
/// files include neither glm nor the standard library.

namespace talus::detail {

class Polytope;
struct SimplexVertex;

struct Unobserved {
    static constexpr bool watches = false;
};

struct ObservedVertex {
    double w[3], a[3];  ///< the point of the difference, and the point of A's core that it comes from
    unsigned short index_a, index_b;
};

struct ObservedSimplex {
    ObservedVertex vertex[4];
    int count;
    bool encloses;       ///< four vertices enclose the origin
    double closest[3];   ///< its point closest to the origin
    double distance;     ///< of that point: an upper bound of the distance, m
    double lower_bound;  ///< of the distance, proved so far, m
};

/// Is called for each support pair and then, unless the search ends with it, for the simplex that results from it.
class GjkObserver {
public:
    static constexpr bool watches = true;
    virtual ~GjkObserver() = default;
    /// A loop starts, from cached vertices or from nothing. The results of the loop before it are given up or cached.
    virtual void start(bool in_kernel, bool from_cache) = 0;
    virtual void support(const double (&direction)[3], const ObservedVertex& newest, double lower_bound) = 0;
    virtual void simplex(const ObservedSimplex& simplex) = 0;
};

class EpaObserver {
public:
    static constexpr bool watches = true;
    virtual ~EpaObserver() = default;
    /// A polytope starts. The results of the one before it may be given up.
    virtual void start() = 0;
    /// The support pair beyond the nearest face, before it is added to the polytope.
    virtual void support(const Polytope& polytope, int nearest, const SimplexVertex& newest, double lower_bound,
                         double upper_bound) = 0;
    /// The result comes from the last polytope (`back` is 0) or from the one before it (1).
    virtual void answered(int back) = 0;
};

}  // namespace talus::detail
