/// Internal: the body of joint_kernel_sse2.cpp and joint_kernel_avx2.cpp.

#include <talus/engine/joints/joint_kernel.h>

#define TALUS_UNROLL

namespace talus::TALUS_LANES {

typedef double D4 __attribute__((vector_size(32), may_alias));

/// A pivot smaller than this part of the diagonal it came from is rounding.
constexpr double lost_pivot = 1e-14;
/// Widest block row: all rows of a joint.
constexpr unsigned most_rows = 28;

static inline const D4* lanes(const double* p) { return reinterpret_cast<const D4*>(p); }
static inline D4* lanes(double* p) { return reinterpret_cast<D4*>(p); }

/// A number that is known as the code is compiled, where it is one of those that nearly all joints have, so that loops over it vanish.
template <unsigned number>
struct Known {
    static constexpr unsigned value = number;
};
struct Unknown {
    unsigned value;
};

/// Calls loop(vectors in the width).
template <class Loop>
static inline __attribute__((always_inline)) void for_width(unsigned width, Loop&& loop) {
    switch (width) {
        case 4: return loop(Known<1>{});
        case 8: return loop(Known<2>{});
        default: return loop(Unknown{width / 4});
    }
}

/// Calls loop(rows).
template <class Loop>
static inline __attribute__((always_inline)) void for_size(unsigned size, Loop&& loop) {
    switch (size) {
        case 1: return loop(Known<1>{});
        case 2: return loop(Known<2>{});
        case 3: return loop(Known<3>{});
        case 4: return loop(Known<4>{});
        case 5: return loop(Known<5>{});
        case 6: return loop(Known<6>{});
        case 7: return loop(Known<7>{});
        default: return loop(Unknown{size});
    }
}

// ---- Rows ------------------------------------------------------------------------------------------------------------

/// Of the six components of Jacobians and one of velocities or responses.
template <class Width>
static inline __attribute__((always_inline)) void add_product(D4& sum, const D4* j, Width w, const double* v) {
    sum += ((j[0] * v[0] + j[w.value] * v[1]) + j[2 * w.value] * v[2]) +
           ((j[3 * w.value] * v[4] + j[4 * w.value] * v[5]) + j[5 * w.value] * v[6]);
}

static void speeds(const JointRowsInput& in) {
    const double *const jacobians = in.jacobians, *const velocities = in.velocities;
    double* const numbers = in.numbers;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRows rows = in.rows[r];
        for_width(rows.width, [&](const auto w) {
            const D4* const j = lanes(jacobians + rows.jacobian);
            D4* const out = lanes(numbers + rows.numbers);
            const unsigned side = 6 * w.value;
            TALUS_UNROLL for (unsigned k = 0; k < w.value; ++k) {
                D4 sum = {};
                for (unsigned s = 0; s < rows.sides; ++s) add_product(sum, j + side * s + k, w, velocities + 8 * rows.link[s]);
                out[k] = sum;
            }
        });
    }
}

static void apply(const JointRowsInput& in) {
    const double* const responses = in.responses;
    double* const velocities = in.velocities;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRows rows = in.rows[r];
        const double* const change = in.numbers + rows.numbers;
        for (unsigned s = 0; s < rows.sides; ++s) {
            D4* const v = lanes(velocities + 8 * rows.link[s]);
            const D4* response = lanes(responses + rows.response) + 2 * s;
            D4 move = v[0], turn = v[1];
            for (unsigned i = 0; i < rows.count; ++i, response += 2 * rows.sides) {
                move += change[i] * response[0];
                turn += change[i] * response[1];
            }
            v[0] = move;
            v[1] = turn;
        }
    }
}

static void diagonals(const JointRowsInput& in, const LdlInput& ldl, unsigned first_node) {
    const double *const jacobians = in.jacobians, *const responses = in.responses;
    for (unsigned r = in.first; r < in.last; ++r) {
        const JointRows rows = in.rows[r];
        const JointNode& node = in.nodes[r];
        D4* const out = lanes(ldl.values + ldl.nodes[first_node + r - in.first].diagonal);
        const D4* const jacobian = lanes(jacobians + node.jacobian);
        for_width(node.width, [&](const auto w) {
            for (unsigned i = 0; i < node.size; ++i) {
                const double* const response = responses + rows.response + 8 * rows.sides * node.row[i];
                D4 sums[most_rows / 4] = {};
                for (unsigned s = 0; s < rows.sides; ++s) {
                    if ((node.hubs >> s & 1u) != 0) continue;
                    for (unsigned t = 0; t < rows.sides; ++t) {
                        if (rows.link[t] != rows.link[s]) continue;
                        TALUS_UNROLL for (unsigned k = 0; k < w.value; ++k)
                            add_product(sums[k], jacobian + 6 * w.value * t + k, w, response + 8 * s);
                    }
                }
                TALUS_UNROLL for (unsigned k = 0; k < w.value; ++k) out[i * w.value + k] = sums[k];
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
        const double *const jacobians = in.jacobians, *const responses = in.responses + in.rows[coupling.column].response + 8 * coupling.column_side;
        for_width(row.width, [&](const auto w) {
            const D4* const jacobian = lanes(jacobians + row.jacobian) + 6 * w.value * coupling.row_side;
            for (unsigned i = 0; i < column.size; ++i) {
                const double* const response = responses + 8 * sides * column.row[i];
                TALUS_UNROLL for (unsigned k = 0; k < w.value; ++k) {
                    D4 sum = {};
                    if (coupling.adds) sum = out[i * w.value + k];
                    add_product(sum, jacobian + k, w, response);
                    out[i * w.value + k] = sum;
                }
            }
        });
    }
}

// ---- Factorisation ---------------------------------------------------------------------------------------------------

/// Row i of the diagonal block becomes row i of D L^T (what is left of its diagonal is junk), but for its diagonal: 1 / D.
template <class Size>
static inline __attribute__((always_inline)) void factor_diagonal(double* diagonal, Size n) {
    const unsigned w = (n.value + 3) / 4, width = 4 * w;
    double before[most_rows];
    TALUS_UNROLL for (unsigned i = 0; i < n.value; ++i) before[i] = diagonal[i * width + i];
    TALUS_UNROLL for (unsigned i = 0; i < n.value; ++i) {
        double* const row = diagonal + i * width;
        const double pivot = row[i];
        const bool sound = before[i] > 0.0 ? pivot > lost_pivot * before[i] : pivot < lost_pivot * before[i];
        const double inverse = sound ? 1.0 / pivot : 0.0;
        TALUS_UNROLL for (unsigned k = i + 1; k < n.value; ++k) {
            const double factor = row[k] * inverse;
            TALUS_UNROLL for (unsigned m = k / 4; m < w; ++m) lanes(diagonal)[k * w + m] -= factor * lanes(row)[m];
        }
        row[i] = inverse;
    }
}

/// Forward substitution: the rows of a block below become rows of D L^T.
template <class Size, class Width>
static inline __attribute__((always_inline)) void factor_block(double* block, const double* diagonal, Size n, Width w) {
    const unsigned width = (n.value + 3) / 4 * 4;
    TALUS_UNROLL for (unsigned m = 0; m < w.value; ++m) {
        D4* const rows = lanes(block) + m;
        TALUS_UNROLL for (unsigned i = 0; i + 1 < n.value; ++i) {
            const D4 scaled = rows[i * w.value] * diagonal[i * width + i];
            TALUS_UNROLL for (unsigned k = i + 1; k < n.value; ++k) rows[k * w.value] -= diagonal[i * width + k] * scaled;
        }
    }
}

/// target -= left^T right. Both have n rows; `left` has `size` columns.
template <class Size, class Width>
static inline __attribute__((always_inline)) void subtract_product(double* target, const double* left, unsigned size, unsigned left_width,
                                                                   const double* right, Size n, Width w) {
    TALUS_UNROLL for (unsigned m = 0; m < w.value; ++m) {
        D4* out = lanes(target) + m;
        for (unsigned i = 0; i < size; ++i, out += w.value) {
            D4 sum = *out;
            TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) sum -= left[k * left_width + i] * lanes(right)[k * w.value + m];
            *out = sum;
        }
    }
}

static void factor(const LdlInput& in) {
    alignas(32) double scaled[most_rows * ((most_rows + 3) / 4 * 4)];
    const LdlNode* const nodes = in.nodes;
    double* const values = in.values;
    for (unsigned at = 0; at < in.count; ++at) {
        const LdlNode node = nodes[in.order[at]];
        if (node.size == 0) continue;
        double* const diagonal = values + node.diagonal;
        const LdlBlock* const column = in.blocks + node.first_block;
        for_size(node.size, [&](const auto n) {
            factor_diagonal(diagonal, n);
            for (unsigned b = 0; b < node.block_count; ++b) {
                double* const block = values + column[b].offset;
                for_width(nodes[column[b].row].width, [&](const auto w) { factor_block(block, diagonal, n, w); });
            }
            // What is below in this column is among what is below in the column of each of its rows, in the same order.
            for (unsigned b = 0; b < node.block_count; ++b) {
                const LdlNode target = nodes[column[b].row];
                if (target.size == 0) continue;
                const double* const left = values + column[b].offset;
                for_width(target.width, [&](const auto w) {
                    TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) {
                        const double inverse = diagonal[k * node.width + k];
                        TALUS_UNROLL for (unsigned m = 0; m < w.value; ++m)
                            lanes(scaled)[k * w.value + m] = inverse * lanes(left)[k * w.value + m];
                    }
                    subtract_product(values + target.diagonal, scaled, target.size, target.width, left, n, w);
                });
                const LdlBlock* place = in.blocks + target.first_block;
                for (unsigned c = b + 1; c < node.block_count; ++c) {
                    while (place->row != column[c].row) ++place;
                    double* const out = values + place->offset;
                    const double* const right = values + column[c].offset;
                    for_width(nodes[column[c].row].width,
                              [&](const auto w) { subtract_product(out, scaled, target.size, target.width, right, n, w); });
                }
            }
        });
    }
}

static void solve(const LdlInput& in) {
    const LdlNode* const nodes = in.nodes;
    const LdlBlock* const blocks = in.blocks;
    const double* const values = in.values;
    double* const vectors = in.vectors;
    for (unsigned at = 0; at < in.count; ++at) {
        const LdlNode node = nodes[in.order[at]];
        for_size(node.size, [&](const auto n) {
            double* const x = vectors + node.vector;
            const double* const diagonal = values + node.diagonal;
            const unsigned width = (n.value + 3) / 4 * 4;
            // x := D^-1 L^-1 x.
            double done[most_rows];
            TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) {
                double sum = x[k];
                TALUS_UNROLL for (unsigned i = 0; i < k; ++i) sum -= diagonal[i * width + k] * done[i];
                done[k] = sum * diagonal[k * width + k];
            }
            TALUS_UNROLL for (unsigned i = 0; i < n.value; ++i) x[i] = done[i];
            for (unsigned b = node.first_block; b < node.first_block + node.block_count; ++b) {
                const LdlNode& below = nodes[blocks[b].row];
                const D4* const block = lanes(values + blocks[b].offset);
                D4* const y = lanes(vectors + below.vector);
                for_width(below.width, [&](const auto w) {
                    TALUS_UNROLL for (unsigned m = 0; m < w.value; ++m) {
                        D4 sum = y[m];
                        TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) sum -= done[k] * block[k * w.value + m];
                        y[m] = sum;
                    }
                });
            }
        });
    }
    for (unsigned at = in.count; at-- > 0;) {
        const LdlNode node = nodes[in.order[at]];
        for_size(node.size, [&](const auto n) {
            double* const x = vectors + node.vector;
            const double* const diagonal = values + node.diagonal;
            const unsigned width = (n.value + 3) / 4 * 4;
            double sum[most_rows];
            TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) sum[k] = 0.0;
            for (unsigned b = node.first_block; b < node.first_block + node.block_count; ++b) {
                const LdlNode& below = nodes[blocks[b].row];
                const D4* const block = lanes(values + blocks[b].offset);
                const D4* const y = lanes(vectors + below.vector);
                for_width(below.width, [&](const auto w) {
                    if (w.value == 0) return;
                    TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) {
                        D4 products = block[k * w.value] * y[0];
                        TALUS_UNROLL for (unsigned m = 1; m < w.value; ++m) products += block[k * w.value + m] * y[m];
                        sum[k] += (products[0] + products[2]) + (products[1] + products[3]);
                    }
                });
            }
            TALUS_UNROLL for (unsigned k = 0; k < n.value; ++k) {
                const unsigned i = n.value - 1 - k;
                double rest = sum[i];
                TALUS_UNROLL for (unsigned j = i + 1; j < n.value; ++j) rest += diagonal[i * width + j] * x[j];
                x[i] -= rest * diagonal[i * width + i];
            }
        });
    }
}

constexpr JointKernel joint_kernel{&speeds, &apply, &diagonals, &couplings, &factor, &solve};

}  // namespace talus::TALUS_LANES
