#include "profiling/bench/papers/papers_nonconvex.h"

#include "profiling/bench/measure.h"
#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/solids.h"

#include <talus/narrowphase/nonconvex/interference.h>
#include "narrowphase/nonconvex/candidates.h"
#include "narrowphase/nonconvex/edge_face.h"
#include "narrowphase/nonconvex/orientation_graph.h"
#include "narrowphase/nonconvex/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

namespace talus::profiling {

namespace {

struct Model {
    std::string name;
    samples::MeshFile mesh;
    NonconvexShape shape;
    double build_ns = 0.0;  ///< of the orientation graph
};

Error add_model(std::vector<Model>& models, std::string name, const samples::MeshFile& file) {
    // All are brought to a radius of 1 m around the origin.
    samples::MeshFile mesh = file;
    vec3 lower = mesh.vertices[0], upper = lower;
    for (const vec3& v : mesh.vertices) lower = glm::min(lower, v), upper = glm::max(upper, v);
    const float scale = 2.0f / glm::length(upper - lower);
    for (vec3& v : mesh.vertices) v = scale * (v - 0.5f * (lower + upper));
    Result<NonconvexShape> shape = make_nonconvex(mesh.vertices, mesh.triangles);
    if (!shape) return shape.error();
    const double start = thread_cpu_ns();
    shape->graph = std::make_shared<const OrientationGraph>(make_orientation_graph(shape->polyhedron));
    models.push_back({std::move(name), std::move(mesh), std::move(*shape), thread_cpu_ns() - start});
    return {};
}

/// The shapes of the experiment. Refused: a file of --mesh that cannot be read or is not a closed mesh.
Result<std::vector<Model>> all_models(const PapersOptions& options) {
    std::vector<Model> models;
    const auto add_own = [&](const char* name, const samples::MeshFile& mesh) {
        if (const Error error = add_model(models, name, mesh))
            std::printf("%s is left out: %s\n", name, error.message.c_str());
    };
    add_own("pentahedron", samples::pentahedron());
    add_own("l_prism", samples::l_prism());
    add_own("frame", samples::square_frame());
    add_own("star5", samples::star_prism(5));
    add_own("hourglass8", samples::hourglass(8));
    add_own("star17", samples::star_prism(17));
    add_own("hourglass32", samples::hourglass(32));
    add_own("gear20", samples::gear(20));
    std::vector<std::string> files = options.mesh_files;
    if (files.empty()) {
        for (const char* name : {"anchor", "couplingdown", "pinion", "rotor", "cow"}) {
            const std::string path = std::string("meshes/") + name + ".off";
            if (std::filesystem::exists(path)) files.push_back(path);
        }
        if (files.empty()) std::printf("No meshes: samples/fetch_meshes.sh fetches some into meshes/.\n");
    }
    if (options.quick && options.mesh_files.empty() && files.size() > 1) files.resize(1);
    for (const std::string& path : files) {
        const auto mesh = samples::read_mesh(path);
        const std::string name = std::filesystem::path(path).stem().string();
        const Error error = mesh ? add_model(models, name, *mesh) : mesh.error();
        if (!error) continue;
        // The user named this file; those of meshes/ are only taken if they are fit.
        if (!options.mesh_files.empty()) return Error{error.code, "--mesh " + path + ": " + error.message};
        std::printf("%s is left out: %s\n", name.c_str(), error.message.c_str());
    }
    return models;
}

vec3 direction(samples::Random& random) {
    for (;;) {
        vec3 v;
        for (int k = 0; k < 3; ++k) v[k] = random.between(-1.0f, 1.0f);
        const float q = glm::dot(v, v);
        if (q > 0.01f && q < 1.0f) return v / std::sqrt(q);
    }
}

quat orientation(samples::Random& random) {
    const vec3 axis = direction(random);
    return samples::turn(axis, random.between(0.0f, 3.1f));
}

/// Poses in which two copies are apart, by a gap of up to `gap` m.
std::vector<Transform> apart_poses(const Model& m, int count, float gap, std::uint64_t seed) {
    samples::Random random(seed);
    ContactScratch scratch;
    std::vector<Transform> poses;
    while (static_cast<int>(poses.size()) < count) {
        const vec3 towards = direction(random);
        const quat rotation = orientation(random);
        // From far outside in, by no more than the distance at once.
        float at = 2.5f;
        const float target = random.between(0.3f * gap, gap);
        for (int step = 0; step < 50; ++step) {
            const auto r = first_contact(m.shape, {}, m.shape, {at * towards, rotation}, scratch, DistanceKind::exact);
            if (r.distance < 1.05 * target) break;
            at -= static_cast<float>(r.distance) - target;
            if (at < -2.5f) break;  // past it
        }
        poses.push_back({at * towards, rotation});
    }
    return poses;
}

/// A slow motion: a step of 1/60 s at 0.3 m/s and 0.3 rad/s.
std::vector<Transform> slow_path(const Transform& start, const vec3& axis, int steps) {
    std::vector<Transform> path;
    const vec3 sideways = any_perpendicular(glm::normalize(start.position));
    for (int i = 0; i < steps; ++i) {
        const auto t = static_cast<float>(i) / 60.0f;
        path.push_back({start.position + 0.3f * t * sideways, multiply(samples::turn(axis, 0.3f * t), start.rotation)});
    }
    return path;
}

/// Microseconds per item: the median of some repeats, each long enough to be told from the clock.
template <class Pass>
double median_time(int repeats, std::size_t items, Pass&& pass) {
    const int times = std::max(1, static_cast<int>(2e5 / std::max(1.0, time_of(1, pass))));
    std::vector<double> costs;
    for (int r = 0; r < repeats; ++r) costs.push_back(time_of(times, pass) / static_cast<double>(items));
    return 1e-3 * median(costs);
}

bool large(const Model& m) { return m.shape.polyhedron.edges.size() * m.shape.polyhedron.faces.size() > 500'000; }

std::vector<Transform> near_poses(const Model& m, const PapersOptions& options) {
    return apart_poses(m, options.quick || large(m) ? 2 : 20, 0.2f, options.seed);
}

// ---- Figures 4 and 5 --------------------------------------------------------------------------------------------------

/// The largest solid of the paper, an hourglass, has so many edges.
constexpr std::size_t paper_edges = 160;

/// The edge-face pairs as the paper's section 3 takes them from the contacts that an orientation allows: one edge of each vertex with its face;
/// of each two edges, either with both faces of the other. (find_candidates() chooses fewer, by a set cover that the paper does not have.)
EdgeFaceCandidates paper_candidates(const OrientationGraph& graph, const ApplicableContacts& contacts) {
    EdgeFaceCandidates pairs;
    const auto edge_at = [&](const VertexOnFace& contact) {
        return graph.edge_of[graph.regions[contact.region].first];
    };
    for (const VertexOnFace& c : contacts.a_vertices) pairs.a_edges.push_back({edge_at(c), c.face});
    for (const VertexOnFace& c : contacts.b_vertices) pairs.b_edges.push_back({edge_at(c), c.face});
    for (const EdgeOnEdge& c : contacts.edges) {
        const OrientationArc &a = graph.arcs[c.arc_a], &b = graph.arcs[c.arc_b];
        for (const std::uint32_t face : b.faces) pairs.a_edges.push_back({a.edge, face});
        for (const std::uint32_t face : a.faces) pairs.b_edges.push_back({b.edge, face});
    }
    for (std::vector<EdgeFacePair>* list : {&pairs.a_edges, &pairs.b_edges}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return pairs;
}

/// A model in its poses, with the pairs of each pose's orientation.
struct Settings {
    const Model& model;
    int repeats;
    std::vector<Transform> poses;
    std::vector<ContactScratch> found;
    std::vector<EdgeFaceCandidates> paper, cover;

    Settings(const Model& m, const PapersOptions& options)
        : model(m), repeats(large(m) ? 1 : options.repeats), poses(near_poses(m, options)), found(poses.size()) {
        for (std::size_t k = 0; k < poses.size(); ++k) {
            find_candidates(m.shape, {}, m.shape, poses[k], found[k]);
            cover.push_back(found[k].candidates);
            const OrientationGraph& graph = *m.shape.graph;
            const glm::dmat3 rotation = glm::mat3_cast(glm::dquat(poses[k].rotation));
            ApplicableContacts contacts;
            OverlayScratch scratch;
            find_applicable(graph, graph, rotation, 0.0, OverlayMethod::signs, scratch, contacts);
            paper.push_back(paper_candidates(graph, contacts));
        }
    }

    /// Microseconds per orientation for finding the candidates.
    double find(OverlayMethod method) {
        return median_time(repeats, poses.size(), [&] {
            for (std::size_t k = 0; k < poses.size(); ++k)
                find_candidates(model.shape, {}, model.shape, poses[k], found[k], method);
        });
    }
    /// Microseconds per test of all pairs.
    double all_pairs(DistanceKind kind) const {
        const Polyhedron& p = model.shape.polyhedron;
        return median_time(repeats, poses.size(), [&] {
            for (const Transform& pose : poses) interference(p, {}, p, pose, kind);
        });
    }
    /// Microseconds per test of these pairs.
    double some_pairs(const std::vector<EdgeFaceCandidates>& pairs, DistanceKind kind) const {
        return median_time(repeats, poses.size(), [&] {
            for (std::size_t k = 0; k < poses.size(); ++k)
                first_contact(model.shape, {}, model.shape, poses[k], pairs[k], kind);
        });
    }
};

/// The mean per pose.
std::size_t mean_size(const std::vector<EdgeFaceCandidates>& pairs) {
    std::size_t sum = 0;
    for (const EdgeFaceCandidates& list : pairs) sum += list.size();
    return sum / pairs.size();
}

/// The least and the largest ratio of the solids in the paper's range, and of the others.
class Ranges {
public:
    void add(const Model& m, double ratio) {
        Range& r = m.shape.polyhedron.edges.size() <= paper_edges ? small_ : large_;
        r.least = std::min(r.least, ratio);
        r.most = std::max(r.most, ratio);
    }
    void print(const char* what) const {
        std::printf("%s: %.1f to %.1f up to %zu edges, the paper's range", what, small_.least, small_.most,
                    paper_edges);
        if (large_.most > 0.0) std::printf("; %.1f to %.1f on larger solids", large_.least, large_.most);
        std::printf("\n");
    }

private:
    struct Range {
        double least = std::numeric_limits<double>::infinity(), most = 0.0;
    };
    Range small_, large_;
};

constexpr const char* counts_head = R"(
Figure 4: edge-face pairs to test. Two copies of a solid, apart by up to 0.2 radii, at random orientations. A: all pairs.
B: those that can touch first at this orientation; 'paper': as section 3 of the paper takes them; 'cover': the fewer
that Talus takes, by a set cover that the paper does not have.

solid        edges faces         A | B paper    % | B cover    %
)";

void print_counts(const std::vector<Settings>& all) {
    std::fputs(counts_head, stdout);
    Ranges paper, cover;
    for (const Settings& s : all) {
        const Polyhedron& p = s.model.shape.polyhedron;
        const std::size_t pairs = 2 * p.edges.size() * p.faces.size();
        const auto share = [&](std::size_t n) { return 100.0 * static_cast<double>(n) / static_cast<double>(pairs); };
        const std::size_t by_paper = mean_size(s.paper), by_cover = mean_size(s.cover);
        std::printf("%-12s %5zu %5zu %9zu | %7zu %4.1f | %7zu %4.1f\n", s.model.name.c_str(), p.edges.size(),
                    p.faces.size(), pairs, by_paper, share(by_paper), by_cover, share(by_cover));
        paper.add(s.model, share(by_paper));
        cover.add(s.model, share(by_cover));
    }
    paper.print("B paper, %");
    cover.print("B cover, %");
}

constexpr const char* times_head = R"(
Figure 5: us per test of two that are apart, as above. A / B counts the tests alone, as the paper does: what is found once
for an orientation is in the columns 'us per orientation' (by the paper's sweep, by a grid, by tables of signs).
(all): the same for B cover, with what the tables of signs take counted to each test.

             |          yes or no: us, A / B                      |         lower bound: us, A / B                   |   us per orientation       | us per solid
solid        |        A B paper   A/B  B cover   A/B   (all)      |         A B paper   A/B  B cover   A/B   (all)   |    sweep     grid    signs |       graph
)";

void print_times(std::vector<Settings>& all) {
    std::fputs(times_head, stdout);
    Ranges paper, cover, whole;
    for (Settings& s : all) {
        const double signs = s.find(OverlayMethod::signs);
        std::printf("%-12s |", s.model.name.c_str());
        for (const DistanceKind kind : {DistanceKind::none, DistanceKind::bound}) {
            const double a = s.all_pairs(kind), by_paper = s.some_pairs(s.paper, kind),
                         by_cover = s.some_pairs(s.cover, kind);
            std::printf(" %8.1f %7.2f %5.1f  %7.2f %5.1f %7.1f      |", a, by_paper, a / by_paper, by_cover,
                        a / by_cover, a / (by_cover + signs));
            if (kind != DistanceKind::none) continue;
            paper.add(s.model, a / by_paper);
            cover.add(s.model, a / by_cover);
            whole.add(s.model, a / (by_cover + signs));
        }
        std::printf(" %8.1f %8.1f %8.1f | %11.0f\n", s.find(OverlayMethod::sweep), s.find(OverlayMethod::grid), signs,
                    1e-3 * s.model.build_ns);
        std::fflush(stdout);
    }
    paper.print("Yes or no, A / B paper");
    cover.print("Yes or no, A / B cover");
    whole.print("Yes or no, A / B cover, (all)");
}

// ---- In motion ----------------------------------------------------------------------------------------------------------

constexpr const char* tracked_head = R"(
In motion, at 60 Hz, 0.3 m/s and 0.3 rad/s, from gaps of up to 0.3 radii: us per exact distance. A: of all pairs; B: found
anew at each step; tracked: a NonconvexPair; clearance: one for which distances over 0.05 radii need not be exact.

solid                A           B    tracked  clearance | A/B  B/tracked  B/clearance
)";

/// Two that move: what they were tells most of what they are.
void print_tracked(const std::vector<Model>& models, const PapersOptions& options) {
    std::fputs(tracked_head, stdout);
    for (const Model& m : models) {
        const Polyhedron& p = m.shape.polyhedron;
        const int steps = options.quick || large(m) ? 60 : 300, repeats = large(m) ? 1 : options.repeats;
        std::vector<Transform> starts = near_poses(m, options);
        starts.resize(std::min<std::size_t>(starts.size(), 4));
        std::vector<std::vector<Transform>> paths;
        for (Transform& start : starts) {
            start.position *= 1.0f + 0.1f / glm::length(start.position);
            paths.push_back(slow_path(start, vec3(0.6f, 0.0f, 0.8f), steps));
        }
        const std::size_t queries = paths.size() * static_cast<std::size_t>(steps);
        const double all = median_time(1, starts.size(), [&] {
            for (const Transform& pose : starts) interference(p, {}, p, pose, DistanceKind::exact);
        });
        ContactScratch scratch;
        const double fresh = median_time(repeats, queries, [&] {
            for (const auto& path : paths) {
                for (const Transform& pose : path) {
                    first_contact(m.shape, {}, m.shape, pose, scratch, DistanceKind::exact);
                }
            }
        });
        // The first answer, which tests all pairs, is not one of a pair in motion.
        const auto track = [&](double clearance) {
            std::vector<double> costs;
            for (int r = 0; r < repeats; ++r) {
                double cost = 0.0;
                for (const auto& path : paths) {
                    NonconvexPair pair(m.shape, m.shape);
                    pair.update({}, path[0]);
                    cost += time_of(1, [&] {
                        for (const Transform& pose : path) pair.update({}, pose, clearance);
                    });
                }
                costs.push_back(cost / static_cast<double>(queries));
            }
            return 1e-3 * median(costs);
        };
        const double tracked = track(std::numeric_limits<double>::infinity()), clear = track(0.05);
        std::printf("%-12s %9.1f %11.1f %10.2f %10.2f | %3.0f %10.1f %12.1f\n", m.name.c_str(), all, fresh, tracked,
                    clear, all / fresh, fresh / tracked, fresh / clear);
        std::fflush(stdout);
    }
}

// ---- Figure 6 -----------------------------------------------------------------------------------------------------------

constexpr const char* quality_head = R"(
Figure 6: the lower bound over the true distance, mean, by the gap in radii; A: of all pairs, B: of those that can touch
first.

             gap to %.2f       to %.2f       to %.2f
solid            A     B      A     B      A     B
)";

void print_quality(const std::vector<Model>& models, const PapersOptions& options) {
    const float gaps[] = {0.02f, 0.2f, 1.0f};
    std::printf(quality_head, double(gaps[0]), double(gaps[1]), double(gaps[2]));
    for (const Model& m : models) {
        const Polyhedron& p = m.shape.polyhedron;
        if (large(m)) continue;  // minutes, for all pairs
        std::printf("%-12s", m.name.c_str());
        for (const float gap : gaps) {
            ContactScratch scratch;
            double a = 0.0, b = 0.0;
            int n = 0;
            for (const Transform& pose : apart_poses(m, options.quick ? 3 : 40, gap, options.seed + 1)) {
                const double d = first_contact(m.shape, {}, m.shape, pose, scratch, DistanceKind::exact).distance;
                const auto all = interference(p, {}, p, pose, DistanceKind::bound);
                if (all.relation != Interference::disjoint || !(d > 0.0)) continue;
                a += all.distance / d;
                b += first_contact(m.shape, {}, m.shape, pose, scratch, DistanceKind::bound).distance / d;
                ++n;
            }
            std::printf("  %5.2f %5.2f", a / n, b / n);
        }
        std::printf("\n");
    }
}

}  // namespace

int print_nonconvex(const PapersOptions& options) {
    const Result<std::vector<Model>> made = all_models(options);
    if (!made) {
        std::fprintf(stderr, "talus-profile: %s\n", made.error().message.c_str());
        return 2;
    }
    const std::vector<Model>& models = *made;
    std::vector<Settings> settings;
    for (const Model& model : models) settings.emplace_back(model, options);
    print_counts(settings);
    print_times(settings);
    print_tracked(models, options);
    print_quality(models, options);
    return 0;
}

}  // namespace talus::profiling
