/// talus-rollback: a game over a bad network, with rollback. docs/rollback.md explains it.
#include "samples/program.h"
#include "samples/rollback/peer.h"
#include "samples/runner/command_line.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace talus;
using namespace talus::samples;
using namespace talus::samples::rollback;

constexpr int exit_failed = 1, exit_usage = 2;
constexpr double late_start = 5.0;  // s after which player 1 joins late

struct Options {
    int frames = 1000;
    std::uint64_t seed = 1;
    NetworkConditions network{.loss = 0.1, .jitter_ms = 50.0};
    int input_delay = 2;
    bool time_sync = true;
    double clock_drift = 0.0;
    bool fast = false;
    bool join_late = false;
    int disturb = -1;         ///< frame, or -1: none
    std::string save_desync;  ///< empty: do not
    int peer = -1;            ///< -1: both
    int port = 0;
    Endpoint to;
    std::uint32_t session = 1;
    bool help = false;
};

constexpr OptionSpec<Options> specs[] = {
    {"The game", "--frames", Takes::one, "N", "frames to play, 60 per second; default 1000",
     [](Options& o, Values v) { return parse(v[0], o.frames, 1, max_steps) ? std::string() : "wants a whole number"; }},
    {"", "--seed", Takes::one, "N", "other inputs of the players, and other losses",
     [](Options& o, Values v) {
         return parse(v[0], o.seed, std::uint64_t{0}, ~std::uint64_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--join-late", Takes::none, "", "player 1 joins after 5 s, and receives the game as bytes",
     [](Options& o, Values) { return o.join_late = true, std::string(); }},
    {"", "--fast", Takes::none, "",
     "a virtual clock: the program does not wait for the next frame,\nand delays are counted on that clock",
     [](Options& o, Values) { return o.fast = true, std::string(); }},

    {"The network", "--loss", Takes::one, "SHARE", "probability that a datagram is lost; default 0.1",
     [](Options& o, Values v) { return parse(v[0], o.network.loss, 0.0, 0.99) ? std::string() : "wants 0 to 0.99"; }},
    {"", "--jitter-ms", Takes::one, "MS", "a datagram is delayed by a random time from 0 to this; default 50",
     [](Options& o, Values v) {
         return parse(v[0], o.network.jitter_ms, 0.0, 10'000.0) ? std::string() : "wants 0 to 10000";
     }},

    {"Rollback", "--input-delay", Takes::one, "N", "frames from the key to its effect, 0 to 8; default 2",
     [](Options& o, Values v) {
         return parse(v[0], o.input_delay, 0, max_input_delay) ? std::string() : "wants 0 to 8";
     }},
    {"", "--time-sync", Takes::one, "on|off", "the peer that is ahead slows down; default on",
     [](Options& o, Values v) { return set_on_off(o.time_sync, v[0]); }},
    {"", "--clock-drift", Takes::one, "SHARE", "the clock of peer 1 runs faster by this share; default 0",
     [](Options& o, Values v) { return parse(v[0], o.clock_drift, -0.5, 0.5) ? std::string() : "wants -0.5 to 0.5"; }},
    {"", "--disturb", Takes::one, "FRAME", "make a mistake in the world of peer 1 at this frame",
     [](Options& o, Values v) {
         return parse(v[0], o.disturb, 0, max_steps) ? std::string() : "wants a whole number";
     }},
    {"", "--save-desync", Takes::one, "FILE",
     "if the hashes of a frame differ, write the two worlds before\nthat frame to FILE.0 and FILE.1",
     [](Options& o, Values v) { return o.save_desync = v[0], std::string(); }},

    {"Two processes", "--peer", Takes::one, "0|1", "only this peer; without it, both",
     [](Options& o, Values v) { return parse(v[0], o.peer, 0, 1) ? std::string() : "wants 0 or 1"; }},
    {"", "--port", Takes::one, "PORT", "its UDP port",
     [](Options& o, Values v) { return parse(v[0], o.port, 1, 65535) ? std::string() : "wants a port"; }},
    {"", "--to", Takes::one, "[A.B.C.D:]PORT", "address of the other peer; without A.B.C.D, this machine",
     [](Options& o, Values v) {
         const std::optional<Endpoint> to = parse_endpoint(std::string(v[0]));
         if (!to) return std::string("wants a port, or an IPv4 address and a port");
         return o.to = *to, std::string();
     }},
    {"", "--session", Takes::one, "N", "a number that both peers were given; default 1",
     [](Options& o, Values v) {
         return parse(v[0], o.session, std::uint32_t{0}, ~std::uint32_t{0}) ? std::string() : "wants a whole number";
     }},
    {"", "--help", Takes::none, "", "this text", [](Options& o, Values) { return o.help = true, std::string(); }},
};

PeerOptions peer_options(const Options& options, int player) {
    PeerOptions out;
    out.frames = options.frames;
    out.seed = options.seed;
    out.network = options.network;
    out.join_late = options.join_late;
    out.session.self = {options.session, player};
    out.session.input_delay = options.input_delay;
    out.session.time_sync = options.time_sync;
    if (!options.save_desync.empty()) out.session.copies = desync_copies;
    if (player == 1) {
        out.clock_drift = options.clock_drift;
        if (options.join_late && options.peer < 0) out.start = late_start;
    }
    if (player == 1 && options.disturb >= 0) {
        out.session.play_frame = [at = options.disturb](Game& game, int frame, const Inputs& inputs) {
            if (frame == at) {  // a difference of 1 mm/s, such as another rounding in the game's code might make
                const BodyId body = game.players[0].body;
                game.world.set_linear_velocity(body, game.world.linear_velocity(body) + vec3(0.001f, 0.0f, 0.0f));
            }
            advance(game, inputs);
        };
    }
    return out;
}

int complain(const std::string& message, int code) {
    std::fprintf(stderr, "talus-rollback: %s\n", message.c_str());
    return code;
}

// ---- The table -------------------------------------------------------------------------------------------------------

template <class Value>
void print_row(const char* name, const std::vector<Peer>& peers, const char* format, Value value) {
    std::printf("%-38s", name);
    for (const Peer& peer : peers) std::printf(format, value(peer));
    std::printf("\n");
}

void print_table(const std::vector<Peer>& peers, const Options& options) {
    using Count = unsigned long long;
    const auto count = [&](const char* name, auto value) {
        print_row(name, peers, "%12llu", [&](const Peer& peer) { return static_cast<Count>(value(peer)); });
    };
    const auto in_session = [&](const char* name, auto member) {
        count(name, [&](const Peer& peer) { return peer.session()->counts().*member; });
    };
    const auto per_step = [&](const char* name, auto cost) {
        print_row(name, peers, "%12.2f", [&](const Peer& peer) {
            const SessionCosts& costs = peer.session()->costs();
            return (costs.*cost).microseconds() / costs.step.microseconds();
        });
    };
    std::printf("%.0f%% loss, 0 to %.0f ms delay, input delay %d\n\n", 100.0 * options.network.loss,
                options.network.jitter_ms, options.input_delay);
    print_row("", peers, "%12s", [](const Peer& peer) { return peer.player() == 0 ? "peer 0" : "peer 1"; });
    count("frames", [](const Peer& peer) { return peer.session()->frame() - peer.first_frame(); });
    in_session("confirmed frames compared", &SessionCounts::frames_compared);
    count("datagrams sent", [](const Peer& peer) { return peer.network().sent(); });
    count("  lost", [](const Peer& peer) { return peer.network().lost(); });
    in_session("datagrams received", &SessionCounts::received);
    in_session("  late: overtaken by a later one", &SessionCounts::late);
    in_session("datagrams ignored", &SessionCounts::ignored);
    in_session("frames with a predicted input", &SessionCounts::frames_predicted);
    in_session("rollbacks", &SessionCounts::rollbacks);
    in_session("  deepest, frames", &SessionCounts::deepest);
    in_session("frames stepped again", &SessionCounts::frames_again);
    in_session("stalls, frames", &SessionCounts::stalls);
    print_row("step, us", peers, "%12.0f", [](const Peer& p) { return p.session()->costs().step.microseconds(); });
    per_step("copy / step", &SessionCosts::copy);
    per_step("restore / step", &SessionCosts::restore);
    per_step("hash / step", &SessionCosts::hash);
    std::printf("\n");
}

// ---- The end ---------------------------------------------------------------------------------------------------------

void write_desync(const Peer& peer, int frame, const std::string& file) {
    const Game* const game = peer.session()->game_before(frame);
    if (game == nullptr) return;
    const Result<std::vector<std::byte>> bytes = game->world.save();
    if (!bytes) return;
    const std::string path = file + "." + std::to_string(peer.player());
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes->data()), static_cast<std::streamsize>(bytes->size()));
    std::printf("%s %s: the world of peer %d before frame %d\n", out.flush() ? "wrote" : "could not write",
                path.c_str(), peer.player(), frame);
}

int report(const std::vector<Peer>& peers, const Options& options) {
    int code = 0;
    for (const Peer& peer : peers) {
        if (!peer.problem().empty()) code = complain(peer.problem(), exit_failed);
    }
    for (const Peer& peer : peers) {
        if (peer.session() == nullptr) return exit_failed;
    }
    print_table(peers, options);
    for (const Peer& peer : peers) {
        const std::optional<Desync> desync = peer.desync();
        if (!desync) continue;
        std::printf("peer %d: desync at frame %d: own hash %016" PRIx64 ", the other's %016" PRIx64 "\n", peer.player(),
                    desync->frame, desync->own_hash, desync->other_hash);
        if (!options.save_desync.empty()) write_desync(peer, desync->frame, options.save_desync);
        code = exit_failed;
    }
    if (code == 0) {
        const Game& game = peers[0].session()->game();
        std::printf("both peers had the same hash in every confirmed frame, %016" PRIx64 " in the last one\n",
                    hash(game));
    }
    return code;
}

int play(const std::vector<std::string_view>& arguments) {
    Options options;
    if (Error error = read_arguments<Options>(arguments, specs, options)) return complain(error.message, exit_usage);
    if (options.help) {
        std::printf(
            "talus-rollback: a game of two players over UDP datagrams that are lost and delayed, with rollback.\n\n"
            "usage: talus-rollback [options]\n%s\n"
            "Exit code: 0; 1 if the hashes of a confirmed frame differ, or if the other peer is silent; 2 for invalid "
            "options.\n",
            options_text<Options>(specs, 24).c_str());
        return 0;
    }
    if (options.peer >= 0 && (options.port == 0 || options.to.port == 0))
        return complain("--peer needs --port and --to.", exit_usage);
    if (options.peer >= 0 && options.fast)
        return complain("--fast is for both peers in one process: two processes have no common virtual clock.",
                        exit_usage);

    std::vector<Peer> peers;
    for (int player = 0; player < player_count; ++player) {
        if (options.peer >= 0 && options.peer != player) continue;
        const bool from_anywhere = options.to.address != loopback;
        Result<UdpSocket> socket = UdpSocket::open(static_cast<std::uint16_t>(options.port), from_anywhere);
        if (!socket) return complain(socket.error().message, exit_failed);
        peers.emplace_back(peer_options(options, player), std::move(*socket));
    }
    if (options.peer >= 0) {
        peers[0].connect(options.to);
    } else {
        peers[0].connect({loopback, peers[1].port()});
        peers[1].connect({loopback, peers[0].port()});
    }
    run(peers, options.fast);
    return report(peers, options);
}

}  // namespace

int main(int argc, char** argv) { return run_program("talus-rollback", argc, argv, play); }
