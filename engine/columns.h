#pragma once
/// Columns: chains of contacts that are solved directly.
///
/// A column is a path of contacts through bodies that have exactly two each: a tower, an arch, a light box between the
/// floor and a heavy one. A sweep over contacts one by one carries a load one contact further, so such chains have to
/// be made soft, and what is soft buckles: a column of springs stands under its own weight up to a height (Greenhill
/// 1881), at 60 Hz and 4 sub-steps some 24 unit boxes, with any number of sweeps. Stiffer springs feed on the lag of
/// the sweeps and throw the tower down.
///
/// Solved at once, a column may be as stiff as one likes. Its soft normal rows make a block-tridiagonal system, a block
/// of up to four points for each contact,
///
///     (J M^-1 J^T + gamma) x = -(J v + bias + gamma P)        P: impulse so far, x: its change, gamma: softness of the spring
///
/// which is solved in each sub-step before the sweep of the soft rows. Points that are apart are left out; what would
/// pull is cut to zero, and the sweep takes care of the rest. With 360 instead of 60 Hz at 4 sub-steps a jittered tower
/// of 30 moves by 2 cm at its top, one of 50 by 3 cm, and a box a thousand times heavier than the one below sinks by 5
/// mm.
///
/// Only long columns, and those of very different masses, are taken: to solve all chains of two contacts in brick walls
/// so makes them tremble (120 J instead of 0.4 in 2,000 bricks), as each of them stiffens what its neighbours then
/// bend.

#include <talus/engine/constraint_graph.h>
#include <talus/engine/contact_solver.h>

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

class Columns {
public:
    /// Finds the columns among the edges, in an order that depends on theirs alone, and gives each edge in one its
    /// `link`. `slots` are the body slots by solver index.
    void find(std::span<ConstraintGraph::Edge> edges, std::span<const std::uint32_t> slots, const BodyStore& bodies);

    /// Groups of columns that push no body in common: any thread may solve any group.
    std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.size() - 1); }

    /// Reads the rows of groups first .. last, which the solver has prepared.
    void prepare(ContactSolver& solver, std::uint32_t first, std::uint32_t last);
    /// Solves groups first .. last: changes impulses and velocities.
    void solve(std::span<SolverBody> bodies, std::uint32_t first, std::uint32_t last);

    std::size_t bytes() const;

private:
    struct Link {
        ContactLane contact;
        glm::dmat4 self{0.0};  ///< J M^-1 J^T of its points
        glm::dmat4 next{0.0};  ///< and with those of the next link; zero in a column's last
        // Of a sub-step: the block once the links before are eliminated, its solution without the next, and the part
        // that the next has in it.
        glm::dvec4 change{0.0};
        glm::dmat4 share{0.0};
    };
    /// Links first .. last, one after the other.
    struct Column {
        std::uint32_t first, last;
        std::uint32_t ends[2];  ///< bodies beyond the outer contacts, solver indices; 0 if they can't be pushed
    };
    struct Contacts {
        std::uint32_t count, edges[2];
    };

    void follow(std::span<const ConstraintGraph::Edge> edges, std::uint32_t edge, std::uint32_t from,
                std::uint32_t& end);
    void make_groups(std::uint32_t body_count);
    void solve(std::span<SolverBody> bodies, const Column& column);

    std::vector<Contacts> of_body_;    ///< by solver index: how many, and the first two
    std::vector<std::uint8_t> taken_;  ///< by edge
    std::vector<std::uint32_t> path_;  ///< edges of the column that is being followed
    std::vector<Link> links_;
    std::vector<Column> columns_;           ///< by group
    std::vector<Column> ungrouped_;         ///< as they were found
    std::vector<std::uint32_t> groups_{0};  ///< first column of each, and the end
    std::vector<std::uint32_t> root_, owner_;
};

}  // namespace talus
