#pragma once
/// GJK for moving objects as Ericson describes it ("The GJK algorithm", section 4): three ways from a distance or
/// interference test to the time of collision under a translation, next to the production one.
///
/// They are here for comparison, and for users who want one of them by name. Otherwise use `shape_cast`.

#include <talus/narrowphase/support_mapping.h>

#include <string_view>

namespace talus {

enum class SweptMethod : std::uint8_t {
    /// The motion vector goes into the support mapping, so that one GJK run tests the whole swept volume (Xavier 1997).
    /// Yes or no; on a yes, `fraction` is *some* time at which the two overlap, read off the simplex: a weight of a
    /// vertex from the end of the motion is a share of its time.
    folded,
    /// Interval halving over that test, each run from the simplices of the last one: first contact to 2^-24.
    halving,
    /// Brent's root finder (1973, chapter 4) on the signed distance, after Vlack and Tachi 2001, whom Ericson cites.
    /// The signed distance of convex sets under a translation is a convex function of time: where both ends are apart,
    /// Brent's minimiser (chapter 5) looks for an overlap between them first. EPA gives it its values in overlap.
    brent,
    /// Clipping by support planes: `shape_cast`.
    clipping,
};
inline constexpr int swept_method_count = 4;

std::string_view name_of(SweptMethod method);

struct SweptResult {
    bool hit = false;
    float fraction = 1.0f;         ///< time of collision (see the method), 0 to 1; 1 when there is none
    std::uint16_t queries = 0;     ///< GJK runs
    std::uint16_t iterations = 0;  ///< support pairs, those of EPA included
    bool bad_input = false;        ///< a null hull, a negative size, a number that is not finite, no such method
};

/// /// Returns if and when B touches A while it moves by `translation` (m, A's frame) from the pose `b_in_a`. Touching
/// counts. A pass within a millionth of the size may count as a touch or not.
SweptResult swept_test(const Shape& a, const Shape& b, const Frame& b_in_a, const vec3& translation,
                       SweptMethod method);

/// The same for two support mappings that stand in one frame.
SweptResult swept_test(const SupportMapping& a, const SupportMapping& b, const vec3& translation, SweptMethod method);

}  // namespace talus
