/// Which boxes overlap, with nothing but the broadphase.

#include <talus/broadphase/broadphase.h>
#include <cstdio>

int main() {
    talus::Broadphase broadphase;
    broadphase.add({.box = {{0, 0, 0}, {1, 1, 1}}, .user_data = 10});
    broadphase.add({.box = {{100, 0, 0}, {101, 1, 1}}, .user_data = 20});
    broadphase.add({.box = {{0.5f, 0, 0}, {1.5f, 1, 1}}, .user_data = 30});
    broadphase.update();
    for (const talus::ProxyPair& pair : broadphase.begun()) {
        std::printf("%u meets %u\n", broadphase.user_data(pair.a), broadphase.user_data(pair.b));
    }
    const bool right = broadphase.begun().size() == 1 && broadphase.begun()[0] == talus::ProxyPair{0, 2};
    return right ? 0 : 1;
}
