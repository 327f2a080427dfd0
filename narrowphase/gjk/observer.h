#pragma once
/// Internal: observers that are told what GJK and EPA do (trace.h).
///
/// The loops are templates over their observer. In production that is `Unobserved`, whose calls are left out at
/// compile time. So an observer sees what production does, not a second copy of it. Plain data only: the kernel's files
/// include neither glm nor the standard library.

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
    bool encloses;       ///< the origin, by all four
    double closest[3];   ///< to the origin
    double distance;     ///< of that: an upper bound of the distance
    double lower_bound;  ///< proved so far
};

/// Is told of each support pair and then, unless the search ends with it, of the simplex that it led to.
class GjkObserver {
public:
    static constexpr bool watches = true;
    virtual ~GjkObserver() = default;
    /// A loop starts, from cached vertices or from nothing; what the one before it found is given up, or cached.
    virtual void start(bool in_kernel, bool from_cache) = 0;
    virtual void support(const double (&direction)[3], const ObservedVertex& newest, double lower_bound) = 0;
    virtual void simplex(const ObservedSimplex& simplex) = 0;
};

class EpaObserver {
public:
    static constexpr bool watches = true;
    virtual ~EpaObserver() = default;
    /// A polytope starts; what the one before it found may be given up.
    virtual void start() = 0;
    /// The support pair beyond the nearest face, before the polytope takes it in.
    virtual void support(const Polytope& polytope, int nearest, const SimplexVertex& newest, double lower_bound,
                         double upper_bound) = 0;
    /// The attempt that started last but `back` gave the answer.
    virtual void answered(int back) = 0;
};

}  // namespace talus::detail
