#pragma once
/// GJK for moving objects as Ericson describes it ("The GJK algorithm", section 4): three methods that find the time of
/// collision under a translation from distance or interference tests, beside the engine's own.
///
/// They are here for comparison, and for users who want one of them by name. Otherwise use `shape_cast`.

#include <talus/narrowphase/support_mapping.h>

#include <string_view>

namespace talus {

/// How the time of collision is found.
enum class SweptMethod : std::uint8_t {
    /// The motion vector becomes part of the support mapping, so that one GJK run tests the whole swept volume (Xavier
    /// 1997). It only finds out whether there is a hit. Then `fraction` is *some* time at which the two overlap, taken
    /// from the simplex: the sum of the weights of its vertices that come from the end of the motion.
    folded,
    /// Interval halving by that test. Each run starts from the simplices of the last one. Finds the first contact to
    /// 2^-24 of the motion.
    halving,
    /// Brent's root finder (1973, chapter 4) on the signed distance, after Vlack and Tachi 2001, whom Ericson cites.
    /// The signed distance of convex sets under a translation is a convex function of time. If the shapes are apart at
    /// both ends, Brent's minimiser (chapter 5) first looks for an overlap in between. EPA gives the negative
    /// distances.
    brent,
    /// Clipping by support planes: `shape_cast`.
    clipping,
};
/// The number of values of SweptMethod.
inline constexpr int swept_method_count = 4;

/// Returns the name of the method, such as "halving".
std::string_view name_of(SweptMethod method);

/// When a moving shape meets another one.
struct SweptResult {
    bool hit = false;              ///< whether the two touch during the motion
    float fraction = 1.0f;         ///< time of collision (see the method), 0 to 1; 1 when there is none
    std::uint16_t queries = 0;     ///< GJK runs
    std::uint16_t iterations = 0;  ///< support pairs, those of EPA included
    bool bad_input = false;        ///< a null hull, a negative size, a number that is not finite, no such method
};

/// Returns whether and when B touches A while it moves by `translation` (m, A's frame) from the pose `b_in_a`. Touching
/// counts as a hit. A pass within a millionth of the size may count as a hit or as a miss.
SweptResult swept_test(const Shape& a, const Shape& b, const MatrixTransform& b_in_a, const vec3& translation,
                       SweptMethod method);

/// The same for two support mappings in one frame.
SweptResult swept_test(const SupportMapping& a, const SupportMapping& b, const vec3& translation, SweptMethod method);

}  // namespace talus
