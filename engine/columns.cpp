#include <talus/engine/columns.h>

#include <talus/engine/settings.h>

#include <algorithm>

namespace talus {

namespace {

glm::dvec3 load(const float* v) { return glm::dvec3(load3(v)); }

void add(float* v, const glm::dvec3& change) {
    for (int i = 0; i < 3; ++i) v[i] = static_cast<float>(static_cast<double>(v[i]) + change[i]);
}

/// J q of a point, with the velocities or the motions of the two bodies.
double along(const ContactLane& c, const ContactLane::Point& p, const glm::dvec3& linear_a, const glm::dvec3& angular_a,
             const glm::dvec3& linear_b, const glm::dvec3& angular_b) {
    return glm::dot(c.normal, linear_b - linear_a) + glm::dot(p.angular_b, angular_b) -
           glm::dot(p.angular_a, angular_a);
}

/// J M^-1 J^T between a point of one contact and a point of another, through the body that is a (or b) of either.
double through(const ContactLane& c, const ContactLane::Point& p, bool c_by_a, const ContactLane& d,
               const ContactLane::Point& q, bool d_by_a) {
    const glm::dvec3& inverse_mass = c_by_a ? c.inverse_mass_a : c.inverse_mass_b;
    const double linear = glm::dot(c.normal, inverse_mass * d.normal);
    const double angular = glm::dot(c_by_a ? p.angular_a : p.angular_b, d_by_a ? q.turn_a : q.turn_b);
    return c_by_a == d_by_a ? linear + angular : -(linear + angular);
}

}  // namespace

/// Appends the edges from `edge` on, coming from body `from`, to path_; `end` becomes the body beyond the last, 0 if it
/// can't be pushed.
void Columns::follow(std::span<const ConstraintGraph::Edge> edges, std::uint32_t edge, std::uint32_t from,
                     std::uint32_t& end) {
    while (true) {
        path_.push_back(edge);
        taken_[edge] = 1;
        const ConstraintGraph::Edge& e = edges[edge];
        const bool from_a = e.pushes_a && e.a == from;
        end = from_a ? (e.pushes_b ? e.b : 0) : (e.pushes_a ? e.a : 0);
        if (end == 0 || of_body_[end].count != 2) return;
        const std::uint32_t next = of_body_[end].edges[of_body_[end].edges[0] == edge ? 1 : 0];
        if (taken_[next]) return;  // a ring
        from = end;
        edge = next;
    }
}

void Columns::find(std::span<ConstraintGraph::Edge> edges, std::span<const std::uint32_t> slots,
                   const BodyStore& bodies) {
    links_.clear();
    columns_.clear();
    of_body_.assign(slots.size(), Contacts{});
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const auto touch = [&](std::uint32_t body) {
            Contacts& c = of_body_[body];
            if (c.count < 2) c.edges[c.count] = i;
            ++c.count;
        };
        if (edges[i].pushes_a) touch(edges[i].a);
        if (edges[i].pushes_b) touch(edges[i].b);
    }
    taken_.assign(edges.size(), 0);
    const auto mass = [&](std::uint32_t body) { return bodies[slots[body]].mass; };
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        if (taken_[i]) continue;
        // Both ways from a body in the middle.
        const ConstraintGraph::Edge& e = edges[i];
        const bool by_a = e.pushes_a && of_body_[e.a].count == 2, by_b = e.pushes_b && of_body_[e.b].count == 2;
        if (!by_a && !by_b) continue;
        const std::uint32_t middle = by_a ? e.a : e.b;
        Column column{static_cast<std::uint32_t>(links_.size()), 0, {0, 0}};
        path_.clear();
        follow(edges, of_body_[middle].edges[0], middle, column.ends[0]);
        std::reverse(path_.begin(), path_.end());
        const std::uint32_t second = of_body_[middle].edges[1];
        if (!taken_[second]) follow(edges, second, middle, column.ends[1]);

        bool unequal = false;
        for (const std::uint32_t k : path_) {
            if (!edges[k].pushes_a || !edges[k].pushes_b) continue;
            const float a = mass(edges[k].a), b = mass(edges[k].b);
            unequal = unequal || std::max(a, b) > settings::column_mass_ratio * std::min(a, b);
        }
        if (path_.size() < 2 || (path_.size() < settings::column_length && !unequal)) continue;
        for (const std::uint32_t k : path_) {
            edges[k].link = static_cast<std::uint32_t>(links_.size());
            links_.emplace_back();
        }
        column.last = static_cast<std::uint32_t>(links_.size());
        columns_.push_back(column);
    }
    make_groups(static_cast<std::uint32_t>(slots.size()));
}

/// Columns that end at the same body come one after the other.
void Columns::make_groups(std::uint32_t body_count) {
    const auto count = static_cast<std::uint32_t>(columns_.size());
    groups_.assign(1, 0);
    if (count == 0) return;
    root_.resize(count);
    owner_.assign(body_count, count);
    for (std::uint32_t c = 0; c < count; ++c) root_[c] = c;
    const auto find_root = [&](std::uint32_t c) {
        while (root_[c] != c) c = root_[c] = root_[root_[c]];
        return c;
    };
    for (std::uint32_t c = 0; c < count; ++c) {
        for (const std::uint32_t end : columns_[c].ends) {
            if (end == 0) continue;
            if (owner_[end] == count) owner_[end] = c;
            const std::uint32_t i = find_root(c), j = find_root(owner_[end]);
            root_[std::max(i, j)] = std::min(i, j);
        }
    }
    for (std::uint32_t c = 0; c < count; ++c) root_[c] = find_root(c);
    path_.resize(count);
    for (std::uint32_t c = 0; c < count; ++c) path_[c] = c;
    std::sort(path_.begin(), path_.end(),
              [&](std::uint32_t i, std::uint32_t j) { return root_[i] != root_[j] ? root_[i] < root_[j] : i < j; });
    ungrouped_ = columns_;
    for (std::uint32_t c = 0; c < count; ++c) {
        columns_[c] = ungrouped_[path_[c]];
        if (c > 0 && root_[path_[c]] != root_[path_[c - 1]]) groups_.push_back(c);
    }
    groups_.push_back(count);
}

void Columns::prepare(ContactSolver& solver, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t k = groups_[first]; k < groups_[last]; ++k) {
        const Column& column = columns_[k];
        for (std::uint32_t i = column.first; i < column.last; ++i) links_[i].contact = solver.read_link(i);
        for (std::uint32_t i = column.first; i < column.last; ++i) {
            Link& link = links_[i];
            const ContactLane& c = link.contact;
            link.self = link.next = glm::dmat4(0.0);
            for (int p = 0; p < c.count; ++p) {
                for (int q = 0; q < c.count; ++q) {
                    link.self[q][p] = through(c, c.points[p], true, c, c.points[q], true) +
                                      through(c, c.points[p], false, c, c.points[q], false);
                }
            }
            if (i + 1 == column.last) continue;
            const ContactLane& d = links_[i + 1].contact;
            // The body between the two.
            const bool c_by_a = c.a != 0 && (c.a == d.a || c.a == d.b);
            const bool d_by_a = (c_by_a ? c.a : c.b) == d.a;
            for (int p = 0; p < c.count; ++p) {
                for (int q = 0; q < d.count; ++q)
                    link.next[q][p] = through(c, c.points[p], c_by_a, d, d.points[q], d_by_a);
            }
        }
    }
}

void Columns::solve(std::span<SolverBody> bodies, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t k = groups_[first]; k < groups_[last]; ++k) solve(bodies, columns_[k]);
}

void Columns::solve(std::span<SolverBody> bodies, const Column& column) {
    const double push = -static_cast<double>(settings::max_push_speed);
    // Down the column: each block without the links before it.
    glm::dmat4 carried_block(0.0);  // what they leave in the next one
    glm::dvec4 carried(0.0);
    for (std::uint32_t i = column.first; i < column.last; ++i) {
        Link& link = links_[i];
        const ContactLane& c = link.contact;
        const SolverBody &a = bodies[c.reads_a], &b = bodies[c.reads_b];
        const glm::dvec3 va = load(a.velocity), wa = load(a.angular_velocity), vb = load(b.velocity),
                         wb = load(b.angular_velocity);
        const glm::dvec3 da = load(a.displacement), ta = load(a.turn), db = load(b.displacement), tb = load(b.turn);
        glm::dmat4 block = link.self - carried_block;
        glm::dvec4 right = -carried;
        glm::bvec4 pressing(false);
        for (int p = 0; p < c.count; ++p) {
            const ContactLane::Point& point = c.points[p];
            const double s = point.separation + along(c, point, da, ta, db, tb);
            pressing[p] = point.gamma > 0.0 && s <= 0.0;
            if (!pressing[p]) continue;
            const double bias = std::max(c.bias_rate * std::min(s + c.slop, 0.0), push);
            right[p] -= along(c, point, va, wa, vb, wb) + bias + point.gamma * static_cast<double>(*point.impulse);
            block[p][p] += point.gamma;
        }
        for (int p = 0; p < 4; ++p) {
            if (pressing[p]) continue;
            for (int q = 0; q < 4; ++q) block[p][q] = block[q][p] = p == q ? 1.0 : 0.0;
            right[p] = 0.0;
        }
        const glm::dmat4 inverse = glm::inverse(block);
        link.change = inverse * right;
        glm::dmat4 next = link.next;
        for (int p = 0; p < 4; ++p) {
            if (pressing[p]) continue;
            for (int q = 0; q < 4; ++q) next[q][p] = 0.0;
        }
        link.share = inverse * next;
        carried_block = glm::transpose(next) * link.share;
        carried = glm::transpose(next) * link.change;
    }
    // And up again. What is apart in the next link has no part: its change is 0.
    for (std::uint32_t i = column.last - 1; i-- > column.first;)
        links_[i].change -= links_[i].share * links_[i + 1].change;
    for (std::uint32_t i = column.first; i < column.last; ++i) {
        const Link& link = links_[i];
        const ContactLane& c = link.contact;
        for (int p = 0; p < c.count; ++p) {
            const ContactLane::Point& point = c.points[p];
            const double before = *point.impulse;
            *point.impulse = static_cast<float>(std::max(before + link.change[p], 0.0));
            const double change = static_cast<double>(*point.impulse) - before;
            if (c.a != 0) {
                add(bodies[c.a].velocity, -change * c.inverse_mass_a * c.normal);
                add(bodies[c.a].angular_velocity, -change * point.turn_a);
            }
            if (c.b != 0) {
                add(bodies[c.b].velocity, change * c.inverse_mass_b * c.normal);
                add(bodies[c.b].angular_velocity, change * point.turn_b);
            }
        }
    }
}

std::size_t Columns::bytes() const {
    return of_body_.capacity() * sizeof(Contacts) + taken_.capacity() + links_.capacity() * sizeof(Link) +
           columns_.capacity() * sizeof(Column) +
           (path_.capacity() + groups_.capacity() + root_.capacity() + owner_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace talus
