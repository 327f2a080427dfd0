#include "profiling/bench/papers/papers_nonconvex.h"

#include "profiling/bench/measure.h"
#include "samples/scenes/kit/parts.h"
#include "samples/scenes/kit/solids.h"

#include <talus/narrowphase/hull.h>
#include <talus/narrowphase/nonconvex/interference.h>
#include <talus/narrowphase/nonconvex/motion.h>
#include <talus/narrowphase/nonconvex/translating_pair.h>
#include "narrowphase/nonconvex/candidates.h"
#include "narrowphase/nonconvex/edge_face.h"
#include "narrowphase/nonconvex/orientation_graph.h"
#include "narrowphase/nonconvex/overlay.h"
#include "narrowphase/nonconvex/paper_pairs.h"

#include <algorithm>
#include <array>
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
    if (files.empty() && options.meshes) {
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

/// The largest solid of the paper, an hourglass, has so many edges.
constexpr std::size_t paper_edges = 160;

bool is_in_papers_range(const Model& m) { return m.shape.polyhedron.edges.size() <= paper_edges; }

/// Larger solids than the paper's take long, and are measured less often.
bool measures_little(const Model& m, const PapersOptions& options) {
    return large(m) || !(options.full || is_in_papers_range(m));
}

int repeats_of(const Model& m, const PapersOptions& options) {
    return measures_little(m, options) ? 1 : options.repeats;
}

std::vector<Transform> near_poses(const Model& m, const PapersOptions& options) {
    const int count = options.quick || large(m) ? 2 : measures_little(m, options) ? 5 : 20;
    return apart_poses(m, count, 0.2f, options.seed);
}

// ---- Figures 4 and 5 --------------------------------------------------------------------------------------------------

/// The edge-face pairs of the paper's algorithm B: the contacts that its naive sweep finds at an orientation, taken as its section 3
/// says. (find_candidates() chooses fewer, by a set cover that the paper does not have.)
EdgeFaceCandidates paper_candidates(const NonconvexShape& shape, const Transform& pose) {
    const OrientationGraph& graph = *shape.graph;
    ApplicableContacts contacts;
    OverlayScratch scratch;
    find_applicable(graph, graph, glm::mat3_cast(glm::dquat(pose.rotation)), 0.0, OverlayMethod::sweep, scratch,
                    contacts);
    EdgeFaceCandidates pairs;
    const auto add = [&](const FeaturePair& p) {
        paper_edge_faces(graph, graph, shape.polyhedron, shape.polyhedron, p, [&](bool of_a, const EdgeFacePair& q) {
            (of_a ? pairs.a_edges : pairs.b_edges).push_back(q);
        });
    };
    for (const VertexOnFace& c : contacts.a_vertices)
        add({FeaturePairKind::a_vertex, graph.regions[c.region].vertex, c.face});
    for (const VertexOnFace& c : contacts.b_vertices)
        add({FeaturePairKind::b_vertex, c.face, graph.regions[c.region].vertex});
    for (const EdgeOnEdge& c : contacts.edges)
        add({FeaturePairKind::edges, graph.arcs[c.arc_a].edge, graph.arcs[c.arc_b].edge});
    for (std::vector<EdgeFacePair>* list : {&pairs.a_edges, &pairs.b_edges}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return pairs;
}

/// All edges of a solid with all faces of its copy, both ways.
EdgeFaceCandidates all_candidates(const Polyhedron& p) {
    EdgeFaceCandidates all;
    for (std::uint32_t e = 0; e < p.edges.size(); ++e) {
        for (std::uint32_t f = 0; f < p.faces.size(); ++f) all.a_edges.push_back({e, f});
    }
    all.b_edges = all.a_edges;
    return all;
}

/// A model in its poses, with the pairs of each pose's orientation.
struct Settings {
    const Model& model;
    int repeats;
    std::vector<Transform> poses;
    std::vector<ContactScratch> found;
    std::vector<EdgeFaceCandidates> paper, cover;

    Settings(const Model& m, const PapersOptions& options)
        : model(m), repeats(repeats_of(m, options)), poses(near_poses(m, options)), found(poses.size()) {
        for (std::size_t k = 0; k < poses.size(); ++k) {
            find_candidates(m.shape, {}, m.shape, poses[k], found[k]);
            cover.push_back(found[k].candidates);
            paper.push_back(paper_candidates(m.shape, poses[k]));
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
    /// The same by a TranslatingPair for each pose, and what it takes to prepare one.
    struct Prepared {
        double test, prepare;
    };
    Prepared prepared(const std::vector<EdgeFaceCandidates>& pairs) const {
        std::vector<TranslatingPair> all(poses.size(), TranslatingPair(model.shape, model.shape));
        const double prepare = median_time(1, poses.size(), [&] {
            for (std::size_t k = 0; k < poses.size(); ++k) all[k].prepare({}, poses[k], pairs[k]);
        });
        const double test = median_time(repeats, poses.size(), [&] {
            for (std::size_t k = 0; k < poses.size(); ++k) all[k].test(vec3(0.0f), poses[k].position);
        });
        return {test, prepare};
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
        Range& r = is_in_papers_range(m) ? small_ : large_;
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
Figure 5: us per test of two that are apart, as above: do they meet? A: all pairs. B: the pairs of Figure 4. Each with what
depends on the orientation alone computed in each test (one by one), and prepared once for an orientation (prepared), as the
paper's preprocessing is; its algorithm B is 'B paper'. A / B counts the tests alone, as the paper does.

             |             one by one              |                  prepared
solid        |        A  B paper   A/B B cover   A/B |  B paper   A/B  B cover   A/B | A prepared
)";

constexpr const char* preparation_head = R"(
What is found once for an orientation, us: the pairs (by the paper's sweep, by a grid, by tables of signs; then the set
cover), the planes of a TranslatingPair for 'B paper' and 'B cover'; and the tests of one orientation after which signs, cover
and planes have paid: preparation / (A - B cover, prepared). Once per solid: its graph.

solid        |    sweep     grid    signs | planes paper planes cover |  tests |   graph
)";

constexpr const char* bounds_head = R"(
The same poses: us per lower bound of the distance, one by one.

solid        |        A  B paper   A/B B cover   A/B
)";

void print_times(std::vector<Settings>& all) {
    std::fputs(times_head, stdout);
    Ranges paper, cover, prepared_paper, prepared_cover;
    std::vector<std::array<double, 4>> preparation;
    for (Settings& s : all) {
        const double a = s.all_pairs(DistanceKind::none), by_paper = s.some_pairs(s.paper, DistanceKind::none),
                     by_cover = s.some_pairs(s.cover, DistanceKind::none);
        const Settings::Prepared quick_paper = s.prepared(s.paper), quick_cover = s.prepared(s.cover);
        std::printf("%-12s | %8.2f %8.2f %5.1f %7.2f %5.1f | %8.3f %5.1f %8.3f %5.1f |", s.model.name.c_str(), a,
                    by_paper, a / by_paper, by_cover, a / by_cover, quick_paper.test, a / quick_paper.test,
                    quick_cover.test, a / quick_cover.test);
        if (!is_in_papers_range(s.model)) {
            std::printf("%11s\n", "-");  // minutes, and gigabytes
        } else {
            const std::vector<EdgeFaceCandidates> every(s.poses.size(), all_candidates(s.model.shape.polyhedron));
            std::printf(" %10.3f\n", s.prepared(every).test);
        }
        std::fflush(stdout);
        paper.add(s.model, a / by_paper);
        cover.add(s.model, a / by_cover);
        prepared_paper.add(s.model, a / quick_paper.test);
        prepared_cover.add(s.model, a / quick_cover.test);
        preparation.push_back({quick_paper.prepare, quick_cover.prepare, a, quick_cover.test});
    }
    paper.print("A / B paper, one by one");
    cover.print("A / B cover, one by one");
    prepared_paper.print("A / B paper, prepared");
    prepared_cover.print("A / B cover, prepared");

    std::fputs(preparation_head, stdout);
    for (std::size_t i = 0; i < all.size(); ++i) {
        Settings& s = all[i];
        const auto& [planes_paper, planes_cover, a, test] = preparation[i];
        const double signs = s.find(OverlayMethod::signs);
        std::printf("%-12s | %8.1f %8.1f %8.1f | %12.1f %12.1f | %6.0f | %7.0f\n", s.model.name.c_str(),
                    s.find(OverlayMethod::sweep), s.find(OverlayMethod::grid), signs, planes_paper, planes_cover,
                    std::ceil((signs + planes_cover) / (a - test)), 1e-3 * s.model.build_ns);
        std::fflush(stdout);
    }

    std::fputs(bounds_head, stdout);
    for (Settings& s : all) {
        const double a = s.all_pairs(DistanceKind::bound), by_paper = s.some_pairs(s.paper, DistanceKind::bound),
                     by_cover = s.some_pairs(s.cover, DistanceKind::bound);
        std::printf("%-12s | %8.2f %8.2f %5.1f %7.2f %5.1f\n", s.model.name.c_str(), a, by_paper, a / by_paper,
                    by_cover, a / by_cover);
        std::fflush(stdout);
    }
}

// ---- Overlays -----------------------------------------------------------------------------------------------------------

constexpr const char* overlay_head = R"(
Overlays: what finding the contacts of an orientation costs, by the number of edges; tests and us per orientation, at random
orientations. 'rings' are tori of short arcs, some of them concave; 'hourglasses' have long arcs at their rims; hulls of points
spread over a sphere are convex.
Arcs: the naive sweep (of the paper) tests an arc with all active arcs of the other; the connected sweep (after the paper's
description of one) compares arcs of different graphs ('purple') and of the same one ('same').
Regions: the naive sweep finds a region's longitudes by its cap, or by its bounding arcs.

                        |               arcs: tests                   |     arcs: us              | regions: tests        us
solid        edges crossings |     every     naive    purple      same |    naive connected  ratio |    caps    arcs     caps   arcs
)";

constexpr const char* walk_head = R"(
Whole overlays of convex solids, us per orientation, and the tests of arcs and regions that the walk makes per edge of both.

solid        edges contacts |    every     sweep      grid     signs      walk | tests per edge
)";

/// A hull of points that are spread evenly over a sphere, or nothing if an edge of it is flat to rounding.
samples::MeshFile even_hull(int count, samples::Random& random) {
    std::vector<vec3> points;
    const float step = 0.3f / std::sqrt(static_cast<float>(count));
    for (int i = 0; i < count; ++i) {
        const double z = 1.0 - (2.0 * i + 1.0) / count, angle = 2.399963229728653 * i, r = std::sqrt(1.0 - z * z);
        points.push_back(glm::normalize(vec3(r * std::cos(angle), r * std::sin(angle), z) + step * direction(random)));
    }
    samples::MeshFile mesh;
    const auto hull = make_hull(points);
    if (!hull) return mesh;
    mesh.vertices = (*hull)->vertices;
    for (const HullFace& f : (*hull)->faces) {
        for (std::uint32_t k = 1; k + 1 < f.count; ++k) {
            for (const std::uint32_t corner : {0u, k, k + 1})
                mesh.triangles.push_back((*hull)->face_vertices[f.first + corner]);
        }
    }
    return mesh;
}

class Overlays {
public:
    Overlays(const OrientationGraph& graph, int orientations, int repeats, std::uint64_t seed)
        : graph_(graph), repeats_(repeats) {
        samples::Random random(seed);
        for (int i = 0; i < orientations; ++i) rotations_.push_back(glm::mat3_cast(glm::dquat(orientation(random))));
    }

    struct Cost {
        double us, arc_tests, region_tests, purple, same, crossings, contacts;
    };
    /// The means per orientation.
    Cost cost(OverlayMethod method, OverlayParts parts, bool by_arcs = false) {
        scratch_.parts = parts;
        scratch_.region_spans_by_arcs = by_arcs;
        Cost c{};
        const auto n = static_cast<double>(rotations_.size());
        for (const glm::dmat3& r : rotations_) {
            find_applicable(graph_, graph_, r, 0.0, method, scratch_, contacts_);
            c.arc_tests += static_cast<double>(scratch_.arc_tests) / n;
            c.region_tests += static_cast<double>(scratch_.region_tests) / n;
            c.purple += static_cast<double>(scratch_.connected.purple_tests) / n;
            c.same += static_cast<double>(scratch_.connected.tournament_tests) / n;
            c.crossings += static_cast<double>(contacts_.edges.size()) / n;
            c.contacts += static_cast<double>(contacts_.edges.size() + contacts_.a_vertices.size() +
                                              contacts_.b_vertices.size()) /
                          n;
        }
        c.us = median_time(repeats_, rotations_.size(), [&] {
            for (const glm::dmat3& r : rotations_) find_applicable(graph_, graph_, r, 0.0, method, scratch_, contacts_);
        });
        return c;
    }

private:
    const OrientationGraph& graph_;
    int repeats_;
    std::vector<glm::dmat3> rotations_;
    OverlayScratch scratch_;
    ApplicableContacts contacts_;
};

void print_overlays(const PapersOptions& options) {
    std::vector<Model> models;
    const auto add = [&](const std::string& name, const samples::MeshFile& mesh) {
        if (const Error error = add_model(models, name, mesh))
            std::printf("%s is left out: %s\n", name.c_str(), error.message.c_str());
    };
    const int most = options.quick ? 16 : options.full ? 256 : 128;
    for (int n = 8; n <= most; n *= 2) add("ring" + std::to_string(n), samples::ring(0.7f, 0.3f, n, 3 * n / 4));
    for (int n = 8; n <= 128 && n <= most; n *= 4) add("hourglass" + std::to_string(n), samples::hourglass(n));
    const std::size_t nonconvex = models.size();
    samples::Random random(options.seed);
    for (int n = 32; n <= (options.quick ? 128 : 8192); n *= 4) {
        // Seldom an edge between points in float is flat to rounding; then the points are drawn again.
        for (int attempt = 0; attempt < 20; ++attempt) {
            add("hull" + std::to_string(n), even_hull(n, random));
            if (models.back().shape.graph->links.convex) break;
            models.pop_back();
        }
    }
    std::fputs(overlay_head, stdout);
    for (const Model& m : models) {
        const OrientationGraph& graph = *m.shape.graph;
        const bool big = graph.edges > 4000;
        Overlays overlays(graph, options.quick || big ? 2 : 10, big ? 1 : options.repeats, options.seed);
        const auto naive = overlays.cost(OverlayMethod::sweep, OverlayParts::arcs);
        const auto connected = overlays.cost(OverlayMethod::connected_sweep, OverlayParts::arcs);
        const auto caps = overlays.cost(OverlayMethod::sweep, OverlayParts::regions);
        const auto arcs = overlays.cost(OverlayMethod::sweep, OverlayParts::regions, true);
        const auto every = static_cast<double>(graph.arcs.size()) * static_cast<double>(graph.arcs.size());
        std::printf("%-12s %5zu %9.0f | %9.0f %9.0f %9.0f %9.0f | %8.0f %9.0f %6.2f | %7.0f %7.0f %8.0f %6.0f\n",
                    m.name.c_str(), graph.edges, naive.crossings, every, naive.arc_tests, connected.purple,
                    connected.same, naive.us, connected.us, naive.us / connected.us, caps.region_tests,
                    arcs.region_tests, caps.us, arcs.us);
        std::fflush(stdout);
    }
    std::fputs(walk_head, stdout);
    for (std::size_t i = nonconvex; i < models.size(); ++i) {
        const OrientationGraph& graph = *models[i].shape.graph;
        const bool big = graph.edges > 4000;
        Overlays overlays(graph, options.quick || big ? 2 : 10, big ? 1 : options.repeats, options.seed);
        const auto us = [&](OverlayMethod method) { return overlays.cost(method, OverlayParts::all).us; };
        const auto walk = overlays.cost(OverlayMethod::walk, OverlayParts::all);
        std::printf("%-12s %5zu %8.0f | %8.0f  %8.0f  %8.0f  %8.0f  %8.0f | %14.1f\n", models[i].name.c_str(),
                    graph.edges, walk.contacts, us(OverlayMethod::every_pair), us(OverlayMethod::sweep),
                    us(OverlayMethod::grid), us(OverlayMethod::signs), walk.us,
                    (walk.arc_tests + walk.region_tests) / (2.0 * static_cast<double>(graph.edges)));
        std::fflush(stdout);
    }
}

// ---- Events -------------------------------------------------------------------------------------------------------------

constexpr const char* events_head = R"(
Events: the contacts that a rotation allows, kept by its rotation events (MovingContacts) along a turn of 0.5 rad in 100 frames,
beside finding them anew (by tables of signs or a grid); us per frame, with what the start of the motion takes spread over its
frames. 'looked at': pairs of features that a frame looks at, of all that there are; 'kept': applicable pairs that were
applicable in the frame before. 'fall': time_of_contact along a fall of 2 radii with half a turn onto another copy, us; 'pairs'
that it followed, and evaluations per pair.

solid         pairs applicable | events | looked at        %   kept % |   advance    start     anew  ratio |     fall   pairs  each
)";

void print_events(const std::vector<Model>& models, const PapersOptions& options) {
    std::fputs(events_head, stdout);
    for (const Model& m : models) {
        if (large(m)) continue;  // the table of signs of a motion is for features, not for scans
        const OrientationGraph& graph = *m.shape.graph;
        constexpr int frames = 100;
        const int motions = options.quick ? 2 : 10;
        samples::Random random(options.seed + 2);
        double looked_at = 0.0, applicable = 0.0, events = 0.0, changed = 0.0;
        std::vector<RelativeMotion> all;
        for (int k = 0; k < motions; ++k) {
            RelativeMotion motion;
            motion.rotation = glm::dquat(orientation(random));
            motion.axis = dvec3(direction(random));
            motion.angle = 0.5;
            all.push_back(motion);
        }
        MovingContacts kept(m.shape, m.shape);
        for (const RelativeMotion& motion : all) {
            kept.start(motion);
            for (int f = 1; f <= frames; ++f) {
                kept.advance(double(f) / frames);
                looked_at += static_cast<double>(kept.work().pairs);
                events += static_cast<double>(kept.work().certificates);
                changed += static_cast<double>(kept.work().changes);
                applicable += static_cast<double>(kept.pairs().size());
            }
        }
        const double n = motions * frames;
        const double starts = median_time(options.repeats, all.size(), [&] {
            for (const RelativeMotion& motion : all) kept.start(motion);
        });
        const double whole = median_time(options.repeats, all.size(), [&] {
            for (const RelativeMotion& motion : all) {
                kept.start(motion);
                for (int f = 1; f <= frames; ++f) kept.advance(double(f) / frames);
            }
        });
        std::vector<glm::dmat3> rotations;
        for (const RelativeMotion& motion : all) {
            for (const double t : {0.25, 0.75}) rotations.push_back(to_matrix(place_at(motion, t).rotation));
        }
        OverlayScratch scratch;
        ApplicableContacts contacts;
        const double anew = median_time(options.repeats, rotations.size(), [&] {
            for (const glm::dmat3& r : rotations)
                find_applicable(graph, graph, r, 0.0, OverlayMethod::signs, scratch, contacts);
        });
        for (RelativeMotion& motion : all) {
            motion.position = dvec3(0, 2.5, 0);
            motion.displacement = dvec3(0, -2.0, 0);
            motion.angle = 3.1;
        }
        double followed = 0.0, steps = 0.0;
        for (const RelativeMotion& motion : all) {
            const ContactTime hit = time_of_contact(m.shape, m.shape, motion);
            followed += static_cast<double>(hit.pairs) / motions;
            steps += static_cast<double>(hit.steps) / motions;
        }
        const double fall = median_time(options.repeats, all.size(), [&] {
            for (const RelativeMotion& motion : all) time_of_contact(m.shape, m.shape, motion);
        });
        const double pairs = 2.0 * static_cast<double>(graph.regions.size() * graph.nodes.size()) +
                             static_cast<double>(graph.arcs.size() * graph.arcs.size());
        const double each = whole / frames;
        std::printf("%-12s %6.0f %10.0f | %6.1f | %9.1f %8.2f %8.2f | %9.2f %8.2f %8.2f %6.1f | %8.0f %7.0f %5.1f\n",
                    m.name.c_str(), pairs, applicable / n, events / n, looked_at / n, 100.0 * looked_at / n / pairs,
                    100.0 * (1.0 - 0.5 * changed / applicable), (whole - starts) / frames, starts / frames, anew,
                    anew / each, fall, followed, steps / std::max(1.0, followed));
        std::fflush(stdout);
    }
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
        const int repeats = repeats_of(m, options), steps = options.quick || measures_little(m, options) ? 60 : 300;
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
    print_overlays(options);
    print_events(models, options);
    print_tracked(models, options);
    print_quality(models, options);
    return 0;
}

}  // namespace talus::profiling
