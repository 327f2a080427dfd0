/// The code of joint_kernel_base.cpp and joint_kernel_avx2.cpp, in a namespace of each: TALUS_LANES.

#include "engine/joint_solver/matrix/joint_kernel.h"
#include "engine/joint_solver/matrix/known_size.h"

namespace talus::TALUS_LANES {

typedef double D4 __attribute__((vector_size(32), may_alias));

/// Relative size of a pivot below which a block is eliminated with care. The inverse of a block makes errors in the
/// later blocks, of the size of rounding over the square of this number. They must be less than the slack of joints,
/// 1e-10 of the diagonal. Larger: blocks of ordinary joints pay for the care too (at 1e-3 none of the ragdolls, cars,
/// bridges and chains of the scenes).
constexpr double weak_pivot = 1e-3;

static inline const D4* lanes(const double* p) { return reinterpret_cast<const D4*>(p); }
static inline D4* lanes(double* p) { return reinterpret_cast<D4*>(p); }

/// Calls loop(number of vectors in the width).
template <class Loop>
static inline __attribute__((always_inline)) void for_width(unsigned width, Loop&& loop) {
    switch (width) {
        case 4:
            return loop(Known<1>{});
        case 8:
            return loop(Known<2>{});
        default:
            return loop(Unknown{width / 4});
    }
}

// ---- Rows ------------------------------------------------------------------------------------------------------------

/// Adds the product of the six components of Jacobians with a velocity or a response.
template <class Width>
static inline __attribute__((always_inline)) void add_product(D4& sum, const D4* j, Width w, const double* v) {
    sum += ((j[0] * v[0] + j[w.value] * v[1]) + j[2 * w.value] * v[2]) +
           ((j[3 * w.value] * v[4] + j[4 * w.value] * v[5]) + j[5 * w.value] * v[6]);
}

static void speeds(const JointRowsInput& in) {
    const double *const jacobians = in.jacobians, *const velocities = in.velocities;
    double* const numbers = in.numbers;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRowLayout rows = in.rows[r];
        for_width(rows.width, [&](const auto w) {
            const D4* const j = lanes(jacobians + rows.jacobian);
            D4* const out = lanes(numbers + rows.numbers);
            const unsigned side = 6 * w.value;
            for (unsigned k = 0; k < w.value; ++k) {
                D4 sum = {};
                for (unsigned s = 0; s < rows.sides; ++s)
                    add_product(sum, j + side * s + k, w, velocities + 8 * rows.link[s]);
                out[k] = sum;
            }
        });
    }
}

static void apply(const JointRowsInput& in) {
    const double* const responses = in.responses;
    double* const velocities = in.velocities;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRowLayout rows = in.rows[r];
        const double* const change = in.numbers + rows.numbers;
        const D4* const response = lanes(responses + rows.response);
        if (rows.sides == 2) {
            D4 *const a = lanes(velocities + 8 * rows.link[0]), *const b = lanes(velocities + 8 * rows.link[1]);
            D4 linear_a = a[0], angular_a = a[1], linear_b = b[0], angular_b = b[1];
            for_size(rows.count, [&](const auto n) {
                for (unsigned i = 0; i < n.value; ++i) {
                    linear_a += change[i] * response[4 * i];
                    angular_a += change[i] * response[4 * i + 1];
                    linear_b += change[i] * response[4 * i + 2];
                    angular_b += change[i] * response[4 * i + 3];
                }
            });
            a[0] = linear_a, a[1] = angular_a, b[0] = linear_b, b[1] = angular_b;
            continue;
        }
        for (unsigned i = 0; i < rows.count; ++i) {
            for (unsigned s = 0; s < rows.sides; ++s) {
                D4* const v = lanes(velocities + 8 * rows.link[s]);
                v[0] += change[i] * response[2 * (rows.sides * i + s)];
                v[1] += change[i] * response[2 * (rows.sides * i + s) + 1];
            }
        }
    }
}

static void select(const JointRowsInput& in) {
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRowLayout rows = in.rows[r];
        const JointNode node = in.nodes[r];
        if (node.jacobian == rows.jacobian || node.size == 0) continue;
        D4 parts[most_joint_rows / 4];
        for (unsigned i = 0; i < node.width; ++i) parts[i / 4][i % 4] = (node.parts >> i & 1u) != 0 ? 1.0 : 0.0;
        const D4* from = lanes(in.jacobians + rows.jacobian);
        D4* to = lanes(in.jacobians + node.jacobian);
        for_width(node.width, [&](const auto w) {
            for (unsigned c = 0; c < 6 * rows.sides; ++c, from += rows.width / 4, to += w.value) {
                for (unsigned m = 0; m < w.value; ++m) to[m] = parts[m] * from[m];
            }
        });
    }
}

static void diagonals(const JointRowsInput& in, const LdlInput& ldl, unsigned first_node) {
    const double *const jacobians = in.jacobians, *const responses = in.responses;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRowLayout rows = in.rows[r];
        const JointNode& node = in.nodes[r];
        D4* const out = lanes(ldl.values + ldl.nodes[first_node + r - in.first].diagonal);
        const D4* const jacobian = lanes(jacobians + node.jacobian);
        for_width(node.width, [&](const auto w) {
            for (unsigned i = 0; i < node.size; ++i) {
                const double* const response = responses + rows.response + 8 * rows.sides * i;
                D4 sums[most_joint_rows / 4] = {};
                if ((node.parts >> i & 1u) != 0) {
                    if (rows.sides == 2 && node.hubs == 0) {
                        for (unsigned k = 0; k < w.value; ++k) {
                            add_product(sums[k], jacobian + k, w, response);
                            add_product(sums[k], jacobian + 6 * w.value + k, w, response + 8);
                        }
                    } else {
                        for (unsigned s = 0; s < rows.sides; ++s) {
                            for (unsigned t = 0; t < rows.sides; ++t) {
                                if ((node.hubs >> s & 1u) != 0 || rows.link[t] != rows.link[s]) continue;
                                for (unsigned k = 0; k < w.value; ++k)
                                    add_product(sums[k], jacobian + 6 * w.value * t + k, w, response + 8 * s);
                            }
                        }
                    }
                }
                for (unsigned k = 0; k < w.value; ++k) out[i * w.value + k] = sums[k];
            }
        });
    }
}

static void couplings(const JointRowsInput& in, const LdlInput& ldl, const JointCoupling* list, unsigned count) {
    for (unsigned c = 0; c < count; ++c) {
        const JointCoupling coupling = list[c];
        const JointNode &row = in.nodes[coupling.row], &column = in.nodes[coupling.column];
        const unsigned sides = in.rows[coupling.column].sides;
        D4* const out = lanes(ldl.values + coupling.place);
        const double *const jacobians = in.jacobians, *const responses = in.responses +
                                                                         in.rows[coupling.column].response +
                                                                         8 * coupling.column_side;
        for_width(row.width, [&](const auto w) {
            const D4* const jacobian = lanes(jacobians + row.jacobian) + 6 * w.value * coupling.row_side;
            for (unsigned i = 0; i < column.size; ++i) {
                const double* const response = responses + 8 * sides * i;
                const bool parts = (column.parts >> i & 1u) != 0;
                for (unsigned k = 0; k < w.value; ++k) {
                    D4 sum = {};
                    if (coupling.adds) sum = out[i * w.value + k];
                    if (parts) add_product(sum, jacobian + k, w, response);
                    out[i * w.value + k] = sum;
                }
            }
        });
    }
}

// ---- Factorisation ---------------------------------------------------------------------------------------------------

/// Whether a pivot is more than the rounding of the entry before elimination.
static inline bool is_sound(double pivot, double before) {
    return before > 0.0 ? pivot > lost_pivot * before : pivot < lost_pivot * before;
}

/// Replaces a symmetric block by its inverse (Gauss-Jordan). If a pivot is lost, its row and column become zero.
/// Returns false if the block has weak pivots.
template <class Size>
static inline __attribute__((always_inline)) bool invert(double* block, Size n) {
    const unsigned w = (n.value + 3) / 4, width = 4 * w;
    double before[most_joint_rows], weakest = 0.0;
    for (unsigned i = 0; i < n.value; ++i) before[i] = block[i * width + i];
    for (unsigned i = 0; i < n.value; ++i) {
        double* const row = block + i * width;
        const double pivot = row[i];
        const double inverse = is_sound(pivot, before[i]) ? 1.0 / pivot : 0.0;
        weakest = before[i] * inverse > weakest ? before[i] * inverse : weakest;
        for (unsigned m = 0; m < w; ++m) lanes(row)[m] *= inverse;
        for (unsigned k = 0; k < n.value; ++k) {
            if (k == i) continue;
            double* const other = block + k * width;
            const double factor = other[i];
            for (unsigned m = 0; m < w; ++m) lanes(other)[m] -= factor * lanes(row)[m];
            other[i] = -factor * inverse;
        }
        row[i] = inverse;
    }
    return weakest * weak_pivot < 1.0;
}

/// out = inverse * block; the rows of both take w vectors.
template <class Size, class Width>
static inline __attribute__((always_inline)) void multiply(double* out, const double* inverse, const double* block,
                                                           Size n, Width w) {
    const unsigned width = (n.value + 3) / 4 * 4;
    for (unsigned i = 0; i < n.value; ++i) {
        for (unsigned m = 0; m < w.value; ++m) {
            D4 sum = inverse[i * width] * lanes(block)[m];
            for (unsigned k = 1; k < n.value; ++k) sum += inverse[i * width + k] * lanes(block)[k * w.value + m];
            lanes(out)[i * w.value + m] = sum;
        }
    }
}

/// target -= left^T right. Both have n rows; `left` has `size` columns.
template <class Size, class Width>
static inline __attribute__((always_inline)) void subtract_product(double* target, const double* left, unsigned size,
                                                                   unsigned left_width, const double* right, Size n,
                                                                   Width w) {
    for (unsigned m = 0; m < w.value; ++m) {
        D4* out = lanes(target) + m;
        for (unsigned i = 0; i < size; ++i, out += w.value) {
            D4 sum = left[i] * lanes(right)[m];
            for (unsigned k = 1; k < n.value; ++k) sum += left[k * left_width + i] * lanes(right)[k * w.value + m];
            *out -= sum;
        }
    }
}

static bool factor(const LdlInput& in) {
    const LdlNode* const nodes = in.nodes;
    double *const values = in.values, *const scratch = in.scratch;
    for (unsigned at = 0; at < in.count; ++at) {
        const LdlNode node = nodes[in.order[at]];
        if (node.size == 0) continue;
        double* const diagonal = values + node.diagonal;
        const LdlBlock* const column = in.blocks + node.first_block;
        bool good = true;
        for_size(node.size, [&](const auto n) {
            good = invert(diagonal, n);
            if (!good) return;
            // The blocks below the diagonal in this column also exist in the column of each of its rows, in the same
            // order.
            for (unsigned b = 0; b < node.block_count; ++b) {
                const LdlNode target = nodes[column[b].row];
                if (target.size == 0) continue;
                const double* const left = values + column[b].offset;
                for_width(target.width, [&](const auto w) {
                    multiply(scratch, diagonal, left, n, w);
                    subtract_product(values + target.diagonal, scratch, target.size, target.width, left, n, w);
                });
                const LdlBlock* place = in.blocks + target.first_block;
                for (unsigned c = b + 1; c < node.block_count; ++c) {
                    while (place->row != column[c].row) ++place;
                    double* const out = values + place->offset;
                    const double* const right = values + column[c].offset;
                    for_width(nodes[column[c].row].width, [&](const auto w) {
                        subtract_product(out, scratch, target.size, target.width, right, n, w);
                    });
                }
                // The block itself is no longer needed.
                for_width(target.width, [&](const auto w) {
                    for (unsigned i = 0; i < n.value * w.value; ++i)
                        lanes(values + column[b].offset)[i] = lanes(scratch)[i];
                });
            }
        });
        if (!good) return false;
    }
    return true;
}

/// Factors one node for factor_with_care(), by substitution with L and D of its diagonal block. The error of an inverse
/// would be rounding times the square of the block's condition number. A needle between heavy links responds to a
/// moment by 1e12 times as much as they do: with the inverse, Schur complements had the wrong sign, joints answered an
/// impulse with its opposite, and iterations through them ended in infinity. Substitution is as exact as the numbers of
/// the block are.
static void factor_node(const LdlInput& in, const LdlNode& node) {
    const unsigned n = node.size, wide = node.width / 4;
    double* const diagonal = in.values + node.diagonal;
    D4* const block = lanes(diagonal);
    const LdlBlock* const column = in.blocks + node.first_block;
    double lower[most_joint_rows][most_joint_rows], inverse[most_joint_rows];
    // Only the upper triangle is read, so that the result is symmetric to the bit.
    const auto at = [&](unsigned i, unsigned k) { return diagonal[i * node.width + k]; };
    double before[most_joint_rows];
    for (unsigned i = 0; i < n; ++i) before[i] = at(i, i);
    for (unsigned i = 0; i < n; ++i) {
        inverse[i] = is_sound(at(i, i), before[i]) ? 1.0 / at(i, i) : 0.0;
        for (unsigned k = i + 1; k < n; ++k) {
            lower[i][k] = at(i, k) * inverse[i];
            for (unsigned m = k / 4; m < wide; ++m) block[k * wide + m] -= lower[i][k] * block[i * wide + m];
        }
    }
    const auto forward = [&](D4* rows, unsigned w) {
        for (unsigned i = 0; i < n; ++i) {
            for (unsigned k = i + 1; k < n; ++k) {
                for (unsigned m = 0; m < w; ++m) rows[k * w + m] -= lower[i][k] * rows[i * w + m];
            }
        }
    };
    const auto scale = [&](D4* out, const D4* rows, unsigned w) {
        for (unsigned i = 0; i < n; ++i) {
            for (unsigned m = 0; m < w; ++m) out[i * w + m] = inverse[i] * rows[i * w + m];
        }
    };
    const auto back = [&](D4* rows, unsigned w) {
        for (unsigned i = n; i-- > 0;) {
            for (unsigned k = i + 1; k < n; ++k) {
                for (unsigned m = 0; m < w; ++m) rows[i * w + m] -= lower[i][k] * rows[k * w + m];
            }
        }
    };
    const auto block_of = [&](unsigned b) { return in.values + column[b].offset; };
    const auto width_of = [&](unsigned b) { return in.nodes[column[b].row].width / 4; };
    for (unsigned b = 0; b < node.block_count; ++b) forward(lanes(block_of(b)), width_of(b));
    for (unsigned b = 0; b < node.block_count; ++b) {
        const LdlNode target = in.nodes[column[b].row];
        if (target.size == 0) continue;
        scale(lanes(in.scratch), lanes(block_of(b)), width_of(b));
        const LdlBlock* place = in.blocks + target.first_block;
        for (unsigned c = b; c < node.block_count; ++c) {
            while (c != b && place->row != column[c].row) ++place;
            subtract_product(in.values + (c == b ? target.diagonal : place->offset), in.scratch, target.size,
                             target.width, block_of(c), Unknown{n}, Unknown{width_of(c)});
        }
    }
    for (unsigned b = 0; b < node.block_count; ++b) {
        scale(lanes(block_of(b)), lanes(block_of(b)), width_of(b));
        back(lanes(block_of(b)), width_of(b));
    }
    for (unsigned i = 0; i < n; ++i) {
        for (unsigned k = 0; k < node.width; ++k) diagonal[i * node.width + k] = i == k ? 1.0 : 0.0;
    }
    forward(lanes(diagonal), wide);
    scale(lanes(diagonal), lanes(diagonal), wide);
    back(lanes(diagonal), wide);
}

static void factor_with_care(const LdlInput& in) {
    for (unsigned i = 0; i < in.count; ++i) {
        const LdlNode node = in.nodes[in.order[i]];
        if (node.size != 0) factor_node(in, node);
    }
}

static void solve(const LdlInput& in) {
    const LdlNode* const nodes = in.nodes;
    const LdlBlock* const blocks = in.blocks;
    const double* const values = in.values;
    double* const vectors = in.vectors;
    for (unsigned at = 0; at < in.count; ++at) {
        const LdlNode node = nodes[in.order[at]];
        const double* const x = vectors + node.vector;
        for_size(node.size, [&](const auto n) {
            for (unsigned b = node.first_block; b < node.first_block + node.block_count; ++b) {
                const LdlNode& below = nodes[blocks[b].row];
                const D4* const block = lanes(values + blocks[b].offset);
                D4* const y = lanes(vectors + below.vector);
                for_width(below.width, [&](const auto w) {
                    for (unsigned m = 0; m < w.value; ++m) {
                        D4 sum = y[m];
                        for (unsigned k = 0; k < n.value; ++k) sum -= x[k] * block[k * w.value + m];
                        y[m] = sum;
                    }
                });
            }
        });
    }
    for (unsigned at = in.count; at-- > 0;) {
        const LdlNode node = nodes[in.order[at]];
        for_size(node.size, [&](const auto n) {
            const unsigned vectors_wide = (n.value + 3) / 4;
            double* const x = vectors + node.vector;
            const D4* const inverse = lanes(values + node.diagonal);
            // By columns, because the inverse is symmetric.
            D4 sums[most_joint_rows / 4] = {};
            for (unsigned k = 0; k < n.value; ++k) {
                for (unsigned m = 0; m < vectors_wide; ++m) sums[m] += x[k] * inverse[k * vectors_wide + m];
            }
            for (unsigned b = node.first_block; b < node.first_block + node.block_count; ++b) {
                const LdlNode& below = nodes[blocks[b].row];
                const D4* const block = lanes(values + blocks[b].offset);
                const D4* const y = lanes(vectors + below.vector);
                for_width(below.width, [&](const auto w) {
                    if (w.value == 0) return;
                    for (unsigned m = 0; m < vectors_wide; ++m) {
                        D4 rows[4] = {};
                        for (unsigned l = 0; l < 4; ++l) {
                            if (4 * m + l >= n.value) break;
                            const D4* const row = block + (4 * m + l) * w.value;
                            for (unsigned i = 0; i < w.value; ++i) rows[l] += row[i] * y[i];
                        }
                        // Adds up the lanes of each row.
                        const D4 low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6) +
                                       __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
                        const D4 high = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6) +
                                        __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
                        sums[m] -= __builtin_shufflevector(low, high, 0, 1, 4, 5) +
                                   __builtin_shufflevector(low, high, 2, 3, 6, 7);
                    }
                });
            }
            for (unsigned m = 0; m < vectors_wide; ++m) lanes(x)[m] = sums[m];
        });
    }
}

constexpr JointKernel joint_kernel{&speeds,    &apply,  &select,           &diagonals,
                                   &couplings, &factor, &factor_with_care, &solve};

}  // namespace talus::TALUS_LANES
