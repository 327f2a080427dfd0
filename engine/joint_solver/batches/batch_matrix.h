#pragma once
/// Internal: the matrix of a batch, J M^-1 J^T + slack, and its factorisation L D L^T, in lanes.
///
/// The matrix has one block row per joint. Joints are eliminated from the leaves of the tree to its root, so that
/// elimination writes only where two joints share a link: there is no fill-in. A row is in the matrix if it takes part
/// in any lane. In lanes where it does not, its row and column are zero, with 1 on the diagonal, and so is its solution.

#include "engine/joint_solver/batches/batch_math.h"
#include "engine/joint_solver/matrix/joint_kernel.h"
#include "engine/joint_solver/matrix/known_size.h"

namespace talus::TALUS_LANES {

struct Members;

/// A batch with the types of its records and of its workspace.
struct Batch {
    JointBatchView& view;
    const JointPass pass;
    const BatchLayoutView& layout;
    Link* const links;
    Joint* const joints;
    Row* const records;
    D *const impulses, *const slacks, *const values, *const inverse_pivots;
    Motion* const motions;
    Pose* const poses;
    D *const residuals, *const changes, *const impulses_before, *const newton_impulses, *const right_sides;
    I* const takes;  ///< by row: the lanes in which it is in the matrix
    Members* const members;

    Batch(JointBatchView& v, JointPass p)
        : view(v),
          pass(p),
          layout(v.layout),
          links(static_cast<Link*>(v.links)),
          joints(static_cast<Joint*>(v.joints)),
          records(static_cast<Row*>(v.rows)),
          impulses(static_cast<D*>(v.impulses)),
          slacks(static_cast<D*>(v.slacks)),
          values(static_cast<D*>(v.values)),
          inverse_pivots(static_cast<D*>(v.inverse_pivots)),
          motions(static_cast<Motion*>(v.motions)),
          poses(static_cast<Pose*>(v.poses)),
          residuals(static_cast<D*>(v.numbers)),
          changes(residuals + v.layout.row_count),
          impulses_before(changes + v.layout.row_count),
          newton_impulses(impulses_before + v.layout.row_count),
          right_sides(newton_impulses + v.layout.row_count),
          takes(static_cast<I*>(v.masks)),
          members(static_cast<Members*>(v.members)) {}

    Row& record(unsigned r) const { return records[layout.rows[r].record]; }
};

/// Whether a row is in the direct solve, by lane (takes_part() in articulations.h).
TALUS_INLINE I takes_part(const Batch& b, unsigned r) {
    const BatchRowLayout& layout = b.layout.rows[r];
    if (layout.kind == RowKind::lock) return ~none();
    if (layout.kind == RowKind::spring && b.pass == JointPass::relax) return none();
    const I free = is_set(b.record(r).free);
    return layout.has_limit ? free & ~is_set(b.record(r - 1).free) : free;
}

TALUS_INLINE bool is_rotation(RowAxis axis) { return axis != RowAxis::point && !is_along_axis(axis); }

/// Returns the change of angular velocity of the link on one side of a joint by a unit impulse of a row.
TALUS_INLINE const V3& turn_response(const Batch& b, const Joint& joint, unsigned r, unsigned side) {
    const BatchRowLayout& layout = b.layout.rows[r];
    return layout.axis == RowAxis::point ? column(joint.point_response[side], layout.axis_index)
                                         : b.record(r).turn_response[side];
}

/// Returns the angular part of the Jacobian of a row that is not along RowAxis::point.
TALUS_INLINE V3 turn_of(const BatchRowLayout& layout, const Row& row, unsigned side) {
    if (!is_rotation(layout.axis)) return row.turn[side];
    return side == 1 ? row.axis : -row.axis;
}

/// The rows of a joint that are in the matrix.
struct Members {
    unsigned count;
    bool all;                            ///< all of them take part in all lanes
    bool changed;                        ///< they are not those of the matrix that was factored last
    bool stale;                          ///< the joint's part of that matrix must be made again
    unsigned char row[most_joint_rows];  ///< within the joint
    unsigned char unused[batch_member_bytes - 8 - most_joint_rows];
};

static_assert(sizeof(Members) == batch_member_bytes);

/// Finds the rows of all joints that are in the matrix, and the lanes in which they take part.
static void find_members(const Batch& b) {
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        const BatchJointLayout& layout = b.layout.joints[j];
        Members& members = b.members[j];
        members.count = 0;
        members.all = true;
        members.changed = !b.view.members_known;
        for (unsigned i = 0; i < layout.row_count; ++i) {
            const unsigned r = layout.first_row + i;
            if (b.layout.rows[r].kind != RowKind::lock) {
                const I takes = takes_part(b, r);
                members.changed = members.changed || any(takes ^ b.takes[r]);
                b.takes[r] = takes;
                if (!any(takes)) continue;
                members.all = false;
            } else {
                b.takes[r] = ~none();
            }
            members.row[members.count++] = static_cast<unsigned char>(i);
        }
    }
    b.view.members_known = true;
}

/// Finds the members of a matrix that an earlier pass has factored, so that factor() can make only a part of it again.
/// Call it before rows are freed or clamped.
static void note_members(const Batch& b) {
    const bool holds = b.view.factored == b.pass || (b.view.factored != JointPass::none && !b.layout.springs);
    if (b.layout.bounded && holds) find_members(b);
}

/// Finds the joints whose part of the matrix must be made again: the joints whose rows have changed; the joints with a
/// block between them and such a joint; and the later joints that the elimination of one of these changes.
static void find_stale(const Batch& b) {
    for (unsigned j = 0; j < b.layout.joint_count; ++j) b.members[j].stale = b.members[j].changed;
    for (unsigned at = 0; at < b.layout.joint_count; ++at) {
        const BatchJointLayout& layout = b.layout.joints[b.layout.order[at]];
        bool& stale = b.members[b.layout.order[at]].stale;
        const BatchBlock* const blocks = b.layout.blocks + layout.first_block;
        for (unsigned k = 0; k < layout.block_count; ++k) stale = stale || b.members[blocks[k].joint].changed;
        for (unsigned k = 0; stale && k < layout.block_count; ++k) b.members[blocks[k].joint].stale = true;
    }
}

/// Calls loop(size) with a number that is known at compile time for the sizes that most blocks have.
template <class Loop>
TALUS_INLINE void for_usual_size(unsigned size, Loop&& loop) {
    if (size == 3) return loop(Known<3>{});
    loop(Unknown{size});
}

/// Returns the product of a row's Jacobian on one side with the response of a row of another joint (or the same) on one
/// of its sides, for any rows. `mass` is the inverse mass of the link, negative if the two sides differ.
static D product(const Batch& b, const Joint& joint, unsigned r, unsigned side, const Joint& other_joint,
                 unsigned other, unsigned other_side, D mass) {
    const BatchRowLayout &layout = b.layout.rows[r], &other_layout = b.layout.rows[other];
    const V3& turn = turn_response(b, other_joint, other, other_side);
    if (layout.axis == RowAxis::point) {
        D sum = component(cross(turn, joint.lever[side]), layout.axis_index);
        if (other_layout.axis == RowAxis::point) {
            if (other_layout.axis_index == layout.axis_index) sum += mass;
        } else if (is_along_axis(other_layout.axis)) {
            sum += mass * component(b.record(other).axis, layout.axis_index);
        }
        return sum;
    }
    const Row& row = b.record(r);
    const D sum = dot(turn_of(layout, row, side), turn);
    if (!is_along_axis(layout.axis)) return sum;
    if (other_layout.axis == RowAxis::point) return sum + mass * component(row.axis, other_layout.axis_index);
    if (is_along_axis(other_layout.axis)) return sum + mass * dot(row.axis, b.record(other).axis);
    return sum;
}

/// Writes the diagonal block of an anchored joint, the lower triangle row by row.
template <class Size>
TALUS_INLINE void fill_anchored(const Batch& b, const BatchJointLayout& layout, const Joint& joint, const Members& own,
                                D* out, Size size) {
    const unsigned n = size.value;
    const D mass = b.links[layout.link[0]].inverse_mass + b.links[layout.link[1]].inverse_mass;
    const V3 &lever_a = joint.lever[0], &lever_b = joint.lever[1];
    const unsigned first = layout.first_row;
    const D* const slacks = b.slacks + first;
    const auto set_column = [&](unsigned c, const V3& turn_a, const V3& turn_b) {
        const V3 turn = turn_b - turn_a;
        for (unsigned i = c < 3 ? 3 : c; i < n; ++i) out[i * n + c] = dot(b.record(first + own.row[i]).axis, turn);
    };
    for (unsigned c = 0; c < 3; ++c) {
        const V3 &turn_a = column(joint.point_response[0], c), &turn_b = column(joint.point_response[1], c);
        const V3 at = cross(turn_a, lever_a) + cross(turn_b, lever_b);
        if (c == 0) out[0] = at.x + mass + slacks[0];
        if (c == 0) out[n] = at.y;
        if (c == 1) out[n + 1] = at.y + mass + slacks[1];
        if (c <= 1) out[2 * n + c] = at.z;
        if (c == 2) out[2 * n + 2] = at.z + mass + slacks[2];
        set_column(c, turn_a, turn_b);
    }
    for (unsigned c = 3; c < n; ++c) {
        const Row& row = b.record(first + own.row[c]);
        set_column(c, row.turn_response[0], row.turn_response[1]);
        out[c * n + c] += slacks[own.row[c]];
    }
}

/// Writes a block between two anchored joints, each with one of its sides on the same link. `mass` is the inverse mass
/// of the link, negative if the two sides differ.
template <class Size, class Width>
TALUS_INLINE void fill_anchored(const Batch& b, unsigned j, unsigned side, unsigned other, unsigned other_side, D mass,
                                D* out, Size size, Width width) {
    const unsigned n = size.value, w = width.value;
    const Members &own = b.members[j], &others = b.members[other];
    const unsigned first = b.layout.joints[j].first_row, other_first = b.layout.joints[other].first_row;
    const V3& lever = b.joints[j].lever[side];
    const auto set_column = [&](unsigned c, const V3& turn) {
        const V3 at = cross(turn, lever);
        out[c] = c == 0 ? at.x + mass : at.x;
        out[w + c] = c == 1 ? at.y + mass : at.y;
        out[2 * w + c] = c == 2 ? at.z + mass : at.z;
        for (unsigned i = 3; i < n; ++i) {
            const D sum = dot(b.record(first + own.row[i]).axis, turn);
            out[i * w + c] = side == 1 ? sum : -sum;
        }
    };
    for (unsigned c = 0; c < 3; ++c) set_column(c, column(b.joints[other].point_response[other_side], c));
    for (unsigned c = 3; c < w; ++c) set_column(c, b.record(other_first + others.row[c]).turn_response[other_side]);
}

/// The Jacobians of the rows of a joint that are in the matrix, for any joint.
struct Jacobians {
    V3 linear[most_joint_rows], angular[2][most_joint_rows];  ///< angular on side A and on side B
    bool moves[most_joint_rows];                              ///< the row has a linear part

    void find(const Batch& b, unsigned j) {
        const Joint& joint = b.joints[j];
        const Members& own = b.members[j];
        for (unsigned i = 0; i < own.count; ++i) {
            const unsigned r = b.layout.joints[j].first_row + own.row[i];
            moves[i] = !is_rotation(b.layout.rows[r].axis);
            linear[i] = moves[i] ? linear_part(b, r) : no_vector();
            for (unsigned side = 0; side < 2; ++side) {
                angular[side][i] = b.layout.rows[r].axis == RowAxis::point
                                       ? cross(joint.lever[side], linear[i])
                                       : turn_of(b.layout.rows[r], b.record(r), side);
            }
        }
    }
    /// Returns the linear part of a row for B, which is not a rotation.
    static V3 linear_part(const Batch& b, unsigned r) {
        const BatchRowLayout& layout = b.layout.rows[r];
        if (layout.axis != RowAxis::point) return b.record(r).axis;
        const auto unit = [&](unsigned i) { return splat(layout.axis_index == i ? 1.0 : 0.0); };
        return {unit(0), unit(1), unit(2)};
    }
};

/// Writes the diagonal block of any joint, the lower triangle row by row.
static void fill_any(const Batch& b, unsigned j, const Jacobians& own, D* out) {
    const BatchJointLayout& layout = b.layout.joints[j];
    const Members& members = b.members[j];
    const unsigned n = members.count;
    const D mass = b.links[layout.link[0]].inverse_mass + b.links[layout.link[1]].inverse_mass;
    for (unsigned c = 0; c < n; ++c) {
        const unsigned r = layout.first_row + members.row[c];
        const V3 turn_a = turn_response(b, b.joints[j], r, 0), turn_b = turn_response(b, b.joints[j], r, 1);
        const V3 linear = mass * own.linear[c];
        for (unsigned i = c; i < n; ++i) {
            D sum = dot(own.angular[0][i], turn_a) + dot(own.angular[1][i], turn_b);
            if (own.moves[i] && own.moves[c]) sum += dot(own.linear[i], linear);
            out[i * n + c] = sum;
        }
        out[c * n + c] += b.slacks[r];
    }
}

/// Writes a block between any two joints, each with one of its sides on the same link. `mass` is the inverse mass of the
/// link, negative if the two sides differ.
static void fill_any(const Batch& b, const Jacobians& own, unsigned n, unsigned side, unsigned other,
                     unsigned other_side, D mass, D* out) {
    const BatchJointLayout& layout = b.layout.joints[other];
    const Members& members = b.members[other];
    const unsigned w = members.count;
    for (unsigned c = 0; c < w; ++c) {
        const unsigned r = layout.first_row + members.row[c];
        const V3 turn = turn_response(b, b.joints[other], r, other_side);
        const bool moves = !is_rotation(b.layout.rows[r].axis);
        const V3 linear = moves ? mass * Jacobians::linear_part(b, r) : no_vector();
        for (unsigned i = 0; i < n; ++i) {
            D sum = dot(own.angular[side][i], turn);
            if (own.moves[i] && moves) sum += dot(own.linear[i], linear);
            out[i * w + c] = sum;
        }
    }
}

/// Fills in the diagonal block of a joint and the blocks below it.
static void fill_joint(const Batch& b, unsigned j) {
    const BatchJointLayout& layout = b.layout.joints[j];
    const Joint& joint = b.joints[j];
    const Members& own = b.members[j];
    const auto row_of = [&](unsigned i) { return layout.first_row + own.row[i]; };
    D* const diagonal = b.values + layout.diagonal;
    const unsigned n = own.count;
    bool all_anchored = layout.anchored;
    for (unsigned k = layout.first_block; k < layout.first_block + layout.block_count; ++k)
        all_anchored = all_anchored && b.layout.joints[b.layout.blocks[k].joint].anchored;
    Jacobians jacobians;
    if (!all_anchored) jacobians.find(b, j);
    if (layout.anchored) {
        for_size(n, [&](const auto size) { fill_anchored(b, layout, joint, own, diagonal, size); });
    } else {
        fill_any(b, j, jacobians, diagonal);
    }
    for (unsigned c = 0; !own.all && c < n; ++c) {
        const I takes = b.takes[row_of(c)];
        for (unsigned i = 0; i < c; ++i) diagonal[c * n + i] = where(takes, diagonal[c * n + i]);
        diagonal[c * n + c] = takes ? diagonal[c * n + c] : one();
        for (unsigned i = c + 1; i < n; ++i) diagonal[i * n + c] = where(takes, diagonal[i * n + c]);
    }
    for (unsigned k = layout.first_block; k < layout.first_block + layout.block_count; ++k) {
        const BatchBlock& block = b.layout.blocks[k];
        const BatchJointLayout& other_layout = b.layout.joints[block.joint];
        const Members& others = b.members[block.joint];
        const D inverse_mass = b.links[layout.link[block.side]].inverse_mass;
        const D mass = block.side == block.other_side ? inverse_mass : -inverse_mass;
        D* const out = b.values + block.place;
        const unsigned w = others.count;
        if (layout.anchored && other_layout.anchored) {
            const auto fill = [&](const auto size, const auto width) {
                fill_anchored(b, j, block.side, block.joint, block.other_side, mass, out, size, width);
            };
            for_size(n, [&](const auto size) { for_usual_size(w, [&](const auto width) { fill(size, width); }); });
        } else {
            fill_any(b, jacobians, n, block.side, block.joint, block.other_side, mass, out);
        }
        for (unsigned i = 0; !(own.all && others.all) && i < n; ++i) {
            for (unsigned c = 0; c < w; ++c)
                out[i * w + c] =
                    where(b.takes[row_of(i)] & b.takes[other_layout.first_row + others.row[c]], out[i * w + c]);
        }
    }
    unsigned bits = 0;
    for (unsigned i = 0; i < n; ++i) bits |= 1u << own.row[i];
    b.view.in_matrix[j] = bits;
    b.view.sizes[j] = n;
}

/// Replaces the lower triangle of a symmetric block by its L, and writes the reciprocals of D.
template <class Size>
TALUS_INLINE void factor_diagonal(D* block, D* inverse_pivots, Size size) {
    const unsigned n = size.value;
    D before[most_joint_rows];
    for (unsigned i = 0; i < n; ++i) before[i] = block[i * n + i];
    for (unsigned j = 0; j < n; ++j) {
        const D pivot = block[j * n + j];
        const I sound = pivot > lost_pivot * before[j];
        const D inverse = where(sound, 1.0 / (sound ? pivot : one()));
        inverse_pivots[j] = inverse;
        for (unsigned i = j + 1; i < n; ++i) {
            const D factor = block[i * n + j] * inverse;
            for (unsigned k = i; k < n; ++k) block[k * n + i] -= block[k * n + j] * factor;
            block[i * n + j] = factor;
        }
    }
}

/// Eliminates a joint whose diagonal block has been factored: replaces one of the blocks below it, B, by L^-1 B.
template <class Size, class Width>
TALUS_INLINE void scale_block(D* block, const D* diagonal, Size size, Width width) {
    const unsigned n = size.value, w = width.value;
    for (unsigned c = 0; c < w; ++c) {
        for (unsigned j = 0; j < n; ++j) {
            for (unsigned i = j + 1; i < n; ++i) block[i * w + c] -= diagonal[i * n + j] * block[j * w + c];
        }
    }
}

/// target -= left^T D^-1 right, row by row; only the lower triangle if `lower`.
template <bool lower, class Size, class Rows, class Columns>
TALUS_INLINE void subtract_product(D* target, const D* left, const D* right, const D* inverse_pivots, Size size,
                                   Rows rows, Columns columns) {
    const unsigned n = size.value, m = rows.value, w = columns.value;
    for (unsigned r = 0; r < m; ++r) {
        D scaled[most_joint_rows];
        for (unsigned i = 0; i < n; ++i) scaled[i] = inverse_pivots[i] * left[i * m + r];
        for (unsigned c = 0; c < (lower ? r + 1 : w); ++c) {
            D sum = scaled[0] * right[c];
            for (unsigned i = 1; i < n; ++i) sum += scaled[i] * right[i * w + c];
            target[r * w + c] -= sum;
        }
    }
}

/// Factors the matrix. If only some rows have been freed or clamped since the last time, it makes only the blocks again
/// that depend on them. The result has the same bits.
static void factor(const Batch& b) {
    find_members(b);
    find_stale(b);
    for (unsigned j = 0; j < b.layout.joint_count; ++j) {
        if (b.members[j].stale) fill_joint(b, j);
    }
    const unsigned* const sizes = b.view.sizes;
    for (unsigned at = 0; at < b.layout.joint_count; ++at) {
        const unsigned joint = b.layout.order[at];
        const BatchJointLayout& layout = b.layout.joints[joint];
        if (sizes[joint] == 0) continue;
        const bool stale = b.members[joint].stale;
        D* const diagonal = b.values + layout.diagonal;
        D* const inverse_pivots = b.inverse_pivots + layout.first_row;
        const BatchBlock* const blocks = b.layout.blocks + layout.first_block;
        for_size(sizes[joint], [&](const auto size) {
            if (stale) factor_diagonal(diagonal, inverse_pivots, size);
            for (unsigned k = 0; stale && k < layout.block_count; ++k) {
                for_usual_size(sizes[blocks[k].joint], [&](const auto width) {
                    scale_block(b.values + blocks[k].place, diagonal, size, width);
                });
            }
            const unsigned* update = b.layout.updates + layout.first_update;
            for (unsigned k = 0; k < layout.block_count; update += layout.block_count - ++k) {
                if (!b.members[blocks[k].joint].stale) continue;
                const D* const left = b.values + blocks[k].place;
                for_usual_size(sizes[blocks[k].joint], [&](const auto rows) {
                    subtract_product<true>(b.values + b.layout.joints[blocks[k].joint].diagonal, left, left,
                                           inverse_pivots, size, rows, rows);
                    for (unsigned l = k + 1; l < layout.block_count; ++l) {
                        subtract_product<false>(b.values + update[l - k - 1], left, b.values + blocks[l].place,
                                                inverse_pivots, size, rows, Unknown{sizes[blocks[l].joint]});
                    }
                });
            }
        });
    }
    b.view.factored = b.pass;
}

/// Calls visit(its layout, number of its rows in the matrix) for a joint that has any.
template <class Visit>
TALUS_INLINE void with_size(const Batch& b, unsigned joint, Visit&& visit) {
    if (b.view.sizes[joint] == 0) return;
    for_size(b.view.sizes[joint], [&](const auto size) { visit(b.layout.joints[joint], size); });
}

/// Calls visit(block, right-hand sides of its later joint, number of these) for the blocks below a joint's diagonal.
template <class Visit>
TALUS_INLINE void for_each_block(const Batch& b, const BatchJointLayout& layout, Visit&& visit) {
    for (unsigned k = layout.first_block; k < layout.first_block + layout.block_count; ++k) {
        const BatchBlock& block = b.layout.blocks[k];
        D* const other = b.right_sides + b.layout.joints[block.joint].first_row;
        for_usual_size(b.view.sizes[block.joint],
                       [&](const auto width) { visit(b.values + block.place, other, width.value); });
    }
}

/// Solves in place: `right_sides` holds right-hand sides, by row of the matrix, then the solution.
static void solve_factored(const Batch& b) {
    for (unsigned at = 0; at < b.layout.joint_count; ++at) {
        with_size(b, b.layout.order[at], [&](const BatchJointLayout& layout, const auto size) {
            const unsigned n = size.value;
            const D* const l = b.values + layout.diagonal;
            D* const out = b.right_sides + layout.first_row;
            D x[most_joint_rows];
            for (unsigned i = 0; i < n; ++i) x[i] = out[i];
            for (unsigned j = 0; j < n; ++j) {
                for (unsigned i = j + 1; i < n; ++i) x[i] -= l[i * n + j] * x[j];
            }
            for (unsigned i = 0; i < n; ++i) out[i] = x[i] = b.inverse_pivots[layout.first_row + i] * x[i];
            for_each_block(b, layout, [&](const D* y, D* other, unsigned w) {
                for (unsigned c = 0; c < w; ++c) {
                    D sum = x[0] * y[c];
                    for (unsigned i = 1; i < n; ++i) sum += x[i] * y[i * w + c];
                    other[c] -= sum;
                }
            });
        });
    }
    for (unsigned at = b.layout.joint_count; at-- > 0;) {
        with_size(b, b.layout.order[at], [&](const BatchJointLayout& layout, const auto size) {
            const unsigned n = size.value;
            const D* const l = b.values + layout.diagonal;
            D* const out = b.right_sides + layout.first_row;
            D x[most_joint_rows], sum[most_joint_rows];
            for (unsigned i = 0; i < n; ++i) sum[i] = zero();
            for_each_block(b, layout, [&](const D* y, const D* other, unsigned w) {
                for (unsigned c = 0; c < w; ++c) {
                    for (unsigned i = 0; i < n; ++i) sum[i] += y[i * w + c] * other[c];
                }
            });
            for (unsigned i = 0; i < n; ++i) x[i] = out[i] - b.inverse_pivots[layout.first_row + i] * sum[i];
            for (unsigned j = n; j-- > 0;) {
                for (unsigned i = j + 1; i < n; ++i) x[j] -= l[i * n + j] * x[i];
            }
            for (unsigned i = 0; i < n; ++i) out[i] = x[i];
        });
    }
}

}  // namespace talus::TALUS_LANES
