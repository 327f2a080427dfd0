#include "engine/stiff_groups/group_matrix.h"

#include "engine/stiff_groups/group_newton.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

/// Replaces a by its Cholesky factor: the lower triangular c with c c^T = a. A pivot that is lost to rounding is
/// replaced by the smallest sensible value, which makes that direction nearly rigid.
void cholesky(Block6& a) {
    for (int k = 0; k < 6; ++k) {
        const double was = a[7 * k];
        double pivot = was;
        for (int i = 0; i < k; ++i) pivot -= a[6 * k + i] * a[6 * k + i];
        const double root = std::sqrt(std::max(pivot, 1e-14 * was));
        a[7 * k] = root;
        const double inverse = 1.0 / root;
        for (int r = k + 1; r < 6; ++r) {
            double sum = a[6 * r + k];
            for (int i = 0; i < k; ++i) sum -= a[6 * r + i] * a[6 * k + i];
            a[6 * r + k] = sum * inverse;
        }
    }
}

/// x = x c^-T
void divide(Block6& x, const Block6& c) {
    for (int k = 0; k < 6; ++k) {
        const double inverse = 1.0 / c[7 * k];
        for (int r = 0; r < 6; ++r) {
            double sum = x[6 * r + k];
            for (int i = 0; i < k; ++i) sum -= x[6 * r + i] * c[6 * k + i];
            x[6 * r + k] = sum * inverse;
        }
    }
}

Block6 transposed(const Block6& m) {
    Block6 t;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) t[6 * i + j] = m[6 * j + i];
    }
    return t;
}

/// x -= l t
void subtract_product(Block6& x, const Block6& l, const Block6& t) {
    using Two = double __attribute__((vector_size(16), aligned(8), may_alias));
    const auto two = [](const double* p) { return *reinterpret_cast<const Two*>(p); };
    for (int r = 0; r < 6; ++r) {
        double* row = x.data() + 6 * r;
        Two a = two(row), b = two(row + 2), c = two(row + 4);
        for (int i = 0; i < 6; ++i) {
            const double f = l[6 * r + i];
            const Two ff = {f, f};
            a -= ff * two(t.data() + 6 * i);
            b -= ff * two(t.data() + 6 * i + 2);
            c -= ff * two(t.data() + 6 * i + 4);
        }
        *reinterpret_cast<Two*>(row) = a;
        *reinterpret_cast<Two*>(row + 2) = b;
        *reinterpret_cast<Two*>(row + 4) = c;
    }
}

void add_outer_product(Block6& block, double weight, const double* rows, const double* columns) {
    for (int i = 0; i < 6; ++i) {
        const double f = weight * rows[i];
        for (int k = 0; k < 6; ++k) block[6 * i + k] += f * columns[k];
    }
}

/// Adds w J^T J of a row to the blocks of its two bodies.
void add_row(GroupFactors& factors, std::uint32_t a, std::uint32_t b, std::uint32_t block, double weight,
             const double* row) {
    const double *ja = row, *jb = row + 6;
    if (a != null_index) add_outer_product(factors.diagonal[a], weight, ja, ja);
    if (b != null_index) add_outer_product(factors.diagonal[b], weight, jb, jb);
    if (block == null_index) return;
    if (a > b) {
        add_outer_product(factors.below[block], weight, ja, jb);
    } else {
        add_outer_product(factors.below[block], weight, jb, ja);
    }
}

/// Adds sliding friction. Along the slip its impulse is constant; across it, the impulse rotates with the slip.
void add_sliding(GroupFactors& factors, const GroupContact& c) {
    const GroupFriction f = friction_at(c, 0.0);
    const double* const rows[3] = {c.rows[tangent_rows], c.rows[tangent_rows + 1], c.rows[twist_row]};
    const double turning = c.weight * c.limit / f.size;
    const double friction = std::sqrt(f.wanted[0] * f.wanted[0] + f.wanted[1] * f.wanted[1]);
    const bool slips = friction > 0.0;  // otherwise only twist slides
    const double part_1 = slips ? f.wanted[0] : 1.0, part_2 = slips ? f.wanted[1] : 0.0;
    double along[12], across[12];
    for (int i = 0; i < 12; ++i) {
        along[i] = (part_1 * rows[0][i] + part_2 * rows[1][i]) / (slips ? friction : 1.0);
        across[i] = (part_1 * rows[1][i] - part_2 * rows[0][i]) / (slips ? friction : 1.0);
    }
    add_row(factors, c.a, c.b, c.block, turning, across);
    if (!(c.shared_arm > 0.0)) return;
    // If friction and twist share a limit, the impulse has three components and rotates in two directions.
    const double twisting = f.wanted[2] / c.shared_arm / f.size, sliding = friction / f.size;
    for (int i = 0; i < 12; ++i) across[i] = twisting * along[i] - sliding * c.shared_arm * rows[2][i];
    add_row(factors, c.a, c.b, c.block, turning, across);
}

/// Sums up the matrix, of which only the blocks on and below the diagonal are stored.
void fill_matrix(StiffGroup& group, bool with_sliding) {
    GroupFactors& factors = group.now();
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
        Block6& d = factors.diagonal[i];
        d.fill(0.0);
        for (int k = 0; k < 3; ++k) {
            d[7 * k] = group.bodies[i].mass;
            for (int j = 0; j < 3; ++j) d[6 * (3 + k) + 3 + j] = group.bodies[i].inertia[3 * k + j];
        }
    }
    for (Block6& b : factors.below) b.fill(0.0);
    for (const GroupJointRow& r : group.joint_rows) {
        if (r.weight > 0.0) add_row(factors, r.a, r.b, r.block, r.weight, r.row);
    }
    for (GroupContact& c : group.contacts) {
        c.factored[group.pass] = c.active;
        for (int r = 0; r < most_group_rows; ++r) {
            if ((c.active >> r & 1) != 0)
                add_row(factors, c.a, c.b, c.block, r == twist_row ? c.twist_weight : c.weight, c.rows[r]);
        }
        if (with_sliding && !c.lane.special && (c.active >> tangent_rows & 1) == 0 && c.limit != 0.0)
            add_sliding(factors, c);
    }
}

}  // namespace

void factor(StiffGroup& group, bool with_sliding) {
    fill_matrix(group, with_sliding);
    GroupFactors& factors = group.now();
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
        const FactorColumn& column = group.columns[k];
        cholesky(factors.diagonal[k]);
        const std::uint32_t end = column.first + column.count;
        for (std::uint32_t i = column.first; i < end; ++i) divide(factors.below[i], factors.diagonal[k]);
        const std::uint32_t* target = group.targets.data() + column.first_target;
        for (std::uint32_t q = column.first; q < end; ++q) {
            const Block6 across = transposed(factors.below[q]);
            subtract_product(factors.diagonal[group.rows[q]], factors.below[q], across);
            for (std::uint32_t p = q + 1; p < end; ++p)
                subtract_product(factors.below[*target++], factors.below[p], across);
        }
    }
    factors.valid = !with_sliding;
    group.work += group.products + group.columns.size() + 4 * group.contacts.size();
}

void substitute(const StiffGroup& group, std::vector<Vector6>& v) {
    const GroupFactors& factors = group.factors[group.pass];
    for (std::size_t k = 0; k < group.columns.size(); ++k) {
        const FactorColumn& column = group.columns[k];
        const Block6& c = factors.diagonal[k];
        Vector6& y = v[k];
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < i; ++j) y[i] -= c[6 * i + j] * y[j];
            y[i] /= c[7 * i];
        }
        for (std::uint32_t i = column.first; i < column.first + column.count; ++i) {
            Vector6& x = v[group.rows[i]];
            for (int r = 0; r < 6; ++r) x[r] -= dot6(&factors.below[i][6 * r], y.data());
        }
    }
    for (std::size_t k = group.columns.size(); k-- > 0;) {
        const FactorColumn& column = group.columns[k];
        const Block6& c = factors.diagonal[k];
        Vector6& x = v[k];
        for (std::uint32_t i = column.first; i < column.first + column.count; ++i) {
            const Vector6& y = v[group.rows[i]];
            for (int r = 0; r < 6; ++r) {
                const double f = y[r];
                for (int j = 0; j < 6; ++j) x[j] -= f * factors.below[i][6 * r + j];
            }
        }
        for (int i = 5; i >= 0; --i) {
            for (int j = i + 1; j < 6; ++j) x[i] -= c[6 * j + i] * x[j];
            x[i] /= c[7 * i];
        }
    }
}

}  // namespace talus
