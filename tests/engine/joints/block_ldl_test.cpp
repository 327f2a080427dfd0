// The direct solver of joints against a plain one with more digits.

#include "engine/joint_solver/matrix/block_ldl.h"

#include "tests/engine/worlds.h"

using namespace talus;
using namespace talus::test;

namespace {

constexpr int rows = 12, unknowns = 18;

/// Two welds in a row, at anchors far from the needle: between a heavy body and a needle, and between the needle and a
/// light body.
struct Welds {
    long double inverse_mass[unknowns][unknowns] = {};
    long double jacobian[rows][unknowns] = {};
    double matrix[rows][rows] = {};

    explicit Welds(Random& random, double thinness) {
        const double masses[3] = {3000.0, 1e-5, 1.2};
        for (int b = 0; b < 3; ++b) {
            const glm::dmat3 axes = glm::dmat3(to_matrix(random.rotation()));
            glm::dvec3 moments(0.1 * masses[b]);
            if (b == 1) moments = masses[b] * glm::dvec3(1e-4 * thinness, 1e-4, 1e-4);
            for (int i = 0; i < 3; ++i) {
                inverse_mass[6 * b + i][6 * b + i] = 1.0L / masses[b];
                for (int k = 0; k < 3; ++k) {
                    for (int m = 0; m < 3; ++m)
                        inverse_mass[6 * b + 3 + i][6 * b + 3 + k] +=
                            static_cast<long double>(axes[m][i]) * axes[m][k] / moments[m];
                }
            }
        }
        for (int joint = 0; joint < 2; ++joint) {
            for (int side = 0; side < 2; ++side) {
                const glm::dvec3 arm = 1.5 * glm::dvec3(random.direction());
                const double sign = side == 0 ? -1.0 : 1.0;
                for (int i = 0; i < 3; ++i) {
                    glm::dvec3 axis(0.0);
                    axis[i] = 1.0;
                    const glm::dvec3 moment = glm::cross(arm, axis);
                    const int column = 6 * (joint + side);
                    jacobian[6 * joint + i][column + i] = sign;
                    jacobian[6 * joint + 3 + i][column + 3 + i] = sign;
                    for (int k = 0; k < 3; ++k) jacobian[6 * joint + i][column + 3 + k] = sign * moment[k];
                }
            }
        }
        for (int i = 0; i < rows; ++i) {
            for (int k = 0; k < rows; ++k) {
                long double sum = 0.0L;
                for (int m = 0; m < unknowns; ++m) {
                    for (int n = 0; n < unknowns; ++n) sum += jacobian[i][m] * inverse_mass[m][n] * jacobian[k][n];
                }
                matrix[i][k] = static_cast<double>(sum);
            }
        }
        for (int i = 0; i < rows; ++i) matrix[i][i] *= 1.0 + 1e-10;
    }

    void fill(BlockLdl& ldl, const BlockLdl::Place& place) const {
        for (std::uint32_t node = 0; node < 2; ++node) {
            for (unsigned i = 0; i < 6; ++i) {
                for (unsigned k = 0; k < ldl.width(node); ++k)
                    ldl.diagonal(node)[i * ldl.width(node) + k] = k < 6 ? matrix[6 * node + i][6 * node + k] : 0.0;
            }
        }
        for (unsigned j = 0; j < 6; ++j) {
            for (unsigned i = 0; i < ldl.width(place.row); ++i)
                ldl.block(place)[j * ldl.width(place.row) + i] =
                    i < 6 ? matrix[6 * place.row + i][6 * place.column + j] : 0.0;
        }
    }

    /// The velocity of the needle along a direction by a push along it: alone, and through the joints.
    std::pair<double, double> response(BlockLdl& ldl, const vec3& along) const {
        long double pushed[unknowns] = {}, alone = 0.0L;
        for (int i = 0; i < 3; ++i) {
            pushed[6 + i] = inverse_mass[6 + i][6 + i] * along[i];
            alone += pushed[6 + i] * along[i];
        }
        long double given = alone;
        double speeds[rows];
        for (int i = 0; i < rows; ++i) {
            long double speed = 0.0L;
            for (int m = 0; m < unknowns; ++m) speed += jacobian[i][m] * pushed[m];
            speeds[i] = static_cast<double>(speed);
        }
        for (std::uint32_t node = 0; node < 2; ++node) {
            std::fill_n(ldl.vector(node), ldl.width(node), 0.0);
            for (unsigned i = 0; i < 6; ++i) ldl.vector(node)[i] = speeds[6 * node + i];
        }
        ldl.solve(0);
        for (int i = 0; i < rows; ++i)
            given -= static_cast<long double>(speeds[i]) * ldl.vector(static_cast<std::uint32_t>(i / 6))[i % 6];
        return {static_cast<double>(alone), static_cast<double>(given)};
    }
};

/// Whether the quick factorisation was exact enough.
bool factor(BlockLdl& ldl, const Welds& welds, const BlockLdl::Place& place) {
    welds.fill(ldl, place);
    if (ldl.factor(0)) return true;
    welds.fill(ldl, place);
    ldl.factor_with_care(0);
    return false;
}

}  // namespace

TEST_CASE("joints of a needle between heavy bodies do not answer a push by its opposite") {
    Random random(4);
    int careful = 0;
    for (int round = 0; round < 200; ++round) {
        BlockLdl ldl(joint_kernel_base);
        const BlockLdl::NodeDef nodes[2] = {{6, 0}, {6, 0}};
        const BlockLdl::Edge edges[1] = {{0, 1}};
        std::vector<BlockLdl::Place> places;
        ldl.add_system(nodes, edges, places);
        ldl.set_size(0, 6);
        ldl.set_size(1, 6);
        const double thinness = round % 2 == 0 ? 1.0 : 1e-3;
        const Welds welds(random, thinness);
        careful += factor(ldl, welds, places[0]) ? 0 : 1;
        const auto [alone, given] = welds.response(ldl, random.direction());
        CAPTURE(round);
        CHECK(given > 0.0);
        CHECK(given < 0.01 * alone);
    }
    CHECK(careful > 100);
}

TEST_CASE("ordinary joints are factored the quick way") {
    BlockLdl ldl(joint_kernel_base);
    const BlockLdl::NodeDef nodes[1] = {{6, 0}};
    std::vector<BlockLdl::Place> places;
    ldl.add_system(nodes, {}, places);
    ldl.set_size(0, 6);
    for (unsigned i = 0; i < 6; ++i) {
        for (unsigned k = 0; k < ldl.width(0); ++k)
            ldl.diagonal(0)[i * ldl.width(0) + k] = i == k ? 2.0 : k < 6 ? 1.0 : 0.0;
    }
    CHECK(ldl.factor(0));
}
