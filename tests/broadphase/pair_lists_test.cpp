#include "boxes.h"

#include "broadphase/pairs/pair_lists.h"

#include <set>

using namespace talus;
using namespace talus::detail;
using namespace talus::test;

TEST_CASE("the pair lists hold what was put in, through growth, erasure and packing") {
    Random random(2);
    PairLists lists;
    std::set<PairKey> model;
    CHECK(lists.of(0).empty());
    std::size_t largest = 0;
    for (int round = 0; round < 200; ++round) {
        const std::uint32_t proxies = round % 2 == 0 ? 60 : 400;  // long lists and short ones
        const bool growing = round % 40 < 25, all_go = round % 40 == 39;
        std::set<PairKey> begun, ended;
        for (int i = 0; i < 600; ++i) {
            const ProxyIndex a = random.below(proxies), b = random.below(random.chance(0.5f) ? 3 : proxies);
            if (a == b) continue;
            const PairKey key = key_of(std::min(a, b), std::max(a, b));
            if (!model.contains(key))
                begun.insert(key);
            else if (!growing)
                ended.insert(key);
        }
        if (!growing) begun.clear();
        if (all_go) ended = model;
        const std::vector<PairKey> begun_keys(begun.begin(), begun.end()), ended_keys(ended.begin(), ended.end());
        // Half of the lists see to themselves, as those of dirty proxies do.
        std::vector<PairKey> halves;
        const auto of_its_own = [](ProxyIndex p) { return p % 2 == 0; };
        for (const PairKey key : ended_keys) {
            const ProxyPair pair = pair_of(key);
            if (!of_its_own(pair.a)) halves.push_back(key_of(pair.a, pair.b));
            if (!of_its_own(pair.b)) halves.push_back(key_of(pair.b, pair.a));
        }
        for (ProxyIndex p = 0; p < 400; p += 2) {
            lists.retain(p, [&](ProxyIndex q) { return !ended.contains(key_of(std::min(p, q), std::max(p, q))); });
        }
        lists.apply(halves, ended_keys.size(), begun_keys, 400);
        for (const PairKey key : ended) model.erase(key);
        model.insert(begun.begin(), begun.end());
        if (all_go) CHECK(lists.bytes() < largest);
        largest = std::max(largest, lists.bytes());
        REQUIRE(lists.size() == model.size());
        std::vector<std::set<ProxyIndex>> expected(400);
        for (const PairKey key : model) {
            const ProxyPair pair = pair_of(key);
            expected[pair.a].insert(pair.b);
            expected[pair.b].insert(pair.a);
        }
        std::size_t longest = 0;
        for (ProxyIndex p = 0; p < 400; ++p) {
            const std::span<const ProxyIndex> partners = lists.of(p);
            REQUIRE(std::set<ProxyIndex>(partners.begin(), partners.end()) == expected[p]);
            REQUIRE(partners.size() == expected[p].size());
            longest = std::max(longest, partners.size());
        }
        if (round == 24) CHECK(longest > 200);  // both methods of erasing are used
    }
}
