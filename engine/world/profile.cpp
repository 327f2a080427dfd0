#include <talus/engine/profile.h>

namespace talus {

JointProfile& JointProfile::operator+=(const JointProfile& other) {
    articulations += other.articulations;
    joints += other.joints;
    rows += other.rows;
    factorizations += other.factorizations;
    rounds += other.rounds;
    passes_alone += other.passes_alone;
    microseconds += other.microseconds;
    coupled_microseconds += other.coupled_microseconds;
    if (other.slowest_microseconds > slowest_microseconds) {
        slowest_microseconds = other.slowest_microseconds;
        slowest_body = other.slowest_body;
    }
    return *this;
}

}  // namespace talus
