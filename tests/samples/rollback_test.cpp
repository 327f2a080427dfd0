/// The sample of rollback netcode (docs/rollback.md): two peers that play over UDP on the loopback interface, through a
/// network model that loses and delays their datagrams. The clock is virtual, so that these tests do not depend on time.

#include "samples/rollback/peer.h"
#include "tests/support/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace talus;
using namespace talus::samples::rollback;
using talus::test::Random;

namespace {

constexpr std::uint32_t session_number = 77;

PeerOptions options_of(int player, int frames, const NetworkConditions& network) {
    PeerOptions options;
    options.session.self = {session_number, player};
    options.frames = frames;
    options.network = network;
    return options;
}

/// Two peers that know each other's ports; none if the machine has no sockets.
std::vector<Peer> make_peers(PeerOptions first, PeerOptions second) {
    std::vector<Peer> peers;
    for (PeerOptions* const options : {&first, &second}) {
        Result<UdpSocket> socket = UdpSocket::open();
        if (!socket) {
            MESSAGE("skipped: " << socket.error().message);
            return {};
        }
        peers.emplace_back(std::move(*options), std::move(*socket));
    }
    peers[0].connect({loopback, peers[1].port()});
    peers[1].connect({loopback, peers[0].port()});
    return peers;
}

/// Checks what must hold after every game without a desync.
void check_finished(const Peer& peer, int frames) {
    CHECK(peer.problem() == "");
    REQUIRE(peer.session() != nullptr);
    CHECK(peer.has_finished());
    CHECK_FALSE(peer.desync());
    const SessionCounts& counts = peer.session()->counts();
    CHECK(peer.session()->frame() == frames);
    // The frames' hashes are those before each frame, and the one after the last.
    CHECK(counts.frames_compared == static_cast<std::uint64_t>(frames - peer.first_frame() + 1));
    CHECK(counts.deepest <= max_rollback);
    CHECK(counts.frames_again >= counts.rollbacks);
}

/// Records the hash after each frame. A frame that is played again replaces what was recorded.
PlayFrame recording(std::vector<std::uint64_t>& hashes) {
    return [&hashes](Game& game, int frame, const Inputs& inputs) {
        advance(game, inputs);
        hashes.at(static_cast<std::size_t>(frame)) = hash(game);
    };
}

/// The inputs of a frame, as a player without a network knows them.
Inputs inputs_of(std::uint64_t seed, int frame, int input_delay) {
    Inputs inputs;
    if (frame < input_delay) return inputs;
    for (int player = 0; player < player_count; ++player)
        inputs[static_cast<std::size_t>(player)] = random_input(seed, player, frame - input_delay);
    return inputs;
}

/// A session that has heard of the other, and the datagram of the other that it has heard.
struct Meeting {
    Session session;
    Update update;
};

Meeting meet() {
    SessionOptions first, second;
    first.self = {session_number, 0};
    second.self = {session_number, 1};
    Session session(make_game(), 0, first), other(make_game(), 0, second);
    const std::string hello = other.datagram();
    REQUIRE(session.receive(hello));
    REQUIRE(other.receive(session.datagram()));
    for (int frame = 0; frame < 3; ++frame) {
        REQUIRE(session.advance({}));
        REQUIRE(other.advance({}));
    }
    const std::optional<Update> update = read_update({session_number, 1}, other.datagram());
    REQUIRE(update);
    return {std::move(session), *update};
}

}  // namespace

// ---- Games over the network ------------------------------------------------------------------------------------------

TEST_CASE("rollback: peers whose datagrams are lost and late play the game that they would play without a network") {
    constexpr int frames = 400;
    const NetworkConditions network{.loss = 0.2, .jitter_ms = 100.0};
    std::vector<std::uint64_t> recorded[player_count];
    PeerOptions options[player_count];
    for (int player = 0; player < player_count; ++player) {
        recorded[player].resize(frames);
        options[player] = options_of(player, frames, network);
        options[player].session.play_frame = recording(recorded[player]);
    }
    std::vector<Peer> peers = make_peers(options[0], options[1]);
    if (peers.empty()) return;
    run(peers, true);

    for (const Peer& peer : peers) {
        check_finished(peer, frames);
        const SessionCounts& counts = peer.session()->counts();
        CHECK(counts.rollbacks > 5);
        CHECK(counts.deepest >= 2);
        CHECK(counts.frames_predicted > 20);
        CHECK(counts.late > 20);
        CHECK(counts.ignored == 0);
        CHECK(peer.network().lost() > 40);
    }
    // The oracle: one game, all inputs on time.
    Game game = make_game();
    int frames_with_rope = 0;
    std::uint32_t thrown = 0;
    for (int frame = 0; frame < frames; ++frame) {
        advance(game, inputs_of(options[0].seed, frame, options[0].session.input_delay));
        for (const Player& player : game.players) frames_with_rope += game.world.is_valid(player.rope);
        const std::uint64_t expected = hash(game);
        for (const std::vector<std::uint64_t>& hashes : recorded) {
            CAPTURE(frame);
            REQUIRE(hashes[static_cast<std::size_t>(frame)] == expected);
        }
    }
    // All that a world saves is equal, not only the poses and velocities that the hash covers.
    const Result<std::string> expected_bytes = save(game);
    REQUIRE(expected_bytes);
    for (const Peer& peer : peers) {
        const Result<std::string> bytes = save(peer.session()->game());
        REQUIRE(bytes);
        CHECK((*bytes == *expected_bytes));
    }
    // Joints and bodies came and went, so rollbacks had to bring them back.
    for (const Player& player : game.players) thrown += player.next_thrown;
    CHECK(frames_with_rope > 60);
    CHECK(thrown > 3);
}

TEST_CASE("rollback: at 50% loss and 300 ms of jitter peers stall, roll back up to 8 frames and stay equal") {
    constexpr int frames = 300;
    const NetworkConditions network{.loss = 0.5, .jitter_ms = 300.0};
    std::vector<Peer> peers = make_peers(options_of(0, frames, network), options_of(1, frames, network));
    if (peers.empty()) return;
    run(peers, true);
    int deepest = 0;
    for (const Peer& peer : peers) {
        check_finished(peer, frames);
        CHECK(peer.session()->counts().stalls > 10);
        deepest = std::max(deepest, peer.session()->counts().deepest);
    }
    CHECK(deepest >= 6);
}

TEST_CASE("rollback: input that arrives within the input delay needs neither prediction nor rollback") {
    constexpr int frames = 120;
    const NetworkConditions network{.loss = 0.0, .jitter_ms = 30.0};
    PeerOptions options[] = {options_of(0, frames, network), options_of(1, frames, network)};
    for (PeerOptions& o : options) o.session.input_delay = 6;
    std::vector<Peer> peers = make_peers(options[0], options[1]);
    if (peers.empty()) return;
    run(peers, true);
    for (const Peer& peer : peers) {
        check_finished(peer, frames);
        CHECK(peer.session()->counts().frames_predicted == 0);
        CHECK(peer.session()->counts().rollbacks == 0);
    }
}

TEST_CASE("rollback: a world that goes wrong on one peer is found by both peers, at the first frame that differs") {
    using Mistake = void (*)(Game&);
    constexpr Mistake mistakes[] = {
        [](Game& game) {
            const BodyId body = game.players[1].body;
            game.world.set_linear_velocity(body, game.world.linear_velocity(body) + vec3(1e-6f, 0.0f, 0.0f));
        },
        [](Game& game) { ++game.players[0].score; },  // the state besides the world
        [](Game& game) { ++game.random; },
    };
    for (std::size_t i = 0; i < std::size(mistakes); ++i) {
        CAPTURE(i);
        constexpr int frames = 200, wrong_frame = 100;
        const NetworkConditions network{.loss = 0.2, .jitter_ms = 100.0};
        PeerOptions options[] = {options_of(0, frames, network), options_of(1, frames, network)};
        for (PeerOptions& o : options) o.session.copies = desync_copies;
        options[1].session.play_frame = [mistake = mistakes[i]](Game& game, int frame, const Inputs& inputs) {
            advance(game, inputs);
            if (frame == wrong_frame) mistake(game);
        };
        std::vector<Peer> peers = make_peers(options[0], options[1]);
        if (peers.empty()) return;
        run(peers, true);
        const Game* games[player_count] = {};
        for (std::size_t p = 0; p < peers.size(); ++p) {
            CHECK_FALSE(peers[p].has_finished());
            const std::optional<Desync> desync = peers[p].desync();
            REQUIRE(desync);
            CHECK(desync->frame == wrong_frame + 1);
            CHECK(desync->own_hash != desync->other_hash);
            // Both still have their game of that frame, to be compared.
            games[p] = peers[p].session()->game_before(desync->frame);
            REQUIRE(games[p] != nullptr);
            CHECK(hash(*games[p]) == desync->own_hash);
        }
        CHECK(hash(*games[0]) != hash(*games[1]));
    }
}

TEST_CASE("rollback: the peer with the faster clock slows down, instead of running ahead until it stalls") {
    constexpr int frames = 1500;
    const NetworkConditions network{.loss = 0.0, .jitter_ms = 60.0};
    for (const bool time_sync : {false, true}) {
        CAPTURE(time_sync);
        PeerOptions options[] = {options_of(0, frames, network), options_of(1, frames, network)};
        options[1].clock_drift = 0.01;
        for (PeerOptions& o : options) {
            o.session.time_sync = time_sync;
            o.session.play_frame = [](Game&, int, const Inputs&) {};  // the game does not matter here
        }
        std::vector<Peer> peers = make_peers(options[0], options[1]);
        if (peers.empty()) return;
        double now = 0.0;
        for (; now < 20.0; now += 0.25 * dt) {
            for (Peer& peer : peers) peer.run(now);
        }
        const Session& faster = *peers[1].session();
        REQUIRE(faster.frame() < frames);
        const int lead = faster.frame() - peers[0].session()->frame();
        if (time_sync) {
            CHECK(lead <= 2);
            CHECK(faster.time_sync().lead() == doctest::Approx(lead).epsilon(1.0));
            CHECK(faster.frame_time() > 1.005 * dt);
            CHECK(peers[0].session()->frame_time() == dt);
            CHECK(faster.counts().stalls == 0);
        } else {
            CHECK(lead >= 5);
            CHECK(faster.time_sync().lead() == doctest::Approx(lead).epsilon(0.3));
            CHECK(faster.counts().stalls > 5);
        }
        for (; now < 40.0; now += 0.25 * dt) {
            for (Peer& peer : peers) peer.run(now);
        }
        for (const Peer& peer : peers) check_finished(peer, frames);
    }
}

TEST_CASE("rollback: a player who joins late receives the game as bytes and plays on with equal hashes") {
    constexpr int frames = 300;
    const NetworkConditions network{.loss = 0.2, .jitter_ms = 100.0};
    PeerOptions options[] = {options_of(0, frames, network), options_of(1, frames, network)};
    for (PeerOptions& o : options) o.join_late = true;
    options[1].start = 1.0;
    std::vector<Peer> peers = make_peers(options[0], options[1]);
    if (peers.empty()) return;
    run(peers, true);
    for (const Peer& peer : peers) check_finished(peer, frames);
    CHECK(peers[0].first_frame() >= 60);
    CHECK(peers[0].first_frame() < 100);
    CHECK(peers[1].first_frame() == peers[0].first_frame());
    CHECK(hash(peers[0].session()->game()) == hash(peers[1].session()->game()));
}

// ---- Datagrams of strangers ------------------------------------------------------------------------------------------

TEST_CASE("rollback: datagrams of a stranger are ignored: random bytes, truncated ones, ones of another session") {
    constexpr int frames = 200;
    const NetworkConditions network{.loss = 0.1, .jitter_ms = 50.0};
    std::vector<Peer> peers = make_peers(options_of(0, frames, network), options_of(1, frames, network));
    if (peers.empty()) return;
    const Result<UdpSocket> stranger = UdpSocket::open();
    REQUIRE(stranger);
    Random random(5);
    const std::string real = write({session_number, 1}, Update{.inputs = {{1}, {2}, {3}}, .hashes = {4, 5, 6}});
    const auto make_bad = [&](int kind) {
        std::string bad = real;
        switch (kind) {
            case 0:
                bad.resize(random.below(std::size_t{1500}));
                for (char& byte : bad) byte = static_cast<char>(random.below(256));
                break;
            case 1:
                bad.resize(random.below(real.size()));
                break;
            case 2:
                bad += "and more";
                break;
            case 3:
                bad = write({session_number + 1, 1}, Update{});
                break;
            case 4:
                bad[8] = static_cast<char>(4 + random.below(252));
                break;  // no such kind
            default:
                bad = std::string(60'000, 'x');
        }
        return bad;
    };
    std::uint64_t sent = 0;
    double now = 0.0;
    for (; now < 20.0 && !(peers[0].is_done() && peers[1].is_done()); now += 0.25 * dt) {
        for (const Peer& peer : peers) stranger->send({loopback, peer.port()}, make_bad(static_cast<int>(sent % 6)));
        ++sent;
        for (Peer& peer : peers) peer.run(now);
    }
    for (const Peer& peer : peers) {
        check_finished(peer, frames);
        // All but those of the last frame have been read.
        CHECK(peer.session()->counts().ignored + 8 > sent);
        CHECK(peer.session()->counts().ignored <= sent);
    }
    CHECK(sent > 700);
}

TEST_CASE("rollback: a datagram of the right session with values that cannot be true is ignored") {
    using Change = void (*)(Update&);
    constexpr Change changes[] = {
        [](Update& u) { u.frame = max_frame - 1; },
        [](Update& u) { u.frame = 3 + 2 + max_rollback + 1; },
        [](Update& u) { u.input_ack = 6; },  // 5 inputs exist: of frames 0 and 1 without buttons, and of 3 frames
        [](Update& u) { u.input_ack = max_frame - 1; },
        [](Update& u) { u.hash_ack = 4; },  // frame 2 is the last one that is confirmed
        [](Update& u) { u.hash_ack = max_frame - 1; },
        [](Update& u) { u.first_input = u.first_input + 3; },  // skips inputs that have not arrived
        [](Update& u) { u.first_input = max_frame - 1; },
        [](Update& u) { u.inputs.resize(max_unacknowledged); },  // of frames that the other cannot have reached
        [](Update& u) { u.inputs.resize(200); },
        [](Update& u) { u.first_hash = u.first_hash + 3; },
        [](Update& u) { u.first_hash = max_frame - 1; },
        [](Update& u) { u.hashes.resize(20); },  // of frames for which the other has no inputs
        [](Update& u) { u.hashes.resize(255); },
        // Frames are unsigned in the datagram: these are beyond max_frame there.
        [](Update& u) { u.frame = -1; },
        [](Update& u) { u.first_input = -1; },
        [](Update& u) { u.first_hash = -2'000'000'000; },
        [](Update& u) { u.input_ack = -1; },
        [](Update& u) { u.hash_ack = -1; },
    };
    const Sender other{session_number, 1};
    for (std::size_t i = 0; i < std::size(changes); ++i) {
        CAPTURE(i);
        Meeting meeting = meet();
        Session& session = meeting.session;
        Update update = meeting.update;
        changes[i](update);
        const std::uint64_t received = session.counts().received, before = hash(session.game());
        CHECK_FALSE(session.receive(write(other, update)));
        CHECK(session.counts().ignored == 1);
        CHECK(session.counts().received == received);
        session.correct();
        CHECK(hash(session.game()) == before);
        CHECK(session.receive(write(other, meeting.update)));  // without the change, it is a valid one
    }
    Meeting meeting = meet();
    CHECK_FALSE(meeting.session.receive(write({session_number, 0}, meeting.update)));  // its own
    CHECK_FALSE(meeting.session.receive(write({session_number + 1, 1}, meeting.update)));
}

TEST_CASE("rollback: a sender that knows the session and lies at random makes no rollback deeper than 8 frames") {
    Random random(9);
    const Sender other{session_number, 1};
    std::uint64_t accepted = 0, ignored = 0;
    for (int game = 0; game < 8; ++game) {
        Meeting meeting = meet();
        Session& session = meeting.session;
        Update& update = meeting.update;
        for (int i = 0; i < 500; ++i) {
            const int start = session.frame();
            update.sequence = static_cast<std::uint32_t>(random.bits());
            update.frame = start + random.below(40) - 20;
            update.input_ack = std::max(0, start + random.below(12) - 8);
            update.hash_ack = std::max(0, start + random.below(12) - 10);
            update.first_input = std::max(0, start + random.below(20) - 14);
            update.inputs.resize(random.below(std::size_t{12}));
            for (Input& input : update.inputs) input.buttons = static_cast<std::uint8_t>(random.bits());
            update.first_hash = std::max(0, start + random.below(20) - 14);
            update.hashes.resize(random.below(std::size_t{12}));
            std::string datagram = write(other, update);
            if (random.chance(0.3)) datagram[random.below(datagram.size())] = static_cast<char>(random.bits());
            (session.receive(datagram) ? accepted : ignored) += 1;
            if (i % 4 == 0) session.advance({static_cast<std::uint8_t>(random.bits())});
            // What it sends stays within what the other may refuse.
            const std::optional<Update> own = read_update({session_number, 0}, session.datagram());
            REQUIRE(own);
        }
        CHECK(session.counts().deepest <= max_rollback);
    }
    CAPTURE(accepted);
    CAPTURE(ignored);
    CHECK(accepted > 100);
    CHECK(ignored > 100);
}

TEST_CASE("rollback: a peer that sends inputs but acknowledges nothing is waited for") {
    SessionOptions options;
    options.self = {session_number, 0};
    options.play_frame = [](Game&, int, const Inputs&) {};
    Session session(Game{}, 0, options);
    for (int frame = 0; frame < 100; ++frame) {
        Update update{.sequence = static_cast<std::uint32_t>(frame + 1), .frame = session.frame(), .inputs = {{1}}};
        update.first_input = frame;
        session.receive(write({session_number, 1}, update));
        session.advance({});
    }
    CHECK(session.frame() == max_unacknowledged - options.input_delay);
    CHECK(session.counts().stalls > 50);
}

// ---- The game sent as bytes ------------------------------------------------------------------------------------------

TEST_CASE("rollback: the chunks of a saved game arrive in spite of losses and of chunks that do not belong to it") {
    std::string saved(300 * chunk_size + 17, '\0');
    Random random(3);
    for (char& byte : saved) byte = static_cast<char>(random.bits());
    const Sender host{session_number, 0}, guest{session_number, 1};
    GameSender sender(saved, 42, host);
    GameReceiver receiver(guest);
    CHECK_FALSE(receiver.receive("nonsense"));
    int rounds = 0;
    for (; rounds < 1000 && !sender.is_done(); ++rounds) {
        for (const std::string& datagram : sender.datagrams()) {
            if (random.chance(0.5)) CHECK(receiver.receive(datagram));
        }
        if (random.chance(0.5)) CHECK(sender.receive(receiver.datagram()));
        if (rounds == 0) continue;  // the first chunk decides which game it is
        const auto size = static_cast<std::uint32_t>(saved.size());
        CHECK_FALSE(receiver.receive(
            write(host, Chunk{.frame = 43, .size = size, .index = 0, .bytes = saved.substr(0, 1024)})));
        CHECK_FALSE(receiver.receive(write(host, Chunk{.frame = 42, .size = 9, .index = 0, .bytes = "123456789"})));
        CHECK_FALSE(receiver.receive(write(host, Chunk{.frame = 42, .size = size, .index = 301, .bytes = "x"})));
        CHECK_FALSE(receiver.receive(write(host, Chunk{.frame = 42, .size = size, .index = 300, .bytes = "x"})));
        CHECK_FALSE(receiver.receive(write(host, Chunk{.frame = 42, .size = ~0u, .index = ~0u, .bytes = "x"})));
    }
    CHECK(sender.is_done());
    REQUIRE(receiver.is_done());
    CHECK(receiver.frame() == 42);
    CHECK((receiver.saved() == saved));
    ChunkAck absurd;
    absurd.first_missing = 302;  // there are 301 chunks
    CHECK_FALSE(sender.receive(write(guest, absurd)));
}

TEST_CASE("rollback: a saved game goes on with the same hash, and a damaged one is refused") {
    Game game = make_game();
    for (int frame = 0; frame < 200; ++frame) advance(game, inputs_of(1, frame, 0));
    const Result<std::string> saved = save(game);
    REQUIRE(saved);
    Result<Game> loaded = load(*saved);
    REQUIRE_MESSAGE(static_cast<bool>(loaded), loaded.error().message);
    for (int frame = 200; frame < 300; ++frame) {
        advance(game, inputs_of(1, frame, 0));
        advance(*loaded, inputs_of(1, frame, 0));
        REQUIRE(hash(game) == hash(*loaded));
    }
    CHECK_FALSE(load(""));
    CHECK_FALSE(load(saved->substr(0, 100)));
    CHECK_FALSE(load(saved->substr(0, saved->size() - 1)));
    std::string damaged = *saved;
    damaged[saved->size() / 2] = static_cast<char>(damaged[saved->size() / 2] ^ 1);
    CHECK_FALSE(load(damaged));
    damaged = *saved;
    damaged[0] = static_cast<char>(damaged[0] ^ 64);  // the slot of a player's body
    CHECK_FALSE(load(damaged));
}

// ---- The game and the network model ----------------------------------------------------------------------------------

TEST_CASE(
    "rollback: a ball in a goal is a point for the player of that goal, and the ball reappears above the middle") {
    Game game = make_game();
    BodyId ball;
    for (const BodyId body : game.world.bodies()) {
        if (game.world.user_data(body) == 1) ball = body;
    }
    REQUIRE(ball);
    REQUIRE(game.world.set_transform(ball, {-11.5f, 0.5f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}));
    const std::uint32_t random = game.random;
    for (int frame = 0; frame < 3; ++frame) advance(game, {});
    CHECK(game.players[0].score == 0);
    CHECK(game.players[1].score == 1);
    CHECK(game.random != random);
    CHECK(game.world.position(ball).y > 5.0f);
}

TEST_CASE("rollback: the network model loses the given share, delays evenly, and repeats itself for the same seed") {
    constexpr int count = 100'000;
    const NetworkConditions conditions{.loss = 0.2, .jitter_ms = 100.0};
    NetworkModel model(conditions, 1), again(conditions, 1), different(conditions, 2);
    for (int i = 0; i < count; ++i) {
        for (NetworkModel* const m : {&model, &again, &different}) m->send(0.0, std::to_string(i));
    }
    CHECK(model.sent() == count);
    const double lost = static_cast<double>(model.lost()) / count;
    CHECK(lost == doctest::Approx(0.2).epsilon(0.03));  // 5 standard deviations
    CHECK(again.lost() == model.lost());
    CHECK(different.lost() != model.lost());

    int delivered = 0, overtaken = 0, newest = -1, in_quarter[4] = {};
    double last = 0.0;
    while (model.next_delivery() < 1e9) {
        const double time = model.next_delivery();
        CHECK_FALSE(model.deliver(std::nextafter(time, 0.0)));
        const std::optional<std::string> datagram = model.deliver(time);
        REQUIRE(datagram);
        REQUIRE(time >= last);
        REQUIRE(time < 0.1);
        REQUIRE(again.deliver(time) == datagram);
        last = time;
        ++delivered;
        ++in_quarter[static_cast<int>(time / 0.025)];
        const int number = std::atoi(datagram->c_str());
        overtaken += number < newest;
        newest = std::max(newest, number);
    }
    CHECK(static_cast<std::uint64_t>(delivered) + model.lost() == count);
    for (const int quarter : in_quarter) CHECK(quarter == doctest::Approx(delivered / 4.0).epsilon(0.04));
    CHECK(overtaken > delivered / 2);
}

TEST_CASE("rollback: a network model without loss and delay hands everything over at once, in order") {
    NetworkModel model({}, 1);
    for (int i = 0; i < 1000; ++i) model.send(5.0, std::to_string(i));
    CHECK_FALSE(model.deliver(4.9));
    for (int i = 0; i < 1000; ++i) {
        const std::optional<std::string> datagram = model.deliver(5.0);
        REQUIRE(datagram);
        REQUIRE(*datagram == std::to_string(i));
    }
    CHECK(model.lost() == 0);
}

TEST_CASE("rollback: an endpoint is a port, or an address and a port") {
    const std::optional<Endpoint> port = parse_endpoint("7001"), both = parse_endpoint("192.168.1.20:7002");
    REQUIRE(port);
    CHECK(port->address == loopback);
    CHECK(port->port == 7001);
    REQUIRE(both);
    CHECK(both->address == 0xc0a80114u);
    CHECK(both->port == 7002);
    for (const char* const bad : {"", ":", "0", "65536", "-1", "7001x", "1.2.3:7001", "localhost:7001", "1.2.3.4:"})
        CHECK_FALSE(parse_endpoint(bad));
}

TEST_CASE("rollback: a port that is taken is refused with a sentence") {
    const Result<UdpSocket> first = UdpSocket::open();
    if (!first) {
        MESSAGE("skipped: " << first.error().message);
        return;
    }
    const Result<UdpSocket> second = UdpSocket::open(first->port());
    CHECK_FALSE(second);
    CHECK(second.error().message.find("UDP: the system refused bind(): ") == 0);
}
