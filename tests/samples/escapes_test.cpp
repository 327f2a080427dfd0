/// Worlds of the soak from which a body once got out, shrunk.

#include "samples/soak/soak.h"

#include <doctest/doctest.h>

using namespace talus;
using namespace talus::samples;

namespace {

void stays_inside(const char* lines) {
    const Result<WorldText> world = from_text(lines);
    REQUIRE_MESSAGE(static_cast<bool>(world), world.error().message);
    WorldText longer = *world;
    longer.steps += 60;
    const SoakOutcome outcome = run_soak(longer, {.checks = bit_of(SoakCheck::escape)});
    CHECK_MESSAGE(!outcome.failure, (outcome.failure ? outcome.failure->what : ""));
}

}  // namespace

// Each step let the body in by a tenth of its inner radius more.
TEST_CASE("a body that a joint wants behind the floor stays above it") {
    stays_inside(R"(talus-world 1
world gravity 0 -9.81000042 0 substeps 4
dt 0.0166666675
room 3.94011331 3.95149231 2.8706665
body 0 fixed at -4.44011307 3.95149231 0
shape 0 box 0.5 4.95149231 3.8706665
body 1 fixed at 4.44011307 3.95149231 0
shape 1 box 0.5 4.95149231 3.8706665
body 2 fixed at 0 -0.5 0
shape 2 box 4.94011307 0.5 3.8706665
body 3 fixed at 0 8.40298462 0
shape 3 box 4.94011307 0.5 3.8706665
body 4 fixed at 0 3.95149231 -3.3706665
shape 4 box 4.94011307 4.95149231 0.5
body 5 fixed at 0 3.95149231 3.3706665
shape 5 box 4.94011307 4.95149231 0.5
body 7 dynamic at -1.95503521 1.76664734 1.25210083 turned -0.412826329 0.564605892 0.300964236 -0.64824003 locks 28
shape 7 capsule 0.306943864 0.251673043
joint 0 wheel 0 7 frame_a 0.594638824 -0.522798061 0.299607515 0.948840439 0 0.218833342 0.227626383 frame_b 1.95576453 0.390570641 1.80716395 -0.473401845 -0.746084809 -0.24738802 0.397551596 second 0 0
change 5 place 7 1.5451355 2.50483918 -0.986222029 0.0796591789 0.705528915 -0.629772067 -0.315072328
steps 35
)");
}

// Casts of balls that were as deep as they might get said that they overlap, which counted as no hit.
TEST_CASE("a small ball that a heavy body's slider presses on the floor stays above it") {
    stays_inside(R"(talus-world 1
world gravity 0 -9.81000042 0 substeps 4
dt 0.0166666675
room 2.45656753 3.5712285 2.07239771
body 0 fixed at -2.95656753 3.5712285 0
shape 0 box 0.5 4.5712285 3.07239771
body 1 fixed at 2.95656753 3.5712285 0
shape 1 box 0.5 4.5712285 3.07239771
body 2 fixed at 0 -0.5 0
shape 2 box 3.45656753 0.5 3.07239771
body 3 fixed at 0 7.64245701 0
shape 3 box 3.45656753 0.5 3.07239771
body 4 fixed at 0 3.5712285 -2.57239771
shape 4 box 3.45656753 4.5712285 0.5
body 5 fixed at 0 3.5712285 2.57239771
shape 5 box 3.45656753 4.5712285 0.5
body 29 dynamic at 0.610659719 2.96083713 -0.824821532 turned -0.546391129 0.295333385 0.181648403 -0.762390196
shape 29 sphere 0.00561925769
body 30 dynamic at -0.968291402 3.83133411 0.612766623
shape 30 box 0.362099379 0.333856642 0.212815255 density 113248.375
joint 14 slider 29 30 frame_a 0.106561393 -0.00122147799 0.281110644 -0.941010237 -0.275410742 0.183778763 -0.0698126554 frame_b 1.37310123 -0.757009029 -1.25016797 0.508890033 0 -0.0407596193 0.859865904 limit -0.474584281 0.331793636
steps 58
)");
}

// The middle of a flat hull's bounds is not in the hull: it was behind the floor on which a corner of the hull stood.
TEST_CASE("a flat hull that lands on one-sided triangles stays in front of them") {
    stays_inside(R"(talus-world 1
world gravity 0 -9.81000042 0 substeps 4
dt 0.0666666701
room 4.38301706 3.05995417 2.20692754
body 0 fixed at 0 3.05995417 0
shape 0 room 4.38301706 3.05995417 2.20692754 8 0
body 3 dynamic at 0.0122742327 5.40655804 0.0322731249 turned 0.575134993 -0.747008145 0.327516496 -0.062701948 velocity -1.24145317 -1.6991303 0.488499761 spin 0.974066734 2.02555966 -0.774075985
shape 3 hull 0.00142770563 -0.0384614915 0.0566587895 0.0554345176 0.00710465992 0.0592443608 0.100195169 -0.039013464 -0.0273628496 0.081665054 0.0381060727 0.0401966758
steps 14
)");
}

// An impact put the spin of the last sub-step, 1e14 rad/s, on its way, and the sweep refused such a way.
TEST_CASE("a needle that a force far from its centre spins stays in its room") {
    stays_inside(R"(talus-world 1
world gravity 0 -9.81000042 0 substeps 4
dt 0.0166666675
room 2.79999423 2.48678398 4.50508785
body 0 fixed at -3.29999423 2.48678398 0
shape 0 box 0.5 3.48678398 5.50508785
body 1 fixed at 3.29999423 2.48678398 0
shape 1 box 0.5 3.48678398 5.50508785
body 2 fixed at 0 -0.5 0
shape 2 box 3.79999423 0.5 5.50508785
body 3 fixed at 0 5.47356796 0
shape 3 box 3.79999423 0.5 5.50508785
body 4 fixed at 0 2.48678398 -5.00508785
shape 4 box 3.79999423 3.48678398 0.5
body 5 fixed at 0 2.48678398 5.00508785
shape 5 box 3.79999423 3.48678398 0.5
body 19 dynamic at 1.95699072 3.3023293 0.982365847
shape 19 hull 0.017276099 0.000182454678 -0.000199137125 0.000617468031 0.000601251144 0.000134681599 0.0159473997 -0.000340326485 5.04284726e-05 0.0152839459 -2.28021036e-05 -0.000373047602
change 10 force 19 -796.652161 -748.257141 4364.10693 -0.000896440819 -0.189453915 0.0640812591
steps 11
)");
}
