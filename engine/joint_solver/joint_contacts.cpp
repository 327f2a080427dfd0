/// Contacts of bodies that joints hold, solved through the joints.
///
/// A contact's sweep sees a foot alone, 1 kg of a person of 75 kg: at an impact it stops the foot and leaves the rest
/// to the joint, the joint pulls the foot on again, and each round of the two brings them nearer by that ratio of
/// masses only. What is solved last wins, and the other is violated by metres a second. So where joints have left more
/// than `joint_contact_speed` in the contacts of an island, its normal rows are solved with the masses of all that
/// joints hold together. With A the matrix of the joints' rows, J those rows and n a contact's,
///
///     c = M^-1 (n^T - J^T A^-1 J M^-1 n^T)      what a unit of the contact's impulse gives to all bodies: a column
///
/// is one more solve with the factors that are there. Projected Gauss-Seidel on those columns finds impulses that stop
/// the approach without opening a joint; they are put on the bodies that they push, and a last pass of the joints
/// carries them on. Only the velocities of bodies that contacts push, the movers, are looked at meanwhile. What limits
/// and motors do as the impulses come in is seen in the next round.
///
/// Restitution has the same trouble: the sweeps give a ball on a rod the speed of its bounce as if it were alone, and
/// the next sub-step's joints take a part of it away. So where something has bounced, joints and those sweeps come by
/// turns (carry_bounces). And a blow that went on by one contact per sub-step along a row of balls took so long that
/// all of them had moved meanwhile, up the arcs on which they hang, with energy that nobody had given (a cradle of ten
/// with three balls let go: 1% in 20 s). So hand_on_bounces() lets all impacts of the group happen at once, but one
/// after the other, as they would in fact: each with the masses of all that joints hold together, so that none of them
/// can gain energy.

#include "engine/joint_solver/joint_solver.h"

#include "engine/settings.h"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

dvec3 load(const float* v) { return {v[0], v[1], v[2]}; }

dvec3 angular_of(const ContactLane::Point& point, int side) { return side == 0 ? -point.angular_a : point.angular_b; }

/// Speed along a row of side A or B alone.
double along(const ContactLane& c, const ContactLane::Point& point, int side, const dvec3& linear,
             const dvec3& angular) {
    const double speed = glm::dot(c.normal, linear);
    return (side == 0 ? -speed : speed) + glm::dot(angular_of(point, side), angular);
}

}  // namespace

// ---- of the step ----------------------------------------------------------------------------------------------------

void JointSolver::prepare_contacts(ContactSolver& solver, std::span<const ConstraintGraph::Edge> edges,
                                   Islands& islands) {
    groups_.clear();
    least_bounce_ = solver.least_bounce();
    jointed_.clear();
    contact_rows_.clear();
    parties_.clear();
    movers_.clear();
    keys_.clear();
    const auto found = solver.jointed_contacts();
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const ConstraintGraph::Edge& edge = edges[found[i].edge];
        keys_.push_back({islands.find(edge.pushes_a ? edge.a : edge.b), i});
    }
    std::sort(keys_.begin(), keys_.end());
    std::uint32_t columns = 0;
    for (std::size_t first = 0, end = 0; first < keys_.size(); first = end) {
        while (end < keys_.size() && keys_[end].first == keys_[first].first) ++end;
        ContactGroup group;
        group.first_contact = static_cast<std::uint32_t>(jointed_.size());
        group.contact_count = static_cast<std::uint32_t>(end - first);
        group.first_party = static_cast<std::uint32_t>(parties_.size());
        // Movers, by articulation and then by link; those without joints after them.
        pushed_.clear();
        bool borne = false;
        for (std::size_t i = first; i < end; ++i) {
            JointedContact contact;
            contact.lane = solver.read(found[keys_[i].second]);
            jointed_.push_back(contact);
            group.direct = group.direct || edges[found[keys_[i].second].edge].link != no_link;
            borne = borne || contact.lane.a == 0 || contact.lane.b == 0;
            for (const std::uint32_t body : {contact.lane.a, contact.lane.b}) {
                if (body == 0) continue;
                const std::uint32_t link = link_of(body);
                pushed_.push_back({link, body});
            }
        }
        std::sort(pushed_.begin(), pushed_.end());  // links of an articulation follow each other
        pushed_.erase(std::unique(pushed_.begin(), pushed_.end()), pushed_.end());
        const auto first_mover = static_cast<std::uint32_t>(movers_.size());
        for (const auto& [link, body] : pushed_) {
            const std::uint32_t articulation = link == null_index ? null_index : articulation_of_[link];
            const bool joins = parties_.size() > group.first_party && articulation != null_index &&
                               parties_.back().articulation == articulation;
            if (!joins) parties_.push_back({articulation, static_cast<std::uint32_t>(movers_.size()), 0, false});
            if (borne && articulation != null_index) articulations_[articulation].free = false;
            ++parties_.back().mover_count;
            movers_.push_back({body, link, static_cast<std::uint32_t>(parties_.size() - 1), {}, {}});
        }
        group.party_count = static_cast<std::uint32_t>(parties_.size()) - group.first_party;
        group.first_row = static_cast<std::uint32_t>(contact_rows_.size());
        for (std::uint32_t i = group.first_contact; i < jointed_.size(); ++i) {
            JointedContact& contact = jointed_[i];
            const std::uint32_t bodies[2] = {contact.lane.a, contact.lane.b};
            std::uint32_t room = 0;
            for (int side = 0; side < 2; ++side) {
                if (bodies[side] == 0) continue;
                const std::pair key{link_of(bodies[side]), bodies[side]};
                const auto at = std::lower_bound(pushed_.begin(), pushed_.end(), key);
                contact.mover[side] = first_mover + static_cast<std::uint32_t>(at - pushed_.begin());
                contact.party[side] = movers_[contact.mover[side]].party;
                if (side == 0 || contact.party[0] != contact.party[1])
                    room += 2 * parties_[contact.party[side]].mover_count;
            }
            for (int k = 0; k < contact.lane.count; ++k) {
                const ContactLane::Point& point = contact.lane.points[k];
                if (!(point.mass > 0.0)) continue;  // there is no such point in this lane
                ContactRow row;
                row.contact = i;
                row.point = static_cast<std::uint32_t>(k);
                row.column = columns;
                columns += room;
                const dvec3 n2 = contact.lane.normal * contact.lane.normal;
                if (bodies[0] != 0)
                    row.alone += glm::dot(contact.lane.inverse_mass_a, n2) + glm::dot(point.angular_a, point.turn_a);
                if (bodies[1] != 0)
                    row.alone += glm::dot(contact.lane.inverse_mass_b, n2) + glm::dot(point.angular_b, point.turn_b);
                contact_rows_.push_back(row);
            }
        }
        group.row_count = static_cast<std::uint32_t>(contact_rows_.size()) - group.first_row;
        groups_.push_back(group);
    }
    columns_.resize(columns);
}

// ---- of the sub-step ------------------------------------------------------------------------------------------------

void JointSolver::solve_contacts(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        if (!groups_[g].direct) solve_group(groups_[g]);
    }
}

void JointSolver::solve_group(const ContactGroup& group) {
    const double most_odds = allowed_odds(group);
    for (int round = 0; round < settings::joint_contact_rounds; ++round) {
        if (!begin_rows(group, most_odds)) return;
        begin_sweeps(group);
        sweep_rows(group, most_odds);
        apply_rows(group, Pass::solve);
    }
}

/// How far joints and contacts may be at odds here, m/s: by a share of the speed at which what they hold moves, in
/// which that cannot be seen. What rests must not be at odds by as much as gravity gives in a sub-step: with a car of 2
/// t on wheels of 40 kg, at the end of their travel, contacts and joints handed its weight to and fro by 20 Hz for
/// ever.
double JointSolver::allowed_odds(const ContactGroup& group) const {
    const std::uint32_t first = parties_[group.first_party].first_mover;
    const Party& last = parties_[group.first_party + group.party_count - 1];
    double fastest2 = 0.0;
    for (std::uint32_t m = first; m < last.first_mover + last.mover_count; ++m) {
        const dvec3 v = load(motions_.bodies[movers_[m].solver].velocity);
        fastest2 = std::max(fastest2, glm::dot(v, v));
    }
    return std::clamp(settings::joint_contact_motion * std::sqrt(fastest2), settings::joint_contact_least,
                      settings::joint_contact_speed);
}

/// By how much the contact's own sweep would change its speed.
double JointSolver::wanted_change(const ContactRow& row, double speed) {
    const double residual = speed + row.bias + row.gamma * row.impulse;
    const double change = std::max(-residual / (row.alone + row.gamma), -row.impulse);
    return std::abs(change) * row.alone;
}

/// What the rows ask for, and what they have. False if all is well.
bool JointSolver::begin_rows(const ContactGroup& group, double most_odds) {
    const double h = substep_;
    bool ill = false;
    double change = 0.0;  ///< of the contact's speed, by all its points
    for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
        ContactRow& row = contact_rows_[i];
        const JointedContact& contact = jointed_[row.contact];
        const ContactLane& c = contact.lane;
        const ContactLane::Point& point = c.points[row.point];
        const SolverBody* const bodies[2] = {&motions_.bodies[c.reads_a], &motions_.bodies[c.reads_b]};
        double s = point.separation, speed = 0.0;
        row.drift = 0.0;
        for (int side = 0; side < 2; ++side) {
            const SolverBody& body = *bodies[side];
            s += along(c, point, side, load(body.displacement), load(body.turn));
            const double part = along(c, point, side, load(body.velocity), load(body.angular_velocity));
            if (contact.mover[side] == null_index) row.drift += part;
            speed += part;
        }
        const double push = -static_cast<double>(settings::max_push_speed);
        row.gamma = s <= 0.0 ? point.gamma : 0.0;
        row.bias = s > 0.0 ? s / h : std::max(c.bias_rate * std::min(s + c.slop, 0.0), push);
        row.given = row.impulse = *point.impulse;
        row.response = -1.0;
        if (i == group.first_row || row.contact != contact_rows_[i - 1].contact) change = 0.0;
        change += wanted_change(row, speed);
        ill = ill || change > most_odds;
    }
    return ill;
}

void JointSolver::begin_sweeps(const ContactGroup& group) {
    for (std::uint32_t p = group.first_party; p < group.first_party + group.party_count; ++p) {
        Party& party = parties_[p];
        party.pushed = false;
        party.ready = false;
        for (std::uint32_t m = party.first_mover; m < party.first_mover + party.mover_count; ++m) {
            const SolverBody& body = motions_.bodies[movers_[m].solver];
            movers_[m].velocity = load(body.velocity);
            movers_[m].spin = load(body.angular_velocity);
        }
    }
}

/// The row's columns, and its response.
void JointSolver::find_columns(ContactRow& row, Pass pass) {
    const JointedContact& contact = jointed_[row.contact];
    const ContactLane::Point& point = contact.lane.points[row.point];
    dvec3* column = columns_.data() + row.column;
    row.response = 0.0;
    for (int side = 0; side < 2; ++side) {
        if (contact.party[side] == null_index) continue;
        Party& party = parties_[contact.party[side]];
        const bool shared = side == 1 && contact.party[0] == contact.party[1];
        if (shared) column -= 2 * party.mover_count;
        if (!party.ready && party.articulation != null_index) let_drives_go(articulations_[party.articulation], false);
        party.ready = true;
        if (!shared) find_column(row, contact.party[side], column, pass);
        const dvec3* const part = column + 2 * (contact.mover[side] - party.first_mover);
        row.response += along(contact.lane, point, side, part[0], part[1]);
        column += 2 * party.mover_count;
    }
}

/// Drives whose force is capped go on with what they have: a rigid foot that gives way under the impulse found for it
/// would spin away.
void JointSolver::let_drives_go(Articulation& a, bool and_limits) {
    if (!a.bounded || !(a.driven || and_limits)) return;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        for (std::uint32_t i = runs_[r].first_bounded; i < runs_[r].row_count; ++i) {
            Row& row = rows_[runs_[r].first_row + i];
            if (!row.free || !is_bounded(row) || (row.kind == RowKind::limit && !and_limits)) continue;
            row.free = false;
            a.factored = Pass::none;
        }
    }
}

/// What a unit of the row's impulse gives to the movers of one party.
void JointSolver::find_column(const ContactRow& row, std::uint32_t p, dvec3* column, Pass pass) {
    const Party& party = parties_[p];
    const JointedContact& contact = jointed_[row.contact];
    const ContactLane& c = contact.lane;
    const ContactLane::Point& point = c.points[row.point];
    if (party.articulation == null_index) {
        const bool is_a = contact.party[0] == p;
        column[0] = is_a ? -c.inverse_mass_a * c.normal : c.inverse_mass_b * c.normal;
        column[1] = is_a ? -point.turn_a : point.turn_b;
        return;
    }
    Articulation& a = articulations_[party.articulation];
    std::fill_n(velocity_of(a.first_link), 8 * a.link_count, 0.0);
    for (int side = 0; side < 2; ++side) {
        if (contact.party[side] == p) push(contact, side, row.point, 1.0);
    }
    carry(a, pass);
    for (std::uint32_t m = 0; m < party.mover_count; ++m) {
        const double* const v = velocity_of(movers_[party.first_mover + m].link);
        column[2 * m] = dvec3(v[0], v[1], v[2]);
        column[2 * m + 1] = dvec3(v[4], v[5], v[6]);
    }
}

/// What joints make of velocities that they do not allow.
void JointSolver::carry(Articulation& a, Pass pass) {
    kernel_->speeds(rows_input(a, residuals_));
    solve_free(a, pass);
    apply_changes(a);
}

/// Puts an impulse on a link.
void JointSolver::push(const JointedContact& contact, int side, std::uint32_t k, double impulse) {
    const ContactLane& c = contact.lane;
    const Link& link = links_[movers_[contact.mover[side]].link];
    double* const v = velocity_of(movers_[contact.mover[side]].link);
    const dvec3 turn = link.inverse_inertia * angular_of(c.points[k], side);
    for (int i = 0; i < 3; ++i) {
        v[i] += (side == 0 ? -impulse : impulse) * link.inverse_mass[i] * c.normal[i];
        v[i + 4] += impulse * turn[i];
    }
    Articulation& a = articulations_[articulation_of_[movers_[contact.mover[side]].link]];
    if (!a.stiff || !a.free) return;
    const dvec3 arm = dvec3((*motions_.store)[link.slot].center) + link.displacement - a.center;
    a.momentum += impulse * (angular_of(c.points[k], side) + glm::cross(arm, side == 0 ? -c.normal : c.normal));
}

/// How fast the row's bodies come apart.
double JointSolver::speed_of(const ContactRow& row) const {
    const JointedContact& contact = jointed_[row.contact];
    double speed = row.drift;
    for (int side = 0; side < 2; ++side) {
        if (contact.mover[side] == null_index) continue;
        const Mover& mover = movers_[contact.mover[side]];
        speed += along(contact.lane, contact.lane.points[row.point], side, mover.velocity, mover.spin);
    }
    return speed;
}

/// What the row's columns say that an impulse does.
void JointSolver::move_movers(const ContactRow& row, double impulse) {
    const JointedContact& contact = jointed_[row.contact];
    const dvec3* column = columns_.data() + row.column;
    for (int side = 0; side < 2; ++side) {
        if (contact.party[side] == null_index || (side == 1 && contact.party[0] == contact.party[1])) continue;
        const Party& party = parties_[contact.party[side]];
        for (std::uint32_t m = party.first_mover; m < party.first_mover + party.mover_count; ++m) {
            movers_[m].velocity += impulse * *column++;
            movers_[m].spin += impulse * *column++;
        }
    }
}

void JointSolver::sweep_rows(const ContactGroup& group, double most_odds) {
    for (int sweep = 0; sweep < settings::joint_contact_sweeps; ++sweep) {
        double worst = 0.0;
        for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
            ContactRow& row = contact_rows_[i];
            const double speed = speed_of(row);
            const double before = row.impulse, residual = speed + row.bias + row.gamma * before;
            if (before == 0.0 && residual >= 0.0) continue;
            if (row.response < 0.0) {
                if (wanted_change(row, speed) < settings::joint_contact_share * most_odds) continue;
                find_columns(row, Pass::solve);
            }
            if (!(row.response > settings::joint_contact_give * row.alone)) continue;  // joints hold it fast
            row.impulse = std::max(0.0, before - residual / (row.response + row.gamma));
            const double change = row.impulse - before;
            if (change == 0.0) continue;
            worst = std::max(worst, std::abs(change) * row.response);
            move_movers(row, change);
        }
        if (worst < settings::joint_contact_tolerance) return;
    }
}

/// Puts the impulses on the bodies that they push, and lets joints carry them on.
void JointSolver::apply_rows(const ContactGroup& group, Pass pass) {
    for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
        const ContactRow& row = contact_rows_[i];
        const JointedContact& contact = jointed_[row.contact];
        if (row.impulse == row.given) continue;
        *contact.lane.points[row.point].impulse = static_cast<float>(row.impulse);
        for (const std::uint32_t p : contact.party) {
            if (p != null_index) parties_[p].pushed = true;
        }
    }
    for (std::uint32_t p = group.first_party; p < group.first_party + group.party_count; ++p) {
        const Party& party = parties_[p];
        if (!party.pushed) continue;
        if (party.articulation == null_index) {
            const Mover& mover = movers_[party.first_mover];
            SolverBody& body = motions_.bodies[mover.solver];
            for (int k = 0; k < 3; ++k) {
                body.velocity[k] = static_cast<float>(mover.velocity[k]);
                body.angular_velocity[k] = static_cast<float>(mover.spin[k]);
            }
            continue;
        }
        read_velocities(articulations_[party.articulation]);
        note_momentum(articulations_[party.articulation]);
    }
    for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
        const ContactRow& row = contact_rows_[i];
        const JointedContact& contact = jointed_[row.contact];
        for (int side = 0; side < 2; ++side) {
            if (contact.mover[side] == null_index || movers_[contact.mover[side]].link == null_index) continue;
            push(contact, side, row.point, row.impulse - row.given);
        }
    }
    for (std::uint32_t p = group.first_party; p < group.first_party + group.party_count; ++p) {
        if (!parties_[p].pushed || parties_[p].articulation == null_index) continue;
        Articulation& a = articulations_[parties_[p].articulation];
        if (a.stiff && a.free) a.energy = kinetic_energy(a);
        run_pass(a, pass, true);
    }
}

/// Whether passes over what bounces gave anything.
bool JointSolver::has_bounced(const ContactGroup& group) const {
    for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
        const ContactRow& row = contact_rows_[i];
        const ContactLane::Point& point = jointed_[row.contact].lane.points[row.point];
        if (*point.bounce > 0.0f && *point.impulse > 0.0f) return true;
    }
    return false;
}

void JointSolver::carry_on(std::uint32_t articulation) {
    Articulation& a = articulations_[articulation];
    read_velocities(a);
    note_momentum(a);
    if (a.taken) {
        const Run& last = runs_[a.first_run + a.run_count - 1];
        for (std::uint32_t i = runs_[a.first_run].first_row; i < last.first_row + last.row_count; ++i) {
            rows_[i].given = rows_[i].impulse;
            rows_[i].impulse += taken_[i];
            taken_[i] = 0.0;
        }
        report(a, Pass::relax, true, 1.0);
        a.taken = false;
    }
    run_pass(a, Pass::relax, true);
}

void JointSolver::carry_bounces(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        const ContactGroup& group = groups_[g];
        if (!has_bounced(group)) continue;
        for (std::uint32_t p = group.first_party; p < group.first_party + group.party_count; ++p) {
            if (parties_[p].articulation == null_index) continue;
            carry_on(parties_[p].articulation);
        }
    }
}

/// Blows that are left in groups where something has bounced.
void JointSolver::hand_on_bounces(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t g = first; g < last; ++g) {
        const ContactGroup& group = groups_[g];
        if (!has_bounced(group)) continue;
        begin_sweeps(group);
        if (strike_rows(group)) apply_rows(group, Pass::relax);
    }
}

/// One impact after the other, with the masses of all that joints hold together. False if there is none.
bool JointSolver::strike_rows(const ContactGroup& group) {
    const double h = substep_;
    bool any = false;
    for (std::uint32_t i = group.first_row; i < group.first_row + group.row_count; ++i) {
        ContactRow& row = contact_rows_[i];
        const ContactLane& c = jointed_[row.contact].lane;
        const ContactLane::Point& point = c.points[row.point];
        row.given = row.impulse = *point.impulse;
        row.response = -1.0;
        row.drift = 0.0;
        row.gap = point.separation;
        const SolverBody* const bodies[2] = {&motions_.bodies[c.reads_a], &motions_.bodies[c.reads_b]};
        for (int side = 0; side < 2; ++side) {
            const SolverBody& body = *bodies[side];
            row.gap += along(c, point, side, load(body.displacement), load(body.turn));
            if (jointed_[row.contact].mover[side] == null_index)
                row.drift += along(c, point, side, load(body.velocity), load(body.angular_velocity));
        }
    }
    for (int sweep = 0; sweep < settings::joint_contact_sweeps; ++sweep) {
        bool struck = false;
        for (std::uint32_t k = 0; k < group.row_count; ++k) {
            ContactRow& row = contact_rows_[group.first_row + (sweep % 2 == 0 ? k : group.row_count - 1 - k)];
            const ContactLane& c = jointed_[row.contact].lane;
            if (!(c.restitution > 0.0)) continue;
            const ContactLane::Point& point = c.points[row.point];
            const double speed = speed_of(row);
            const bool unloaded = -*point.bounce < settings::knock_load * least_bounce_ * point.mass;
            const double lost = std::clamp(2.0 - 2.0 * c.restitution, static_cast<double>(settings::knock_share), 1.0);
            const double least = unloaded ? lost * least_bounce_ : least_bounce_;
            if (speed > -least || row.gap + h * speed > 0.0) continue;
            if (row.response < 0.0) find_columns(row, Pass::relax);
            if (!(row.response > settings::joint_contact_give * row.alone)) continue;  // joints hold it fast
            const double change = -(1.0 + c.restitution) * speed / row.response;
            row.impulse += change;
            *point.bounce = static_cast<float>(-c.restitution * speed);  // it is no load
            move_movers(row, change);
            struck = true;
        }
        if (!struck) break;
        any = true;
    }
    return any;
}

// ---- after the sub-steps ---------------------------------------------------------------------------------------------

bool JointSolver::begin_response(std::uint32_t slot) {
    const std::uint32_t link = slot < link_of_.size() ? link_of_[slot] : null_index;
    if (link == null_index || links_[link].solver == 0) return false;
    let_drives_go(articulations_[articulation_of_[link]], true);
    return true;
}

bool JointSolver::meets_limits(std::uint32_t slot, const dvec3& impulse, const dvec3& moment, double time) {
    Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    if (!a.bounded) return false;
    push_body(link_of_[slot], impulse, moment);
    kernel_->speeds(rows_input(a, residuals_));
    bool any = false;
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        const double* const speed = residuals(runs_[r]);
        for (std::uint32_t i = runs_[r].first_bounded; i < runs_[r].row_count; ++i) {
            Row& row = rows_[runs_[r].first_row + i];
            if (row.free || row.kind != RowKind::limit) continue;
            const double side = row.upper ? 1.0 : -1.0;
            if (side * speed[i] <= settings::joint_release_speed || side * (row.position + time * speed[i]) <= 0.0)
                continue;
            row.free = any = true;
        }
    }
    if (any) a.factored = Pass::none;
    return any;
}

void JointSolver::project(std::uint32_t slot, const BodyStore& bodies) {
    Articulation& a = articulations_[articulation_of_[link_of_[slot]]];
    for (std::uint32_t l = a.first_link; l < a.first_link + a.link_count; ++l) {
        double* const v = velocity_of(l);
        const Body& body = bodies[links_[l].slot];
        for (int k = 0; k < 3; ++k) {
            v[k] = body.linear_velocity[k];
            v[k + 4] = body.angular_velocity[k];
        }
    }
    kernel_->speeds(rows_input(a, residuals_));
    for (std::uint32_t r = a.first_run; r < a.first_run + a.run_count; ++r) {
        double* const residual = residuals(runs_[r]);
        for (std::uint32_t i = 0; i < runs_[r].row_count; ++i) {
            if (rows_[runs_[r].first_row + i].kind != RowKind::lock) residual[i] = 0.0;
        }
    }
    solve_free(a, Pass::relax);
    apply_changes(a);
}

JointSolver::Response JointSolver::respond(std::uint32_t slot) {
    const std::uint32_t link = link_of_[slot];
    Response response;
    for (int i = 0; i < 3; ++i) {
        dvec3 unit(0.0);
        unit[i] = 1.0;
        const double* const v = velocity_of(link);
        push_body(link, unit, dvec3(0.0));
        response.by_impulse[i] = {v[0], v[1], v[2]};
        push_body(link, dvec3(0.0), unit);
        response.by_moment[i] = {v[0], v[1], v[2]};
        response.spin_by_moment[i] = {v[4], v[5], v[6]};
    }
    // What they hold fast gives way all the same.
    const Link& held = links_[link];
    for (int i = 0; i < 3; ++i) response.by_impulse[i][i] += settings::joint_contact_give * held.inverse_mass[i];
    response.spin_by_moment += settings::joint_contact_give * held.inverse_inertia;
    return response;
}

void JointSolver::push_body(std::uint32_t l, const dvec3& impulse, const dvec3& moment) {
    Articulation& a = articulations_[articulation_of_[l]];
    std::fill_n(velocity_of(a.first_link), 8 * a.link_count, 0.0);
    double* const v = velocity_of(l);
    const dvec3 spin = links_[l].inverse_inertia * moment;
    for (int k = 0; k < 3; ++k) {
        v[k] = links_[l].inverse_mass[k] * impulse[k];
        v[k + 4] = spin[k];
    }
    carry(a, Pass::relax);
}

}  // namespace talus
